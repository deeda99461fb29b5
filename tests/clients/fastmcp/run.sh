#!/bin/sh
# Asks our hosts with the client of fastmcp, which it installs. `make python` and the command come first.
set -eu
cd "$(dirname "$0")/../../.."
tests/clients/fastmcp/setup.sh
build/clients/fastmcp/bin/python tests/clients/fastmcp/points.py
exec build/clients/fastmcp/bin/python tests/clients/fastmcp/tools.py
