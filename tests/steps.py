"""Runs make targets, goes on after a failure, and says at the end what passed.

    tests/steps.py TARGET... [-- TARGET...]...

Targets run one after the other; what `--` parts runs side by side where there is more than one CPU, so nothing may stand on both sides that writes
the same files. What a target writes is shown whole once it has ended, and the reasons of failures once more below the summary, where a log that was cut
still has them. A target that has not ended after LIMIT is ended, with a list of what still ran, so that one test that hangs does not take the results of
all others with it.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from threading import Event, Lock
from typing import NamedTuple

SEPARATOR = "--"
LIMIT = float(os.environ.get("STEP_LIMIT", 2400))
"""Seconds that a target may take: three times what the longest one takes from nothing on two processors."""


FAULT = re.compile(r"panicked at|^failures:|^error|^FAIL|^E  |\bFAILED\b|^not ok|✖|Traceback|Error:|No space left")
"""Lines by which cargo, pytest, node, cc and our own runners say what failed. `ok   name` of a runner has none of these words."""
FAULT_LINES = 12
"""Lines shown from each that matches."""
FAULT_LINES_MAX = 120
"""Lines shown of one target, its last ones among them."""


class Result(NamedTuple):
    target: str
    status: int
    seconds: float
    faults: list[str]


def main(words: list[str]) -> int:
    lanes = [list(lane) for separator, lane in groupby(words, SEPARATOR.__eq__) if not separator]
    start = time.monotonic()
    printing = Lock()
    interrupted = Event()
    running: set[int] = set()

    def run_lane(lane: list[str]) -> list[Result]:
        return [run(target, printing, running) for target in lane if not interrupted.is_set()]

    with ThreadPoolExecutor(min(len(lanes), os.cpu_count() or 1)) as pool:
        try:
            results = [result for lane in pool.map(run_lane, lanes) for result in lane]
        except KeyboardInterrupt:
            interrupted.set()
            for group in list(running):  # the interrupt reaches our own group only
                os.killpg(group, signal.SIGTERM)
            raise
    print(f"\n=== summary, after {time.monotonic() - start:.0f} s")
    for result in results:
        print(f"{'ok  ' if result.status == 0 else 'FAIL'} {result.target:<18} {result.seconds:6.0f} s")
    for result in results:
        if result.status != 0:
            print(f"--- why {result.target} failed, status {result.status}", *result.faults, sep="\n")
    failed = sum(result.status != 0 for result in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


def run(target: str, printing: Lock, running: set[int]) -> Result:
    with printing:
        print(f"=== make {target}: begins", flush=True)
    start = time.monotonic()
    # A file, which needs no end: what a test leaves behind may hold a pipe open for ever.
    with tempfile.TemporaryFile() as output:
        command = subprocess.Popen(
            ["make", target], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        running.add(command.pid)
        try:
            status = command.wait(LIMIT)
        except subprocess.TimeoutExpired:
            threads = ["ps", "-L", "-s", str(command.pid), "-o", "pid,ppid,tid,stat,etime,time,wchan:24,args"]
            output.write(f"\n{target} did not end within {LIMIT:.0f} s. What still runs:\n".encode())
            output.flush()
            subprocess.run(threads, check=False, stdout=output)
            os.killpg(command.pid, signal.SIGKILL)
            status = command.wait()
        running.discard(command.pid)
        output.seek(0)
        said = output.read()
    seconds = time.monotonic() - start
    with printing:
        print(f"\n=== make {target}: {'passed' if status == 0 else 'FAILED'} after {seconds:.0f} s", flush=True)
        sys.stdout.buffer.write(said)
        sys.stdout.flush()
    return Result(target, status, seconds, [] if status == 0 else find_faults(said.decode(errors="replace")))


def find_faults(said: str) -> list[str]:
    """The lines of an output that say what failed, in their order, and its last lines."""
    lines = said.splitlines()
    wanted = set(range(max(0, len(lines) - FAULT_LINES), len(lines)))
    for number, line in enumerate(lines):
        if len(wanted) >= FAULT_LINES_MAX:
            break
        if FAULT.search(line):
            wanted.update(range(number, min(number + FAULT_LINES, len(lines))))
    return [lines[number][:400] for number in sorted(wanted)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
