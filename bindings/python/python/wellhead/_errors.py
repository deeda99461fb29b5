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


for _class in (Error, RegistrationError, ClosedError, LimitError, ResourceNotFound, PermissionDenied):
    _class.__module__ = "wellhead"
