"""Coroutines, and the connection under asyncio."""

import asyncio
import functools
import inspect
import sys
import threading
from collections.abc import Awaitable
from typing import Any

import pytest
import wellhead
from client import Process, cancel, outcome, read, read_or_error, transmitted


def test_a_coroutine_becomes_a_task_of_the_running_loop() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:{id}")
    async def callback(id: int) -> str:
        await asyncio.sleep(0)
        return f"{id} {asyncio.current_task() is not None}"

    async def main() -> bytes | None:
        return await server.connect().handle_async(read("n:1"))

    assert outcome(asyncio.run(main())) == "1 True"


def test_many_coroutines_are_awaited_at_once() -> None:
    server = wellhead.Server("s", "1")
    gate = asyncio.Event()
    waiting = 0

    @server.resource("n:{id}")
    async def callback(id: int) -> str:
        nonlocal waiting
        waiting += 1
        if waiting == 50:
            gate.set()
        await gate.wait()
        return str(id)

    async def main() -> list[bytes | None]:
        connection = server.connect()
        return await asyncio.gather(*(connection.handle_async(read(f"n:{n}", n)) for n in range(50)))

    assert [outcome(answer) for answer in asyncio.run(main())] == [str(n) for n in range(50)]


def test_a_def_may_return_an_awaitable_or_an_asyncio_future() -> None:
    server = wellhead.Server("s", "1")

    async def answer() -> str:
        return "awaited"

    class Awaited:
        def __await__(self):  # type: ignore[no-untyped-def]
            return answer().__await__()

    @server.resource("n:{how}")
    def callback(how: str) -> Awaitable[str]:
        if how == "future":
            future = asyncio.get_running_loop().create_future()
            future.set_result("awaited")
            return future
        return Awaited() if how == "object" else answer()

    async def main() -> list[object]:
        connection = server.connect()
        return [outcome(await connection.handle_async(read(f"n:{how}"))) for how in ("future", "object", "coroutine")]

    assert asyncio.run(main()) == ["awaited"] * 3


def test_a_list_source_may_be_async() -> None:
    server = wellhead.Server("s", "1")

    @server.list
    async def listing(after: str | None, limit: int) -> wellhead.Page:
        await asyncio.sleep(0)
        return wellhead.Page([wellhead.Resource("n:1")])

    async def main() -> bytes | None:
        from client import request

        return await server.connect().handle_async(request(1, "resources/list"))

    assert b'"uri":"n:1"' in (asyncio.run(main()) or b"")


