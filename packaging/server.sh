#!/usr/bin/env bash
# Writes server.json of the bundles in dist.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
python3 packaging/server.py "$version" "$dist"
