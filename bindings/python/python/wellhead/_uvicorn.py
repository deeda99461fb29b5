"""The uvicorn that runs the application, which tells an application that it ends only when every response is over."""

from __future__ import annotations

import signal
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Uvicorn:
    """A `uvicorn.Server`, found by the signal handler that is its method. Nothing of uvicorn is replaced."""

    def __init__(self, server: Any) -> None:
        self._server = server

    @classmethod
    def running(cls) -> Uvicorn | None:
        """Returns the uvicorn on this thread. Returns None if another server runs here, or a uvicorn that handles
        no signals.
        """
        if threading.current_thread() is not threading.main_thread():
            return None
        server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
        return cls(server) if isinstance(getattr(server, "should_exit", None), bool) else None

    def is_ending(self) -> bool:
        return bool(self._server.should_exit)
