#!/usr/bin/env bash
# Checks what `make install` needs before it compiles for minutes: the program that builds, and folders that may be written.
#   ready.sh PROGRAM FOLDER...
set -euo pipefail
program=$1
shift
ready=true

# With the PATH of the user, since that of sudo has no ~/.cargo/bin, and with the user's Rust, which rustup looks for in the home of root. The
# variables that make was given stand behind `--` in MAKEFLAGS.
again="sudo env \"PATH=\$PATH\" \"RUSTUP_HOME=\${RUSTUP_HOME:-\$HOME/.rustup}\" \"CARGO_HOME=\${CARGO_HOME:-\$HOME/.cargo}\" make install"
[[ ${MAKEFLAGS-} != *"-- "* ]] || again+=" ${MAKEFLAGS#*-- }"
# That it is in PATH says little: the one of rustup fails for a user who has no Rust.
if ! "$program" --version > /dev/null 2>&1; then
    echo "make install: $program is not in PATH, or does not run. Install Rust 1.88 or later from https://rustup.rs. If it runs, but not for root, run: $again" >&2
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
