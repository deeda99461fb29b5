#!/usr/bin/env bash
# Builds for Windows and runs it under Wine: the core's suites, the command, and programs in C with the static library and the
# DLL. Installs mingw-w64 and Wine with apt if it may.
set -euo pipefail
cd "$(dirname "$0")/../.."

SYSTEM=x86_64-pc-windows-gnu
CC=x86_64-w64-mingw32-gcc
WINE=/usr/lib/wine/wine64
TARGET=$(realpath -m "${CARGO_TARGET_DIR:-target}")
OUT=$TARGET/tests-windows
mkdir -p "$OUT"

if ! command -v "$CC" >/dev/null || ! [ -x "$WINE" ]; then
    packages="gcc-mingw-w64-x86-64 wine64"
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "mingw-w64 or Wine is missing: run 'apt-get install $packages'" >&2
        exit 1
    fi
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $packages >/dev/null
fi
rustup target add "$SYSTEM"

# A Windows of our own. Rust's standard library takes random bytes from a DLL that Wine 8 lacks.
export WINEPREFIX=$OUT/wine WINEDEBUG=-all
if ! [ -e "$OUT/wine/installed" ]; then
    "$WINE" wineboot --init >/dev/null 2>&1
    "$CC" -shared tests/windows/prng.c -o "$OUT/wine/drive_c/windows/system32/bcryptprimitives.dll" -ladvapi32
    touch "$OUT/wine/installed"
fi

# ---- the core
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$WINE
core() { cargo test --target "$SYSTEM" -p wellhead --features cli,schemars,tower --no-fail-fast "$@"; }
core --lib --bins --test vectors --test http --test stdio
# One at a time: all programs share the Wine server, which loses changes in one folder while another one is removed.
core --test cli -- --test-threads=1

# ---- C
cargo build -q --target "$SYSTEM" -p wellhead-ffi
LIBRARY=$TARGET/$SYSTEM/debug
# What `rustc --print native-static-libs` says the static library needs.
NATIVE_LIBS="-lws2_32 -luserenv -lntdll -lkernel32 -ladvapi32 -lole32 -loleaut32 -lbcrypt -lsynchronization"
STRICT="-std=c99 -g -Wall -Wextra -Wpedantic -Werror -Iinclude"
cp "$LIBRARY/wellhead.dll" "$OUT"
# shellcheck disable=SC2086
"$CC" $STRICT -DWELLHEAD_STATIC tests/windows/stray.c -o "$OUT/stray-static.exe" "$LIBRARY/libwellhead.a" $NATIVE_LIBS
# shellcheck disable=SC2086
"$CC" $STRICT tests/windows/stray.c -o "$OUT/stray-dll.exe" "$LIBRARY/libwellhead.dll.a"
python3 tests/windows/programs.py "$WINE" "$OUT/stray-static.exe" "$OUT/stray-dll.exe"

# ---- Ctrl-C, which needs a console: `script` is one
"$CC" -Wall -Wextra -Werror tests/windows/ctrl.c -o "$OUT/ctrl.exe"
for options in "" "--http 0"; do
    script --quiet --return --command "$WINE $OUT/ctrl.exe $LIBRARY/wellhead.exe serve $options tests/windows" /dev/null </dev/null
done
echo "Ctrl-C ends the command in order, over standard input and output as over HTTP"
