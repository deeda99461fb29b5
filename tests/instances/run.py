#!/usr/bin/env python3
"""Two instances of one application behind nginx, with Redis between them, as the official clients of both generations see them.

    run.py [--pair KIND,KIND]... [--client CLIENT]...

The application is bindings/python/examples/instances, in Python and, beside that, in Node. What is needed of Debian's packages is installed by
apt where that may be done, and named otherwise; what is needed of Python's goes into build/python. Everything runs in a folder under
build/instances, which stays if something failed. The exit status is 0 only if every step passed.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CLIENTS = ROOT / "tests/clients"
BUILD = ROOT / "build/instances"
PAIRS = ["python,python", "python,node"]
DRIVERS = {"python-1": "handshake.py", "python-2": "stateless.py"}
PROGRAMS = {"redis-server": "redis-server", "redis-cli": "redis-tools", "nginx": "nginx"}  # and their packages
LIMIT = 300.0  # seconds for one driver, which gives each of its waits 20
LOG_LINES = 15
COLUMNS = (15, 10, 34)


@dataclass(frozen=True)
class Row:
    """What one step of one client gave with one pair."""

    pair: str
    client: str
    step: str
    ok: bool
    detail: str


def main() -> int:
    options = parse_arguments()
    install()
    passed = failed = 0
    print("Two instances behind nginx, with Redis between them, and official clients:")
    for name, version in versions(options.client).items():
        print(f"  {name:<{COLUMNS[0]}}{version}")
    print(f"\n{cells('instances', 'client', 'step')}result")
    BUILD.mkdir(parents=True, exist_ok=True)
    for pair in options.pair:
        for client in options.client:
            print("-" * 100)
            folder = Path(tempfile.mkdtemp(prefix="run-", dir=BUILD))
            rows: list[Row] = []
            for row in drive(pair, client, folder):
                show(row, first=not rows)
                rows.append(row)
            passed += sum(row.ok for row in rows)
            if all(row.ok for row in rows):
                shutil.rmtree(folder)
            else:
                failed += sum(not row.ok for row in rows)
                tell_logs(folder)
    print("-" * 100)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


def drive(pair: str, client: str, folder: Path) -> Iterator[Row]:
    """The rows of one driver as they come; a step that it names and does not reach is a failed row."""
    python = ROOT / f"build/clients/{client}/bin/python"
    with (folder / "client.log").open("w") as log:
        driver = subprocess.Popen(
            [python, HERE / DRIVERS[client], folder, *pair.split(",")],
            env=os.environ | {"PYTHONPATH": str(CLIENTS / "python")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        )
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
                yield Row(pair, client, message["step"], message["ok"], message["detail"])
        code = driver.wait()
    finally:  # also when interrupted
        limit.cancel()
        if driver.poll() is None:
            os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()
    for step in waiting:
        yield Row(pair, client, step, False, "not reached")
    if code != 0:
        yield Row(pair, client, "driver", False, f"ended with {code}")


def show(row: Row, *, first: bool) -> None:
    verdict = "ok" if row.ok else "FAILED"
    detail, *rest = textwrap.wrap(f"{verdict} {row.detail}", 100 - sum(COLUMNS), break_long_words=False)
    print(cells(row.pair if first else "", row.client if first else "", row.step) + detail)
    for line in rest:
        print(" " * (sum(COLUMNS) + 3) + line)
    sys.stdout.flush()


def cells(*words: str) -> str:
    return "".join(f"{word:<{width}}" for word, width in zip(words, COLUMNS, strict=True))


def tell_logs(folder: Path) -> None:
    for log in sorted(folder.glob("*.log")):
        print(f"  | {log.relative_to(ROOT)}:")
        for line in log.read_text(errors="replace").splitlines()[-LOG_LINES:]:
            print(f"  |   {line}")


def versions(clients: list[str]) -> dict[str, str]:
    redis = subprocess.run(["redis-server", "--version"], check=True, capture_output=True, text=True).stdout
    nginx = subprocess.run(["nginx", "-v"], check=True, capture_output=True, text=True).stderr
    told = {"redis": redis.split()[2].removeprefix("v="), "nginx": nginx.strip().rpartition("/")[2]}
    for client in clients:
        pins = (CLIENTS / f"python/requirements-{client[-1]}.txt").read_text().split()
        told[client] = next(pin for pin in pins if pin.startswith("mcp==")).replace("==", " ")
    return told


def install() -> None:
    os.environ["PATH"] += f"{os.pathsep}/usr/sbin"  # where Debian has nginx
    missing = sorted({package for program, package in PROGRAMS.items() if shutil.which(program) is None})
    if missing:
        command = ["apt-get", "install", "-y", "-q", "-o", "DPkg::Lock::Timeout=300", "--no-install-recommends", *missing]
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            sys.exit(f"missing: {', '.join(missing)}; run `sudo {' '.join(command)}`")
        if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
            subprocess.run(["apt-get", "update", "-q"], stdout=subprocess.DEVNULL, check=True)
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    pip = [str(ROOT / "build/python/bin/pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--requirement", str(ROOT / "bindings/python/examples/instances/requirements.txt")], check=True)
    subprocess.run([CLIENTS / "setup.sh"], check=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("--pair", action="append", help="two kinds of instances, such as python,node")
    parser.add_argument("--client", action="append", choices=list(DRIVERS))
    options = parser.parse_args()
    options.pair, options.client = options.pair or PAIRS, options.client or list(DRIVERS)
    return options


if __name__ == "__main__":
    sys.exit(main())
