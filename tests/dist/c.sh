#!/usr/bin/env bash
# Installs the C archive, the Debian package and the command of `make dist` into empty folders, builds README's smallest servers against
# them as users do, and asks each with the official client. Looks into what is shipped: symbols, versions of glibc, paths, sizes.
#   c.sh [NAME]...       the names of the functions between the two lines
set -euo pipefail
source "$(dirname "$0")/../../packaging/environment.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR CMAKE_PREFIX_PATH LD_LIBRARY_PATH CPATH LIBRARY_PATH
name=libwellhead-$version-$machine-linux-gnu
command=wellhead-$version-$machine-linux
c="cc -std=c99 -Wall -Wextra -Wpedantic -Werror"
cxx="c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror"

fail() { echo "$*" >&2; exit 1; }
block() { python3 "$root/tests/readme/extract.py" "$@"; }
ask() { "$tools/bin/python" "$root/tests/dist/ask.py" "$@"; }
unpack() { tar --extract --file "$dist/$1.tar.gz"; }

# Runs a command, and shows what it wrote only if it failed.
quiet() { "$@" > log 2>&1 || { cat log >&2; return 1; }; }

# Unpacks the archive, and writes README's programs next to it.
archive() {
    unpack "$name"
    block c > hello.c
    block cpp > hello.cpp
    prefix=$PWD/$name
}

# ---- what is tried, each in an empty folder

sums() {
    cd "$dist"
    sha256sum --check --strict --quiet SHA256SUMS
    diff <(find . -type f ! -name SHA256SUMS -printf '%P\n' | sort) <(sed 's/^[0-9a-f]* [ *]//' SHA256SUMS | sort)
}

plain() {
    archive
    $c hello.c -I"$name/include" -L"$name/lib" -lwellhead -o hello
    LD_LIBRARY_PATH=$prefix/lib ask ./hello
}

# The commands of the archive's README, each in its folder. Programs end at once, since their input has ended.
readme() {
    archive
    cd "$name"
    block c README.md > hello.c
    block cpp README.md > hello.cpp
    block cmake README.md > CMakeLists.txt
    for number in 1 2 3 4; do
        block sh "$number" README.md
    done > commands.sh
    quiet bash -eu commands.sh < /dev/null
    ask ./hello
    LD_LIBRARY_PATH=lib ask ./hello-cpp
    ask build/hello
    if block sh 5 README.md 2> log; then
        fail "README.md of the archive has more commands"
    fi
}

pkgconfig() {
    archive
    export PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
    read -ra flags <<< "$(pkg-config --cflags --libs wellhead)"
    $c hello.c "${flags[@]}" -o hello
    LD_LIBRARY_PATH=$prefix/lib ask ./hello
    $cxx hello.cpp "${flags[@]}" -o hello-cpp
    LD_LIBRARY_PATH=$prefix/lib ask ./hello-cpp
    read -ra flags <<< "$(pkg-config --static --cflags --libs wellhead)"
    # The C library warns that its getaddrinfo needs its shared libraries.
    quiet cc -static hello.c "${flags[@]}" -o hello-static
    ask ./hello-static
    [[ $(file --brief hello-static) == *"statically linked"* ]] || fail "hello-static is not static"
}

cmake_packages() {
    archive
    cat > CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(hello C CXX)
find_package(wellhead REQUIRED COMPONENTS http directory)
# A target that has the name of a system library, but no part in these programs.
add_library(util INTERFACE)
target_link_libraries(util INTERFACE no_such_library)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE wellhead::wellhead)
add_executable(hello-static hello.c)
target_link_libraries(hello-static PRIVATE wellhead::static)
add_executable(hello-cpp hello.cpp)
target_compile_features(hello-cpp PRIVATE cxx_std_17)
target_link_libraries(hello-cpp PRIVATE wellhead::wellhead)
END
    quiet cmake -B built -DCMAKE_PREFIX_PATH="$prefix"
    quiet cmake --build built
    for program in hello hello-static hello-cpp; do
        ask "built/$program"
    done
    [[ $(readelf -d built/hello) == *"libwellhead.so"* ]] || fail "wellhead::wellhead is not the shared library"
    [[ $(readelf -d built/hello-static) != *"libwellhead.so"* ]] || fail "wellhead::static is not the static library"

    refused() { # WORDS PART: find_package does not take it, and says PART
        printf 'cmake_minimum_required(VERSION 3.13)\nproject(hello C)\nfind_package(wellhead %s)\n' "$1 REQUIRED $2" > CMakeLists.txt
        if cmake -B refused -DCMAKE_PREFIX_PATH="$prefix" > log 2>&1 || ! grep --quiet "$3" log; then
            cat log >&2
            fail "find_package(wellhead $1 $2) does not fail with \"$3\""
        fi
    }
    refused 0.0 "" "not accepted"
    refused 1.0 "" "not accepted"
    refused "" "COMPONENTS bells" "installed without bells"
}

