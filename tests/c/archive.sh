#!/usr/bin/env bash
# Checks a static library as `make install` makes it. Its global symbols are the functions of the headers. It links with a second
# static library of Rust, in both orders, into a program without shared libraries.
#   archive.sh LIBRARY
set -euo pipefail
library=$(realpath "$1")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

declared=$(grep -h '^WELLHEAD_API' include/*.h | grep -oE '\bwellhead_[a-z0-9_]+\(' | tr -d '(' | sort -u)
global=$(nm -g --defined-only "$library" | awk 'NF == 3 {print $3}' | sort -u)
if ! diff <(echo "$declared") <(echo "$global"); then
    echo "$library has other global symbols (>) than the headers declare (<)" >&2
    exit 1
fi

rustc --edition 2024 -O --crate-type staticlib tests/c/second_rust/second.rs -o "$work/libsecond.a"
for libraries in "$library $work/libsecond.a" "$work/libsecond.a $library"; do
    # The C library warns that its getaddrinfo needs its shared libraries.
    # shellcheck disable=SC2086
    gcc -std=c99 -static -Iinclude tests/c/second_rust/main.c $libraries -lm -o "$work/main" 2> "$work/warnings" ||
        { cat "$work/warnings" >&2; exit 1; }
    "$work/main" 2> "$work/panic" || { cat "$work/panic" >&2; exit 1; }
done
echo "libwellhead.a has the functions of the headers as its only global symbols, and links with a second library of Rust"
