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
refused "no-such-cargo is not in PATH, or does not run. Install Rust" make install CARGO_BUILD=no-such-cargo PREFIX="$work/new" DESTDIR=
refused "false is not in PATH, or does not run. Install Rust" make install CARGO_BUILD=false PREFIX="$work/new" DESTDIR=
for folder in PREFIX BINDIR LIBDIR INCLUDEDIR DOCDIR; do
    refused "$work/file is no folder. Choose another place" make install "${build[@]}" PREFIX="$work/new" "$folder=$work/file/new"
done
refused "$work/file is no folder" make install "${build[@]}" PREFIX=/new DESTDIR="$work/file"
refused "$work/file is no folder" make install-library "${build[@]}" PREFIX="$work/file"

# Root may write everywhere, so another user tries.
other=()
[ "$(id -u)" -ne 0 ] || other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
refused "$work/closed may not be written. Run: sudo" "${other[@]}" bash -c "$(cat ffi/ready.sh)" ready.sh true "$work/closed/new/lib"

# The command in the message finds the Rust of the user, and keeps the variables.
refused "not in PATH" make install CARGO_BUILD=no-such-cargo PREFIX="$work/new"
sed -n 's/.*for root, run: sudo //p' "$work/log" > "$work/again"
mkdir "$work/bin"
printf '#!/bin/sh\necho "$RUSTUP_HOME $CARGO_HOME $*"\n' > "$work/bin/make"
chmod +x "$work/bin/make"
said=$(env --unset=RUSTUP_HOME CARGO_HOME=/cargo HOME=/home/user PATH="$work/bin:$PATH" bash "$work/again")
if [[ $said != "/home/user/.rustup /cargo install "*"PREFIX=$work/new"* ]]; then
    echo "make install says to run $(cat "$work/again"), which gives make: $said" >&2
    exit 1
fi

mkdir -m 777 "$work/open"
"${other[@]}" bash -c "$(cat ffi/ready.sh)" ready.sh true "$work/open/new" "$work/open"
if make install "${build[@]}" PREFIX="$work/new" > "$work/log" 2>&1 || [ ! -e "$work/built" ]; then
    cat "$work/log" >&2
    echo "make install does not build where nothing is missing" >&2
    exit 1
fi
echo "make install says what is missing before it builds"