meson_packages() {
    archive
    cat > meson.build <<'END'
project('hello', 'c', 'cpp', default_options: ['c_std=c99', 'cpp_std=c++17', 'warning_level=3', 'werror=true'])
executable('hello', 'hello.c', dependencies: dependency('wellhead'))
executable('hello-static', 'hello.c', dependencies: dependency('wellhead', static: true))
executable('hello-cpp', 'hello.cpp', dependencies: dependency('wellhead'))
END
    quiet meson setup built --pkg-config-path "$prefix/lib/pkgconfig"
    quiet meson compile -C built
    for program in hello hello-static hello-cpp; do
        ask "built/$program"
    done
    [[ $(readelf -d built/hello-static) != *"libwellhead.so"* ]] || fail "Meson took the shared library in place of the static one"
}

# A shared object with the static library in it exports nothing of Rust, and works in a program that has a library of Rust already.
plugin() {
    archive
    {
        echo '#define main plugin_main'
        cat hello.c
    } > plugin.c
    cc -shared -fPIC plugin.c -I"$name/include" "$name/lib/libwellhead.a" -lutil -lrt -lpthread -lm -ldl -o plugin.so
    nm -D --defined-only plugin.so | awk '$3 !~ /^(wellhead_[a-z0-9_]+|plugin_main)$/ { print $3 }' > foreign
    [ ! -s foreign ] || fail "plugin.so exports $(head -3 foreign | xargs)"
    ask "$(command -v python3)" -c 'import ctypes; ctypes.CDLL("./plugin.so").plugin_main()'
}

# The exported functions are those of the headers, and what the library needs is in glibc 2.17.
symbols() {
    archive
    declared=$(grep -h '^WELLHEAD_API' "$name"/include/*.h | grep -oE '\bwellhead_[a-z0-9_]+\(' | tr -d '(' | sort -u)
    for library in "-D $name/lib/libwellhead.so" "-g $name/lib/libwellhead.a"; do
        read -ra words <<< "$library"
        diff <(echo "$declared") <(nm --defined-only "${words[@]}" | awk 'NF == 3 {print $3}' | sort -u) || fail "${words[1]} has other symbols than the headers"
    done
    sections=$(readelf --sections "$name/lib/libwellhead.so")
    [[ $sections != *.symtab* ]] || fail "libwellhead.so is not stripped"
    needs=$(readelf -d "$name/lib/libwellhead.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
    for needed in $needs; do
        [[ $needed =~ ^(ld-linux-[a-z0-9-]+|lib(c|dl|m|pthread|rt|util))\.so\. ]] || fail "libwellhead.so needs $needed"
    done
    newest=$(objdump -T "$name/lib/libwellhead.so" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1)
    [ "$(printf '%s\nGLIBC_2.17\n' "$newest" | sort -V | tail -1)" = GLIBC_2.17 ] || fail "libwellhead.so needs $newest"
}

sizes() {
    archive
    unpack "$command"
    under() { # BYTES FILE
        bytes=$(stat --dereference --format=%s "$2")
        echo "     ${2##*/}: $bytes bytes"
        [ "$bytes" -lt "$1" ] || fail "$2 has $bytes bytes, and may have $1"
    }
    under 9000000 "$name/lib/libwellhead.so" # CONTRIBUTING.md says why not less
    under 7000000 "$command/wellhead"
}

# Nothing that is shipped names a folder of the machine that built it.
paths() {
    archive
    unpack "$command"
    "$root/tests/dist/paths.sh" .
}

licences() {
    archive
    unpack "$command"
    for folder in "$name/share/doc/wellhead" "$command"; do
        for file in LICENSE-APACHE LICENSE-MIT THIRD-PARTY-NOTICES; do
            cmp "$root/$file" "$folder/$file"
        done
    done
}

