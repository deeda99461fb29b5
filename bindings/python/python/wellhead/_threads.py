"""The thread pool of `thread=True`."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import Context
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from typing import Any

# How long a thread runs jobs before what else waits for the pool has its turn, in seconds.
TURN = 0.005

_of_process: dict[int, Jobs] = {}


def jobs() -> Jobs:
    """Returns the jobs of the process's thread pool. The child of a fork makes its own."""
    process = os.getpid()
    known = _of_process.get(process)
    if known is None:
        made = Jobs(Pool(thread_name_prefix="wellhead"))
        known = _of_process.setdefault(process, made)  # another thread may have been quicker
    return known


def pool() -> ThreadPoolExecutor:
    """Returns the thread pool of the process."""
    return jobs().pool


def submit(job: Callable[[], object]) -> None:
    """Runs a job in the pool, and drops its result."""
    jobs().submit(job)


class Pool(ThreadPoolExecutor):
    """A pool whose threads begin in an empty context.

    Without the global interpreter lock, a thread begins in the context of what starts it, a request, and keeps it.
    """

    def submit(self, job: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        return Context().run(super().submit, job, *arguments, **keywords)


class Jobs:
    """Jobs for a pool, with fewer wakes than jobs.

    One call of the pool serves all jobs that come before its thread runs. The thread goes on while there
    are jobs, for a turn. It calls another one before it runs something while more is waiting, in case what
    it runs takes long: if that does not, the other one finds nothing to do.
    """

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.pool = pool
        self.waiting: deque[Callable[[], object]] = deque()
        self.called = False

    def submit(self, job: Callable[[], object]) -> None:
        self.waiting.append(job)
        self.call()

    def call(self) -> None:
        if not self.called:
            self.called = True
            try:
                self.pool.submit(self.work)
            except BaseException:
                self.called = False  # no thread is to be had now
                raise

    def work(self) -> None:
        self.called = False  # first: what comes now calls again
        end = monotonic() + TURN
        while True:
            try:
                job = self.waiting.popleft()
            except IndexError:
                return
            if self.waiting:
                with suppress(RuntimeError):  # then this thread runs that, too
                    self.call()
            job()
            if self.called and monotonic() > end:
                return
