"""The client's side of HTTP in the tests, over sockets, and the processes that serve them."""

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from client import META, Process

Json = Any
ACCEPT = {"Accept": "application/json, text/event-stream"}


class Answer:
    """A response whose body is read as it comes."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.connection = connection
        self.response = connection.getresponse()
        self.status = self.response.status

    def header(self, name: str) -> str | None:
        return self.response.getheader(name)

    def json(self) -> Json:
        with self:
            return json.loads(self.response.read())

    def event(self) -> Json:
        """The data of the next event that has some."""
        for line in iter(self.response.readline, b""):
            if line.startswith(b"data: "):
                return json.loads(line[6:])
        raise AssertionError("the stream ended")

    def ends(self) -> bool:
        """Returns whether nothing but comments comes any more; the server may break off."""
        with self, suppress(http.client.IncompleteRead, ConnectionError):
            return not any(line.startswith(b"data:") for line in iter(self.response.readline, b""))
        return True

    def close(self) -> None:
        self.response.close()
        self.connection.close()

    def __enter__(self) -> "Answer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Client:
    """Each request has a connection of its own."""

    def __init__(self, port: int, path: str = "/mcp") -> None:
        self.port = port
        self.path = path

    def send(self, method: str, body: Json = None, headers: Mapping[str, str] = ACCEPT) -> Answer:
        return Answer(self.request(method, body, headers))

    def request(self, method: str, body: Json, headers: Mapping[str, str]) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = {**ACCEPT, **headers}
        if body is not None:
            sent["Content-Type"] = "application/json"
        connection.request(method, self.path, None if body is None else json.dumps(body), sent)
        return connection

    def send_request(self, method: str, name: str | None = None, **params: Json) -> Answer:
        return Answer(self.call(method, name, **params))

    def call(self, method: str, name: str | None = None, **params: Json) -> http.client.HTTPConnection:
        """A request that stands for itself, and whose response is still to come."""
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        if name is not None:
            headers["Mcp-Name"] = name
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
        return self.request("POST", message, headers)

    def read(self, uri: str) -> Json:
        """The text of a resource, or the message of the error."""
        answer = self.send_request("resources/read", uri, uri=uri).json()
        return answer["error"]["message"] if "error" in answer else answer["result"]["contents"][0]["text"]

    def read_in(self, session: Mapping[str, str], uri: str) -> http.client.HTTPConnection:
        """A read in a session, whose response is still to come."""
        message = {"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": uri}}
        return self.request("POST", message, session)

    def listen(self, uri: str) -> Answer:
        answer = self.send_request("subscriptions/listen", notifications={"resourceSubscriptions": [uri]})
        assert answer.event()["method"] == "notifications/subscriptions/acknowledged"
        return answer

    def session(self) -> dict[str, str]:
        """The header fields of a session's requests."""
        client = {"name": "c", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        with self.send("POST", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}) as answer:
            assert answer.status == 200
            session = answer.header("mcp-session-id")
            assert session is not None
        headers = {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18"}
        with self.send("POST", {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers) as answer:
            assert answer.status == 202
        return headers


@contextmanager
def served(program: str, *arguments: str, path: str = "/mcp") -> Iterator[tuple[Process, Client]]:
    """A program that prints, as its first line, the port at which it serves."""
    with Process(program, *arguments) as process:
        line = process.output.readline()
        if not line:
            raise AssertionError(f"the server ended: {process.end()}")
        yield process, Client(int(line), path)
