#!/usr/bin/env bash
# Builds the hosts of hosts.txt and hosts_http.txt, in release mode, into build/bench.
#   build.sh [rust|c|python|node]...
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/build/bench
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
mkdir -p "$out"
cd "$root"

rust() {
    cargo build --release --quiet -p bench-host
    install "$CARGO_TARGET_DIR/release/bench-host" "$out/rust"
}

c() {
    cargo build --release --quiet -p wellhead-ffi
    local source
    for source in hosts/c/host.c:c calls/calls.c:calls; do
        cc -std=c99 -D_POSIX_C_SOURCE=199309L -O2 -Wall -Wextra -Wpedantic -Werror -Iinclude "bench/${source%:*}" \
            "$CARGO_TARGET_DIR/release/libwellhead.a" -lpthread -ldl -lm -o "$out/${source#*:}"
    done
}

python() {
    [ -x "$out/venv/bin/python" ] || python3 -m venv "$out/venv"
    "$out/venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall ./bindings/python
    "$out/venv/bin/pip" install --quiet --disable-pip-version-check uvicorn==0.54.0 uvloop==0.23.0 httptools==0.9.0
}

node() {
    local tarball
    tarball=$(make -s node-pack | tail -n 1)
    mkdir -p "$out/node"
    [ -f "$out/node/package.json" ] || echo '{"private":true}' > "$out/node/package.json"
    npm install --prefix "$out/node" --silent --no-audit --no-fund "build/node/$(basename "$tarball")"
    cp bench/hosts/node/host.mjs bench/calls/calls.mjs "$out/node/"
}

for host in "${@:-rust c python node}"; do
    for one in $host; do
        "$one"
    done
done
