"""Ctrl-C and `sys.exit` in what the core calls by itself: hooks, `wake`, `ready` and the log."""

import asyncio
import logging
import os
import select
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from typing import Any, NoReturn

import asgi_client
import pytest
import wellhead
from client import Process, read, read_or_error, request, transmitted
from http_client import Client
from wellhead._core import Driver, Endpoint

ENDS = [KeyboardInterrupt, SystemExit]
LISTEN = request("l", "subscriptions/listen", notifications={"resourceSubscriptions": ["n:1"]})


def ending(e: type[BaseException]) -> Callable[[object], NoReturn]:
    def hook(_: object) -> NoReturn:
        raise e

    return hook


@pytest.mark.parametrize("e", ENDS)
def test_an_interrupt_in_on_publish_is_raised_by_the_change_notification(e: type[BaseException]) -> None:
    server = wellhead.Server("s", "1")
    server.text("n:1", "one")
    server.on_publish(ending(e))
    changes: list[Callable[[], object]] = [
        lambda: server.notify_updated("n:1"),
        lambda: server.notify_updated_with_resource(wellhead.Resource("n:1", name="one")),
        lambda: server.notify_sub_resource_updated("n:1", "n:"),
        lambda: server.access_changed(b"alice"),
        lambda: server.notify_resource_list_changed(),
    ]
    with server.test_client() as client:
        client.subscribe("n:1")
        for change in changes:
            with pytest.raises(e):
                change()
        assert client.next_update() == "n:1"


@pytest.mark.parametrize("e", ENDS)
def test_an_interrupt_in_exists_is_raised_by_the_poll(e: type[BaseException]) -> None:
    server = wellhead.Server("s", "1")
    server.resource("n:{id}", exists=ending(e))(lambda id: id)
    connection = server.connect()
    connection.receive(LISTEN)
    with pytest.raises(e):
        connection.poll_event()
    [acknowledged] = transmitted(connection)
    assert acknowledged["params"]["notifications"]["resourceSubscriptions"] == ["n:1"]
    with server.test_client() as client, pytest.raises(e):
        client.subscribe("n:1")


@pytest.mark.parametrize("e", ENDS)
@pytest.mark.parametrize("at_the_end", [False, True])
def test_an_interrupt_in_the_observer_is_raised_and_the_call_is_answered(
    e: type[BaseException], at_the_end: bool
) -> None:
    def observe(observed: wellhead.Observed) -> None:
        if (observed.outcome is not None) == at_the_end:
            raise e

    server = wellhead.Server("s", "1", observe=observe)
    server.resource("n:1")(lambda: "one")
    connection = server.connect()
    connection.receive(read("n:1"))
    with pytest.raises(e):
        connection.poll_event()
    [answer] = transmitted(connection)
    assert answer["id"] == 1
    with pytest.raises(e):
        connection.handle(read("n:1"))


@pytest.mark.parametrize("e", ENDS)
def test_an_interrupt_in_the_observer_passes_through_an_application(e: type[BaseException]) -> None:
    raised: list[BaseException] = []

    def observe(_: wellhead.Observed) -> None:
        if not raised:
            raised.append(e())
            raise raised[0]

    server = wellhead.Server("s", "1", observe=observe)

    @server.resource("n:1")
    async def one() -> str:
        return "one"

    async def application() -> None:
        await asgi_client.text(asgi_client.read(server.asgi(), "n:1"))

    with pytest.raises(e):
        asyncio.run(application())


def test_a_callback_can_catch_an_interrupt_of_on_publish() -> None:
    server = wellhead.Server("s", "1")
    server.on_publish(ending(KeyboardInterrupt))
    told: list[str] = []

    @server.resource("n:1")
    def one() -> str:
        try:
            server.notify_updated("n:1")
        except KeyboardInterrupt:
            told.append("interrupted")
        return "one"

    assert read_or_error(server, "n:1") == "one"
    assert told == ["interrupted"]


LISTS = request("l", "subscriptions/listen", notifications={"resourcesListChanged": True})


