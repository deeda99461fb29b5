"""A fork while other threads are inside of the server leaves no lock behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from client import read, request

FORKS = int(os.environ.get("WELLHEAD_FORKS", "100"))  # of each kind
PROGRAM = """
import os
import signal
import sys
import threading
import warnings

sys.path.insert(0, sys.argv[1])
from http_client import Client
import wellhead

warnings.simplefilter("ignore", DeprecationWarning)  # of fork beside threads
sys.setswitchinterval(1e-4)  # or a fork waits for the interpreter for most of the time
what, forks = sys.argv[2], int(sys.argv[3])
server = wellhead.Server("s", "1")
server.text("n:x", "x")
stop = False


@server.resource("n:{x}")
def one(x: str) -> str:
    return x


def connect() -> None:
    with server.test_client() as client:
        client.subscribe("n:x")
        server.notify_updated("n:x")
        client.read("n:1")


ports = []
ready = threading.Event()


def on_listening(host: str, port: int) -> None:
    ports.append(port)
    ready.set()


if what == "HTTP":
    threading.Thread(target=lambda: server.serve_http(port=0, callback_threads=2, on_listening=on_listening)).start()
    ready.wait()
uses = {
    "updated": lambda: server.notify_updated("n:x"),
    "counters": server.counters,
    "connections": connect,
    "registrations": lambda: (server.text("n:y", "y").set("z"), server.remove_resource("n:y")),
    "HTTP": lambda: Client(ports[0]).read("n:2"),
}


def work(number: int) -> None:
    use = uses[what]
    while not stop:
        if number == 0 or what != "registrations":
            use()
        else:
            server.explain("n:y")


connect()  # so that no thread is importing modules at a fork
threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
for thread in threads:
    thread.start()
statuses = set()
for _ in range(forks):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        server.notify_updated("n:x")
        server.counters()
        with server.test_client() as client:
            right = client.read("n:3") == "3"
        os._exit(0 if right else 1)
    statuses.add(os.waitpid(child, 0)[1])
stop = True
for thread in threads:
    thread.join()
server.close()
assert statuses == {0}, statuses
"""


@pytest.mark.timeout(FORKS + 10)
@pytest.mark.parametrize("what", ["updated", "counters", "connections", "registrations", "HTTP"])
def test_a_forked_child_can_use_a_server_that_threads_of_its_parent_use(what: str) -> None:
    arguments = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent), what, str(FORKS)]
    ended = subprocess.run(arguments, capture_output=True, timeout=FORKS, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


IMPORTS = """
import logging
import os
import signal
import sys
import threading
import types
import warnings

import wellhead

warnings.simplefilter("ignore", DeprecationWarning)  # of fork beside threads
server = wellhead.Server("s", "1")
main = threading.current_thread()
inside, forked = threading.Event(), threading.Event()
found = []


def found_by_another_thread(original):
    if threading.current_thread() is not main and not found:
        found.append(original)
        inside.set()
        forked.wait()
    return original


class Slow(types.ModuleType):
    def __getattr__(self, name):
        return found_by_another_thread(getattr(self.original, name))


module = sys.argv[1]
__import__(module)
slow = Slow(module)
slow.original = sys.modules[module]
sys.modules[module] = slow


@server.tool("t", {})
def tool(arguments: dict) -> dict:
    return {"content": [{"type": "text", "text": arguments["text"]}]}


@server.resource("n:fails")
def fails() -> str:
    raise RuntimeError("fails")


def use() -> bool:
    connection = server.connect()
    return b"right" in connection.handle(%(call)r) and b"error" in connection.handle(%(read)r)


logging.getLogger("wellhead").addHandler(logging.NullHandler())
thread = threading.Thread(target=use)
thread.start()
assert inside.wait(20)
child = os.fork()
if child == 0:
    signal.alarm(10)
    os._exit(0 if use() else 1)
status = os.waitpid(child, 0)[1]
forked.set()
thread.join()
assert status == 0, status
"""


@pytest.mark.parametrize("module", ["wellhead._json", "logging"])
def test_a_child_forked_while_a_thread_imports_modules_can_use_the_server(module: str) -> None:
    call = request(1, "tools/call", name="t", arguments={"text": "right"})
    program = IMPORTS % {"call": call, "read": read("n:fails")}
    ended = subprocess.run([sys.executable, "-c", program, module], capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
