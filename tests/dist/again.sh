#!/usr/bin/env bash
# Makes the packages of `make dist` once more, from a clone of the commit in another folder, and compares their sums.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
another=$work/a/folder/elsewhere

git clone --quiet . "$another"
mkdir "$another/build"
ln -s "$PWD/build/dist-tools" "$another/build/dist-tools"
[ ! -e build/interpreters ] || ln -s "$PWD/build/interpreters" "$another/build/interpreters"
env --unset=CARGO_TARGET_DIR --unset=DIST make -C "$another" dist > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
# dist may have packages of other scripts as well.
cd dist
sha256sum --check --strict "$another/dist/SHA256SUMS"
