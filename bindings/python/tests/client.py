"""The client's side in the tests: messages, and a server in a process of its own."""

import json
import subprocess
import sys
import textwrap
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any

import wellhead

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}

Json = Any


def request(id: int | str, method: str, **params: Json) -> bytes:
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": META}}
    return json.dumps(message).encode() + b"\n"


def read(uri: str, id: int | str = 1) -> bytes:
    return request(id, "resources/read", uri=uri)


def cancel(id: int | str) -> bytes:
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "_meta": META}}
    return json.dumps(message).encode() + b"\n"


def outcome(answer: bytes | None) -> Json:
    """The first contents' text or blob, or the error's message."""
    assert answer is not None
    message = json.loads(answer)
    if "error" in message:
        return message["error"]["message"]
    contents = message["result"]["contents"]
    return contents[0].get("text", contents[0].get("blob")) if contents else None


def read_or_error(server: wellhead.Server, uri: str) -> Json:
    """The outcome of one read."""
    connection = server.connect()
    try:
        return outcome(connection.handle(read(uri)))
    finally:
        connection.close()


def transmitted(connection: wellhead.Connection) -> list[Json]:
    """Takes the output so far."""
    output = b""
    while piece := connection.poll_transmit():
        output += piece
    return [json.loads(line) for line in output.splitlines()]


class Process:
    """A Python program that serves on standard input and output."""

    def __init__(self, program: str, *arguments: str) -> None:
        command = [sys.executable, "-X", "faulthandler", "-W", "error", "-c", textwrap.dedent(program), *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.process.stdin and self.process.stdout
        self.input, self.output = self.process.stdin, self.process.stdout
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._reader = Thread(target=self._read_errors, daemon=True)
        self._reader.start()

    def _read_errors(self) -> None:
        # A program that logs more than fits in a pipe waits: that is 4 KiB on Windows.
        assert self.process.stderr
        for line in self.process.stderr:
            self._lines.put(line)

    def send(self, *messages: bytes) -> None:
        self.input.write(b"".join(messages))
        self.input.flush()

    def receive(self) -> Json:
        line = self.output.readline()
        assert line, f"the server ended: {self.end()}"
        return json.loads(line)

    def end(self) -> tuple[int, str]:
        """No more input. The status, and the rest of standard error."""
        with suppress(BrokenPipeError):
            self.input.close()
        self.output.read()
        return self.process.wait(), self.errors()

    def error_line(self) -> str:
        """The next line of standard error."""
        return self._lines.get(timeout=60).decode()

    def errors(self) -> str:
        """The rest of standard error, once the process has ended."""
        self._reader.join()
        return b"".join(self._lines.get() for _ in range(self._lines.qsize())).decode()

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, t: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None, /) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()
