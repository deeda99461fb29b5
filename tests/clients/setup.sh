#!/bin/sh
# Installs the official clients, as pinned here, under build/clients/ at the repository root. Quick when they are there already.
#
#     tests/clients/setup.sh          PYTHON names another interpreter than python3 (3.10 or newer)
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
build=$here/../../build/clients
mkdir -p "$build/typescript"
build=$(CDPATH= cd -- "$build" && pwd)

# The copy of the pins is made last: a setup that was cut short starts again.
for version in 1 2; do
    if ! cmp -s "$here/python/requirements-$version.txt" "$build/python-$version/requirements.txt"; then
        "${PYTHON:-python3}" -m venv --clear "$build/python-$version"
        "$build/python-$version/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$here/python/requirements-$version.txt"
        cp "$here/python/requirements-$version.txt" "$build/python-$version/requirements.txt"
    fi
done

if ! cmp -s "$here/typescript/package-lock.json" "$build/typescript/installed.json"; then
    cp "$here/typescript/package.json" "$here/typescript/package-lock.json" "$build/typescript/"
    npm ci --prefix "$build/typescript" --silent --no-audit --no-fund
    cp "$here/typescript/package-lock.json" "$build/typescript/installed.json"
fi

# Node resolves imports next to these links, not next to their targets: see run.py.
ln -sf "$here"/typescript/*.mjs "$build/typescript/"

# The same for the host that is written in JavaScript, which imports our own package, and the web servers which that is tested with.
mkdir -p "$build/hosts/node_modules"
ln -sfn "$here/../../bindings/node" "$build/hosts/node_modules/wellhead"
for package in "$here"/../../bindings/node/node_modules/*/; do
    test -d "$package" && ln -sfn "$package" "$build/hosts/node_modules/$(basename "$package")"
done
ln -sf "$here"/hosts/*.mjs "$build/hosts/"

# Packages that the host in Python needs besides ours, in the environment that `make python` makes.
python=$build/../python
if ! cmp -s "$here/hosts/requirements.txt" "$python/requirements.txt"; then
    test -x "$python/bin/python" || "${PYTHON:-python3}" -m venv "$python"
    "$python/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$here/hosts/requirements.txt"
    cp "$here/hosts/requirements.txt" "$python/requirements.txt"
fi
