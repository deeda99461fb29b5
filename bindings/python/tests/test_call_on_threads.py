"""One call, used by many threads at once."""

import json
import threading
import time
from typing import Any

import wellhead
from client import Json, transmitted

THREADS = 4
ROUNDS = 300


def request(id: int, method: str, **params: Json) -> bytes:
    """A request within a session."""
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"


def session(server: wellhead.Server) -> wellhead.Connection:
    connection = server.connect()
    client = {"name": "client", "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}, "clientInfo": client}
    connection.handle(request(0, "initialize", **params))
    connection.handle('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    return connection


def at_once(use: Any) -> None:
    """Runs it on several threads that begin together, and raises what one of them raises."""
    raised: list[BaseException] = []
    barrier = threading.Barrier(THREADS)

    def work(number: int) -> None:
        barrier.wait()
        try:
            use(number)
        except BaseException as e:
            raised.append(e)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def test_threads_that_share_a_call_get_right_answers() -> None:
    server = wellhead.Server("s", "1")

    @server.method("x/do")
    def do(params: Json, call: wellhead.Call) -> Json:
        def use(number: int) -> None:
            for _ in range(ROUNDS):
                assert call.client == {"name": "client", "version": "1"}
                assert call.client_capabilities == {"roots": {}}
                assert not call.cancelled
                if number == 0:
                    call.send_request("roots/list").cancel()
                elif number == 1:
                    assert call.notify("notifications/x")
                elif number == 2:
                    assert not call.close_event_stream(1) and not call.progress(1)
                else:
                    transmitted(connection)

        at_once(use)
        return {}

    connection = session(server)
    connection.receive(request(1, "x/do"))
    connection.poll_event()
    answers = [message for message in transmitted(connection) if message.get("id") == 1 and "method" not in message]
    assert len(answers) == 1 and "result" in answers[0]


def test_a_call_that_is_answered_while_threads_use_it_is_answered_once() -> None:
    server = wellhead.Server("s", "1")
    calls: list[wellhead.Call] = []
    left = threading.Event()

    @server.method("x/do")
    def do(params: Json, call: wellhead.Call) -> Json:
        calls.append(call)
        return {"right": True}

    connection = session(server)
    for number in range(200):
        left.clear()
        calls.clear()

        def use(at: int, number: int = number) -> None:
            if at == 0:
                connection.receive(request(number + 1, "x/do"))
                connection.poll_event()
                left.set()
            while not left.is_set():
                for call in calls:
                    assert call.client in ({"name": "client", "version": "1"}, None)
                    assert call.client_capabilities in ({"roots": {}}, None)
                time.sleep(0)  # to the thread that answers, if there are fewer processors than threads

        at_once(use)
        (answer,) = transmitted(connection)
        assert answer["result"] == {"right": True}
