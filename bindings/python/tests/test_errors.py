"""Exceptions that travel between processes, as with `concurrent.futures.ProcessPoolExecutor`."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import wellhead
from wellhead._wire import refused


def taken() -> wellhead.IoError:
    error = wellhead.IoError("the address is taken", "io")
    error.errno = 98
    return error


ERRORS = [
    wellhead.UsageError("twice", "duplicate"),
    wellhead.ClosedError("forked", "forked"),
    wellhead.ResourceNotFound("gone"),
    wellhead.PermissionDenied(),
    wellhead.Busy(1.5),
    wellhead.Busy(),
    wellhead.InputRequired({"requestState": "x"}),
    wellhead.InsufficientScope("read", "write"),
    wellhead.MissingCapability({"sampling": {}}),
    wellhead.MethodError(7, "seven", {"a": 1}),
    wellhead.ErrorFromServer(-32602, "missing", {"uri": "a:b"}),
    refused({"code": -32002, "message": "Resource not found", "data": {"uri": "a:b"}}),
    refused({"code": 7, "message": "Permission denied"}),
    refused({"code": 8, "message": "Busy", "data": {"retryAfterMs": 5}}),
    taken(),
]


@pytest.mark.parametrize("error", ERRORS, ids=[type(error).__name__ for error in ERRORS])
def test_an_exception_is_the_same_in_another_process(error: wellhead.Error) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is type(error)
        assert (str(twin), twin.args, vars(twin)) == (str(error), error.args, vars(error))
        assert getattr(twin, "errno", None) == getattr(error, "errno", None)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: wellhead.MethodError("a", "x"), "rpc_code must be an int, not str"),  # type: ignore[arg-type]
        (lambda: wellhead.MethodError(1, "x", ["a"]), "data must be a dict, not list"),  # type: ignore[arg-type]
        (lambda: wellhead.InputRequired("a"), "value must be a dict, not str"),  # type: ignore[arg-type]
        (lambda: wellhead.MissingCapability(["a"]), "value must be a dict, not list"),  # type: ignore[arg-type]
        (lambda: wellhead.InsufficientScope(["a"]), "each scope must be a str, not list"),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_an_outcome_with_a_value_of_another_type_is_refused(make: Callable[[], object], text: str) -> None:
    with pytest.raises(TypeError, match=f"^{text}$"):
        make()


def test_a_message_may_be_an_exception() -> None:
    server = wellhead.Server("s", "1")

    @server.tool
    def tool() -> str:
        raise wellhead.ToolError(ValueError("too large"))

    @server.method("x/y")
    def method(params: dict[str, Any]) -> dict[str, Any]:
        raise wellhead.MethodError(-32001, ValueError("too large"))

    with server.test_client() as client:
        assert client.call_tool("tool")["content"][0]["text"] == "too large"
        with pytest.raises(wellhead.ErrorFromServer, match=r"^too large \(-32001\)$"):
            client.request("x/y")


def test_the_log_says_why_an_outcome_cannot_be_sent(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")

    @server.method("x/y")
    def method(params: dict[str, Any]) -> dict[str, Any]:
        try:
            raise KeyError("first")
        except KeyError as e:
            raise wellhead.MethodError(-32001, "conflict", {"a": object()}) from e

    with server.test_client() as client, pytest.raises(wellhead.ErrorFromServer, match="Internal error"):
        client.request("x/y")
    for part in ("KeyError: 'first'", "MethodError: conflict", "TypeError: data cannot be written as JSON"):
        assert part in caplog.text
