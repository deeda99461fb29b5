#!/usr/bin/env bash
# Installs the wheels of `make dist` from dist alone, with no compiler, in each Python that they are for, and asks README's smallest server and
# the command with the official client. Then installs the sources, which takes a compiler. Checks what is shipped: its pages, what a library needs of the system, sizes.
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
python3 "$root/tests/readme/extract.py" python > hello.py
mkdir notes
printf 'Hello, world!' > notes/hello.md
served="{\"file://$PWD/notes/hello.md\": \"Hello, world!\"}"
for kind in 3.10 3.11 3.12 3.13 3.14 3.14t; do
    python=$(sh "$root/bindings/python/interpreter.sh" "$kind")
    "$python" -m venv "$kind"
    PATH=$work/$kind/bin /bin/sh -c "$command"
    ask "$kind/bin/python" hello.py
    ask --expect "$served" "$kind/bin/wellhead" serve notes
    echo "installed from dist in Python $kind, README's server and the command answer"
done
3.14t/bin/python -c 'import sys, wellhead; sys.exit(sys._is_gil_enabled())' || fail "wellhead turns the global interpreter lock on"

ask --expect "$served" "$tools/bin/uvx" --quiet --no-config --no-index --find-links "$dist" --no-build wellhead serve notes
echo "uvx serves the folder"

python3 -m venv sources
sources/bin/pip install "$dist/wellhead-$version.tar.gz"
ask sources/bin/python hello.py
echo "installed from the sources, README's server answers"

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
