"""The ASGI application under real servers, alone and mounted in others."""

import signal

import pytest
from http_client import Answer, Client, served

SERVER = """
import asyncio
import os
import socket
import sys
import threading
import wellhead

server = wellhead.Server("s", "1")
text = server.text("n:a", "a")
began = threading.Event()
cancelled = threading.Event()


@server.resource("n:def")
def in_pool() -> str:
    return threading.current_thread().name


@server.resource("n:async")
async def on_loop() -> str:
    return threading.current_thread().name


@server.resource("n:slow")
async def slow() -> str:
    began.set()
    try:
        await asyncio.Event().wait()
    finally:
        cancelled.set()
        print("cancelled", flush=True)
    return ""


@server.resource("n:slow/{what}", thread=True)
def what_became(what: str) -> str:
    return str((began if what == "began" else cancelled).wait(30))


@server.resource("n:large")
def large() -> str:
    return "x" * (8 << 20)


@server.resource("n:change")
def change() -> str:
    server.notify_updated("n:a")
    return "changed"


@server.resource("n:held/def")
def held() -> str:
    print("asked", flush=True)
    return os.read(0, 64).decode()


@server.resource("n:held/async")
async def held_on_loop() -> str:
    return await asyncio.to_thread(held)


"""
ALONE = "app = server.asgi()\n"
STARLETTE = """
from starlette.applications import Starlette
from starlette.routing import Mount
mcp = server.asgi()
app = Starlette(routes=[Mount("/api", app=mcp)], lifespan=mcp.lifespan)
"""
FASTAPI = """
from fastapi import FastAPI, Request, Response
mcp = server.asgi()
app = FastAPI(lifespan=mcp.lifespan)


@app.middleware("http")
async def stands_between(request: Request, call_next) -> Response:
    return await call_next(request)


@app.get("/hello")
def hello() -> str:
    return "hello"


app.mount("/api", mcp)
"""
UVICORN = """
import uvicorn


class Uvicorn(uvicorn.Server):
    async def shutdown(self, sockets: object = None) -> None:
        print("closing", flush=True)
        await super().shutdown(sockets)


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print(listener.getsockname()[1], flush=True)
config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=int(sys.argv[1]), http="h11")
try:
    Uvicorn(config).run(sockets=[listener])
except KeyboardInterrupt:
    pass
"""
HYPERCORN = """
from hypercorn.asyncio import serve
from hypercorn.config import Config
import signal
config = Config()
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
port = listener.getsockname()[1]
config.bind = [f"fd://{listener.detach()}"]
config.graceful_timeout = int(sys.argv[1])
config.errorlog = None


async def main() -> None:
    end = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end.set)
    print(port, flush=True)

    async def told_to_end() -> None:
        await end.wait()
        server.close()
        print("closing", flush=True)

    await serve(app, config, shutdown_trigger=told_to_end)


asyncio.run(main())
"""
SERVERS = pytest.mark.parametrize("run", [UVICORN, HYPERCORN], ids=["uvicorn", "hypercorn"])
# Seconds that the servers give what is under way.
SOON, PATIENT = "1", "60"
MOUNTED = [(ALONE, "/mcp"), (STARLETTE, "/api/mcp"), (FASTAPI, "/api/mcp")]


@SERVERS
@pytest.mark.parametrize("app", MOUNTED, ids=["alone", "Starlette", "FastAPI"])
def test_an_application_is_served(app: tuple[str, str], run: str) -> None:
    application, path = app
    with served(SERVER + application + run, SOON, path=path) as (process, client):
        assert client.read("n:a") == "a"
        assert client.read("n:async") == "MainThread"
        assert client.read("n:def").startswith("wellhead_")
        assert len(client.read("n:large")) == 8 << 20
        session(client)
        stream(client)
        disconnect(client)
        process.process.send_signal(signal.SIGTERM)
        status, errors = process.end()
        assert status in (0, -signal.SIGTERM) and errors == ""


