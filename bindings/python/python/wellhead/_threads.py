"""The threads of `thread=True`, and of a `def` under ASGI or behind an endpoint."""

from __future__ import annotations

import os
import threading
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from contextvars import Context
from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# As many as concurrent.futures has.
LIMIT = min(32, (os.cpu_count() or 1) + 4)

_of_process: dict[int, Pool] = {}


def submit(job: Callable[[], object]) -> None:
    """Runs a job in a thread of the process's pool."""
    pool().submit(job)


def submit_call(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Future[Any]:
    """Calls a function in a thread of the process's pool, and returns the future of its result."""
    result: Future[Any] = Future()

    def call(future: Future[Any] = result) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(function(*arguments, **keywords))
        except BaseException as e:
            future.set_exception(e)
            del future  # the traceback has this frame: the two would hold each other

    submit(call)
    return result


def pool() -> Pool:
    """Returns the pool of the process. The child of a fork makes its own."""
    process = os.getpid()
    known = _of_process.get(process)
    if known is None:
        made = Pool(LIMIT)
        known = _of_process.setdefault(process, made)  # another thread may have been quicker
        if known is made:
            with suppress(RuntimeError):  # without a further thread, those of the pool end when they have nothing to do
                start(made.stay_until_main_thread_ends, "wellhead_end")
    return known


class Pool:
    """Threads that run jobs in the order in which these come.

    A job waits for another one only while `limit` threads are busy, so jobs may wait for each other. The
    executor of concurrent.futures does not hold to that: it may take a busy thread for an idle one.

    One wake serves all jobs that come before the thread runs. That thread wakes the next one while more
    jobs are waiting.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        # A collection of garbage may submit a job on a thread that has the lock.
        self.lock = threading.RLock()
        self.jobs: deque[Callable[[], object]] = deque()
        self.threads = 0
        # The threads that wait for `wakes`. Those that were woken do not count.
        self.idle = 0
        self.wakes: SimpleQueue[None] = SimpleQueue()
        # True while a thread that was woken or started has not looked for jobs yet.
        self.called = False
        # False if threads end when there are no jobs, since nothing would end them later.
        self.stays = False

    def submit(self, job: Callable[[], object]) -> None:
        """Runs a job in a thread. Raises RuntimeError if there is none, and none can be started."""
        with self.lock:
            self.jobs.append(job)
            try:
                self.call()
            except RuntimeError:
                if self.threads == 0:
                    self.jobs.pop()
                    raise

    def call(self) -> None:
        """Has one more thread look for jobs, if there is one. The caller has the lock.

        Ctrl-C may end this between any two lines: then a thread too many is called or started.
        """
        if self.called:
            return
        if self.idle > 0:
            self.idle -= 1
            self.wakes.put(None)
        elif self.threads < self.limit:
            start(self.work, "wellhead_job")
        else:
            return
        self.called = True

    def work(self) -> None:
        with self.lock:
            self.threads += 1
            self.called = False
        try:
            while (job := self.next_job()) is not None:
                job()
                del job  # or it would live until the next one comes
        except BaseException:  # threading shows it; the other jobs get another thread
            with self.lock, suppress(RuntimeError):
                self.threads -= 1
                if self.jobs:
                    self.call()
            raise

    def next_job(self) -> Callable[[], object] | None:
        """Waits for a job, and returns it. Returns `None` if the thread is to end."""
        while True:
            with self.lock:
                if self.jobs:
                    job = self.jobs.popleft()
                    if self.jobs:
                        with suppress(RuntimeError):  # the threads that there are run the others
                            self.call()
                    return job
                if not self.stays:
                    self.threads -= 1
                    return None
                self.idle += 1
                if self.jobs:  # from a collection that came before this thread was idle
                    self.idle -= 1
                    continue
            self.wakes.get()
            with self.lock:
                self.called = False

    def stay_until_main_thread_ends(self) -> None:
        """Keeps threads that have nothing to do. Once the main thread has ended, Python waits for them, so they end."""
        self.stays = True
        with suppress(Exception):  # the child of a fork in a thread that Python did not start: no other can wait for it
            threading.main_thread().join()
        self.end()

    def end(self) -> None:
        """Ends each thread when it has nothing to do. Jobs that come later get new threads."""
        with self.lock:
            self.stays = False
            self.idle = 0
            for _ in range(self.threads):
                self.wakes.put(None)


def start(function: Callable[[], None], name: str) -> None:
    # Without the global interpreter lock, a thread begins in the context of what starts it, such as a request.
    Context().run(threading.Thread(target=function, name=name).start)
