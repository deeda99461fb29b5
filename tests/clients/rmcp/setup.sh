#!/bin/sh
# Builds the driver with the official Rust SDK, as pinned here, as build/clients/rmcp-driver at the repository root. Quick when it is built.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$here/../../../build/clients"
build=$(CDPATH= cd -- "$here/../../../build/clients" && pwd)
cargo build --quiet --locked --manifest-path "$here/Cargo.toml" --target-dir "$build/rmcp"
cp "$build/rmcp/debug/rmcp-driver" "$build/rmcp-driver"
