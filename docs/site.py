"""Looks at each page of the site that `make docs` has made, in Chromium, on a wide and on a narrow screen.

    docs/site.py [FOLDER]

A page must have a heading and no error in the console. No page is wider than the screen. Links within the site lead to files and headings that exist. The pictures of all pages
are in FOLDER, else in build/site. Installs Chromium with apt if it may.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/apps"), str(ROOT / "tests/clients")]
from inspector import install_chromium  # noqa: E402
from run import INSTALLED, install  # noqa: E402


def main(pictures: Path) -> int:
    install()
    install_chromium()
    pictures.mkdir(parents=True, exist_ok=True)
    return subprocess.run(["node", ROOT / "docs/site.mjs", INSTALLED, ROOT / "build/docs", pictures]).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build/site"))
