#!/usr/bin/env bash
# Makes the C archive and the command for Windows x64. zig links them, with its own mingw-w64.
set -euo pipefail
export MACHINE=x86_64
source "$(dirname "$0")/environment.sh"
target=$machine-pc-windows-gnu
tool=$machine-w64-mingw32
export STRIP=$tool-strip
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
common=(SYSTEM=windows DESTDIR="$work" BUILT="$CARGO_TARGET_DIR/$target/dist" CARGO_BUILD="cargo zigbuild --locked --profile dist --target $target")

name=libwellhead-$version-$machine-windows
make install-library "${common[@]}" PREFIX="/$name" DLLTOOL="python3 -m ziglang dlltool"
sbom wellhead-ffi "$target" "$work/$name/share/doc/wellhead"
install -m 644 packaging/readmes/windows.md "$work/$name/README.md"
pack_zip "$work" "$name"

name=wellhead-$version-$machine-windows
make install-command "${common[@]}" PREFIX= BINDIR="/$name" DOCDIR="/$name"
sbom wellhead "$target" "$work/$name" cli
install -m 644 packaging/readmes/command-windows.md "$work/$name/README.md"
pack_zip "$work" "$name"
