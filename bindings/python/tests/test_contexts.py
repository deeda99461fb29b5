"""Each callback runs in the context (`contextvars`) of its own request, and what it sets there no other one sees."""

import asyncio
import inspect
import json
import logging
import threading
import weakref
from contextvars import ContextVar
from typing import Any, Literal

import pytest
import wellhead
from asgi_client import POST, App, Request, on_a_loop, send_request
from client import META, Process, outcome
from client import read as reading
from garbage import is_freed
from http_client import Client, served
from shuffled import Shuffled

USER: ContextVar[str] = ContextVar("user", default="nobody")
SPAN: ContextVar[int] = ContextVar("span", default=0)

Verdict = Literal["allow", "deny", "hide"]
COUNT = 1000


def within(app: App) -> App:
    """The middleware that knows who the user is."""

    async def wrapped(scope: Any, receive: Any, send: Any) -> None:
        USER.set(dict(scope["headers"])[b"x-user"].decode())
        await app(scope, receive, send)

    return wrapped


def allow(operation: str, uris: list[str]) -> list[Verdict]:
    return ["allow"] * len(uris)


def described(user: str) -> list[Any]:
    """Requests of a user, with what each has to answer."""
    return [
        ("resources/read", f"c:async/{user}", {"uri": f"c:async/{user}"}),
        ("resources/read", f"c:def/{user}", {"uri": f"c:def/{user}"}),
        ("resources/read", f"c:pool/{user}", {"uri": f"c:pool/{user}"}),
        ("resources/read", f"c:inline/{user}", {"uri": f"c:inline/{user}"}),
        ("resources/list", None, {}),
        ("tools/call", "t", {"name": "t"}),
        ("prompts/get", "t", {"name": "t"}),
        (
            "completion/complete",
            None,
            {"ref": {"type": "ref/resource", "uri": "c:async/{n}"}, "argument": {"name": "n", "value": "x"}},
        ),
    ]


def seen(method: str, result: Any) -> Any:
    """Whom the callback of a request has seen."""
    if method == "resources/read":
        return result["contents"][0]["text"]
    if method == "resources/list":
        return [item["name"] for item in result["resources"]][-1]
    if method == "completion/complete":
        return result["completion"]["values"][0]
    if method == "prompts/get":
        return result["messages"][0]["content"]["text"]
    return result["content"][0]["text"]


