"""Asks the example on libuv, given as a command: clients that go away while their answers are computed, then one that stays."""

import contextlib
import json
import random
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

GONE = 300
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def read_of(number: int) -> bytes:
    params = {"uri": f"work://{number}", "_meta": META}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "resources/read", "params": params}).encode() + b"\n"


def connect(path: str) -> socket.socket:
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(60)
    client.connect(path)
    return client


def wait_for(path: str, service: subprocess.Popen) -> None:
    """Returns when the service accepts connections. The socket's file is there a moment earlier."""
    while True:
        assert service.poll() is None, "it ended before it listened"
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            return connect(path).close()


def main(command: str) -> None:
    choose = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "socket")
        with subprocess.Popen([command, path]) as service, contextlib.ExitStack() as end:
            end.callback(service.kill)
            wait_for(path, service)
            for _ in range(GONE):
                with connect(path) as client:
                    client.sendall(b"".join(read_of(number) for number in range(choose.randrange(1, 30))))
                    if choose.randrange(2):
                        client.recv(256)
            with connect(path) as client, client.makefile("rb") as answers:
                client.sendall(b"".join(map(read_of, range(50))))
                texts = {}
                for _ in range(50):
                    answer = json.loads(answers.readline())
                    texts[answer["id"]] = answer["result"]["contents"][0]["text"]
                assert texts[10] == "55" and texts[49] == "7778742049", texts
                service.send_signal(signal.SIGTERM)
                assert not answers.readline()
            assert service.wait(60) == 0, f"it ended with {service.returncode}"
    print(f"the example on libuv outlives {GONE} clients that go away, answers one that stays, and ends")


main(sys.argv[1])
