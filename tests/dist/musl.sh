#!/usr/bin/env bash
# Asks README's smallest servers, which are built with the C archive for musl of `make dist`, with the official client. Then runs the wheel for musl
# in a Python for musl, and asks README's server and the command. Installs musl with apt if it may.
set -euo pipefail
source "$(dirname "$0")/../../packaging/environment.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CARGO_ENCODED_RUSTFLAGS

fail() { echo "$*" >&2; exit 1; }
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
needs=$(readelf -d "$name/lib/libwellhead.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
for needed in $needs; do
    [[ $needed == libc.so ]] || fail "libwellhead.so for musl needs $needed"
done
"$root/tests/dist/paths.sh" "$name"
python3 "$root/tests/readmes.py" "$name/README.md" "$name"
python3 "$root/tests/sbom.py" "$name/share/doc/wellhead/wellhead-ffi.cdx.json" wellhead-ffi
echo "with musl, README's servers in C and C++ answer"

# ---- Python
python=$("$root/tests/dist/musl_python.sh")/bin/python3
python3 -m zipfile --extract "$dist/wellhead-$version"-*-musllinux*_"$machine".whl package
python3 "$root/tests/readme/extract.py" python > hello.py
mkdir notes
printf 'Hello, world!' > notes/hello.md
export PYTHONPATH=$work/package
ask "$python" hello.py
ask --expect "{\"file://$work/notes/hello.md\": \"Hello, world!\"}" "$python" -m wellhead serve notes
echo "with musl, README's server and the command answer"
