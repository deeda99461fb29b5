#!/usr/bin/env bash
# Makes the Python package: a wheel for each kind of Linux, for every Python from 3.10 on, and the sources. The stable ABI does not reach
# Python 3.14 without the global interpreter lock: that has a wheel of its own, for glibc on this kind of machine.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for target in "${linux_targets[@]}"; do
    set_flags "$target"
    case $target in
        *-gnu) compatibility=manylinux2014 ;;
        *-musl) compatibility=musllinux_1_2 ;;
    esac
    sbom wellhead-python "$target" "$work"
    build=(maturin build --quiet --locked --zig --profile wheel --target "$target" --compatibility "$compatibility"
        --manifest-path bindings/python/Cargo.toml --sbom-include "$work/wellhead-python.cdx.json" --out "$dist")
    "${build[@]}"
    if [ "$target" = "$(uname -m)-unknown-linux-gnu" ]; then
        "${build[@]}" --interpreter "$(sh bindings/python/interpreter.sh 3.14t)"
    fi
done
set_flags
maturin sdist --manifest-path bindings/python/Cargo.toml --out "$dist" 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
ls "$dist"/wellhead-"$version"*.whl "$dist/wellhead-$version.tar.gz"
