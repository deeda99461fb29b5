#!/usr/bin/env bash
# Unpacks the C archive and the command for Windows of `make dist`, builds README's smallest servers with MinGW and asks them and the command under
# Wine. Looks into what is shipped: DLLs that it needs, functions, sizes, paths. Installs MinGW and Wine with apt if it may.
set -euo pipefail
export MACHINE=x86_64
source "$(dirname "$0")/../../packaging/environment.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=libwellhead-$version-$machine-windows
command=wellhead-$version-$machine-windows
tool=$machine-w64-mingw32

fail() { echo "$*" >&2; exit 1; }
quiet() { "$@" > log 2>&1 || { cat log >&2; return 1; }; }
ask() { "$tools/bin/python" "$root/tests/dist/ask.py" "$@"; }

source "$root/tests/windows/wine.sh"
cd "$work"
for archive in "$name" "$command"; do
    python3 -m zipfile --extract "$dist/$archive.zip" .
done
prefix=$PWD/$name

# ---- what is shipped
declared=$(grep -h '^WELLHEAD_API' "$name"/include/*.h | grep -oE '\bwellhead_[a-z0-9_]+\(' | tr -d '(' | sort -u)
diff <(echo "$declared") <("$tool-objdump" -p "$name/bin/wellhead.dll" | sed -n '/Name Pointer/,$s/.*[] ]\(wellhead_[a-z0-9_]*\)$/\1/p' | sort -u) ||
    fail "wellhead.dll has other functions than the headers"
for file in "$name/bin/wellhead.dll" "$command/wellhead.exe"; do
    needs=$("$tool-objdump" -p "$file" | sed -n 's/.*DLL Name: //p' | tr '[:upper:]' '[:lower:]')
    for needed in $needs; do
        # Those of Windows 10, with its C library.
        [[ $needed =~ ^(advapi32|bcrypt|bcryptprimitives|combase|kernel32|msvcrt|ntdll|ole32|oleaut32|shell32|user32|userenv|ws2_32|api-ms-win-[a-z0-9-]+)\.dll$ ]] ||
            fail "$file needs $needed"
    done
    echo "     ${file##*/}: $(stat --format=%s "$file") bytes"
done
"$root/tests/dist/paths.sh" .
for folder in "$name/share/doc/wellhead" "$command"; do
    for file in LICENSE-APACHE LICENSE-MIT THIRD-PARTY-NOTICES; do
        cmp "$root/$file" "$folder/$file"
    done
done
python3 "$root/tests/sbom.py" "$name/share/doc/wellhead/wellhead-ffi.cdx.json" wellhead-ffi
python3 "$root/tests/sbom.py" "$command/wellhead.cdx.json" wellhead
for folder in "$name" "$command"; do
    python3 "$root/tests/readmes.py" "$folder/README.md" "$folder"
done
echo "ok   what is shipped"

# ---- programs: by the commands of the archive's README, with each import library, with the static library, and by CMake
python3 "$root/tests/readme/extract.py" c > hello.c
python3 "$root/tests/readme/extract.py" cpp > hello.cpp
(
    cd "$name"
    python3 "$root/tests/readme/extract.py" sh 2 README.md | sed "s|$tool-gcc|$CC|; s|$tool-g++|$CXX|" > ../commands.sh
    cp ../hello.c ../hello.cpp .
    bash -eu ../commands.sh
    cp bin/wellhead.dll .
)
for program in hello hello-cpp; do
    ask "$WINE" "$name/$program.exe"
done
answers() { # PROGRAM
    cp "$prefix/bin/wellhead.dll" "$(dirname "$1")"
    ask "$WINE" "$1"
}
strict="-Wall -Wextra -Wpedantic -Werror"
# shellcheck disable=SC2086
"$CC" -std=c99 $strict hello.c "-I$prefix/include" "-L$prefix/lib" -lwellhead -o hello.exe
answers hello.exe
# shellcheck disable=SC2086
"$CC" -std=c99 $strict hello.c "-I$prefix/include" "$prefix/lib/wellhead.lib" -o hello-lib.exe
answers hello-lib.exe
# shellcheck disable=SC2086
"$CXX" -std=c++17 $strict hello.cpp "-I$prefix/include" "$prefix/lib/libwellhead.dll.a" -static -o hello-cpp.exe
answers hello-cpp.exe
cat > CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(hello C)
find_package(wellhead REQUIRED COMPONENTS http directory)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE wellhead::wellhead)
add_executable(hello-static hello.c)
target_link_libraries(hello-static PRIVATE wellhead::static)
END
quiet cmake -B built -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_SYSTEM_NAME=Windows "-DCMAKE_C_COMPILER=$CC" -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=BOTH
quiet cmake --build built
answers built/hello.exe
rm built/wellhead.dll
ask "$WINE" built/hello-static.exe
echo "ok   C and C++"

# ---- the command
mkdir notes
printf 'Hello, world!' > notes/hello.md
ask --expect "{\"file:///Z:$PWD/notes/hello.md\": \"Hello, world!\"}" "$WINE" "$command/wellhead.exe" serve notes
# As the README of the command says: no shell of Windows takes the quotes of a pattern off, or expands it.
mkdir notes/drafts
touch notes/hello.txt notes/drafts/draft.md
ask --expect "{\"file:///Z:$PWD/notes/hello.md\": \"Hello, world!\"}" "$WINE" "$command/wellhead.exe" serve --include '*.md' --exclude drafts/ notes
echo "ok   the command"
