"""Unpacks a bundle for desktop clients as these do, and prints the command that its manifest makes of folders, one word a line.
Checks that server.json names the bundle with its sum.

    bundle.py BUNDLE SERVER_JSON INTO FOLDER...
"""

import hashlib
import json
import sys
import zipfile
from pathlib import Path


def main(bundle: Path, server: Path, into: Path, folders: list[str]) -> None:
    found = [one for one in json.loads(server.read_text())["packages"] if one["identifier"].endswith("/" + bundle.name)]
    assert len(found) == 1, f"server.json names {bundle.name} {len(found)} times"
    (package,) = found
    assert package["fileSha256"] == hashlib.sha256(bundle.read_bytes()).hexdigest(), "the sum in server.json is another one"
    assert "version" not in package, "the registry takes no version of a bundle"
    assert len(json.loads(server.read_text())["description"]) <= 100, "the registry takes 100 characters of a description"
    with zipfile.ZipFile(bundle) as files:
        for entry in files.infolist():
            path = Path(files.extract(entry, into))
            path.chmod(entry.external_attr >> 16)
        manifest = json.loads(files.read("manifest.json"))
        for file in ("LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-NOTICES", "README.md", "wellhead.cdx.json", manifest["server"]["entry_point"]):
            assert (into / file).is_file(), f"the bundle has no {file}"
    assert manifest["user_config"]["folders"]["multiple"]
    config = manifest["server"]["mcp_config"]
    for word in [config["command"], *config["args"]]:
        words = folders if word == "${user_config.folders}" else [word.replace("${__dirname}", str(into))]
        print(*words, sep="\n")


bundle, server, into, *folders = sys.argv[1:]
main(Path(bundle), Path(server), Path(into), folders)
