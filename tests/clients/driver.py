"""Runs a program that drives a host with one client, and prints what each step gave: one JSON object a line, first the names of all steps."""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

LIMIT = 300.0  # seconds for one driver, which gives each of its waits 20

_running: set[subprocess.Popen[str]] = set()


@dataclass(frozen=True)
class Verdict:
    """The outcome of one step."""

    step: str
    ok: bool
    detail: str


def drive(command: list[str | Path], stderr: IO[str], environment: dict[str, str] | None = None) -> Iterator[Verdict]:
    """The verdicts of one driver as they come; a step that it names and does not reach has failed."""
    driver = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )
    _running.add(driver)
    limit = threading.Timer(LIMIT, os.killpg, (driver.pid, signal.SIGKILL))
    limit.start()
    waiting: list[str] = []
    try:
        for line in driver.stdout or []:
            message = json.loads(line)
            if "steps" in message:
                waiting = message["steps"]
            else:
                waiting.remove(message["step"])
                yield Verdict(message["step"], message["ok"], message["detail"])
        code = driver.wait()
    finally:  # also when interrupted
        limit.cancel()
        _running.discard(driver)
        if driver.poll() is None:
            os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()
    for step in waiting:
        yield Verdict(step, False, "not reached")
    if code != 0:
        yield Verdict("driver", False, f"the driver ended with {code}")


def kill_all() -> None:
    """Ends the drivers of all threads, and the hosts that they have started."""
    for driver in list(_running):
        os.killpg(driver.pid, signal.SIGKILL)
