"""`Server.asgi`: Streamable HTTP as an ASGI 3 application; imported only then."""

from __future__ import annotations

import asyncio
import os
import weakref
from contextlib import asynccontextmanager

from wellhead._threads import pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from typing import Any, TypeAlias

    from wellhead._core import Endpoint, HttpExchange, Job, Server

    # The frameworks' own types of these differ.
    Scope: TypeAlias = Any
    Receive: TypeAlias = Callable[[], Awaitable[Any]]
    Send: TypeAlias = Callable[[Any], Awaitable[None]]

# The endpoint is told the time so often, in seconds, while a session is open.
TICK = 10.0
NOTHING = [(b"content-length", b"0")]


class AsgiApp:
    """An ASGI 3 application: give it to uvicorn or hypercorn, or mount it in Starlette or FastAPI.

    It needs no lifespan. With one, as `lifespan` or because a server runs the application itself, streams and sessions
    end when the server does. One event loop at a time; another one may use it later.
    """

    def __init__(self, server: Server, options: dict[str, Any]) -> None:
        server._check_endpoint(options)
        self._server = server
        self._options = options
        self._endpoint: Endpoint | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = 0
        self._timer: asyncio.TimerHandle | None = None
        self._responses: set[Response] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            response = Response(self, receive, send)
            self._responses.add(response)
            try:
                await response.run(self._enter(), scope)
            finally:
                self._responses.discard(response)
        elif scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await self._end()
            await send({"type": "lifespan.shutdown.complete"})
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close"})
        else:
            raise NotImplementedError(f"no ASGI scope of type {scope['type']!r} is known")

    @asynccontextmanager
    async def lifespan(self, app: object = None) -> AsyncIterator[None]:
        """The lifespan of an application that this one is mounted in: `Starlette(…, lifespan=mcp.lifespan)`. Such an
        application runs no lifespan but its own. At its end streams and sessions end; the server stays open."""
        try:
            yield
        finally:
            await self._end()

    def _enter(self) -> Endpoint:
        """The endpoint, for the loop that runs here."""
        loop = asyncio.get_running_loop()
        if self._endpoint is None or self._process != os.getpid():
            self._process = os.getpid()
            self._loop = None
            self._endpoint = self._server._endpoint(self._options, waker(self))
        if self._loop is not loop:
            self._loop = loop
            self._timer = None
            self._endpoint.use_loop(loop)
        return self._endpoint

    def _turn(self) -> None:
        if self._endpoint is not None:
            for job in self._endpoint.poll():
                submit(job)

    def _tick(self) -> None:
        self._timer = None
        self._watch_the_time()

    def _watch_the_time(self) -> None:
        """While there is something that time ends."""
        if self._timer is None and self._endpoint is not None and self._loop is not None:
            seconds = self._endpoint.tick()
            if seconds is not None:
                self._timer = self._loop.call_later(min(seconds, TICK), self._tick)

    async def _end(self) -> None:
        endpoint, self._endpoint = self._endpoint, None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if endpoint is None or self._loop is not asyncio.get_running_loop():
            return
        for response in self._responses:
            response.end()
        endpoint.close()  # nobody wants what the tasks would say
        tasks = endpoint.take_tasks()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*(asyncio.wrap_future(task) for task in tasks), return_exceptions=True)
        endpoint.use_loop(None)


class Response:
    """One request, and what is said to it."""

    def __init__(self, app: AsgiApp, receive: Receive, send: Send) -> None:
        self.app = app
        self.receive = receive
        self.send = send
        self.woken = asyncio.Event()
        self.exchange: HttpExchange | None = None
        self.client: asyncio.Future[None] | None = None

    def end(self) -> None:
        """It says no more than it has said."""
        if self.exchange is not None:
            self.exchange.close()
            self.woken.set()

    async def run(self, endpoint: Endpoint, scope: Scope) -> None:
        ready = threadsafe(asyncio.get_running_loop(), self.woken.set)
        exchange = self.exchange = endpoint.begin(scope["method"], target(scope), list(scope["headers"]), ready)
        try:
            await self.respond(exchange)
        except OSError:
            pass  # the client is gone
        finally:
            exchange.close()
            if self.client is not None:
                self.client.cancel()
            self.app._watch_the_time()

    async def respond(self, exchange: HttpExchange) -> None:
        begun = False
        unsent: bytes | None = None  # kept back until it is known whether it is the last
        while True:
            what, value = exchange.poll()
            if what == "data":
                if unsent:
                    await self.send_body(unsent, True)
                unsent = value
            elif what == "done":
                if not begun:  # the application ended before
                    await self.send({"type": "http.response.start", "status": 503, "headers": NOTHING})
                await self.send_body(unsent or b"", False)
                return
            elif what == "respond":
                status, headers, data = value
                await self.send({"type": "http.response.start", "status": status, "headers": headers})
                begun, unsent = True, data
            elif what == "job":
                submit(value)
            else:
                if unsent is not None:  # empty too: some servers send the head with the first of the body
                    await self.send_body(unsent, True)
                    unsent = None
                if not await self.wait(exchange, value):
                    if begun:
                        await self.send_body(b"", False)
                    return

    async def send_body(self, body: bytes, more: bool) -> None:
        await self.send({"type": "http.response.body", "body": body, "more_body": more})

    async def wait(self, exchange: HttpExchange, seconds: float | None) -> bool:
        """Until there is something to do. False: nobody listens any more."""
        if self.client is None:
            self.client = asyncio.ensure_future(self.listen(exchange))
        loop = asyncio.get_running_loop()
        timer = None if seconds is None else loop.call_later(seconds, self.woken.set)
        try:
            await self.woken.wait()
        finally:
            if timer is not None:
                timer.cancel()
        self.woken.clear()
        if self.client.done():
            self.client.result()  # what `receive` raises is the server's
            return False
        return True

    async def listen(self, exchange: HttpExchange) -> None:
        """Hands over the body as it comes, until the client is gone."""
        try:
            while (message := await self.receive())["type"] == "http.request":
                exchange.body(bytes(message.get("body", b"")), message.get("more_body", False))
                self.woken.set()
        finally:
            self.woken.set()


def target(scope: Scope) -> str:
    """Path and query, as seen from where the application is mounted."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "").rstrip("/")
    if root and (path == root or path.startswith(root + "/")):
        path = path[len(root) :]
    path = path.replace("?", "%3F").replace("#", "%23")
    query: bytes = scope.get("query_string", b"")
    return f"{path or '/'}?{query.decode('latin-1')}" if query else path or "/"


def submit(job: Job) -> None:
    pool().submit(job)


def threadsafe(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> Callable[[], None]:
    def from_any_thread() -> None:
        try:
            loop.call_soon_threadsafe(call)
        except RuntimeError:
            pass  # the loop is closed, and with it whoever waited

    return from_any_thread


def waker(app: AsgiApp) -> Callable[[], None]:
    """Wakes the application, which it does not keep alive."""
    known = weakref.ref(app)

    def turn() -> None:
        app = known()
        if app is not None:
            app._turn()

    def wake() -> None:
        app = known()
        if app is not None and app._loop is not None:
            threadsafe(app._loop, turn)()

    return wake


AsgiApp.__module__ = "wellhead"
