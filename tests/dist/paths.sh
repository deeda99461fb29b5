#!/usr/bin/env bash
# Fails, and lists the files, if any in a FOLDER of what `make dist` has made names a path of this machine.
#   paths.sh FOLDER
set -euo pipefail
folder=$(realpath "$1")
source "$(dirname "$0")/../../packaging/environment.sh"
for place in "$root" "${CARGO_HOME:-$HOME/.cargo}" "$(rustc --print sysroot)" "$CARGO_TARGET_DIR"; do
    if grep --recursive --files-with-matches --fixed-strings --text "$place/" "$folder"; then
        echo "these files name $place" >&2
        exit 1
    fi
done
