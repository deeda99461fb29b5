#!/usr/bin/env python3
"""Drives hosts over stdio and HTTP with the official MCP clients and tells what each step gave.

    run.py [--demo] [--jobs N] [--client CLIENT]... [--host NAME | --host NAME='COMMAND...']...

Without --host every host of hosts.txt is driven (with --demo, those that are no `wide-` ones), without --client every client in Python and
TypeScript.
As many pairs of a host and a client as there are processors, or N, are driven side by side. README.md says what a host does. The exit status is
0 only if every step passed.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import driver
from breaking import Breaking
from driver import Verdict

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "clients"
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
HOSTS = HERE / "hosts.txt"
CLIENTS = {
    "python-1": [str(BUILD / "python-1/bin/python"), str(HERE / "python/v1.py")],
    "python-2": [str(BUILD / "python-2/bin/python"), str(HERE / "python/v2.py")],
    "typescript-1": ["node", "--preserve-symlinks-main", "--preserve-symlinks", str(BUILD / "typescript/v1.mjs")],
    "typescript-2": ["node", "--preserve-symlinks-main", "--preserve-symlinks", str(BUILD / "typescript/v2.mjs")],
}
# Only if asked for, since another compiler has to be there.
GO_CLIENTS = {"go-1": [str(BUILD / "go-driver"), "2025-11-25"], "go-2": [str(BUILD / "go-driver"), "2026-07-28"]}
JAVA_CLIENTS = {f"java-{sdk}": ["java", "-cp", f"{BUILD}/java-{sdk}/target/classes:{BUILD}/java-{sdk}/libraries/*", "Driver"] for sdk in (1, 2)}
RMCP_CLIENTS = {"rmcp-1": [str(BUILD / "rmcp-driver"), "2025-11-25"], "rmcp-2": [str(BUILD / "rmcp-driver"), "2026-07-28"]}
# Hosts that are driven in a way of their own: what serves a folder is started as COMMAND FOLDER.
KINDS = {"wellhead": "folder", "http-wellhead": "folder", "http-axum": "axum", "http-clock": "clock"}
# How names of hosts begin that offer everything a client can ask for; they are started as COMMAND.
WIDE = "wide-"
HTTP = "http-"  # over HTTP, and unless it is named above the same
EXAMPLES = ("axum", "clock")
# What the clients that are asked for drive, and what builds them.
FURTHER = {
    "go": (GO_CLIENTS, ("http", "wide", *EXAMPLES)),
    "java": (JAVA_CLIENTS, ("http", "wide")),
    "rmcp": (RMCP_CLIENTS, ("http", "wide")),
}
FURTHER_CLIENTS = GO_CLIENTS | JAVA_CLIENTS | RMCP_CLIENTS
STDERR_LINES = 15


@dataclass(frozen=True)
class Outcome:
    """The outcome of one client with one host."""

    host: str
    client: str
    verdicts: list[Verdict]
    said: list[str]  # the last lines of their standard error


def main() -> int:
    options = parse_arguments(__doc__)
    subprocess.run([HERE / "setup.sh"], check=True)
    for folder, (clients, _) in FURTHER.items():
        if clients.keys() & set(options.client):
            subprocess.run([HERE / folder / "setup.sh"], check=True)
    printer: Tap | Table = Table(options.host) if options.demo else Tap()
    passed = failed = 0
    for outcome in outcomes(options):
        printer.show(outcome)
        passed += sum(verdict.ok for verdict in outcome.verdicts)
        failed += sum(not verdict.ok for verdict in outcome.verdicts)
    printer.end(passed, failed)
    return 0 if passed and not failed else 1


def outcomes(options: argparse.Namespace) -> Iterator[Outcome]:
    """Those of all pairs in their order, several of which are driven at a time."""
    with ThreadPoolExecutor(options.jobs) as pool:
        pairs = [(host, command, client) for host, command in options.host.items() for client in clients_of(host, options.client)]
        coming = [pool.submit(outcome, *pair) for pair in pairs]
        try:
            for each in coming:
                yield each.result()
        except BaseException:  # also when interrupted
            pool.shutdown(wait=False, cancel_futures=True)
            driver.kill_all()
            raise


def outcome(host: str, command: list[str], client: str) -> Outcome:
    with tempfile.TemporaryFile("w+", errors="replace") as stderr:
        verdicts = list(drive(host, command, client, stderr))
        stderr.seek(0)
        return Outcome(host, client, verdicts, stderr.read().splitlines()[-STDERR_LINES:])


def drive(host: str, command: list[str], client: str, stderr: IO[str]) -> Iterator[Verdict]:
    if shutil.which(command[0]) is None:
        yield Verdict("start", False, f"there is no program {command[0]}, build the host first")
        return
    with tempfile.TemporaryDirectory(prefix="notes-") as scratch, ExitStack() as hosts:
        place, record, breaking = Path(scratch, "place"), Path(scratch, "record"), Path(scratch, "breaking")
        kind = kind_of(host)
        if kind == "folder":
            make_folder(place)
        elif kind == "notes":
            os.mkfifo(place)
        started = [*command, str(place)] if kind in ("notes", "folder") else command
        if is_http(host):
            service = hosts.enter_context(Service(started, breaking, stderr))
            reached = [service.url]
        else:
            reached = [sys.executable, str(HERE / "witness.py"), str(record), *started]
        program = (CLIENTS | FURTHER_CLIENTS)[client]
        yield from driver.drive([*program, kind, str(breaking if kind == "http" else place), str(record), *reached], stderr)
        if is_http(host):
            ending = signal.SIGINT if kind == "axum" else signal.SIGTERM
            ended = service.end(ending)
            yield Verdict(ending.name, ended == 0, f"exit status {ended}")


def make_folder(path: Path) -> None:
    """The files that the steps expect, and outside of the folder those that they must not reach."""
    (path / "sub").mkdir(parents=True)
    (path / "a.md").write_text("# A\n")
    (path / "b.bin").write_bytes(b"\x00\xff")
    (path / "sub/c.txt").write_text("c\n")
    (path / ".hidden").write_text("hidden\n")
    (path.parent / "outside.txt").write_text("outside\n")
    (path / "link").symlink_to("../outside.txt")


class Service:
    """A host over HTTP, and what breaks the connections to it."""

    def __init__(self, command: list[str], commands: Path, stderr: IO[str]) -> None:
        self._host = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        found, self._handing_on = first_url(self._host, stderr)
        url = urlsplit(found)
        self._breaking = Breaking((str(url.hostname), url.port or 80), commands)
        self.url = url._replace(netloc=self._breaking.address, path=url.path or "/mcp").geturl()

    def __enter__(self) -> "Service":
        return self

    def __exit__(self, *_: object) -> None:
        self._breaking.close()
        if self._host.poll() is None:
            self._host.kill()
            self._host.wait()
        self._handing_on.join()

    def end(self, ending: signal.Signals) -> int | None:
        """How the host ends when it is asked to; none: it had to be killed."""
        self._host.send_signal(ending)
        try:
            return self._host.wait(30)
        except subprocess.TimeoutExpired:
            return None


def first_url(process: subprocess.Popen[str], rest: IO[str]) -> tuple[str, threading.Thread]:
    """The first URL that a process tells, and who hands on what else it says until it has ended."""
    assert process.stdout is not None
    for line in process.stdout:
        if url := re.search(r"http://\S+", line):
            handing_on = threading.Thread(target=shutil.copyfileobj, args=(process.stdout, rest), daemon=True)
            handing_on.start()
            return url[0], handing_on
        rest.write(line)
    raise AssertionError(f"{process.args} ended without a URL")


class Tap:
    """One line a step, in the Test Anything Protocol."""

    def __init__(self) -> None:
        self._count = 0

    def show(self, outcome: Outcome) -> None:
        for verdict in outcome.verdicts:
            self._count += 1
            word = "ok" if verdict.ok else "not ok"
            print(f"{word} {self._count} - {outcome.host} / {outcome.client} / {verdict.step}: {verdict.detail}")
        if not all(verdict.ok for verdict in outcome.verdicts):
            for line in outcome.said:
                print(f"# {line}")
        sys.stdout.flush()

    def end(self, passed: int, failed: int) -> None:
        print(f"1..{self._count}")
        print(f"# {passed} passed, {failed} failed", flush=True)


class Table:
    """One table for people: a block for each host and client, in at most 100 columns."""

    def __init__(self, hosts: dict[str, list[str]]) -> None:
        self._width = min(100, shutil.get_terminal_size((100, 24)).columns)
        self._columns = [max(map(len, ["host", *hosts])) + 2, max(map(len, ["client", *CLIENTS])) + 2, len("watch it no longer") + 2]
        self._colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        print("The notes application in each language and `wellhead serve`, driven over stdio by the official MCP clients:")
        for client, version in client_versions().items():
            print(f"  {client:<{self._columns[1]}}{version}")
        print()
        print(self._paint("1", self._cells("host", "client", "step") + "result"), flush=True)

    def show(self, outcome: Outcome) -> None:
        print("-" * self._width)
        named = (outcome.host, outcome.client)
        for verdict in outcome.verdicts:
            self._row(*named, verdict)
            named = ("", "")
        if not all(verdict.ok for verdict in outcome.verdicts):
            for line in outcome.said:
                print(self._paint("2", f"  | {line}"))
        sys.stdout.flush()

    def end(self, passed: int, failed: int) -> None:
        print("-" * self._width)
        print(self._paint("1;31" if failed else "1;32", f"{passed} passed, {failed} failed"), flush=True)

    def _row(self, host: str, client: str, verdict: Verdict) -> None:
        start = sum(self._columns)
        word = self._paint("32", "ok") if verdict.ok else self._paint("1;31", "FAILED")
        room = max(20, self._width - start - (3 if verdict.ok else 7))
        first, *rest = textwrap.wrap(verdict.detail, room) or [""]
        print(f"{self._cells(host, client, verdict.step)}{word} {first}")
        for line in rest:
            print(" " * (self._width - room) + line)

    def _cells(self, *cells: str) -> str:
        return "".join(f"{cell:<{width}}" for cell, width in zip(cells, self._columns, strict=True))

    def _paint(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self._colours else text


def client_versions() -> dict[str, str]:
    versions = {}
    for name, era in {"python-1": "with a handshake", "python-2": "without"}.items():
        requirements = dict(line.split("==") for line in (HERE / f"python/requirements-{name[-1]}.txt").read_text().split())
        versions[name] = f"mcp {requirements['mcp']}, {era}"
    dependencies = json.loads((HERE / "typescript/package.json").read_text())["dependencies"]
    packages = {"typescript-1": ("@modelcontextprotocol/sdk", "with a handshake"), "typescript-2": ("@modelcontextprotocol/client", "without")}
    return versions | {name: f"{package} {dependencies[package]}, {era}" for name, (package, era) in packages.items()}


def parse_arguments(usage: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("--host", action="append", default=[], help="a name in hosts.txt, or NAME=COMMAND")
    parser.add_argument("--client", action="append", choices=[*CLIENTS, *FURTHER_CLIENTS], default=[])
    parser.add_argument("--demo", action="store_true", help="one table for people instead of test lines")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many pairs of a host and a client at a time")
    options = parser.parse_args()
    if options.jobs < 1:
        parser.error("--jobs is 1 or more")
    known = read_hosts()
    hosts = {}
    for host in options.host or [name for name in known if not options.demo or (kind_of(name) in ("notes", "folder") and not is_http(name))]:
        name, given, command = host.partition("=")
        if not given and name not in known:
            parser.error(f"{HOSTS.name} names no host {name!r}; give its command as --host {name}='COMMAND'")
        hosts[name.strip()] = split(command) if given else known[name]
    if not all(hosts.values()) or not hosts:
        parser.error(f"no host to drive: list them in {HOSTS.name} or give --host NAME='COMMAND'")
    options.host, options.client = hosts, options.client or list(CLIENTS)
    return options


def kind_of(host: str) -> str:
    return KINDS.get(host) or ("http" if is_http(host) else "wide" if host.startswith(WIDE) else "notes")


def is_http(host: str) -> bool:
    return host.startswith(HTTP)


def clients_of(host: str, clients: list[str]) -> list[str]:
    kind = kind_of(host)
    kinds = {client: kinds for further, kinds in FURTHER.values() for client in further}
    return [client for client in clients if kind in kinds.get(client, (kind,))]


def read_hosts() -> dict[str, list[str]]:
    lines = [line for line in HOSTS.read_text().splitlines() if line.strip() and not line.startswith("#")]
    named = [line.partition("=") for line in lines]
    return {name.strip(): split(command) for name, _, command in named}


def split(command: str) -> list[str]:
    return [word.replace("{root}", str(ROOT)).replace("{target}", str(TARGET)) for word in shlex.split(command)]


if __name__ == "__main__":
    sys.exit(main())