class Interrupted:
    """A function that a Ctrl-C or `sys.exit` meets once, while it is armed."""

    def __init__(self, e: type[BaseException]) -> None:
        self.e = e
        self.armed = False

    def __call__(self) -> None:
        if not self.armed:
            return
        self.armed = False
        if self.e is SystemExit:
            raise SystemExit
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("e", ENDS)
def test_an_interrupt_in_wake_is_raised_by_the_change_notification(e: type[BaseException]) -> None:
    wake = Interrupted(e)
    server = wellhead.Server("s", "1")
    server.text("n:1", "one")
    connection = server.connect(wake=wake)
    connection.receive(LISTEN)
    connection.poll_event()
    transmitted(connection)
    wake.armed = True
    with pytest.raises(e):
        server.notify_updated("n:1")
    [told] = transmitted(connection)
    assert told["params"]["uri"] == "n:1"


def test_ctrl_c_passes_through_a_registration_that_wakes_a_connection() -> None:
    wake = Interrupted(KeyboardInterrupt)
    server = wellhead.Server("s", "1")
    server.text("n:1", "one")
    connection = server.connect(wake=wake)
    connection.receive(LISTS)
    connection.poll_event()
    transmitted(connection)
    wake.armed = True
    with pytest.raises(KeyboardInterrupt):
        server.text("n:2", "two")
        asyncio.run(asyncio.sleep(0))  # the interpreter looks for signals between two steps
    assert not wake.armed
    with server.test_client() as client:
        assert [resource.uri for resource in client.list()] == ["n:1", "n:2"]


def interrupted(server: wellhead.Server, e: type[BaseException]) -> wellhead.Connection:
    """A connection whose next wake meets a Ctrl-C or `sys.exit`."""
    wake = Interrupted(e)
    server.text("n:0", "zero")  # so that the client is told of the next one
    connection = server.connect(wake=wake)
    connection.receive(LISTS)
    connection.poll_event()
    transmitted(connection)
    wake.armed = True
    return connection


def service(server: wellhead.Server, on_loop: bool = False) -> Driver:
    return Driver.http(server, ("127.0.0.1", 0), 1, on_loop, {})


def pumps(driver: Driver) -> None:
    while not driver.pump():
        select.select([driver.fileno()], [], [], 30)


def runs_to_its_end(server: wellhead.Server) -> Driver:
    driver = service(server)
    driver.terminate()
    driver.work()
    return driver


def is_pumped_to_its_end(server: wellhead.Server) -> Driver:
    driver = service(server, True)
    driver.terminate()
    pumps(driver)
    return driver


def is_stopped(server: wellhead.Server) -> Driver:
    driver = service(server)
    driver.stop()
    return driver


def is_interrupted(server: wellhead.Server) -> Driver:
    driver = service(server)
    connection = interrupted(server, KeyboardInterrupt)
    server.text("n:interrupts", "x")
    connection.close()
    with pytest.raises(KeyboardInterrupt):
        driver.work()
    driver.stop()
    return driver


