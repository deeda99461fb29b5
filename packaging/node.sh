#!/usr/bin/env bash
# Makes the npm packages: `wellhead`, which has no native library, and one with it for each kind of Linux. They need glibc 2.17 or musl 1.2.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bindings/node/build.sh # dist, by the TypeScript compiler
for target in "${linux_targets[@]}"; do
    build_library wellhead-node "$target"
    node packaging/npm.mjs platform "$target" "$CARGO_TARGET_DIR/$target/dist/libwellhead_node.so" "$work/$target"
    npm_pack "$work/$target"
done
node packaging/npm.mjs main "$work/main"
npm_pack "$work/main"
