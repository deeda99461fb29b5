#!/usr/bin/env bash
# Runs the Node package in Bun and in Deno: README's server over standard input and output, and the suites below.
# Installs both from npm. Expects a built package in bindings/node.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/build/runtimes
# Each passes in both. Others start Node, or need what one of the two does in its own way, such as the type of a Blob.
suites=(access callbacks client closing connection gone http-vectors json methods prompts registration requests tools vectors)

mkdir -p "$out"
[ -f "$out/package.json" ] || echo '{"private":true}' > "$out/package.json"
npm install --prefix "$out" --silent --no-audit --no-fund bun@1.4.5 deno@2.9.6
ln -sfn "$root/bindings/node" "$out/node_modules/wellhead"
python3 "$root/tests/readme/extract.py" js > "$out/hello.mjs"
export PATH="$out/node_modules/.bin:$PATH"

python3 "$root/tests/readme/ask.py" bun "$out/hello.mjs"
python3 "$root/tests/readme/ask.py" deno run --allow-all "$out/hello.mjs"

cd "$root/bindings/node"
for suite in "${suites[@]}"; do # each in its own process, as Node runs them: some replace globals
    bun test --timeout 600000 "./test/$suite.test.mjs" # a test is all vectors, and would be ended after 5 s
    NO_COLOR=1 deno test --allow-all --no-check "test/$suite.test.mjs"
done

# Threads that each load the package. The other tests of this suite start Node with arguments that Deno does not take.
bun test --timeout 600000 ./test/workers.test.mjs
NO_COLOR=1 deno test --allow-all --no-check --filter '/^twenty workers serve|^a worker may be terminated/' test/workers.test.mjs | tee "$out/workers.log"
grep --quiet '^ok | 2 passed' "$out/workers.log" || { echo "Deno ran other tests than those two" >&2; exit 1; }
