"""A wrong registration is refused where it is written, with a word and an advice."""

from collections.abc import Callable
from typing import Any

import pytest
import wellhead


def refused(code: str, register: Callable[..., object], *arguments: Any, **options: Any) -> str:
    with pytest.raises(wellhead.UsageError) as raised:
        register(*arguments, **options)
    assert raised.value.code == code
    assert isinstance(raised.value, wellhead.Error) and isinstance(raised.value, ValueError)
    return str(raised.value)


def test_uris_and_templates_are_checked() -> None:
    server = wellhead.Server("s", "1")
    refused("invalid_uri", server.text, "no uri", "x")
    refused("invalid_uri", server.resource("a b:c"), lambda: "x")
    refused("invalid_template", server.resource("n:{id"), lambda: "x")
    server.text("n:a", "x")
    assert "n:a" in refused("duplicate", server.blob, "n:a", b"x")
    server.resource("n:{a}")(lambda a: "x")
    assert "n:{a}" in refused("duplicate", server.resource("n:{a}"), lambda a: "x")
    refused("ambiguous", server.resource("n:{b}"), lambda b: "x")


def test_parameters_are_checked() -> None:
    server = wellhead.Server("s", "1")

    def unknown(other: str) -> str:
        return other

    def unconvertible(id: dict[str, str]) -> str:
        return str(id)

    def unresolvable(id: "Missing") -> str:  # type: ignore[name-defined] # noqa: F821
        return str(id)

    def variadic(*arguments: Any) -> str:
        return ""

    def absent(id: str, q: str) -> str:
        return q

    def scalar(path: int) -> str:
        return str(path)

    assert '"other"' in refused("invalid_argument", server.resource("n:{id}"), unknown)
    assert "dict" in refused("invalid_argument", server.resource("n:{id}"), unconvertible)
    assert "Missing" in refused("invalid_argument", server.resource("n:{id}"), unresolvable)
    assert "name the parameters" in refused("invalid_argument", server.resource("n:{id}"), variadic)
    assert "q" in refused("invalid_argument", server.resource("n:{id}{?q}"), absent)
    assert "list[str]" in refused("invalid_argument", server.resource("n:{/path*}"), scalar)
    assert "(after, limit)" in refused("invalid_argument", server.list, lambda after: wellhead.Page([]))
    refused("invalid_argument", server.resource("n:{id}"), 5)


def test_a_refused_decorator_leaves_its_template_free() -> None:
    server = wellhead.Server("s", "1")

    def unknown(other: str) -> str:
        return other

    refused("invalid_argument", server.resource("n:{id}"), unknown)
    server.resource("n:{id}")(lambda id: id)


def test_descriptors_are_checked() -> None:
    server = wellhead.Server("s", "1")
    refused("invalid_argument", server.text, "n:a", "x", annotations={"audience": ["nobody"]})
    refused("invalid_argument", server.text, "n:a", "x", annotations={"priority": 2})
    refused("invalid_argument", server.text, "n:a", "x", meta={"io.modelcontextprotocol/x": 1})
    refused("invalid_argument", server.resource("n:{id}", size=3), lambda id: id)
    refused("invalid_argument", server.resource("n:a", list=[]), lambda: "x")
    refused("invalid_argument", server.resource("n:{id}", list=["n:1"]), lambda id: id)  # type: ignore[list-item]
    items = [wellhead.Resource("n:1"), wellhead.Resource("n:1")]
    refused("duplicate", server.resource("n:{id}", list=items), lambda id: id)
    refused("invalid_argument", wellhead.Server, "s", "1", cursor_key=b"short")


def test_wrong_types_are_type_errors() -> None:
    server = wellhead.Server("s", "1")
    body: Any = 5
    with pytest.raises(TypeError):
        server.text("n:a", body)
    with pytest.raises(TypeError):
        server.blob("n:a", body)
    with pytest.raises(TypeError, match="body must be a str, bytes or JSON"):
        wellhead.Contents(body)
    with pytest.raises(TypeError, match="Resource"):
        wellhead.Page([body])
    with pytest.raises(TypeError, match="wake"):
        server.connect(body)
    with pytest.raises(TypeError):
        server.text("n:a", "x").set(body)


def test_a_removed_registration_is_unknown() -> None:
    server = wellhead.Server("s", "1")
    fixed = server.text("n:a", "x")
    fixed.remove()
    for act in (fixed.remove, lambda: fixed.set("y"), lambda: server.remove_resource("n:a")):
        refused("unknown", act)
    server.resource("n:{id}")(lambda id: id)
    server.remove_resource("n:{id}")
    refused("unknown", server.remove_resource, "n:{id}")


def test_a_closed_server_raises_closed_error() -> None:
    with wellhead.Server("s", "1") as server:
        fixed = server.text("n:a", "x")
        connection = server.connect()
    for act in (
        lambda: server.text("n:b", "x"),
        lambda: server.resource("n:{id}")(lambda id: id),
        lambda: server.list(lambda after, limit: wellhead.Page([])),
        lambda: server.notify_updated("n:a"),
        server.notify_resource_list_changed,
        lambda: fixed.set("y"),
        server.run,
        lambda: connection.handle(b"{}"),
    ):
        with pytest.raises(wellhead.ClosedError) as raised:
            act()
        assert raised.value.code == "closed"
    server.close()


def test_options_of_run_are_checked() -> None:
    server = wellhead.Server("s", "1")
    with pytest.raises(ValueError, match="callback_threads"):
        server.run(callback_threads=0)
    with pytest.raises(ValueError, match="shutdown_ms"):
        server.run(shutdown_ms=-1)


def test_limits_are_compared_and_shown() -> None:
    assert wellhead.Limits(nesting=5) == wellhead.Limits(nesting=5) != wellhead.Limits()
    assert wellhead.Limits(nesting=5).nesting == 5
    assert "nesting=5" in repr(wellhead.Limits(nesting=5))


def test_outcomes_are_exceptions_that_callers_already_catch() -> None:
    assert issubclass(wellhead.ResourceNotFound, LookupError)
    assert issubclass(wellhead.PermissionDenied, PermissionError)
    assert wellhead.ResourceNotFound("gone").code == "not_found"
    assert str(wellhead.PermissionDenied("no")) == "no"