@pytest.mark.parametrize("app", [STARLETTE, FASTAPI], ids=["Starlette", "FastAPI"])
def test_the_outer_lifespan_cancels_a_read_that_outlives_its_request(app: str) -> None:
    with served(SERVER + app + UVICORN, SOON, path="/api/mcp") as (process, client):
        # In a session a read goes on without the connection that asked for it, so the server does not wait for it.
        connection = client.read_in(client.session(), "n:slow")
        assert client.read("n:slow/began") == "True"
        connection.close()
        process.process.send_signal(signal.SIGTERM)
        assert process.output.read() == b"closing\ncancelled\n"
        status, errors = process.end()
        assert status in (0, -signal.SIGTERM) and errors == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("app", MOUNTED, ids=["alone", "Starlette", "FastAPI"])
def test_uvicorn_ends_streams_and_answers_calls_on_a_signal(app: tuple[str, str], number: int) -> None:
    application, path = app
    with served(SERVER + application + UVICORN, PATIENT, path=path) as (process, client):
        headers = client.session()
        held = client.call("resources/read", "n:held/async", uri="n:held/async")
        assert process.output.readline() == b"asked\n"
        with client.listen("n:a") as listening, client.send("GET", headers=headers) as stream:
            process.process.send_signal(number)
            assert process.output.readline() == b"closing\n"
            assert "result" in listening.event()
            assert listening.ends()
            assert b"retry: " in stream.response.read()
        process.send(b"at last")
        assert Answer(held).json()["result"]["contents"][0]["text"] == "at last"
        status, errors = process.end()
        assert status in (0, -number) and errors == ""


def test_a_read_that_uvicorn_aborts_is_cancelled_without_a_logged_failure() -> None:
    with served(SERVER + ALONE + UVICORN, SOON) as (process, client):
        connection = client.call("resources/read", "n:slow", uri="n:slow")
        assert client.read("n:slow/began") == "True"
        process.process.send_signal(signal.SIGTERM)
        assert process.output.read() == b"closing\ncancelled\n"
        status, errors = process.end()
        assert status in (0, -signal.SIGTERM) and "n:slow" not in errors
        connection.close()


def test_streams_end_with_their_result_where_the_server_is_closed_first() -> None:
    with served(SERVER + ALONE + HYPERCORN, SOON) as (process, client), client.listen("n:a") as stream:
        process.process.send_signal(signal.SIGTERM)
        assert "result" in stream.event()
        assert stream.ends()
        assert process.end() == (0, "")


@SERVERS
@pytest.mark.parametrize("uri", ["n:held/def", "n:held/async"])
@pytest.mark.parametrize("in_session", [False, True], ids=["stateless", "session"])
def test_calls_in_flight_when_a_server_ends_are_answered(run: str, uri: str, in_session: bool) -> None:
    with served(SERVER + ALONE + run, PATIENT) as (process, client):
        connection = (
            client.read_in(client.session(), uri) if in_session else client.call("resources/read", uri, uri=uri)
        )
        assert process.output.readline() == b"asked\n"
        process.process.send_signal(signal.SIGTERM)
        assert process.output.readline() == b"closing\n"
        process.send(b"at last")
        assert Answer(connection).json()["result"]["contents"][0]["text"] == "at last"
        status, errors = process.end()
        assert status in (0, -signal.SIGTERM) and errors == ""


def session(client: Client) -> None:
    headers = client.session()
    assert client.send("POST", {"jsonrpc": "2.0", "id": 2, "method": "ping"}, headers).json()["result"] == {}
    with client.send("GET", headers=headers) as stream:
        assert stream.status == 200 and stream.header("content-type") == "text/event-stream"
        subscribe = {"jsonrpc": "2.0", "id": 3, "method": "resources/subscribe", "params": {"uri": "n:a"}}
        assert client.send("POST", subscribe, headers).json()["result"] == {}
        assert client.read("n:change") == "changed"
        assert stream.event()["method"] == "notifications/resources/updated"
    with client.send("DELETE", headers=headers) as ended:
        assert ended.status == 204


def stream(client: Client) -> None:
    with client.listen("n:a") as stream:
        for _ in range(3):
            assert client.read("n:change") == "changed"
            assert stream.event()["params"]["uri"] == "n:a"


def disconnect(client: Client) -> None:
    connection = client.call("resources/read", "n:slow", uri="n:slow")
    assert client.read("n:slow/began") == "True"
    connection.close()
    assert client.read("n:slow/cancelled") == "True"
