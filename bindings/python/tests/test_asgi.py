"""`Server.asgi`, with a server in memory."""

import asyncio
import json
import threading
import weakref
from contextlib import suppress
from typing import Any

import pytest
import wellhead
from asgi_client import POST, Request, endless, listen, on_a_loop, read, send_request, session, text
from client import META
from garbage import is_freed
from wellhead._asgi import Reading


def server() -> wellhead.Server:
    server = wellhead.Server("s", "1")
    server.text("n:a", "a")
    return server


@on_a_loop
async def test_a_request_is_answered() -> None:
    app = server().asgi()
    assert await text(read(app, "n:a")) == "a"
    assert await text(read(app, "n:none")) == "Resource not found"


@on_a_loop
async def test_an_async_def_runs_on_the_loop_and_a_def_in_the_pool_by_default() -> None:
    s = server()

    def thread() -> str:
        return threading.current_thread().name

    async def on_loop() -> str:
        await asyncio.sleep(0)
        return thread()

    def later() -> Any:
        return on_loop()

    s.resource("n:def")(thread)
    s.resource("n:here", thread=False)(thread)
    s.resource("n:pool", thread=True)(thread)
    s.resource("n:async")(on_loop)
    s.resource("n:later")(later)
    app = s.asgi()
    assert (await text(read(app, "n:def"))).startswith("wellhead_")
    assert await text(read(app, "n:here")) == thread()
    assert (await text(read(app, "n:pool"))).startswith("wellhead_")
    assert await text(read(app, "n:async")) == thread()
    assert await text(read(app, "n:later")) == thread()


@on_a_loop
async def test_callbacks_of_every_kind_are_reached() -> None:
    s = server()
    names = ["b", "c"]

    @s.resource("n:{id}", list=lambda after, limit: wellhead.Page([]), complete={"id": names})
    def one(id: str) -> str:
        return id

    @s.list
    def listing(after: str | None, limit: int) -> wellhead.Page:
        return wellhead.Page([wellhead.Resource(f"n:{name}") for name in names])

    @s.authorize
    def authorize(operation: str, uris: list[str]) -> list[Any]:
        return ["allow"] * len(uris)

    @s.method("x/echo")
    def echo(params: dict[str, Any]) -> dict[str, Any]:
        return {"word": params["word"]}

    app = s.asgi()
    found = await send_request(app, "resources/list").json()
    assert [item["uri"] for item in found["result"]["resources"]] == ["n:a", "n:b", "n:c"]
    reference: Any = {"ref": {"type": "ref/resource", "uri": "n:{id}"}, "argument": {"name": "id", "value": "b"}}
    completed = await send_request(app, "completion/complete", **reference).json()
    assert completed["result"]["completion"]["values"] == ["b"]
    assert (await send_request(app, "x/echo", word="hi").json())["result"]["word"] == "hi"
    assert await text(read(app, "n:b")) == "b"


@on_a_loop
async def test_progress_makes_the_answer_a_stream() -> None:
    s = server()

    @s.resource("n:slow")
    async def slow(call: wellhead.Call) -> str:
        call.progress(1, 2)
        await asyncio.sleep(0)
        return "done"

    app = s.asgi()
    assert await text(read(app, "n:slow")) == "done"
    request = send_request(app, "resources/read", "n:slow", {"progressToken": "t"}, uri="n:slow")
    await request.done()
    assert request.headers["content-type"] == "text/event-stream"
    first, second = [line for line in request.body.decode().splitlines() if line.startswith("data: ")]
    assert '"progress":1' in first and "done" in second


@on_a_loop
async def test_a_client_that_disconnects_cancels_its_call() -> None:
    s = server()
    began, over = endless(s)
    app = s.asgi()
    request = read(app, "n:slow")
    await asyncio.wait_for(began.wait(), 30)
    request.disconnect()
    await request.done()
    await asyncio.wait_for(over.wait(), 30)
    assert (request.status, request.complete) == (408, True)  # which only middleware sees


@on_a_loop
async def test_a_cancelled_listen_request_ends_its_subscription() -> None:
    s = server()
    app = s.asgi()
    stream = listen(app, "n:a")
    await stream.until(b"acknowledged")
    assert s.counters().subscriptions_open == 1
    stream.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stream.task
    assert s.counters().subscriptions_open == 0


@on_a_loop
async def test_a_stream_waits_and_merges_updates_while_its_client_does_not_read() -> None:
    s = server()
    app = s.asgi()
    stream = listen(app, "n:a")
    await stream.until(b"acknowledged")
    stream.room.clear()
    for _ in range(3):
        s.notify_updated("n:a")
    await stream.until(b"resources/updated")
    for _ in range(3):
        s.notify_updated("n:a")
    assert await text(read(app, "n:a")) == "a"  # by now the stream's turn has come, too
    assert stream.body.count(b"resources/updated") == 1
    stream.room.set()
    await stream.until(b"resources/updated", 2)
    s.close()
    await stream.done()
    assert stream.body.count(b"resources/updated") == 2  # what happened meanwhile was told once


