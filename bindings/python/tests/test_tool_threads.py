"""Where and when tools and prompts run: `thread=`, and answers that come later."""

import asyncio
import functools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any

import pytest
import wellhead
from asgi_client import POST, Request, on_a_loop
from client import request

ASKED: ContextVar[str] = ContextVar("ASKED")


def here() -> str:
    return threading.current_thread().name.partition("_")[0]


def server(thread: bool | None = None) -> wellhead.Server:
    ASKED.set("asked")
    made = wellhead.Server("s", "1")

    @made.tool(thread=thread)
    def typed(call: wellhead.Call, n: int = 1) -> str:
        if n == 0:
            raise wellhead.ToolError("give another number")
        return f"{here()} {call.name} {n} {ASKED.get()}"

    @made.tool("raw", {}, thread=thread)
    def raw(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": here()}]}

    @made.prompt(thread=thread)
    def prompt(topic: str) -> str:
        return f"{here()} {topic}"

    return made


async def answers(of: wellhead.Server) -> list[str]:
    async with of.test_client_async() as client:
        typed = await client.call_tool("typed", {"n": 2})
        failed = await client.call_tool("typed", {"n": 0})
        raw = await client.call_tool("raw")
        prompt = await client.get_prompt("prompt", {"topic": "x"})
    assert failed["isError"] is True
    contents = [typed["content"][0], failed["content"][0], raw["content"][0], prompt["messages"][0]["content"]]
    return [content["text"] for content in contents]


def test_a_def_runs_in_the_pool() -> None:
    pooled = ["wellhead typed 2 asked", "give another number", "wellhead", "wellhead x"]
    assert asyncio.run(answers(server(thread=True))) == pooled


def test_a_def_runs_on_the_loop() -> None:
    own = [f"{here()} typed 2 asked", "give another number", here(), f"{here()} x"]
    assert asyncio.run(answers(server())) == asyncio.run(answers(server(thread=False))) == own


@pytest.mark.parametrize(("thread", "pooled"), [(None, True), (True, True), (False, False)])
def test_under_asgi_the_thread_option_decides_where_a_def_runs(thread: bool | None, pooled: bool) -> None:
    @on_a_loop
    async def main() -> None:
        app = server(thread).asgi()
        headers = {**POST, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "raw"}
        answer = await Request(app, "POST", "/mcp", headers, request(1, "tools/call", name="raw")).json()
        assert answer["result"]["content"] == [{"type": "text", "text": "wellhead" if pooled else here()}]

    main()


def test_an_async_def_with_thread_true_is_refused() -> None:
    async def later() -> str:
        return ""

    of = wellhead.Server("s", "1")
    for decorate in (of.tool(thread=True), of.prompt(thread=True)):
        with pytest.raises(wellhead.UsageError, match="thread=True is for a def"):
            decorate(later)


def test_a_def_may_return_an_answer_that_comes_later() -> None:
    def plainly(function: Callable[..., Any]) -> Callable[..., Any]:
        """As decorators are that know nothing of coroutines."""

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    async def slow(n: int) -> str:
        await asyncio.sleep(0)
        if n == 0:
            raise wellhead.ToolError("give another number")
        return f"slow {n}"

    def future(n: int) -> Future[str]:
        made: Future[str] = Future()
        if n == 0:
            made.set_exception(wellhead.ToolError("give another number"))
        else:
            threading.Thread(target=made.set_result, args=[f"future {n}"]).start()
        return made

    async def main() -> list[str]:
        of = wellhead.Server("s", "1")
        of.tool("slow")(plainly(slow))
        of.tool(future)
        of.tool("task")(lambda: asyncio.ensure_future(slow(3)))
        of.prompt("p")(plainly(slow))
        async with of.test_client_async() as client:
            results = [
                await client.call_tool("slow", {"n": 1}),
                await client.call_tool("slow", {"n": 0}),
                await client.call_tool("future", {"n": 2}),
                await client.call_tool("future", {"n": 0}),
                await client.call_tool("task"),
            ]
            prompt = await client.get_prompt("p", {"n": "4"})
        return [*(result["content"][0]["text"] for result in results), prompt["messages"][0]["content"]["text"]]

    failed = "give another number"
    assert asyncio.run(main()) == ["slow 1", failed, "future 2", failed, "slow 3", "slow 4"]


def test_a_future_that_is_cancelled_is_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    cancelled: Future[str] = Future()
    cancelled.cancel()
    of = wellhead.Server("s", "1")
    of.tool("t")(lambda: cancelled)
    with of.test_client() as client:
        assert client.call_tool("t")["content"][0]["text"] == "The tool failed"
    assert "CancelledError" in caplog.text
