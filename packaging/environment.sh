# Sourced by the scripts of this folder and of tests/dist: the version, the folders, and what makes two builds of one commit
# equal in any folder.
# shellcheck shell=bash disable=SC2034
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
dist=${DIST:-$root/dist}
tools=$root/build/dist-tools
export PATH=$tools/bin:$PATH
umask 022

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
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${flags[*]}")
export CARGO_ENCODED_RUSTFLAGS

# Packs FOLDER's entry NAME as dist/NAME.tar.gz, with equal bytes for equal files.
pack() { # FOLDER NAME
    mkdir -p "$dist"
    tar --create --directory "$1" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" "$2" |
        gzip --no-name --best > "$dist/$2.tar.gz"
    echo "dist/$2.tar.gz"
}