@pytest.mark.parametrize("end", [runs_to_its_end, is_pumped_to_its_end, is_stopped, is_interrupted])
def test_ctrl_c_after_the_end_of_a_service_is_raised_in_the_main_thread(
    end: Callable[[wellhead.Server], Driver],
) -> None:
    driver = end(wellhead.Server("s", "1"))
    server = wellhead.Server("s", "1")
    connection = interrupted(server, KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        server.text("n:1", "one")
        asyncio.run(asyncio.sleep(0))  # the interpreter looks for signals between two steps
    assert connection.poll_transmit() is not None
    driver.stop()


def test_a_pending_ctrl_c_is_raised_when_the_service_stops() -> None:
    server = wellhead.Server("s", "1")
    driver = service(server)
    connection = interrupted(server, KeyboardInterrupt)
    server.text("n:1", "one")
    with pytest.raises(KeyboardInterrupt):
        driver.stop()
        asyncio.run(asyncio.sleep(0))
    connection.close()


@pytest.mark.parametrize("on_loop", [False, True])
def test_sys_exit_after_the_stop_of_a_service_is_raised_by_its_run(on_loop: bool) -> None:
    server = wellhead.Server("s", "1")
    driver = service(server, on_loop)

    @server.resource("n:{id}")
    def stops(id: str) -> str:
        driver.stop()
        changes = threading.Thread(target=server.text, args=["n:1", "one"])  # nothing can raise it there
        changes.start()
        changes.join()
        return id

    connection = interrupted(server, SystemExit)

    def reads() -> None:
        with suppress(OSError, HTTPException):  # the server is gone
            Client(port).read("n:2")

    address = driver.address()
    assert address is not None
    port = address[1]
    thread = threading.Thread(target=reads)
    thread.start()
    with pytest.raises(SystemExit):
        if on_loop:
            pumps(driver)
        else:
            driver.work()
    thread.join()
    connection.close()


def test_an_exception_of_a_hook_before_a_fork_is_raised_in_the_parent_only() -> None:
    server = wellhead.Server("s", "1")
    connection = interrupted(server, SystemExit)
    server.text("n:1", "one")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            runs_to_its_end(wellhead.Server("s", "1"))
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    with pytest.raises(SystemExit):
        runs_to_its_end(server)
    connection.close()


@pytest.mark.parametrize("e", ENDS)
@pytest.mark.parametrize("which", ["wake", "ready"])
def test_an_interrupt_in_wake_or_ready_of_an_endpoint_is_raised(which: str, e: type[BaseException]) -> None:
    wake, ready = Interrupted(e), Interrupted(e)
    server = wellhead.Server("s", "1")
    server.text("n:1", "one")
    endpoint = Endpoint(server, {}, wake)
    headers = {
        "host": "localhost",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen",
    }
    fields = [(name.encode(), value.encode()) for name, value in headers.items()]
    exchange = endpoint.begin("POST", "/mcp", fields, "", ready)
    exchange.body(LISTEN, False)
    assert [exchange.poll()[0] for _ in range(3)] == ["respond", "data", "wait"]
    assert endpoint.poll() == []
    if which == "wake":
        wake.armed = True
        with pytest.raises(e):
            server.notify_updated("n:1")
        endpoint.poll()
    else:
        ready.armed = True
        server.notify_updated("n:1")
        with pytest.raises(e):
            endpoint.poll()
    step, told = exchange.poll()
    assert step == "data" and b"n:1" in told
    exchange.close()
    endpoint.close()


@pytest.mark.parametrize("e", ENDS)
def test_an_interrupt_in_a_log_handler_is_raised_by_the_poll(e: type[BaseException]) -> None:
    meets = Interrupted(e)

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            meets()

    server = wellhead.Server("s", "1")
    server.resource("n:1")(lambda: 5)  # type: ignore[type-var]
    connection = server.connect()
    connection.receive(read("n:1"))
    meets.armed = True
    handler = Handler()
    logging.getLogger("wellhead").addHandler(handler)
    try:
        with pytest.raises(e):
            connection.poll_event()
    finally:
        logging.getLogger("wellhead").removeHandler(handler)
    [answer] = transmitted(connection)
    assert answer["error"]["message"] == "Internal error"


PROGRAM = """
import os
import signal
import sys
import wellhead

def hook(*_):
    print("called", file=sys.stderr, flush=True)
    {leaves}

server = wellhead.Server("s", "1", observe=hook if {hook!r} == "observe" else None)
server.resource("n:{{id}}", exists=hook if {hook!r} == "exists" else None)(
    lambda id: server.notify_updated("n:1") or id
)
if {hook!r} == "publish":
    server.on_publish(hook)
server.run(callback_threads={threads})
"""
INTERRUPTED = "os.kill(os.getpid(), signal.SIGINT); [None for _ in range(9)]"


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("hook", ["publish", "exists", "observe"])
@pytest.mark.parametrize(
    ("leaves", "status"),
    [
        ("sys.exit(5)", 5),
        ("raise KeyboardInterrupt", -signal.SIGINT),
        (INTERRUPTED, -signal.SIGINT),
    ],
)
def test_an_interrupt_in_a_hook_ends_a_service_over_stdio(leaves: str, status: int, hook: str, threads: int) -> None:
    messages: dict[str, Any] = {"publish": read("n:1"), "exists": LISTEN, "observe": read("n:1")}
    with Process(PROGRAM.format(leaves=leaves, hook=hook, threads=threads)) as process:
        process.send(messages[hook])
        process.process.wait(30)
        ended, errors = process.end()
        assert ended == status and "called" in errors, errors
