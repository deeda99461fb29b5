#!/usr/bin/env bash
# Makes the static library that is installed from the one that cargo builds: a single object whose global symbols are the
# functions of the headers. Cargo's has thousands of symbols of Rust as well. A shared object would export them, and a second
# static library of Rust would define some of them again.
#   archive.sh FROM TO
set -euo pipefail
from=$1 to=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The linker drops a section group that it has seen in another library, and with it symbols that are local here. So: no groups.
"${LD:-ld}" -r --whole-archive --force-group-allocation "$from" -o "$work/all.o"
"${OBJCOPY:-objcopy}" --wildcard --keep-global-symbol='wellhead_*' --strip-debug \
    --remove-section=.llvmbc --remove-section=.llvmcmd "$work/all.o" "$work/wellhead.o"
rm -f "$to"
"${AR:-ar}" rcs "$to" "$work/wellhead.o"
chmod 644 "$to"
