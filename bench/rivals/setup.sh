#!/usr/bin/env bash
# Installs the servers of rivals.txt, at fixed versions, into build/rivals.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$here/../../build/rivals
mkdir -p "$out/node"

cargo build --release --quiet --manifest-path "$here/rmcp/Cargo.toml" --target-dir "$out/target"

[ -x "$out/venv/bin/python" ] || python3 -m venv "$out/venv"
"$out/venv/bin/pip" install --quiet --disable-pip-version-check uv
echo certifi > "$out/any-version.txt" # fastmcp asks for a newer one than some registries have; only HTTPS needs it
"$out/venv/bin/uv" pip install --quiet --python "$out/venv" --overrides "$out/any-version.txt" \
    mcp==2.3.0 fastmcp==4.1.6 uvloop==0.23.0

[ -f "$out/node/package.json" ] || echo '{"private":true}' > "$out/node/package.json"
npm install --prefix "$out/node" --silent --no-audit --no-fund @modelcontextprotocol/server@2.4.0 zod@4.2.1
cp "$here/typescript/add.mjs" "$out/node/"
