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


class ResourceNotFound(Error, LookupError):
    def __init__(self, message="", /):
        super().__init__(message, "not_found")


class PermissionDenied(Error, PermissionError):
    def __init__(self, message="", /):
        super().__init__(message, "denied")


class Busy(Error):
    def __init__(self, retry_after=None, /):
        if retry_after is not None and not 0 <= retry_after < float("inf"):
            raise ValueError(f"retry_after is a number of seconds, 0 or more, not {retry_after!r}")
        super().__init__("busy" if retry_after is None else f"busy for {retry_after} s", "busy")
        self.retry_after = retry_after


for _class in (Error, RegistrationError, ClosedError, LimitError, ResourceNotFound, PermissionDenied, Busy):
    _class.__module__ = "wellhead"
