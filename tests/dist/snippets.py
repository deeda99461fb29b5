"""Takes the blocks of a page that `make test-dist` runs out of it.

    snippets.py PAGE sections NAME...      fails unless these are all sections of the page that have such blocks
    snippets.py PAGE write SECTION FOLDER  writes the files of the section into a folder, and its commands, but for the last one, as
                                           commands.sh; prints the last one

The kind of a block ends with `,dist`. Its file stands behind it: `<!-- file: NAME -->`. Commands have none. What stands before the first
section belongs to each one. A page without sections has one: its title.
"""

import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```(\w+),dist\n(.*?)^```\n(?:\s*<!-- file: (\S+) -->\n)?", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> list[tuple[str, str, str]]:
    return BLOCK.findall(text)


def main(page: Path, words: list[str]) -> None:
    start, *parts = re.split(r"^## (.*)\n", page.read_text("utf-8"), flags=re.MULTILINE)
    found = dict(zip(parts[::2], map(blocks, parts[1::2]), strict=True))
    found = {name: inside for name, inside in found.items() if inside}
    title = re.search(r"^# (.*)$", start, re.MULTILINE)[1]
    shared = blocks(start)
    sections = {name: shared + inside for name, inside in found.items()} or {title: shared}
    if words[0] == "write":
        write(sections[words[1]], Path(words[2]))
    elif sorted(sections) != sorted(words[1:]):
        sys.exit(f"{page} has the sections {sorted(sections)}, and the test runs {sorted(words[1:])}")


def write(section: list[tuple[str, str, str]], folder: Path) -> None:
    lines = []
    for kind, text, name in section:
        if kind == "sh":
            lines += text.splitlines()
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    (folder / "commands.sh").write_text("\n".join(["set -e", *lines[:-1], ""]), "utf-8")
    print(*lines[-1:])


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
