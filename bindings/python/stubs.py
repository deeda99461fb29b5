"""Writes the docstrings of the installed package into its stubs, whose signatures are written by hand.

stubs.py          writes them
stubs.py --check  fails if that would change anything
"""

import ast
import inspect
import sys
from pathlib import Path
from typing import TypeAlias

import wellhead

_Node: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

PUBLIC = set(wellhead.__all__)
STUBS = [Path(__file__).parent / "python/wellhead" / name for name in ("_core.pyi", "_errors.pyi")]


def main() -> int:
    stale = []
    for path in STUBS:
        text = path.read_text("utf-8")
        documented = written(text)
        if documented != text:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(documented, "utf-8")
    if "--check" in sys.argv and stale:
        print(f"docstrings differ in {', '.join(stale)}: run stubs.py")
        return 1
    return 0


def written(text: str) -> str:
    """The stub with the docstrings of the package's public classes and functions."""
    lines = text.split("\n")
    for node, docstring in reversed(list(documented(ast.parse(text)))):
        first = node.body[0]
        if len(node.body) > 1 or is_docstring(first) or isinstance(node, ast.ClassDef):
            head = lines[: first.lineno - 1]
            rest = lines[first.end_lineno :] if is_docstring(first) else lines[first.lineno - 1 :]
        else:  # `def name(self) -> str: ...`
            line = lines[first.lineno - 1]
            head = [*lines[: first.lineno - 1], line.removesuffix("...").rstrip()]
            rest = lines[first.end_lineno :]
        indent = " " * (node.col_offset + 4)
        if isinstance(node, ast.ClassDef) and not is_docstring(first) and rest[0].strip():
            rest = ["", *rest]
        shown = [f"{indent}{line}".rstrip() for line in f'"""{docstring}'.split("\n")]
        closing = [f'{indent}"""'] if "\n" in docstring else []
        lines = [*head, *shown, *closing, *rest] if closing else [*head, f'{shown[0]}"""', *rest]
    return "\n".join(lines)


def documented(tree: ast.Module) -> list[tuple[_Node, str]]:
    """The nodes of a stub that the package documents, in order."""
    found: list[tuple[_Node, str | None]] = []
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name not in PUBLIC:
            continue
        value = getattr(wellhead, node.name)
        found.append((node, value.__doc__))
        if not isinstance(node, ast.ClassDef):
            continue
        methods = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
        for at, method in enumerate(methods):
            overloaded = at + 1 < len(methods) and methods[at + 1].name == method.name
            if not method.name.startswith("_") and not overloaded:
                found.append((method, getattr(value, method.name).__doc__))
    return [(node, inspect.cleandoc(docstring)) for node, docstring in found if docstring]


def is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


if __name__ == "__main__":
    sys.exit(main())