@on_a_loop
async def test_a_change_on_another_thread_reaches_a_stream() -> None:
    s = server()
    stream = listen(s.asgi(), "n:a")
    await stream.until(b"acknowledged")
    await asyncio.to_thread(s.notify_updated, "n:a")
    await stream.until(b"resources/updated")
    s.close()
    await stream.done()
    assert stream.complete and b'"result"' in stream.body


@on_a_loop
async def test_a_session_lives_from_request_to_request() -> None:
    app = server().asgi()
    headers = await session(app)
    initialized = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    assert (await Request(app, "POST", "/mcp", headers, initialized).done()).status == 202
    ping = await Request(app, "POST", "/mcp", headers, b'{"jsonrpc":"2.0",', b'"id":2,"method":"ping"}').json()
    assert ping == {"jsonrpc": "2.0", "id": 2, "result": {}}
    ended = await Request(app, "DELETE", "/mcp", headers).done()
    assert (ended.status, ended.body, ended.complete) == (204, b"", True)
    assert (await Request(app, "DELETE", "/mcp", headers).done()).status == 404


@on_a_loop
async def test_a_request_times_out_if_its_body_does_not_arrive() -> None:
    for body_ms in (20, 150):  # less, and more, than a request has no timer of its own for
        request = unfinished(server().asgi(body_ms=body_ms))
        assert (await request.done()).status == 408


@on_a_loop
async def test_a_slow_body_is_still_read() -> None:
    app = server().asgi()
    request = unfinished(app)
    while not app._young:
        await asyncio.sleep(0)
    app._grow_old(app._young)
    await asyncio.sleep(0)
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    rest = {"type": "http.request", "body": json.dumps(message).encode()[1:], "more_body": False}
    request.incoming.put_nowait(rest)
    assert (await request.json())["error"]["code"] == -32600  # it has been read: a handshake is missing


@on_a_loop
async def test_a_request_that_ends_before_its_body_is_complete_is_released() -> None:
    app = server().asgi()
    request = unfinished(app)
    while not app._young:
        await asyncio.sleep(0)
    request.disconnect()
    await request.done()
    assert request.status == 408 and not app._responses
    request = unfinished(app)
    await asyncio.sleep(0)
    request.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request.task
    assert not app._responses


@on_a_loop
async def test_a_body_that_is_on_its_way_at_the_end_of_a_lifespan_is_refused() -> None:
    app = server().asgi()
    async with app.lifespan():
        request = unfinished(app)
        while not app._young:
            await asyncio.sleep(0)
    await request.done()
    assert (request.status, request.complete) == (503, True)


@on_a_loop
async def test_a_body_that_arrives_in_time_stops_the_timeout_of_its_request() -> None:
    reading = Reading(asyncio.get_running_loop(), 0.0)
    reading.limit()
    reading.limit()
    reading.end()
    for _ in range(3):
        await asyncio.sleep(0)  # which raises if the task has been cancelled


@on_a_loop
async def test_a_body_times_out_even_in_a_task_that_survived_a_cancellation() -> None:
    app = server().asgi(body_ms=20)

    async def survivor(scope: Any, receive: Any, send: Any) -> None:
        task = asyncio.current_task()
        assert task is not None and task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0)
        await app(scope, receive, send)

    assert (await unfinished(survivor).done()).status == 408