def service(observe: Any = None, waits: bool = True) -> tuple[wellhead.Server, Any, list[str]]:
    """A server whose callbacks answer with the user that they see, and what verifies; and what these saw wrongly."""
    wrong: list[str] = []
    server = wellhead.Server("s", "1", observe=observe, limits=wellhead.Limits(calls_in_flight=2 * COUNT))
    verified, authorized, answered = Shuffled(COUNT), Shuffled(COUNT), Shuffled(COUNT // 8)

    async def verify(token: str) -> wellhead.Grant:
        before = USER.get()
        await verified.wait()
        if not token == before == USER.get():
            wrong.append(f"verify of {token}: {before}, {USER.get()}")
        return wellhead.Grant(wellhead.Caller(token.encode(), token))

    @server.authorize
    async def authorize(operation: str, uris: list[str], call: wellhead.Call) -> list[Verdict]:
        before = USER.get()
        await authorized.wait()
        if not call.caller.value == before == USER.get():
            wrong.append(f"authorize for {call.caller.value}: {before}, {USER.get()}")
        USER.set("what authorize set")
        return ["allow"] * len(uris)

    async def user() -> str:
        if waits:
            await answered.wait()
        return USER.get()

    def set_user() -> str:
        before = USER.get()
        USER.set("what a callback set")
        return before

    def complete(value: str) -> list[str]:
        return [set_user()]

    @server.resource("c:async/{n}", complete={"n": complete})
    async def on_loop(n: str) -> str:
        return await user()

    @server.resource("c:def/{n}")
    def in_pool(n: str) -> str:
        return set_user()

    @server.resource("c:pool/{n}", thread=True)
    def in_own_pool(n: str) -> str:
        return set_user()

    @server.resource("c:inline/{n}", thread=False)
    def inline(n: str) -> str:
        return set_user()

    @server.list
    async def listing(after: str | None, limit: int) -> wellhead.Page:
        return wellhead.Page([wellhead.Resource("c:x", name=await user())])

    @server.tool("t", {"inputSchema": {"type": "object"}})
    async def tool(arguments: Any) -> Any:
        return {"content": [{"type": "text", "text": await user()}]}

    @server.prompt("t", {})
    def prompt(arguments: Any) -> Any:
        return {"messages": [{"role": "user", "content": {"type": "text", "text": set_user()}}]}

    return server, verify, wrong


async def ask_for_all(app: App, users: list[str]) -> None:
    """Asks at once for all of them, each with requests of a different kind, and compares what the callbacks saw."""
    asked = []
    for at, user in enumerate(users):
        method, name, params = described(user)[at % 8]
        headers = {**POST, "X-User": user, "Authorization": f"Bearer {user}", "Mcp-Method": method}
        headers["MCP-Protocol-Version"] = "2026-07-28"
        if name is not None:
            headers["Mcp-Name"] = name
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
        asked.append((user, method, Request(app, "POST", "/mcp", headers, json.dumps(message).encode())))
    for user, method, request in asked:
        answer = await request.json()
        assert seen(method, answer["result"]) == user, method


@on_a_loop
async def test_each_of_a_thousand_requests_at_once_sees_its_own_context() -> None:
    server, verify, wrong = service()
    await ask_for_all(within(server.asgi(verify=verify)), [f"user-{n}" for n in range(COUNT)])
    assert wrong == []


@on_a_loop
async def test_the_observer_sees_begin_and_end_in_the_context_of_the_callback() -> None:
    told: dict[int, list[tuple[str, int]]] = {}
    ended = threading.Semaphore(0)

    def observe(observed: wellhead.Observed) -> None:
        told.setdefault(observed.call, []).append((USER.get(), SPAN.get()))
        SPAN.set(observed.call)
        if observed.outcome is not None:
            ended.release()

    def all_ended() -> bool:  # a client may have its answer before the observer sees the end
        return all(ended.acquire(timeout=30) for _ in range(2 * COUNT))

    server, verify, wrong = service(observe)
    app = within(server.asgi(verify=verify))
    users = [f"user-{n}" for n in range(COUNT)]
    await ask_for_all(app, users)
    assert wrong == []
    assert await asyncio.to_thread(all_ended)
    assert len(told) == 2 * COUNT  # verdict and answer
    for call, (begin, end) in told.items():
        assert begin[1] == 0 and end[0] in (begin[0], "what a callback set") and end[1] == call
    assert sorted(begin[0] for begin, _ in told.values()) == sorted(users + users)


@on_a_loop
async def test_requests_of_one_session_see_their_own_contexts() -> None:
    server, _, wrong = service(waits=False)

    @server.resource("c:held/{n}")
    async def held(n: str) -> str:
        return USER.get()

    allowed = asyncio.Event()

    @server.authorize
    async def later(operation: str, uris: list[str]) -> list[Verdict]:
        await allowed.wait()
        return ["allow"] * len(uris)

    app = within(server.asgi())
    more = {"X-User": "who began", "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    begun = await Request(app, "POST", "/mcp", more, json.dumps(message).encode()).done()
    more = {**more, "Mcp-Session-Id": begun.headers["mcp-session-id"]}
    asked = []
    for n in range(100):
        message = {"jsonrpc": "2.0", "id": n + 1, "method": "resources/read", "params": {"uri": f"c:held/{n}"}}
        asked.append(Request(app, "POST", "/mcp", {**more, "X-User": str(n)}, json.dumps(message).encode()))
    await asyncio.sleep(0)
    allowed.set()
    for n, request in enumerate(asked):
        answer = await request.json()
        assert answer["result"]["contents"][0]["text"] == str(n)
    assert wrong == []


@on_a_loop
async def test_a_failure_of_a_callback_is_logged_in_its_context() -> None:
    server = wellhead.Server("s", "1")
    lines: list[tuple[str, str]] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append((USER.get(), str(record.exc_info and record.exc_info[1])))

    @server.resource("c:async/{n}")
    async def on_loop(n: str) -> str:
        await asyncio.sleep(0)
        raise ValueError(n)

    @server.resource("c:def/{n}")
    def in_pool(n: str) -> str:
        raise ValueError(n)

    app = within(server.asgi())
    handler = Lines()
    logging.getLogger("wellhead").addHandler(handler)
    try:
        asked = [
            send_request(app, "resources/read", f"c:{kind}/{n}", more={"X-User": n}, uri=f"c:{kind}/{n}")
            for n in ("a", "b", "c")
            for kind in ("async", "def")
        ]
        for request in asked:
            assert (await request.json())["error"]["code"] == -32603
    finally:
        logging.getLogger("wellhead").removeHandler(handler)
    assert sorted(lines) == [(n, n) for n in ("a", "a", "b", "b", "c", "c")]


def test_handle_runs_a_callback_in_a_copy_of_the_current_context() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("c:{n}")
    def read(n: str) -> str:
        before = USER.get()
        USER.set("what a callback set")
        return before

    connection = server.connect()
    for user in ("ann", "bob"):
        USER.set(user)
        assert outcome(connection.handle(reading("c:x"))) == user
        assert USER.get() == user


def test_the_context_of_a_call_without_an_answer_is_freed() -> None:
    class Value:
        pass

    value = Value()
    dropped = weakref.ref(value)
    var: ContextVar[Any] = ContextVar("value")

    async def main() -> None:
        server = wellhead.Server("s", "1")
        entered = asyncio.Event()

        @server.resource("c:never")
        async def never() -> str:
            entered.set()
            var.get().itself = var.get(), asyncio.current_task()
            await asyncio.Event().wait()
            return ""

        app = server.asgi()

        async def one() -> None:
            nonlocal value
            var.set(value)
            del value
            request = send_request(app, "resources/read", "c:never", uri="c:never")
            await asyncio.wait_for(entered.wait(), 30)
            request.disconnect()
            await request.done()

        await asyncio.create_task(one())

    asyncio.run(main())
    assert is_freed(dropped)


class Kept:
    """The value of an application for one request, with the calls of that request."""

    def __init__(self) -> None:
        self.calls: list[wellhead.Call] = []


KEPT: ContextVar[Kept] = ContextVar("kept")


def keeping() -> tuple[wellhead.Server, Any]:
    """A server whose callbacks keep their calls in the context of the request, and what verifies."""
    server = wellhead.Server("s", "1")

    def verify(token: str, call: wellhead.Call) -> wellhead.Grant:
        KEPT.get().calls.append(call)
        return wellhead.Grant(wellhead.Caller(b"ann"))

    @server.authorize
    def authorize(operation: str, uris: list[str], call: wellhead.Call) -> list[Verdict]:
        KEPT.get().calls.append(call)
        return ["allow"] * len(uris)

    @server.resource("c:{n}")
    def read(n: str, call: wellhead.Call) -> str:
        KEPT.get().calls.append(call)
        assert call.vars == {"n": "x"} and call.revision == "2026-07-28"
        return n

    return server, verify


@pytest.mark.parametrize("how", ["handle", "handle_async", "endpoint", "asgi"])
def test_a_call_that_the_context_of_its_request_keeps_is_freed(how: str) -> None:
    server, verify = keeping()
    gone: list[weakref.ref[Kept]] = []
    calls: list[int] = []
    connection, endpoint, app = server.connect(), server.endpoint(verify=verify), server.asgi(verify=verify)

    async def one() -> None:
        kept = Kept()
        gone.append(weakref.ref(kept))
        KEPT.set(kept)
        if how == "handle":
            answer = connection.handle(reading("c:x"))
        elif how == "handle_async":
            answer = await connection.handle_async(reading("c:x"))
        elif how == "endpoint":
            more = {**POST, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "resources/read", "Mcp-Name": "c:x"}
            headers = [("Host", "localhost"), ("Authorization", "Bearer ann"), *more.items()]
            with endpoint.handle("POST", "/mcp", headers, reading("c:x")) as response:
                answer = b"".join(response)
        else:
            more = {"Authorization": "Bearer ann"}
            answer = (await send_request(app, "resources/read", "c:x", more=more, uri="c:x").done()).body
        assert answer is not None and outcome(answer) == "x"
        calls.append(len(kept.calls))

    async def main() -> None:
        for _ in range(10):
            await asyncio.create_task(one())

    asyncio.run(main())
    assert calls == [2 if how.startswith("handle") else 3] * 10
    assert is_freed(*gone)
    endpoint.close()


PROGRAM = """
import contextvars
import sys
import wellhead

USER = contextvars.ContextVar("user", default="nobody")
USER.set("who started it")
told = set()


def observe(observed: wellhead.Observed) -> None:
    if observed.outcome is None:
        told.add(USER.get())
        USER.set("the observer")


server = wellhead.Server("s", "1", observe=observe)


@server.resource("c:{n}")
def one(n: str) -> str:
    before = USER.get()
    USER.set(n)
    return before


@server.resource("c:told/{n}")
def observed_calls(n: str) -> str:
    return ", ".join(told)
"""
ASYNC = """

@server.resource("c:async/{n}")
async def two(n: str) -> str:
    before = USER.get()
    USER.set(n)
    return before
"""


@pytest.mark.parametrize("with_async", ["", ASYNC], ids=["def", "async def"])
@pytest.mark.parametrize("threads", [1, 3])
def test_each_callback_of_a_service_has_a_copy_of_the_context_at_its_start(threads: int, with_async: str) -> None:
    run = f"""
USER.set("who serves")
server.serve_http(port=0, callback_threads={threads}, on_listening=lambda host, port: print(port, flush=True))
"""
    with served(PROGRAM + with_async + run) as (_, client):
        uris = ["c:1", "c:2", "c:async/1", "c:async/2"] if with_async else ["c:1", "c:2", "c:3"]
        # The observer is told first, in the same context.
        assert [client.read(uri) for uri in uris] == ["the observer"] * len(uris)
        assert client.read("c:told/x") == "who serves"
    with Process(PROGRAM + with_async + f"USER.set('who serves')\nserver.run(callback_threads={threads})") as process:
        for uri in uris:
            process.send(reading(uri))
            assert process.receive()["result"]["contents"][0]["text"] == "the observer"


SERVER = (
    "import asyncio, contextvars, random, socket, sys, wellhead\n"
    + inspect.getsource(Shuffled)
    + f"""
COUNT = {COUNT}
USER = contextvars.ContextVar("user", default="nobody")
verified, authorized, answered = Shuffled(COUNT), Shuffled(COUNT), Shuffled(COUNT // 2)
server = wellhead.Server("s", "1", limits=wellhead.Limits(calls_in_flight=2 * COUNT))


async def verify(token: str) -> wellhead.Grant:
    await verified.wait()
    assert USER.get() == token
    return wellhead.Grant(wellhead.Caller(token.encode(), token))


@server.authorize
async def authorize(operation: str, uris: list[str], call: wellhead.Call) -> list[str]:
    await authorized.wait()
    assert USER.get() == call.caller.value
    return ["allow"] * len(uris)


@server.resource("c:async/{{n}}")
async def on_loop(n: str) -> str:
    await answered.wait()
    return USER.get()


@server.resource("c:def/{{n}}")
def in_pool(n: str) -> str:
    return USER.get()


mcp = server.asgi(verify=verify)


async def app(scope, receive, send):
    if scope["type"] == "http":
        USER.set(dict(scope["headers"])[b"x-user"].decode())
    await mcp(scope, receive, send)
"""
)
UVICORN = """
import uvicorn
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(2048)
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning", http="h11", lifespan="off")).run(sockets=[listener])
"""
HYPERCORN = """
from hypercorn.asyncio import serve
from hypercorn.config import Config
config = Config()
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(2048)
print(listener.getsockname()[1], flush=True)
config.bind = [f"fd://{listener.detach()}"]
config.backlog = 2048
config.errorlog = None
asyncio.run(serve(app, config))
"""


@pytest.mark.parametrize("run", [UVICORN, HYPERCORN], ids=["uvicorn", "hypercorn"])
def test_each_of_a_thousand_requests_to_a_server_sees_its_own_context(run: str) -> None:
    async def one(port: int, n: int) -> tuple[str, str]:
        user = f"user-{n}"
        uri = f"c:{'async' if n % 2 else 'def'}/{n}"
        message = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri, "_meta": META}}
        data = json.dumps(message).encode()
        head = (
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
            f"Mcp-Method: resources/read\r\nMcp-Name: {uri}\r\nX-User: {user}\r\nAuthorization: Bearer {user}\r\n"
            f"Content-Length: {len(data)}\r\n\r\n"
        )
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode() + data)
        answer = await reader.read()
        writer.close()
        return user, json.loads(answer.partition(b"\r\n\r\n")[2])["result"]["contents"][0]["text"]

    async def all_at_once(port: int) -> list[tuple[str, str]]:
        return await asyncio.wait_for(asyncio.gather(*(one(port, n) for n in range(COUNT))), 120)

    with served(SERVER + run) as (_, client):
        assert isinstance(client, Client)
        assert [pair for pair in asyncio.run(all_at_once(client.port)) if pair[0] != pair[1]] == []


def test_pool_threads_forget_the_context_of_each_call() -> None:
    kept: list[str] = []
    done = threading.Event()

    @on_a_loop
    async def serve() -> None:
        server, _, _ = service(waits=False)
        app = within(server.asgi())
        server.authorize(allow)
        asked = [
            send_request(app, "resources/read", f"c:def/{n}", more={"X-User": n}, uri=f"c:def/{n}") for n in "abcdef"
        ]
        for n, request in zip("abcdef", asked, strict=True):
            assert (await request.json())["result"]["contents"][0]["text"] == n
        from wellhead._threads import submit_call

        for _ in range(50):
            await asyncio.wrap_future(submit_call(lambda: kept.append(USER.get())))
        done.set()

    serve()
    assert done.is_set() and set(kept) == {"nobody"}
