"""Runs the scripts of tests/vectors/http through ASGI and over sockets. The vectors' README says what a script is."""

import base64
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wellhead
from http_adapters import PATIENCE, Adapter, Asgi, Exchange, Got, Request, Sockets
from test_vectors import REACHES, shown
from vectors_host import Host
from vectors_message import Kept, compact, matches, sent, written

FOLDER = Path(__file__).parents[3] / "tests" / "vectors" / "http"
SCRIPTS: dict[str, Any] = {
    str(path.relative_to(FOLDER)): json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*/*.json"))
}
# The features that an adapter has and the package lacks.
ADAPTERS: dict[str, tuple[Callable[[wellhead.Server, dict[str, Any], bool], Adapter], set[str]]] = {
    "asgi": (Asgi, {"clock", "loopback_only", "repeated", "unfinished", "verify"}),
    "sockets": (Sockets, {"repeated", "unfinished", "verbatim", "verify"}),
}
Json = Any


class Run:
    def __init__(self, script: Json, adapter: str, whole: bool) -> None:
        self.host = Host(script.get("server", {}))
        for entry in script.get("catalog", []):
            self.host.add(entry)
        sets_clock = "clock" in script.get("needs", [])
        self.adapter = ADAPTERS[adapter][0](self.host.server, options(self.host, script.get("http", {})), sets_clock)
        self.exchanges: dict[str, Exchange] = {}
        self.kept: Kept = {}
        self.whole = whole

    def step(self, step: Json) -> None:
        on = step.get("on", "a")
        if "send" in step:
            self.send(on, step)
        elif "response" in step:
            self.response(on, step["response"])
        elif "events" in step:
            self.events(on, step["events"], step.get("end", False))
        elif "waiting" in step:
            assert self.got(step["waiting"]).head is None, "a head has come"
        elif "drop" in step:
            self.exchanges.pop(step["drop"]).drop()
        elif "session" in step:
            self.session(step)
        elif "advance" in step:
            self.adapter.advance(step["advance"])
        else:
            wait(lambda: is_ready_for(self.host, step))
            if "held" in step:
                assert step["held"] in self.host.held
            else:
                self.host.act(step)

    def got(self, name: str) -> Got:
        return self.exchanges[name].got

    def send(self, on: str, step: Json) -> None:
        before = self.exchanges.get(on)
        assert before is None or (before.got.done and not before.got.body), f"the exchange {on} is not over"
        until = time.monotonic() + PATIENCE
        while True:
            self.exchanges[on] = self.adapter.send(self.request(step))
            if "response" not in step:
                return
            status = self.status(on)
            early = status == 503 and status != step["response"]["status"]
            if not early or time.monotonic() > until:
                return self.response(on, step["response"])

    def status(self, on: str) -> int:
        got = self.got(on)
        assert got.wait(lambda: got.head is not None) and got.head is not None, "no head has come"
        return got.head[0]

    def request(self, step: Json) -> Request:
        method = step["send"]
        headers = [("Host", self.adapter.host.encode())]
        if method == "POST":
            headers.append(("Content-Type", b"application/json"))
            headers.append(("Accept", b"application/json, text/event-stream"))
        body, piece = body_of(step.get("body"), self.kept)
        whole = not step.get("unfinished", False)
        if body is not None and whole:
            headers.append(("Content-Length", str(len(body)).encode()))
        for name, given in step.get("headers", {}).items():
            headers = [field for field in headers if field[0].lower() != name.lower()]
            for value in given if isinstance(given, list) else [given]:
                if value is not None:
                    headers.append((name, sent(value, self.kept).encode("latin-1")))
        size = max(len(body or b""), 1) if self.whole else piece
        pieces = [body[at : at + size] for at in range(0, len(body), size)] if body else []
        return Request(method, step.get("path", "/mcp"), headers, pieces, whole)

    def response(self, on: str, expected: Json) -> None:
        got, whole = self.got(on), "events" not in expected
        assert got.wait(lambda: got.head is not None and (got.done or not whole)), f"no response has come: {got.body!r}"
        assert got.head is not None
        (status, headers), got.head = got.head, None
        assert status == expected["status"], f"status {status}: {got.body!r}"
        fields: dict[str, str | None] = {"content-type": "application/json" if "json" in expected else None}
        if not whole:
            fields = {
                "content-type": "text/event-stream",
                "cache-control": "no-cache, no-transform",
                "x-accel-buffering": "no",
            }
        for name, value in {**fields, **expected.get("headers", {})}.items():
            agrees = fits(value, headers.get(name.lower()), self.kept)
            assert agrees, f"{name}: expected {value}, got {headers.get(name.lower())}"
        if not whole:
            return self.events(on, expected["events"], expected.get("end", False))
        body = got.take()
        assert headers.get("content-length", str(len(body))) == str(len(body))
        if "json" in expected:
            agree = matches(expected["json"], body.decode(), self.kept)
            assert agree, shown("expected", [written(expected["json"])]) + shown("got", [body.decode()])
        else:
            assert body == b""

    def events(self, on: str, expected: list[Json], end: bool) -> None:
        got = self.got(on)
        for each in expected:
            event = self.event(got, each.get("comment", False))
            agree = event is not None and is_event(each, event, self.kept)
            assert agree, shown("expected", [compact(each)]) + shown("got", [str(event)])
        if end:
            assert got.wait(lambda: got.done), "the response goes on"
        self.nothing_left(on)
        assert got.done is end

    def event(self, got: Got, comment: bool) -> dict[str, str] | None:
        """The next event of a stream; comments are passed over unless one is wanted."""
        while True:
            if not got.wait(lambda: b"\n\n" in got.body or got.done) or b"\n\n" not in got.body:
                return None
            with got.news:
                block, _, got.body = got.body.partition(b"\n\n")
            fields = {}
            message = block.startswith(b"event: message\n")
            block = block.removeprefix(b"event: message\n")
            for line in block.decode().split("\n"):
                name, _, value = line.partition(":")
                assert name in ("", "id", "retry", "data") and name not in fields, f"no event of ours: {block!r}"
                fields[name] = value.removeprefix(" ")
            assert message is bool(fields.get("data")), f"only what carries a message begins with its type: {block!r}"
            if comment or set(fields) != {""}:
                return fields

    def nothing_left(self, on: str) -> None:
        got = self.got(on)
        with got.news:
            got.body = re.sub(rb"(?m)^:.*\n\n", b"", got.body)
            assert got.head is None and got.body == b"", f"exchange {on}: no step asked for {got.body!r}"

    def session(self, step: Json) -> None:
        version, name = step["session"], step.get("as", "session")
        params = {
            "protocolVersion": version,
            "capabilities": step.get("capabilities", {}),
            "clientInfo": {"name": "c", "version": "1"},
        }
        initialize = {"jsonrpc": "2.0", "id": "handshake", "method": "initialize", "params": params}
        self.send("handshake", {"send": "POST", "body": initialize})
        got = self.got("handshake")
        assert got.wait(lambda: got.done) and got.head is not None
        (status, headers), got.head = got.head, None
        body = got.take().decode()
        begin = f'{{"jsonrpc":"2.0","id":"handshake","result":{{"protocolVersion":"{version}",'
        assert status == 200 and body.startswith(begin), body
        self.kept[name] = headers["mcp-session-id"]
        initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        fields = {"Mcp-Session-Id": headers["mcp-session-id"]}
        self.send("handshake", {"send": "POST", "headers": fields, "body": initialized, "response": {"status": 202}})


def options(host: Host, given: Json) -> dict[str, Any]:
    """The keyword arguments that these options of an endpoint are."""
    taken = {name: value for name, value in given.items() if name not in ("protect", "verify")}
    if "protect" in given or "verify" in given:
        taken = {**taken, **given.get("protect", {}), "verify": host.verifier(given.get("verify", {}))}
    return taken


def body_of(body: Json, kept: Kept) -> tuple[bytes | None, int]:
    """The bytes, and how many come at once where a body comes in pieces."""
    if body is None:
        return None, 1
    if isinstance(body, dict) and "repeat" in body:
        return (body["repeat"] * body["times"]).encode(), 4096
    if isinstance(body, dict) and "base64" in body:
        return base64.b64decode(body["base64"]), 1
    return sent(body, kept).encode(), 1


def is_event(expected: Json, event: dict[str, str], kept: Kept) -> bool:
    if expected.get("comment"):
        return set(event) == {""}
    data = ("data" in event) is ("data" in expected)
    if "data" in expected:
        data = data and matches(expected["data"], event["data"], kept)
    retry = str(expected["retry"]) if "retry" in expected else None
    return data and "" not in event and retry == event.get("retry") and fits(expected.get("id"), event.get("id"), kept)


def fits(expected: str | None, value: str | None, kept: Kept) -> bool:
    """Returns whether a value is the expected one, which may end with `@{*}` or `@{name}`."""
    if expected is None or value is None or not expected.endswith("}") or "@{" not in expected:
        return expected == value
    before, _, name = expected[:-1].partition("@{")
    rest = value.removeprefix(before)
    if not value.startswith(before) or not rest:
        return False
    return name == "*" or kept.setdefault(name, rest) == rest


def is_ready_for(host: Host, step: Json) -> bool:
    for verb in ("finish", "progress", "close_event_stream", "notify", "held", "cancelled"):
        if verb in step:
            held = host.held.get(step[verb])
            if held is None or verb != "cancelled" or held.call is None:
                return held is not None
            return held.call.cancelled is step["is"]
    if "calls" in step:
        return len(host.calls) >= len(step["calls"])
    return "log" not in step or any(step["log"] in line for line in host.lines)


def wait(ready: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not ready() and time.monotonic() < until:
        time.sleep(0)  # others have their turn


@pytest.mark.parametrize(
    ("name", "adapter", "pace"),
    [
        (name, adapter, pace)
        for name, script in SCRIPTS.items()
        for adapter, pace in (("asgi", "whole"), ("asgi", "bytes"), ("sockets", "whole"))
        if set(script.get("needs", [])) <= REACHES | ADAPTERS[adapter][1]
    ],
)
def test_an_http_vector_gives_its_responses(name: str, adapter: str, pace: str) -> None:
    run = Run(SCRIPTS[name], adapter, pace == "whole")
    try:
        for number, step in enumerate(SCRIPTS[name]["steps"], 1):
            try:
                run.step(step)
            except AssertionError as e:
                raise AssertionError(f"tests/vectors/http/{name}, {adapter}, {pace}, step {number}: {e}") from e
        for on in run.exchanges:
            run.nothing_left(on)
    finally:
        run.adapter.stop()
        run.host.stop()


def test_the_adapters_cover_every_feature_that_http_vectors_need() -> None:
    for name, script in SCRIPTS.items():
        assert any(set(script.get("needs", [])) <= REACHES | reached for _, reached in ADAPTERS.values()), name
