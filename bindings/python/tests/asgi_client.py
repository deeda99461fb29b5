"""An ASGI application's server in memory: scope, receive and send."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from typing import Any

import wellhead
from client import META

Json = Any
App = Callable[[Any, Any, Any], Coroutine[Any, Any, None]]

POST = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def on_a_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """A test that is a coroutine."""

    @wraps(test)
    def run() -> None:
        asyncio.run(test())

    return run


class Request:
    """One request, and what has come of its response."""

    def __init__(
        self,
        app: App,
        method: str,
        path: str = "/mcp",
        headers: Mapping[str, str] | None = None,
        *bodies: bytes,
        root_path: str = "",
        query: bytes = b"",
        client: tuple[str, int] | None = None,
    ) -> None:
        self.scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "root_path": root_path,
            "query_string": query,
            "client": client,
            "headers": [(b"host", b"localhost")]
            + [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()],
        }
        self.incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        for at, body in enumerate(bodies or [b""], 1):
            more = at < len(bodies)
            self.incoming.put_nowait({"type": "http.request", "body": body, "more_body": more})
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.complete = False
        self.news = asyncio.Condition()
        self.room = asyncio.Event()
        self.room.set()
        self.task = asyncio.ensure_future(app(self.scope, self.incoming.get, self.send))

    async def send(self, message: Any) -> None:
        async with self.news:
            if message["type"] == "http.response.start":
                self.status = message["status"]
                self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            else:
                self.body += message["body"]
                self.complete = not message["more_body"]
            self.news.notify_all()
        await self.room.wait()

    def disconnect(self) -> None:
        self.incoming.put_nowait({"type": "http.disconnect"})

    async def until(self, wanted: bytes, times: int = 1) -> None:
        """Waits until this stands in the body this often."""
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(lambda: self.body.count(wanted) >= times), 30)

    async def done(self) -> "Request":
        await asyncio.wait_for(self.task, 30)
        return self

    async def json(self) -> Json:
        await self.done()
        assert self.complete and self.headers["content-type"] == "application/json"
        assert len(self.body) == int(self.headers["content-length"])
        return json.loads(self.body)


def send_request(
    app: App,
    method: str,
    name: str | None = None,
    meta: Json = None,
    more: Mapping[str, str] | None = None,
    client: tuple[str, int] | None = None,
    **params: Json,
) -> Request:
    """A request that stands for itself."""
    headers = {**POST, **(more or {}), "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    if name is not None:
        headers["Mcp-Name"] = name
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": {**META, **(meta or {})}}}
    return Request(app, "POST", "/mcp", headers, json.dumps(message).encode(), client=client)


def read(app: App, uri: str, token: str | None = None) -> Request:
    more = {} if token is None else {"Authorization": f"Bearer {token}"}
    return send_request(app, "resources/read", uri, more=more, uri=uri)


async def text(request: Request) -> Json:
    """The text of a resource, or the message of the error."""
    answer = await request.json()
    return answer["error"]["message"] if "error" in answer else answer["result"]["contents"][0]["text"]


def listen(app: App, uri: str) -> Request:
    return send_request(app, "subscriptions/listen", notifications={"resourceSubscriptions": [uri]})


async def session(app: App) -> dict[str, str]:
    """The header fields of a session's requests."""
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    begun = await Request(app, "POST", "/mcp", POST, json.dumps(message).encode()).done()
    assert begun.status == 200
    return {**POST, "Mcp-Session-Id": begun.headers["mcp-session-id"]}


def endless(server: wellhead.Server) -> tuple[asyncio.Event, asyncio.Event]:
    """That a read of `n:slow`, which ends only when it is cancelled, began and is over."""
    began, over = asyncio.Event(), asyncio.Event()

    @server.resource("n:slow")
    async def slow() -> str:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            over.set()
        return ""

    return began, over
