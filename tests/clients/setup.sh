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
if ! cmp -s "$here/python/requirements.txt" "$build/python/requirements.txt"; then
    "${PYTHON:-python3}" -m venv --clear "$build/python"
    "$build/python/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$here/python/requirements.txt"
    cp "$here/python/requirements.txt" "$build/python/requirements.txt"
fi

if ! cmp -s "$here/typescript/package-lock.json" "$build/typescript/installed.json"; then
    cp "$here/typescript/package.json" "$here/typescript/package-lock.json" "$build/typescript/"
    npm ci --prefix "$build/typescript" --silent --no-audit --no-fund
    cp "$here/typescript/package-lock.json" "$build/typescript/installed.json"
fi

# Imports are looked up beside this link, not beside the file it points to: see run.py.
ln -sf "$here/typescript/driver.mjs" "$build/typescript/driver.mjs"
