#!/usr/bin/env bash
# Makes the command as one static program for Linux on the processor of this machine, with its README, licences and bill of materials,
# and as a bundle for desktop clients.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
target=$machine-unknown-linux-musl
name=wellhead-$version-$machine-linux-musl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make install-command DESTDIR="$work" PREFIX= BINDIR="/$name" DOCDIR="/$name" BUILT="$CARGO_TARGET_DIR/$target/dist" \
    CARGO_BUILD="cargo build --locked --profile dist --target $target"
sbom wellhead "$target" "$work/$name" cli
install -m 644 packaging/readmes/command.md "$work/$name/README.md"
pack "$work" "$name"
python3 packaging/bundle.py "$version" "$machine" "$dist"
