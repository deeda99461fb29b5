#!/bin/sh
# Unpacks the sources of a CPython, from the archive of Debian: sh sources.sh VERSION FOLDER, with a VERSION such as 3.13.
set -eu
minor=$1
folder=$2
case $minor in
    3.13) release=3.13.5 sha256=93e583f243454e6e9e4588ca2c2662206ad961659863277afcdb96801647d640 ;;
    3.14) release=3.14.7 sha256=3b48dac8fb59f62eaa67ac83c1eb12bda1b7a08406dd286e252c11a66be27f81 ;;
    *) echo "no sources of Python $minor are known here" >&2 && exit 1 ;;
esac
archive=python${minor}_$release.orig.tar.xz
helper=/usr/lib/apt/apt-helper
[ -x "$helper" ] || { echo "Python is built on Debian and its like only" >&2; exit 1; }
mkdir -p "$folder"
for site in $(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sort -u); do
    # It checks the sum, and fails if the archive has another release by now.
    if "$helper" -q download-file "$site/pool/main/p/python$minor/$archive" "$folder.tar.xz" "SHA256:$sha256" >&2; then
        tar --extract --file "$folder.tar.xz" --directory "$folder" --strip-components=1
        rm "$folder.tar.xz"
        echo "$release"
        exit
    fi
done
echo "the archive of this system lacks $archive" >&2
exit 1