@on_a_loop
async def test_a_header_that_middleware_adds_is_in_no_other_response() -> None:
    app = server().asgi(body_ms=20)

    async def middleware(scope: Any, receive: Any, send: Any) -> None:
        async def with_cookie(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"].append((b"set-cookie", b"whose"))
            await send(message)

        await app(scope, receive, with_cookie)

    for _ in range(2):
        left = unfinished(middleware)
        left.disconnect()
        await left.done()
    left = unfinished(app)
    left.disconnect()
    assert (await left.done()).headers == {"content-length": "0"}


def unfinished(app: Any) -> Request:
    """A request of whose body the first byte is there."""
    request = Request(app, "POST", "/mcp", POST, b"{", b"")
    first = request.incoming.get_nowait()
    request.incoming.get_nowait()
    request.incoming.put_nowait(first)
    return request


@on_a_loop
async def test_blocking_callbacks_run_in_parallel() -> None:
    s = server()
    # Not more than a pair: on four threads, this test shares a pool that may have five threads.
    together = threading.Barrier(2)

    @s.resource("n:together/{n}")
    def one(n: int) -> str:
        return str(together.wait(30) in range(2))

    app = s.asgi()
    texts = await asyncio.gather(*(text(read(app, f"n:together/{n}")) for n in range(2)))
    assert texts == ["True"] * 2


@on_a_loop
async def test_the_pool_skips_a_call_whose_client_has_disconnected() -> None:
    s = server()
    proceed, begun = threading.Event(), []

    @s.resource("n:held/{n}")
    def held(n: int) -> str:
        return str(proceed.wait(30))

    @s.resource("n:counted/{n}")
    def counted(n: int) -> str:
        begun.append(n)
        return "counted"

    app = s.asgi()
    holding = [read(app, f"n:held/{n}") for n in range(40)]  # the pool has at most 32 threads
    gone = [read(app, f"n:counted/{n}") for n in range(20)]
    for request in gone:
        request.disconnect()
    for request in gone:
        await request.done()
    last = read(app, "n:counted/20")
    proceed.set()
    assert await text(last) == "counted"
    assert [await text(request) for request in holding] == ["True"] * 40
    assert begun == [20]


@on_a_loop
async def test_the_path_is_relative_to_the_mount_point_of_the_application() -> None:
    s = server()
    app = s.asgi()

    async def status(app: Any, path: str, root_path: str, query: bytes = b"") -> int:
        return (await Request(app, "PUT", path, {}, root_path=root_path, query=query).done()).status

    assert await status(app, "/mcp", "") == 405
    assert await status(app, "/api/mcp", "/api") == 405
    assert await status(app, "/mcp", "/mcp") == 404
    assert await status(s.asgi(path="/"), "/mcp", "/mcp") == 405
    assert await status(s.asgi(path="/"), "/mcp/", "/mcp/") == 405
    assert await status(app, "/mcp", "", b"x=/mcp") == 405
    assert await status(app, "/mcp?x", "") == 404
    assert await status(app, "/mcp/x", "") == 404


@on_a_loop
async def test_an_application_refuses_other_host_names_by_default() -> None:
    s = server()

    async def status(app: Any) -> int:
        request = Request(app, "PUT", "/mcp", {})
        request.scope["headers"] = [(b"host", b"mcp.example")]
        return (await request.done()).status

    assert await status(s.asgi()) == 403
    assert await status(s.asgi(allowed_hosts=["mcp.example"])) == 405
    assert await status(s.asgi(loopback_only=False)) == 405


@on_a_loop
async def test_a_lifespan_ends_streams_and_sessions_and_may_begin_again() -> None:
    s = server()
    app = s.asgi()
    for _ in range(2):
        incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        outgoing: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        lifespan = asyncio.ensure_future(app({"type": "lifespan"}, incoming.get, outgoing.put))
        incoming.put_nowait({"type": "lifespan.startup"})
        assert await outgoing.get() == {"type": "lifespan.startup.complete"}
        stream = listen(app, "n:a")
        await stream.until(b"acknowledged")
        incoming.put_nowait({"type": "lifespan.shutdown"})
        assert await outgoing.get() == {"type": "lifespan.shutdown.complete"}
        await lifespan
        await stream.done()
        assert stream.complete and s.counters().subscriptions_open == 0


def test_an_application_may_run_on_a_second_loop() -> None:
    app = server().asgi()
    for _ in range(2):
        asyncio.run(read_a(app))


def test_a_disconnect_is_noticed_after_another_loop_used_the_application() -> None:
    s = server()
    app = s.asgi()
    loop = asyncio.new_event_loop()

    async def begin() -> Request:
        began, _ = endless(s)
        request = read(app, "n:slow")
        await began.wait()
        return request

    request = loop.run_until_complete(begin())
    asyncio.run(read_a(app))
    request.disconnect()
    loop.run_until_complete(request.done())
    loop.run_until_complete(cancel_all())
    loop.close()


async def cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def read_a(app: Any) -> None:
    assert await text(read(app, "n:a")) == "a"


@on_a_loop
async def test_other_scopes_are_refused() -> None:
    app = server().asgi()
    incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    outgoing: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    incoming.put_nowait({"type": "websocket.connect"})
    await app({"type": "websocket"}, incoming.get, outgoing.put)
    assert outgoing.get_nowait() == {"type": "websocket.close"}
    with pytest.raises(NotImplementedError, match="'smtp'"):
        await app({"type": "smtp"}, incoming.get, outgoing.put)


def test_options_are_checked_when_the_application_is_made() -> None:
    s = server()
    with pytest.raises(TypeError, match=r"asgi\(\) got an unexpected keyword argument 'port'"):
        s.asgi(port=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="path must be"):
        s.asgi(path=1)  # type: ignore[arg-type]


def test_an_application_is_freed_with_its_server() -> None:
    s = server()
    app = s.asgi()
    asyncio.run(read_a(app))
    known = weakref.ref(app), weakref.ref(s)
    del app, s
    assert is_freed(*known)


@on_a_loop
async def test_requests_of_one_connection_share_a_part_of_the_budget() -> None:
    s = wellhead.Server("s", "1", limits=wellhead.Limits(buffer_bytes=1_200_000))
    begun: asyncio.Queue[None] = asyncio.Queue()
    done = asyncio.Event()

    @s.resource("n:wait")
    async def wait() -> str:
        begun.put_nowait(None)
        await done.wait()
        return "w"

    app = s.asgi()
    params = {"uri": "n:wait", "x": "x" * 150_000, "_meta": META}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params}).encode()
    fields = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "resources/read", "Mcp-Name": "n:wait"}

    def send(port: int) -> Request:
        return Request(app, "POST", "/mcp", {**POST, **fields}, message, client=("127.0.0.1", port))

    first = send(5)
    await begun.get()
    second = send(5)
    await second.task
    assert second.status == 503
    other = send(6)
    await begun.get()
    done.set()
    await first.task
    await other.task
    assert (first.status, other.status) == (200, 200)
