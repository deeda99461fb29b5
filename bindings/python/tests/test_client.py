"""The clients in memory, as a program's own tests use them."""

import asyncio
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
import wellhead
from garbage import is_freed

STATELESS = "2026-07-28"
HANDSHAKE = "2025-03-26"
TOOL = {"inputSchema": {"type": "object"}}


def shop(asynchronous: bool) -> wellhead.Server:
    """A server that has everything that a client can ask for."""
    server = wellhead.Server("shop", "1", capabilities={"logging": {}})
    server.text("shop://about", "A shop.")

    def defined(function: Callable[..., Any]) -> Callable[..., Any]:
        if not asynchronous:
            return function
        given = function

        async def later(*args: Any, **kwargs: Any) -> Any:
            await asyncio.sleep(0)
            result = given(*args, **kwargs)
            return await result if hasattr(result, "__await__") else result

        later.__wrapped__ = given  # type: ignore[attr-defined]
        return later

    def item(id: str) -> str | None:
        if id == "busy":
            raise wellhead.Busy(2000)
        if id == "secret":
            raise wellhead.PermissionDenied
        return None if id == "none" else f"item {id}"

    def total(arguments: dict[str, Any]) -> dict[str, Any]:
        if "cents" not in arguments:
            raise wellhead.MethodError(77, "no cents", {"missing": "cents"})
        return {"content": [{"type": "text", "text": str(arguments["cents"])}]}

    def greeting(arguments: dict[str, Any]) -> dict[str, Any]:
        content = {"type": "text", "text": f"Hello, {arguments['name']}!"}
        return {"messages": [{"role": "user", "content": content}]}

    server.resource("shop://items/{id}", complete={"id": ["one", "only", "two"]})(defined(item))
    server.tool("total", TOOL)(defined(total))
    prompt = server.prompt("greeting", {"arguments": [{"name": "name"}]}, complete={"name": ["Ada", "Bob"]})
    prompt(defined(greeting))
    return server


@pytest.mark.parametrize("asynchronous", [False, True], ids=["def", "async def"])
@pytest.mark.parametrize("revision", [None, HANDSHAKE, STATELESS])
def test_a_client_sends_each_kind_of_request(asynchronous: bool, revision: str | None) -> None:
    server = shop(asynchronous)
    with server.test_client(revision=revision) as client:
        assert [resource.uri for resource in client.list()] == ["shop://about"]
        assert [template["uriTemplate"] for template in client.templates()] == ["shop://items/{id}"]
        assert client.read("shop://items/3") == "item 3"
        assert client.call_tool("total", {"cents": 5})["content"][0]["text"] == "5"
        assert client.get_prompt("greeting", {"name": "Ada"})["messages"][0]["content"]["text"] == "Hello, Ada!"
        assert client.complete("shop://items/{id}", "id", "on") == ["one", "only"]
        assert client.complete("greeting", "name", others={"other": "x"}) == ["Ada", "Bob"]
        assert client.request("tools/list")["tools"][0]["name"] == "total"
        client.subscribe("shop://items/3")
        server.notify_updated("shop://items/3")
        assert client.next_update() == "shop://items/3"
        client.unsubscribe("shop://items/3")
        server.notify_updated("shop://items/3")
        server.text("shop://news", "None.")
        assert client.list_changes() == 1
        with pytest.raises(TimeoutError, match=r"^no update came within 0 s$"):
            client.next_update(timeout=0)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["def", "async def"])
@pytest.mark.parametrize("revision", [None, STATELESS])
def test_an_async_client_sends_each_kind_of_request(asynchronous: bool, revision: str | None) -> None:
    async def main() -> None:
        server = shop(asynchronous)
        async with server.test_client_async(revision=revision) as client:
            assert [resource.uri for resource in await client.list()] == ["shop://about"]
            assert [template["uriTemplate"] for template in await client.templates()] == ["shop://items/{id}"]
            assert await asyncio.gather(*(client.read(f"shop://items/{n}") for n in range(9))) == [
                f"item {n}" for n in range(9)
            ]
            assert (await client.call_tool("total", {"cents": 5}))["content"][0]["text"] == "5"
            prompt = await client.get_prompt("greeting", {"name": "Ada"})
            assert prompt["messages"][0]["content"]["text"] == "Hello, Ada!"
            assert await client.complete("shop://items/{id}", "id", "on") == ["one", "only"]
            await client.subscribe("shop://items/3")
            changed = asyncio.ensure_future(client.next_update())
            await asyncio.to_thread(server.notify_updated, "shop://items/3")
            assert await changed == "shop://items/3"
            await client.unsubscribe("shop://items/3")
            server.notify_updated("shop://items/3")
            server.text("shop://news", "None.")
            assert await client.list_changes() == 1
            with pytest.raises(TimeoutError, match=r"^no update came within 0 s$"):
                await client.next_update(timeout=0)

    asyncio.run(main())


