#!/usr/bin/env bash
# Installs the wheel of `make dist` from dist alone, with no compiler, and asks README's smallest server and the command with the official
# client. Checks what is shipped: its pages, what a library needs of the system, sizes.
set -euo pipefail
source "$(dirname "$0")/../../packaging/environment.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "$*" >&2; exit 1; }
ask() { "$tools/bin/python" "$root/tests/dist/ask.py" "$@"; }

# As README says. Without `--only-binary` pip would take npm's tarball for the sources where no wheel fits.
ln -s "$dist" dist
command=$(sed -n 's/.*`\(pip install --no-index [^`]*\)`.*/\1/p' "$root/README.md")
export PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1
python3 -m venv venv
PATH=$work/venv/bin /bin/sh -c "$command"
python3 "$root/tests/readme/extract.py" python > hello.py
ask venv/bin/python hello.py
mkdir notes
printf 'Hello, world!' > notes/hello.md
ask --expect "{\"file://$PWD/notes/hello.md\": \"Hello, world!\"}" venv/bin/wellhead serve notes
echo "installed from dist, README's server and the command answer"

free=$(sh "$root/bindings/python/interpreter.sh" 3.14t)
"$free" -m venv free
PATH=$work/free/bin /bin/sh -c "$command"
ask free/bin/python hello.py
free/bin/python -c 'import sys, wellhead; sys.exit(sys._is_gil_enabled())' || fail "wellhead turns the global interpreter lock on"
echo "the same without the global interpreter lock"

"$tools/bin/twine" check --strict "$dist"/*.whl "$dist/wellhead-$version.tar.gz"
for wheel in "$dist"/*.whl; do
    bytes=$(stat --format=%s "$wheel")
    echo "$(basename "$wheel") has $bytes bytes"
    [ "$bytes" -lt 4000000 ] || fail "it may have 4 MB"
    python3 -m zipfile --extract "$wheel" "$(basename "$wheel")"
    for file in LICENSE-APACHE LICENSE-MIT THIRD-PARTY-NOTICES; do
        compgen -G "$(basename "$wheel")/*.dist-info/licenses/$file" > /dev/null || fail "$wheel has no $file"
    done
    python3 "$root/tests/sbom.py" "$(basename "$wheel")"/*.dist-info/sboms/wellhead-python.cdx.json wellhead-python
    "$root/tests/dist/paths.sh" "$(basename "$wheel")"
done
for wheel in "$dist"/*manylinux*"$machine".whl; do
    platform=$("$tools/bin/auditwheel" show "$wheel")
    [[ $platform == *'"manylinux_2_17_'* ]] || fail "$wheel is not for glibc 2.17: $platform"
done
