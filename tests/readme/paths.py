"""Fails on a path, a test or a make target that the documents name and the repository does not have."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "NAMES.md", "bindings/python/README.md", "bindings/node/README.md", "ffi/README.md", "ports/README.md", "tests/README.md", "tests/vectors/README.md", "tests/clients/README.md", "bench/README.md")
FOLDERS = r"(?:core|ffi|include|bindings|tests|bench|xtask|docs|packaging|ports|\.github)/"


def main() -> int:
    makefiles = [ROOT / "Makefile", *ROOT.glob("*/*.mk"), *ROOT.glob("bindings/*/*.mk")]
    targets = {target for file in makefiles for target in re.findall(r"^([a-z-]+)(?: [a-z-]+)*:", file.read_text("utf-8"), re.MULTILINE)}
    problems = []
    for document in DOCUMENTS:
        text = (ROOT / document).read_text("utf-8")
        named = re.findall(rf"`({FOLDERS}[\w./-]*)", text) + re.findall(r"\]\(([^):]+)\)", text)
        for path in [*named, *tree(text)]:
            if not any((folder / path).exists() for folder in (ROOT, (ROOT / document).parent)):
                problems.append(f"{document}: there is no {path}")
        for path, names in re.findall(rf"`({FOLDERS}[\w./-]+)`: ((?:`\w+`(?:, )?)+)", text):
            source = (ROOT / path).read_text("utf-8") if (ROOT / path).is_file() else ""
            problems += [f"{document}: {path} has no {name}" for name in re.findall(r"`(\w+)`", names) if name not in source]
        problems += [f"{document}: there is no target {name}" for name in re.findall(r"`make ([a-z-]+)", text) if name not in targets]
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


def tree(text: str) -> list[str]:
    """The paths of a fenced tree: a line without a margin is a folder of the root, the lines with one are in it."""
    found: list[str] = []
    for block in re.findall(r"^```\n(\S+/ .*?)^```$", text, re.MULTILINE | re.DOTALL):
        root = ""
        for line in block.splitlines():
            margin, path = re.match(r"( *)(\S+)", line).groups()
            root = root if margin else path
            found.append(root + path if margin else path)
            folders = [Path(found[-1]), Path(found[-1]).parent]
            for name in re.findall(r"`([\w/]+\.(?:rs|py|ts))`", line):
                found.append(str(next((folder / name for folder in folders if (ROOT / folder / name).exists()), folders[0] / name)))
    return found


if __name__ == "__main__":
    sys.exit(main())
