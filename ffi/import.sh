#!/usr/bin/env bash
# Makes the import library of wellhead.dll: the functions that the headers declare. `dlltool` of LLVM writes the short form, which the linkers of MSVC
# and MinGW read.
#   import.sh DLLTOOL HEADERS TO
set -euo pipefail
read -ra dlltool <<< "$1"
headers=$2 to=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
    printf 'LIBRARY wellhead.dll\nEXPORTS\n'
    grep -h '^WELLHEAD_API' "$headers"/*.h | grep -oE '\bwellhead_[a-z0-9_]+\(' | tr -d '(' | sort -u
} > "$work/wellhead.def"
"${dlltool[@]}" -m i386:x86-64 -d "$work/wellhead.def" -D wellhead.dll -l "$to"
chmod 644 "$to"
