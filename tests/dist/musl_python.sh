#!/usr/bin/env bash
# Builds a Python for musl from Debian's sources and prints its folder: no registry has such a Python. Builds it once, in build, in 3 to 5 minutes
# with musl-gcc. For another processor ($MACHINE) zig compiles it, and the build runs the Python for this one. Installs musl with apt if it may.
set -euo pipefail
source "$(dirname "$0")/../../packaging/environment.sh"
prefix=$root/build/musl-python-$machine
[ ! -x "$prefix/bin/python3" ] || { echo "$prefix"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "$*" >&2; exit 1; }
quietly() { "$@" > "$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; fail "$* fails"; }; }

options=(-q --prefix="$prefix" --disable-test-modules --without-ensurepip)
if [ "$machine" = "$(uname -m)" ]; then
    install="apt-get install -y -q -o DPkg::Lock::Timeout=300 musl musl-dev musl-tools"
    type -P musl-gcc > /dev/null || $install > /dev/null || { apt-get update -q && $install; } > /dev/null || fail "missing: run $install"
    # Python asks the compiler for a name of the system, and gcc says that of glibc.
    printf '#!/bin/sh\n[ "$1" = --print-multiarch ] || exec musl-gcc "$@"\n' > "$work/cc"
else
    # The two must be of one release. The tools that environment.sh names for the other processor are not for this build.
    builder=$(env -u LD -u OBJCOPY -u AR -u STRIP MACHINE="$(uname -m)" "$0")/bin/python3
    unset LD OBJCOPY STRIP
    zig="$tools/bin/python -m ziglang"
    # zig refuses __DATE__, which Python prints.
    printf '#!/bin/sh\n[ "$1" = --print-multiarch ] || exec %s cc -target %s-linux-musl -dynamic -Wno-error=date-time "$@"\n' "$zig" "$machine" > "$work/cc"
    # The last three are what configure cannot find out, as it runs nothing for the other processor.
    options+=(--build="$(uname -m)-linux-gnu" --host="$machine-linux-musl" --with-build-python="$builder" AR="$zig ar" READELF=readelf
        ac_cv_file__dev_ptmx=yes ac_cv_file__dev_ptc=no ac_cv_buggy_getaddrinfo=no)
fi
chmod +x "$work/cc"

quietly sh "$root/bindings/python/sources.sh" 3.13 "$work/sources"
cd "$work/sources"
export PKG_CONFIG_LIBDIR=$work # the libraries of this system are for glibc
unset CARGO_ENCODED_RUSTFLAGS
quietly ./configure CC="$work/cc" "${options[@]}"
quietly make -j"$(nproc)"
# Moved at once: a build that was cut short leaves nothing that looks whole.
quietly make install DESTDIR="$work/installed"
rm -rf "$prefix"
mkdir -p "$root/build"
mv "$work/installed$prefix" "$prefix"
echo "$prefix"
