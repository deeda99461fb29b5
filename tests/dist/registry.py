"""A registry of npm, with the packages of a folder and no other: runs a command, which npm in it asks.

registry.py FOLDER COMMAND...

The optional dependencies that the folder lacks are for no system: `npm ci` fails unless all of them are known.
"""

import base64
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote


def manifest(tarball: Path) -> dict[str, Any]:
    with tarfile.open(tarball) as archive:
        file = archive.extractfile("package/package.json")
        assert file is not None
        return json.load(file)


def main(folder: Path, command: list[str]) -> int:
    tarballs = {tarball.name: tarball for tarball in folder.glob("*.tgz")}
    manifests = {tarball: manifest(tarball) for tarball in tarballs.values()}
    packages = {described["name"]: tarball for tarball, described in manifests.items()}
    optional = {name: number for described in manifests.values() for name, number in described.get("optionalDependencies", {}).items()}

    class Registry(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = unquote(self.path).lstrip("/")
            if name.startswith("tarballs/"):
                return self.answer(200, tarballs[name.removeprefix("tarballs/")].read_bytes())
            if tarball := packages.get(name):
                digest = base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
                dist = {"tarball": f"{url}tarballs/{tarball.name}", "integrity": f"sha512-{digest}"}
                version = {**manifests[tarball], "dist": dist}
            elif name in optional:
                version = {"name": name, "version": optional[name], "os": ["none"], "dist": {"tarball": f"{url}tarballs/none"}}
            else:
                return self.answer(404, b"{}")
            number = version["version"]
            packument = {"name": name, "dist-tags": {"latest": number}, "versions": {number: version}}
            return self.answer(200, json.dumps(packument).encode())

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    url = f"http://127.0.0.1:{server.server_port}/"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with_cache = {"npm_config_registry": url, "npm_config_cache": str(Path.cwd() / "npm-cache")}
    return subprocess.run(command, env={**os.environ, **with_cache}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
