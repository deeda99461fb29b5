"""Garbage, fork, reentrancy, wakes: what outlives what."""

import asyncio
import gc
import os
import subprocess
import sys
import threading
import weakref
from concurrent.futures import Future
from typing import Any

import asgi_client
import pytest
import wellhead
from client import Process, outcome, read, read_or_error, request, transmitted
from garbage import is_freed


def test_a_cycle_of_server_and_callback_is_collected() -> None:
    def gone() -> weakref.ref[wellhead.Server]:
        server = wellhead.Server("s", "1")

        def note(id: str, default: object = server) -> str:
            server.notify_updated(f"n:{id}")
            return id

        def listing(after: str | None, limit: int) -> wellhead.Page:
            server.notify_resource_list_changed()
            return wellhead.Page([])

        server.resource("n:{id}", list=listing)(note)
        server.list(listing)
        server.fallback(lambda uri: server.notify_updated(uri))
        server.resource("never:{used}")  # the decorator is part of it too
        return weakref.ref(server)

    server = gone()
    assert is_freed(server)


def test_a_cycle_of_connection_and_wake_is_collected() -> None:
    class Wake:
        def __init__(self) -> None:
            self.server = wellhead.Server("s", "1")
            self.connection = self.server.connect(self.wake)

        def wake(self) -> None:
            self.connection.poll_event()

    def gone() -> list[weakref.ref[object]]:
        wake = Wake()
        return [weakref.ref(wake), weakref.ref(wake.server), weakref.ref(wake.connection)]

    assert is_freed(*gone())


