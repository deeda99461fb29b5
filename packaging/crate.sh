#!/usr/bin/env bash
# Packs the core for the registry of Rust.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
unset CARGO_ENCODED_RUSTFLAGS

cargo package --locked --quiet --no-verify --package wellhead --all-features
mkdir -p "$dist"
cp "$CARGO_TARGET_DIR/package/wellhead-$version.crate" "$dist"
echo "dist/wellhead-$version.crate"
