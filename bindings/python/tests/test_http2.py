"""HTTP/2 over cleartext, with prior knowledge (RFC 9113 section 3.3), to the native listener."""

import json
import socket
from contextlib import closing
from typing import Any

import h2.connection
import h2.events
import wellhead
from client import META
from test_http import serve

Json = Any


class Connection:
    """One connection, with any number of requests side by side."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.authority = f"127.0.0.1:{port}"
        self.h2 = h2.connection.H2Connection()
        self.h2.initiate_connection()
        self.heads: dict[int, dict[str, str]] = {}
        self.bodies: dict[int, bytes] = {}
        self.ended: set[int] = set()
        self.flush()

    def send_request(self, method: str, name: str | None = None, **params: Json) -> int:
        """The number of the request's stream."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
        stream: int = self.h2.get_next_available_stream_id()
        named = [] if name is None else [("mcp-name", name)]
        head = [
            *((":method", "POST"), (":scheme", "http"), (":authority", self.authority), (":path", "/mcp")),
            *(("content-type", "application/json"), ("accept", "application/json, text/event-stream")),
            *(("mcp-protocol-version", "2026-07-28"), ("mcp-method", method), *named),
        ]
        self.h2.send_headers(stream, head)
        self.h2.send_data(stream, json.dumps(message).encode(), end_stream=True)
        self.flush()
        return stream

    def flush(self) -> None:
        self.socket.sendall(self.h2.data_to_send())

    def close(self) -> None:
        self.socket.close()

    def receive(self) -> None:
        data = self.socket.recv(65536)
        assert data, "the server closed the connection"
        for event in self.h2.receive_data(data):
            if isinstance(event, h2.events.ResponseReceived):
                self.heads[event.stream_id] = {name.decode(): value.decode() for name, value in event.headers}
            elif isinstance(event, h2.events.DataReceived):
                self.bodies[event.stream_id] = self.bodies.get(event.stream_id, b"") + event.data
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                self.ended.add(event.stream_id)
        self.flush()

    def whole(self, stream: int) -> Json:
        """The body of a response that has ended."""
        while stream not in self.ended:
            self.receive()
        return json.loads(self.bodies[stream])

    def event(self, stream: int) -> Json:
        """The data of the next event that has some."""
        while True:
            lines = self.bodies.get(stream, b"").split(b"\n")
            for at, line in enumerate(lines[:-1]):
                if line.startswith(b"data: "):
                    self.bodies[stream] = b"\n".join(lines[at + 1 :])
                    return json.loads(line[6:])
            self.receive()


def test_requests_share_a_connection_with_a_stream_of_changes() -> None:
    server = wellhead.Server("s", "1")
    text = server.text("n:a", "a" * 100_000)  # beyond the first window of flow control
    thread, client = serve(server)
    with closing(Connection(client.port)) as connection:
        listening = connection.send_request("subscriptions/listen", notifications={"resourceSubscriptions": ["n:a"]})
        assert connection.event(listening)["method"] == "notifications/subscriptions/acknowledged"
        assert connection.heads[listening][":status"] == "200"
        assert connection.heads[listening]["content-type"] == "text/event-stream"

        read = connection.send_request("resources/read", "n:a", uri="n:a")
        assert connection.whole(read)["result"]["contents"][0]["text"] == "a" * 100_000
        assert connection.heads[read]["content-type"] == "application/json"
        text.set("b")
        assert connection.event(listening)["params"]["uri"] == "n:a"
        read = connection.send_request("resources/read", "n:a", uri="n:a")
        assert connection.whole(read)["result"]["contents"][0]["text"] == "b"
        assert listening not in connection.ended
    server.close()
    thread.join(30)
    assert not thread.is_alive()
