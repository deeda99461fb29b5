#!/usr/bin/env bash
# Makes the npm packages: one with the native library for each TARGET. Without one: for each kind of Linux, and `wellhead`, which has no native
# library. They need glibc 2.17 or musl 1.2.
#   node.sh [TARGET]...    targets of rustc
set -euo pipefail
targets=("$@")
source "$(dirname "$0")/environment.sh"
[ $# -gt 0 ] || targets=("${linux_targets[@]}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for target in "${targets[@]}"; do
    case $target in
        *-linux-*) library=libwellhead_node.so ;;
        *-apple-*) library=libwellhead_node.dylib ;;
        *-windows-*) library=wellhead_node.dll ;;
    esac
    build_library wellhead-node "$target"
    node packaging/npm.mjs platform "$target" "$CARGO_TARGET_DIR/$target/dist/$library" "$work/$target"
    npm_pack "$work/$target"
done
if [ $# -eq 0 ]; then
    bindings/node/build.sh # dist, by the TypeScript compiler
    node packaging/npm.mjs main "$work/main"
    npm_pack "$work/main"
fi
