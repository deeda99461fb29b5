#!/bin/sh
# Installs the two libraries of the project that its MCP server uses.
set -eu

test -e /usr/include/httplib.h && test -e /usr/include/nlohmann/json.hpp && exit
install="apt-get install -y -q -o DPkg::Lock::Timeout=300 libcpp-httplib-dev nlohmann-json3-dev"
$install >/dev/null || { apt-get update -q && $install; } >/dev/null || { echo "missing: run $install" >&2; exit 1; }
