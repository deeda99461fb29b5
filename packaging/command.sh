#!/usr/bin/env bash
# Makes the command as one static program for Linux, with its README, licences and bill of materials, and as a bundle for desktop clients.
# They are for the processor of this machine, or for MACHINE.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
target=$machine-unknown-linux-musl
name=wellhead-$version-$machine-linux
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Rust's own linker links for each processor, and so the same on each machine. It packs the addresses that the program moves when it starts
# (RELR), which musl reads from 1.2.4 on.
export "CARGO_TARGET_${machine^^}_UNKNOWN_LINUX_MUSL_LINKER=rust-lld"
flags+=(-Clink-arg=-z -Clink-arg=pack-relative-relocs)
set_flags
make install-command DESTDIR="$work" PREFIX= BINDIR="/$name" DOCDIR="/$name" BUILT="$CARGO_TARGET_DIR/$target/dist" \
    CARGO_BUILD="cargo build --locked --profile dist --target $target"
sbom wellhead "$target" "$work/$name" cli
install -m 644 packaging/readmes/command.md "$work/$name/README.md"
pack "$work" "$name"
python3 packaging/bundle.py "$version" "$machine" "$dist"