@pytest.mark.parametrize("revision", [None, STATELESS])
def test_an_error_is_raised_as_the_exception_that_it_stands_for(revision: str | None) -> None:
    with shop(False).test_client(revision=revision) as client:
        with pytest.raises(wellhead.ResourceNotFound) as not_found:
            client.read("shop://items/none")
        raised = not_found.value
        assert isinstance(raised, wellhead.ErrorFromServer)
        assert (raised.code, raised.message, raised.uri) == ("not_found", "Resource not found", "shop://items/none")
        assert str(raised) == f"Resource not found ({raised.rpc_code}): shop://items/none"
        with pytest.raises(wellhead.PermissionDenied) as denied:
            client.read("shop://items/secret")
        assert isinstance(denied.value, wellhead.ErrorFromServer) and denied.value.rpc_code == 403
        with pytest.raises(wellhead.Busy) as busy:
            client.read("shop://items/busy")
        assert busy.value.retry_after_ms == 2000
        with pytest.raises(wellhead.ErrorFromServer) as response:
            client.call_tool("total")
        assert (response.value.code, response.value.rpc_code, response.value.data) == (
            "response",
            77,
            {"missing": "cents"},
        )
        with pytest.raises(wellhead.ErrorFromServer, match=r"^Invalid params: .* \(-32602\)$"):
            client.request("resources/read")


def test_a_revision_that_is_not_served_is_refused() -> None:
    server = wellhead.Server("s", "1", revisions=[HANDSHAKE])
    message = f'^the server does not serve the revision "{STATELESS}"; it offers {HANDSHAKE}$'
    with pytest.raises(wellhead.Error, match=message):
        server.test_client(revision=STATELESS)


def test_a_client_uses_the_newest_revision_if_the_server_has_no_handshake() -> None:
    server = wellhead.Server("s", "1", revisions=[STATELESS])
    server.text("n:a", "A")
    with server.test_client() as client:
        assert client.read("n:a") == "A"
        server.text("n:b", "B")
        assert client.list_changes() == 1
    with pytest.raises(wellhead.ErrorFromServer, match="Unsupported protocol version"):
        server.test_client(revision=HANDSHAKE)


def test_a_subscription_that_the_server_denies_is_refused() -> None:
    with shop(False).test_client(revision=STATELESS) as client:
        with pytest.raises(wellhead.ResourceNotFound, match="subscribe"):
            client.subscribe("elsewhere://x")
        client.subscribe("shop://about")
        client.subscribe("shop://about")


def requesting_server() -> wellhead.Server:
    """A server with a tool that asks its client."""
    server = wellhead.Server("s", "1", capabilities={"logging": {}})

    @server.tool("ask", TOOL)
    async def ask(arguments: dict[str, Any], call: wellhead.Call) -> dict[str, Any]:
        call.progress(1, 2)
        try:
            answer = await call.send_request_async("sampling/createMessage", {"messages": [], "maxTokens": 1})
        except wellhead.ErrorFromClient as refused:
            raise wellhead.MethodError(refused.rpc_code, refused.message, refused.data) from refused
        return {"content": [{"type": "text", "text": answer["content"]["text"]}]}

    return server


def sampled(method: str, params: dict[str, Any]) -> dict[str, Any]:
    assert (method, params["maxTokens"]) == ("sampling/createMessage", 1)
    return {"role": "assistant", "model": "m", "content": {"type": "text", "text": "sampled"}}


async def sampled_later(method: str, params: dict[str, Any]) -> dict[str, Any]:
    await asyncio.sleep(0)
    return sampled(method, params)


