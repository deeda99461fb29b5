"""Lines of the log after a mistake in a callback or a refused request, word for word."""

import dataclasses
import logging
import pathlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import wellhead
from asgi_client import Request, endless, on_a_loop, read, send_request, session

TOOL = {"inputSchema": {"type": "object"}}


@dataclasses.dataclass
class Row:
    x: int = 1


class Model:
    """Looks like a model of pydantic."""

    def model_dump_json(self) -> str:
        return "{}"


def generates() -> Iterator[str]:
    yield "x"


async def generates_later() -> AsyncIterator[str]:
    yield "x"


async def later() -> str:
    return "x"


RETURN = "return str, bytes, wellhead.Contents, a list of Contents, a dict or other JSON, wellhead.NOT_MODIFIED or None"
RETURNED: list[tuple[Callable[[], Any], str]] = [
    (lambda: {"x"}, "set"),
    (lambda: ["x", "y"], "list"),
    (lambda: 3, "int"),
    (lambda: Row, "type"),
    (lambda: pathlib.Path("/"), "PosixPath"),
    (lambda: Model(), "Model"),
    (generates, "generator"),
    (generates_later, "async_generator"),
    (lambda: wellhead.Page([]), "Page"),
]


@pytest.mark.parametrize(("function", "given"), RETURNED, ids=[given for _, given in RETURNED])
def test_a_wrong_type_is_logged(function: Any, given: str, caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.resource("a:b")(function)
    assert logged(server, caplog) == f"reading a:b failed: the callback returned {given}; {RETURN}"


def logged(server: wellhead.Server, caplog: pytest.LogCaptureFixture, uri: str = "a:b") -> str:
    """The one line that a read logs, which answers an internal error."""
    with server.test_client() as client, pytest.raises(wellhead.ErrorFromServer, match="Internal error"):
        client.read(uri)
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("wellhead", logging.ERROR)
    return record.getMessage()


VERDICTS = 'return a list with "allow", "deny" or "hide" for each URI'
VERDICTS_RETURNED: list[tuple[Any, str]] = [
    (True, "bool"),
    ("allow", "str"),
    ([True], "list whose item 0 is bool"),
    (("allow", "yes"), "tuple whose item 1 is 'yes'"),
]


@pytest.mark.parametrize(("verdicts", "given"), VERDICTS_RETURNED, ids=[given for _, given in VERDICTS_RETURNED])
def test_a_wrong_verdict_is_logged(verdicts: Any, given: str, caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.text("a:b", "x")
    server.authorize(lambda operation, uris: verdicts)
    line = logged(server, caplog)
    assert line == f"the verdict about reading a:b failed: the callback returned {given}; {VERDICTS}"


def test_a_wrong_completion_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.prompt("p", complete={"a": lambda typed: ["x", 5]})(lambda a: a)  # type: ignore[list-item]
    with server.test_client() as client, pytest.raises(wellhead.ErrorFromServer, match="Internal error"):
        client.complete("p", "a", "x")
    (record,) = caplog.records
    expected = "the callback returned list whose item 1 is int; return a list of str, or wellhead.Completion"
    assert record.getMessage() == f"the completion of a in p failed: {expected}"


HALF = "has half of a surrogate pair ('\\ud800' at 0); replace it, as by .encode(errors=\"replace\").decode()"
PROMPTED: list[tuple[Any, str]] = [
    ("\ud800", f"the result cannot be written as JSON: messages[0].content.text {HALF}"),
    ({"text": "a"}, 'the prompt returned dict: a dict as content needs "type", such as {"type": "text", "text": "…"} '),
    ({"role": "user"}, 'the prompt returned dict: a message needs "content" next to "role" (this one has: role);'),
]


@pytest.mark.parametrize(("returned", "why"), PROMPTED, ids=[why[:40] for _, why in PROMPTED])
def test_a_wrong_message_of_a_prompt_is_logged(returned: Any, why: str, caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.prompt("p")(lambda: returned)
    with server.test_client() as client, pytest.raises(wellhead.ErrorFromServer, match="Internal error"):
        client.request("prompts/get", {"name": "p"})
    (record,) = caplog.records
    assert why in record.getMessage()


def test_half_of_a_surrogate_pair_in_an_answer_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.resource("a:b")(lambda: "\ud800")
    assert logged(server, caplog) == f"reading a:b failed: UsageError: the text {HALF}"

    @server.tool
    def fails() -> str:
        raise wellhead.ToolError("\ud800")

    caplog.clear()
    with server.test_client() as client:
        assert client.call_tool("fails")["isError"]
    (record,) = caplog.records
    assert record.getMessage().endswith(f"failed: UsageError: the message of the ToolError {HALF}")


@pytest.mark.filterwarnings("ignore:coroutine 'later' was never awaited")
def test_a_forgotten_await_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")

    @server.resource("a:b")
    async def forgets() -> Any:
        return later()

    assert logged(server, caplog) == f"reading a:b failed: the callback returned coroutine; {RETURN}"


def test_a_def_that_returns_a_coroutine_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.resource("a:b")(lambda: later())
    assert logged(server, caplog) == (
        "reading a:b failed: RuntimeError: the callback returned an awaitable, and no event loop runs: "
        "make it an async def, or use run_async()"
    )


def test_an_exception_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")

    @server.resource("a:b")
    def raises() -> str:
        return {"a": "x"}["secret"]

    assert logged(server, caplog) == "reading a:b failed: KeyError: 'secret'"
    assert "raises" in caplog.text


def test_a_listed_resource_that_returns_none_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.resource("a:b")(lambda: None)
    server.resource("a:c/{id}")(lambda id: None)
    with server.test_client() as client:
        for uri in ("a:b", "a:b", "a:c/1", "a:b"):
            with pytest.raises(wellhead.ResourceNotFound):
                client.read(uri)
    assert [record.getMessage() for record in caplog.records] == [
        'the callback of "a:b" answers "not found", though it is listed; return contents, or remove it'
    ]
    assert caplog.records[0].levelno == logging.WARNING


SOURCES: list[tuple[str, Any, str]] = [
    ("a list", lambda after, limit: [], 'the list source "1" failed: the callback returned list; return wellhead.Page'),
    (
        "other items",
        lambda after, limit: wellhead.Page(["a:b"]),  # type: ignore[list-item]
        'the list source "1" failed: TypeError: items must be a list of wellhead.Resource, not of str',
    ),
    (
        "keys that stay",
        lambda after, limit: wellhead.Page([wellhead.Resource("a:1")], more=True),
        'the list source "1" gave the key that it was asked to go on from; keys must move on',
    ),
    (
        "no items, and more",
        lambda after, limit: wellhead.Page([], more=True),
        'the list source "1" said that there is more but gave no item',
    ),
]


@pytest.mark.parametrize(("source", "text"), [case[1:] for case in SOURCES], ids=[case[0] for case in SOURCES])
def test_a_fault_of_a_list_source_is_logged(source: Any, text: str, caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.list(source)
    with server.test_client() as client, pytest.raises(wellhead.ErrorFromServer, match="Internal error"):
        client.list()
    assert [record.getMessage() for record in caplog.records] == [text]


def test_a_bad_uri_in_a_list_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.list(lambda after, limit: wellhead.Page([wellhead.Resource("rel"), wellhead.Resource("a:b")]))
    with server.test_client() as client:
        assert [resource.uri for resource in client.list()] == ["a:b"]
    assert [record.getMessage() for record in caplog.records] == [
        'the list source "1" gave "rel", which is left out: not an absolute URI: '
        "it does not begin with a scheme and a colon, as in `notes:` (at byte 3)"
    ]


def test_a_fault_of_a_tool_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.tool("text", TOOL)(lambda arguments: "x")  # type: ignore[type-var]
    server.tool("raises", TOOL)(lambda arguments: {"x": arguments["x"]})
    server.tool("shapeless", TOOL)(lambda arguments: {"result": 3})
    with server.test_client() as client:
        for name in ("text", "raises", "shapeless"):
            failed = {"content": [{"type": "text", "text": "The tool failed"}], "isError": True}
            assert client.call_tool(name) == failed
    assert [record.getMessage() for record in caplog.records] == [
        "the call of tools/call of text (request 2) failed: the callback returned str; return a dict",
        "the call of tools/call of raises (request 3) failed: KeyError: 'x'",
        "the call of tools/call of shapeless (request 4) has a wrong result: content is missing; "
        "give an array, perhaps an empty one",
    ]


def test_the_error_of_a_tool_is_for_the_model_and_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")

    class Missing(wellhead.ToolError):
        pass

    @server.tool("now", TOOL)
    def now(arguments: dict[str, Any]) -> dict[str, Any]:
        raise wellhead.ToolError("try b")

    @server.tool("later", TOOL)
    async def later(arguments: dict[str, Any]) -> dict[str, Any]:
        raise Missing("try c")

    with server.test_client() as client:
        for name, text in {"now": "try b", "later": "try c"}.items():
            assert client.call_tool(name) == {"content": [{"type": "text", "text": text}], "isError": True}
    assert caplog.records == []


def test_causes_and_groups_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")

    @server.resource("a:cause")
    def cause() -> str:
        try:
            raise ValueError("the first of all")
        except ValueError as e:
            raise RuntimeError("outside") from e

    @server.resource("a:group")
    def group() -> str:
        try:
            raise ValueError("one of several")
        except ValueError as e:
            import builtins

            several: Any = getattr(builtins, "ExceptionGroup", None)
            if several is None:  # Python 3.10
                raise RuntimeError("several") from e
            raise several("several", [e, TypeError("another")]) from None

    with server.test_client() as client:
        for uri in ("a:cause", "a:group"):
            with pytest.raises(wellhead.ErrorFromServer, match="Internal error"):
                client.read(uri)
    assert "the first of all" in caplog.text and "RuntimeError: outside" in caplog.text
    assert "one of several" in caplog.text


@pytest.fixture
def warnings(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Takes the lines that were logged since the last call, all of them warnings."""

    def taken() -> list[str]:
        lines = [record.getMessage() for record in caplog.records]
        assert {(record.name, record.levelno) for record in caplog.records} <= {("wellhead", logging.WARNING)}
        caplog.clear()
        return lines

    return taken


def test_a_refused_host_origin_and_path_are_logged_once_a_minute(warnings: Callable[[], list[str]]) -> None:
    app = wellhead.Server("s", "1").asgi()

    @on_a_loop
    async def main() -> None:
        for _ in range(3):
            request = Request(app, "POST")
            request.scope["headers"] = [(b"host", b"evil.example")]
            assert (await request.done()).status == 403
        assert warnings() == ["a request was answered 403: the host 'evil.example' is not allowed; see `allowed_hosts`"]
        assert (await Request(app, "POST", headers={"Origin": "https://evil.example"}).done()).status == 403
        assert warnings() == [
            "a request was answered 403: the origin 'https://evil.example' is not allowed; see `allowed_origins`"
        ]
        assert (await Request(app, "POST", "/other").done()).status == 404
        assert warnings() == [
            "a request was answered 404: the path '/other' is not that of the endpoint, '/mcp'; see `path`"
        ]

    main()


def test_a_session_and_a_cursor_of_another_worker_are_logged(warnings: Callable[[], list[str]]) -> None:
    limits = wellhead.Limits(page_items=1)
    servers = [wellhead.Server("s", "1", limits=limits) for _ in range(2)]
    for server in servers:
        server.text("n:1", "one")
        server.text("n:2", "two")
    here, there = (server.asgi() for server in servers)

    @on_a_loop
    async def main() -> None:
        fields = await session(here)
        ping = b'{"jsonrpc":"2.0","id":2,"method":"ping"}'
        assert (await Request(there, "POST", "/mcp", fields, ping).done()).status == 404
        assert warnings() == [
            "a request was answered 404: the session is unknown or has ended; see `session_ms`. If another process "
            "began it, share `cursor_key` among them and turn `sessions` off"
        ]
        cursor = (await send_request(here, "resources/list").json())["result"]["nextCursor"]
        assert "error" in await send_request(there, "resources/list", cursor=cursor).json()
        assert warnings() == [
            "a list was refused: its cursor is invalid. If another process gave it, share `cursor_key` among them"
        ]

    main()


def test_a_refused_token_and_a_limit_are_logged(warnings: Callable[[], list[str]]) -> None:
    server = wellhead.Server("s", "1", limits=wellhead.Limits(listen_streams=1))

    def verify(token: str) -> wellhead.Grant | None:
        return wellhead.Grant(wellhead.Caller("ada"), scopes=["list"]) if token == "good" else None

    app = server.asgi(verify=verify, scopes=["read"])
    openly = server.asgi()

    @on_a_loop
    async def main() -> None:
        assert (await send_request(app, "resources/list").done()).status == 401
        assert warnings() == ["a request was answered 401: it has no bearer token; see `verify`"]
        assert (await send_request(app, "resources/list", more={"Authorization": "Bearer good"}).done()).status == 403
        assert warnings() == ["a request was answered 403: its token lacks a scope of 'read'; see `scopes`"]
        first = send_request(openly, "subscriptions/listen", client=("127.0.0.1", 1), notifications={})
        await first.until(b"acknowledged")
        second = send_request(openly, "subscriptions/listen", client=("127.0.0.1", 1), notifications={})
        await second.until(b"acknowledged")
        assert warnings() == ["a listen stream ended for a new one: the limit `listen_streams` is reached (1)"]
        await first.done()
        second.disconnect()
        await second.done()

    main()


def test_a_call_beyond_calls_in_flight_is_refused_and_logged(warnings: Callable[[], list[str]]) -> None:
    server = wellhead.Server("s", "1", limits=wellhead.Limits(calls_in_flight=1))
    server.text("n:fast", "fast")
    app = server.asgi()

    @on_a_loop
    async def main() -> None:
        began, over = endless(server)
        first = read(app, "n:slow")
        await began.wait()
        for _ in range(2):
            assert (await read(app, "n:fast").done()).status == 503
        assert warnings() == ["a request was answered 503: the limit `calls_in_flight` is reached (1)"]
        first.disconnect()
        await first.done()
        await over.wait()
        assert (await read(app, "n:fast").done()).status == 200
        assert warnings() == []

    main()