materials() {
    archive
    unpack "$command"
    dpkg-deb --extract "$dist/wellhead_${version}_$debian_machine.deb" system
    for folder in "$name/share/doc/wellhead" system/usr/share/doc/wellhead; do
        python3 "$root/tests/sbom.py" "$folder/wellhead-ffi.cdx.json" wellhead-ffi
    done
    for folder in "$command" system/usr/share/doc/wellhead; do
        python3 "$root/tests/sbom.py" "$folder/wellhead.cdx.json" wellhead
    done
}

# The README of each package names files that are in it.
readmes() {
    archive
    unpack "$command"
    dpkg-deb --extract "$dist/wellhead_${version}_$debian_machine.deb" system
    python3 -m zipfile --extract "$dist/wellhead-$version-$machine-linux.mcpb" bundle
    for folder in "$name" "$command" bundle system/usr/share/doc/wellhead; do
        python3 "$root/tests/readmes.py" "$folder/README.md" "$folder"
    done
}

# The command needs no file of the system but /dev/null, to which stdio leads stray prints: it runs where there is nothing else.
static_command() {
    unpack "$command"
    mkdir -p jail/notes jail/dev
    touch jail/dev/null # only root may make the device
    mv "$command/wellhead" jail
    echo "one" > jail/notes/one.txt
    enter=(chroot)
    [ "$(id -u)" -eq 0 ] || enter=(unshare --map-root-user chroot)
    ask --expect '{"file:///notes/one.txt": "one\n"}' "${enter[@]}" "$PWD/jail" /wellhead serve /notes
}

bundle() {
    mkdir one two
    echo "one" > one/one.txt
    echo "two" > two/two.txt
    words=$(python3 "$root/tests/dist/bundle.py" "$dist/wellhead-$version-$machine-linux.mcpb" "$dist/server.json" "$PWD/unpacked" "$PWD/one" "$PWD/two")
    mapfile -t words <<< "$words"
    ask --expect "{\"file://$PWD/one/one.txt\": \"one\n\", \"file://$PWD/two/two.txt\": \"two\n\"}" "${words[@]}"
}

deb() {
    archive
    file=$dist/wellhead_${version}_$debian_machine.deb
    mkdir -p system/var/lib/dpkg/{info,updates}
    touch system/var/lib/dpkg/{status,available}
    # What it depends on is not in the empty system, and programs that triggers run are not, either.
    quiet dpkg --root="$PWD/system" --force-depends --force-not-root --no-triggers --unpack "$file"
    (cd system && md5sum --check --quiet var/lib/dpkg/info/wellhead.md5sums)
    echo "one" > one.txt
    ask --expect "{\"file://$PWD/one.txt\": \"one\n\"}" system/usr/bin/wellhead serve --include one.txt .
    export PKG_CONFIG_LIBDIR=$PWD/system/usr/lib/$machine-linux-gnu/pkgconfig
    read -ra flags <<< "$(pkg-config --cflags --libs wellhead)"
    $c hello.c "${flags[@]}" -o hello
    LD_LIBRARY_PATH=$PWD/system/usr/lib/$machine-linux-gnu ask ./hello
    # For dpkg-shlibdeps, which other packages are made with.
    soname=$(readelf --dynamic hello | sed -n 's/.*(NEEDED).*\[libwellhead\.so\.\(.*\)\]/\1/p')
    form="^libwellhead $soname wellhead \(>= $version\), wellhead \(<< ([0-9.]*[0-9])\)$"
    [[ $(< system/var/lib/dpkg/info/wellhead.shlibs) =~ $form ]] || fail "shlibs of the Debian package does not name libwellhead $soname"
    dpkg --compare-versions "$version" lt "${BASH_REMATCH[1]}" || fail "shlibs of the Debian package excludes its own version"
    [ -s system/usr/share/doc/wellhead/copyright ] || fail "the Debian package has no copyright file"
}

# ---- end

mapfile -t all < <(sed -n '/^# ---- what/,/^# ---- end/s/^\([a-z_]*\)() {$/\1/p' "$root/tests/dist/c.sh")
failed=0
for one in "${@:-${all[@]}}"; do
    mkdir "$work/$one"
    # A function in `if` would go on after an error: so the shell stands by itself.
    set +e
    (set -e; cd "$work/$one"; "$one")
    status=$?
    set -e
    if [ "$status" -eq 0 ]; then
        echo "ok   $one"
    else
        echo "FAIL $one"
        failed=1
    fi
done
exit "$failed"