@pytest.mark.parametrize("on_request", [sampled, sampled_later])
def test_a_client_answers_the_requests_of_the_server(on_request: Callable[[str, dict[str, Any]], Any]) -> None:
    server = requesting_server()
    with server.test_client(capabilities={"sampling": {}}, on_request=on_request) as client:
        result = client.request("tools/call", {"name": "ask", "_meta": {"progressToken": 7}})
        assert result["content"][0]["text"] == "sampled"
        progress = {"progressToken": 7, "progress": 1, "total": 2}
        assert client.notifications() == [{"method": "notifications/progress", "params": progress}]
        assert client.notifications() == []

    async def main() -> None:
        async with server.test_client_async(capabilities={"sampling": {}}, on_request=on_request) as client:
            assert (await client.call_tool("ask"))["content"][0]["text"] == "sampled"
            assert await client.notifications() == []

    asyncio.run(main())


def needing() -> wellhead.Server:
    """A server whose callbacks need input of their client."""
    server = wellhead.Server("s", "1")
    sampling = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}

    def needed(call: wellhead.Call) -> str:
        if call.input_responses is None:
            raise wellhead.InputRequired({"inputRequests": {"text": sampling}, "requestState": "asked"})
        assert call.request_state == "asked"
        text: str = call.input_responses["text"]["content"]["text"]
        return text

    @server.resource("n:needs")
    def needs(call: wellhead.Call) -> str:
        return needed(call)

    @server.resource("n:insists")
    def insists() -> str:
        raise wellhead.InputRequired({"requestState": "again"})

    @server.tool("needs", TOOL)
    def tool(arguments: dict[str, Any], call: wellhead.Call) -> dict[str, Any]:
        answers = call.params.get("inputResponses")
        if answers is None:
            raise wellhead.InputRequired({"inputRequests": {"text": sampling}})
        return {"content": [answers["text"]["content"]]}

    return server


@pytest.mark.parametrize("on_request", [sampled, sampled_later])
def test_a_client_gives_the_input_that_a_callback_needs(on_request: Callable[[str, dict[str, Any]], Any]) -> None:
    server = needing()
    options: dict[str, Any] = {"revision": STATELESS, "capabilities": {"sampling": {}}, "on_request": on_request}
    with server.test_client(**options) as client:
        assert client.read("n:needs") == "sampled"
        assert client.call_tool("needs")["content"][0]["text"] == "sampled"
        with pytest.raises(wellhead.LimitError, match="the server asked for input 16 times"):
            client.read("n:insists")
        assert client.request("resources/read", {"uri": "n:insists"})["resultType"] == "input_required"

    async def main() -> None:
        async with server.test_client_async(**options) as client:
            assert await client.read("n:needs") == "sampled"
            assert (await client.call_tool("needs"))["content"][0]["text"] == "sampled"

    asyncio.run(main())


def test_input_that_the_client_refuses_is_raised() -> None:
    def refuses(method: str, params: dict[str, Any]) -> dict[str, Any]:
        raise wellhead.MethodError(5, "not now")

    options: dict[str, Any] = {"revision": STATELESS, "capabilities": {"sampling": {}}}
    with needing().test_client(**options, on_request=refuses) as client:
        with pytest.raises(wellhead.Error, match='the client refused the input "text": not now') as raised:
            client.read("n:needs")
        assert raised.value.code == "response" and isinstance(raised.value.__cause__, wellhead.MethodError)
    with (
        needing().test_client(**options) as client,
        pytest.raises(wellhead.Error, match="give on_request= a function that answers"),
    ):
        client.read("n:needs")


def test_an_awaitable_of_a_def_that_answers_is_refused() -> None:
    def answers_later(method: str, params: dict[str, Any]) -> Any:
        class Never:
            def __await__(self) -> Any:
                yield

        return Never()

    options: dict[str, Any] = {"revision": STATELESS, "capabilities": {"sampling": {}}}
    with (
        needing().test_client(**options, on_request=answers_later) as client,
        pytest.raises(RuntimeError, match="make it an async def"),
    ):
        client.read("n:needs")


