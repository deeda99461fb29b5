from typing import Any

class Error(Exception):
    """The root of this package's exceptions.

    Args:
        message: What happened, and what to do.
        code: The kind of the error: a word such as `invalid_uri`, the same in every language.
    """

    code: str
    def __init__(self, message: str = "", code: str = "error", /) -> None: ...

class UsageError(Error, ValueError):
    """The error for a URI, template, name, value or callback that cannot be used. The message says what to do.

    `code` is `invalid_uri`, `invalid_template`, `duplicate`, `ambiguous`, `unknown` or `invalid_argument`.
    """

class ClosedError(Error):
    """The error for a server or connection that is closed or a call that is over (`closed`), or for a connection
    that the parent made before a `fork` (`forked`).
    """

class LimitError(Error):
    """The error for a limit that is reached (`limit`). The message names the limit."""

class IoError(Error, OSError):
    """The error for an operation that the operating system refused (`io`), such as to bind an address. `errno`
    says why.
    """

class Outcome(Error):
    """The base class of the answers that a callback raises."""

class ResourceNotFound(Outcome, LookupError):
    """Raised by a callback: there is no such resource."""

    def __init__(self, message: str = "", /) -> None: ...

class PermissionDenied(Outcome, PermissionError):
    """Raised by a callback: the caller may not read the resource."""

    def __init__(self, message: str = "", /) -> None: ...

class Busy(Outcome):
    """Raised by a callback: the resource cannot be read now.

    Args:
        retry_after_ms: Milliseconds after which the client may try again, at least 0. None if they are unknown.
    """

    retry_after_ms: float | None
    def __init__(self, retry_after_ms: float | None = None, /) -> None: ...

class InputRequired(Outcome):
    """Raised by a reader, a tool or a prompt: the client must give input first.

    The client repeats its request with the input, which `Call.input_responses` and `Call.request_state`
    return in a read, and `Call.params` has in a tool or a prompt. In revisions before 2026-07-28, which have no
    such answer, the call fails.

    Args:
        value: A dict with `inputRequests`, `requestState` or both.
    """

    value: dict[str, Any]
    def __init__(self, value: dict[str, Any], /) -> None: ...

class Waiting(BaseException):
    """Raised by `Call.require_input`: the client has not answered yet. The callback must not catch it, and
    runs again from its start when the client has answered. It is no `Exception`, so `except Exception` lets
    it through.

    Args:
        message: The text of the exception.
    """

    code: str

    def __init__(self, message: str = ..., /) -> None: ...

class InvalidState(Outcome):
    """Raised by a callback: the `requestState` of the client is forged, expired or of another request. See
    `Call.open_state`.
    """

    def __init__(self, message: str = "", /) -> None: ...

class InsufficientScope(Outcome):
    """Raised by a `verify` callback: the token is valid, but lacks a scope that the request needs. The client
    gets the status 403.

    Args:
        scopes: The scopes that the request needs, each a `str`.
    """

    scopes: tuple[str, ...]
    def __init__(self, *scopes: str) -> None: ...

class MissingCapability(Outcome):
    """Raised by a callback that answers a method: the client lacks capabilities that it needs.

    Args:
        value: The capabilities that the client lacks, such as `{"sampling": {}}`.
    """

    value: dict[str, Any]
    def __init__(self, value: dict[str, Any], /) -> None: ...

class MethodError(Outcome):
    """Raised by a callback that answers a method: an error that the client sees.

    Args:
        rpc_code: The code of the JSON-RPC error, an `int`: one of JSON-RPC 2.0 section 5.1, or one of the program.
        message: A text for the client, or an exception that has the text.
        data: Further data for the client, a dict. None sends none.
    """

    rpc_code: int
    message: str
    data: dict[str, Any] | None
    def __init__(self, rpc_code: int, message: str | Exception, data: dict[str, Any] | None = None, /) -> None: ...

class ToolError(Outcome):
    """Raised by the function of a tool: an error whose text the model reads.

    The text says what went wrong, and what the model may try instead. The client gets a result with `isError`, and
    nothing is logged. From a prompt or a method it is an internal error with this message.

    Args:
        message: A text for the model, or an exception that has the text.
    """

    message: str
    def __init__(self, message: str | Exception, /) -> None: ...

class InvalidAnswer(ToolError):
    """Raised by `Call.require_input`: the client's answer does not fit the form that it was asked to fill in.

    The text says where. The model reads it if the function of a tool does not catch the exception.
    """

class ErrorFromClient(Error):
    """Raised by `Call.require_input` and by the future of `Call.send_request`: the client answered with an error.

    A callback that does not catch it fails.

    Args:
        rpc_code: The code of the JSON-RPC error, such as -32601. 0 if the client sent none.
        message: The client's message.
        data: The data of the error. None if it has none.
    """

    rpc_code: int
    """The code of the JSON-RPC error, such as -32601. 0 if the client sent none."""
    message: str
    """The client's message."""
    data: Any
    """The data of the error. None if it has none."""
    def __init__(self, rpc_code: int, message: str, data: Any = None, /) -> None: ...

class ErrorFromServer(Error):
    """Raised by a test client: the server answered with an error.

    An error for a missing resource is also a `ResourceNotFound`, with the code `not_found`. The same holds for
    `PermissionDenied` and `Busy`. All others have the code `response`.

    Args:
        rpc_code: The code of the JSON-RPC error, such as -32602.
        message: The message of the error.
        data: The data of the error. None if it has none.
        code: The kind of the error, a word as in `Error`.
    """

    rpc_code: int
    """The code of the JSON-RPC error, such as -32602."""
    message: str
    """The message of the error."""
    data: Any
    """The data of the error. None if it has none."""
    def __init__(self, rpc_code: int, message: str, data: Any = None, code: str = "response", /) -> None: ...
    @property
    def uri(self) -> str | None:
        """The URI in the data of the error. None if there is none."""
