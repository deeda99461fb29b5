"""The exceptions. `code` is the same word in every language."""


class Error(Exception):
    def __init__(self, message="", code="error", /):
        super().__init__(message)
        self.code = code


class RegistrationError(Error, ValueError):
    pass


class ClosedError(Error):
    pass


class LimitError(Error):
    pass


class IoError(Error, OSError):
    # Not OSError's, which shows the number too, and not the number alone.
    __str__ = Exception.__str__


class Outcome(Error):
    """What a callback raises to answer. `errors.rs` tells them apart by their code."""


class ResourceNotFound(Outcome, LookupError):
    def __init__(self, message="", /):
        super().__init__(message, "not_found")


class PermissionDenied(Outcome, PermissionError):
    def __init__(self, message="", /):
        super().__init__(message, "denied")


class Busy(Outcome):
    def __init__(self, retry_after=None, /):
        if retry_after is not None and not 0 <= retry_after < float("inf"):
            raise ValueError(f"retry_after is a number of seconds, 0 or more, not {retry_after!r}")
        super().__init__("busy" if retry_after is None else f"busy for {retry_after} s", "busy")
        self.retry_after = retry_after


class InputRequired(Outcome):
    def __init__(self, value, /):
        super().__init__("input is required", "input_required")
        self.value = value


class InvalidState(Outcome):
    def __init__(self, message="", /):
        super().__init__(message, "invalid_state")


class InsufficientScope(Outcome):
    def __init__(self, *scopes):
        super().__init__("the token lacks a scope", "insufficient_scope")
        self.scopes = scopes


class MissingCapability(Outcome):
    def __init__(self, value, /):
        super().__init__("the client lacks a capability", "missing_capability")
        self.value = value


class MethodError(Outcome):
    def __init__(self, number, message, data=None, /):
        super().__init__(message, "method_error")
        self.number = number
        self.message = message
        self.data = data


class ResponseError(Error):
    def __init__(self, number, message, data=None, code="response", /):
        self.number = number
        self.message = message
        self.data = data
        uri = self.uri
        # Not the next class of a subclass, which takes other arguments.
        Error.__init__(self, f"{message} ({number})" if uri is None else f"{message} ({number}): {uri}", code)

    @property
    def uri(self):
        return self.data.get("uri") if isinstance(self.data, dict) else None


for _class in list(globals().values()):
    if isinstance(_class, type):
        _class.__module__ = "wellhead"