def test_a_future_of_a_def_is_answered_without_a_loop() -> None:
    server = wellhead.Server("s", "1")

    @server.tool("ask", TOOL)
    def ask(arguments: dict[str, Any], call: wellhead.Call) -> Any:
        future = call.send_request("sampling/createMessage", {"messages": [], "maxTokens": 1})
        result: Any = type(future)()
        future.add_done_callback(lambda answer: result.set_result({"content": [answer.result()["content"]]}))
        return result

    with server.test_client(capabilities={"sampling": {}}, on_request=sampled) as client:
        assert client.call_tool("ask")["content"][0]["text"] == "sampled"


def test_an_unanswered_request_of_the_server_raises_an_error_in_the_test() -> None:
    server = requesting_server()
    message = '^the server asks its client for "sampling/createMessage": give on_request= a function that answers$'
    with server.test_client(capabilities={"sampling": {}}) as client, pytest.raises(wellhead.Error, match=message):
        client.call_tool("ask")

    def refuses(method: str, params: dict[str, Any]) -> dict[str, Any]:
        raise wellhead.MethodError(5, "not now", {"until": "noon"})

    with server.test_client(capabilities={"sampling": {}}, on_request=refuses) as client:
        with pytest.raises(wellhead.ErrorFromServer) as raised:
            client.call_tool("ask")
        error = raised.value
        assert (error.rpc_code, error.message, error.data) == (5, "not now", {"until": "noon"})

    @server.tool("ask without care", TOOL)
    async def careless(arguments: dict[str, Any], call: wellhead.Call) -> dict[str, Any]:
        await call.send_request_async("sampling/createMessage", {"messages": [], "maxTokens": 1})
        return {"content": []}

    with server.test_client(capabilities={"sampling": {}}, on_request=refuses) as client:
        failed = client.call_tool("ask without care")
    assert failed["isError"] and failed["content"][0]["text"] == "The tool failed"

    def fails(method: str, params: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError("a test's own")

    with (
        server.test_client(capabilities={"sampling": {}}, on_request=fails) as client,
        pytest.raises(AssertionError, match="own"),
    ):
        client.call_tool("ask")


def test_a_read_that_is_never_answered_times_out() -> None:
    server = wellhead.Server("s", "1", limits=wellhead.Limits(call_ms=20))

    unanswered: Future[str] = Future()

    @server.resource("n:future")
    def future() -> Any:
        return unanswered

    with server.test_client() as client, pytest.raises(wellhead.ErrorFromServer, match="Internal error"):
        client.read("n:future")

    @server.resource("n:never")
    async def never() -> str:
        await asyncio.Event().wait()
        return ""

    with server.test_client() as client, pytest.raises(wellhead.ErrorFromServer, match="Internal error"):
        client.read("n:never")

    async def main() -> None:
        async with server.test_client_async() as client:
            with pytest.raises(wellhead.ErrorFromServer, match="Internal error"):
                await client.read("n:never")

    asyncio.run(main())


def test_the_error_in_a_running_loop_names_the_client_to_use() -> None:
    server = shop(False)
    message = '^an event loop is running on this thread: use "async with server.test_client_async\\(\\) as client:"$'
    outside = server.test_client()

    async def main() -> None:
        with pytest.raises(RuntimeError, match=message):
            server.test_client()
        with pytest.raises(RuntimeError, match=message):
            outside.read("shop://about")
        with pytest.raises(RuntimeError, match="has not begun"):
            await server.test_client_async().read("shop://about")

    asyncio.run(main())
    assert outside.read("shop://about") == "A shop."
    outside.close()


def test_cancelling_a_request_cancels_its_callback() -> None:
    server = wellhead.Server("s", "1")
    seen = []

    @server.resource("n:slow")
    async def slow() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return ""

    async def main() -> None:
        async with server.test_client_async() as client:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.read("n:slow"), 0.01)
            await asyncio.sleep(0)
            assert seen == ["cancelled"]

    asyncio.run(main())


def test_one_loop_runs_all_callbacks_of_a_client() -> None:
    server = wellhead.Server("s", "1")
    loops = []

    @server.resource("n:loop")
    async def loop() -> str:
        loops.append(asyncio.get_running_loop())
        return ""

    client = server.test_client()
    client.read("n:loop")
    client.read("n:loop")
    assert loops[0] is loops[1] and not loops[0].is_closed()
    client.close()
    client.close()
    assert loops[0].is_closed()
    forgotten = server.test_client()
    forgotten.read("n:loop")
    gone = weakref.ref(forgotten)
    del forgotten
    assert is_freed(gone)
    assert loops[2].is_closed()


