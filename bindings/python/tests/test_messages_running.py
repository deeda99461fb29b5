"""Messages of exceptions after mistakes while a server runs, word for word."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
import wellhead
from client import Process, outcome, read
from mistakes import Mistake, each


async def later() -> str:
    return "x"


def in_a_loop(method: str) -> Callable[[Any], None]:
    def mistake(server: Any) -> None:
        async def main() -> None:
            getattr(server, method)()

        asyncio.run(main())

    return mistake


def loop_with_coroutine(server: Any) -> None:
    server.resource("a:b")(later)
    in_a_loop("run")(server)


def in_a_call(mistake: Callable[[Any], object]) -> Callable[[Any], None]:
    """Makes the mistake with the call of a read."""

    def read(server: wellhead.Server) -> None:
        raised: list[Exception] = []

        @server.resource("a:call")
        def callback(call: wellhead.Call) -> str:
            try:
                mistake(call)
            except Exception as e:
                raised.append(e)
            return "x"

        with server.test_client() as client:
            client.read("a:call")
        if raised:
            raise raised[0]

    return read


def on_a_connection(mistake: Callable[[Any], object]) -> Callable[[Any], object]:
    """Makes the mistake with a connection."""
    return lambda server: mistake(server.connect())


def without_asyncio(start: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Takes the first step of a coroutine without a loop of asyncio, as trio does."""

    def mistake(server: Any) -> None:
        coroutine = start(server)
        try:
            coroutine.send(None)
        finally:
            coroutine.close()

    return mistake


def handled_later(server: Any) -> Any:
    answer: Future[str] = Future()
    server.resource("a:b")(lambda: answer)
    return server.connect().handle_async(read("a:b"))


