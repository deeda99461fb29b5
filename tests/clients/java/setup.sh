#!/bin/sh
# Builds the driver with the official Java SDK, the old one and the new one, as pinned here, as build/clients/java-1 and java-2 at the
# repository root. Java (17 or newer) and Maven must be there. Quick when they are built already.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$here/../../../build/clients"
build=$(CDPATH= cd -- "$here/../../../build/clients" && pwd)
for tool in java mvn; do
    if ! command -v $tool >/dev/null; then
        echo "missing: $tool. Run 'apt-get install default-jdk-headless maven'" >&2
        exit 1
    fi
done
for sdk in 1 2; do
    sources=$(cat "$here/pom.xml" "$here"/driver/*.java "$here/sdk-$sdk"/*.java | cksum)
    if [ "$sources" != "$(cat "$build/java-$sdk/built" 2>/dev/null)" ]; then
        mvn --quiet --batch-mode --file "$here/pom.xml" -Psdk-$sdk -Dout="$build/java-$sdk" clean package
        echo "$sources" > "$build/java-$sdk/built"
    fi
done
