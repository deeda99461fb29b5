#!/usr/bin/env bash
# Checks the files that `make install-library` writes, and that `make uninstall` removes these only. The library has nothing in it: no build is needed.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "$*" >&2; exit 1; }
run() { make --silent "$@" BUILT="$work" CARGO_BUILD=true DESTDIR="$work/to" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "make $* fails"; }; }
cc -c -x c - -o "$work/all.o" < /dev/null
ar rcs "$work/libwellhead.a" "$work/all.o"
touch "$work/libwellhead.so"

# As root with a umask of its own: others can read all that is installed.
(umask 077 && run install-library PREFIX=/usr)
closed=$(find "$work/to" -mindepth 1 ! -type l ! -perm -o=r)
[ -z "$closed" ] || fail "with the umask 077 others cannot read $closed"
run uninstall PREFIX=/usr

# A library with less in place of one with all. One part brings another.
run install-library PREFIX=/usr
run install-library PREFIX=/usr FEATURES=skills
for file in pkgconfig/wellhead.pc cmake/wellhead/wellhead-config.cmake; do
    grep --quiet 'features.*directory skills' "$work/to/usr/lib/$file" || fail "$file does not say that the library has folders"
done
headers=$(cd "$work/to/usr/include" && echo *)
[ "$headers" = "wellhead.h wellhead.hpp" ] || fail "without HTTP there are $headers"
run uninstall PREFIX=/usr FEATURES=skills

# A system and a folder that the user has set for cargo: what is installed is what is built.
host=$(rustc --version --verbose | sed -n 's/^host: //p')
env --unset=CARGO_TARGET_DIR CARGO_BUILD_TARGET=other CARGO_BUILD_TARGET_DIR=other make --dry-run install PREFIX="$work/new" > "$work/log"
for part in "cargo build .*--target $host --target-dir target .*-p wellhead-ffi" "cargo build .*--target $host --target-dir target .*-p wellhead " \
    "archive.sh target/$host/dist/libwellhead.a" "install .* target/$host/dist/libwellhead.so" "install .* target/$host/dist/wellhead "; do
    grep --quiet "^[a-z/]*$part" "$work/log" || { cat "$work/log" >&2; fail "make install does not do $part"; }
done

# Documents of another package in the same folder.
mkdir -p "$work/to/usr/share/doc/other"
touch "$work/to/usr/share/doc/other/README"
variables=(PREFIX=/usr DOCDIR=/usr/share/doc)
run install-library "${variables[@]}"
[ -f "$work/to/usr/share/doc/LICENSE-MIT" ] || fail "DOCDIR has no effect"
run uninstall "${variables[@]}"
run uninstall "${variables[@]}" # nothing is left to remove
left=$(cd "$work/to" && find . ! -type d)
[ "$left" = ./usr/share/doc/other/README ] || fail "make uninstall leaves $left"
[ ! -e "$work/to/usr/lib/cmake/wellhead" ] || fail "make uninstall leaves the folder of the files for CMake"

for name in PREFIX BINDIR LIBDIR INCLUDEDIR DOCDIR DESTDIR; do
    for target in install install-library uninstall; do
        if make "$target" BUILT="$work" CARGO_BUILD=true PREFIX="$work/new" "$name=$work/a folder" > "$work/log" 2>&1 ||
            ! grep --quiet "$name must have no space" "$work/log"; then
            cat "$work/log" >&2
            fail "make $target does not refuse a space in $name"
        fi
    done
done
echo "make install writes what FEATURES says, for all users; make uninstall removes it only; folders with spaces are refused"
