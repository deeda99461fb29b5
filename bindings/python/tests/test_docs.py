"""Every public name has a docstring and a signature at run time, those of the stubs."""

import ast
import inspect
import re
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


FUNCTIONS = [(name, value) for name, value in public() if callable(value)]


@pytest.mark.parametrize(("name", "value"), FUNCTIONS, ids=[name for name, _ in FUNCTIONS])
def test_each_parameter_is_named_and_explained(name: str, value: Any) -> None:
    owner, _, method = name.partition(".")
    if owner == "AsyncTestClient" and method:
        same = inspect.signature(getattr(wellhead.TestClient, method))
        assert inspect.signature(value).parameters == same.parameters
        return
    docstring = inspect.getdoc(value) or ""
    inherits = isinstance(value, type) and issubclass(value, wellhead.Error) and value is not wellhead.Error
    for parameter in inspect.signature(value).parameters.values():
        assert parameter.kind is not inspect.Parameter.VAR_KEYWORD, "its keywords cannot be seen"
        if parameter.name in ("self", *(["message", "code"] if inherits else [])) or name in MADE_BY_A_SERVER:
            continue
        explained = any(sign in docstring for sign in (f"    {parameter.name}:", f"`{parameter.name}`"))
        assert explained or REFERS.search(docstring), parameter.name


# Their docstrings are those of the methods that return them.
MADE_BY_A_SERVER = {"AsgiApp", "HttpEndpoint", "HttpResponse", "TestClient", "AsyncTestClient"}
# Parameters that another docstring explains.
REFERS = re.compile(r"[Aa]rguments(, and the|\s+and)?\s+(errors)?,?\s*are\s+those\s+of\s+`\w+")


@pytest.mark.parametrize("name", ["AsgiApp", "AsyncTestClient", "Call", "Connection", "Handle", "Server", "TestClient"])
def test_the_docstring_of_a_class_names_the_threads_that_may_use_it(name: str) -> None:
    assert re.search(r"thread|event loop", inspect.getdoc(getattr(wellhead, name)) or "")


EXAMPLES = [
    pytest.param(block, id=name)
    for name, value in public()
    for block in re.findall(r"\n\n((?:    .+\n)+)\n", inspect.getdoc(value) or "")
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(example: str) -> None:
    notes = {1: "one", 2: "two"}
    with wellhead.Server("s", "1") as server:
        server.text("a:b", "x")  # or there may be no list to ask for
        exec(inspect.cleandoc("\n" + example), {"wellhead": wellhead, "server": server, "notes": notes})
        with server.test_client() as client:
            client.list()


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


def test_the_package_has_a_version_and_a_docstring() -> None:
    assert wellhead.__version__.count(".") == 2
    assert wellhead.__doc__
