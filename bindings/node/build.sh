#!/bin/sh
# Builds the package in place: wellhead.node by cargo, dist/ by tsc. `--release` for what is published.
# It leaves alone what would not change, so a build does no harm to programs that run from here.
set -eu
cd "$(dirname "$0")"

# One build at a time. Where there is no flock, as on macOS, the caller must not start two.
mkdir -p ../../build
if command -v flock >/dev/null; then
    exec 9>../../build/node.lock
    flock 9
fi

# Cargo says where the library is: its settings may name another folder or another system.
built=$(cargo build --quiet -p wellhead-node "$@" --message-format=json-render-diagnostics)
library=$(printf %s "$built" | node -e '
    const lines = require("node:fs").readFileSync(0, "utf8").split("\n").map((line) => JSON.parse(line));
    const { filenames } = lines.find(({ target }) => target?.name === "wellhead_node");
    console.log(filenames.find((name) => /\.(so|dylib|dll)$/.test(name)));')
if ! cmp -s "$library" wellhead.node; then
    # By a new file: a running process may have the old one mapped.
    cp "$library" wellhead.new
    mv -f wellhead.new wellhead.node
fi
for licence in LICENSE-APACHE LICENSE-MIT THIRD-PARTY-NOTICES; do # npm packs what is in this folder only
    cmp -s ../../$licence $licence || cp ../../$licence .
done
if ! cmp -s package-lock.json node_modules/installed.json; then
    npm ci --loglevel=error
    cp package-lock.json node_modules/installed.json # last: an install that was cut short starts again
fi
rm -rf dist.new
node_modules/.bin/tsc -p . --outDir dist.new
if diff -rq dist dist.new >/dev/null 2>&1; then
    rm -r dist.new
else
    rm -rf dist
    mv dist.new dist
fi
