"""Serves an application's resources, tools and prompts to MCP (Model Context Protocol) clients."""

import atexit as _atexit
import os as _os

from wellhead import _core
from wellhead._core import (
    CacheHint,
    Call,
    Caller,
    Completion,
    Connection,
    Contents,
    Counters,
    Explanation,
    Grant,
    Handle,
    Icon,
    Limits,
    NotModified,
    Observed,
    Page,
    PassedOver,
    Resource,
    Server,
    Session,
    expand,
)
from wellhead._errors import (
    Busy,
    ClosedError,
    Error,
    ErrorFromClient,
    ErrorFromServer,
    InputRequired,
    InsufficientScope,
    InvalidAnswer,
    InvalidState,
    IoError,
    LimitError,
    MethodError,
    MissingCapability,
    PermissionDenied,
    ResourceNotFound,
    ToolError,
    UsageError,
    Waiting,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wellhead._asgi import AsgiApp
    from wellhead._endpoint import HttpEndpoint, HttpResponse
    from wellhead._results import Audio, Image, Message, Result
    from wellhead._testing import AsyncTestClient, TestClient

__all__ = [
    "NOT_MODIFIED",
    "AsgiApp",
    "AsyncTestClient",
    "Audio",
    "Busy",
    "CacheHint",
    "Call",
    "Caller",
    "ClosedError",
    "Completion",
    "Connection",
    "Contents",
    "Counters",
    "Error",
    "ErrorFromClient",
    "ErrorFromServer",
    "Explanation",
    "Grant",
    "Handle",
    "HttpEndpoint",
    "HttpResponse",
    "Icon",
    "Image",
    "InputRequired",
    "InsufficientScope",
    "InvalidAnswer",
    "InvalidState",
    "IoError",
    "LimitError",
    "Limits",
    "Message",
    "MethodError",
    "MissingCapability",
    "NotModified",
    "Observed",
    "Page",
    "PassedOver",
    "PermissionDenied",
    "Resource",
    "ResourceNotFound",
    "Result",
    "Server",
    "Session",
    "TestClient",
    "ToolError",
    "UsageError",
    "Waiting",
    "expand",
]

__version__ = _core.__version__

NOT_MODIFIED = _core.NOT_MODIFIED

# Where the classes are that need asyncio or much of the standard library: imported when they are used.
_LATE = {
    "AsgiApp": "_asgi",
    "AsyncTestClient": "_testing",
    "Audio": "_results",
    "HttpEndpoint": "_endpoint",
    "HttpResponse": "_endpoint",
    "Image": "_results",
    "Message": "_results",
    "Result": "_results",
    "TestClient": "_testing",
}

if not TYPE_CHECKING:  # or type checkers believe in any name

    def __getattr__(name):
        if name in _LATE:
            from importlib import import_module

            value = globals()[name] = getattr(import_module(f"wellhead.{_LATE[name]}"), name)
            return value
        raise AttributeError(f"module 'wellhead' has no attribute {name!r}")


_atexit.register(_core._at_exit)
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(before=_core._forking, after_in_parent=_core._has_forked, after_in_child=_core._forked)
