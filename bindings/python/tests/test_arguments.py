"""Keywords that a function does not have, and addresses that cannot be had."""

import ast
import errno
import pathlib
import socket
from typing import Any

import pytest
import wellhead


def test_the_error_for_a_misspelt_keyword_suggests_the_right_one() -> None:
    """A misspelt one is told the right one, so the lists of names are those of the stubs."""
    server = wellhead.Server("s", "1")
    stub = pathlib.Path(wellhead.__file__).parent / "_core.pyi"
    functions: dict[str, Any] = {
        "text": lambda **given: server.text("a:b", "x", **given),
        "blob": lambda **given: server.blob("a:b", b"x", **given),
        "resource": lambda **given: server.resource("a:b", **given),
        "directory": lambda **given: server.directory("/", **given),
        "run": server.run,
        "run_async": server.run_async,
        "serve_http": server.serve_http,
        "asgi": server.asgi,
        "Server": lambda **given: wellhead.Server("s", "1", **given),
        "Resource": lambda **given: wellhead.Resource("a:b", **given),
        "Contents": lambda **given: wellhead.Contents("x", **given),
        "Limits": wellhead.Limits,
        "Icon": lambda **given: wellhead.Icon("https://x.example", **given),
        "CacheHint": wellhead.CacheHint,
        "Grant": lambda **given: wellhead.Grant(wellhead.Caller("x"), **given),
        "Completion": lambda **given: wellhead.Completion([], **given),
        "Page": lambda **given: wellhead.Page([], **given),
    }
    checked = set()
    for node in ast.walk(ast.parse(stub.read_text("utf-8"))):
        if not isinstance(node, ast.ClassDef):
            continue
        for item in node.body:
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                name = node.name if item.name == "__new__" else item.name
                for keyword in item.args.kwonlyargs if name in functions and node.name in (name, "Server") else []:
                    with pytest.raises(TypeError, match=f"did you mean '{keyword.arg}'"):
                        functions[name](**{keyword.arg + "_": None})
                    checked.add(name)
    assert checked == set(functions)


def test_an_address_that_cannot_be_bound_raises_an_os_error() -> None:
    server = wellhead.Server("s", "1")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(wellhead.IoError) as raised:
            server.serve_http(port=port)
    refused = raised.value
    assert isinstance(refused, OSError) and isinstance(refused, wellhead.Error)
    assert (refused.errno, refused.code) == (errno.EADDRINUSE, "io")
    assert str(refused) == f"the address 127.0.0.1:{port} cannot be bound: Address already in use"
    with pytest.raises(OSError, match=r"^the address nowhere\.invalid:80 cannot be bound: "):
        server.serve_http("nowhere.invalid", 80)
