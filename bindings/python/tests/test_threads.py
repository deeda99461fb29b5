"""The pool that callbacks run in."""

import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import pytest
from wellhead import _threads
from wellhead._threads import Pool


def test_threads_that_need_the_pool_at_once_get_the_same_one(monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2)

    class Slow(Pool):
        def __init__(self, limit: int) -> None:
            both.wait(30)
            super().__init__(limit)

    monkeypatch.setattr(_threads, "_of_process", {})
    monkeypatch.setattr(_threads, "Pool", Slow)
    pools: list[Pool] = []
    threads = [threading.Thread(target=lambda: pools.append(_threads.pool())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pools[0] is pools[1]
    done = threading.Event()
    _threads.submit(done.set)
    assert done.wait(30)
    pools[0].end()


def test_a_job_that_submits_itself_again_leaves_room_for_other_jobs() -> None:
    pool = Pool(1)
    over = threading.Event()

    def submit_itself() -> None:
        if not over.is_set():
            pool.submit(submit_itself)

    pool.submit(submit_itself)
    pool.submit(over.set)
    assert over.wait(30)


def test_jobs_that_wait_for_each_other_get_threads_of_their_own() -> None:
    pool = Pool(3)
    pool.stays = True
    for _ in range(5_000):
        together = threading.Barrier(4)
        for _ in range(3):
            pool.submit(lambda together=together: together.wait(30))  # type: ignore[misc]
        together.wait(30)
    assert pool.threads <= 3
    pool.end()


def test_the_pool_runs_at_most_as_many_jobs_at_once_as_its_limit() -> None:
    pool = Pool(2)
    pool.stays = True
    running: list[int] = []
    most: list[int] = []
    lock, left = threading.Lock(), threading.Semaphore(0)

    def job() -> None:
        with lock:
            running.append(1)
            most.append(len(running))
        with lock:
            running.pop()
        left.release()

    for _ in range(1_000):
        pool.submit(job)
    for _ in range(1_000):
        assert left.acquire(timeout=30)
    assert max(most) <= 2
    assert pool.threads <= 2
    pool.end()


def test_jobs_run_in_the_order_in_which_they_come() -> None:
    pool, held, order, over = Pool(1), threading.Event(), list[int](), threading.Event()
    pool.submit(lambda: held.wait(30))
    for n in range(100):
        pool.submit(lambda n=n: order.append(n))  # type: ignore[misc]
    pool.submit(over.set)
    held.set()
    assert over.wait(30)
    assert order == list(range(100))


def test_an_exception_of_a_job_is_shown_and_other_jobs_run(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: SimpleQueue[Any] = SimpleQueue()
    monkeypatch.setattr(threading, "excepthook", lambda args: shown.put(args.exc_value))
    pool, held, ran = Pool(1), threading.Event(), threading.Event()

    def fails() -> None:
        held.wait(30)
        raise ValueError("a fault")

    pool.submit(fails)
    pool.submit(ran.set)
    held.set()
    assert ran.wait(30)
    assert str(shown.get(timeout=30)) == "a fault"  # the thread of the other job need not wait for it


def scarce(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    """Lets a process start that many threads."""
    started: list[str] = []

    def start(function: Callable[[], None], name: str, really: Any = _threads.start) -> None:
        started.append(name)
        if len(started) > threads:
            raise RuntimeError("can't start new thread")
        really(function, name)

    monkeypatch.setattr(_threads, "start", start)


def test_a_job_without_a_thread_is_refused_and_never_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    pool, over = Pool(1), threading.Event()
    with monkeypatch.context() as without:
        scarce(without, 0)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            pool.submit(lambda: done.append(1))
    pool.submit(lambda: done.append(2))
    pool.submit(over.set)
    assert over.wait(30)
    assert done == [2]


def test_a_job_waits_for_the_only_thread_that_can_start(monkeypatch: pytest.MonkeyPatch) -> None:
    scarce(monkeypatch, 1)
    pool, held, begun, over = Pool(3), threading.Event(), threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        held.wait(30)

    pool.submit(hold)
    assert begun.wait(30)
    pool.submit(over.set)
    held.set()
    assert over.wait(30)


def test_a_job_may_come_from_a_finalizer_while_the_pool_is_at_work() -> None:
    pool, both = Pool(1), threading.Semaphore(0)

    class Collecting(deque[Callable[[], object]]):
        def append(self, job: Callable[[], object]) -> None:
            super().append(job)
            if len(self) == 1:
                pool.submit(both.release)

    pool.jobs = Collecting()
    pool.submit(both.release)
    assert both.acquire(timeout=30) and both.acquire(timeout=30)


def test_a_pool_that_ended_runs_later_jobs_in_new_threads() -> None:
    pool = Pool(2)
    pool.stays = True
    first = threading.Event()
    pool.submit(first.set)
    assert first.wait(30)
    pool.end()
    for _ in range(100):
        done = threading.Event()
        pool.submit(done.set)
        assert done.wait(30)


def test_a_call_has_a_future() -> None:
    assert _threads.submit_call(divmod, 7, 2).result(30) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        _threads.submit_call(divmod, 7, 0).result(30)


def test_a_call_that_is_cancelled_before_it_begins_never_runs() -> None:
    ran: list[int] = []
    held = threading.Event()
    holding = [_threads.submit_call(held.wait, 30) for _ in range(_threads.LIMIT)]
    call = _threads.submit_call(ran.append, 1)
    assert call.cancel()
    held.set()
    assert all(future.result(30) for future in holding)
    _threads.submit_call(lambda: None).result(30)
    assert ran == []


PROGRAM = """
import threading, wellhead
from wellhead import _threads

server = wellhead.Server("s", "1")

@server.resource("n:{x}", thread=True)
def read(x: str) -> str:
    return x

with server.test_client() as client:
    assert client.read("n:1") == "1"
"""


@pytest.mark.parametrize(
    ("more", "printed"),
    [
        ("", b""),
        ("_threads.submit(lambda: print('a job that came before the end'))", b"a job that came before the end\n"),
        (
            """
def outlive() -> None:
    threading.main_thread().join()
    try:
        threading.Thread(target=int).start()
    except RuntimeError:  # Python 3.12.1 starts no thread once the main thread has ended
        print(2)
    else:
        with server.test_client() as client:
            print(client.read("n:2"))

threading.Thread(target=outlive).start()
""",
            b"2\n",
        ),
    ],
    ids=["idle", "waiting", "later"],
)
def test_a_program_ends_after_its_jobs(more: str, printed: bytes) -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM + more], capture_output=True, timeout=60, check=True)
    assert (ended.stdout, ended.stderr) == (printed, b"")
