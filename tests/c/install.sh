#!/bin/sh
# Installs the libraries that tests and examples in C and C++ use.
set -eu

pkg-config --exists jansson libmicrohttpd libuv nlohmann_json && exit
install="apt-get install -y -q -o DPkg::Lock::Timeout=300 libjansson-dev libmicrohttpd-dev libuv1-dev nlohmann-json3-dev pkg-config"
$install >/dev/null || { apt-get update -q && $install; } >/dev/null || { echo "missing: run $install" >&2; exit 1; }
