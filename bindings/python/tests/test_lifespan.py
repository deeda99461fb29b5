"""`lifespan`, `on_start` and `on_stop`: what begins and ends with a service."""

import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest
import wellhead
from asgi_client import on_a_loop, read, text
from client import Process, outcome, request
from client import read as read_request
from http_client import served

LIFE = """
import asyncio
import contextlib
import contextvars
import sys
import wellhead

TENANT = contextvars.ContextVar("TENANT", default="none")


def say(*what):
    print(*what, file=sys.stderr, flush=True)


@contextlib.asynccontextmanager
async def later(server):
    say("open", server.name)
    await asyncio.sleep(0)
    TENANT.set("acme")
    try:
        yield {"db": "the database"}
    finally:
        await asyncio.sleep(0)
        say("close")


@contextlib.contextmanager
def plain(server):
    say("open", server.name)
    TENANT.set("acme")
    try:
        yield {"db": "the database"}
    finally:
        say("close")


server = wellhead.Server("s", "1", lifespan=LIFESPAN)


@server.on_start
def start():
    say("start")


@server.on_stop()
ASYNC def stop():
    say("stop")


@server.resource("n:db")
def db(call: wellhead.Call) -> str:
    return f"{call.lifespan['db']} of {TENANT.get()}"


@server.resource("n:pool", thread=True)
ASYNC def pool(call: wellhead.Call) -> str:
    return f"{call.lifespan['db']} of {TENANT.get()}"


@server.resource("n:stop")
def ends() -> str:
    server.close()
    return "stopped"


def listening(host, port):
    print(port, flush=True)


"""
RUNS = ["server.run()", "server.run(callback_threads=2)", "asyncio.run(server.run_async())"]
SERVES = [
    "server.serve_http(port=0, on_listening=listening)",
    "server.serve_http(port=0, on_listening=listening, callback_threads=2)",
    "asyncio.run(server.serve_http_async(port=0, on_listening=listening))",
]
ORDER = ["open s", "start", "stop", "close"]


def program(lifespan: str, is_async: bool, run: str) -> str:
    text = LIFE.replace("LIFESPAN", lifespan)
    if is_async:
        text = text.replace("ASYNC def", "async def").replace(", thread=True", "")
    return text.replace("ASYNC ", "") + run


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("is_async", [False, True], ids=["def", "async"])
@pytest.mark.parametrize("lifespan", ["later", "plain"])
def test_a_lifespan_surrounds_the_service_over_stdio(lifespan: str, is_async: bool, run: str) -> None:
    with Process(program(lifespan, is_async, run)) as process:
        for uri in ("n:db", "n:pool"):
            process.send(read_request(uri))
            assert "the database of acme" in str(process.receive())
        status, errors = process.end()
        assert (status, errors.splitlines()) == (0, ORDER)


@pytest.mark.parametrize("run", SERVES)
@pytest.mark.parametrize("lifespan", ["later", "plain"])
def test_a_lifespan_surrounds_the_service_over_http(lifespan: str, run: str) -> None:
    with served(program(lifespan, False, run)) as (process, client):
        assert client.read("n:db") == "the database of acme"
        assert client.read("n:pool").startswith("the database")
        assert client.read("n:stop") == "stopped"
        status, errors = process.end()
        assert (status, errors.splitlines()) == (0, ORDER)


@pytest.mark.parametrize("lifespan", ["later", "plain"])
def test_a_lifespan_ends_at_sigterm(lifespan: str) -> None:
    with Process(program(lifespan, False, "server.run()")) as process:
        process.send(read_request("n:db"))
        process.receive()
        process.process.send_signal(signal.SIGTERM)
        status, errors = process.end()
        assert (status, errors.splitlines()) == (0, ORDER)


@pytest.mark.parametrize("run", ["server.run()", "asyncio.run(server.run_async())"])
def test_an_exception_of_on_start_ends_the_lifespan_and_the_service(run: str) -> None:
    failing = """
@server.on_start
def fails():
    raise RuntimeError("no database")


"""
    with Process(program("later", False, failing + run)) as process:
        status, errors = process.end()
        lines = errors.splitlines()
        assert status == 1
        assert lines[:3] == ["open s", "start", "close"]
        assert lines[-1] == "RuntimeError: no database"