MISTAKES: list[Mistake] = [
    # Calls.
    *(
        Mistake(f"call.{name}", in_a_call(mistake), kind, text)
        for name, mistake, kind, text in [
            ("progress(str)", lambda call: call.progress("x"), TypeError, "progress must be a number, not str"),
            ("progress(huge)", lambda call: call.progress(10**400), ValueError, "progress must fit into a float"),
            ("total", lambda call: call.progress(1, "x"), TypeError, "total must be a number, not str"),
            ("message", lambda call: call.progress(1, 2, 3), TypeError, "message must be a str, not int"),
            (
                "close_event_stream(str)",
                lambda call: call.close_event_stream("x"),
                TypeError,
                "retry_ms must be a whole number, not str",
            ),
            (
                "close_event_stream(-1)",
                lambda call: call.close_event_stream(-1),
                ValueError,
                "retry_ms must be 0 or more (got -1)",
            ),
            ("seal_state(int)", lambda call: call.seal_state(3, 4), TypeError, "state must be a str, not int"),
            (
                "seal_state(until)",
                lambda call: call.seal_state("x", "y"),
                TypeError,
                "until must be a whole number, not str",
            ),
            ("open_state", lambda call: call.open_state("x"), TypeError, "now must be a whole number, not str"),
            ("header", lambda call: call.header(3), TypeError, "name must be a str, not int"),
            ("notify", lambda call: call.notify(3), TypeError, "method must be a str, not int"),
            (
                "notify(params)",
                lambda call: call.notify("notifications/x", [1]),
                TypeError,
                "params must be a dict, not list",
            ),
            ("request", lambda call: call.send_request(3), TypeError, "method must be a str, not int"),
            (
                "request(params)",
                lambda call: call.send_request("roots/list", 3),
                TypeError,
                "params must be a dict, not int",
            ),
        ]
    ),
    # Connections.
    *(
        Mistake(f"connection.{name}", on_a_connection(mistake), kind, text)
        for name, mistake, kind, text in [
            ("receive", lambda connection: connection.receive("x"), TypeError, "data must be bytes, not str"),
            (
                "poll_event(str)",
                lambda connection: connection.poll_event("x"),
                TypeError,
                "max must be a whole number, not str",
            ),
            (
                "poll_event(-1)",
                lambda connection: connection.poll_event(-1),
                ValueError,
                "max must be 0 or more (got -1)",
            ),
            (
                "poll_transmit(str)",
                lambda connection: connection.poll_transmit("x"),
                TypeError,
                "max must be a whole number, not str",
            ),
            (
                "poll_transmit(0)",
                lambda connection: connection.poll_transmit(0),
                ValueError,
                "max must be at least 1 (got 0)",
            ),
            ("tick(str)", lambda connection: connection.tick("x"), TypeError, "now_ms must be a whole number, not str"),
            ("tick(-1)", lambda connection: connection.tick(-1), ValueError, "now_ms must be 0 or more (got -1)"),
            ("handle", lambda connection: connection.handle(3), TypeError, "message must be a str or bytes, not int"),
            (
                "handle(timeout)",
                lambda connection: connection.handle("{}", timeout="x"),
                TypeError,
                "timeout must be a number of seconds, 0 or more, not str",
            ),
        ]
    ),
    Mistake(
        "connect", lambda server: server.connect(3), TypeError, "wake must be a function without parameters, not int"
    ),
    Mistake(
        "connect for no caller",
        lambda server: server.connect(caller="ada"),
        TypeError,
        "caller must be a wellhead.Caller, not str",
    ),
    Mistake(
        "contents of a handle",
        lambda server: server.text("a:b", "x").set(3),
        TypeError,
        "body must be a str, bytes or wellhead.Contents, not int",
    ),
    Mistake("expand a number", lambda server: wellhead.expand(3, {}), TypeError, "uri_template must be a str, not int"),  # type: ignore[arg-type]
    Mistake(
        "expand with a list",
        lambda server: wellhead.expand("a:{x}", ["x"]),  # type: ignore[arg-type]
        TypeError,
        "values must be a dict, not list",
    ),
    # Running.
    Mistake(
        "run in a loop",
        in_a_loop("run"),
        RuntimeError,
        "an event loop is running on this thread: use await server.run_async()",
    ),
    Mistake(
        "run in a loop with an async def",
        loop_with_coroutine,
        RuntimeError,
        "an event loop is running on this thread: use await server.run_async()",
    ),
    Mistake(
        "serve_http in a loop",
        in_a_loop("serve_http"),
        RuntimeError,
        "an event loop is running on this thread: use await server.serve_http_async()",
    ),
    Mistake(
        "the test client in a loop",
        in_a_loop("test_client"),
        RuntimeError,
        'an event loop is running on this thread: use "async with server.test_client_async() as client:"',
    ),
    *(
        Mistake(
            f"{name} under trio",
            without_asyncio(start),
            RuntimeError,
            "no asyncio event loop is running on this thread: use asyncio.run(), or anyio with its asyncio backend; "
            "trio is not supported",
        )
        for name, start in [
            ("run_async", lambda server: server.run_async()),
            ("serve_http_async", lambda server: server.serve_http_async(port=0)),
            ("test_client_async", lambda server: server.test_client_async().__aenter__()),
            ("asgi", lambda server: server.asgi()({"type": "http"}, None, None)),
            ("handle_async", handled_later),
        ]
    ),
]


@each(MISTAKES)
def test_a_mistake_raises_its_error(mistake: Mistake) -> None:
    mistake.is_refused()


@pytest.mark.parametrize("method", ["run_async", "serve_http_async"])
def test_a_forgotten_await_is_a_warning(method: str) -> None:
    with pytest.warns(RuntimeWarning, match=f"^coroutine '{method}' was never awaited$"):
        getattr(wellhead.Server("s", "1"), method)()


def test_a_second_run_is_refused_during_the_first_and_allowed_after_it() -> None:
    program = """
    import asyncio
    import wellhead
    server = wellhead.Server("s", "1")

    @server.resource("a:b")
    def callback() -> str:
        try:
            server.run()
        except Exception as e:
            return f"{type(e).__name__}: {e}"
        return "it runs twice"

    server.run()
    asyncio.run(server.run_async())  # the input is at its end
    """
    with Process(program) as process:
        process.send(read("a:b"))
        refused = "UsageError: standard input and output are being served already; one driver a process"
        assert outcome(json.dumps(process.receive()).encode()) == refused
        assert process.end() == (0, "")
