from typing import Any

class Error(Exception):
    """The root of this package's exceptions.

    Args:
        message: What happened, and what to do.
        code: The kind of error, the same word in every language, such as `invalid_uri`.
    """

    code: str
    def __init__(self, message: str = "", code: str = "error", /) -> None: ...

class RegistrationError(Error, ValueError):
    """A URI, template, name, value or callback that cannot be used. The message says what to do.

    `code` is `invalid_uri`, `invalid_template`, `duplicate`, `ambiguous`, `unknown` or `invalid_argument`.
    """

class ClosedError(Error):
    """The server or connection is closed (`closed`), or belongs to the parent of a `fork` (`forked`)."""

class LimitError(Error):
    """A limit is reached (`limit`). The message names it."""

class IoError(Error, OSError):
    """The operating system refused something (`io`), such as to bind an address. `errno` says why."""

class Outcome(Error):
    """An answer that a callback raises."""

class ResourceNotFound(Outcome, LookupError):
    """Raised by a callback: there is no such resource."""

    def __init__(self, message: str = "", /) -> None: ...

class PermissionDenied(Outcome, PermissionError):
    """Raised by a callback: the client may not have the resource."""

    def __init__(self, message: str = "", /) -> None: ...

class Busy(Outcome):
    """Raised by a callback: the resource cannot be read now.

    Args:
        retry_after: Seconds after which the client may ask again, at least 0, or None.
    """

    retry_after: float | None
    def __init__(self, retry_after: float | None = None, /) -> None: ...

class InputRequired(Outcome):
    """Raised by a callback that reads or answers a method: the client must give input first.

    The client repeats its request with the input, which `Call.input_responses` and `Call.request_state` return. In
    revisions without this the call fails.

    Args:
        value: A dict with `inputRequests`, `requestState` or both.
    """

    value: dict[str, Any]
    def __init__(self, value: dict[str, Any], /) -> None: ...

class Waiting(Outcome):
    """Raised by `Call.request_input`: the client has not answered yet. The callback lets it through, and runs
    again from its start when the client has answered.
    """

    def __init__(self, message: str = ..., /) -> None: ...

class InvalidState(Outcome):
    """Raised by a callback: the request's state is not one of this server. See `Call.open_state`."""

    def __init__(self, message: str = "", /) -> None: ...

class InsufficientScope(Outcome):
    """Raised by a `verify` callback: the token is valid, but the request needs more. The status is 403.

    Args:
        scopes: The scopes that the request needs, each a `str`.
    """

    scopes: tuple[str, ...]
    def __init__(self, *scopes: str) -> None: ...

class MissingCapability(Outcome):
    """Raised by a callback that answers a method: the client lacks capabilities that it needs.

    Args:
        value: The capabilities, such as `{"sampling": {}}`.
    """

    value: dict[str, Any]
    def __init__(self, value: dict[str, Any], /) -> None: ...

class MethodError(Outcome):
    """Raised by a callback that answers a method: an error that the client sees.

    The future of `Call.send_request` raises it too, with the client's error.

    Args:
        number: A number of JSON-RPC 2.0 section 5.1, or one of the program's own.
        message: A text for the client.
        data: Further data, or None.
    """

    number: int
    message: str
    data: dict[str, Any] | None
    def __init__(self, number: int, message: str, data: dict[str, Any] | None = None, /) -> None: ...

class ToolError(Outcome):
    """Raised by the function of a tool: an error whose text the model reads.

    The text says what went wrong, and what the model may try instead. The client gets a result with `isError`, and
    nothing is logged. From a prompt or a method it is an internal error with this message.

    Args:
        message: A text for the model.
    """

    message: str
    def __init__(self, message: str, /) -> None: ...

class InvalidAnswer(ToolError):
    """Raised by `Call.request_input`: the client's answer does not fit the form that it was asked to fill in.

    The text says where. The model reads it if the function of a tool lets the exception through.
    """

class ResponseError(Error):
    """Raised by a test client: the server answered an error.

    An error for a missing resource is also a `ResourceNotFound`, with the code `not_found`. The same holds for
    `PermissionDenied` and `Busy`. All others have the code `response`.

    Args:
        number: The number of the error, such as -32602.
        message: The message of the error.
        data: The data of the error, or None.
        code: The word of the error, as for `Error`.
    """

    number: int
    """The error's number, such as -32602."""
    message: str
    """The error's message."""
    data: Any
    """The error's data; None if it has none."""
    def __init__(self, number: int, message: str, data: Any = None, code: str = "response", /) -> None: ...
    @property
    def uri(self) -> str | None:
        """The URI in the data of the error, or None."""
