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

class ResourceNotFound(Error, LookupError):
    """Raised by a callback: there is no such resource."""

    def __init__(self, message: str = "", /) -> None: ...

class PermissionDenied(Error, PermissionError):
    """Raised by a callback: there is, but not for this client."""

    def __init__(self, message: str = "", /) -> None: ...

class Busy(Error):
    """Raised by a callback: not now; perhaps after `retry_after` seconds."""

    retry_after: float | None
    def __init__(self, retry_after: float | None = None, /) -> None: ...
