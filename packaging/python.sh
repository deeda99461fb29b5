#!/usr/bin/env bash
# Makes the Python package: a wheel for each TARGET, for every Python from 3.10 on. Without one: for each kind of Linux, and the sources. The
# stable ABI does not reach Python 3.14 without the global interpreter lock: that has a wheel of its own, for glibc on this kind of machine.
#   python.sh [TARGET]...    targets of rustc
set -euo pipefail
targets=("$@")
source "$(dirname "$0")/environment.sh"
[ $# -gt 0 ] || targets=("${linux_targets[@]}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for target in "${targets[@]}"; do
    set_flags "$target"
    case $target in
        *-linux-gnu) link=(--zig --compatibility manylinux2014) ;;
        *-linux-musl) link=(--zig --compatibility musllinux_1_2) ;;
        *) link=() ;; # the system's own linker
    esac
    sbom wellhead-python "$target" "$work"
    build=(maturin build --quiet --locked --profile wheel --target "$target" ${link[@]+"${link[@]}"}
        --manifest-path bindings/python/Cargo.toml --sbom-include "$work/wellhead-python.cdx.json" --compression-level 9 --out "$dist")
    "${build[@]}"
    if [ "$target" = "$(uname -m)-unknown-linux-gnu" ]; then
        "${build[@]}" --interpreter "$(sh bindings/python/interpreter.sh 3.14t)"
    fi
done
if [ $# -eq 0 ]; then
    set_flags
    maturin sdist --manifest-path bindings/python/Cargo.toml --out "$dist" 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
fi
ls -l "$dist"
