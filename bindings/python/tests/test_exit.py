"""The interpreter ends while a service runs in a daemon thread."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

PROGRAM = """
import http.client
import itertools
import json
import sys
import threading

sys.path.insert(0, sys.argv[1])
from http_client import Client
import wellhead

threads, busy, on_loop = (int(argument) for argument in sys.argv[2:])
server = wellhead.Server("s", "1")
ready, asked = threading.Event(), threading.Semaphore(0)
ports = []


@server.resource("n:{x}")
def read(x: str) -> str:
    asked.release()
    return x


if on_loop:

    @server.resource("async:{x}")
    async def read_on_loop(x: str) -> str:
        return x


def on_listening(host: str, port: int) -> None:
    ports.append(port)
    ready.set()


def serve() -> None:
    server.serve_http(port=0, callback_threads=threads, on_listening=on_listening)


def load() -> None:
    client = Client(ports[0])
    try:
        for n in itertools.count():
            client.read(f"n:{n}")
            server.notify_updated("n:1")
    except (OSError, http.client.HTTPException, ValueError, KeyError, wellhead.Error):
        pass  # the server has ended


threading.Thread(target=serve, daemon=True).start()
ready.wait()
if busy:
    for _ in range(3):
        threading.Thread(target=load, daemon=True).start()
    for _ in range(20):
        asked.acquire()
"""


@pytest.mark.parametrize(
    ("threads", "busy", "on_loop", "times"),
    [(3, 1, 0, 50), (3, 0, 0, 20), (1, 1, 0, 10), (3, 1, 1, 20), (3, 0, 1, 10), (1, 0, 1, 10)],
)
def test_a_process_ends_cleanly_while_a_daemon_thread_serves(threads: int, busy: int, on_loop: int, times: int) -> None:
    arguments = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent), str(threads), str(busy), str(on_loop)]

    def run(_: int) -> tuple[int, bytes]:
        ended = subprocess.run(arguments, capture_output=True, timeout=50, check=False)
        return ended.returncode, ended.stderr

    with ThreadPoolExecutor(2) as pool:
        assert [ended for ended in pool.map(run, range(times)) if ended != (0, b"")] == []
