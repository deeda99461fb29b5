"""`Server.asgi`: Streamable HTTP as an ASGI 3 application; imported only then."""

from __future__ import annotations

import asyncio
import os
import sys
import weakref
from contextlib import asynccontextmanager
from threading import get_ident

from wellhead._core import Endpoint
from wellhead._lifespan import Lifetime
from wellhead._loop import running_loop
from wellhead._threads import submit
from wellhead._uvicorn import Uvicorn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from typing import Any, TypeAlias

    from wellhead._core import HttpExchange, Server

    # The frameworks' own types of these differ.
    _Scope: TypeAlias = Any
    _Receive: TypeAlias = Callable[[], Awaitable[Any]]
    _Send: TypeAlias = Callable[[Any], Awaitable[None]]

# Seconds between two calls of `tick` while a session is open.
TICK = 10.0
# How long a request gets no task and no timer of its own, in seconds, at most.
YOUTH = 0.1
# So often, in seconds, uvicorn is looked at for whether it ends, while a response is open.
LOOK = 0.2


class AsgiApp:
    """An ASGI 3 application: give it to uvicorn or hypercorn, or mount it in Starlette or FastAPI.

    With a lifespan, as `lifespan` of the application around it or because a server runs this application itself,
    streams and sessions end when the server does. A `Server` with `lifespan=`, `on_start` or `on_stop` needs it.
    One event loop at a time; another one may use it later.
    """

    def __init__(self, server: Server, options: dict[str, Any]) -> None:
        Endpoint.check(server, options)
        self._server = server
        self._options = options
        self._endpoint: Endpoint | None = None
        self._value: Any = None  # of the server's lifespan
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = 0
        self._timer: asyncio.TimerHandle | None = None
        self._responses: set[Response] = set()
        # Responses that grow old together. None: no response is young.
        self._young: set[Response] | None = None
        self._looking: asyncio.TimerHandle | None = None

    def __repr__(self) -> str:
        path = self._options.get("path", "/mcp")
        return f"<wellhead.AsgiApp of {self._server.name!r} at {path!r}>"

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] == "http":
            loop = running_loop()
            endpoint = self._enter(loop)
            response = Response(self, loop, receive, send)
            self._responses.add(response)
            young = self._young
            if young is None:
                young = self._young = set()
                loop.call_later(YOUTH, self._grow_old, young)
            young.add(response)
            try:
                await response.run(endpoint, scope)
            finally:
                self._responses.discard(response)
                young.discard(response)
                self._watch_the_time()
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close"})
        else:
            raise NotImplementedError(f"no ASGI scope of type {scope['type']!r} is known")

    @asynccontextmanager
    async def lifespan(self, app: object = None) -> AsyncIterator[None]:
        """The lifespan of an application that this one is mounted in: `Starlette(…, lifespan=mcp.lifespan)`. Such an
        application runs no lifespan but its own. At its end streams and sessions end; the server stays open.

        Args:
            app: The application that it is mounted in. Not used.
        """
        async with Lifetime(self._server) as value:
            self._use_lifespan(value)
            try:
                yield
            finally:
                await self._end()
                self._value = None

    async def _live(self, receive: _Receive, send: _Send) -> None:
        """Runs the lifespan for an ASGI server that runs this application itself."""
        await receive()
        lifespan = self.lifespan()
        try:
            await lifespan.__aenter__()
        except BaseException as e:
            await send({"type": "lifespan.startup.failed", "message": f"{type(e).__name__}: {e}"})
            raise
        await send({"type": "lifespan.startup.complete"})
        await receive()
        try:
            await lifespan.__aexit__(None, None, None)
        except BaseException as e:
            await send({"type": "lifespan.shutdown.failed", "message": f"{type(e).__name__}: {e}"})
            raise
        await send({"type": "lifespan.shutdown.complete"})

    def _use_lifespan(self, value: Any) -> None:
        self._value = value
        if self._endpoint is not None:
            self._endpoint.use_lifespan(value)

    def _enter(self, loop: asyncio.AbstractEventLoop) -> Endpoint:
        """Returns the endpoint for the running event loop, and makes it if there is none."""
        if self._endpoint is None or self._process != os.getpid():
            self._process = os.getpid()
            self._loop = None
            self._endpoint = Endpoint(self._server, self._options, waker(self))
            self._endpoint.use_lifespan(self._value)
        if self._loop is not loop:
            self._loop = loop
            self._timer = self._young = self._looking = None  # what is of the other loop goes on there
            self._endpoint.use_loop(loop)
        return self._endpoint

    def _grow_old(self, young: set[Response]) -> None:
        if self._young is young:
            self._young = None
        for response in young:
            response.grow_old()
        if young and self._looking is None and self._loop is not None:
            uvicorn = Uvicorn.running()
            if uvicorn is not None:
                self._looking = self._loop.call_later(LOOK, self._look, uvicorn, self._loop)

    def _look(self, uvicorn: Uvicorn, loop: asyncio.AbstractEventLoop) -> None:
        """Ends the streams when uvicorn shuts down. Otherwise uvicorn would wait for them before it ends the
        lifespan.
        """
        if self._loop is not loop:
            return
        self._looking = None
        if uvicorn.is_ending():
            for response in self._responses:
                response.end_stream()
        if self._responses:
            self._looking = loop.call_later(LOOK, self._look, uvicorn, loop)

    def _turn(self) -> None:
        if self._endpoint is not None:
            for job in self._endpoint.poll():
                submit(job)

    def _tick(self) -> None:
        self._timer = None
        self._watch_the_time()

    def _watch_the_time(self) -> None:
        """Calls `tick` of the endpoint again and again, as long as it has something that ends after a time, such
        as a session.
        """
        if self._timer is None and self._endpoint is not None and self._loop is not None:
            seconds = self._endpoint.tick()
            if seconds is not None:
                self._timer = self._loop.call_later(min(seconds, TICK), self._tick)

    async def _end(self) -> None:
        endpoint, self._endpoint = self._endpoint, None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        if endpoint is None or self._loop is not asyncio.get_running_loop():
            return
        for response in self._responses:
            response.end()
        endpoint.close()  # the answers of the tasks are not wanted
        tasks = endpoint.take_tasks()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*(asyncio.wrap_future(task) for task in tasks), return_exceptions=True)
        endpoint.use_loop(None)


