#!/bin/sh
# Builds the package in place: wellhead.node by cargo, dist/ by tsc. `--release` for what is published.
set -eu
cd "$(dirname "$0")"
profile=debug
[ "${1-}" = --release ] && profile=release
cargo build --quiet -p wellhead-node $([ $profile = release ] && echo --release)
target=${CARGO_TARGET_DIR:-../../target}
library=$(ls "$target/$profile/"libwellhead_node.so "$target/$profile/"libwellhead_node.dylib "$target/$profile/"wellhead_node.dll 2>/dev/null | head -n 1)
# By a new file: a running process may have the old one mapped.
rm -f wellhead.node
cp "$library" wellhead.node
cp ../../LICENSE-APACHE ../../LICENSE-MIT . # npm packs what is in this folder only
if ! cmp -s package-lock.json node_modules/installed.json; then
    npm ci --loglevel=error
    cp package-lock.json node_modules/installed.json # last: an install that was cut short starts again
fi
rm -rf dist
node_modules/.bin/tsc -p .
