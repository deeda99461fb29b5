# Sourced by the scripts of this folder and of tests/dist: the version, the folders, and what makes two builds of one commit
# equal in any folder.
# shellcheck shell=bash disable=SC2034
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -W 2> /dev/null || pwd) # Windows' bash has -W: the path as rustc knows it
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
dist=${DIST:-$root/dist}
tools=$root/build/dist-tools
export PATH=$tools/bin:$PATH
export LC_ALL=C # the order of files
umask 022

# The processor for which the C archive, the Debian package, the command and its bundle are made, and the names that Debian and Node have for it.
machine=${MACHINE:-$(uname -m)}
case $machine in
    x86_64) debian_machine=amd64 node_machine=x64 ;;
    aarch64 | arm64) machine=aarch64 debian_machine=arm64 node_machine=arm64 ;;
    *) echo "packaging makes packages for x86_64 and aarch64, and this machine is $machine" >&2 && exit 1 ;;
esac

# GNU's tools know one processor. Those for another one have its name in front.
if [ "$(uname)" = Linux ] && [ "$machine" != "$(uname -m)" ]; then
    export LD=$machine-linux-gnu-ld OBJCOPY=$machine-linux-gnu-objcopy AR=$machine-linux-gnu-ar STRIP=$machine-linux-gnu-strip
fi

# The time of what is packed: that of the commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

# No path of this machine goes into what is built. Where several fit, rustc takes the last.
flags=(
    "--remap-path-prefix=$root=/wellhead"
    "--remap-path-prefix=$CARGO_TARGET_DIR=/target"
    "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=/crates"
    "--remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=/rustc"
)
# Sets the flags for a target of rustc. With musl, a library that another program loads must not have a C library of its own. With MSVC it
# brings its C runtime, since Windows has none and Node brings none.
set_flags() { # [TARGET]
    local all=("${flags[@]}")
    [[ ${1-} != *-musl ]] || all+=(-Ctarget-feature=-crt-static)
    [[ ${1-} != *-windows-msvc ]] || all+=(-Ctarget-feature=+crt-static)
    CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${all[*]}")
    export CARGO_ENCODED_RUSTFLAGS MSYS2_ENV_CONV_EXCL=CARGO_ENCODED_RUSTFLAGS # Windows' bash would change the paths in it
}
set_flags

# The kinds of Linux that libraries for Python and Node are built for. zig links for all of them.
linux_targets=({x86_64,aarch64}-unknown-linux-{gnu,musl})

# Builds a library to be loaded by another program; with glibc, for version 2.17 or later. Only macOS and Windows link for themselves.
build_library() { # PACKAGE TARGET
    local build=build suffix=
    [[ $2 != *-linux-* ]] || build=zigbuild
    [[ $2 != *-linux-gnu ]] || suffix=.2.17
    (set_flags "$2" && cargo "$build" --locked --quiet --profile dist --package "$1" --target "$2$suffix")
}

# Writes the bill of materials of what is built of CRATE, as FOLDER/CRATE.cdx.json. Fails unless Rust is the recorded one.
sbom() { # CRATE TARGET FOLDER [FEATURES]
    "${PYTHON:-python3}" packaging/runtimes.py
    "${PYTHON:-python3}" packaging/sbom.py "$1" "$2" "$3/$1.cdx.json" "${4-}"
}

# Packs FOLDER's entry NAME as dist/NAME.tar.gz, with equal bytes for equal files.
pack() { # FOLDER NAME
    mkdir -p "$dist"
    tar --create --directory "$1" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" "$2" |
        gzip --no-name --best > "$dist/$2.tar.gz"
    echo "dist/$2.tar.gz"
}

# Packs FOLDER's entry NAME as dist/NAME.zip, with equal bytes for equal files.
pack_zip() { # FOLDER NAME
    mkdir -p "$dist"
    python3 packaging/zip.py "$1" "$2" "$dist/$2.zip"
    echo "dist/$2.zip"
}

# Packs a folder as an npm package in dist. npm gives all files one time of its own.
npm_pack() { # FOLDER
    mkdir -p "$dist"
    (cd "$1" && echo "dist/$(npm pack --silent --pack-destination "$dist")")
}
