"""Requests in flight over HTTP when the server is closed, or the service that carries them ends."""

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from http.client import HTTPConnection

import pytest
import wellhead
from asgi_client import Request, endless, listen, on_a_loop, read, session, text
from http_client import Answer, Client
from test_http import serve

Held = queue.Queue[Future[str]]
Begin = Callable[[Client], HTTPConnection]


def holding(is_async: bool) -> tuple[wellhead.Server, Held]:
    """A server whose reads of `n:held` wait for the futures that the test answers."""
    server = wellhead.Server("s", "1")
    server.text("n:a", "a")
    held: Held = queue.Queue()

    def ask() -> "Future[str]":
        future: Future[str] = Future()
        held.put(future)
        return future

    if is_async:

        @server.resource("n:held")
        async def waits() -> str:
            return await asyncio.wrap_future(ask())

    else:
        server.resource("n:held")(ask)
    return server, held


def stateless(client: Client) -> HTTPConnection:
    return client.call("resources/read", "n:held", uri="n:held")


def in_session(client: Client) -> HTTPConnection:
    return client.read_in(client.session(), "n:held")


BEGIN = pytest.mark.parametrize("begin", [stateless, in_session])
KINDS = pytest.mark.parametrize("is_async", [False, True], ids=["def", "async"])


def join(thread: threading.Thread) -> None:
    thread.join(30)
    assert not thread.is_alive()


def answered(connection: HTTPConnection) -> object:
    return Answer(connection).json()["result"]["contents"][0]["text"]


@BEGIN
@KINDS
@pytest.mark.parametrize("threads", [1, 2])
def test_the_listener_still_answers_calls_in_flight(begin: Begin, is_async: bool, threads: int) -> None:
    server, held = holding(is_async)
    thread, client = serve(server, callback_threads=threads)
    connection = begin(client)
    future = held.get(timeout=30)
    server.close()
    future.set_result("at last")
    assert answered(connection) == "at last"
    join(thread)
    with pytest.raises(ConnectionRefusedError):
        client.read("n:a")


@BEGIN
@KINDS
def test_the_listener_waits_for_a_call_at_most_shutdown_ms(begin: Begin, is_async: bool) -> None:
    server, held = holding(is_async)
    thread, client = serve(server, shutdown_ms=50)
    connection = begin(client)
    future = held.get(timeout=30)
    server.close()
    with pytest.raises(ConnectionResetError):
        Answer(connection)
    connection.close()
    join(thread)
    assert future.cancelled() == is_async  # the task of a coroutine is cancelled; a future is the application's own
    if not is_async:
        future.set_result("too late")


def test_the_listener_completes_its_streams_on_close() -> None:
    server, _ = holding(False)
    thread, client = serve(server)
    listening = client.listen("n:a")
    session = client.send("GET", headers=client.session())
    assert session.status == 200
    server.close()
    assert "result" in listening.event()
    for stream in (listening, session):
        with stream:
            stream.response.read()  # which raises if the stream breaks off
    join(thread)


@on_a_loop
async def test_an_application_still_answers_calls_in_flight() -> None:
    for is_async in (False, True):
        server, held = holding(is_async)
        app = server.asgi()
        request = read(app, "n:held")
        future = await asyncio.to_thread(held.get, timeout=30)
        server.close()
        refused = await read(app, "n:a").done()
        assert refused.status == 503 and b"the server is closing" in refused.body
        future.set_result("at last")
        assert await text(request) == "at last"


@on_a_loop
async def test_an_application_waits_for_an_unanswered_call_at_most_call_ms() -> None:
    server = wellhead.Server("s", "1", limits=wellhead.Limits(call_ms=50))
    began, _ = endless(server)
    request = read(server.asgi(), "n:slow")
    await began.wait()
    server.close()
    assert await text(request) == "Internal error"


@on_a_loop
async def test_an_application_completes_its_streams_on_close() -> None:
    server, _ = holding(False)
    app = server.asgi()
    listening = listen(app, "n:a")
    await listening.until(b"acknowledged")
    stream = Request(app, "GET", "/mcp", await session(app))
    await stream.until(b"id: ")
    server.close()
    for each in (listening, stream):
        await each.done()
        assert each.complete
    assert b'"result"' in listening.body and b'"result"' not in stream.body


def test_a_call_that_the_end_of_a_lifespan_cancels_is_not_logged_as_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    app = server.asgi()

    async def run() -> None:
        began, over = endless(server)
        async with app.lifespan():
            message = b'{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"n:slow"}}'
            left = Request(app, "POST", "/mcp", await session(app), message)
            await began.wait()
            left.disconnect()  # in a session its read goes on
            await left.done()
            assert not over.is_set()
        assert over.is_set()

    asyncio.run(run())
    assert caplog.records == []


def test_a_request_in_flight_at_the_end_of_a_lifespan_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    app = server.asgi()

    async def run() -> None:
        began, over = endless(server)
        async with app.lifespan():
            request = read(app, "n:slow")
            await began.wait()
        assert over.is_set()
        await request.done()
        assert (request.status, request.body, request.complete) == (503, b"", True)

    asyncio.run(run())
    assert caplog.records == []
