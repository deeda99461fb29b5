#!/usr/bin/env bash
# Serves a folder of a file system that ignores the case of names, which lowntfs-3g mounts from a file: what rules hide is neither listed
# nor read, in whatever case. Then runs the race test there. Needs FUSE and the right to mount.
set -euo pipefail
cd "$(dirname "$0")/.."
install="apt-get install -y -q -o DPkg::Lock::Timeout=300 ntfs-3g"
command -v lowntfs-3g > /dev/null ||
    { $install > /dev/null || { apt-get update -q && $install; } > /dev/null || { echo "missing: run $install" >&2; exit 1; }; }
cargo build -q -p wellhead --features cli --bin wellhead
work=$(mktemp -d)
trap 'umount "$work/folder" 2> /dev/null || true; rm -rf "$work"' EXIT

truncate --size=16M "$work/image"
mkntfs --force --quick --quiet "$work/image" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
mkdir "$work/folder"
lowntfs-3g -o ignore_case "$work/image" "$work/folder"
mkdir "$work/folder/notes" "$work/folder/notes/Drafts"
printf 'SECRET.txt\n' > "$work/folder/notes/.gitignore"
for file in Secret.txt Drafts/a.txt open.txt; do
    printf 'Hello, world!' > "$work/folder/notes/$file"
done
cat "$work/folder/notes/OPEN.TXT" > /dev/null # it ignores case indeed

python3 - "${CARGO_TARGET_DIR:-target}/debug/wellhead" "$work/folder/notes" <<'END'
import json, subprocess, sys

command, folder = sys.argv[1:]
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
names = ["open.txt", "secret.txt", "Secret.txt", "SECRET.txt", "drafts/a.txt", "Drafts/a.txt", ".gitignore", ".GITIGNORE"]
reads = [("resources/read", {"uri": f"file://{folder}/{name}"}) for name in names]
requests = [
    {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": META}}
    for number, (method, params) in enumerate([("resources/list", {}), *reads])
]
lines = "".join(json.dumps(request) + "\n" for request in requests)
done = subprocess.run([command, "serve", "--exclude", "drafts/", folder], input=lines, capture_output=True, text=True, check=True)
answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
listed = [resource["name"] for resource in answers[0]["result"]["resources"]]
served = [name for number, name in enumerate(names, 1) if "result" in answers[number]]
assert listed == ["notes", "open.txt"], listed  # the folder itself, too
assert served == ["open.txt"], served
print("of", ", ".join(names), "only open.txt is listed and served")
END

# Nothing outside of a folder of it is read while links are swapped in.
TMPDIR=$work/folder WELLHEAD_RACE_READS=20000 cargo test -q -p wellhead --features cli,schemars,tower --test directory race | tee "$work/race.log"
grep -q "^test result: ok. [1-9]" "$work/race.log" || { echo "no test of the race ran" >&2; exit 1; }
