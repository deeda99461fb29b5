#!/bin/sh
# Tests the Python binding with one interpreter: sh test.sh [PYTHON]
# Builds it (unoptimised), installs it into a scratch environment under build/, and checks code, types and stubs.
set -eu
python=${1:-python3}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# With a t behind it if there is no global interpreter lock.
version=$("$python" -c 'import sys; print("%d.%d%s" % (*sys.version_info[:2], sys.abiflags))')
venv=$root/build/python-$version
# pip builds in a copy of the sources; a target folder of our own keeps what was compiled.
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
export CARGO_TARGET_DIR

test -x "$venv/bin/python" || "$python" -m venv "$venv"
bin=$venv/bin
"$bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements-test.txt"
(
    # Not while `make python` builds the same.
    if command -v flock >/dev/null; then
        exec 9>"$root/build/python.lock"
        flock 9
    fi
    "$bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps \
        --config-settings=build-args="--profile dev" "$here"
)

cd "$here"
echo "Python $version: ruff, mypy, stubtest, pytest"
"$bin/ruff" check --quiet .
"$bin/ruff" format --quiet --check .
"$bin/mypy" tests examples python
"$bin/python" -m mypy.stubtest wellhead --mypy-config-file pyproject.toml
"$bin/pytest" --quiet
case $version in
    # conftest.py says which tests run on one thread only, and why.
    *t) "$bin/pytest" --quiet -rs --parallel-threads 4 --skip-thread-unsafe true ;;
esac
