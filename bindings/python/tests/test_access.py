"""Callers, verdicts, and interest in URIs."""

import asyncio
import logging
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any, Literal

import pytest
import wellhead
from client import cancel, outcome, read, request, transmitted
from garbage import is_freed

if TYPE_CHECKING:
    from collections.abc import Sequence

LEGACY = b"""{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},\
"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"""


def two_notes() -> wellhead.Server:
    server = wellhead.Server("s", "1")
    server.text("n:1", "one")
    server.text("n:2", "two")
    return server


def test_a_call_has_its_caller_and_revision() -> None:
    server = two_notes()
    claims = {"sub": "alice"}

    @server.resource("n:who")
    def who(call: wellhead.Call) -> str:
        assert call.caller.value is None or call.caller.value is claims
        return f"{call.caller.id!r} {call.revision}"

    @server.list
    def listing(after: str | None, limit: int, call: wellhead.Call) -> wellhead.Page:
        return wellhead.Page([wellhead.Resource(f"n:{call.caller.id.decode()}-{call.revision}")])

    alice = server.connect(caller=wellhead.Caller(b"alice", claims))
    assert outcome(alice.handle(read("n:who"))) == "b'alice' 2026-07-28"
    assert outcome(server.connect().handle(read("n:who"))) == "b'' 2026-07-28"
    answer = alice.handle(request(1, "resources/list"))
    assert answer is not None and b'"n:alice-2026-07-28"' in answer
    assert repr(wellhead.Caller(b"a", 1)) == "Caller(b'a', 1)"


def test_one_function_decides_for_all_operations() -> None:
    server = two_notes()
    asked: list[tuple[str, list[str], bytes]] = []

    @server.authorize
    def may(operation: str, uris: list[str], call: wellhead.Call) -> list[Literal["allow", "hide"]]:
        asked.append((operation, uris, call.caller.id))
        return ["allow" if uri == "n:1" else "hide" for uri in uris]

    connection = server.connect(caller=wellhead.Caller(b"bob"))
    assert outcome(connection.handle(read("n:1"))) == "one"
    assert outcome(connection.handle(read("n:2"))) == "Resource not found"
    answer = connection.handle(request(1, "resources/list"))
    assert answer is not None and b"n:1" in answer and b"n:2" not in answer
    assert asked == [("read", ["n:1"], b"bob"), ("read", ["n:2"], b"bob"), ("list", ["n:1", "n:2"], b"bob")]


@pytest.mark.parametrize("verdicts", [None, "allow", ["yes"], [True], [], ["allow", "allow"]])
def test_an_invalid_verdict_fails_the_read_and_is_logged(verdicts: Any, caplog: pytest.LogCaptureFixture) -> None:
    server = two_notes()
    server.authorize(lambda operation, uris: verdicts)
    assert outcome(server.connect().handle(read("n:1"))) == "Internal error"
    assert caplog.records


def test_an_exception_of_the_authorizer_fails_the_read_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = two_notes()

    @server.authorize
    def may(operation: str, uris: list[str]) -> list[Literal["allow"]]:
        raise KeyError("broken")

    assert outcome(server.connect().handle(read("n:1"))) == "Internal error"
    [record] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.exc_info is not None and isinstance(record.exc_info[1], KeyError)


def test_a_coroutine_authorizes_and_is_cancelled_with_its_request() -> None:
    server = two_notes()

    async def main() -> None:
        began, ended = asyncio.Event(), asyncio.Event()

        @server.authorize
        async def may(operation: str, uris: list[str]) -> list[Literal["allow"]]:
            if uris == ["n:1"]:
                return ["allow"]
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            raise AssertionError("nothing ends the wait but a cancellation")

        connection = server.connect()
        assert outcome(await connection.handle_async(read("n:1"))) == "one"
        connection.receive(read("n:2", 7))
        connection.poll_event()
        await began.wait()
        connection.receive(cancel(7))
        connection.poll_event()
        await ended.wait()
        assert transmitted(connection) == []

    asyncio.run(main())


@pytest.mark.parametrize("is_async", [False, True])
def test_on_interest_is_called_before_a_subscription_is_acknowledged(is_async: bool) -> None:
    server = two_notes()
    told: list[tuple[str, bool]] = []

    def watch(uri: str, wanted: bool) -> None:
        told.append((uri, wanted))

    async def watch_later(uri: str, wanted: bool) -> None:
        await asyncio.sleep(0)
        watch(uri, wanted)

    server.on_interest(watch_later if is_async else watch)

    async def main() -> None:
        connection = server.connect()
        connection.receive(LEGACY)
        connection.poll_event()
        transmitted(connection)
        for method, wanted in (("subscribe", True), ("unsubscribe", False)):
            message = f'{{"jsonrpc":"2.0","id":1,"method":"resources/{method}","params":{{"uri":"n:1"}}}}\n'
            connection.receive(message.encode())
            while not (answers := transmitted(connection)):
                connection.poll_event()
                await asyncio.sleep(0)
            assert answers == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
            while told[-1] != ("n:1", wanted):
                connection.poll_event()
                await asyncio.sleep(0)

    asyncio.run(main())
    assert told == [("n:1", True), ("n:1", False)]


