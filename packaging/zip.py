"""Packs an entry of a folder as a zip with equal bytes for equal files.

    zip.py FOLDER NAME FILE
"""

import os
import sys
import time
import zipfile
from pathlib import Path


def main(folder: Path, name: str, file: Path) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted((folder / name).rglob("*")):
            if path.is_file():
                add(archive, path.relative_to(folder).as_posix(), path.read_bytes(), path.stat().st_mode)


def add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    """Adds a file with the time of the commit."""
    entry = zipfile.ZipInfo(name, time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6])
    entry.external_attr = mode << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
