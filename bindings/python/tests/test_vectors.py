"""Runs every script of tests/vectors against the package, whole and byte by byte. Its README says what a script is."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import wellhead
from vectors_host import Host
from vectors_message import Kept, compact, matches, sent, written

FOLDER = Path(__file__).parents[3] / "tests" / "vectors"
# The words of `needs` that Python reaches.
REACHES = {
    "access_changed",
    "annotations",
    "around",
    "authorize",
    "busy",
    "cache",
    "caller",
    "close_event_stream",
    "completion",
    "expand",
    "explain",
    "fallback",
    "filter",
    "icons",
    "input",
    "interest",
    "exists",
    "meta",
    "method",
    "options",
    "parts",
    "progress",
    "instances",
    "skills",
    "tools",
    "notify_sub_resource_updated",
    "verdict_count",
    "versions",
    "wrong_type",
}


def scripts() -> dict[str, Any]:
    paths = sorted(FOLDER.glob("*/*.json"))
    return {str(path.relative_to(FOLDER)): json.loads(path.read_text("utf-8")) for path in paths}


SCRIPTS = scripts()
REACHED = {name for name, script in SCRIPTS.items() if set(script.get("needs", [])) <= REACHES}


def unreached() -> list[str]:
    """The vectors that are not run, and the words that they lack."""
    return [
        f"{name}: needs {', '.join(sorted(set(SCRIPTS[name]['needs']) - REACHES))}, which Python does not reach"
        for name in SCRIPTS
        if name not in REACHED
    ]


class Client:
    """One connection, and the bytes that it has not accepted yet."""

    def __init__(self, server: wellhead.Server, caller: wellhead.Caller | None) -> None:
        self.connection = server.connect(caller=caller)
        self.unread = b""

    def feed(self, data: bytes) -> None:
        self.unread += data
        self.offer()

    def offer(self) -> None:
        if self.unread:
            self.unread = self.unread[self.connection.receive(self.unread) :]

    def poll(self) -> bool:
        ran = self.connection.poll_event() > 0
        if ran:
            self.offer()
        return ran

    def drain(self, most: int) -> bytearray:
        output = bytearray()
        while piece := self.connection.poll_transmit(most):
            output += piece
        if output:
            self.offer()
        return output


class Run:
    def __init__(self, script: Any, whole: bool) -> None:
        self.host = Host(script.get("server", {}))
        self.clients: dict[str, Client] = {}
        self.kept: Kept = {}
        self.whole = whole
        for entry in script.get("catalog", []):
            self.host.add(entry)
        self.client("a")

    def client(self, name: str, caller: wellhead.Caller | None = None) -> Client:
        if name not in self.clients:
            self.clients[name] = Client(self.host.server, caller)
        return self.clients[name]

    def step(self, step: Any) -> None:
        caller = wellhead.Caller(step["caller"].encode()) if "caller" in step else None
        client = self.client(step.get("on", "a"), caller)
        if caller is not None:
            return
        if "handshake" in step:
            self.handshake(client, step["handshake"])
        elif "in" in step:
            messages = step["in"] if isinstance(step["in"], list) else [step["in"]]
            self.feed(client, b"".join(sent(each, self.kept).encode() + b"\n" for each in messages))
        elif "raw" in step:
            self.feed(client, step["raw"].encode())
        elif "raw_base64" in step:
            self.feed(client, base64.b64decode(step["raw_base64"]))
        elif "raw_repeat" in step:
            self.feed(client, (step["raw_repeat"]["text"] * step["raw_repeat"]["times"]).encode(), 4096)
        elif "out" in step:
            self.check_output(client, step["out"])
        elif "end" in step:
            client.connection.end()
        elif "close" in step:
            client.connection.close()
        elif "tick" in step:
            client.connection.tick(step["tick"])
        elif "finished" in step:
            assert client.connection.finished is step["finished"]
        else:
            self.host.act(step)
        self.settle()

    def settle(self) -> None:
        while any([client.poll() for client in self.clients.values()]):
            pass

    def feed(self, client: Client, data: bytes, piece: int = 1) -> None:
        size = max(len(data), 1) if self.whole else piece
        for at in range(0, len(data), size):
            client.feed(data[at : at + size])
            self.settle()

    def handshake(self, client: Client, version: str) -> None:
        initialize = {
            "jsonrpc": "2.0",
            "id": "handshake",
            "method": "initialize",
            "params": {
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "c", "version": "1"},
            },
        }
        initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        self.feed(client, f"{compact(initialize)}\n{compact(initialized)}\n".encode())
        begin = f'{{"jsonrpc":"2.0","id":"handshake","result":{{"protocolVersion":"{version}",'
        [line] = self.lines(client)
        assert line.startswith(begin)

    def lines(self, client: Client) -> list[str]:
        output = bytearray()
        while True:
            self.settle()
            piece = client.drain(1 << 30 if self.whole else 1)
            if not piece:
                break
            output += piece
        *lines, rest = output.decode().split("\n")
        assert rest == "", "output ends inside a line"
        return lines

    def check_output(self, client: Client, expected: list[Any]) -> None:
        lines = self.lines(client)
        agree = len(lines) == len(expected) and all(
            matches(each, line, self.kept) for each, line in zip(expected, lines, strict=True)
        )
        assert agree, shown("expected", [written(each) for each in expected]) + shown("got", lines)


def shown(what: str, lines: list[str]) -> str:
    return f"\n{what}:" + "".join(f"\n    {line[:600]}" for line in lines or ["nothing"])


@pytest.mark.parametrize("pace", ["whole", "bytes"])
@pytest.mark.parametrize("name", sorted(REACHED))
def test_a_vector_gives_its_bytes(name: str, pace: str) -> None:
    script = SCRIPTS[name]
    run = Run(script, pace == "whole")
    try:
        for number, step in enumerate(script["steps"], 1):
            try:
                run.step(step)
            except AssertionError as e:
                raise AssertionError(f"tests/vectors/{name}, {pace}, step {number}: {e}") from e
        for client in run.clients.values():
            run.check_output(client, [])
    finally:
        run.host.stop()


def test_python_covers_every_feature_that_vectors_need() -> None:
    assert unreached() == []