class Response:
    """One request, and its response.

    Most requests are answered within `YOUTH`. Only a request that takes longer, or has a deadline before that,
    needs timers and a task that notices when its client leaves.
    """

    def __init__(self, app: AsgiApp, loop: asyncio.AbstractEventLoop, receive: _Receive, send: _Send) -> None:
        self.app = app
        self.loop = loop
        self.thread = get_ident()
        self.receive = receive
        self.send = send
        self.woken = asyncio.Event()
        self.young = True
        self.exchange: HttpExchange | None = None
        self.reading: Reading | None = None
        self.client: asyncio.Future[None] | None = None

    def end(self) -> None:
        """Ends the exchange: nothing more of the response is sent."""
        if self.exchange is not None:
            self.exchange.close()
            self.wake()

    def end_stream(self) -> None:
        """Ends an event stream in good order. A call is still answered."""
        if self.exchange is not None:
            self.exchange.end_stream()
            self.woken.set()

    def wake(self) -> None:
        """Wakes the task of the request, which looks for its next step."""
        self.woken.set()
        if self.reading is not None:
            self.reading.interrupt()

    def grow_old(self) -> None:
        self.young = False
        self.woken.set()
        if self.reading is not None:
            self.reading.limit()

    def ready(self) -> None:
        """Wakes the request, since its exchange has a next step. May be called from any thread."""
        try:
            if get_ident() == self.thread:
                self.woken.set()
            else:
                self.loop.call_soon_threadsafe(self.woken.set)
        except RuntimeError:
            pass  # the loop is closed, and no task waits any more

    async def run(self, endpoint: Endpoint, scope: _Scope) -> None:
        method, headers = scope["method"], list(scope["headers"])
        exchange = endpoint.begin(method, target(scope), headers, peer(scope), self.ready)
        self.exchange = exchange
        try:
            await self.respond(exchange)
        except OSError:
            pass  # the client is gone
        finally:
            exchange.close()
            if self.client is not None:
                self.client.cancel()

    async def respond(self, exchange: HttpExchange) -> None:
        begun = False
        unsent: bytes | None = None  # kept back until it is known whether it is the last
        while True:
            what, value = exchange.poll()
            if what == "data":
                if unsent:
                    await self.send(body(unsent, True))
                unsent = value
            elif what == "done":
                if not begun:  # the application ended before
                    await self.send(empty(503))
                await self.send(body(unsent or b"", False))
                return
            elif what == "respond":
                status, headers, data = value
                await self.send({"type": "http.response.start", "status": status, "headers": headers})
                begun, unsent = True, data
            elif what == "job":
                submit(value)
            else:
                if unsent is not None:  # empty too: some servers send the head with the first of the body
                    await self.send(body(unsent, True))
                    unsent = None
                reads = what == "body" and self.client is None
                if not await (self.read(exchange, value) if reads else self.wait(exchange, value)):
                    if not begun:  # middleware expects a response of everybody, and logs an error without one
                        await self.send(empty(408))
                    await self.send(body(b"", False))
                    return

    async def read(self, exchange: HttpExchange, seconds: float) -> bool:
        """Passes the next piece of the body to the exchange, if it comes within `seconds`. Returns False if the
        client is gone.
        """
        self.reading = reading = Reading(self.loop, seconds)
        if not self.keeps_young(seconds):
            reading.limit()
        try:
            message = await self.receive()
        except asyncio.CancelledError:
            if reading.is_cancelled():
                raise
            return True
        finally:
            self.reading = None
            reading.end()
        return took(exchange, message)

    async def wait(self, exchange: HttpExchange, seconds: float | None) -> bool:
        """Waits until the exchange has a next step, for at most `seconds`. Returns False if the client is gone."""
        if self.keeps_young(seconds):
            await self.woken.wait()
            self.woken.clear()
            return True
        if self.client is None:
            self.client = asyncio.ensure_future(self.listen(exchange))
        timer = None if seconds is None else self.loop.call_later(seconds, self.woken.set)
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

    def keeps_young(self, seconds: float | None) -> bool:
        """Returns True if the request is young, so that it can wait for these seconds without a timer."""
        self.young = self.young and (seconds is None or seconds > YOUTH)
        return self.young

    async def listen(self, exchange: HttpExchange) -> None:
        """Passes the body to the exchange as it comes, until the client is gone."""
        try:
            while took(exchange, await self.receive()):
                self.woken.set()
        finally:
            self.woken.set()


