"""Serves an application's resources to MCP (Model Context Protocol) clients."""

import atexit as _atexit
import os as _os

from wellhead import _core
from wellhead._core import Call, Caller, Connection, Contents, Handle, Icon, Limits, Page, Resource, Server
from wellhead._errors import (
    ClosedError,
    Error,
    LimitError,
    PermissionDenied,
    RegistrationError,
    ResourceNotFound,
)

__all__ = [
    "Call",
    "Caller",
    "ClosedError",
    "Connection",
    "Contents",
    "Error",
    "Handle",
    "Icon",
    "LimitError",
    "Limits",
    "Page",
    "PermissionDenied",
    "RegistrationError",
    "Resource",
    "ResourceNotFound",
    "Server",
]

_atexit.register(_core._at_exit)
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_core._forked)
