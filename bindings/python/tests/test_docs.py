"""Every public name has a docstring and a signature at run time, those of the stubs."""

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wellhead

PACKAGE = Path(__file__).parents[1]


def public() -> Iterator[tuple[str, Any]]:
    """The public functions, classes, methods and properties, by name."""
    for name in wellhead.__all__:
        value = getattr(wellhead, name)
        if name == "NOT_MODIFIED":
            continue
        yield name, value
        if not isinstance(value, type):
            continue
        for member in vars(value):
            if not member.startswith("_") and member not in ("code", "value", "args"):
                yield f"{name}.{member}", getattr(value, member)


@pytest.mark.parametrize(("name", "value"), [case for case in public()], ids=[name for name, _ in public()])
def test_a_public_name_has_a_docstring_that_begins_with_a_sentence(name: str, value: Any) -> None:
    docstring = inspect.getdoc(value)
    assert docstring
    first = docstring.split("\n\n")[0].strip()
    assert first[0].isupper() or first.startswith("`"), first
    assert first.endswith((".", ":", "`.")), first


def test_the_stubs_have_the_docstrings_of_the_package() -> None:
    command = [sys.executable, str(PACKAGE / "stubs.py"), "--check"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("", "", 0)


def test_a_function_has_the_signature_of_its_stub() -> None:
    tree = ast.parse((PACKAGE / "python/wellhead/_core.pyi").read_text("utf-8"))
    compared = 0
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in wellhead.__all__:
            assert parameters(getattr(wellhead, node.name)) == declared(node)
        if not isinstance(node, ast.ClassDef) or node.name not in wellhead.__all__:
            continue
        owner = getattr(wellhead, node.name)
        methods = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
        last = {one.name: one for one in methods if not is_property(one)}  # of overloads
        for name, method in last.items():
            if name == "__new__":
                assert parameters(owner) == declared(method)[1:], node.name
            elif not name.startswith("_"):
                assert parameters(getattr(owner, name)) == declared(method), f"{node.name}.{name}"
            compared += 1
    assert compared > 60


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    found = inspect.signature(function).parameters.values()
    return [(one.name, one.kind, one.default) for one in found]


def declared(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[tuple[str, Any, Any]]:
    arguments, empty = node.args, inspect.Parameter.empty
    by_position = [*arguments.posonlyargs, *arguments.args]
    defaults = [empty] * (len(by_position) - len(arguments.defaults)) + [
        ast.literal_eval(one) for one in arguments.defaults
    ]
    found: list[tuple[str, Any, Any]] = []
    for at, (argument, default) in enumerate(zip(by_position, defaults, strict=True)):
        only = at < len(arguments.posonlyargs) or (at == 0 and argument.arg == "self")
        kind = inspect.Parameter.POSITIONAL_ONLY if only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        found.append((argument.arg, kind, default))
    for argument, given in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        value = empty if given is None else ast.literal_eval(given)
        found.append((argument.arg, inspect.Parameter.KEYWORD_ONLY, value))
    return found


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)


def test_the_package_says_its_version() -> None:
    assert wellhead.__version__.count(".") == 2
    assert wellhead.__doc__
