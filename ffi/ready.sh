#!/usr/bin/env bash
# Checks what `make install` needs before it compiles for minutes: the program that builds, and folders that may be written.
#   ready.sh PROGRAM FOLDER...
set -euo pipefail
program=$1
shift
ready=true

# With the PATH of the user, since that of sudo has no ~/.cargo/bin.
again="sudo env \"PATH=\$PATH\" make install"
if ! command -v "$program" > /dev/null; then
    echo "make install: $program is not in PATH. Install Rust 1.88 or later from https://rustup.rs. If it is there, but not for root, run: $again" >&2
    ready=false
fi
for folder in "$@"; do
    # The folder or, where it is to be made, the nearest one above it that exists.
    nearest=$folder
    until [ -e "$nearest" ]; do nearest=$(dirname "$nearest"); done
    if [ ! -d "$nearest" ]; then
        echo "make install: $folder cannot be made, because $nearest is no folder. Choose another place: make install PREFIX=\$HOME/.local" >&2
        ready=false
    elif [ ! -w "$nearest" ] || [ ! -x "$nearest" ]; then
        echo "make install: $nearest may not be written. Run: $again. Or choose another place: make install PREFIX=\$HOME/.local" >&2
        ready=false
    fi
done
"$ready"
