"""`serve_http` and `serve_http_async`."""

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import wellhead
from http_client import Client, served

PROGRAM = """
import asyncio
import threading
import wellhead

server = wellhead.Server("s", "1")
about = server.text("n:about", "about")


@server.resource("n:thread/{id}")
def thread(id: str) -> str:
    return f"{id} {threading.current_thread().name}"


@server.resource("n:stop")
def stop() -> str:
    server.close()
    return "stopped"


def listening(host: str, port: int) -> None:
    print(port, flush=True)


"""
ASYNC = """
@server.resource("n:async/{id}")
async def waits(id: str) -> str:
    await asyncio.sleep(0)
    return f"{id} {threading.current_thread().name}"


"""
TOGETHER = """
gathering = threading.Barrier(3)


@server.resource("n:together")
def together() -> str:
    return str(gathering.wait(30))


"""
SERVE = "server.serve_http(port=0, on_listening=listening)"
SERVE_ASYNC = "asyncio.run(server.serve_http_async(port=0, on_listening=listening))"


@pytest.mark.parametrize("program", [PROGRAM + SERVE, PROGRAM + ASYNC + SERVE, PROGRAM + ASYNC + SERVE_ASYNC])
def test_clients_of_both_eras_are_served_on_the_thread_that_serves(program: str) -> None:
    with served(program) as (process, client):
        assert client.read("n:about") == "about"
        assert client.read("n:thread/1") == "1 MainThread"
        if "async def" in program:
            assert client.read("n:async/2") == "2 MainThread"
        headers = client.session()
        answer = client.send("POST", {"jsonrpc": "2.0", "id": 2, "method": "ping"}, headers).json()
        assert answer == {"jsonrpc": "2.0", "id": 2, "result": {}}
        client.send_request("resources/read", "n:stop", uri="n:stop").close()
        assert process.end() == (0, "")


@pytest.mark.parametrize("program", [PROGRAM, PROGRAM + ASYNC])
def test_callbacks_run_on_separate_threads_if_callback_threads_is_above_1(program: str) -> None:
    with served(program + "server.serve_http(port=0, callback_threads=2, on_listening=listening)") as (process, client):
        assert client.read("n:thread/1") in ("1 wellhead-1", "1 wellhead-2")
        if "async def" in program:
            assert client.read("n:async/2") == "2 MainThread"
        process.process.send_signal(signal.SIGTERM)
        assert process.end() == (0, "")


