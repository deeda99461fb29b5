#!/usr/bin/env bash
# Measures the seconds from an empty folder to the first read of the official client, with what `make dist` has made and by the commands of the
# documents. A reader's own time is not in it. For Rust, cargo fetches and compiles what the crate depends on. The last column is what the
# user waits for at most: 2 minutes, 5 for C and C++ with CMake.
#   first_read.sh [LANGUAGE]...
set -euo pipefail
source "$(dirname "$0")/../packaging/environment.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CARGO_ENCODED_RUSTFLAGS CARGO_TARGET_DIR PKG_CONFIG_PATH CMAKE_PREFIX_PATH

block() { python3 "$root/tests/readme/extract.py" "$@"; }
ask() { "$tools/bin/python" "$root/tests/dist/ask.py" "$@"; }

# The command that README's table has for a package.
from_readme() { # WORDS: those in the first column
    sed -n "s/^| $1 | \`\([^\`]*\)\`.*/\1/p" "$root/README.md" | sed "s/x86_64/$machine/; s/x64/$node_machine/; s/amd64/$debian_machine/"
}

python() {
    python3 -m venv environment
    sh -euc "environment/bin/$(from_readme Python)"
    block python > hello.py
    ask environment/bin/python hello.py
}

node() {
    npm init --yes
    sh -euc "$(from_readme Node)"
    block js > hello.mjs
    ask node hello.mjs
}

with_cmake() { # LANGUAGE SUFFIX
    sh -euc "$(from_readme "C and C++")"
    block "$2" > "hello.$2"
    printf 'cmake_minimum_required(VERSION 3.13)\nproject(hello %s)\nfind_package(wellhead REQUIRED)\nadd_executable(hello hello.%s)\n' "$1" "$2" > CMakeLists.txt
    printf 'target_link_libraries(hello PRIVATE wellhead::wellhead)\nset_target_properties(hello PROPERTIES CXX_STANDARD 17)\n' >> CMakeLists.txt
    cmake -B build -DCMAKE_PREFIX_PATH="$PWD/libwellhead-$version-$machine-linux-gnu"
    cmake --build build
    ask build/hello
}
c() { with_cmake C c; }
cpp() { with_cmake CXX cpp; }

command_alone() {
    sh -euc "$(from_readme "the command alone")"
    mkdir notes
    echo "one" > notes/one.txt
    ask --expect "{\"file://$PWD/notes/one.txt\": \"one\n\"}" "wellhead-$version-$machine-linux/wellhead" serve notes
}

rust() {
    sh -euc "$(from_readme Rust)"
    cargo init --quiet --vcs none hello
    block rust > hello/src/main.rs
    (cd hello && cargo add --quiet wellhead --features stdio --path "../wellhead-$version" && cargo build --quiet)
    ask hello/target/debug/hello
}

languages=("$@")
[ $# -gt 0 ] || languages=(python node command_alone c cpp rust)
printf '%-14s %8s %8s\n' language seconds most
for language in "${languages[@]}"; do
    mkdir "$work/$language"
    cd "$work/$language"
    ln -s "$dist" dist
    begun=$(date +%s%N)
    "$language" > log 2>&1 || { cat log >&2; exit 1; }
    most=120
    [[ $language != c* || $language = command_alone ]] || most=300
    printf '%-14s %8s %8s\n' "$language" "$(awk -v ns=$(($(date +%s%N) - begun)) 'BEGIN { printf "%.1f", ns / 1e9 }')" "$most"
done
