#!/usr/bin/env bash
# Installs what the scripts of this folder and of tests/dist need, as pinned here: zig as a linker for old versions of glibc,
# Meson, uv, and the official client. With apt it installs GNU's tools for each MACHINE, unless that is this machine. Quick when they are there
# already.
#   tools.sh [MACHINE|windows]...    the processors for which c.sh and command.sh shall make packages, besides this one, and Windows
set -euo pipefail
cd "$(dirname "$0")/.."
pins="cargo-zigbuild==0.24.0 ziglang==0.17.1 maturin==1.16.0 twine==7.0.0 auditwheel==6.8.2 meson==1.12.1 ninja==1.13.2 uv==0.13.9"
tools=build/dist-tools

# The copy of the pins is made last: an installation that was cut short starts again.
if ! cmp -s <(echo "$pins") "$tools/pins"; then
    "${PYTHON:-python3}" -m venv --clear "$tools"
    # shellcheck disable=SC2086
    "$tools/bin/pip" install --quiet --disable-pip-version-check $pins
    "$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement tests/clients/python/requirements-2.txt
    echo "$pins" > "$tools/pins"
fi
rustup --quiet target add {x86_64,aarch64}-unknown-linux-{gnu,musl}

commands=(cmake dpkg-deb file pkg-config) packages="cmake dpkg file pkg-config"
for machine in "$@"; do
    [ "$machine" != "$(uname -m)" ] || continue
    if [ "$machine" = windows ]; then
        rustup --quiet target add x86_64-pc-windows-gnu
        commands+=(x86_64-w64-mingw32-strip) packages+=" binutils-mingw-w64-x86-64"
        continue
    fi
    commands+=("$machine-linux-gnu-ld") packages+=" binutils-${machine/_/-}-linux-gnu"
done
install="apt-get install -y -q -o DPkg::Lock::Timeout=300 $packages"
for command in "${commands[@]}"; do
    command -v "$command" > /dev/null && continue
    $install > /dev/null || { apt-get update -q && $install; } > /dev/null || { echo "missing: run $install" >&2; exit 1; }
done
