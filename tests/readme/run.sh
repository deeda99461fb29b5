#!/usr/bin/env bash
# Builds each of README's smallest servers in an empty folder, as a user would, and asks it two questions. Installs the command in both
# ways and asks it about a folder. Checks the paths and targets that the documents name, and compares the length of the first tool with others.
#   run.sh [paths|lengths|rust|c|cpp|python|node|command]...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

block() { python3 "$here/extract.py" "$@"; }

paths() { python3 "$here/paths.py"; }

lengths() { python3 "$here/lengths.py"; }

rust() {
    cargo init --quiet --vcs none --name hello .
    cp "$root/Cargo.lock" . # a release of some other crate, half published at this moment, is no fault of ours
    cargo add --quiet wellhead --path "$root/core" --features stdio
    block rust > src/main.rs
    cargo build --quiet
    python3 "$here/ask.py" "$CARGO_TARGET_DIR/debug/hello"
    cargo add --quiet wellhead --path "$root/core" --features stdio,schemars
    cargo add --quiet schemars
    cargo add --quiet serde --features derive
    block rust 2 > src/main.rs
    cargo build --quiet
    python3 "$here/ask_tool.py" "$CARGO_TARGET_DIR/debug/hello"
}

c() {
    make -C "$root" install DESTDIR="$PWD/dest" PREFIX=/usr > install.log 2>&1 || { cat install.log; return 1; }
    block c > hello.c
    export PKG_CONFIG_PATH="$PWD/dest/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$PWD/dest"
    # shellcheck disable=SC2046
    cc -std=c99 -Wall -Wextra -Wpedantic -Werror hello.c $(pkg-config --cflags --libs wellhead) -o hello
    LD_LIBRARY_PATH="$PWD/dest/usr/lib" python3 "$here/ask.py" ./hello
    block c 2 > adder.c
    # shellcheck disable=SC2046
    cc -std=c99 -Wall -Wextra -Wpedantic -Werror adder.c $(pkg-config --cflags --libs wellhead) -o adder
    LD_LIBRARY_PATH="$PWD/dest/usr/lib" python3 "$here/ask_tool.py" ./adder
    # shellcheck disable=SC2046
    cc -std=c99 -static hello.c $(pkg-config --static --cflags --libs wellhead) -o hello-static 2> warnings || { cat warnings; return 1; }
    python3 "$here/ask.py" ./hello-static
    "$root/tests/c/archive.sh" dest/usr/lib/libwellhead.a
}

cpp() { # with what `c` has installed
    [ -d ../c/dest ] || (mkdir -p ../c && cd ../c && c)
    block cpp > hello.cpp
    export PKG_CONFIG_PATH="$PWD/../c/dest/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$PWD/../c/dest"
    # shellcheck disable=SC2046
    c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror hello.cpp $(pkg-config --cflags --libs wellhead) -o hello
    LD_LIBRARY_PATH="$PWD/../c/dest/usr/lib" python3 "$here/ask.py" ./hello
    block cpp 2 > adder.cpp
    # shellcheck disable=SC2046
    c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror adder.cpp $(pkg-config --cflags --libs wellhead) -o adder
    LD_LIBRARY_PATH="$PWD/../c/dest/usr/lib" python3 "$here/ask_tool.py" ./adder
}

python() {
    python3 -m venv venv
    venv/bin/pip install --quiet --disable-pip-version-check "$root/bindings/python"
    block python > hello.py
    block python "$root/bindings/python/README.md" | diff hello.py - # the package's own page shows the same
    python3 "$here/ask.py" venv/bin/python hello.py
    block python 2 > adder.py
    python3 "$here/ask_tool.py" venv/bin/python adder.py
}

node() {
    local tarball
    tarball=$(make -s -C "$root" node-pack | tail -n 1)
    npm init --yes > /dev/null 2>&1
    npm install --silent --no-audit --no-fund "$tarball"
    block js > hello.mjs
    python3 "$here/ask.py" "$(type -P node)" hello.mjs
    npm install --silent --no-audit --no-fund zod@4
    block js 2 > adder.mjs
    python3 "$here/ask_tool.py" "$(type -P node)" adder.mjs
}

command() { # the second is what `c` has installed
    [ -d ../c/dest ] || (mkdir -p ../c && cd ../c && c)
    cargo install --quiet --path "$root/core" --features cli --root "$PWD" --no-track
    mkdir notes
    printf 'Hello, world!' > notes/hello.md
    for wellhead in bin/wellhead ../c/dest/usr/bin/wellhead; do
        "$wellhead" serve --help | grep -c -- --token-file > help
        python3 "$here/ask.py" --expect "{\"file://$PWD/notes/hello.md\": \"Hello, world!\"}" "$wellhead" serve notes
    done
}

for language in "${@:-paths lengths rust c cpp python node command}"; do
    for one in $language; do
        mkdir "$work/$one"
        set +e # an `if` around it would switch -e off inside
        (set -e; cd "$work/$one"; "$one")
        status=$?
        set -e
        if [ "$status" -eq 0 ]; then
            echo "ok   $one"
            passed=$((passed + 1))
        else
            echo "FAIL $one"
            failed=$((failed + 1))
        fi
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
