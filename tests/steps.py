"""Runs make targets, goes on after a failure, and says at the end what passed.

    tests/steps.py TARGET... [-- TARGET...]...

Targets run one after the other; what `--` parts runs side by side where there is more than one CPU, so nothing may stand on both sides that writes
the same files. What a target writes is shown whole once it has ended.
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from threading import Event, Lock
from typing import NamedTuple

SEPARATOR = "--"


class Result(NamedTuple):
    target: str
    status: int
    seconds: float


def main(words: list[str]) -> int:
    lanes = [list(lane) for separator, lane in groupby(words, SEPARATOR.__eq__) if not separator]
    start = time.monotonic()
    printing = Lock()
    interrupted = Event()

    def run_lane(lane: list[str]) -> list[Result]:
        return [run(target, printing) for target in lane if not interrupted.is_set()]

    with ThreadPoolExecutor(min(len(lanes), os.cpu_count() or 1)) as pool:
        try:
            results = [result for lane in pool.map(run_lane, lanes) for result in lane]
        except KeyboardInterrupt:
            interrupted.set()
            raise
    print(f"\n=== summary, after {time.monotonic() - start:.0f} s")
    for target, status, seconds in results:
        print(f"{'ok  ' if status == 0 else 'FAIL'} {target:<18} {seconds:6.0f} s")
    failed = sum(result.status != 0 for result in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


def run(target: str, printing: Lock) -> Result:
    with printing:
        print(f"=== make {target}: begins", flush=True)
    start = time.monotonic()
    done = subprocess.run(["make", target], check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    seconds = time.monotonic() - start
    with printing:
        print(f"\n=== make {target}: {'passed' if done.returncode == 0 else 'FAILED'} after {seconds:.0f} s", flush=True)
        sys.stdout.buffer.write(done.stdout)
        sys.stdout.flush()
    return Result(target, done.returncode, seconds)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