def test_functions_with_other_parameters_are_refused() -> None:
    server = two_notes()
    with pytest.raises(wellhead.UsageError, match=r"\(operation, targets\)"):
        server.authorize(lambda uri: ["allow"])
    with pytest.raises(wellhead.UsageError, match=r"\(uri, wanted\)"):
        server.on_interest(lambda uri: None)  # type: ignore[type-var]

    def interest(uri: str, wanted: bool, call: wellhead.Call) -> None: ...

    with pytest.raises(wellhead.UsageError, match=r"\(uri, wanted\)"):
        server.on_interest(interest)  # type: ignore[type-var]

    def authorize(operation: str, targets: list[str], call: "Missing.Call") -> Any: ...  # type: ignore[name-defined] # noqa: F821

    with pytest.raises(wellhead.UsageError, match=r'the annotation "Missing\.Call" of "call" cannot be resolved'):
        server.authorize(authorize)

    def variadic(*arguments: Any) -> Any:
        return ["allow" for _ in arguments[1]]

    assert server.authorize(variadic) is variadic


def test_annotations_of_positional_arguments_are_not_needed_at_run_time() -> None:
    server = two_notes()
    asked: list[object] = []

    @server.authorize
    def authorize(operation: str, targets: "Sequence[str]", call: "wellhead.Call") -> list[Literal["allow"]]:
        asked.append(call)
        return ["allow" for _ in targets]

    assert outcome(server.connect().handle(read("n:1"))) == "one"
    assert isinstance(asked[0], wellhead.Call)


def test_a_function_of_c_may_be_a_callback() -> None:
    server = two_notes()
    published: deque[str] = deque()
    server.on_interest(max)  # type: ignore[type-var] # its signature cannot be read
    server.on_publish(published.append)
    server.notify_updated("n:1")
    assert len(published) == 1


def test_a_completer_of_c_without_a_signature_is_given_the_value_only() -> None:
    server = wellhead.Server("s", "1")
    server.resource("n:{id}", complete={"id": dir})(lambda id: id)  # its signature cannot be read
    with server.test_client() as client:
        assert client.complete("n:{id}", "id", "a") == dir("a")


def test_a_cycle_through_a_caller_and_callbacks_is_collected() -> None:
    class Value:
        def __init__(self, server: wellhead.Server) -> None:
            self.server = server
            self.connection = server.connect(caller=wellhead.Caller(b"x", self))

    def gone() -> weakref.ref[wellhead.Server]:
        server = wellhead.Server("s", "1")
        server.authorize(lambda operation, uris: [server for _ in uris])  # type: ignore[type-var]
        server.on_interest(lambda uri, wanted: server.close())
        Value(server)
        return weakref.ref(server)

    server = gone()
    assert is_freed(server)


def test_raw_values_are_handed_over_unchecked() -> None:
    server = two_notes()
    server.resource("safe:{+path}")(lambda path: path)
    server.resource("raw:{+path}", raw_values=True)(lambda path: path)
    assert outcome(server.connect().handle(read("safe:../x"))) == "Resource not found"
    assert outcome(server.connect().handle(read("raw:../x"))) == "../x"
    with pytest.raises(wellhead.UsageError, match="raw_values"):
        server.resource("raw:x", raw_values=True)(lambda: "x")


def test_icons_are_listed_where_the_revision_has_them() -> None:
    server = two_notes()
    icon = wellhead.Icon("https://example.com/i.png", mime_type="image/png", sizes=["48x48"], theme="dark")
    server.text("n:3", "three", icons=[icon])
    shown = b'"icons":[{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}]'
    answer = server.connect().handle(request(1, "resources/list"))
    assert answer is not None and shown in answer
    with pytest.raises(wellhead.UsageError, match="scheme"):
        server.text("n:4", "four", icons=[wellhead.Icon("file:///i.png")])


def test_the_error_names_a_descriptor_of_the_wrong_type() -> None:
    server = two_notes()
    with pytest.raises(TypeError, match="title must be"):
        server.text("n:5", "x", title=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword argument 'mimetype'"):
        server.text("n:5", "x", mimetype="text/plain")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="icons must be"):
        server.text("n:5", "x", icons=["https://example.com/i.png"])  # type: ignore[list-item]


def test_a_resource_has_the_values_that_it_was_made_with() -> None:
    resource = wellhead.Resource("n:1", name="a", title="b", description="c", mime_type="text/d", size=3, key="e")
    made = (resource.uri, resource.name, resource.title, resource.description, resource.mime_type, resource.size)
    assert (*made, resource.key) == ("n:1", "a", "b", "c", "text/d", 3, "e")
    assert wellhead.Resource("n:2").key == "n:2" and wellhead.Resource("n:2").name is None
    assert wellhead.Page([resource], more=True).items == [resource]
