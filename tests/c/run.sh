#!/usr/bin/env bash
# Builds the tests in C and C++ against the library and runs them: the headers by themselves, the exported symbols, the
# examples, the own tests of each language, and the vectors. With --asan the library and the tests are built with AddressSanitizer
# and UndefinedBehaviorSanitizer. With --tsan C's own tests and the example on libuv are built with ThreadSanitizer, and use the
# shared library. With --valgrind the own tests and the vectors run under memcheck, with the library as `make install` builds and
# installs it. The examples do not: the other modes run them.
set -euo pipefail
cd "$(dirname "$0")/../.."

STRICT="-Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow"
C="gcc -std=c99 -g $STRICT -Wstrict-prototypes -Iinclude"
CXX="g++ -std=c++17 -g $STRICT -Wold-style-cast -Iinclude"
LIBS=$(make --silent --no-print-directory native-libs)
TARGET=${CARGO_TARGET_DIR:-target}

tests/c/install.sh

if [ "${1:-}" = --asan ]; then
    MACHINE=$(rustc -vV | sed -n 's/^host: //p')
    # The toolchain has the sanitizer's runtime, but calls the switch unstable. --target spares build scripts.
    RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=$TARGET/asan \
        cargo build -q -p wellhead-ffi --target "$MACHINE"
    LIBRARY=$TARGET/asan/$MACHINE/debug
    OUT=$TARGET/asan/c
    SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
    C="$C $SANITIZE"
    CXX="$CXX $SANITIZE"
elif [ "${1:-}" = --valgrind ]; then
    cargo build -q --profile dist -p wellhead-ffi
    LIBRARY=$TARGET/dist
    OUT=$TARGET/tests-c-valgrind
else
    cargo build -q -p wellhead-ffi
    LIBRARY=$TARGET/debug
    OUT=$TARGET/tests-c # apart from what is built to be driven by clients, perhaps at the same time
fi
mkdir -p "$OUT"
ARCHIVE=$LIBRARY/libwellhead.a

build() { # COMPILER NAME FILES...
    local compiler=$1 name=$2
    shift 2
    # shellcheck disable=SC2086
    $compiler "$@" -o "$OUT/$name" "$ARCHIVE" -ljansson -lmicrohttpd -luv $LIBS
}

