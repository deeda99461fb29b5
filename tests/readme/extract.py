"""Prints a README's first fenced block of a language.

    extract.py LANGUAGE [README]
"""

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"


def block(language: str, readme: Path = README) -> str:
    found = re.search(rf"^```{re.escape(language)}\n(.*?)^```$", readme.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    if found is None:
        sys.exit(f"{readme} has no block of {language}")
    return found[1]


if __name__ == "__main__":
    sys.stdout.write(block(sys.argv[1], *map(Path, sys.argv[2:])))
