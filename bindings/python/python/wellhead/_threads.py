"""The thread pool of `thread=True`."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

_pool: ThreadPoolExecutor | None = None
_process = 0


def pool() -> ThreadPoolExecutor:
    """One for the process; the child of a fork makes its own."""
    global _pool, _process
    if _pool is None or _process != os.getpid():
        _pool, _process = ThreadPoolExecutor(thread_name_prefix="wellhead"), os.getpid()
    return _pool
