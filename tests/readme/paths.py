"""Fails on a path or a make target that the documents name and the repository does not have."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "NAMES.md", "tests/README.md", "bench/README.md")
FOLDERS = r"(?:core|ffi|include|bindings|tests|bench|xtask)/"


def main() -> int:
    makefiles = [ROOT / "Makefile", *ROOT.glob("*/*.mk"), *ROOT.glob("bindings/*/*.mk")]
    targets = {target for file in makefiles for target in re.findall(r"^([a-z-]+)(?: [a-z-]+)*:", file.read_text("utf-8"), re.MULTILINE)}
    problems = []
    for document in DOCUMENTS:
        text = (ROOT / document).read_text("utf-8")
        named = re.findall(rf"`({FOLDERS}[\w./-]*)", text) + re.findall(r"\]\(([^):]+)\)", text)
        for path in named:
            if not any((folder / path).exists() for folder in (ROOT, (ROOT / document).parent)):
                problems.append(f"{document}: there is no {path}")
        problems += [f"{document}: there is no target {name}" for name in re.findall(r"`make ([a-z-]+)", text) if name not in targets]
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
