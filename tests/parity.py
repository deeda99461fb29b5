"""Compares the options, limits and methods of the languages one by one, by the table in parity.tsv.

    parity.py            fails on a member that no row has, on a row that names what is not there, and on a gap without a reason
    parity.py --list     prints the members that are compared

A row of the table is one concept: its group, its name in each language, and, where a language lacks it (`-`), why. C++ has the members of C,
which `words.py` checks.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import words

TABLE = Path(__file__).resolve().parent / "parity.tsv"
PYTHON = words.ROOT / "bindings/python/python/wellhead"
LANGUAGES = ("Rust", "C", "Python", "Node")
GAP = "-"

# What is compared in each group: types of Rust and Node, structs and prefixes of C, functions or classes of Python whose keywords or methods count.
GROUPS = {
    "server": (["Builder"], ["wellhead_server_options"], ["Server.__new__"], ["ServerOptions"]),
    "limits": (["Limits"], ["wellhead_limits"], ["Limits.__new__"], ["Limits"]),
    "endpoint": (["http.EndpointBuilder"], ["wellhead_endpoint_options"], ["Server.asgi"], ["HttpOptions"]),
    "listener": (["serve.Http"], ["wellhead_http_options"], ["Server.serve_http"], ["ServeHttpOptions"]),
    "stdio": (["serve.Stdio"], ["wellhead_stdio_options"], ["Server.run"], ["RunOptions"]),
    "folder": (["Directory"], ["wellhead_directory"], ["Server.directory"], ["DirectoryOptions"]),
    "methods": (["Server"], ["wellhead_server_"], ["Server"], ["Server"]),
    "client": (["TestClient", "TestOptions"], ["wellhead_test_client_", "wellhead_test_options"], ["TestClient", "Server.test_client"], ["TestClient", "TestClientOptions"]),
}
# What C needs for each of its options, and what begins and ends a value.
NOT_COMPARED = re.compile(r"(struct_size|flags|\w+_count|\w+_data|\w+_destroy|new|new_with|free|build)$")


class Row(NamedTuple):
    line: int
    group: str
    names: dict[str, list[str]]
    reason: str


def main(arguments: list[str]) -> int:
    found = {group: members(group) for group in GROUPS}
    if arguments == ["--list"]:
        for group, languages in found.items():
            for language, names in languages.items():
                print(group, language, *sorted(names))
        return 0
    rows = list(table())
    problems = [*uncovered(found, rows), *unfounded(found, rows), *unexplained(rows)]
    for problem in problems:
        print(problem)
    print(f"{len(rows)} options, limits and methods compared; {len(problems)} problems")
    return 1 if problems else 0


def uncovered(found: dict[str, dict[str, set[str]]], rows: list[Row]) -> Iterator[str]:
    for group, languages in found.items():
        for language, names in languages.items():
            known = {name for row in rows if row.group == group for name in row.names[language]}
            for name in sorted(names - known):
                yield f'{language}: "{name}" of the group {group} stands in no row of {TABLE.name}'


def unfounded(found: dict[str, dict[str, set[str]]], rows: list[Row]) -> Iterator[str]:
    public = {"C": set(words.c(words.HEADER) | words.c(words.HEADER_HTTP))}
    for row in rows:
        for language, names in row.names.items():
            for name in names:
                if name not in found[row.group][language] and name not in public.get(language, ()) and f"wellhead_{name}" not in public["C"]:
                    yield f'{TABLE.name}:{row.line}: {language} has no "{name}" in the group {row.group}'


def unexplained(rows: list[Row]) -> Iterator[str]:
    for row in rows:
        gaps = [language for language, names in row.names.items() if not names]
        if gaps and not row.reason:
            yield f"{TABLE.name}:{row.line}: {' and '.join(gaps)} lack it, and no reason is given"
        if row.reason and not gaps:
            yield f"{TABLE.name}:{row.line}: the reason explains no gap"


def table() -> Iterator[Row]:
    for number, line in enumerate(TABLE.read_text("utf-8").splitlines(), 1):
        if number == 1 or not line.strip():
            continue
        group, *cells = line.split("\t")
        cells += [""] * (len(LANGUAGES) + 1 - len(cells))
        names = {language: [] if cell == GAP else cell.split(" ") for language, cell in zip(LANGUAGES, cells, strict=False)}
        yield Row(number, group, names, cells[len(LANGUAGES)].strip())


def members(group: str) -> dict[str, set[str]]:
    rust, c, python, node = GROUPS[group]
    return {
        "Rust": {last for owner in rust for last in of_owner(words.rust(), owner.replace(".", "::"))},
        "C": {last for owner in c for last in of_c(owner)},
        "Python": {last for owner in python for last in of_python(owner)} - (members("endpoint")["Python"] if group == "listener" else set()),
        "Node": {last for owner in node for last in of_owner(words.node(), owner, ".")},
    }


def of_owner(names: words.Names, owner: str, separator: str = "::") -> Iterator[str]:
    for name in names:
        before, _, last = name.rpartition(separator)
        if before == owner and not NOT_COMPARED.match(last):
            yield last


def of_c(owner: str) -> Iterator[str]:
    names = words.c(words.HEADER) | words.c(words.HEADER_HTTP)
    if not owner.endswith("_"):
        yield from of_owner(names, owner, ".")
        return
    for name in names:
        last = name.removeprefix(owner)
        if name.startswith(owner) and "." not in last and last != "options" and not NOT_COMPARED.match(last):
            yield last


def of_python(owner: str) -> Iterator[str]:
    kind, _, method = owner.partition(".")
    sources = [*PYTHON.glob("*.pyi"), PYTHON / "_testing.py"]
    classes = [node for file in sources for node in ast.parse(file.read_text("utf-8")).body if isinstance(node, ast.ClassDef) and node.name == kind]
    for node in (each for one in classes for each in one.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if method and node.name == method:
                yield from (argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs) if argument.arg not in ("self", "cls"))
            elif not method and not node.name.startswith("_"):
                yield node.name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
