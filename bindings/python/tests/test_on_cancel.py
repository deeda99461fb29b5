"""`Call.on_cancel`: when the function runs, and when it does not."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
import wellhead
from client import cancel, read

URI = "notes://1"


def held() -> tuple[wellhead.Server, wellhead.Connection, wellhead.Call, Future[str]]:
    """A call that waits for its answer."""
    server = wellhead.Server("s", "1")
    answer: Future[str] = Future()
    calls: list[wellhead.Call] = []

    @server.resource(URI)
    def note(call: wellhead.Call) -> Future[str]:
        calls.append(call)
        return answer

    connection = server.connect()
    connection.receive(read(URI))
    while connection.poll_event():
        pass
    return server, connection, calls[0], answer


def cancels(connection: wellhead.Connection) -> None:
    connection.receive(cancel(1))
    while connection.poll_event():
        pass


def test_on_cancel_functions_run_once_and_at_once_after_the_cancellation() -> None:
    _, connection, call, _ = held()
    seen: list[str] = []
    call.on_cancel(lambda: seen.append("first"))
    call.on_cancel(lambda: seen.append("second"))
    assert seen == []
    cancels(connection)
    cancels(connection)
    assert seen == ["first", "second"]
    call.on_cancel(lambda: seen.append("late"))
    assert seen == ["first", "second", "late"]


def test_on_cancel_refuses_a_number_and_an_answered_call() -> None:
    _, _, call, answer = held()
    no_function: Any = 3
    with pytest.raises(TypeError, match="function must be a function, not int"):
        call.on_cancel(no_function)
    answer.set_result("x")
    with pytest.raises(wellhead.ClosedError, match="call `on_cancel` before"):
        call.on_cancel(lambda: None)


def test_an_exception_of_an_on_cancel_function_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    _, connection, call, _ = held()
    call.on_cancel(lambda: 1 / 0)
    with caplog.at_level(logging.ERROR, "wellhead"):
        cancels(connection)
    assert "a function given to `on_cancel` failed" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_an_on_cancel_function_may_answer_the_call() -> None:
    _, connection, call, answer = held()
    call.on_cancel(lambda: answer.set_result("late"))
    cancels(connection)
    assert answer.done()
    assert connection.poll_transmit() is None


def both(one: Callable[[], None], other: Callable[[], None]) -> None:
    barrier = threading.Barrier(2)

    def work(do: Callable[[], None]) -> None:
        barrier.wait()
        do()

    threads = [threading.Thread(target=work, args=(do,)) for do in (one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_an_answer_waits_for_a_running_on_cancel_function() -> None:
    for _ in range(20):
        _, connection, call, answer = held()
        inside = threading.Event()
        seen: list[str] = []

        def function(inside: threading.Event = inside, seen: list[str] = seen) -> None:
            inside.set()
            for _ in range(50):
                threading.Event().wait(0)  # lets other threads run
            seen.append("over")

        call.on_cancel(function)

        def answers(inside: threading.Event = inside, seen: list[str] = seen, answer: Future[str] = answer) -> None:
            inside.wait(60)
            answer.set_result("late")
            assert seen == ["over"]
            seen.append("answered")

        both(lambda connection=connection: cancels(connection), answers)  # type: ignore[misc]
        assert seen == ["over", "answered"]
