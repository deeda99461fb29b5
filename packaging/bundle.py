"""Makes the command a bundle for desktop clients (MCPB). `server.py` writes the file that names the bundles of all machines.

    bundle.py VERSION MACHINE DIST
"""

import json
import re
import sys
import tarfile
import zipfile
from pathlib import Path

from zip import add

ROOT = Path(__file__).resolve().parents[1]
DESCRIPTION = "Makes folders readable by MCP clients: files, directories, and notifications of their changes"
COMMAND = "server/wellhead"


def main(version: str, machine: str, dist: Path) -> None:
    repository, licence = (field(name) for name in ("repository", "license"))
    manifest = {
        "manifest_version": "0.3",
        "name": "wellhead",
        "display_name": "Folders",
        "version": version,
        "description": DESCRIPTION,
        "author": {"name": "The Wellhead developers", "url": repository},
        "repository": {"type": "git", "url": repository},
        "license": licence,
        "server": {
            "type": "binary",
            "entry_point": COMMAND,
            "mcp_config": {"command": "${__dirname}/" + COMMAND, "args": ["serve", "--tools", "${user_config.folders}"]},
        },
        "tools_generated": True,
        "user_config": {
            "folders": {
                "type": "directory",
                "title": "Folders",
                "description": "Whose files may be read",
                "multiple": True,
                "required": True,
            }
        },
        "compatibility": {"platforms": ["linux"]},
    }
    name = f"wellhead-{version}-{machine}-linux.mcpb"
    with zipfile.ZipFile(dist / name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as bundle:
        add(bundle, "manifest.json", text(manifest), 0o644)
        add(bundle, "README.md", (ROOT / "packaging/readmes/bundle.md").read_bytes(), 0o644)
        with tarfile.open(dist / f"wellhead-{version}-{machine}-linux.tar.gz") as archive:
            for member in filter(tarfile.TarInfo.isfile, archive):
                file = member.name.partition("/")[2]
                if file != "README.md":  # the bundle has its own
                    add(bundle, COMMAND if file == "wellhead" else file, archive.extractfile(member).read(), member.mode)
    print(f"dist/{name}")


def field(name: str) -> str:
    """A field of the workspace's manifest."""
    return re.search(rf'^{name} = "([^"]*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]


def text(value: object) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
