"""Compares the length of README's first tool with that of the same tool on other SDKs.

A line counts if it has code: not if it is blank, or a comment alone. Docstrings, imports and lone brackets count. On fastmcp and the
TypeScript SDK the tool stands in `others`, as short as it can be there. EmbedMCP's is the first program of its README at commit
f6d320406268, which has 22 such lines.
"""

import re
import sys
from pathlib import Path

from extract import block

OTHERS = Path(__file__).with_name("others")
EMBEDMCP = 22


def length(program: str) -> int:
    """Returns the number of lines with code."""
    program = re.sub(r"/\*.*?\*/", "", program, flags=re.DOTALL)
    return sum(1 for line in program.splitlines() if line.strip() and not line.strip().startswith(("# ", "//")))


def main() -> int:
    compared = {
        "python": ("fastmcp", length((OTHERS / "fastmcp.py").read_text())),
        "js": ("the TypeScript SDK", length((OTHERS / "typescript-sdk.mjs").read_text())),
        "c": ("EmbedMCP", EMBEDMCP),
    }
    failed = False
    for language, (other, most) in compared.items():
        lines = length(block(language, 2))
        failed = failed or lines > most
        print(f"{'FAIL' if lines > most else 'ok  '} {language}: {lines} lines, on {other} {most}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
