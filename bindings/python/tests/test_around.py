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
