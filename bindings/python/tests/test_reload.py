"""`uvicorn --reload` while clients hold streams open."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from http_client import Client

APPLICATION = """
import wellhead

server = wellhead.Server("s", "1")
server.text("n:a", "one")
app = server.asgi()
"""
# Seconds after which the reloader is shown a change again, which it misses before its first look at the files.
AGAIN = 5


class Reloader:
    """A `uvicorn --reload`, and what it logs."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "uvicorn", "--reload", "--reload-dir", str(folder), "--app-dir", str(folder)]
        self.process = subprocess.Popen([*command, "--port", "0", "application:app"], stderr=subprocess.PIPE)
        self.lines: list[str] = []
        self.port = 0
        self.serves = threading.Event()
        self.reloads = threading.Event()
        self.log = threading.Thread(target=self.read)
        self.log.start()

    def read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.decode())
            bound = re.search(rb"running on http://127\.0\.0\.1:(\d+)", line)
            if bound:
                self.port = int(bound[1])
            if b"startup complete" in line:
                self.serves.set()
            if b"Reloading" in line:
                self.reloads.set()

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        self.log.join()


@contextmanager
def reloader(folder: Path) -> Iterator[Reloader]:
    reloader = Reloader(folder)
    try:
        assert reloader.serves.wait(60), reloader.lines
        yield reloader
    finally:
        reloader.end()
        assert reloader.process.stderr is not None
        reloader.process.stderr.close()


def when_listening(ask: Callable[[], str]) -> str:
    """Asks until uvicorn listens: it says that its startup is complete right before that."""
    until = monotonic() + 60
    while True:
        try:
            return ask()
        except ConnectionRefusedError:
            assert monotonic() < until
            sleep(0.05)


def test_a_reload_ends_streams_and_serves_the_changed_application(tmp_path: Path) -> None:
    application = tmp_path / "application.py"
    application.write_text(APPLICATION)
    with reloader(tmp_path) as uvicorn:
        client = Client(uvicorn.port)
        assert when_listening(lambda: client.read("n:a")) == "one"
        headers = client.session()
        with client.listen("n:a") as listening, client.send("GET", headers=headers) as stream:
            uvicorn.serves.clear()
            # Of another length: within the same second Python would take the old text from its cache.
            application.write_text(APPLICATION.replace("one", "second"))
            changed = application.stat().st_mtime
            while not uvicorn.reloads.wait(AGAIN):
                changed += 1
                os.utime(application, (changed, changed))
            assert "result" in listening.event()
            assert listening.ends()
            assert b"retry: " in stream.response.read()
        assert uvicorn.serves.wait(60), uvicorn.lines  # until then the old process may still answer
        assert when_listening(lambda: client.read("n:a")) == "second"
        with client.listen("n:a"):
            uvicorn.end()
        assert "Traceback" not in "".join(uvicorn.lines)
