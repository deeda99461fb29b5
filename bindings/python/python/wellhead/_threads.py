"""The thread pool of `thread=True`."""

import os
from concurrent.futures import ThreadPoolExecutor

_pool = None
_process = None


def pool():
    """One for the process; the child of a fork makes its own."""
    global _pool, _process
    if _process != os.getpid():
        _pool, _process = ThreadPoolExecutor(thread_name_prefix="wellhead"), os.getpid()
    return _pool
