"""Prints a fenced block of a language of a README: the first, or the one with that number.

    extract.py LANGUAGE [NUMBER] [README]
"""

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"


def block(language: str, number: int = 1, readme: Path = README) -> str:
    found = re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", readme.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    if len(found) < number:
        sys.exit(f"{readme} has {len(found)} blocks of {language}, and number {number} is asked for")
    return found[number - 1]


if __name__ == "__main__":
    language, *rest = sys.argv[1:]
    number = int(rest.pop(0)) if rest and rest[0].isdigit() else 1
    sys.stdout.write(block(language, number, *map(Path, rest)))
