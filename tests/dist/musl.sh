#!/usr/bin/env bash
# Asks README's smallest servers, which are built with the C archive for musl of `make dist`, with the official client. Then runs the wheel for musl
# in a Python for musl, and asks README's server and the command. No registry has such a Python: builds one with musl-gcc from Debian's sources, which takes 3 to 5 minutes, once, in build. Installs musl
# with apt if it may.
set -euo pipefail
source "$(dirname "$0")/../../packaging/environment.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CARGO_ENCODED_RUSTFLAGS
prefix=$root/build/musl-python

fail() { echo "$*" >&2; exit 1; }
quietly() { "$@" > "$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; fail "$* fails"; }; }
ask() { "$tools/bin/python" "$root/tests/dist/ask.py" "$@"; }

install="apt-get install -y -q -o DPkg::Lock::Timeout=300 musl musl-dev musl-tools"
type -P musl-gcc > /dev/null || $install > /dev/null || { apt-get update -q && $install; } > /dev/null || fail "missing: run $install"

# ---- C and C++
cd "$work"
name=libwellhead-$version-$machine-linux-musl
tar --extract --file "$dist/$name.tar.gz"
python3 "$root/tests/readme/extract.py" c > hello.c
python3 "$root/tests/readme/extract.py" cpp > hello.cpp
compile() { # cc|c++ ARGUMENTS...
    # The sanitizer that zig adds by itself needs a newer musl than this system may have.
    "$tools/bin/python" -m ziglang "$1" -target "$machine-linux-musl" -fno-sanitize=undefined "-I$name/include" "${@:2}"
}
compile cc -dynamic hello.c "-L$name/lib" -lwellhead -o hello
compile c++ -dynamic -std=c++17 hello.cpp "-L$name/lib" -lwellhead -o hello-cpp
# The unwinder of zig is a library of its own.
compile cc -static hello.c "$name/lib/libwellhead.a" -lunwind -o hello-static
for program in hello hello-cpp; do
    [[ $(file --brief "$program") == *"interpreter /lib/ld-musl-"* ]] || fail "$program is not for musl"
    LD_LIBRARY_PATH=$work/$name/lib ask "./$program"
done
ask ./hello-static
for needed in $(readelf -d "$name/lib/libwellhead.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'); do
    [[ $needed == libc.so ]] || fail "libwellhead.so for musl needs $needed"
done
"$root/tests/dist/paths.sh" "$name"
python3 "$root/tests/readmes.py" "$name/README.md" "$name"
python3 "$root/tests/sbom.py" "$name/share/doc/wellhead/wellhead-ffi.cdx.json" wellhead-ffi
echo "with musl, README's servers in C and C++ answer"

# ---- Python
if [ ! -x "$prefix/bin/python3" ]; then
    quietly sh "$root/bindings/python/sources.sh" 3.13 "$work/sources"
    cd "$work/sources"
    # Python asks the compiler for a name of the system, and gcc says that of glibc.
    printf '#!/bin/sh\n[ "$1" = --print-multiarch ] || exec musl-gcc "$@"\n' > "$work/cc"
    chmod +x "$work/cc"
    export PKG_CONFIG_LIBDIR=$work # the libraries of this system are for glibc
    quietly ./configure -q CC="$work/cc" --prefix="$prefix" --disable-test-modules --without-ensurepip
    quietly make -j"$(nproc)"
    # Moved at once: a build that was cut short leaves nothing that looks whole.
    quietly make install DESTDIR="$work/installed"
    rm -rf "$prefix"
    mkdir -p "$root/build"
    mv "$work/installed$prefix" "$prefix"
fi

cd "$work"
python3 -m zipfile --extract "$dist/wellhead-$version"-*-musllinux*_"$machine".whl package
python3 "$root/tests/readme/extract.py" python > hello.py
mkdir notes
printf 'Hello, world!' > notes/hello.md
export PYTHONPATH=$work/package
ask "$prefix/bin/python3" hello.py
ask --expect "{\"file://$work/notes/hello.md\": \"Hello, world!\"}" "$prefix/bin/python3" -m wellhead serve notes
echo "with musl, README's server and the command answer"
