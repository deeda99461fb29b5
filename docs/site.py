"""Looks at each page of the site that `make docs` has made, in Chromium, on a wide and on a narrow screen.

    docs/site.py

Each page must have a heading, no error in the console, and at most the width of the screen. Links within the site lead to files and headings that
exist. The pictures of all pages stay in build/site. Installs Chromium with apt if it may, and what leads it with npm.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "build/site"
sys.path.append(str(ROOT / "tests/clients"))
from inspector import install_chromium  # noqa: E402


def main() -> int:
    install_chromium()
    install("playwright-core")
    return subprocess.run(["node", ROOT / "docs/site.mjs", PICTURES, ROOT / "build/docs"]).returncode


def install(name: str) -> None:
    """Installs a package in the version that the tests of apps have."""
    version = json.loads((ROOT / "tests/apps/package.json").read_text("utf-8"))["dependencies"][name]
    there = PICTURES / "node_modules" / name / "package.json"
    if not there.exists() or json.loads(there.read_text("utf-8"))["version"] != version:
        PICTURES.mkdir(parents=True, exist_ok=True)
        (PICTURES / "package.json").write_text('{"private": true}')
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", f"{name}@{version}"], cwd=PICTURES, check=True)


if __name__ == "__main__":
    sys.exit(main())
