#!/usr/bin/env bash
# Writes the sums of everything in dist.
set -euo pipefail
cd "${DIST:-$(dirname "$0")/../dist}"

rm -f SHA256SUMS
sums=$(find . -type f -printf '%P\0' | LC_ALL=C sort --zero-terminated | xargs --null sha256sum)
echo "$sums" > SHA256SUMS
