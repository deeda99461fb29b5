"""`Server.run` and `Server.serve_http`: which thread does what, and signals."""

from __future__ import annotations

import signal
import sys
from _thread import allocate_lock  # threading would cost start-up time
from contextlib import suppress

from wellhead._core import Driver
from wellhead._lifespan import Lifetime
from wellhead._parameters import is_async

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from typing_extensions import Self

    from wellhead._core import Server
    from wellhead._endpoint import Loop

    _OnListening: TypeAlias = Callable[[str, int], object]


def run(server: Server, options: dict[str, Any]) -> None:
    refuse_in_a_loop("run_async()")

    def start(on_loop: bool) -> Driver:
        return Driver.stdio(server, options, on_loop)

    serve(server, start, server._needs_loop(), options.get("callback_threads", 1), None)


def serve_http(
    server: Server,
    address: tuple[str, int],
    callback_threads: int,
    on_listening: _OnListening | None,
    options: dict[str, Any],
) -> None:
    refuse_in_a_loop("serve_http_async()")

    def start(on_loop: bool) -> Driver:
        return Driver.http(server, address, callback_threads, on_loop, options)

    verify = options.get("verify")
    needs_loop = server._needs_loop() or is_async(verify)
    serve(server, start, needs_loop, callback_threads, on_listening)


def refuse_in_a_loop(instead: str) -> None:
    asyncio = sys.modules.get("asyncio")  # what runs a loop has imported it
    if asyncio is not None and asyncio._get_running_loop() is not None:
        raise RuntimeError(f"an event loop is running on this thread: use await server.{instead}")


def listening(driver: Driver, on_listening: _OnListening | None) -> None:
    """Calls `on_listening` with the address.

    The threads that run callbacks have started before: from Python 3.12 on, no thread starts once the main thread ends,
    which may be as soon as this returns.
    """
    address = driver.address()
    if on_listening is not None and address is not None:
        on_listening(*address)


def serve(
    server: Server,
    start: Callable[[bool], Driver],
    needs_loop: bool,
    callback_threads: int,
    on_listening: _OnListening | None,
) -> None:
    lifetime = Lifetime(server)
    if needs_loop or lifetime.needs_loop:
        from wellhead._asyncio import run_on_loop

        run_on_loop(lifetime, start, callback_threads, on_listening)
        return
    with lifetime as value, Service(start, False) as driver, LateLoop(driver):
        driver.use_lifespan(value)
        if callback_threads == 1:
            with Interrupts(driver.signal_fd):
                listening(driver, on_listening)
                driver.work()
        else:
            with (
                Wakes() as wakes,
                CallbackThreads(driver, callback_threads, wakes.wake) as threads,
                Interrupts(wakes.fileno),
            ):
                threads.start()
                listening(driver, on_listening)
                threads.wait(wakes)


# The signals that ask for an end. Windows has no SIGTERM from outside, but Ctrl-Break, which is SIGBREAK.
ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGBREAK") if hasattr(signal, name)]


class Service:
    """A driver, stopped at the end. The signals of `ENDS` end it cleanly, unless the program handles them."""

    def __init__(self, start: Callable[[bool], Driver], on_loop: bool) -> None:
        self.start = start
        self.on_loop = on_loop
        self.driver: Driver | None = None
        self.terminated = False
        self.handled: list[signal.Signals] = []

    def __enter__(self) -> Driver:
        for number in ENDS:
            if signal.getsignal(number) is signal.SIG_DFL:
                try:
                    signal.signal(number, self.terminate)
                    self.handled.append(number)
                except ValueError:
                    pass  # not the main thread
        try:
            self.driver = self.start(self.on_loop)
        except BaseException:
            self.stop()
            raise
        if self.terminated:
            self.driver.terminate()
        return self.driver

    def terminate(self, *_: object) -> None:
        self.terminated = True
        if self.driver is not None:
            self.driver.terminate()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        if self.driver is not None:
            self.driver.stop()
        for number in self.handled:
            signal.signal(number, signal.SIG_DFL)


class LateLoop:
    """The event loop of a service that began without one, on a thread of its own. The first coroutine starts
    it, such as that of an `async def` that was registered later.
    """

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.loop: Loop | None = None
        self.lock = allocate_lock()

    def __enter__(self) -> None:
        self.driver.use_loop(self.started)

    def started(self) -> asyncio.AbstractEventLoop:
        from wellhead._endpoint import Loop

        with self.lock:
            if self.loop is None:
                self.loop = Loop()
            return self.loop.loop

    def __exit__(self, *_: object) -> None:
        self.driver.stop()  # the answers of the tasks are not wanted
        self.driver.use_loop(None)
        if self.loop is not None and self.loop.is_here():  # a child of fork lacks its thread
            self.loop.end(self.driver)
            self.loop.stop()


class Interrupts:
    """Lets signals end a wait: Python's handler writes to a socket.

    A wait for a lock, or of an event loop, goes on if the signal comes just before it, or to another thread.
    """

    def __init__(self, fileno: Callable[[], int]) -> None:
        self.fileno = fileno
        self.own = -1
        self.before: int | None = None

    def __enter__(self) -> None:
        try:
            self.before = signal.set_wakeup_fd(-1)
        except ValueError:
            return  # not the main thread: Python runs no signal handler here
        self.own = self.fileno()
        signal.set_wakeup_fd(self.own, warn_on_full_buffer=False)

    def __exit__(self, *_: object) -> None:
        if self.before is None:
            return
        now = signal.set_wakeup_fd(self.before)
        if now != self.own:
            signal.set_wakeup_fd(now)  # a callback has set another one, such as that of its event loop


class Wakes:
    """A pair of sockets: a write to one wakes the thread, or the event loop, that waits for the other."""

    def __enter__(self) -> Self:
        import socket

        self.reader, self.writer = socket.socketpair()
        self.writer.setblocking(False)
        return self

    def __exit__(self, *_: object) -> None:
        self.reader.close()
        self.writer.close()

    def fileno(self) -> int:
        return self.writer.fileno()

    def wake(self) -> None:
        with suppress(OSError):  # full: the reader wakes; closed: it waits no more
            self.writer.send(b"\0")

    def take(self) -> None:
        """Waits for a wake, and takes those that have come."""
        self.reader.recv(64)


class CallbackThreads:
    """Threads that run callbacks. The thread that waits for them stays free for signals."""

    def __init__(self, driver: Driver, count: int, on_over: Callable[[], object]) -> None:
        import threading

        self.driver = driver
        self.left = count
        self.error: BaseException | None = None
        self.lock = threading.Lock()
        self.on_over = on_over
        self.threads = [threading.Thread(target=self.work, name=f"wellhead-{n}") for n in range(1, count + 1)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.driver.stop()
        for thread in self.threads:
            if thread.ident is not None:  # Ctrl-C may have come before it was started
                thread.join()

    def start(self) -> None:
        for thread in self.threads:
            thread.start()

    def work(self) -> None:
        try:
            self.driver.work()
        except BaseException as e:
            self.error = self.error or e
            self.driver.stop()
        finally:
            with self.lock:
                self.left -= 1
            self.on_over()

    def wait(self, wakes: Wakes) -> None:
        while self.left:
            wakes.take()
        if self.error is not None:
            raise self.error
