#!/bin/sh
# Installs fastmcp, as pinned here, under build/clients/fastmcp. Quick when it is there already.
set -eu
cd "$(dirname "$0")/../../.."
here=tests/clients/fastmcp
build=build/clients/fastmcp
if ! cmp -s "$here/requirements.txt" "$build/requirements.txt"; then
    "${PYTHON:-python3}" -m venv --clear "$build"
    "$build/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$build/requirements.txt"
fi
