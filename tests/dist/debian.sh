#!/usr/bin/env bash
# Prints the address of Debian's packages: the one that this machine has its own from, if it runs Debian.
set -euo pipefail

. /etc/os-release
if [ "$ID" = debian ]; then
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sed --quiet 1p
else
    echo http://deb.debian.org/debian
fi
