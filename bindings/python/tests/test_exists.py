"""A registration's `exists` says if a URI may exist."""

import logging
import weakref
from typing import Any

import pytest
import wellhead
from client import outcome, read, request, transmitted
from garbage import is_freed


def watched(server: wellhead.Server, *uris: str) -> list[str]:
    """Those of the URIs that a client may watch."""
    connection = server.connect()
    connection.receive(request("l", "subscriptions/listen", notifications={"resourceSubscriptions": uris}))
    while connection.poll_event():
        pass
    (acknowledged,) = transmitted(connection)
    connection.close()
    honoured: dict[str, list[str]] = acknowledged["params"]["notifications"]
    return honoured.get("resourceSubscriptions", [])


def test_a_method_of_a_container_decides_which_uris_exist() -> None:
    server = wellhead.Server("s", "1")
    notes = {"notes://1": "One."}

    @server.resource("notes://{id}", exists=notes.__contains__)
    def note(id: str) -> str:
        return f"Note {id}."

    assert watched(server, "notes://1", "notes://2") == ["notes://1"]
    assert outcome(server.connect().handle(read("notes://2"))) == "Note 2."


def test_a_fallback_is_decorated_with_and_without_exists() -> None:
    server = wellhead.Server("s", "1")

    @server.fallback
    def anything(uri: str) -> str:
        return uri

    assert watched(server, "any:x") == ["any:x"]

    @server.fallback(exists=lambda uri: uri == "any:y")
    def some(uri: str) -> str:
        return uri.upper()

    assert watched(server, "any:x", "any:y") == ["any:y"]
    assert outcome(server.connect().handle(read("any:x"))) == "ANY:X"


@pytest.mark.parametrize("answer", [None, 1, "yes", ValueError("gone")])
def test_a_failed_exists_is_logged_and_the_uri_counts_as_existing(
    answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    server = wellhead.Server("s", "1")

    def exists(uri: str) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    server.resource("notes://{id}", exists=exists)(lambda id: "")
    with caplog.at_level(logging.ERROR, "wellhead"):
        assert watched(server, "notes://1") == ["notes://1"]
    (record,) = caplog.records
    assert record.getMessage() == "exists= failed, so the resource may exist"
    assert record.exc_info is not None


def test_exists_must_be_a_def_that_takes_a_uri() -> None:
    server = wellhead.Server("s", "1")

    async def later(uri: str) -> bool:
        return True

    for exists, why in ((later, "make it a def"), (lambda: True, r"it takes \(uri\)"), (5, "no function")):
        with pytest.raises(wellhead.UsageError, match=why) as refused:
            server.resource("notes://{id}", exists=exists)(lambda id: "")  # type: ignore[arg-type]
        assert refused.value.code == "invalid_argument"
    assert watched(server, "notes://1") == []


def test_a_server_in_a_cycle_with_exists_is_collected() -> None:
    def cycle() -> weakref.ref[wellhead.Server]:
        server = wellhead.Server("s", "1")

        def exists(uri: str) -> bool:
            return server.explain(uri).uri == uri

        server.resource("notes://{id}", exists=exists)(lambda id: "")
        server.fallback(lambda uri: "", exists=exists)
        return weakref.ref(server)

    gone = cycle()
    assert is_freed(gone)
