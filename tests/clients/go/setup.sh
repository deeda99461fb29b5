#!/bin/sh
# Builds the driver with the official Go SDK, as pinned here, as build/clients/go-driver at the repository root. Go must be there: from 1.21 on
# it fetches the version that go.mod asks for.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
PATH=$PATH:/usr/local/go/bin
mkdir -p "$here/../../../build/clients"
if ! command -v go >/dev/null; then
    echo "missing: Go. Run 'apt-get install golang' where that is 1.21 or newer, or unpack a release of https://go.dev/dl into /usr/local" >&2
    exit 1
fi
cd "$here"
test -z "$(gofmt -l .)" || { echo "run gofmt -w in $here" >&2; exit 1; }
go vet .
go build -o ../../../build/clients/go-driver .
