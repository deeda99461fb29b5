# Sourced at the root of the repository: compilers for Windows, and a Windows of our own by Wine. Sets CC, CXX, WINE, WINEPREFIX and WINEDEBUG. Installs
# mingw-w64 and Wine with apt if it may.
# shellcheck shell=bash disable=SC2034
CC=x86_64-w64-mingw32-gcc-posix # with threads in C and C++
CXX=x86_64-w64-mingw32-g++-posix
WINE=/usr/lib/wine/wine64

if ! command -v "$CC" >/dev/null || ! command -v "$CXX" >/dev/null || ! [ -x "$WINE" ]; then
    packages="gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix wine64"
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "mingw-w64 or Wine is missing: run 'apt-get install $packages'" >&2
        exit 1
    fi
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $packages >/dev/null
fi

# Rust's standard library takes random bytes from a DLL that Wine 8 lacks.
export WINEPREFIX=$PWD/build/wine WINEDEBUG=-all
if ! [ -e "$WINEPREFIX/installed" ]; then
    mkdir -p "$WINEPREFIX"
    "$WINE" wineboot --init >/dev/null 2>&1
    "$CC" -shared tests/windows/prng.c -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" -ladvapi32
    touch "$WINEPREFIX/installed"
fi
