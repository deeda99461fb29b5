"""`Server.endpoint`: Streamable HTTP for servers with a thread for each request; imported only then."""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import ExitStack
from contextvars import Context

from wellhead._core import Endpoint
from wellhead._lifespan import Lifetime
from wellhead._parameters import is_async
from wellhead._threads import submit

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from types import TracebackType
    from typing import Any

    from typing_extensions import Self

    from wellhead._core import Driver, HttpExchange, Server

# Seconds, at most, between two calls of `tick` while a request waits.
TICK = 10.0


class HttpResponse:
    """A response of `HttpEndpoint.handle`: `status`, `headers` and `body`.

    The body is `bytes`, or for an event stream an iterator of `bytes` that waits for events: send each piece at once.
    Iterating over the response gives the pieces of both. Use it in a `with`, or call `close` when the client is gone.
    """

    status: int
    """The HTTP status, such as 200."""
    headers: list[tuple[str, str]]
    """The header fields, pairs of name and value."""
    body: bytes | Iterator[bytes]
    """The whole body, or for an event stream an iterator of its pieces."""

    def __init__(self, status: int, headers: list[tuple[str, str]], body: bytes | Iterator[bytes], /) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    def __repr__(self) -> str:
        return f"<wellhead.HttpResponse {self.status}>"

    def __iter__(self) -> Iterator[bytes]:
        return iter([self.body]) if isinstance(self.body, bytes) else self.body

    def close(self) -> None:
        """Ends an event stream. May be called again."""
        if isinstance(self.body, Stream):
            self.body.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, t: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None, /) -> None:
        self.close()


class HttpEndpoint:
    """Answers Streamable HTTP for a server with a thread for each request, such as that of `http.server`.

    `Server.endpoint` makes it. All methods are thread-safe. In a `with` it runs the `lifespan` of the server.
    """

    def __init__(self, server: Server, options: dict[str, Any], /) -> None:
        Endpoint.check(server, options)
        self._server = server
        self._options = options
        self._needs_loop = is_async(options.get("verify"))
        self._lock = threading.Lock()
        self._endpoint: Endpoint | None = None
        self._process = 0
        self._value: Any = None
        self._loop: Loop | None = None
        self._steps: set[Steps] = set()
        self._stack = ExitStack()

    def __repr__(self) -> str:
        path = self._options.get("path", "/mcp")
        return f"<wellhead.HttpEndpoint of {self._server.name!r} at {path!r}>"

    def handle(
        self,
        method: str,
        path: str,
        headers: Iterable[tuple[str, str]] = (),
        body: bytes = b"",
        *,
        peer: str = "",
    ) -> HttpResponse:
        """Answers one request. Blocks until there is a response, and runs callbacks on this thread. With
        `authorize`, callbacks that follow its verdict run on a thread of a pool. An `async def` runs on an
        event loop on a thread of the endpoint. All of them see the context variables (`contextvars`) of this
        thread.

        Args:
            method: The method, such as `POST`.
            path: The path and query as the client sent them, such as `/mcp`.
            headers: The header fields, pairs of name and value: `request.headers.items()`.
            body: The whole body.
            peer: The address and port of the client. Limits that count for each client tell clients apart by
                it.

        Raises:
            ClosedError: The server is closed.
        """
        endpoint = self._enter()
        ready = threading.Event()
        fields = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        exchange = endpoint.begin(method, path, fields, peer, ready.set)
        steps = Steps(self._steps, endpoint, exchange, ready, body)
        try:
            head = steps.head()
            if head is None:  # the endpoint was closed
                steps.close()
                return HttpResponse(503, [], b"")
            status, given, data = head
            names = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in given]
            stream = Stream(steps, data)
            if ("content-type", "text/event-stream") in ((name.lower(), value) for name, value in names):
                return HttpResponse(status, names, stream)
            return HttpResponse(status, names, b"".join(stream))
        except BaseException:
            steps.close()
            raise

    def close(self) -> None:
        """Ends sessions and streams, and then the lifespan. The server stays open. May be called again."""
        with self._lock:
            endpoint, self._endpoint = self._endpoint, None
            loop, self._loop = self._loop, None
            stack, self._stack = self._stack, ExitStack()
            self._value = None
            open_steps = list(self._steps)
        try:
            if endpoint is not None and self._process == os.getpid():
                for steps in open_steps:
                    steps.close()
                endpoint.close()
                if loop is not None:
                    loop.end(endpoint)
        finally:
            stack.close()
            if loop is not None:
                loop.stop()

    def __enter__(self) -> Self:
        lifetime = Lifetime(self._server)
        if lifetime.needs_loop:
            loop = self._started()
            self._value = loop.begin_lifespan(lifetime)
            self._stack.callback(loop.end_lifespan)
        else:
            self._value = self._stack.enter_context(lifetime)
        return self

    def __exit__(self, t: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None, /) -> None:
        self.close()

    def _enter(self) -> Endpoint:
        with self._lock:
            if self._endpoint is None or self._process != os.getpid():
                self._process = os.getpid()
                self._endpoint = endpoint = Endpoint(self._server, self._options, waker(self))
                endpoint.use_lifespan(self._value)
                self._loop = self._loop if self._loop is not None and self._loop.is_here() else None
            endpoint = self._endpoint
        if self._needs_loop or self._server._needs_loop() or self._loop is not None:
            endpoint.use_loop(self._started().loop)
        endpoint.tick()
        return endpoint

    def _started(self) -> Loop:
        with self._lock:
            if self._loop is None:
                self._loop = Loop()
            return self._loop

    def _turn(self) -> None:
        endpoint = self._endpoint
        if endpoint is not None:
            for job in endpoint.poll():
                submit(job)


