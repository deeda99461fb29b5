#!/usr/bin/env bash
# Asks the example with a main loop of its own, given as a command, and waits for an update.
set -euo pipefail
coproc LOOP { exec "$1"; }
child=$LOOP_PID
out=${LOOP[0]} in=${LOOP[1]}
say() { printf '%s\n' "$1" >&"$in"; }

expect() { # PART: the next line that has it
    local line
    while IFS= read -r -t 60 line <&"$out"; do
        [[ $line == *"$1"* ]] && return
    done
    echo "the loop never said $1" >&2
    exit 1
}

say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}'
say '{"jsonrpc":"2.0","method":"notifications/initialized"}'
expect '"id":1,"result"'
say '{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"primes://3"}}'
expect '"text":"5"'
say '{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"primes://03"}}'
expect '"id":3,"error"'
say '{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"primes://count"}}'
expect '"id":4,"result"'
expect 'notifications/resources/updated'
exec {in}>&-
wait "$child"
echo "the example with a main loop of its own answers, updates and ends"
