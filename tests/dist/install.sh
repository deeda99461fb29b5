#!/usr/bin/env bash
# `make install` without HTTP, folders and schemas, into folders as a distribution chooses them: what is there, what says that something
# is not there, and that `make uninstall` leaves nothing.
set -euo pipefail
source "$(dirname "$0")/../../packaging/environment.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CARGO_ENCODED_RUSTFLAGS CMAKE_PREFIX_PATH LD_LIBRARY_PATH
variables=(FEATURES= DESTDIR="$work/small" PREFIX=/usr LIBDIR="/usr/lib/$machine-linux-gnu" INCLUDEDIR=/usr/include/wellhead)
libraries=$work/small/usr/lib/$machine-linux-gnu

fail() { echo "$*" >&2; exit 1; }

make install-library "${variables[@]}" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
cd "$work"
bytes=$(stat --dereference --format=%s "$libraries/libwellhead.so")
echo "libwellhead.so without HTTP, folders and schemas has $bytes bytes"
[ "$bytes" -lt 2500000 ] || fail "it may have 2.5 MB"

export PKG_CONFIG_LIBDIR=$libraries/pkgconfig
read -ra flags <<< "$(pkg-config --cflags --libs wellhead)"
for language in c cpp; do
    python3 "$root/tests/readme/extract.py" "$language" > "hello.$language"
done
cc -std=c99 -Wall -Wextra -Werror hello.c "${flags[@]}" -o hello-c
c++ -std=c++17 -Wall -Wextra -Werror hello.cpp "${flags[@]}" -o hello-cpp
for program in hello-c hello-cpp; do
    LD_LIBRARY_PATH=$libraries "$tools/bin/python" "$root/tests/dist/ask.py" "./$program"
done

refused() { # PART COMMAND...: it fails, and says PART
    local part=$1
    shift
    if "$@" > log 2>&1 || ! grep --quiet --fixed-strings "$part" log; then
        cat log >&2
        fail "$* does not fail with \"$part\""
    fi
}
echo 'int main(void) { return wellhead_server_add_directory(0, 0, 0); }' | cat <(echo '#include <wellhead.h>') - > folder.c
echo '#include <wellhead_http.h>' > http.c
refused "undefined reference to \`wellhead_server_add_directory'" cc folder.c "${flags[@]}" -o folder
refused "wellhead_http.h: No such file" cc -c http.c "${flags[@]}" -o http.o
mkdir cmake
printf 'cmake_minimum_required(VERSION 3.13)\nproject(hello C)\nfind_package(wellhead REQUIRED COMPONENTS http)\n' > cmake/CMakeLists.txt
refused "installed without http" cmake -S cmake -B built -Dwellhead_DIR="$libraries/cmake/wellhead"
[ -z "$(pkg-config --variable=features wellhead)" ] || fail "wellhead.pc names features"

make -C "$root" uninstall "${variables[@]}" > log
left=$(find small ! -type d)
[ -z "$left" ] || fail "make uninstall leaves $left"
echo "a small library installs, links, says what it lacks, and uninstalls"
