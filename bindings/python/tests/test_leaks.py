"""Servers, connections, sessions and calls leave nothing behind when they are dropped."""

import asyncio
import ctypes
import ctypes.util
import gc
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import wellhead
from asgi_client import Request, read, session
from client import cancel, outcome
from client import read as message

# How often each thing is made and dropped, unless `LEAK_ROUNDS` says, for example 100000.
ROUNDS = int(os.environ.get("LEAK_ROUNDS", "10000"))
# To fill what is kept for good.
WARM = ROUNDS // 10
# Between two collections, which find what is in cycles.
BATCH = 500
# Objects and bytes that may be there for good.
OBJECTS, BYTES = 100, 4 << 20

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc"),
]


def trimmed() -> tuple[int, int]:
    """Objects that the collector knows, and resident bytes, without what the allocator keeps for later."""
    for _ in range(3):
        gc.collect()
    trim = getattr(ctypes.CDLL(ctypes.util.find_library("c")), "malloc_trim", None)
    if trim is not None:
        trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return len(gc.get_objects()), pages * os.sysconf("SC_PAGE_SIZE")


def judge(before: tuple[int, int], after: tuple[int, int]) -> None:
    objects, grown = after[0] - before[0], after[1] - before[1]
    assert objects < OBJECTS and grown < BYTES, f"{ROUNDS} rounds left {objects} objects and {grown} bytes behind"


def flat(once: Callable[[], None]) -> None:
    def repeat(times: int) -> None:
        for at in range(times):
            once()
            if at % BATCH == 0:
                gc.collect()

    repeat(WARM)
    before = trimmed()
    repeat(ROUNDS)
    judge(before, trimmed())


def flat_on_a_loop(once: Callable[[], Awaitable[None]]) -> None:
    async def repeat(times: int) -> None:
        for at in range(times):
            await once()
            if at % BATCH == 0:
                gc.collect()

    asyncio.run(repeat(WARM))
    before = trimmed()  # without a loop, whose timers hold what is young
    asyncio.run(repeat(ROUNDS))
    judge(before, trimmed())


def a_server() -> wellhead.Server:
    server = wellhead.Server("s", "1")
    server.text("n:a", "A")

    @server.resource("n:by/{id}")
    def by(id: str) -> str:
        return id

    @server.tool("t", {})
    def tool(text: str) -> dict[str, object]:
        return {"content": [{"type": "text", "text": text}]}

    @server.resource("n:async")
    async def on_loop() -> str:
        await asyncio.sleep(0)
        return "async"

    return server


def test_servers() -> None:
    def once() -> None:
        server = a_server()
        server.resource("n:self")(lambda: server.name)  # a cycle

    flat(once)


def test_connections() -> None:
    server = a_server()

    def once() -> None:
        connection = server.connect(lambda: None)
        connection.receive(message("n:by/7"))  # a question that is never polled
        connection = server.connect()
        assert outcome(connection.handle(message("n:by/7"))) == "7"

    flat(once)
    assert server.counters().connections_open == 0


def test_calls() -> None:
    server = a_server()
    connection = server.connect()

    def once() -> None:
        assert outcome(connection.handle(message("n:by/7"))) == "7"
        assert outcome(connection.handle(message("n:none"))) != "7"
        connection.receive(message("n:by/8") + cancel(1))
        while connection.poll_event():
            pass
        while connection.poll_transmit():
            pass

    flat(once)


def test_calls_of_a_loop() -> None:
    app = a_server().asgi()

    async def once() -> None:
        assert b"async" in (await read(app, "n:async").done()).body

    flat_on_a_loop(once)


def test_sessions() -> None:
    app = a_server().asgi()

    async def once() -> None:
        headers = await session(app)
        ended = await Request(app, "DELETE", "/mcp", headers).done()
        assert ended.status == 204

    flat_on_a_loop(once)


def test_sessions_that_the_end_of_the_application_ends() -> None:
    server = a_server()

    async def once() -> None:
        app = server.asgi()
        async with app.lifespan():
            await session(app)

    flat_on_a_loop(once)
