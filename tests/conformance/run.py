#!/usr/bin/env python3
"""Runs the official conformance suite on hosts, over Streamable HTTP.

    run.py [--host NAME | --host NAME='COMMAND...']... [--requirements REVISION]... [--one] [--keep DIR]

Without --host every host of hosts.txt is tried, without --requirements every revision; with --one each revision on one host only, in turn. A host prints its URL as its first line, and ends with
SIGTERM. The suite needs a newer Node than we do; both are installed, as pinned in node/, under build/conformance. The exit status is 0 only if
everything passed that a revision requires, and what concerns us of the rest. What is left are extensions and the like that we do not have.
"""

import argparse
import filecmp
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
PINS = HERE / "node"
INSTALLED = ROOT / "build/conformance"
REVISIONS = ["2025-11-25", "2026-07-28"]
# Run by the suite, but not required by it: those of them that a server of resources has to pass all the same, by what they check.
CONCERN_US = {
    "2025-11-25": {"json-schema-2020-12", "server-session-lifecycle", "server-sse-polling"},
    "2026-07-28": {"http-custom-header-server-validation", "http-header-validation", "json-schema-2020-12"},
}
PATIENCE = 300  # seconds for one run of the suite


def main() -> int:
    options = parse_arguments()
    install()
    failed = 0
    every = itertools.product(options.host, options.requirements)
    in_turn = zip(itertools.cycle(options.host), options.requirements, strict=False)
    for host, revision in in_turn if options.one else every:
        with started(options.host[host]) as url:
            passed, lines = check(url, revision, options.keep and options.keep / f"{host}-{revision}")
        print(f"{'ok' if passed else 'not ok'} - {host} / {revision}")
        print("".join(f"#   {line}\n" for line in lines), end="", flush=True)
        failed += not passed
    return 1 if failed else 0


def install() -> None:
    # Node resolves imports next to this link, not next to its target: our own package is there.
    hosts = INSTALLED / "hosts"
    (hosts / "node_modules").mkdir(parents=True, exist_ok=True)
    link(hosts / "node_modules/wellhead", ROOT / "bindings/node")
    link(hosts / "conformance.mjs", HERE / "hosts/conformance.mjs")
    installed = INSTALLED / "installed.json"
    if installed.exists() and filecmp.cmp(PINS / "package-lock.json", installed, shallow=False):
        return
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PINS / name, INSTALLED / name)
    subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=INSTALLED, check=True)
    shutil.copy(PINS / "package-lock.json", installed)  # last: an installation that was cut short starts again


def link(place: Path, target: Path) -> None:
    place.unlink(missing_ok=True)
    place.symlink_to(target)


@contextmanager
def started(command: list[str]) -> Iterator[str]:
    """The URL of a host that runs meanwhile."""
    host = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        assert host.stdout is not None
        url = host.stdout.readline().strip()
        if not url.startswith("http://"):
            sys.exit(f"{shlex.join(command)}: the first line is no URL, but {url!r}")
        yield url
        host.terminate()
        if host.wait(30) != 0:
            sys.exit(f"{shlex.join(command)}: ended with {host.returncode} after SIGTERM")
    finally:
        if host.poll() is None:
            host.kill()
            host.wait()


def check(url: str, revision: str, keep: Path | None) -> tuple[bool, list[str]]:
    """Returns whether everything passed that the revision requires, and what to tell."""
    suite = [INSTALLED / "node_modules/.bin/conformance", "server", "--url", url, "--requirements", revision]
    path = f"{INSTALLED / 'node_modules/.bin'}{os.pathsep}{os.environ['PATH']}"
    output = ["--output-dir", str(keep)] if keep else []
    done = subprocess.run(
        [*suite, *output],
        cwd=INSTALLED,
        env=os.environ | {"PATH": path, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
    )
    summary = done.stdout.rpartition("=== SUMMARY ===")[2]
    scenarios: dict[str, str] = dict(re.findall(r"^[✓✗] ([\w-]+): (.*failed.*)$", summary, re.MULTILINE))
    if not scenarios:
        return False, done.stdout.splitlines()[-20:]
    optional: dict[str, str] = dict(re.findall(r"^  [✓✗] ([\w-]+) \((.*)\)$", summary, re.MULTILINE))
    failing = {name for name, counts in scenarios.items() if not counts.endswith(" 0 failed")}
    # One that was skipped, or had nothing to say but remarks, counts as without failures.
    unshown = {name for name in CONCERN_US[revision] if scenarios.get(name, "0 passed").startswith("0 passed")}
    passed = done.returncode == 0 and not unshown and not failing - (optional.keys() - CONCERN_US[revision])
    told = [f"{name}: {scenarios[name]} ({optional.get(name, 'required')})" for name in sorted(failing)]
    told += [f"{name}: {scenarios.get(name, 'did not run')} (nothing was shown)" for name in sorted(unshown - failing)]
    return passed, [f"{len(scenarios)} scenarios, of which {len(scenarios) - len(failing)} passed", *told]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("--host", action="append", default=[], help="a name in hosts.txt, or NAME=COMMAND")
    parser.add_argument("--requirements", action="append", choices=REVISIONS, default=[])
    parser.add_argument("--one", action="store_true", help="each revision on one host only")
    parser.add_argument("--keep", type=Path, help="a folder for the suite's own results")
    options = parser.parse_args()
    known = dict(line.split(" = ") for line in (HERE / "hosts.txt").read_text().splitlines() if not line.startswith("#"))
    hosts = {}
    for host in options.host or known:
        name, given, command = host.partition("=")
        if not given and name not in known:
            parser.error(f"hosts.txt names no host {name!r}; give its command as --host {name}='COMMAND'")
        words = shlex.split(command if given else known[name])
        hosts[name] = [word.replace("{root}", str(ROOT)).replace("{target}", str(TARGET)) for word in words]
    options.host, options.requirements = hosts, options.requirements or REVISIONS
    options.keep = options.keep and options.keep.resolve()
    return options


if __name__ == "__main__":
    sys.exit(main())
