#!/usr/bin/env bash
# Installs the npm packages of `make dist` from a registry that has nothing else, with no compiler, and asks README's smallest server and
# the command with the official client. Looks into what is shipped: files, what a library needs of the system, sizes.
set -euo pipefail
source "$(dirname "$0")/../../packaging/environment.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "$*" >&2; exit 1; }
ask() { "$tools/bin/python" "$root/tests/dist/ask.py" "$@"; }

# Node and npm, and the shell that npm starts; no compiler.
mkdir path
for program in node npm npx sh env dirname basename uname sed; do
    ln -s "$(readlink -f "$(type -P "$program")")" "path/$program"
done
registry() { PATH=$work/path "$tools/bin/python" "$root/tests/dist/registry.py" "$dist" "$@"; }

mkdir application
cd application
echo '{"type":"module"}' > package.json
registry npm install --silent --no-audit --no-fund wellhead
[ "$(ls node_modules/@wellhead)" = "linux-$node_machine-gnu" ] || fail "npm has installed $(ls node_modules/@wellhead)"
python3 "$root/tests/readme/extract.py" js > hello.mjs
ask "$work/path/node" hello.mjs
mkdir notes
printf 'Hello, world!' > notes/hello.md
ask --expect "{\"file://$PWD/notes/hello.md\": \"Hello, world!\"}" node_modules/.bin/wellhead serve notes
echo "installed from the registry of dist, README's server and the command answer"

mkdir ../nothing
cp -r notes ../nothing
cd ../nothing
version_of_npx=$(registry npx --yes wellhead --version)
[ "$version_of_npx" = "wellhead $version" ] || fail "npx wellhead --version prints $version_of_npx"
ask --expect "{\"file://$PWD/notes/hello.md\": \"Hello, world!\"}" \
    env PATH="$work/path" "$tools/bin/python" "$root/tests/dist/registry.py" "$dist" npx --yes wellhead serve notes
echo "npx serves the folder"

mkdir ../tarballs
cd ../tarballs
ln -s "$dist" dist
command=$(sed -n 's/.*`\(npm install --offline [^`]*\)`.*/\1/p' "$root/README.md")
PATH=$work/path npm_config_cache=$PWD/cache sh -c "${command/linux-*-gnu/linux-$node_machine-gnu}" > log || { cat log >&2; fail "$command fails"; }
cp ../application/hello.mjs .
ask "$work/path/node" hello.mjs
echo "installed from the tarballs as README says, its server answers"

made=("$dist"/wellhead-linux-*-"$version".tgz)
[ "${#made[@]}" -eq "${#linux_targets[@]}" ] || fail "dist has ${#made[@]} packages for Linux, of ${#linux_targets[@]}"
attw=$(sed -n 's/^ATTW = "\(.*\)"/\1/p' "$root/tests/packages.py")
publint=publint@$(node -p 'require(process.argv[1]).devDependencies.publint' "$root/bindings/node/package.json")
npx --yes "$attw" --profile esm-only --quiet "$dist/wellhead-$version.tgz"
for tarball in "$dist/wellhead-$version.tgz" "${made[@]}"; do
    npx --yes "$publint" run --strict "$tarball" > log || { cat log >&2; fail "publint refuses $tarball"; }
done
echo "attw and publint accept the tarballs"

for tarball in "${made[@]}"; do
    name=$(basename "$tarball" .tgz)
    mkdir "$name"
    tar --extract --file "$tarball" --directory "$name"
    library=$name/package/wellhead.node
    needs=$(readelf --dynamic "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | paste -sd ' ')
    newest=$(readelf --version-info "$library" | sed -n 's/.*\(GLIBC_2\.[0-9]*\).*/\1/p' | sort -Vu | tail -n 1)
    echo "$name needs $needs, ${newest:-no version of glibc}: $(stat --format=%s "$tarball") bytes"
    case $name in
        *-gnu-*)
            for needed in $needs; do
                [[ $needed =~ ^(ld-linux-[a-z0-9-]+|lib(c|dl|m|pthread|rt|util))\.so\. ]] || fail "$name needs $needed"
            done
            printf 'GLIBC_2.0\n%s\nGLIBC_2.17\n' "$newest" | sort --version-sort --check=quiet || fail "$name needs ${newest:-no version of glibc}"
            ;;
        *-musl-*) [ "$needs" = libc.so ] || fail "$name needs $needs" ;;
    esac
    python3 "$root/tests/sbom.py" "$name/package/wellhead-node.cdx.json" wellhead-node
    "$root/tests/dist/paths.sh" "$name"
done
