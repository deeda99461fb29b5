#!/usr/bin/env bash
# Adds the crate of `make dist` to an empty package, as README says, and asks README's smallest server with the official client. Has cargo
# check it as for a publication, with all features.
set -euo pipefail
source "$(dirname "$0")/../../packaging/environment.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

ln -s "$dist" dist
unpack=$(sed -n 's/^| Rust | `\(tar [^`]*\)`.*/\1/p' "$root/README.md")
add=$(sed -n 's/^| Rust | .*`\(cargo add [^`]*\)`.*/\1/p' "$root/README.md")
sh -euc "$unpack"
cargo init --quiet --vcs none hello
python3 "$root/tests/readme/extract.py" rust > hello/src/main.rs
cd hello
sh -euc "$add ../wellhead-$version"
CARGO_TARGET_DIR=$work/target cargo build --quiet
"$tools/bin/python" "$root/tests/dist/ask.py" "$work/target/debug/hello"
echo "added from dist, README's server answers"
cd "$root"
cargo publish --dry-run --locked --quiet --package wellhead --all-features
cmp "$CARGO_TARGET_DIR/package/wellhead-$version.crate" "$dist/wellhead-$version.crate"
echo "cargo would publish these bytes"
