"""Writes server.json, with which the MCP Registry names the bundles that are in a folder. A release has one, so it is made where the bundles of all
machines are.

    server.py VERSION DIST
"""

import hashlib
import sys
from pathlib import Path

from bundle import DESCRIPTION, field, text


def main(version: str, dist: Path) -> None:
    bundles = sorted(dist.glob(f"wellhead-{version}-*.mcpb"), reverse=True)
    if not bundles:
        sys.exit(f"{dist} has no bundle of version {version}: run packaging/command.sh first")
    # The schema has no field for a processor: a client tells the bundles apart by the names of their files. The registry refuses a version here,
    # since the address has it.
    repository = field("repository")
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
                "identifier": f"{repository}/releases/download/v{version}/{bundle.name}",
                "fileSha256": hashlib.sha256(bundle.read_bytes()).hexdigest(),
                "transport": {"type": "stdio"},
            }
            for bundle in bundles
        ],
    }
    (dist / "server.json").write_bytes(text(server))
    print("dist/server.json")


main(sys.argv[1], Path(sys.argv[2]))
