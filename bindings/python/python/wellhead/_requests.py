"""Requests to the client, as futures; imported only then."""

from __future__ import annotations

from concurrent.futures import Future

from wellhead._errors import ErrorFromClient
from wellhead._json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from wellhead._core import Call


def request(call: Call, method: str, params: dict[str, Any] | None) -> Future[Any]:
    """Implements `Call.send_request`."""
    future: Future[Any] = Future()
    number = call._request(method, params, future)
    future.add_done_callback(lambda future: call._give_up(number) if future.cancelled() else None)
    return future


def settle(future: Future[Any], result: str | None, error: str | None) -> None:
    """Sets the result or the error of the future. With neither, no answer will come: cancels the future."""
    if result is None and error is None:
        future.cancel()
    elif not future.set_running_or_notify_cancel():
        pass
    elif result is not None:
        future.set_result(loads(result))
    else:
        future.set_exception(refused(loads(error or "")))


def refused(error: Any) -> ErrorFromClient:
    """Makes the exception of what a client sent as an error, which may be any JSON."""
    fault = error if isinstance(error, dict) else {}
    code, message = fault.get("code"), fault.get("message")
    return ErrorFromClient(
        code if type(code) is int else 0, message if isinstance(message, str) else "", fault.get("data")
    )
