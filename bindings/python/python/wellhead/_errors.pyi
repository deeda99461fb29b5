from typing import Any

class Error(Exception):
    """The root of this package's exceptions."""

    code: str
    """What to branch on: the same word in every language, such as `invalid_uri`."""
    def __init__(self, message: str = "", code: str = "error", /) -> None: ...

class RegistrationError(Error, ValueError):
    """A URI, template, name or callback that cannot be used: `invalid_uri`, `invalid_template`, `duplicate`,
    `ambiguous`, `unknown`, `invalid_argument`. The message says what to do."""

class ClosedError(Error):
    """The server or connection was closed (`closed`), or left behind by `fork` (`forked`)."""

class LimitError(Error):
    """A limit; the message names it (`limit`)."""

class IoError(Error, OSError):
    """The operating system refused (`io`), such as to bind an address: `errno` says why."""

class Outcome(Error):
    """What a callback raises to answer."""

class ResourceNotFound(Outcome, LookupError):
    """Raised by a callback: there is no such resource."""

    def __init__(self, message: str = "", /) -> None: ...

class PermissionDenied(Outcome, PermissionError):
    """Raised by a callback: there is, but not for this client."""

    def __init__(self, message: str = "", /) -> None: ...

class Busy(Outcome):
    """Raised by a callback: not now; perhaps after `retry_after` seconds."""

    retry_after: float | None
    def __init__(self, retry_after: float | None = None, /) -> None: ...

class InputRequired(Outcome):
    """Raised by a callback that reads, or a further method: the client has to answer something first, the
    `inputRequests`, `requestState` or both of this dict. It asks again with what `Call.input_responses` and
    `Call.request_state` then show. Where the revision does not have that, an internal error."""

    value: dict[str, Any]
    def __init__(self, value: dict[str, Any], /) -> None: ...

class InvalidState(Outcome):
    """Raised by a callback that reads: the request came with a state that is not ours. See `Call.open_state`."""

    def __init__(self, message: str = "", /) -> None: ...

class InsufficientScope(Outcome):
    """Raised by a function that verifies tokens: this one is good, but the request needs all of these scopes. The
    client is told so with a 403."""

    scopes: tuple[str, ...]
    def __init__(self, *scopes: str) -> None: ...

class MissingCapability(Outcome):
    """Raised by a further method: it cannot go on without these capabilities of the client, such as
    `{"sampling": {}}`."""

    value: dict[str, Any]
    def __init__(self, value: dict[str, Any], /) -> None: ...

class MethodError(Outcome):
    """Raised by a further method: an error that the client sees, with a number of JSON-RPC 2.0 section 5.1 or of its
    own."""

    number: int
    message: str
    data: dict[str, Any] | None
    def __init__(self, number: int, message: str, data: dict[str, Any] | None = None, /) -> None: ...

class ResponseError(Error):
    """Raised by a test client: the error that the server answered.

    One that says that a resource is not found is a `ResourceNotFound`, too, and has the code `not_found`. Likewise
    `PermissionDenied` and `Busy`. The code of all others is `response`.
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
        """The URI that the error's data names."""