def waker(endpoint: HttpEndpoint) -> Callable[[], None]:
    """Returns a function that wakes the endpoint, and does not keep it alive."""
    known = weakref.ref(endpoint)

    def wake() -> None:
        endpoint = known()
        if endpoint is not None:
            submit(endpoint._turn)

    return wake


class Steps:
    """The steps of one exchange, on the thread of its request."""

    def __init__(
        self,
        known: set[Steps],
        endpoint: Endpoint,
        exchange: HttpExchange,
        ready: threading.Event,
        body: bytes,
    ) -> None:
        self.known = known
        self.endpoint = endpoint
        self.exchange = exchange
        self.ready = ready
        self.unread: bytes | None = body
        self.closed = False
        known.add(self)

    def head(self) -> Any:
        """Returns the status, the header fields and the first bytes. Returns None if the exchange ended without a
        response.
        """
        while True:
            what, value = self.exchange.poll()
            if what == "respond":
                return value
            if what == "done":
                return None
            self.step(what, value)

    def data(self) -> bytes | None:
        """Returns the next piece of the body, and None at its end."""
        while True:
            what, value = self.exchange.poll()
            if what == "done":
                return None
            if what == "data":
                return bytes(value)
            self.step(what, value)

    def step(self, what: str, value: Any) -> None:
        if what == "job":
            value()
        elif what == "body" and self.unread is not None:
            unread, self.unread = self.unread, None
            self.exchange.body(unread, False)
        else:
            self.ready.wait(TICK if value is None else min(value, TICK))
            self.ready.clear()
            if not self.closed:
                self.endpoint.tick()

    def close(self) -> None:
        """Ends the exchange. May be called from any thread."""
        self.closed = True
        self.known.discard(self)
        self.exchange.close()
        self.ready.set()


class Stream:
    """An iterator of the pieces of a body. Its end closes the exchange."""

    def __init__(self, steps: Steps, first: bytes) -> None:
        self.steps = steps
        self.first: bytes | None = first

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        first, self.first = self.first, None
        piece = first or self.steps.data()
        if piece is None:
            self.close()
            raise StopIteration
        return piece

    def close(self) -> None:
        self.first = None
        self.steps.close()


class Loop:
    """An event loop on a thread of its own, for `async def`.

    That thread makes it. On Windows a loop that the main thread makes takes the signals away from the service there.
    """

    def __init__(self) -> None:
        from concurrent.futures import Future

        self.process = os.getpid()
        made: Future[asyncio.AbstractEventLoop] = Future()
        self.thread = threading.Thread(target=self.work, args=(made,), name="wellhead-loop", daemon=True)
        Context().run(self.thread.start)  # not in the context of the request that needs it first
        self.loop = made.result()

    def work(self, made: Future[asyncio.AbstractEventLoop]) -> None:
        import asyncio

        try:
            loop = asyncio.new_event_loop()
        except BaseException as e:
            made.set_exception(e)
            return
        made.set_result(loop)
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    def is_here(self) -> bool:
        return self.process == os.getpid()

    def run(self, work: Any) -> Any:
        return asyncio_run(work, self.loop).result()

    def begin_lifespan(self, lifetime: Lifetime) -> Any:
        """Begins the lifespan in a task that also ends it, as some libraries require."""
        from concurrent.futures import Future

        began: Future[Any] = Future()
        self.held = asyncio_run(self.hold(lifetime, began), self.loop)

        def end_early(held: Future[None]) -> None:
            if not began.done():
                began.set_exception(held.exception() or RuntimeError("the lifespan ended as it began"))

        self.held.add_done_callback(end_early)
        return began.result()

    async def hold(self, lifetime: Lifetime, began: Future[Any]) -> None:
        import asyncio

        self.leaving = asyncio.Event()
        async with lifetime as value:
            began.set_result(value)
            await self.leaving.wait()

    def end_lifespan(self) -> None:
        self.loop.call_soon_threadsafe(self.leaving.set)
        self.held.result()

    def end(self, service: Endpoint | Driver) -> None:
        """Cancels the calls in flight, and waits for their tasks."""
        tasks: list[Future[Any] | asyncio.Future[Any]] = service.take_tasks()
        self.run(cancelled(tasks))
        service.use_loop(None)

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()


def asyncio_run(work: Any, loop: asyncio.AbstractEventLoop) -> Future[Any]:
    import asyncio

    return asyncio.run_coroutine_threadsafe(work, loop)


async def cancelled(tasks: list[Any]) -> None:
    import asyncio

    for task in tasks:
        task.cancel()
    await asyncio.gather(*(asyncio.wrap_future(task) for task in tasks), return_exceptions=True)


HttpEndpoint.__module__ = HttpResponse.__module__ = "wellhead"
