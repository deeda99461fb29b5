"""Carriers of the requests of HTTP's vectors: an ASGI application on an event loop, and `serve_http` over sockets."""

from __future__ import annotations

import asyncio
import http.client
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol

import wellhead

Fields = list[tuple[str, bytes]]
PATIENCE = 30.0


class Request:
    """A request of a script."""

    def __init__(self, method: str, target: str, headers: Fields, body: list[bytes], whole: bool) -> None:
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.whole = whole


class Got:
    """The part of a response that has come and is not yet read."""

    def __init__(self) -> None:
        self.news = threading.Condition()
        self.head: tuple[int, dict[str, str]] | None = None
        self.body = b""
        self.done = False

    def begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        with self.news:
            assert self.head is None, "a second head came"
            self.head = status, {name.lower(): value for name, value in headers}
            self.news.notify_all()

    def add(self, body: bytes, done: bool) -> None:
        with self.news:
            self.body += body
            self.done = self.done or done
            self.news.notify_all()

    def wait(self, enough: Callable[[], bool]) -> bool:
        with self.news:
            return self.news.wait_for(enough, PATIENCE)

    def take(self) -> bytes:
        """Returns the body that has come, which then is read."""
        with self.news:
            body, self.body = self.body, b""
            return body


class Exchange(Protocol):
    got: Got

    def drop(self) -> None: ...


class Adapter(Protocol):
    host: str

    def send(self, request: Request) -> Exchange: ...

    def advance(self, ms: int) -> None: ...

    def stop(self) -> None: ...


class Asgi:
    """An application on an event loop of its own."""

    def __init__(self, server: wellhead.Server, options: dict[str, Any], sets_clock: bool) -> None:
        self.host = "localhost"
        self.app = server.asgi(**options)
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.now = 0
        if sets_clock:
            self.advance(0)

    def send(self, request: Request) -> Exchange:
        return AsgiExchange(self, request)

    def advance(self, ms: int) -> None:
        asyncio.run_coroutine_threadsafe(self.proceed(ms), self.loop).result(PATIENCE)

    async def proceed(self, ms: int) -> None:
        endpoint = self.app._enter(self.loop)
        self.now += ms
        endpoint.set_time(self.now)
        endpoint.tick()
        for response in self.app._responses:
            response.wake()

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self.end(), self.loop).result(PATIENCE)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE)
        self.loop.close()

    async def end(self) -> None:
        async with self.app.lifespan():
            pass
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(tasks)


class AsgiExchange:
    def __init__(self, adapter: Asgi, request: Request) -> None:
        self.got = Got()
        self.adapter = adapter
        self.incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        path, _, query = request.target.partition("?")
        self.scope = {
            "type": "http",
            "method": request.method,
            "path": path,
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.lower().encode(), value) for name, value in request.headers],
        }
        pieces = request.body or [b""]
        for at, piece in enumerate(pieces, 1):
            more = at < len(pieces) or not request.whole
            self.incoming.put_nowait({"type": "http.request", "body": piece, "more_body": more})
        adapter.loop.call_soon_threadsafe(lambda: adapter.loop.create_task(self.run()))

    async def run(self) -> None:
        await self.adapter.app(self.scope, self.incoming.get, self.send)
        self.got.add(b"", True)

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            fields = [(name.decode(), value.decode("latin-1")) for name, value in message["headers"]]
            self.got.begin(message["status"], fields)
        else:
            self.got.add(message["body"], not message["more_body"])

    def drop(self) -> None:
        gone = {"type": "http.disconnect"}
        self.adapter.loop.call_soon_threadsafe(self.incoming.put_nowait, gone)


class Sockets:
    """The native listener, served on a thread of this process."""

    def __init__(self, server: wellhead.Server, options: dict[str, Any], sets_clock: bool) -> None:
        assert not sets_clock, "the listener has a clock of its own"
        self.server = server
        self.port = 0
        listening = threading.Event()

        def on_listening(host: str, port: int) -> None:
            self.port = port
            listening.set()

        self.exchanges: list[SocketExchange] = []
        self.thread = threading.Thread(target=lambda: server.serve_http(port=0, on_listening=on_listening, **options))
        self.thread.start()
        assert listening.wait(PATIENCE)
        self.host = f"localhost:{self.port}"

    def send(self, request: Request) -> Exchange:
        exchange = SocketExchange(self.port, request)
        self.exchanges.append(exchange)
        return exchange

    def advance(self, ms: int) -> None:
        raise AssertionError("the listener has a clock of its own")

    def stop(self) -> None:
        for exchange in self.exchanges:
            exchange.drop()
        self.server.close()
        self.thread.join(PATIENCE)


class SocketExchange:
    def __init__(self, port: int, request: Request) -> None:
        self.got = Got()
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        head = f"{request.method} {request.target} HTTP/1.1\r\n".encode()
        for name, value in request.headers:
            head += name.encode() + b": " + value + b"\r\n"
        if not request.whole:
            head += b"Transfer-Encoding: chunked\r\n"
            request.body[:] = [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in request.body]
        self.method = request.method
        self.thread = threading.Thread(target=self.read)
        self.thread.start()
        try:
            self.socket.sendall(head + b"\r\n" + b"".join(request.body))
        except OSError:
            pass  # it was refused before it was read

    def read(self) -> None:
        try:
            response = http.client.HTTPResponse(self.socket, method=self.method)
            response.begin()
            self.got.begin(response.status, response.getheaders())
            while piece := response.read1(65536):
                self.got.add(piece, False)
            self.got.add(b"", True)
            response.close()
        except (OSError, ValueError, http.client.HTTPException):
            pass  # the script notices what is missing

    def drop(self) -> None:
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the server was first
        if sys.platform != "win32":  # where a thread that reads goes on until the server closes its side
            self.thread.join(PATIENCE)
        self.socket.close()
