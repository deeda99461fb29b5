#!/usr/bin/env python3
"""Two instances of one application behind nginx, with Redis between them, as the official clients of both generations see them.

    run.py [--pair KIND,KIND]... [--client CLIENT]...

The application is bindings/python/examples/instances, in Python, and its twin in Node. Packages of Debian that it needs are installed by apt
if that is allowed, and named otherwise; packages of Python go into build/python. Everything runs in a folder under
build/instances, which stays if something failed. The exit status is 0 only if every step passed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CLIENTS = ROOT / "tests/clients"
sys.path += [str(CLIENTS), str(ROOT / "tests")]

from driver import Verdict, drive  # noqa: E402
from programs import need  # noqa: E402

BUILD = ROOT / "build/instances"
PAIRS = ["python,python", "python,node"]
DRIVERS = {"python-1": "handshake.py", "python-2": "stateless.py"}
PROGRAMS = {"redis-server": "redis-server", "redis-cli": "redis-tools", "nginx": "nginx"}  # and their packages
LOG_LINES = 15
COLUMNS = (15, 10, 34)


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
            named = (pair, client)
            verdicts = []
            for verdict in verdicts_of(pair, client, folder):
                show(*named, verdict)
                named = ("", "")
                verdicts.append(verdict)
            passed += sum(verdict.ok for verdict in verdicts)
            if all(verdict.ok for verdict in verdicts):
                shutil.rmtree(folder)
            else:
                failed += sum(not verdict.ok for verdict in verdicts)
                tell_logs(folder)
    print("-" * 100)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


def verdicts_of(pair: str, client: str, folder: Path) -> Iterator[Verdict]:
    python = ROOT / f"build/clients/{client}/bin/python"
    environment = os.environ | {"PYTHONPATH": str(CLIENTS / "python")}
    with (folder / "client.log").open("w") as log:
        yield from drive([python, HERE / DRIVERS[client], folder, *pair.split(",")], log, environment)


def show(pair: str, client: str, verdict: Verdict) -> None:
    word = "ok" if verdict.ok else "FAILED"
    detail, *rest = textwrap.wrap(f"{word} {verdict.detail}", 100 - sum(COLUMNS), break_long_words=False)
    print(cells(pair, client, verdict.step) + detail)
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
    need(PROGRAMS)
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
