"""The benchmark's resource set, in Python: host.py [http PORT | http-stateless PORT | asgi PORT] [async]."""

import asyncio
import sys
import threading
from concurrent.futures import Future

import wellhead

ITEMS = 1000
FILL = "The quick brown fox jumps over the lazy dog. " * 24
LINE = '2026-11-20 INFO "GET /café" 200 — dir C:\\tmp took 170 ms, ok\n'
TEXT = LINE * 16384
BLOB = bytes(range(256)) * 4096

STREAMS = 20_000  # clients that may listen at once, each on a connection of its own

server = wellhead.Server("bench", "1.0.0", limits=wellhead.Limits(listen_streams=STREAMS))
ASYNC = sys.argv[-1] == "async"


def make(n: int) -> str | None:
    return (f"item {n}: " + FILL)[:1024] if n < ITEMS else None


if ASYNC:

    @server.resource("bench://item/{n}", name="item", mime_type="text/plain")
    async def item(n: int) -> str | None:
        return make(n)

    @server.resource("bench://slow/{ms}", mime_type="text/plain")
    async def slow(ms: int) -> str:
        await asyncio.sleep(ms / 1000)
        return f"slept {ms}"
else:

    @server.resource("bench://item/{n}", name="item", mime_type="text/plain")
    def item(n: int) -> str | None:
        return make(n)

    @server.resource("bench://slow/{ms}", mime_type="text/plain")
    def slow(ms: int) -> Future[str]:
        later: Future[str] = Future()
        threading.Timer(ms / 1000, later.set_result, [f"slept {ms}"]).start()
        return later


@server.resource("bench://text/{size}", mime_type="text/plain")
def text(size: str) -> str | None:
    return TEXT if size == "1m" else None


@server.resource("bench://blob/{size}", mime_type="application/octet-stream")
def blob(size: str) -> bytes | None:
    return BLOB if size == "1m" else BLOB * 64 if size == "64m" else None


@server.resource("bench://touch/{n}", mime_type="text/plain")
def touch(n: int) -> str:
    for i in range(min(n, ITEMS)):
        server.notify_updated(f"bench://item/{i}")
    return f"touched {n}"


@server.tool
def add(a: int, b: int) -> str:
    """Adds two whole numbers."""
    return str(a + b)


RESOURCES = [
    wellhead.Resource(
        f"bench://item/{n}",
        key=str(n),
        name=f"item-{n}",
        title=f"Item {n}",
        description=f"Benchmark item number {n}",
        mime_type="text/plain",
    )
    for n in range(ITEMS)
]


@server.list
def items(after: str | None, limit: int) -> wellhead.Page:
    start = 0 if after is None else int(after) + 1
    return wellhead.Page(RESOURCES[start : start + limit], more=start + limit < ITEMS)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["http" | "http-stateless" as over, port, *_]:
            server.serve_http(port=int(port), sessions=over == "http", tcp_connection_limit=STREAMS)
        case ["asgi", port, *_]:
            import uvicorn

            uvicorn.run(server.asgi(), port=int(port), log_level="warning", access_log=False)
        case _:
            server.run()