if [ "${1:-}" = --tsan ]; then
    OUT=$TARGET/tests-c-tsan
    mkdir -p "$OUT"
    soname=$(readelf -d "$LIBRARY/libwellhead.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    ln -sf "$(realpath "$LIBRARY/libwellhead.so")" "$OUT/$soname"
    # Locks are seen wherever they are taken; memory is watched where the compiler was told to, in the tests.
    # A test forks and serves in its child, and a thread of an earlier test may not yet have ended by then.
    export TSAN_OPTIONS="ignore_noninstrumented_modules=1 die_after_fork=0"
    for one in "abi tests/c/abi/*.c tests/c/deadline.c" "uv ffi/examples/uv.c"; do
        # shellcheck disable=SC2086
        $C -fsanitize=thread ${one#* } -o "$OUT/${one%% *}" "-L$OUT" "-l:$soname" "-Wl,-rpath,$(realpath "$OUT")" -luv -lpthread
    done
    "$OUT/abi"
    python3 tests/c/uv.py "$OUT/uv"
    exit
fi

# The headers alone, and twice.
for once in '#include <wellhead.h>' '#include <wellhead.h>
#include <wellhead.h>
wellhead_str s = WELLHEAD_STR("s");
static const wellhead_str t = WELLHEAD_STR_INIT("t");
static const wellhead_pair u[] = {{WELLHEAD_STR_INIT("name"), WELLHEAD_STR_INIT("value")}};
const void *used[] = {&t, u};
wellhead_limits l = WELLHEAD_LIMITS_INIT;
wellhead_server_options o = WELLHEAD_SERVER_OPTIONS_INIT;
wellhead_resource r = WELLHEAD_RESOURCE_INIT;
wellhead_provider p = WELLHEAD_PROVIDER_INIT;
wellhead_contents c = WELLHEAD_CONTENTS_INIT;
wellhead_stdio_options i = WELLHEAD_STDIO_OPTIONS_INIT;
wellhead_connection_options n = WELLHEAD_CONNECTION_OPTIONS_INIT;
wellhead_directory d = WELLHEAD_DIRECTORY_INIT;
wellhead_method_options m = WELLHEAD_METHOD_OPTIONS_INIT;
wellhead_tool_limits k = WELLHEAD_TOOL_LIMITS_INIT;
wellhead_cache h = WELLHEAD_CACHE_INIT;
wellhead_counters q = WELLHEAD_COUNTERS_INIT;'; do
    $CXX -x c++ -fsyntax-only - <<<"$once"
    $C -x c -fsyntax-only - <<<"${once/wellhead_str s = WELLHEAD_STR(\"s\");/}"
done
http='#include <wellhead_http.h>
#include <wellhead_http.h>
wellhead_endpoint_options e = WELLHEAD_ENDPOINT_OPTIONS_INIT;
wellhead_http_options h = WELLHEAD_HTTP_OPTIONS_INIT;
wellhead_http_request r = WELLHEAD_HTTP_REQUEST_INIT;
wellhead_protection p = WELLHEAD_PROTECTION_INIT;
wellhead_grant g = WELLHEAD_GRANT_INIT;'
$CXX -x c++ -fsyntax-only - <<<"$http"
$C -x c -fsyntax-only - <<<"$http"
$CXX -x c++ -fsyntax-only - <<<'#include <wellhead.hpp>
#include <wellhead.hpp>'
$CXX -x c++ -fsyntax-only - <<<'#include <wellhead_http.hpp>
#include <wellhead_http.hpp>'
for static in '' -DWELLHEAD_STATIC; do
    # shellcheck disable=SC2086 # it is one option or none
    expanded=$($C -D_WIN32 $static -x c -E - <<<'#include <wellhead_http.h>')
    imported=no
    [[ $expanded != *dllimport* ]] || imported=yes
    if [[ -n $static && $imported = yes || -z $static && $imported = no ]]; then
        echo "WELLHEAD_STATIC does not turn dllimport off, or nothing turns it on" >&2
        exit 1
    fi
done
echo "the headers compile by themselves and twice, as C99 and as C++17"
tests/c/ready.sh
tests/c/installed.sh

# Constants in the oldest languages that the C headers know.
constants='#include <wellhead_http.h>
static const wellhead_str name = WELLHEAD_STR_INIT("name");
static const wellhead_pair pairs[] = {{WELLHEAD_STR_INIT("name"), WELLHEAD_STR_INIT("value")}};
static const wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
const void *used[] = {&name, pairs, &resource};'
for language in "c -std=c89" "c -std=c99" "c -std=c17" "c++ -std=c++98" "c++ -std=c++17"; do
    # shellcheck disable=SC2086
    gcc -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x $language - <<<"$constants"
done
echo "static tables of strings compile without a warning from C89 and C++98 on"

# A compiler that lacks something gets one error that says so.
needs() { # TEXT SWITCHES...
    local text=$1 header errors
    shift
    for header in wellhead.hpp wellhead_http.hpp; do
        errors=$(g++ "$@" -Iinclude -x c++ -fsyntax-only - 2>&1 <<<"#include <$header>" | grep -F "error:" || true)
        if [ "$(wc -l <<<"$errors")" -ne 1 ] || [[ $errors != *"$text"* ]]; then
            printf '%s with %s has not just the error "%s":\n%s\n' "$header" "$*" "$text" "$errors" >&2
            exit 1
        fi
    done
}
needs "wellhead.hpp needs C++17" -std=c++98
needs "wellhead.hpp needs C++17" -std=c++14
needs "wellhead.hpp needs exceptions" -std=c++17 -fno-exceptions
$CXX -fno-rtti -x c++ -fsyntax-only - <<<'#include <wellhead.hpp>'
echo "the headers of C++ say in one error that they need C++17 and exceptions, and need no RTTI"

# What the shared library exports is what the headers declare.
declared=$(grep -h '^WELLHEAD_API' include/*.h | grep -oE '\bwellhead_[a-z0-9_]+\(' | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$LIBRARY/libwellhead.so" | awk '{print $3}' | sort -u)
if ! diff <(echo "$declared") <(echo "$exported"); then
    echo "libwellhead.so exports other symbols (>) than the headers declare (<)" >&2
    exit 1
fi
echo "libwellhead.so exports the $(wc -w <<<"$exported") functions of the headers and nothing else"

if [ "${1:-}" != --asan ]; then
    ffi/archive.sh "$LIBRARY/libwellhead.a" "$OUT/libwellhead.a"
    tests/c/archive.sh "$OUT/libwellhead.a"
fi
[ "${1:-}" != --valgrind ] || ARCHIVE=$OUT/libwellhead.a

build "$C" notes ffi/examples/notes.c
build "$C" loop ffi/examples/loop.c
build "$C" abi tests/c/abi/*.c tests/c/deadline.c
build "$C" uv ffi/examples/uv.c
build "$C" clock ffi/examples/clock.c ffi/examples/microhttpd.c
build "$C" vectors tests/c/vectors/*.c tests/c/deadline.c
build "$C -Itests/c/vectors" vectors-http tests/c/http/*.c tests/c/vectors/{answers,around,host,message,methods,options,runner,text}.c \
    tests/c/deadline.c
build "$CXX" notes-cpp ffi/examples/notes.cpp
# What tests in C++ share with those in C is compiled as C.
for shared in deadline vectors/text vectors/message vectors/runner http/stream; do
    $C -Itests/c/vectors -c "tests/c/$shared.c" -o "$OUT/$(basename "$shared").o"
done
for standard in 17 23; do
    if [[ $standard = 23 ]] && ! g++ -std=c++23 -x c++ -fsyntax-only - <<<'' 2>/dev/null; then
        echo "callbacks of C++23 are not tested: g++ does not know -std=c++23"
        continue
    fi
    $CXX "-std=c++$standard" tests/cpp/functions.cpp -o "$OUT/functions-$standard"
    "$OUT/functions-$standard"
    echo "callbacks are made from functions of C++$standard, and are empty if those are"
done
build "$CXX" api-cpp tests/cpp/{api,misuse,messages,tools,memory,leaks}.cpp "$OUT/deadline.o"
build "$CXX" api-http-cpp tests/cpp/api_http.cpp "$OUT/deadline.o"
build "$CXX" vectors-cpp tests/cpp/vectors/*.cpp "$OUT/deadline.o" "$OUT/text.o" "$OUT/message.o"
build "$CXX -Itests/c/vectors" vectors-http-cpp tests/cpp/http/*.cpp tests/cpp/vectors/{answers,callbacks,host,options}.cpp \
    "$OUT"/{deadline,text,message,runner,stream}.o

if [ "${1:-}" = --valgrind ]; then
    command -v valgrind >/dev/null || { echo "missing: apt-get install valgrind" >&2; exit 1; }
    # What the standard library keeps for the main thread is "possibly lost".
    valgrind="valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9"
    "$OUT/abi" leaks
    "$OUT/api-cpp" leaks
    $valgrind "$OUT/abi"
    # memory.cpp has an `operator new` of its own, which valgrind would replace.
    $valgrind --soname-synonyms=somalloc=nouserintercepts "$OUT/api-cpp"
    $valgrind "$OUT/api-http-cpp"
    $valgrind "$OUT/vectors" tests/vectors/*/*.json
    $valgrind "$OUT/vectors-http" tests/vectors/http/*/*.json
    $valgrind "$OUT/vectors-cpp" tests/vectors/*/*.json
    $valgrind "$OUT/vectors-http-cpp" tests/vectors/http/*/*.json
    exit
fi

"$OUT/abi"
# A sanitizer keeps what was freed, and adds memory of its own.
[ "${1:-}" = --asan ] || "$OUT/abi" memory
tests/c/loop.sh "$OUT/loop"
python3 tests/c/uv.py "$OUT/uv"
python3 tests/c/microhttpd.py "$OUT/clock"
"$OUT/vectors" tests/vectors/*/*.json
"$OUT/vectors-http" tests/vectors/http/*/*.json
"$OUT/api-cpp"
"$OUT/api-http-cpp"
"$OUT/vectors-cpp" tests/vectors/*/*.json
"$OUT/vectors-http-cpp" tests/vectors/http/*/*.json
