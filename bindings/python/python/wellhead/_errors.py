"""The exceptions. `code` is the same word in every language."""


class Error(Exception):
    """The root of this package's exceptions.

    Args:
        message: What happened, and what to do.
        code: The kind of the error: a word such as `invalid_uri`, the same in every language.
    """

    def __init__(self, message="", code="error", /):
        super().__init__(message)
        self.code = code

    def __reduce__(self):
        # Not the base's, which would make it anew of `args`: many of these classes take other arguments.
        return _restored, (type(self), self.args, self._state())

    def _state(self):
        return vars(self)


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

    # Not OSError's, which shows the number too, and not the number alone.
    __str__ = Exception.__str__

    def _state(self):
        return {**vars(self), "errno": self.errno, "strerror": self.strerror}


class Outcome(Error):
    """The base class of the answers that a callback raises. `errors.rs` tells them apart by their codes."""


class ResourceNotFound(Outcome, LookupError):
    """Raised by a callback: there is no such resource."""

    def __init__(self, message="", /):
        super().__init__(message, "not_found")


class PermissionDenied(Outcome, PermissionError):
    """Raised by a callback: the caller may not read the resource."""

    def __init__(self, message="", /):
        super().__init__(message, "denied")


class Busy(Outcome):
    """Raised by a callback: the resource cannot be read now.

    Args:
        retry_after_ms: Milliseconds after which the client may try again, at least 0. None if they are unknown.
    """

    def __init__(self, retry_after_ms=None, /):
        is_number = isinstance(retry_after_ms, (int, float)) and 0 <= retry_after_ms < float("inf")
        if retry_after_ms is not None and not is_number:
            raise ValueError(f"retry_after_ms is a number of milliseconds, 0 or more, not {retry_after_ms!r}")
        super().__init__("busy" if retry_after_ms is None else f"busy for {retry_after_ms} ms", "busy")
        self.retry_after_ms = retry_after_ms


class InputRequired(Outcome):
    """Raised by a reader, a tool or a prompt: the client must give input first.

    The client repeats its request with the input, which `Call.input_responses` and `Call.request_state`
    return in a read, and `Call.params` has in a tool or a prompt. In revisions before 2026-07-28, which have no
    such answer, the call fails.

    Args:
        value: A dict with `inputRequests`, `requestState` or both.
    """

    def __init__(self, value, /):
        super().__init__("input is required", "input_required")
        self.value = _checked("value", value, dict)


class Waiting(BaseException):
    """Raised by `Call.require_input`: the client has not answered yet. The callback must not catch it, and
    runs again from its start when the client has answered. It is no `Exception`, so `except Exception` lets
    it through.

    Args:
        message: The text of the exception.
    """

    code = "waiting"

    def __init__(self, message="the callback waits for the client", /):
        super().__init__(message)


class InvalidState(Outcome):
    """Raised by a callback: the `requestState` of the client is forged, expired or of another request. See
    `Call.open_state`.
    """

    def __init__(self, message="", /):
        super().__init__(message, "invalid_state")


class InsufficientScope(Outcome):
    """Raised by a `verify` callback: the token is valid, but lacks a scope that the request needs. The client
    gets the status 403.

    Args:
        scopes: The scopes that the request needs, each a `str`.
    """

    def __init__(self, *scopes):
        super().__init__("the token lacks a scope", "insufficient_scope")
        self.scopes = tuple(_checked("each scope", scope, str) for scope in scopes)


class MissingCapability(Outcome):
    """Raised by a callback that answers a method: the client lacks capabilities that it needs.

    Args:
        value: The capabilities that the client lacks, such as `{"sampling": {}}`.
    """

    def __init__(self, value, /):
        super().__init__("the client lacks a capability", "missing_capability")
        self.value = _checked("value", value, dict)


class MethodError(Outcome):
    """Raised by a callback that answers a method: an error that the client sees.

    Args:
        rpc_code: The code of the JSON-RPC error, an `int`: one of JSON-RPC 2.0 section 5.1, or one of the program.
        message: A text for the client, or an exception that has the text.
        data: Further data for the client, a dict. None sends none.
    """

    def __init__(self, rpc_code, message, data=None, /):
        self.rpc_code = _checked("rpc_code", rpc_code, int)
        self.message = str(message)
        self.data = None if data is None else _checked("data", data, dict)
        super().__init__(self.message, "method_error")


class ToolError(Outcome):
    """Raised by the function of a tool: an error whose text the model reads.

    The text says what went wrong, and what the model may try instead. The client gets a result with `isError`, and
    nothing is logged. From a prompt or a method it is an internal error with this message.

    Args:
        message: A text for the model, or an exception that has the text.
    """

    def __init__(self, message, /):
        self.message = str(message)
        super().__init__(self.message, "tool_error")


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

    def __init__(self, rpc_code, message, data=None, /):
        super().__init__(f"{message} ({rpc_code})", "client")
        self.rpc_code = rpc_code
        self.message = message
        self.data = data


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

    def __init__(self, rpc_code, message, data=None, code="response", /):
        self.rpc_code = rpc_code
        self.message = message
        self.data = data
        uri = self.uri
        # Not the next class of a subclass, which takes other arguments.
        Error.__init__(self, f"{message} ({rpc_code})" if uri is None else f"{message} ({rpc_code}): {uri}", code)

    @property
    def uri(self):
        """The URI in the data of the error. None if there is none."""
        return self.data.get("uri") if isinstance(self.data, dict) else None


def _checked(name, value, expected):
    # Here, where the traceback shows the line of the mistake: later the callback would fail.
    if not isinstance(value, expected):
        article = "an" if expected is int else "a"
        raise TypeError(f"{name} must be {article} {expected.__name__}, not {type(value).__name__}")
    return value


def _restored(error, args, state):
    """Makes an exception again that was copied or pickled."""
    restored = error.__new__(error)
    restored.args = args
    for name, value in state.items():
        setattr(restored, name, value)
    return restored


for _class in list(globals().values()):
    if isinstance(_class, type):
        _class.__module__ = "wellhead"