class Reading:
    """The wait of a request's task for a piece of its body. `interrupt` ends it by cancelling the task."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        self.loop = loop
        self.seconds = seconds
        self.task = asyncio.current_task(loop)
        self.before = cancellations(self.task)
        self.timer: asyncio.TimerHandle | None = None
        self.interrupted = False

    def limit(self) -> None:
        """Sets a time limit for the wait. It counts from the first call of this function."""
        if self.timer is None:
            self.timer = self.loop.call_later(self.seconds, self.interrupt)

    def interrupt(self) -> None:
        if self.task is not None and not self.interrupted:
            self.interrupted = True
            self.task.cancel()

    def is_cancelled(self) -> bool:
        """Returns True if other code has cancelled the task, too. In Python 3.10, which cannot tell, False if the
        wait was interrupted.
        """
        return not self.interrupted or cancellations(self.task) > self.before + 1

    def end(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        if self.interrupted and self.task is not None and sys.version_info >= (3, 11):
            self.task.uncancel()


def cancellations(task: asyncio.Task[Any] | None) -> int:
    if sys.version_info >= (3, 11) and task is not None:
        return task.cancelling()
    return 0


def took(exchange: HttpExchange, message: Any) -> bool:
    """Passes a piece of the body to the exchange. Returns False if the client is gone."""
    if message["type"] != "http.request":
        return False
    exchange.body(bytes(message.get("body", b"")), message.get("more_body", False))
    return True


def empty(status: int) -> dict[str, Any]:
    """Returns the head of a response without a body. Middleware may add header fields to it."""
    return {"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]}


def body(data: bytes, more: bool) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": more}


def target(scope: _Scope) -> str:
    """Returns the path and query of a request, below the path at which the application is mounted."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "").rstrip("/")
    if root and (path == root or path.startswith(root + "/")):
        path = path[len(root) :]
    path = path.replace("?", "%3F").replace("#", "%23")
    query: bytes = scope.get("query_string", b"")
    return f"{path or '/'}?{query.decode('latin-1')}" if query else path or "/"


def peer(scope: _Scope) -> str:
    """Returns the address and port of the client. Behind a proxy it is the address that the ASGI server found.
    Empty if it is unknown.
    """
    client = scope.get("client")
    return f"{client[0]} {client[1]}" if client and client[0] else ""


def waker(app: AsgiApp) -> Callable[[], None]:
    """Returns a function that wakes the application, and does not keep it alive."""
    known = weakref.ref(app)

    def turn() -> None:
        app = known()
        if app is not None:
            app._turn()

    def wake() -> None:
        app = known()
        if app is not None and app._loop is not None:
            try:
                app._loop.call_soon_threadsafe(turn)
            except RuntimeError:
                pass  # the loop is closed, and no task waits any more

    return wake


AsgiApp.__module__ = "wellhead"
