#!/usr/bin/env python3
"""Counts the protocol rows that a vector or a named test shows, and checks the form of the vectors.

    python3 tests/rows.py            counts; exit 1 if a vector is wrong, a row is uncovered, or one of stage `none` is not
    python3 tests/rows.py --list     each row with what covers it

A row of stage `none` has no test, and a reason for that in a fourth column. A vector names its rows in `rows`; a test in Rust, C, C++, Python or TypeScript in a comment: `row: M-12, X-12`.
"""
import json
import re
import sys
from pathlib import Path
from typing import Any, Iterator

from shapes import UNSEEN, Malformed, http_needed, http_vector, needed, vector

ROOT = Path(__file__).resolve().parent.parent
VECTORS = ROOT / "tests" / "vectors"
CODE = {".rs", ".c", ".h", ".cpp", ".hpp", ".py", ".ts", ".mts", ".js", ".mjs"}
STAGES = ("first", "whole", "http", "none")
SKIPPED = {"target", "node_modules", "build", "dist", "__pycache__"}
MENTION = re.compile(r"\brow:\s*((?:[A-Z]{1,2}-\d\d|\d\.\d)(?:,\s*(?:[A-Z]{1,2}-\d\d|\d\.\d))*)")


def table() -> dict[str, str]:
    stages: dict[str, str] = {}
    for number, line in enumerate((VECTORS / "rows.tsv").read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        wanted = 4 if columns[1:2] == ["none"] else 3
        if len(columns) != wanted or not all(columns) or columns[1] not in STAGES or columns[0] in stages:
            what = "a new row id, a stage (first, whole, http, none), a meaning, and with none a reason"
            sys.exit(f"rows.tsv:{number}: must be {what}, with tabs between")
        stages[columns[0]] = columns[1]
    return stages


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise Malformed("a member occurs twice in one object")
    return dict(pairs)


def vectors(stages: dict[str, str], problems: list[str]) -> Iterator[tuple[str, str]]:
    shapes = ((vector, needed, VECTORS.glob("*/*.json")), (http_vector, http_needed, VECTORS.glob("http/*/*.json")))
    for shape, words, path in ((shape, words, path) for shape, words, paths in shapes for path in sorted(paths)):
        name = str(path.relative_to(VECTORS))
        try:
            value = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique)
            shape(value, "vector")
            if not value["rows"] or not value["steps"]:
                raise Malformed("names no row, or has no step")
            for row in value["rows"]:
                if row not in stages:
                    raise Malformed(f"names the row {row}, which rows.tsv does not have")
            if words(value) != set(value.get("needs", ())) - UNSEEN:
                raise Malformed(f"needs must be {sorted(words(value))}")
        except (Malformed, ValueError) as error:
            problems.append(f"tests/vectors/{name}: {error}")
            continue
        for row in value["rows"]:
            yield row, name


def code_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in SKIPPED or path.name.startswith("."):
            continue
        if path.is_dir():
            yield from code_files(path)
        elif path.suffix in CODE and path.parent != Path(__file__).resolve().parent:  # the checkers name rows that they look for
            yield path


def named_tests(stages: dict[str, str], problems: list[str]) -> Iterator[tuple[str, str]]:
    for path in code_files(ROOT):
        name = str(path.relative_to(ROOT))
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            for found in MENTION.finditer(line):
                for row in re.split(r",\s*", found.group(1)):
                    if row in stages:
                        yield row, name
                    else:
                        problems.append(f"{name}:{number}: names the row {row}, which rows.tsv does not have")


def main() -> int:
    stages = table()
    problems: list[str] = []
    covers: dict[str, set[str]] = {row: set() for row in stages}
    for row, name in vectors(stages, problems):
        covers[row].add(name)
    for row, name in named_tests(stages, problems):
        covers[row].add(name)
    if "--list" in sys.argv[1:]:
        for row, names in covers.items():
            print(f"{row}\t{stages[row]}\t{' '.join(sorted(names)) or '-'}")
    for problem in problems:
        print(problem)
    for stage in STAGES:
        rows = [row for row in stages if stages[row] == stage]
        print(f"{stage}: {sum(bool(covers[row]) for row in rows)} of {len(rows)} rows covered")
    uncovered = [row for row in stages if stages[row] != "none" and not covers[row]]
    if uncovered:
        print("uncovered rows:", " ".join(uncovered))
    needless = [row for row in stages if stages[row] == "none" and covers[row]]
    if needless:
        print("rows with a test and a reason for having none:", " ".join(needless))
    return 1 if problems or uncovered or needless else 0


if __name__ == "__main__":
    sys.exit(main())
