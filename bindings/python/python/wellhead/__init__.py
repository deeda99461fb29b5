"""Serves an application's resources to MCP (Model Context Protocol) clients."""

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
    expand,
)
from wellhead._errors import (
    Busy,
    ClosedError,
    Error,
    InputRequired,
    InsufficientScope,
    InvalidState,
    LimitError,
    MethodError,
    MissingCapability,
    PermissionDenied,
    RegistrationError,
    ResourceNotFound,
)

__all__ = [
    "NOT_MODIFIED",
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
    "Explanation",
    "Grant",
    "Handle",
    "Icon",
    "InputRequired",
    "InsufficientScope",
    "InvalidState",
    "LimitError",
    "Limits",
    "MethodError",
    "MissingCapability",
    "NotModified",
    "Observed",
    "Page",
    "PassedOver",
    "PermissionDenied",
    "RegistrationError",
    "Resource",
    "ResourceNotFound",
    "Server",
    "expand",
]

NOT_MODIFIED = _core.NOT_MODIFIED

_atexit.register(_core._at_exit)
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_core._forked)
