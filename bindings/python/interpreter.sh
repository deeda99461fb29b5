#!/bin/sh
# Prints the path of a CPython: sh interpreter.sh VERSION, such as 3.13, or 3.14t for one without the global interpreter lock.
# Takes that of pyenv or of PATH. If there is none, builds it under build/interpreters, from the sources in the archive of Debian.
set -eu
version=$1
minor=${version%t}
free=${version#"$minor"}
root=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$root/build/interpreters/$version

# pyenv names them 3.14.0 and 3.14.0t. What it puts on PATH may name a Python that is not there.
for python in "$prefix/bin/python$version" \
    "$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}/versions/$minor."*[0-9]"$free"/bin/python 2>/dev/null | tail -n 1)" \
    "$(command -v "python$version" || true)"; do
    if [ -n "$python" ] && "$python" -c '' 2>/dev/null; then
        echo "$python"
        exit
    fi
done

missing() {
    echo "Python $version is missing, and $1: run 'pyenv install $version'" >&2
    exit 1
}

work=$prefix.build
log=$work/log
mkdir -p "$work"
release=$(sh "$root/bindings/python/sources.sh" "$minor" "$work/sources" 2>"$log") || missing "$(tail -n 1 "$log")"
for package in libbz2-dev libffi-dev liblzma-dev libsqlite3-dev libssl-dev zlib1g-dev; do
    dpkg-query -W "$package" >/dev/null 2>&1 && continue
    install="apt-get install -y -q -o DPkg::Lock::Timeout=300 build-essential libbz2-dev libffi-dev liblzma-dev libsqlite3-dev libssl-dev zlib1g-dev"
    { $install || { apt-get update -q && $install; }; } >"$log" 2>&1 || { echo "missing: run $install" >&2; exit 1; }
done

echo "building Python $release for $version, which takes 5 to 10 minutes on two cores" >&2
# Moved last and at once: a build that was cut short leaves nothing that looks whole.
(
    cd "$work/sources" &&
        ./configure -q --prefix="$prefix" --disable-test-modules ${free:+--disable-gil} &&
        make -j"$(nproc)" &&
        make install DESTDIR="$work/installed" &&
        mv "$work/installed$prefix" "$prefix"
) >>"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
rm -rf "$work"
echo "$prefix/bin/python$version"
