#!/bin/sh
# Installs fastmcp, as pinned here, under build/clients/fastmcp, and asks our hosts with its client. `make python` and the command come first.
set -eu
cd "$(dirname "$0")/../../.."
here=tests/clients/fastmcp
build=build/clients/fastmcp
if ! cmp -s "$here/requirements.txt" "$build/requirements.txt"; then
    "${PYTHON:-python3}" -m venv --clear "$build"
    "$build/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$build/requirements.txt"
fi
"$build/bin/python" "$here/points.py"
exec "$build/bin/python" "$here/tools.py"
