"""The client's side of a connection in memory: messages in and out, with nothing that waits."""

from __future__ import annotations

import json
from time import monotonic

from wellhead._errors import Busy, ClosedError, ErrorFromServer, MethodError, PermissionDenied, ResourceNotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from wellhead import _core

    _Json: TypeAlias = dict[str, Any]

META = "io.modelcontextprotocol/"


class Refused(ErrorFromServer):
    """An error that the server answered and for which callbacks have an exception: an instance of both classes."""

    def __init_subclass__(cls) -> None:
        # A traceback shows the name that a program catches.
        cls.__name__ = cls.__qualname__ = cls.__bases__[1].__name__
        cls.__module__ = "wellhead"

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by the name of the class, which is that of its base.
        return restored, (self.code, self.args, vars(self))


class NotFound(Refused, ResourceNotFound):
    pass


class Denied(Refused, PermissionDenied):
    pass


class Later(Refused, Busy):
    pass


# By the words that the server answers: their numbers differ between revisions, and a program may set its own.
KINDS: dict[str, tuple[type[ErrorFromServer], str]] = {
    "Resource not found": (NotFound, "not_found"),
    "Permission denied": (Denied, "denied"),
    "Busy": (Later, "busy"),
}


def restored(code: str, args: tuple[Any, ...], state: _Json) -> ErrorFromServer:
    """Makes an exception again that was copied or pickled."""
    kind = next(kind for kind, word in KINDS.values() if word == code)
    again = kind.__new__(kind)
    again.args = args
    vars(again).update(state)
    return again


def refused(error: _Json) -> ErrorFromServer:
    """Makes the exception for an error that the server answered."""
    kind, code = KINDS.get(error["message"], (ErrorFromServer, "response"))
    raised = kind(error["code"], error["message"], error.get("data"), code)
    if isinstance(raised, Busy):
        raised.retry_after_ms = (raised.data or {}).get("retryAfterMs")
    return raised


class Wire:
    """Sends a client's messages, and sorts what comes back. Callbacks of the server run in `pump`."""

    def __init__(self, server: _core.Server, capabilities: _Json | None, caller: _core.Caller | None) -> None:
        self.capabilities = capabilities or {}
        # Said with each request; None in revisions with a handshake, where it was said at first.
        self.revision: str | None = None
        self.answers: dict[int, _Json] = {}
        self.requests: list[_Json] = []  # what the server asks its client
        self.updates: list[str] = []
        self.list_changes = 0
        self.notifications: list[_Json] = []
        self.on_wake: Callable[[], object] = bool
        self.connection = server.connect(lambda: self.on_wake(), caller=caller)
        self.began = monotonic()
        self.number = 0
        self.expected: set[int] = set()
        self.unsent = b""
        self.unfinished = b""
        self.polling = False
        self.closed = False

    def send(self, method: str, params: _Json) -> int:
        """Sends a request. Returns its number, under which `answers` gets the answer."""
        if self.polling:
            raise RuntimeError("a callback cannot use the client that waits for it: use another client")
        if self.closed:
            raise ClosedError("the client is closed; make a new one", "closed")
        self.number += 1
        self.expected.add(self.number)
        self.put({"id": self.number, "method": method, "params": self.with_meta(params)})
        return self.number

    def notify(self, method: str, params: _Json) -> None:
        self.put({"method": method, "params": self.with_meta(params)})

    def answer(self, request: _Json, result: _Json) -> None:
        self.put({"id": request["id"], "result": result})

    def refuse(self, request: _Json, error: MethodError) -> None:
        data = {} if error.data is None else {"data": error.data}
        self.put({"id": request["id"], "error": {"code": error.rpc_code, "message": error.message, **data}})

    def with_meta(self, params: _Json) -> _Json:
        """Returns the parameters of a request. In revisions without a handshake it adds the `_meta` that each
        request must have.
        """
        if self.revision is None:
            return params
        meta = {META + "protocolVersion": self.revision, META + "clientCapabilities": self.capabilities}
        return {**params, "_meta": {**meta, **params.get("_meta", {})}}

    def put(self, message: _Json) -> None:
        self.unsent += json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"

    def cancel(self, number: int) -> None:
        """Cancels a request, since its answer is not wanted any more."""
        if number in self.expected and not self.closed:
            self.expected.remove(number)
            self.notify("notifications/cancelled", {"requestId": number})
            self.pump()

    def pump(self) -> bool:
        """Handles all that is ready now, and returns whether there was anything."""
        if self.polling or self.closed:
            return False
        self.connection.tick(self.now())
        self.polling = True
        found = False
        try:
            while self.turn():
                found = True
        finally:
            self.polling = False
        return found

    def turn(self) -> bool:
        taken = self.connection.receive(self.unsent) if self.unsent else 0
        self.unsent = self.unsent[taken:]
        ran = self.connection.poll_event()
        output = b""
        while piece := self.connection.poll_transmit():
            output += piece
        *lines, self.unfinished = (self.unfinished + output).split(b"\n")
        for line in lines:
            message = json.loads(line)
            for one in message if isinstance(message, list) else [message]:
                self.take(one)
        return bool(taken or ran or output)

    def take(self, message: _Json) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method is None:
            number = message.get("id")
            # Without an id the server could not read a request, such as one beyond a limit, and does not know which.
            for one in list(self.expected) if number is None else [number]:
                self.settle(one, message)
        elif "id" in message:
            self.requests.append(message)
        elif method == "notifications/resources/updated":
            self.updates.append(params["uri"])
        elif method == "notifications/resources/list_changed":
            self.list_changes += 1
        elif method == "notifications/subscriptions/acknowledged":
            self.settle(params["_meta"][META + "subscriptionId"], {"result": params})
        else:
            self.notifications.append({"method": method, "params": params})

    def settle(self, number: Any, answer: _Json) -> None:
        if number in self.expected:
            self.expected.remove(number)
            self.answers[number] = answer

    def result(self, number: int) -> _Json | None:
        """Returns the result of a request, or None if it is still to come.

        Raises:
            ErrorFromServer: The server answered an error.
            ClosedError: It was closed before it answered.
        """
        answer = self.answers.pop(number, None)
        if answer is None:
            if self.closed or self.connection.finished:
                raise ClosedError("the server was closed before it answered", "closed")
            return None
        if "error" in answer:
            raise refused(answer["error"])
        result: _Json = answer["result"]
        return result

    def next_update(self) -> str | None:
        return self.updates.pop(0) if self.updates else None

    def take_list_changes(self) -> int:
        count, self.list_changes = self.list_changes, 0
        return count

    def take_notifications(self) -> list[_Json]:
        taken, self.notifications = self.notifications, []
        return taken

    def seconds(self) -> float | None:
        """Returns the seconds after which to `pump` again at the latest, or None if only a wake is needed."""
        until = None if self.closed else self.connection.poll_timeout()
        return None if until is None else max(0.0, (until - self.now()) / 1000)

    def now(self) -> int:
        return int((monotonic() - self.began) * 1000)

    def close(self) -> None:
        self.closed = True
        self.on_wake = bool
        self.connection.close()
