"""`Server.endpoint`: HTTP servers with a thread for each request."""

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import wellhead
from client import META
from http_client import Client
from wellhead._endpoint import Steps


@contextmanager
def serving(endpoint: wellhead.HttpEndpoint) -> Iterator[Client]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            peer = f"{self.client_address[0]} {self.client_address[1]}"
            with endpoint.handle(self.command, self.path, self.headers.items(), body, peer=peer) as response:
                self.send_response(response.status)
                for name, value in response.headers:
                    self.send_header(name, value)
                self.end_headers()
                for piece in response:
                    self.wfile.write(piece)

        do_GET = do_POST = do_DELETE = do_OPTIONS = answer

        def log_message(self, format: str, *args: Any) -> None: ...

    class Listener(ThreadingHTTPServer):
        daemon_threads = True

    listener = Listener(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listener.serve_forever)
    thread.start()
    try:
        yield Client(listener.server_address[1])
    finally:
        listener.shutdown()
        thread.join(30)
        listener.server_close()


def notes() -> wellhead.Server:
    server = wellhead.Server("s", "1")
    server.text("n:a", "a")

    @server.resource("n:def")
    def plain() -> str:
        return threading.current_thread().name

    @server.resource("n:loop")
    async def later() -> str:
        return threading.current_thread().name

    return server


def message(method: str, **params: object) -> tuple[list[tuple[str, str]], bytes]:
    headers = [
        ("Host", "localhost"),
        ("Accept", "application/json, text/event-stream"),
        ("Content-Type", "application/json"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
    ]
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
    return headers, json.dumps(body).encode()


def test_a_server_with_a_thread_for_each_request_serves_callbacks_sessions_and_streams() -> None:
    server = notes()
    endpoint = server.endpoint()
    with serving(endpoint) as client:
        assert client.read("n:a") == "a"
        assert "process_request_thread" in client.read("n:def")  # the thread of the request
        assert client.read("n:loop") == "wellhead-loop"
        session = client.session()
        with client.send("GET", headers={**session, "Accept": "text/event-stream"}) as stream:
            assert stream.status == 200
        stream = client.listen("n:a")
        server.notify_updated("n:a")
        assert stream.event()["params"]["uri"] == "n:a"
        endpoint.close()
        assert stream.ends()


def test_a_complete_response_has_bytes_and_a_stream_has_pieces() -> None:
    server = notes()
    endpoint = server.endpoint()
    headers, body = message("resources/list")
    response = endpoint.handle("POST", "/mcp", headers, body)
    assert response.status == 200
    assert isinstance(response.body, bytes)
    assert json.loads(response.body)["result"]["resources"]
    assert list(response) == [response.body]
    assert dict(response.headers)["content-length"] == str(len(response.body))
    headers, body = message("subscriptions/listen", notifications={"resourceSubscriptions": ["n:a"]})
    stream = endpoint.handle("POST", "/mcp", headers, body)
    assert not isinstance(stream.body, bytes)
    assert b"acknowledged" in b"".join(next(stream.body) for _ in range(1))
    stream.close()
    stream.close()
    assert list(stream) == []
    assert endpoint.handle("POST", "/other", headers, body).status == 404
    assert endpoint.handle("PUT", "/mcp", headers, body).status == 405
    assert endpoint.handle("POST", "/mcp", [], b"").status >= 400
    assert endpoint.handle("POST", "/mcp", headers, b"\xff" * 100).status == 400


def test_a_closed_endpoint_ends_its_streams_and_serves_the_next_request() -> None:
    server = notes()
    begun, held = threading.Event(), threading.Event()

    @server.resource("n:held", thread=True)
    def waits() -> str:
        begun.set()
        held.wait(30)
        return "late"

    endpoint = server.endpoint()
    headers, body = message("subscriptions/listen", notifications={"resourceSubscriptions": ["n:a"]})
    stream = endpoint.handle("POST", "/mcp", headers, body)
    assert next(iter(stream))
    ended = threading.Thread(target=lambda: list(stream))
    ended.start()
    endpoint.close()
    endpoint.close()
    ended.join(30)
    assert not ended.is_alive()
    headers, body = message("resources/list")
    assert endpoint.handle("POST", "/mcp", headers, body).status == 200
    held.set()


def test_an_endpoint_closes_while_a_request_waits_for_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    server = wellhead.Server("s", "1")
    asked, closing = threading.Event(), threading.Event()

    def exists(uri: str) -> bool:
        asked.set()
        return closing.wait(30)

    server.resource("n:{x}", exists=exists)(lambda x: x)
    endpoint = server.endpoint()
    headers, body = message("subscriptions/listen", notifications={"resourceSubscriptions": ["n:x"]})
    statuses: list[int] = []
    thread = threading.Thread(target=lambda: statuses.append(endpoint.handle("POST", "/mcp", headers, body).status))
    thread.start()
    assert asked.wait(30)
    close = Steps.close

    def closes(steps: Steps) -> None:
        closing.set()
        close(steps)  # waits for the other thread

    monkeypatch.setattr(Steps, "close", closes)
    endpoint.close()
    thread.join(30)
    assert statuses in ([200], [503])  # it may have found its answer before


@pytest.mark.parametrize("is_async", [False, True])
def test_an_endpoint_in_a_with_statement_runs_the_lifespan(is_async: bool) -> None:
    seen: list[str] = []

    @contextmanager
    def plain(server: wellhead.Server) -> Iterator[str]:
        seen.append("open")
        yield "value"
        seen.append("close")

    @asynccontextmanager
    async def later(server: wellhead.Server) -> AsyncIterator[str]:
        with plain(server) as value:
            yield value

    server = wellhead.Server("s", "1", lifespan=later if is_async else plain)

    @server.resource("n:x")
    def callback(call: wellhead.Call) -> str:
        return str(call.lifespan)

    headers, body = message("resources/read", uri="n:x")
    headers.append(("Mcp-Name", "n:x"))
    with server.endpoint() as endpoint:
        answer = endpoint.handle("POST", "/mcp", headers, body).body
        assert isinstance(answer, bytes)
        assert b'"value"' in answer
        assert seen == ["open"]
    assert seen == ["open", "close"]


def test_an_exception_of_a_lifespan_is_raised_when_the_endpoint_is_entered() -> None:
    @asynccontextmanager
    async def fails(server: wellhead.Server) -> AsyncIterator[None]:
        raise RuntimeError("no database")
        yield

    server = wellhead.Server("s", "1", lifespan=fails)
    with pytest.raises(RuntimeError, match="no database"), server.endpoint():
        pass


def test_a_wrong_option_raises_an_error_at_once() -> None:
    with pytest.raises(TypeError, match="did you mean 'path'"):
        wellhead.Server("s", "1").endpoint(pathh="/x")  # type: ignore[call-arg]


def test_an_async_def_may_be_the_only_one_that_needs_a_loop() -> None:
    server = wellhead.Server("s", "1")
    server.text("n:a", "a")

    async def verify(token: str) -> wellhead.Grant | None:
        return wellhead.Grant(wellhead.Caller(token)) if token == "good" else None

    headers, body = message("resources/list")
    with server.endpoint(verify=verify) as endpoint:
        statuses = [
            endpoint.handle("POST", "/mcp", [*headers, ("Authorization", f"Bearer {token}")], body).status
            for token in ("good", "bad")
        ]
    assert statuses == [200, 401]
