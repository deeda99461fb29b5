#!/usr/bin/env bash
# Bundles servers as docs/src/bundlers.md, docs/src/next.md and docs/src/electron.md say, with the npm packages of `make dist` and bundlers
# from npm, and asks the bundles with the official client: next to node_modules, and alone with the library. Alone without it, a bundle must
# say what to do.
set -euo pipefail
source "$(dirname "$0")/../../packaging/environment.sh"
work=$(mktemp -d)
server=
trap 'kill $server 2> /dev/null || true; rm -rf "$work"' EXIT
export NEXT_TELEMETRY_DISABLED=1
pins=(esbuild@0.28.2 webpack@5.112.2 webpack-cli@7.3.1 vite@8.3.8 postject@1.0.0-alpha.6 @electron/asar@3.4.1 next@16.4.6 react@19.3.1 react-dom@19.3.1)
bundle='wellhead: a bundle cannot hold the native library; copy wellhead.node of the package @wellhead/linux-'

fail() { echo "$*" >&2; exit 1; }
ask() { "$tools/bin/python" "$root/tests/dist/ask.py" "$@"; }
snippets() { python3 "$root/tests/dist/snippets.py" "$root/$1" "${@:2}"; }
quietly() { "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "$* fails"; }; }
# Hides the project, whose path is in what webpack makes, while a bundle is asked alone.
alone() { mv "$work/application" "$work/hidden" && (cd "$work/moved" && "$@") && mv "$work/hidden" "$work/application"; }
says() { # TEXT COMMAND...
    local text=$1
    shift
    if "$@" < /dev/null > "$work/log" 2>&1 || ! grep --quiet --fixed-strings "$text" "$work/log"; then
        cat "$work/log" >&2
        fail "$* does not fail with \"$text\""
    fi
}

mkdir "$work/application" "$work/moved"
cd "$work/application"
echo '{"private":true}' > package.json
npm install --silent --no-audit --no-fund --save-exact "${pins[@]}"
"$tools/bin/python" "$root/tests/dist/registry.py" "$dist" npm install --silent --no-audit --no-fund wellhead

bundled() { # SECTION
    local last command
    last=$(snippets docs/src/bundlers.md write "$1" .)
    sed -i "s/linux-[a-z0-9]*-gnu/linux-$node_machine-gnu/" commands.sh
    quietly bash commands.sh
    read -ra command <<< "$last"
    mv out "$work/moved/out"
    cd "$work"
    alone ask "${command[@]}"
    rm "$work/moved/out/wellhead.node"
    alone says "$bundle" "${command[@]}"
    cd "$work/application"
    mv "$work/moved/out" out
    ask "${command[@]}"
    rm -r out
    echo "the bundle of $1 answers next to node_modules, and alone with the library"
}
sections=(esbuild webpack Vite "One executable of Node")
snippets docs/src/bundlers.md sections "${sections[@]}"
for section in "${sections[@]}"; do
    bundled "$section"
done

# Next.js. The program writes its address, and then that it is ready.
serves() { # FOLDER COMMAND...
    exec {output}< <(cd "$1" && echo "$BASHPID" && exec env PORT="$port" HOSTNAME=127.0.0.1 "${@:2}" 2>&1)
    read -r server <&"$output"
    while read -r line <&"$output"; do
        [[ $line != *Ready* ]] || return 0
    done
    fail "${*:2} does not start"
}
stops() {
    kill "$server"
    cat <&"$output" > "$work/log"
    exec {output}<&-
    server=
}
port=$("$tools/bin/python" -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
endpoint=http://127.0.0.1:$port/mcp
snippets docs/src/next.md sections "In Next.js"
last=$(snippets docs/src/next.md write "In Next.js" .)
read -ra command <<< "$last"
standalone() { # where: only what Next.js has copied
    rm -rf "$work/moved/.next"
    mkdir "$work/moved/.next"
    mv .next/standalone "$work/moved/.next"
    cd "$work"
    mv application hidden
    serves moved "${command[@]}"
}
quietly bash commands.sh
standalone
ask "$endpoint"
stops
mv "$work/hidden" "$work/application"
cd "$work/application"
echo "Next.js answers, with the files that it has copied"

echo "export default { output: 'standalone' };" > next.config.mjs
quietly bash commands.sh
standalone
! ask "$endpoint" 2> "$work/answer" || fail "Next.js copies the library without outputFileTracingIncludes"
stops
grep --quiet --fixed-strings "$bundle" "$work/log" || { cat "$work/log" >&2; fail "Next.js does not log what to do without outputFileTracingIncludes"; }
mv "$work/hidden" "$work/application"
cd "$work/application"

rm next.config.mjs
for bundler in --turbopack --webpack; do
    quietly npx next build $bundler
    serves . node node_modules/next/dist/bin/next start --port "$port" --hostname 127.0.0.1
    ask "$endpoint"
    stops
    echo "Next.js answers in its project without a setting, built with $bundler"
done
rm -r app lib .next

# Electron's program is on no registry. The archive is packed, and the library next to it loads.
snippets docs/src/electron.md sections "In Electron"
last=$(snippets docs/src/electron.md write "In Electron" .)
mkdir -p application/node_modules
mv main.mjs application
cp -r node_modules/wellhead node_modules/@wellhead application/node_modules
quietly bash commands.sh
listed=$(bash -c "$last")
library=node_modules/@wellhead/linux-$node_machine-gnu/wellhead.node
grep --quiet "^unpack *: /$library\$" <<< "$listed" || fail "asar does not keep the library next to the archive: $listed"
node --eval "require('./application.asar.unpacked/$library').expand" || fail "the library next to the archive does not load"
echo "asar keeps the library next to the archive"
