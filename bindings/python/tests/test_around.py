"""Functions around calls: `def` and `async def`, and what they must not be."""

import asyncio
import contextvars
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest
import wellhead

Next = Callable[[], Any]
TENANT: contextvars.ContextVar[str] = contextvars.ContextVar("tenant", default="none")


def served() -> wellhead.Server:
    server = wellhead.Server("s", "1")
    threads: list[str] = []

    @server.tool
    def plain() -> str:
        threads.append(threading.current_thread().name)
        return f"plain for {TENANT.get()}"

    @server.tool
    async def slow() -> str:
        await asyncio.sleep(0)
        return "slow"

    @server.tool
    def hangs() -> str:
        raise RuntimeError("secret")

    server.resource("notes://a")(lambda: "A")
    return server


def text_of(result: dict[str, Any]) -> str:
    text: str = result["content"][0]["text"]
    return text


def test_an_async_def_waits_for_every_callback() -> None:
    server = served()
    seen = []

    @server.around
    async def outer(call: wellhead.Call, next: Next) -> Any:
        TENANT.set("ada")
        result = await next()
        seen.append((call.method, call.name, call.uri))
        return result

    @server.around
    def inner(call: wellhead.Call, next: Next) -> Any:
        return next()

    async def run() -> None:
        async with server.test_client_async() as client:
            assert text_of(await client.call_tool("plain")) == "plain for ada"
            assert text_of(await client.call_tool("slow")) == "slow"
            assert text_of(await client.call_tool("hangs")) == "The tool failed"
            assert await client.read("notes://a") == "A"

    asyncio.run(run())
    assert seen == [("tools/call", "plain", ""), ("tools/call", "slow", ""), ("resources/read", None, "notes://a")]


def test_an_exception_of_an_around_function_counts_as_that_of_the_callback(caplog: pytest.LogCaptureFixture) -> None:
    server = served()

    @server.around
    def refuse(call: wellhead.Call, next: Next) -> Any:
        if call.uri:
            raise wellhead.PermissionDenied
        raise KeyError("why")

    with server.test_client() as client, caplog.at_level(logging.ERROR):
        assert text_of(client.call_tool("plain")) == "The tool failed"
        with pytest.raises(wellhead.Error, match="denied"):
            client.read("notes://a")
    assert "KeyError" in caplog.text


def test_a_function_with_other_parameters_is_refused() -> None:
    server = served()
    for wrong in (lambda: None, lambda call: None, lambda call, next, more: None, lambda *, call, next: None):
        with pytest.raises(wellhead.UsageError, match=r"it takes \(call, next\)"):
            server.around(wrong)  # type: ignore[type-var]
    with pytest.raises(wellhead.UsageError):
        server.around(3)  # type: ignore[call-overload]
    server.around(lambda call, next, more=1: next())
    server.around(lambda *given: given[1]())

    @server.around()
    def last(call: wellhead.Call, next: Next) -> Any:
        return next()

    with server.test_client() as client:
        assert client.read("notes://a") == "A"
    server.close()
    with pytest.raises(wellhead.ClosedError):
        server.around(last)


@pytest.mark.parametrize("is_async", [False, True])
def test_next_of_a_def_returns_the_result_of_a_callback_on_a_thread(is_async: bool) -> None:
    server = wellhead.Server("s", "1")
    seen: list[Any] = []

    def thread() -> str:
        return threading.current_thread().name

    @server.tool(thread=True)
    def pooled(kind: str) -> str:
        if kind == "bad":
            raise KeyError(kind)
        seen.append((thread(), TENANT.get()))
        return "x"

    @server.resource("notes://a", thread=True)
    def note() -> str:
        seen.append((thread(), TENANT.get()))
        return "A"

    if is_async:

        @server.around
        async def outer(call: wellhead.Call, next: Next) -> Any:
            return await next()

    @server.around
    def inner(call: wellhead.Call, next: Next) -> Any:
        TENANT.set("ada")
        try:
            result = next()
        except KeyError:
            raise wellhead.ToolError("caught") from None
        seen.append((thread(), result))
        return result

    async def run() -> None:
        async with server.test_client_async() as client:
            assert text_of(await client.call_tool("pooled", {"kind": "bad"})) == "caught"
            assert text_of(await client.call_tool("pooled", {"kind": "good"})) == "x"
            assert await client.read("notes://a") == "A"

    asyncio.run(run())
    assert [value for _, value in seen[::2]] == ["ada", "ada"]
    assert seen[1][1]["content"] == [{"type": "text", "text": "x"}] and seen[3][1] == "A"
    for callback, around in zip(seen[::2], seen[1::2], strict=True):
        assert callback[0] == around[0] != threading.main_thread().name
    if not is_async:
        with server.test_client() as client:
            assert text_of(client.call_tool("pooled", {"kind": "bad"})) == "caught"
            assert client.read("notes://a") == "A"
