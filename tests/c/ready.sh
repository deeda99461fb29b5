#!/usr/bin/env bash
# Checks that `make install` says what is missing before it builds: cargo, or a folder that may be written.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

refused() { # PART COMMAND...: it fails, says PART, and has built nothing
    local part=$1
    shift
    if "$@" > "$work/log" 2>&1 || ! grep --quiet --fixed-strings -- "$part" "$work/log" || [ -e "$work/built" ]; then
        cat "$work/log" >&2
        echo "$* does not fail with \"$part\" before it builds" >&2
        exit 1
    fi
}
touch "$work/file"
mkdir -m 555 "$work/closed"
build=(CARGO_BUILD="touch $work/built #" BUILT="$work/nothing" DESTDIR=) # whatever is in the target folder
refused "no-such-cargo is not in PATH. Install Rust" make install CARGO_BUILD=no-such-cargo PREFIX="$work/new" DESTDIR=
for folder in PREFIX BINDIR LIBDIR INCLUDEDIR DOCDIR; do
    refused "$work/file is no folder. Choose another place" make install "${build[@]}" PREFIX="$work/new" "$folder=$work/file/new"
done
refused "$work/file is no folder" make install "${build[@]}" PREFIX=/new DESTDIR="$work/file"
refused "$work/file is no folder" make install-library "${build[@]}" PREFIX="$work/file"

# Root may write everywhere, so another user tries.
other=()
[ "$(id -u)" -ne 0 ] || other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
refused "$work/closed may not be written. Run: sudo" "${other[@]}" bash -c "$(cat ffi/ready.sh)" ready.sh true "$work/closed/new/lib"

mkdir -m 777 "$work/open"
"${other[@]}" bash -c "$(cat ffi/ready.sh)" ready.sh true "$work/open/new" "$work/open"
if make install "${build[@]}" PREFIX="$work/new" > "$work/log" 2>&1 || [ ! -e "$work/built" ]; then
    cat "$work/log" >&2
    echo "make install does not build where nothing is missing" >&2
    exit 1
fi
echo "make install says what is missing before it builds"