def test_an_address_that_cannot_be_bound_ends_the_lifespan() -> None:
    entered: list[str] = []

    @contextmanager
    def life(server: wellhead.Server) -> Iterator[None]:
        entered.append("open")
        yield
        entered.append("closed")

    server = wellhead.Server("s", "1", lifespan=life)
    with pytest.raises(wellhead.Error):
        server.serve_http("192.0.2.1", 1)
    assert entered == ["open"]  # what follows `yield` without `finally` is skipped, as everywhere


def test_each_service_has_a_lifespan_of_its_own() -> None:
    made: list[int] = []

    @contextmanager
    def life(server: wellhead.Server) -> Iterator[int]:
        made.append(len(made))
        yield made[-1]

    server = wellhead.Server("s", "1", lifespan=life)

    @server.resource("n:x")
    def callback(call: wellhead.Call) -> str:
        return str(call.lifespan)

    app = server.asgi()
    other = server.asgi()

    @on_a_loop
    async def both() -> None:
        async with app.lifespan(), other.lifespan():
            assert [await text(read(one, "n:x")) for one in (app, other, app)] == ["0", "1", "0"]

    both()
    connection = server.connect()
    assert outcome(connection.handle(read_request("n:x"))) == "None"
    assert made == [0, 1]


@on_a_loop
async def test_an_asgi_server_runs_the_lifespan() -> None:
    import asyncio

    seen: list[str] = []

    @asynccontextmanager
    async def life(server: wellhead.Server) -> AsyncIterator[str]:
        seen.append("open")
        yield "value"
        seen.append("close")

    server = wellhead.Server("s", "1", lifespan=life)
    server.on_start(lambda: seen.append("start"))
    server.on_stop(lambda: seen.append("first"))
    server.on_stop(lambda: seen.append("last"))

    @server.tool
    def of_lifespan(call: wellhead.Call) -> str:
        """Returns the value of the lifespan."""
        return str(call.lifespan)

    @server.resource("n:x")
    async def callback(call: wellhead.Call) -> str:
        return str(call.lifespan)

    app = server.asgi()
    incoming: asyncio.Queue[Any] = asyncio.Queue()
    outgoing: asyncio.Queue[Any] = asyncio.Queue()
    for _ in range(2):  # it may begin again
        seen.clear()
        task = asyncio.ensure_future(app({"type": "lifespan"}, incoming.get, outgoing.put))
        incoming.put_nowait({"type": "lifespan.startup"})
        assert await outgoing.get() == {"type": "lifespan.startup.complete"}
        assert await text(read(app, "n:x")) == "value"
        incoming.put_nowait({"type": "lifespan.shutdown"})
        assert await outgoing.get() == {"type": "lifespan.shutdown.complete"}
        await task
        assert seen == ["open", "start", "last", "first", "close"]


@on_a_loop
async def test_an_asgi_server_learns_that_a_lifespan_failed() -> None:
    import asyncio

    def fails() -> None:
        raise RuntimeError("no database")

    for when in ("startup", "shutdown"):
        server = wellhead.Server("s", "1")
        (server.on_start if when == "startup" else server.on_stop)(fails)
        incoming: asyncio.Queue[Any] = asyncio.Queue()
        outgoing: asyncio.Queue[Any] = asyncio.Queue()
        incoming.put_nowait({"type": "lifespan.startup"})
        incoming.put_nowait({"type": "lifespan.shutdown"})
        with pytest.raises(RuntimeError, match="no database"):
            await server.asgi()({"type": "lifespan"}, incoming.get, outgoing.put)
        last = [outgoing.get_nowait() for _ in range(outgoing.qsize())][-1]
        assert last == {"type": f"lifespan.{when}.failed", "message": "RuntimeError: no database"}


def test_an_invalid_lifespan_is_refused() -> None:
    with pytest.raises(TypeError, match="lifespan must be a function that takes the server"):
        wellhead.Server("s", "1", lifespan=3)  # type: ignore[arg-type]
    wellhead.Server("s", "1", lifespan=None)

    async def bare(server: wellhead.Server) -> AsyncIterator[None]:
        yield

    async def coroutine(server: wellhead.Server) -> None: ...

    for function, kind in ((bare, "async_generator"), (coroutine, "coroutine")):
        server = wellhead.Server("s", "1", lifespan=function)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=f"not {kind}: decorate it with contextlib.asynccontextmanager"):
            server.run()
    server = wellhead.Server("s", "1")
    with pytest.raises(TypeError, match="on_start needs a function without parameters, not int"):
        server.on_start(3)  # type: ignore[call-overload]
    assert request(1, "ping")
