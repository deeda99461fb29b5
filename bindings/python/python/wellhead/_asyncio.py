"""The parts that need asyncio; imported only then."""

from __future__ import annotations

import asyncio
import signal
import socket

from wellhead._core import Driver
from wellhead._lifespan import Lifetime
from wellhead._loop import running_loop
from wellhead._run import CallbackThreads, Interrupts, Service, Wakes, listening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from concurrent.futures import Future
    from contextvars import Context
    from typing import Any

    from typing_extensions import Buffer

    from wellhead._core import Call, Connection, Server
    from wellhead._run import _OnListening


def run_on_loop(
    lifetime: Lifetime, start: Callable[[bool], Driver], callback_threads: int, on_listening: _OnListening | None
) -> None:
    async def serve_in_it() -> None:
        async with lifetime as value:
            with Service(start, callback_threads == 1) as driver:
                driver.use_lifespan(value)
                await serve_alone(driver, callback_threads, on_listening)

    if not lifetime.is_empty:
        asyncio.run(serve_in_it())
        return
    with Service(start, callback_threads == 1) as driver:
        asyncio.run(serve_alone(driver, callback_threads, on_listening))


async def serve_alone(driver: Driver, callback_threads: int, on_listening: _OnListening | None) -> None:
    """Serves on a loop of our own, which signals wake."""
    if not needs_wakes():
        await serve(driver, callback_threads, on_listening)
        return
    loop = running_loop()
    with Wakes() as wakes, Interrupts(wakes.fileno):
        loop.add_reader(wakes.reader, wakes.take)
        try:
            await serve(driver, callback_threads, on_listening)
        finally:
            loop.remove_reader(wakes.reader)


def needs_wakes() -> bool:
    """Returns whether this thread handles signals, and these do not wake its loop. They wake Windows' default loop."""
    try:
        known = signal.set_wakeup_fd(-1)
    except ValueError:
        return False  # not the main thread
    signal.set_wakeup_fd(known)
    return known == -1


async def run_async(server: Server, options: dict[str, Any]) -> None:
    running_loop()  # before the driver takes the descriptors
    async with Lifetime(server) as value:
        await serve_here(Driver.stdio(server, options, True), value, None)


async def serve_http_async(
    server: Server,
    address: tuple[str, int],
    on_listening: _OnListening | None,
    options: dict[str, Any],
) -> None:
    running_loop()  # before the driver takes the address
    async with Lifetime(server) as value:
        await serve_here(Driver.http(server, address, 1, True, options), value, on_listening)


async def serve_here(driver: Driver, value: Any, on_listening: _OnListening | None) -> None:
    driver.use_lifespan(value)
    try:
        await serve(driver, 1, on_listening)
    finally:
        driver.stop()


async def serve(driver: Driver, callback_threads: int, on_listening: _OnListening | None) -> None:
    """Serves on the running loop: coroutines as tasks, and `def` callbacks too unless there are threads for them."""
    loop = running_loop()
    driver.use_loop(loop)
    try:
        if callback_threads == 1:
            listening(driver, on_listening)
            await pump(driver, loop)
        else:
            await work(driver, loop, callback_threads, on_listening)
    finally:
        driver.stop()  # the answers of the tasks are not wanted
        tasks = driver.take_tasks()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*(asyncio.wrap_future(task) for task in tasks), return_exceptions=True)
        driver.use_loop(None)


async def pump(driver: Driver, loop: asyncio.AbstractEventLoop) -> None:
    over: asyncio.Future[None] = loop.create_future()

    def turn() -> None:
        try:
            ended = driver.pump()
        except BaseException as e:
            ended = True
            if not over.done():
                over.set_exception(e)
        if ended and not over.done():
            over.set_result(None)

    reading: asyncio.Task[None] | None = None
    try:
        loop.add_reader(driver.fileno(), turn)
    except NotImplementedError:  # Windows' default loop waits for operations of sockets, and not until one is readable
        reading = loop.create_task(read_rings(driver.fileno(), loop, turn))
    try:
        turn()
        await over
    finally:
        if reading is None:
            loop.remove_reader(driver.fileno())
        else:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def read_rings(number: int, loop: asyncio.AbstractEventLoop, turn: Callable[[], None]) -> None:
    """Calls `turn` each time the socket with this number has something to read. The driver keeps the socket."""
    rings = socket.socket(fileno=number)
    try:
        rings.setblocking(False)
        while await loop.sock_recv(rings, 16):
            turn()
    finally:
        rings.detach()


async def work(
    driver: Driver, loop: asyncio.AbstractEventLoop, callback_threads: int, on_listening: _OnListening | None
) -> None:
    over = asyncio.Event()
    pool = CallbackThreads(driver, callback_threads, lambda: loop.call_soon_threadsafe(over.set))
    pool.start()

    async def until_over() -> None:
        while pool.left:
            await over.wait()
            over.clear()

    try:
        listening(driver, on_listening)
        await until_over()
    finally:
        driver.stop()
        await until_over()
        for thread in pool.threads:
            thread.join()  # it has nothing left to do; at the end of the process there are no threads to wait with
    if pool.error is not None:
        raise pool.error


def running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def start(
    awaitable: Awaitable[Any],
    loop: asyncio.AbstractEventLoop | Callable[[], asyncio.AbstractEventLoop] | None,
    context: Context,
) -> asyncio.Future[Any] | Future[Any]:
    """Makes a task, in a copy of `context`, of the awaitable that a callback returned: on the loop of this
    thread, or else on `loop`. `loop` may be a function that starts it.
    """
    here = running()
    try:
        if callable(loop):
            loop = loop()
        if here is not None and loop in (None, here):
            # Not `create_task(context=)`: Python 3.10 and some task factories do not know it.
            return context.run(asyncio.ensure_future, awaitable, loop=here)
        if loop is not None:
            return context.run(asyncio.run_coroutine_threadsafe, awaited(awaitable), loop)
        raise RuntimeError(
            "the callback returned an awaitable, and no event loop runs: make it an async def, or use run_async()"
        )
    except BaseException:
        if hasattr(awaitable, "close"):
            awaitable.close()  # or Python warns that it was never awaited
        raise


async def awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


def cancel(task: asyncio.Task[Any] | Future[Any]) -> None:
    """Cancels a task from any thread."""
    loop = task.get_loop() if isinstance(task, asyncio.Future) else None
    if loop is None or loop.is_closed() or loop is running():
        task.cancel()
    else:
        loop.call_soon_threadsafe(task.cancel)


async def request(call: Call, method: str, params: dict[str, Any] | None) -> dict[str, Any]:
    """Implements `Call.send_request_async`."""
    return await asyncio.wrap_future(call.send_request(method, params))


async def handle(connection: Connection, message: str | Buffer) -> bytes | None:
    """Implements `Connection.handle_async`."""
    exchange = connection._begin(message)
    if exchange is None or isinstance(exchange, bytes):
        return exchange
    loop = running_loop()
    woken = asyncio.Event()

    def wake() -> None:
        try:
            loop.call_soon_threadsafe(woken.set)
        except RuntimeError:
            pass  # the loop is closed, and no task waits any more

    exchange.on_wake(wake)
    try:
        while True:
            answer = exchange.take()
            if answer is not None:
                return answer[0]
            await woken.wait()
            woken.clear()
    finally:
        exchange.off_wake(wake)
