"""Makes the command a bundle for desktop clients (MCPB), and server.json, with which the MCP Registry names that bundle.

    bundle.py VERSION DIST
"""

import hashlib
import json
import os
import re
import sys
import tarfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DESCRIPTION = "Makes folders readable by MCP clients: files, directories, and notifications of their changes"
COMMAND = "server/wellhead"


def main(version: str, dist: Path) -> None:
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
    name = f"wellhead-{version}-x86_64-linux.mcpb"
    with zipfile.ZipFile(dist / name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as bundle:
        add(bundle, "manifest.json", text(manifest), 0o644)
        add(bundle, "README.md", (ROOT / "packaging/readmes/bundle.md").read_bytes(), 0o644)
        with tarfile.open(dist / f"wellhead-{version}-x86_64-linux-musl.tar.gz") as archive:
            for member in filter(tarfile.TarInfo.isfile, archive):
                file = member.name.partition("/")[2]
                if file != "README.md":  # the bundle has its own
                    add(bundle, COMMAND if file == "wellhead" else file, archive.extractfile(member).read(), member.mode)
    owner = repository.removeprefix("https://github.com/").partition("/")[0]
    server = {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": f"io.github.{owner}/wellhead",
        "title": "Folders",
        "description": DESCRIPTION,
        "repository": {"url": repository, "source": "github"},
        "version": version,
        "packages": [
            {
                "registryType": "mcpb",
                "identifier": f"{repository}/releases/download/v{version}/{name}",
                "version": version,
                "fileSha256": hashlib.sha256((dist / name).read_bytes()).hexdigest(),
                "transport": {"type": "stdio"},
            }
        ],
    }
    (dist / "server.json").write_bytes(text(server))
    print(f"dist/{name}\ndist/server.json")


def field(name: str) -> str:
    """A field of the workspace's manifest."""
    return re.search(rf'^{name} = "([^"]*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]


def text(value: object) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode()


def add(bundle: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    entry = zipfile.ZipInfo(name, time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6])
    entry.external_attr = mode << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    bundle.writestr(entry, content)


main(sys.argv[1], Path(sys.argv[2]))
