"""Requests to a client that is gone are over: no callback waits for them, and nothing stays behind."""

import asyncio
import gc
import json
import weakref
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest
import wellhead
from asgi_client import POST, Request, on_a_loop
from client import Json, Process
from garbage import is_freed
from http_client import Client, served


def message(id: int | None, method: str, **params: Json) -> bytes:
    identified = {} if id is None else {"id": id}
    return json.dumps({"jsonrpc": "2.0", **identified, "method": method, "params": params}).encode() + b"\n"


CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}, "clientInfo": {"name": "c", "version": "1"}}
INITIALIZE = message(0, "initialize", **CLIENT)
TOOL = message(1, "tools/call", name="ask", arguments={})


def waiting_tool() -> tuple[wellhead.Connection, Future[Any]]:
    """A connection on which a tool has asked the client, and the Future of the client's answer."""
    server = wellhead.Server("s", "1")
    asked: list[Future[Any]] = []
    answer: Future[Any] = Future()

    @server.tool("ask", {})
    def ask(arguments: Json, call: wellhead.Call) -> Future[Any]:
        asked.append(call.send_request("roots/list"))
        return answer

    connection = server.connect()
    connection.receive(INITIALIZE + message(None, "notifications/initialized") + TOOL)
    while connection.poll_event():
        pass
    (future,) = asked
    assert not future.done()
    return connection, future


@pytest.mark.parametrize(
    ("error", "seen"),
    [
        ('{"code":-1,"message":"No","data":[1]}', (-1, "No", [1])),
        ('{"code":"x","message":5}', (0, "", None)),
        ('{"code":true,"message":null}', (0, "", None)),
        ("{}", (0, "", None)),
        ("[1]", (0, "", None)),
        ("5", (0, "", None)),
        ("null", (0, "", None)),
    ],
)
def test_any_json_that_a_client_sends_as_an_error_is_raised(error: str, seen: tuple[int, str, Any]) -> None:
    connection, future = waiting_tool()
    connection.receive(b'{"jsonrpc":"2.0","id":1,"error":%s}\n' % error.encode())
    while connection.poll_event():
        pass
    raised = future.exception(timeout=0)
    assert isinstance(raised, wellhead.ErrorFromClient)
    assert (raised.rpc_code, raised.message, raised.data) == seen


@pytest.mark.parametrize("end", ["closed", "dropped"])
def test_a_request_to_the_client_of_a_connection_that_ends_is_cancelled(end: str) -> None:
    connection, future = waiting_tool()
    if end == "closed":
        connection.close()
    gone = weakref.ref(connection)
    del connection
    assert is_freed(gone)
    with pytest.raises(CancelledError):
        future.result(timeout=30)


def futures() -> list[Any]:
    return [one for one in gc.get_objects() if type(one) is Future]


@on_a_loop
async def test_a_request_to_the_client_of_an_ended_session_is_cancelled_and_freed() -> None:
    server = wellhead.Server("s", "1")
    outcomes: list[str] = []

    @server.tool("ask", {})
    async def ask(arguments: Json, call: wellhead.Call) -> Json:
        try:
            await call.send_request_async("roots/list")
        except asyncio.CancelledError:
            outcomes.append("cancelled")
            raise
        return {"content": []}

    app = server.asgi()
    before = futures()
    for _ in range(100):
        begun = await Request(app, "POST", "/mcp", POST, INITIALIZE).done()
        headers = {**POST, "Mcp-Session-Id": begun.headers["mcp-session-id"]}
        call = Request(app, "POST", "/mcp", headers, TOOL)
        await call.until(b"roots/list")
        assert (await Request(app, "DELETE", "/mcp", headers).done()).status == 204
        await call.done()
    await asyncio.sleep(0)
    assert outcomes == ["cancelled"] * 100
    del call
    gc.collect()
    assert [one for one in futures() if one not in before] == []


ASKING = """
import threading
import wellhead

server = wellhead.Server("s", "1")
over = threading.Semaphore(0)


@server.tool("ask", {})
def ask(arguments: dict, call: wellhead.Call) -> dict:
    try:
        call.send_request("roots/list").result()
    finally:
        over.release()
    return {"content": []}


@server.resource("n:over")
def is_over() -> str:
    over.acquire()
    return "over"
"""


def test_a_thread_that_waits_for_a_client_continues_when_its_session_ends() -> None:
    run = "server.serve_http(port=0, callback_threads=3, on_listening=lambda host, port: print(port, flush=True))"
    with served(ASKING + run) as (_, client):
        for _ in range(20):  # more than there are threads
            headers = session(client)
            with client.send("POST", json.loads(TOOL), headers) as answer:
                assert answer.event()["method"] == "roots/list"
                with client.send("DELETE", headers=headers) as ended:
                    assert ended.status == 204
            assert client.read("n:over") == "over"


def test_a_thread_that_waits_for_a_client_continues_when_stdin_ends() -> None:
    with Process(ASKING + "server.run(callback_threads=3, shutdown_ms=0)") as process:
        process.send(INITIALIZE, message(None, "notifications/initialized"), TOOL)
        process.receive()
        assert process.receive()["method"] == "roots/list"
        status, _ = process.end()
        assert status == 0


def session(client: Client) -> dict[str, str]:
    with client.send("POST", json.loads(INITIALIZE)) as answer:
        headers = {"Mcp-Session-Id": answer.header("mcp-session-id") or "", "MCP-Protocol-Version": "2025-06-18"}
    client.send("POST", json.loads(message(None, "notifications/initialized")), headers).close()
    return headers
