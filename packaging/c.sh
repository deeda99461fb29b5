#!/usr/bin/env bash
# Makes the C archives for Linux, one with glibc 2.17 or later and one with musl, and the Debian package. They are for the processor of this
# machine, or for MACHINE.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

install() { # LIBC DESTDIR PREFIX LIBDIR
    local target=$machine-unknown-linux-$1 oldest=
    [ "$1" = musl ] || oldest=.2.17
    set_flags "$target"
    make install-library DESTDIR="$2" PREFIX="$3" LIBDIR="$4" BUILT="$CARGO_TARGET_DIR/$target/dist" \
        CARGO_BUILD="cargo zigbuild --locked --profile dist --target $target$oldest"
    sbom wellhead-ffi "$target" "$2$3/share/doc/wellhead"
}

declare -A systems=([gnu]="glibc 2.17 or later" [musl]=musl)
for libc in gnu musl; do
    name=libwellhead-$version-$machine-linux-$libc
    install "$libc" "$work" "/$name" "/$name/lib"
    sed "s/Linux with glibc 2.17 or later/Linux with ${systems[$libc]}/" ffi/README.md > "$work/$name/README.md"
    pack "$work" "$name"
done

package=$work/package
install gnu "$package" /usr "/usr/lib/$machine-linux-gnu"
command=wellhead-$version-$machine-linux
tar --extract --file "$dist/$command.tar.gz" --directory "$work"
/usr/bin/install -D -m 755 "$work/$command/wellhead" "$package/usr/bin/wellhead"
/usr/bin/install -m 644 "$work/$command/wellhead.cdx.json" "$package/usr/share/doc/wellhead"
/usr/bin/install -m 644 packaging/readmes/deb.md "$package/usr/share/doc/wellhead/README.md"
{
    echo "Wellhead may be used under the MIT licence or the Apache License 2.0, as the user chooses."
    echo "THIRD-PARTY-NOTICES has the licences of what is linked in."
    echo
    cat LICENSE-MIT LICENSE-APACHE
} > "$package/usr/share/doc/wellhead/copyright"
rm "$package"/usr/share/doc/wellhead/LICENSE-*
mkdir "$package/DEBIAN"
owner=$(sed -n 's|^repository = "https://github.com/\([^/]*\)/.*|\1|p' Cargo.toml)
cat > "$package/DEBIAN/control" <<END
Package: wellhead
Version: $version
Architecture: $debian_machine
Maintainer: The Wellhead developers <$owner@users.noreply.github.com>
Section: libdevel
Priority: optional
Installed-Size: $(find "$package/usr" -type f -printf '%s\n' | awk '{ sum += $1 } END { print int((sum + 1023) / 1024) }')
Depends: libc6 (>= 2.17)
Homepage: $(sed -n 's/^homepage = "\([^"]*\)".*/\1/p' Cargo.toml)
Description: MCP servers from C and C++, and folders as MCP servers
 The library with its headers, and the command wellhead, which makes
 folders readable by clients of the Model Context Protocol.
END
echo "activate-noawait ldconfig" > "$package/DEBIAN/triggers"
# What a package needs whose programs are linked with the library: one that has the same soname.
soname=$(readelf --dynamic "$package/usr/lib/$machine-linux-gnu/libwellhead.so" | sed -n 's/.*(SONAME).*\[libwellhead\.so\.\(.*\)\]/\1/p')
next=$(awk -F . -v OFS=. '{ $NF += 1; print }' <<< "$soname")
echo "libwellhead $soname wellhead (>= $version), wellhead (<< $next)" > "$package/DEBIAN/shlibs"
(cd "$package" && find usr -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
find "$package" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$package" "$dist/wellhead_${version}_$debian_machine.deb" > "$work/log" || { cat "$work/log" >&2; exit 1; }
echo "dist/wellhead_${version}_$debian_machine.deb"