def test_an_exception_of_a_coroutine_is_logged_and_an_internal_error(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:x")
    async def callback() -> str:
        await asyncio.sleep(0)
        raise ValueError("secret")

    async def main() -> bytes | None:
        return await server.connect().handle_async(read("n:x"))

    assert outcome(asyncio.run(main())) == "Internal error"
    assert "secret" in caplog.text


def test_the_clients_cancellation_cancels_the_task() -> None:
    server = wellhead.Server("s", "1")
    seen: list[str] = []

    @server.resource("n:x")
    async def callback() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return "never"

    async def main() -> None:
        connection = server.connect()
        connection.receive(read("n:x", 1))
        connection.poll_event()
        await asyncio.sleep(0)  # the task begins
        connection.receive(cancel(1))
        connection.poll_event()
        await asyncio.sleep(0)
        assert transmitted(connection) == []

    asyncio.run(main())
    assert seen == ["cancelled"]


@pytest.mark.parametrize("closing", [False, True])
def test_a_cancellation_that_comes_before_the_task_cancels_it(closing: bool) -> None:
    server = wellhead.Server("s", "1")

    async def forever() -> str:
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        return await answer

    async def main() -> None:
        connection = server.connect()

        def cancels() -> None:
            if closing:
                connection.close()
            else:
                connection.receive(cancel(1))
                connection.poll_event()

        @server.resource("n:x")
        def callback() -> Awaitable[str]:
            thread = threading.Thread(target=cancels)
            thread.start()
            thread.join()
            return forever()

        connection.receive(read("n:x"))
        connection.poll_event()
        [task] = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.wait([task], timeout=30)
        assert task.cancelled()

    asyncio.run(main())


def test_closing_a_connection_cancels_its_tasks() -> None:
    server = wellhead.Server("s", "1")
    cancelled = asyncio.Event()

    @server.resource("n:x")
    async def callback() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return "never"

    async def main() -> None:
        connection = server.connect()
        connection.receive(read("n:x", 1))
        connection.poll_event()
        await asyncio.sleep(0)
        connection.close()
        await cancelled.wait()

    asyncio.run(main())


def test_a_coroutine_without_a_loop_is_an_internal_error_and_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:x")
    async def callback() -> str:
        return "never"

    assert read_or_error(server, "n:x") == "Internal error"
    assert "event loop" in caplog.text


def test_a_loop_that_was_closed_answers_its_calls_with_an_internal_error(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:x")
    async def callback() -> str:
        await asyncio.Event().wait()
        return "never"

    connection = server.connect()

    async def main() -> None:
        connection.receive(read("n:x", 1))
        connection.poll_event()

    asyncio.run(main())
    [answer] = transmitted(connection)
    assert answer["error"]["message"] == "Internal error"


def test_handle_async_is_answered_by_another_thread() -> None:
    server = wellhead.Server("s", "1")
    from concurrent.futures import Future

    future: Future[str] = Future()
    server.resource("n:x")(lambda: future)

    async def main() -> bytes | None:
        answer = asyncio.ensure_future(server.connect().handle_async(read("n:x")))
        await asyncio.sleep(0)
        thread = threading.Thread(target=future.set_result, args=["later"])
        thread.start()
        result = await answer
        thread.join()
        return result

    assert outcome(asyncio.run(main())) == "later"


def test_cancelling_handle_async_cancels_its_call() -> None:
    server = wellhead.Server("s", "1")
    calls: list[wellhead.Call] = []

    @server.resource("n:x")
    async def callback(call: wellhead.Call) -> str:
        calls.append(call)
        await asyncio.Event().wait()
        return "never"

    async def main() -> None:
        connection = server.connect()
        answer = asyncio.ensure_future(connection.handle_async(read("n:x")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        answer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answer
        connection.close()
        assert calls[0].cancelled

    asyncio.run(main())


def test_asyncio_is_imported_only_when_something_is_async() -> None:
    import subprocess
    import sys

    program = """
import sys, wellhead
server = wellhead.Server("s", "1")
server.resource("n:{id}")(lambda id: id)
assert server.connect().handle(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
assert not {"asyncio", "inspect", "logging", "typing", "json"} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-S", "-c", program], check=True, env=with_package())


def with_package() -> dict[str, str]:
    """The environment in which `-S`, without site-packages, finds the package."""
    import os
    from pathlib import Path

    return {**os.environ, "PYTHONPATH": str(Path(wellhead.__file__).parents[1])}


@pytest.mark.parametrize("threads", [1, 2])
def test_an_async_def_may_be_registered_while_a_service_without_a_loop_runs(threads: int) -> None:
    program = """
        import asyncio, sys, wellhead

        server = wellhead.Server("s", "1")

        @server.resource("n:add")
        def add() -> str:
            @server.resource("n:{id}")
            async def later(id: str) -> str:
                await asyncio.sleep(0)
                if id == "forever":
                    try:
                        await asyncio.Event().wait()
                    finally:
                        print("cancelled", file=sys.stderr)
                return f"later {id}"
            return "added"

        @server.resource("n:coroutine")
        def coroutine():
            async def answer():
                return "awaited"
            return answer()

        server.run(callback_threads=int(sys.argv[1]))
    """
    with Process(program, str(threads)) as process:

        def text(uri: str) -> object:
            process.send(read(uri))
            return process.receive()["result"]["contents"][0]["text"]

        assert [text(f"n:{id}") for id in ("coroutine", "add", "x")] == ["awaited", "added", "later x"]
        process.send(read("n:forever", 2), read("n:y", 3))
        assert process.receive()["id"] == 3
        assert process.end() == (0, "cancelled\n")


class Wrapped:
    """As what `sync_to_async` of asgiref returns: it has the `def` as `func`."""

    def __init__(self, func: Any) -> None:
        self.func = func
        functools.update_wrapper(self, func)

    async def __call__(self, *args: Any) -> Any:
        return self.func(*args)


def test_an_object_with_an_async_call_is_async_even_if_it_wraps_a_def() -> None:
    server = wellhead.Server("s", "1")

    def plain(id: str) -> str:
        return id

    server.resource("n:{id}")(Wrapped(plain))
    server.tool("tool")(functools.partial(Wrapped(plain), "part"))
    with pytest.raises(wellhead.UsageError, match="thread=True is for a def"):
        server.tool("other", thread=True)(Wrapped(plain))

    async def main() -> tuple[Any, Any]:
        async with server.test_client_async() as client:
            return await client.read("n:a"), (await client.call_tool("tool"))["content"][0]["text"]

    assert asyncio.run(main()) == ("a", "part")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="older versions mark no functions")
def test_a_function_that_is_marked_as_one_is_async() -> None:
    async def answer() -> str:
        return "x"

    def marked() -> Any:
        return answer()

    inspect.markcoroutinefunction(marked)  # type: ignore[attr-defined,unused-ignore]
    with pytest.raises(wellhead.UsageError, match="thread=True is for a def"):
        wellhead.Server("s", "1").tool(thread=True)(marked)