def test_a_closed_server_or_client_raises_closed_error() -> None:
    server = wellhead.Server("s", "1")

    unanswered: Future[str] = Future()

    @server.resource("n:closes")
    def closes() -> Any:
        threading.Thread(target=server.close).start()
        return unanswered

    client = server.test_client()
    with pytest.raises(wellhead.ClosedError, match="the server was closed before it answered"):
        client.read("n:closes")
    client.close()
    with pytest.raises(wellhead.ClosedError, match="the client is closed"):
        client.read("n:closes")


def test_a_callback_cannot_wait_for_its_own_client() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:own")
    def own() -> str:
        with pytest.raises(RuntimeError, match="use another client"):
            client.read("n:own")
        with server.test_client() as other:
            return f"{len(other.list())} listed"

    with server.test_client() as client:
        assert client.read("n:own") == "1 listed"


def test_a_client_acts_for_its_caller() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:who")
    def who(call: wellhead.Call) -> str:
        return call.caller.id.decode()

    with server.test_client(caller=wellhead.Caller(b"ada")) as client:
        assert client.read("n:who") == "ada"


def test_a_client_lists_and_reads() -> None:
    server = wellhead.Server("s", "1", limits=wellhead.Limits(page_items=2))
    for n in range(5):
        server.text(f"n:{n}", f"text {n}", title=f"Note {n}")
    server.blob("n:bytes", b"\0\xff")

    @server.resource("n:empty")
    def empty() -> list[wellhead.Contents]:
        return []

    with server.test_client() as client:
        listed = client.list()
        assert [resource.uri for resource in listed] == [*(f"n:{n}" for n in range(5)), "n:bytes", "n:empty"]
        assert listed[1].title == "Note 1"
        assert client.read("n:3") == "text 3"
        assert client.read("n:bytes") == b"\0\xff"
        with pytest.raises(wellhead.Error, match="without contents"):
            client.read("n:empty")


def test_a_client_is_notified_of_changes_from_any_thread() -> None:
    server = wellhead.Server("s", "1")
    handle = server.text("n:1", "one")
    with server.test_client() as client:
        client.subscribe("n:1")
        thread = threading.Thread(target=handle.set, args=["two"])
        thread.start()
        assert client.next_update() == "n:1"
        thread.join()
        assert client.list_changes() == 0
        server.text("n:2", "new")
        assert client.list_changes() == 1
        with pytest.raises(TimeoutError, match="0 s"):
            client.next_update(timeout=0)


def test_the_classes_have_names() -> None:
    import subprocess
    import sys

    assert isinstance(shop(False).test_client(), wellhead.TestClient)
    assert isinstance(shop(False).test_client_async(), wellhead.AsyncTestClient)
    assert isinstance(shop(False).asgi(), wellhead.AsgiApp)
    program = "import sys, wellhead; assert 'asyncio' not in sys.modules; wellhead.TestClient; wellhead.AsgiApp"
    subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = wellhead.Nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_a_request_that_the_server_cannot_read_is_rejected(revision: str) -> None:
    server = wellhead.Server("s", "1", limits=wellhead.Limits(message_bytes=1000))
    with (
        server.test_client(revision=revision) as client,
        pytest.raises(wellhead.ErrorFromServer, match="message_bytes"),
    ):
        client.call_tool("none", {"text": "x" * 2000})


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_callback_that_catches_exceptions_waits_for_its_client(revision: str, is_async: bool) -> None:
    server = wellhead.Server("s", "1")

    def ask(call: wellhead.Call) -> str:
        try:
            return str(call.require_input("roots", "roots/list"))
        except Exception:
            return "caught"

    async def ask_later(call: wellhead.Call) -> str:
        return ask(call)

    server.tool("ask")(ask_later if is_async else ask)

    def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"roots": [{"uri": "file:///a"}]}

    with server.test_client(revision=revision, capabilities={"roots": {}}, on_request=answer) as client:
        assert "file:///a" in client.call_tool("ask")["content"][0]["text"]
