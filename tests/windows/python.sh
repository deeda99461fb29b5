#!/usr/bin/env bash
# Runs the vectors and most suites of the Python package in CPython for Windows, under Wine, with the Proactor loop of asyncio.
# No registry of Python or Node has such a CPython; a module of Go has, which embeds it. Installs what the suites need from PyPI.
#   python.sh [TEST]...    arguments of pytest
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/windows/wine.sh

MODULE=github.com/kluctl/go-embed-python
VERSION=v0.0.0-3.14.6-20260610-1
SUM=h1:oGUS7++Wm3LgxUfD6AmJgKbKQD2wdQFO9PzyJv6T+E4=
SYSTEM=x86_64-pc-windows-gnu
TARGET=$(realpath -m "${CARGO_TARGET_DIR:-target}")
OUT=$PWD/build/windows-python

# The copy of the pins is made last: an installation that was cut short starts again.
pins=$(echo "$VERSION" && grep -E '^(fastapi|h2|hypercorn|pytest|starlette|uvicorn)' bindings/python/requirements-test.txt | grep -v '< "3.11"')
if ! cmp -s <(echo "$pins") "$OUT/pins"; then
    rm -rf "$OUT"
    mkdir -p "$OUT/go" "$OUT/site"
    command -v go > /dev/null || { echo "CPython for Windows comes as a module of Go: install Go 1.25 or later" >&2; exit 1; }
    (cd "$OUT/go" && GOPATH=$OUT/go GOFLAGS=-modcacherw go mod download -json "$MODULE@$VERSION" > module.json)
    grep --quiet --fixed-strings "\"Sum\": \"$SUM\"" "$OUT/go/module.json" || { echo "$MODULE $VERSION is not the recorded one" >&2; exit 1; }
    mv "$OUT/go/pkg/mod/$MODULE@$VERSION/python/internal/data/windows-amd64" "$OUT/python"
    rm -rf "$OUT/go"
    find "$OUT/python" -name '*.gz' -exec gunzip {} +
    rm "$OUT/python/DLLs/_wmi.pyd" # Wine 8 ends a process that asks for WMI, and Python does without it
    echo "$pins" | tail -n +2 | sed 's/;.*//' > "$OUT/requirements.txt"
    "${PYTHON:-python3}" -m venv "$OUT/venv"
    "$OUT/venv/bin/pip" install --quiet --disable-pip-version-check --target "$OUT/site" --platform win_amd64 --python-version 3.14 \
        --only-binary :all: --requirement "$OUT/requirements.txt" colorama
    echo "$pins" > "$OUT/pins"
fi

rustup --quiet target add "$SYSTEM"
PYO3_NO_PYTHON=1 cargo build -q --target "$SYSTEM" -p wellhead-python
rm -rf "$OUT/package"
mkdir "$OUT/package"
cp -r bindings/python/python/wellhead "$OUT/package"
cp "$TARGET/$SYSTEM/debug/_core.dll" "$OUT/package/wellhead/_core.pyd"

# Windows' Python takes pipes and files of this system for its own, but not /dev/null.
export PYTHONPATH="Z:$OUT/package;Z:$OUT/site" PYTHONDONTWRITEBYTECODE=1
cd bindings/python
tests=("$@")
# Not among these: what sends signals, forks, needs an installed package or the command, and standard output without CRLF.
[ $# -gt 0 ] || tests=(tests/test_{access,around,asgi,async,board,call_on_threads,callbacks,client,client_requests,closing,contexts,directory}.py
    tests/test_{endpoint,errors,exists,hostile_values,http2,http_vectors,json_bodies,messages_registration,messages_running,methods}.py
    tests/test_{observer,on_cancel,prompts,pydantic,registration,sqlite,subinterpreters,tokens,tool_threads,tools,variables,vectors}.py)
true | "$WINE" "$OUT/python/python.exe" -m pytest -p no:cacheprovider --quiet "${tests[@]}" 2>&1 | cat
