"""Calls, counts, and changes for other instances, as the program gets them."""

import asyncio
import contextvars
import json
import logging
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import wellhead
from client import read_or_error
from garbage import is_freed


def test_the_observer_sees_when_calls_begin_and_how_they_end() -> None:
    seen: list[wellhead.Observed] = []
    server = wellhead.Server("s", "1", observe=seen.append)
    server.resource("n:{id}")(lambda id: "12345" if id == "a" else None)
    assert read_or_error(server, "n:a") == "12345"
    assert read_or_error(server, "n:b") == "Resource not found"
    assert [(one.method, one.registered_as, one.outcome) for one in seen] == [
        ("resources/read", "n:{id}", None),
        ("resources/read", "n:{id}", "found"),
        ("resources/read", "n:{id}", None),
        ("resources/read", "n:{id}", "not_found"),
    ]
    begin, end = seen[:2]
    assert begin.call == end.call and (end.bytes, end.client_waiting, end.traceparent) == (5, True, None)
    assert (begin.client_waiting, begin.time) == (False, None) and end.time is not None and end.time >= 0


def test_an_observer_that_fails_is_logged_and_harms_no_call(caplog: pytest.LogCaptureFixture) -> None:
    def broken(observed: wellhead.Observed) -> None:
        raise RuntimeError("broken")

    server = wellhead.Server("s", "1", observe=broken)
    server.resource("n:a")(lambda: "a")
    assert read_or_error(server, "n:a") == "a"
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == 2 and errors[0].exc_info is not None
    with pytest.raises(TypeError, match="observe"):
        wellhead.Server("s", "1", observe=5)  # type: ignore[arg-type]


def test_calls_and_changes_are_counted() -> None:
    server = wellhead.Server("s", "1")
    server.resource("n:a")(lambda: "a")
    read_or_error(server, "n:a")
    with server.test_client() as client:
        client.subscribe("n:a")
        server.notify_updated("n:a")
        counters = server.counters()
    assert (counters.calls, counters.calls_answered, counters.calls_failed) == (1, 1, 0)
    assert (counters.connections, counters.connections_open) == (2, 1)
    assert (counters.uris_subscribed, counters.subscriptions_open) == (1, 1)


def test_a_change_that_one_instance_publishes_reaches_the_clients_of_another() -> None:
    first, second = (wellhead.Server("s", "1", instance_name=origin) for origin in ("first", "second"))
    second.text("n:a", "a")
    events: list[str] = []
    first.on_publish(events.append)
    first.notify_updated("n:a")
    [event] = events
    assert json.loads(event) == {"origin": "first", "change": "updated", "uri": "n:a"}
    with second.test_client() as client:
        client.subscribe("n:a")
        assert second.inject(event)
        assert client.next_update() == "n:a"
    assert not first.inject(event)
    with pytest.raises(wellhead.UsageError):
        second.inject("no event")


def test_a_cycle_through_an_observer_is_collected() -> None:
    def gone() -> weakref.ref[wellhead.Server]:
        held: list[wellhead.Server] = []
        server = wellhead.Server("s", "1", observe=lambda observed: held.clear())
        server.on_publish(lambda event: held.clear())
        held.append(server)
        return weakref.ref(server)

    server = gone()
    assert is_freed(server)


def test_an_async_def_that_nothing_would_await_is_refused() -> None:
    async def later(*arguments: object) -> None: ...

    with pytest.raises(wellhead.UsageError, match=r"^observe is called at once, and nothing awaits it; make it a def$"):
        wellhead.Server("s", "1", observe=later)
    server = wellhead.Server("s", "1")
    with pytest.raises(wellhead.UsageError, match=r"^wake is called at once"):
        server.connect(later)
    with pytest.raises(wellhead.UsageError, match=r"^on_listening is called at once"):
        server.serve_http(port=0, on_listening=later)
    with pytest.raises(wellhead.UsageError, match=r"^on_listening is called at once"):
        asyncio.run(server.serve_http_async(port=0, on_listening=later))

    @server.resource("n:a")
    def callback(call: wellhead.Call) -> str:
        with pytest.raises(wellhead.UsageError, match=r"^function is called at once"):
            call.on_cancel(later)
        return "refused"

    assert read_or_error(server, "n:a") == "refused"


KEPT: contextvars.ContextVar[object] = contextvars.ContextVar("kept")


class Kept:
    def __init__(self, call: wellhead.Call) -> None:
        self.call = call


@pytest.mark.parametrize("kind", ["a resource", "a tool", "an around function"])
def test_a_call_that_its_context_keeps_is_freed(kind: str) -> None:
    seen: list[weakref.ref[Kept]] = []
    contexts: list[object] = []

    def keep(call: wellhead.Call) -> None:
        kept = Kept(call)
        KEPT.set(kept)
        seen.append(weakref.ref(kept))

    def observe(observed: wellhead.Observed) -> None:
        contexts.append(type(KEPT.get(None)).__name__)

    server = wellhead.Server("s", "1", observe=observe)

    @server.resource("n:a")
    def resource(call: wellhead.Call) -> str:
        if kind == "a resource":
            keep(call)
        return "a"

    @server.tool
    def tool(call: wellhead.Call) -> str:
        if kind == "a tool":
            keep(call)
        return "a"

    if kind == "an around function":

        @server.around
        def around(call: wellhead.Call, next: Callable[[], Any]) -> Any:
            keep(call)
            return next()

    with server.test_client() as client:
        client.read("n:a") if kind == "a resource" else client.call_tool("tool")
    assert contexts[-2:] == ["NoneType", "Kept"]  # before the callback, and at its end
    assert seen and is_freed(*seen)
