"""Writes THIRD-PARTY-NOTICES: the licences of all that the packages of Wellhead are linked with.

    notices.py            writes the file
    notices.py --check    fails if it is not current

Both fail if our scripts install a zig other than the one that packaging/runtimes.py records.

The crates are those that cargo links for any system of SYSTEMS, without procedural macros and build scripts. What is no crate of Cargo.lock, such
as Rust's standard library, comes from packaging/runtimes.py. Of a crate with a choice of licences
that includes MIT the file has MIT. Texts that differ in their copyright lines only stand once, with all these lines.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "packaging"))

import runtimes  # noqa: E402

NOTICES = ROOT / "THIRD-PARTY-NOTICES"
SHIPPED = ["wellhead", "wellhead-ffi", "wellhead-python", "wellhead-node"]
FEATURES = "wellhead/cli,wellhead/schemars,wellhead/tower"
SYSTEMS = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-gnu",
    "x86_64-pc-windows-msvc",
]
LICENCE_FILE = re.compile(r"(un)?licen[cs]e|copying|copyright|notice", re.IGNORECASE)
GRANT = "Permission is hereby granted, free of charge"
"""How the part of the MIT licence begins that is the same for all."""
HEAD = """\
Wellhead's packages contain code of the projects below, under their licences. Wellhead itself is under the licences in LICENSE-MIT and
LICENSE-APACHE. Not every package has every project: some are linked on one system only, or for one language. All packages contain
parts of Rust's standard library (std) and of the crates that it uses, which may stand here in a second version.

`make notices` writes this file.
"""


def main(arguments: list[str]) -> int:
    if found := runtimes.zig_problems():
        print(*found, sep="\n")
        return 1
    text = notices(linked())
    if arguments == ["--check"]:
        if not NOTICES.is_file() or NOTICES.read_text("utf-8") != text:
            print("THIRD-PARTY-NOTICES is not current; run: make notices")
            return 1
        return 0
    NOTICES.write_text(text, "utf-8")
    return 0


def linked() -> list[dict]:
    """The packages of `cargo metadata` that `cargo tree` says are linked, by name and version."""
    tree = ["cargo", "tree", "--locked", "--edges=normal,no-proc-macro", "--prefix=none", "--no-dedupe", "--format={p}", f"--features={FEATURES}"]
    tree += [f"--package={name}" for name in SHIPPED] + [f"--target={system}" for system in SYSTEMS]
    names = {tuple(line.split()[:2]) for line in output(tree).splitlines() if line.strip()}
    packages = json.loads(output(["cargo", "metadata", "--format-version=1", "--all-features", "--locked"]))["packages"]
    return [p for p in packages if p["source"] and (p["name"], f"v{p['version']}") in names]


def output(command: list[str]) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout


def notices(packages: list[dict]) -> str:
    groups: dict[str, tuple[str, dict[str, list[str]]]] = {}
    """By the text without line breaks: the text, and under each copyright the crates that have it."""
    labelled = [(f"{package['name']} {package['version']}", texts(package)) for package in packages]
    labelled += [(f"{one.name} {one.version}", texts_of_runtime(one)) for one in runtimes.ALL]
    for label, own in labelled:
        for copyright_lines, text in own:
            _, holders = groups.setdefault(" ".join(text.split()), (text, defaultdict(list)))
            if label not in holders[copyright_lines]:
                holders[copyright_lines].append(label)
    parts = [HEAD]
    for text, holders in sorted(groups.values(), key=lambda group: (-sum(map(len, group[1].values())), group[0])):
        entries = [", ".join(labels) + "".join(f"\n    {line}" for line in lines.splitlines()) for lines, labels in holders.items()]
        parts.append("\n".join(sorted(entries)) + "\n\n" + text.strip() + "\n")
    return ("\n" + "=" * 80 + "\n\n").join(parts)


def texts(package: dict) -> list[tuple[str, str]]:
    """The texts that a package comes with and that count: each with its copyright lines, if it is MIT's, and else whole."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(file for file in folder.iterdir() if file.is_file() and LICENCE_FILE.match(file.name))
    chosen = [file for file in files if re.search("MIT", file.name, re.IGNORECASE)]
    offered = re.split(r"\s+OR\s+|/", package["license"] or "")
    if chosen and "MIT" in offered:
        files = [*chosen, *(file for file in files if re.search("NOTICE|THIRD|COPYRIGHT", file.name, re.IGNORECASE) and file not in chosen)]
    if not files:
        return [without_file(package)]
    return [split(file.read_text("utf-8", errors="replace")) for file in files]


def texts_of_runtime(one: runtimes.Runtime) -> list[tuple[str, str]]:
    mit = [("\n".join(one.copyrights), mit_text())] if one.copyrights else []
    return mit + [split((runtimes.LICENCES / file).read_text("utf-8")) for file in one.texts]


def mit_text() -> str:
    return split((ROOT / "LICENSE-MIT").read_text("utf-8"))[1]


def split(text: str) -> tuple[str, str]:
    text = re.sub(r"[ \t]+$", "", text.replace("\r\n", "\n").replace("\f", ""), flags=re.MULTILINE)
    before, grant, after = text.partition(GRANT)
    if not grant or len(after) > 1500 or len(before) > 1500:
        return "", text
    lines = [line.strip() for line in before.splitlines() if line.strip() and not re.fullmatch(r"\W*(the )?mit licen[cs]e\W*(\(mit\))?\W*", line.strip(), re.IGNORECASE)]
    return "\n".join(lines), grant + after


def without_file(package: dict) -> tuple[str, str]:
    """The text that such a package means by its manifest. Its authors are named there, or are those of its repository."""
    authors = ", ".join(package["authors"]) or f"the authors of {package['repository'] or package['name']}"
    if "MIT" not in re.split(r"\s+OR\s+|/", package["license"] or ""):
        sys.exit(f"{package['name']} {package['version']} ({package['license']}) has no licence file: tests/notices.py needs its text")
    return f"Copyright (c) {authors}", mit_text()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