BLOCKED = """
import signal


def listening_for_others(host: str, port: int) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    listening(host, port)


"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("program", [PROGRAM, PROGRAM + ASYNC])
def test_a_signal_that_another_thread_receives_ends_the_service(program: str, threads: int) -> None:
    """As one that comes just before the wait. Here another thread gets it."""
    serve = f"server.serve_http(port=0, callback_threads={threads}, on_listening=listening_for_others)"
    with served(program + BLOCKED + serve) as (process, client):
        assert client.read("n:about") == "about"
        process.process.send_signal(signal.SIGTERM)
        assert process.end() == (0, "")


@pytest.mark.parametrize("program", [PROGRAM, PROGRAM + ASYNC])
def test_blocking_callbacks_run_in_parallel_on_several_threads(program: str) -> None:
    with served(program + TOGETHER + "server.serve_http(port=0, callback_threads=3, on_listening=listening)") as (
        process,
        client,
    ):
        with ThreadPoolExecutor() as pool:
            texts = list(pool.map(client.read, ["n:together"] * 3))
        assert sorted(texts) == ["0", "1", "2"]
        process.process.send_signal(signal.SIGTERM)
        assert process.end() == (0, "")


@pytest.mark.parametrize("program", [PROGRAM + SERVE, PROGRAM + ASYNC + SERVE])
def test_sigterm_ends_the_service_with_the_result_of_a_listen_stream(program: str) -> None:
    with served(program) as (process, client), client.listen("n:about") as stream:
        process.process.send_signal(signal.SIGTERM)
        assert "result" in stream.event()
        assert process.end() == (0, "")


@pytest.mark.parametrize("program", [PROGRAM, PROGRAM + ASYNC])
def test_sigterm_ends_the_service_as_soon_as_the_address_is_known(program: str) -> None:
    ends = "import os, signal\nlistening = lambda host, port: os.kill(os.getpid(), signal.SIGTERM)\n"
    program += ends + SERVE + "\nprint('over')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "over\n", "")


@pytest.mark.parametrize("program", [PROGRAM + SERVE, PROGRAM + ASYNC + SERVE, PROGRAM + ASYNC + SERVE_ASYNC])
def test_ctrl_c_is_raised(program: str) -> None:
    with served(program) as (process, client):
        assert client.read("n:about") == "about"
        process.process.send_signal(signal.SIGINT)
        status, errors = process.end()
        assert status == -signal.SIGINT and errors.rstrip().endswith("KeyboardInterrupt")


def serve(server: wellhead.Server, **options: object) -> tuple[threading.Thread, Client]:
    """Serves on a thread of this process."""
    listening = threading.Event()
    ports = []

    def on_listening(host: str, port: int) -> None:
        assert host == "127.0.0.1"
        ports.append(port)
        listening.set()

    def run() -> None:
        server.serve_http(port=0, on_listening=on_listening, **options)  # type: ignore[arg-type]

    thread = threading.Thread(target=run)
    thread.start()
    assert listening.wait(30)
    return thread, Client(ports[0])


def test_a_change_reaches_a_client_that_listens() -> None:
    server = wellhead.Server("s", "1")
    text = server.text("n:a", "a")
    thread, client = serve(server)
    with client.listen("n:a") as stream:
        text.set("b")
        assert stream.event()["params"]["uri"] == "n:a"
        server.close()
        assert "result" in stream.event()
    thread.join(30)
    assert not thread.is_alive()


def test_a_client_that_goes_away_cancels_its_call() -> None:
    server = wellhead.Server("s", "1")
    began, over, cancelled = threading.Event(), threading.Event(), threading.Event()

    @server.resource("n:slow", thread=True)
    def slow(call: wellhead.Call) -> str:
        began.set()
        while not call.cancelled:
            if over.wait(0.01):
                return ""
        cancelled.set()
        return ""

    thread, client = serve(server)
    connection = client.call("resources/read", "n:slow", uri="n:slow")
    assert began.wait(30)
    connection.close()
    try:
        assert cancelled.wait(30)
    finally:
        over.set()
        server.close()
        thread.join(30)


def test_serve_http_takes_the_options_of_the_endpoint() -> None:
    server = wellhead.Server("s", "1")
    thread, client = serve(server, path="/here", allowed_origins=["https://app.example"], delete=False)
    client.path = "/here"
    with client.send("POST", {}, {"Origin": "https://evil.example"}) as answer:
        assert answer.status == 403
    with client.send("POST", {}, {"Origin": "https://app.example"}) as answer:
        assert answer.status == 400
    with client.send("DELETE", headers={"Mcp-Session-Id": "x"}) as answer:
        assert (answer.status, answer.header("allow")) == (405, "POST, GET")
    client.path = "/mcp"
    with client.send("POST", {}) as answer:
        assert answer.status == 404
    server.close()
    thread.join(30)


def test_serve_http_refuses_an_address_in_use_and_wrong_options() -> None:
    server = wellhead.Server("s", "1")
    thread, client = serve(server)
    with pytest.raises(wellhead.Error, match="cannot be bound") as refused:
        server.serve_http(port=client.port)
    assert refused.value.code == "io"
    server.close()
    thread.join(30)
    with pytest.raises(wellhead.ClosedError):
        server.serve_http(port=0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'session'"):
        server.serve_http(port=0, session=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="session_ms must be"):
        server.serve_http(port=0, session_ms="1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="callback_threads"):
        server.serve_http(port=0, callback_threads=0)


def test_an_exception_of_on_listening_ends_the_service() -> None:
    server = wellhead.Server("s", "1")

    def refuse(host: str, port: int) -> None:
        raise LookupError(host)

    with pytest.raises(LookupError, match=r"127\.0\.0\.1"):
        server.serve_http(port=0, on_listening=refuse)
