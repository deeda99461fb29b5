"""Starts a program of a page in a folder of its own, and asks it what stands in comments behind it. `check.py` has the form of the comments."""

import json
import os
import random
import re
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parents[1]
OURS = ROOT / "bindings/node/node_modules"  # what its tests need
STATELESS = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "docs", "version": "1"}}
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
}


def over_stdio(command: list[str], folder: Path, comments: str, *, handshake: bool = False) -> str | None:
    """Asks a program over stdio, each question after the answer to the last one. Returns what is wrong."""
    with started(command, folder) as server:

        def send(message: dict) -> None:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()

        def sent(asked: dict) -> str:
            with suppress(BrokenPipeError):
                send({"id": 1, **asked})
            line = server.stdout.readline()
            return answer(json.loads(line)) if line else f"its end: {server.stderr.read()}"

        if handshake:
            sent({"method": "initialize", "params": HANDSHAKE})
            with suppress(BrokenPipeError):
                send({"method": "notifications/initialized"})
        if why := wrong(comments, lambda question: sent(request(question, {} if handshake else STATELESS))):
            return why
        server.stdin.close()
        return None if server.wait(60) == 0 else f"it ended with {server.returncode}: {server.stderr.read()}"


def over_http(command: list[str], folder: Path, comments: str, port: int, ready: str = "http://") -> str | None:
    """Asks a program over HTTP at a port, after the line of standard error that has `ready`. Returns what is wrong."""
    with listening(command, folder, ready, port) as why:
        return why or wrong(comments, lambda question: send_over_http(question, port))


@contextmanager
def listening(command: list[str], folder: Path, ready: str, port: int) -> Iterator[str | None]:
    """A program that listens at a port until the block ends, or why it does not."""
    with started(command, folder, PORT=str(port)) as server:
        lines = []
        for line in server.stderr:
            lines.append(line)
            if ready in line:
                yield None
                return
        yield f"it ended: {''.join(lines)}"


def send_over_http(question: str, port: int) -> str:
    word, _, rest = question.partition(" ")
    if word == "get":
        return fetched(f"http://127.0.0.1:{port}{rest}", {}, None)
    message = {"jsonrpc": "2.0", "id": 1, **request(question, STATELESS)}
    headers = {"Mcp-Method": message["method"], "Mcp-Name": message["params"].get("uri", message["params"].get("name", ""))}
    return answer(json.loads(fetched(f"http://127.0.0.1:{port}/mcp", HEADERS | headers, json.dumps(message).encode())))


def unused_port() -> int:
    """Returns a free port below those that systems give to connections, so that no connection takes it meanwhile."""
    for port in random.sample(range(20_000, 32_000), 1000):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("there are no free ports")


def wrong(comments: str, ask: Callable[[str], str]) -> str | None:
    """The first question with another answer than the page says."""
    questions = [question.partition(" = ") for question in re.findall(r"<!-- ask: (.*?) -->", comments)]
    answers = ((question, ask(question), expected) for question, _, expected in questions)
    other = next((f"{question} = {said}, not {expected}" for question, said, expected in answers if said != expected), None)
    return other if questions else "no question stands behind it"


@contextmanager
def started(command: list[str], folder: Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A program in a folder, which ends with the block."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=folder, env=os.environ | environment, text=True, **pipes) as program:
        try:
            yield program
        finally:
            program.kill()
            with suppress(BrokenPipeError):
                program.stdin.close()


@contextmanager
def folder_with(files: Mapping[str, str], packages: Path = OURS) -> Iterator[Path]:
    """A folder with files and with packages of Node, ours among them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text, "utf-8")
        found = folder / "node_modules"
        found.mkdir()
        for package in packages.iterdir():
            (found / package.name).symlink_to(package)
        (found / "wellhead").unlink(missing_ok=True)
        (found / "wellhead").symlink_to(ROOT / "bindings/node")
        yield folder


def fetched(url: str, headers: Mapping[str, str], body: bytes | None) -> str:
    try:
        with urlopen(Request(url, body, dict(headers)), timeout=60) as response:
            return response.read().decode()
    except HTTPError as e:
        return json.dumps({"status": e.code, "body": e.read().decode()})


def request(question: str, meta: dict) -> dict:
    word, _, rest = question.partition(" ")
    name, _, arguments = rest.partition(" ")
    method, params = {
        "list": ("resources/list", {}),
        "read": ("resources/read", {"uri": name}),
        "call": ("tools/call", {"name": name, "arguments": json.loads(arguments or "{}")}),
        "prompt": ("prompts/get", {"name": name, "arguments": json.loads(arguments or "{}")}),
    }[word]
    return {"method": method, "params": {**params, "_meta": meta} if meta else params}


def answer(message: dict) -> str:
    match message.get("result", {}):
        case {"resources": resources}:
            return " ".join(resource["uri"] for resource in resources)
        case {"contents": [{"text": text}]} | {"content": [{"text": text}]} | {"messages": [{"content": {"text": text}}]}:
            return text
    return json.dumps(message)
