"""The pool that callbacks run in."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from wellhead import _threads
from wellhead._threads import Jobs


def test_threads_that_need_the_pool_at_once_get_the_same_one(monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2)

    class Slow(_threads.Pool):
        def __init__(self, **options: Any) -> None:
            both.wait(30)
            super().__init__(**options)

    monkeypatch.setattr(_threads, "_of_process", {})
    monkeypatch.setattr(_threads, "Pool", Slow)
    pools: list[ThreadPoolExecutor] = []
    threads = [threading.Thread(target=lambda: pools.append(_threads.pool())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pools[0] is pools[1]
    done = threading.Event()
    _threads.submit(done.set)
    assert done.wait(30)
    pools[0].shutdown()


def test_jobs_that_never_end_leave_room_for_other_jobs() -> None:
    with ThreadPoolExecutor(1) as pool:
        jobs = Jobs(pool)
        over = threading.Event()

        def again() -> None:
            if not over.is_set():
                jobs.submit(again)

        jobs.submit(again)
        pool.submit(over.set).result(30)


def test_jobs_that_wait_for_each_other_get_threads_of_their_own() -> None:
    together = threading.Barrier(3)
    with ThreadPoolExecutor(3) as pool:
        jobs = Jobs(pool)
        for _ in range(3):
            jobs.submit(lambda: together.wait(30))
    assert not together.broken


def test_a_job_that_raises_stops_no_other() -> None:
    ran = threading.Event()

    def fails() -> None:
        raise SystemExit

    with ThreadPoolExecutor(1) as pool:
        jobs = Jobs(pool)
        jobs.submit(fails)
        jobs.submit(ran.set)
        assert ran.wait(30)


def test_a_job_without_a_thread_is_refused_and_the_next_one_tries_again() -> None:
    class Scarce(ThreadPoolExecutor):
        threads = 0

        def submit(self, *args: Any, **kwargs: Any) -> "Future[Any]":
            self.threads += 1
            if self.threads == 1:
                raise RuntimeError("can't start new thread")
            return super().submit(*args, **kwargs)

    done: list[int] = []
    with Scarce(1) as pool:
        jobs = Jobs(pool)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            jobs.submit(lambda: done.append(1))
        jobs.submit(lambda: done.append(2))
    assert done == [1, 2]