def test_an_exception_that_drops_an_answer_is_still_raised(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[wellhead.Observed] = []
    server = wellhead.Server("s", "1", observe=seen.append)
    answers: list[Future[str]] = [Future()]
    server.resource("n:later")(lambda: answers[-1])
    connection = server.connect()
    connection.receive(read("n:later"))
    connection.poll_event()
    with pytest.raises(ZeroDivisionError):
        print(answers.pop(), 1 / 0)
    [answer] = transmitted(connection)
    assert answer["error"]["message"] == "Internal error"
    assert [one.outcome for one in seen] == [None, "dropped"]
    assert "was dropped without an answer" in caplog.text


def test_a_server_and_its_connection_are_freed_while_an_answer_is_pending() -> None:
    server = wellhead.Server("s", "1")
    future: Future[str] = Future()
    server.resource("n:x")(lambda: future)
    connection = server.connect()
    connection.receive(read("n:x"))
    connection.poll_event()
    gone = weakref.ref(server), weakref.ref(connection)
    del server, connection
    assert is_freed(*gone)
    future.set_result("too late")


def test_large_bytes_are_referenced_and_released() -> None:
    server = wellhead.Server("s", "1")
    data = bytes(range(256)) * 1024
    before = sys.getrefcount(data)
    fixed = server.blob("n:x", data)
    assert sys.getrefcount(data) == before + 1
    fixed.set(b"")
    assert sys.getrefcount(data) == before


def test_a_removed_callback_is_freed_and_its_uri_is_not_found() -> None:
    server = wellhead.Server("s", "1")

    def callback(id: str) -> str:
        return id

    gone = weakref.ref(callback)
    server.resource("n:{id}")(callback)
    assert read_or_error(server, "n:1") == "1"
    server.remove_resource("n:{id}")
    del callback
    assert gone() is None
    assert read_or_error(server, "n:1") == "Resource not found"


def test_a_poll_inside_a_callback_runs_no_other_callback() -> None:
    server = wellhead.Server("s", "1")
    polled: list[int] = []

    @server.resource("n:{id}")
    def callback(id: str) -> str:
        polled.append(connection.poll_event())
        return id

    connection = server.connect()
    connection.receive(read("n:1", 1) + read("n:2", 2))
    assert connection.poll_event() == 2
    assert polled == [0, 0]
    assert len(transmitted(connection)) == 2


def test_poll_event_runs_at_most_max_callbacks() -> None:
    server = wellhead.Server("s", "1")
    server.resource("n:{id}")(lambda id: id)
    connection = server.connect()
    connection.receive(b"".join(read(f"n:{n}", n) for n in range(5)))
    assert [connection.poll_event(2) for _ in range(4)] == [2, 2, 1, 0]


def test_a_callback_may_use_its_server() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:{id}")
    def callback(id: str) -> str:
        server.text(f"other:{id}", "made by a callback")
        server.notify_updated("n:1")
        server.notify_resource_list_changed()
        server.remove_resource("n:{id}")
        return outcome(server.connect().handle(read(f"other:{id}"))) or ""

    assert read_or_error(server, "n:1") == "made by a callback"


def test_wake_is_called_for_an_answer_of_another_thread() -> None:
    server = wellhead.Server("s", "1")
    woken = threading.Event()
    connection = server.connect(woken.set)
    future: Future[str] = Future()
    server.resource("n:x")(lambda: future)
    for id in (1, 2):
        future = Future()
        connection.receive(read("n:x", id))
        connection.poll_event()
        assert transmitted(connection) == []
        woken.clear()
        thread = threading.Thread(target=future.set_result, args=["later"])
        thread.start()
        assert woken.wait(30)
        thread.join()
        assert [answer["id"] for answer in transmitted(connection)] == [id]


def test_a_wake_that_polls_its_connection_does_no_harm() -> None:
    server = wellhead.Server("s", "1", limits=wellhead.Limits(output_bytes=1))
    server.resource("n:x")(lambda: "x")

    def wake() -> None:
        connection.poll_event()
        connection.poll_transmit()

    connection = server.connect(wake)
    connection.receive(b"".join(read("n:x", id) for id in range(3)))
    connection.poll_event()
    while transmitted(connection):
        pass
    assert connection.poll_event() == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_wake_that_raises_harms_no_connection() -> None:
    def wake() -> None:
        raise ValueError("from wake")

    server = wellhead.Server("s", "1")
    connection = server.connect(wake)
    connection.receive(request("L", "subscriptions/listen", notifications={"resourceSubscriptions": ["n:x"]}))
    server.text("n:x", "x")
    connection.poll_event()
    transmitted(connection)
    server.notify_updated("n:x")


def test_handle_cancels_a_call_after_its_timeout() -> None:
    server = wellhead.Server("s", "1")
    calls: list[wellhead.Call] = []
    future: Future[str] = Future()

    @server.resource("n:x")
    def callback(call: wellhead.Call) -> Future[str]:
        calls.append(call)
        return future

    assert outcome(server.connect().handle(read("n:x"), timeout=0)) == "Internal error"
    assert calls[0].cancelled
    future.set_result("too late")


def test_handle_has_no_answer_to_a_notification() -> None:
    server = wellhead.Server("s", "1")
    message = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    assert server.connect().handle(message) is None


def test_a_closed_connection_is_finished_and_handle_raises_closed_error() -> None:
    connection = wellhead.Server("s", "1").connect()
    connection.receive(request(1, "ping"))
    connection.close()
    assert connection.finished
    assert connection.poll_event() == 0
    assert connection.poll_transmit() is None
    with pytest.raises(wellhead.ClosedError):
        connection.handle(request(1, "ping"))


@pytest.mark.parametrize("who", ["the callback", "another thread"])
def test_a_message_whose_connection_is_closed_meanwhile_raises_closed_error(who: str) -> None:
    server = wellhead.Server("s", "1")
    connection = server.connect()

    @server.resource("n:x")
    def callback() -> str:
        if who == "the callback":
            connection.close()
        else:
            thread = threading.Thread(target=connection.close)
            thread.start()
            thread.join(30)
        return "x"

    with pytest.raises(wellhead.ClosedError, match="closed before the answer came"):
        connection.handle(read("n:x"))
    connection = server.connect()
    with pytest.raises(wellhead.ClosedError, match="closed before the answer came"):
        asyncio.run(connection.handle_async(read("n:x")))


def test_a_call_that_is_held_too_long_times_out() -> None:
    server = wellhead.Server("s", "1", limits=wellhead.Limits(call_ms=50))
    future: Future[str] = Future()
    server.resource("n:x")(lambda: future)
    connection = server.connect()
    connection.tick(1000)
    connection.receive(read("n:x"))
    connection.poll_event()
    assert connection.poll_timeout() == 1050
    connection.tick(1050)
    [answer] = transmitted(connection)
    assert answer["error"]["message"] == "Internal error"
    future.set_result("too late")


def test_a_registration_made_before_fork_works_in_the_child() -> None:
    server = wellhead.Server("s", "1")
    fixed = server.text("n:fixed", "x")
    server.resource("n:{id}")(lambda id: id)
    connection = server.connect()
    assert outcome(connection.handle(read("n:1"))) == "1"

    def in_child() -> None:
        for act in (lambda: connection.handle(read("n:1")), connection.poll_event, lambda: connection.receive(b"")):
            with pytest.raises(wellhead.ClosedError) as raised:
                act()
            assert raised.value.code == "forked"
        server.notify_updated("n:1")
        fixed.set("y")
        assert read_or_error(server, "n:1") == "1"
        assert read_or_error(server, "n:fixed") == "y"

    forked(in_child)
    assert outcome(connection.handle(read("n:fixed"))) == "x"


def test_a_forked_child_can_free_the_connections_of_its_parent() -> None:
    server = wellhead.Server("s", "1")
    server.resource("n:x")(lambda: Future[str]())
    connections = [server.connect() for _ in range(3)]
    for connection in connections:
        connection.receive(read("n:x"))

    def in_child() -> None:
        connections.clear()
        gc.collect()
        server.close()

    forked(in_child)


def test_an_application_answers_in_a_forked_child_too() -> None:
    server = wellhead.Server("s", "1")
    server.resource("n:{id}", thread=True)(lambda id: f"{id} {os.getpid()}")
    app = server.asgi()

    async def answer() -> Any:
        return await asgi_client.text(asgi_client.read(app, "n:1"))

    def answers() -> None:
        assert asyncio.run(answer()) == f"1 {os.getpid()}"

    answers()
    forked(answers)
    answers()


def test_a_callback_that_forks_answers_in_the_parent_only() -> None:
    program = """
    import os, warnings
    import wellhead
    warnings.simplefilter("ignore", DeprecationWarning)  # of fork beside threads
    server = wellhead.Server("s", "1")

    @server.resource("n:{id}")
    def callback(id: str) -> str:
        child = os.fork()
        if child == 0:
            return "from the child"
        return f"{id} {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}"

    try:
        server.run()
    except wellhead.ClosedError as e:
        raise SystemExit(5 if e.code == "forked" else 6)
    """
    with Process(program) as process:
        process.send(*(read(f"n:{n}", n) for n in range(3)))
        answers = [process.receive() for _ in range(3)]
        assert [answer["result"]["contents"][0]["text"] for answer in answers] == ["0 5", "1 5", "2 5"]
        assert process.end() == (0, "")


def test_a_callback_that_forks_after_a_coroutine_has_run_answers_in_the_parent_only() -> None:
    program = """
    import os, signal, warnings
    import wellhead
    warnings.simplefilter("ignore", DeprecationWarning)  # of fork beside threads
    server = wellhead.Server("s", "1")

    @server.resource("n:coroutine")
    def coroutine():
        async def answer():
            return "awaited"
        return answer()  # begins the event loop, on a thread that the child lacks

    @server.resource("n:fork")
    def callback() -> str:
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            return "from the child"
        return str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    try:
        server.run()
    except wellhead.ClosedError as e:
        raise SystemExit(5 if e.code == "forked" else 6)
    """
    with Process(program) as process:
        for name, answer in [("coroutine", "awaited"), ("fork", "5")]:
            process.send(read(f"n:{name}"))
            assert process.receive()["result"]["contents"][0]["text"] == answer
        assert process.end() == (0, "")


def forked(act: Any) -> None:
    """Runs `act` in a child, and expects it to return."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            act()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


COLLECTED = """
import gc
import sys
import threading

sys.path.insert(0, sys.argv[1])
import client
import wellhead

sys.setswitchinterval(1e-5)
gc.set_threshold(50, 0)  # with 0, Python without the global interpreter lock does not wait until there is more garbage
server = wellhead.Server("s", "1")
server.text("n:x", "x")
wanted = {"resourceSubscriptions": ["n:x"]}


class Lingers:
    def __del__(self) -> None:
        for _ in range(20):  # so that threads take turns while the garbage is taken apart
            pass


class Client:
    def __init__(self) -> None:
        self.on_wake = bool
        self.lingers = Lingers()
        self.connection = server.connect(lambda: self.on_wake())
        self.connection.receive(client.request(1, "subscriptions/listen", notifications=wanted))
        self.connection.poll_event()
        assert client.transmitted(self.connection)


stop = False
# Threads that update without a pause may keep the server from the thread that connects.
updates = threading.Semaphore(0)


def update() -> None:
    while not stop:
        updates.acquire()
        server.notify_updated("n:x")


threads = [threading.Thread(target=update) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(1000):
    updates.release(20)
    Client()
stop = True
updates.release(2)
for thread in threads:
    thread.join()
"""


def test_a_wake_of_a_connection_that_is_garbage_is_not_called() -> None:
    arguments = [sys.executable, "-c", COLLECTED, os.path.dirname(__file__)]
    ended = subprocess.run(arguments, capture_output=True, timeout=50, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
