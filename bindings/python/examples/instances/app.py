"""Notes in Redis, served by any number of instances: a web API, and at /mcp the notes for MCP clients.

What is changed through one instance is told to the clients of all. README.md says how to start them.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import wellhead
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import RedisError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

# The keys of Redis: the texts by id (a hash), the ids in their order (a sorted set), the last id given out, and the
# changes (a stream). An instance that lost its connection goes on in the stream where it was.
TEXTS, IDS, LAST, CHANGES = "notes:texts", "notes:ids", "notes:last", "notes:changes"

# Its types do not know that answers are decoded.
redis: Any = Redis.from_url(
    os.environ.get("REDIS_URL", "redis://127.0.0.1"),
    decode_responses=True,
    retry=Retry(ExponentialBackoff(), retries=3),
)
server = wellhead.Server("notes", "1.0.0", cursor_key=bytes.fromhex(os.environ["CURSOR_KEY"]))
mcp = server.asgi()
told: list[str] = []
publishing = asyncio.Lock()  # events go out one at a time, in their order
server.on_publish(told.append)


@server.resource("notes://{id}", mime_type="text/plain")
async def note(id: str) -> str | None:
    """One note."""
    text: str | None = await redis.hget(TEXTS, id)
    return text


@server.list(name="notes")  # cursors hold the name, so all instances use one
async def listing(after: str | None, limit: int) -> wellhead.Page:
    start = "-inf" if after is None else f"({after}"
    ids = await redis.zrange(IDS, start, "+inf", byscore=True, offset=0, num=limit + 1)
    return wellhead.Page(
        [wellhead.Resource(f"notes://{id}", key=id, name=f"Note {id}") for id in ids[:limit]],
        more=len(ids) > limit,
    )


async def add(request: Request) -> Response:
    id = await redis.incr(LAST)
    async with redis.pipeline(transaction=True) as both:
        both.hset(TEXTS, str(id), (await request.body()).decode())
        both.zadd(IDS, {str(id): id})
        await both.execute()
    server.notify_resource_list_changed()
    await publish()
    return JSONResponse(id, status_code=201)


async def change(request: Request) -> Response:
    id = str(request.path_params["id"])
    if not await redis.hexists(TEXTS, id):
        return Response(status_code=404)
    await redis.hset(TEXTS, id, (await request.body()).decode())
    server.notify_updated(f"notes://{id}")
    await publish()
    return Response(status_code=204)


async def publish() -> None:
    """Sends the other instances a change that clients here are notified of. A request is answered only after this. A
    client without an answer, because its instance is gone, asks another instance again, which then notifies all. If
    Redis refuses an event, the request fails, and the next one sends the event."""
    async with publishing:
        while told:
            await redis.xadd(CHANGES, {"event": told[0]}, maxlen=10_000)
            del told[0]


async def inject_from(last: str) -> None:
    """Tells clients here what the other instances told after `last`."""
    while True:
        try:
            news = await redis.xread({CHANGES: last}, block=2000)
        except RedisError:
            await asyncio.sleep(1)
            continue
        for _, entries in news:
            for last, entry in entries:
                try:
                    server.inject(entry["event"])
                except Exception:
                    logging.exception("the change %s cannot be applied", last)


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    newest = await redis.xrevrange(CHANGES, count=1)
    following = asyncio.create_task(inject_from(newest[0][0] if newest else "0"))
    try:
        async with mcp.lifespan(app):
            yield
    finally:
        following.cancel()
        await asyncio.wait([following])  # until then the task uses Redis
        await redis.aclose()


app = Starlette(
    routes=[
        Route("/notes", add, methods=["POST"]),
        Route("/notes/{id:int}", change, methods=["PUT"]),
        Mount("/", app=mcp),
    ],
    lifespan=lifespan,
)
