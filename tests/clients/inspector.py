#!/usr/bin/env python3
"""Lets the command line of the MCP Inspector list and read from each host of hosts.txt.

    inspector.py [--host NAME | --host NAME='COMMAND...']...

The Inspector needs a newer Node than we do; both are installed, as pinned in inspector/, under build/clients/inspector.
"""

import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from run import BUILD, FOLDER, HERE, parse_arguments

PINS = HERE / "inspector"
INSTALLED = BUILD / "inspector"
PATIENCE = 60  # seconds for one command, which starts Node, the host, and ends both


def main() -> int:
    options = parse_arguments(__doc__)
    install()
    failed = 0
    for host, command in options.host.items():
        if host == FOLDER:
            continue  # the steps here are those for notes
        with tempfile.TemporaryDirectory(prefix="notes-") as scratch:
            fifo = Path(scratch, "fifo")
            os.mkfifo(fifo)
            descriptor = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)  # nobody waits for the other end
            for step, (method, extra, check) in STEPS.items():
                try:
                    detail = check(ask([*command, str(fifo)], method, extra))
                    print(f"ok - {host} / inspector / {step}: {detail}", flush=True)
                except Exception as error:  # a failed step is a line of the result, whatever went wrong
                    failed += 1
                    print(f"not ok - {host} / inspector / {step}: {error!r}", flush=True)
            os.close(descriptor)
    return 1 if failed else 0


def install() -> None:
    INSTALLED.mkdir(parents=True, exist_ok=True)
    installed = INSTALLED / "installed.json"
    if installed.exists() and filecmp.cmp(PINS / "package-lock.json", installed, shallow=False):
        return
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PINS / name, INSTALLED / name)
    subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=INSTALLED, check=True)
    shutil.copy(PINS / "package-lock.json", installed)  # last: an installation that was cut short starts again


def ask(command: list[str], method: str, extra: list[str]) -> dict[str, list[dict[str, object]]]:
    inspector = [INSTALLED / "node_modules/.bin/mcp-inspector", "--cli", "--method", method, *extra, "--", *command]
    path = f"{INSTALLED / 'node_modules/.bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(inspector, env=os.environ | {"PATH": path, "HOME": str(INSTALLED)}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode:
        raise AssertionError(f"status {done.returncode}: {done.stderr.strip()[-400:]}")
    return json.loads(done.stdout)


def listed(answer: dict[str, list[dict[str, object]]]) -> str:
    uris = [resource["uri"] for resource in answer["resources"]]
    wanted = ["notes://about", "notes://logo", "notes://slow", *(f"notes://{number:03}" for number in range(1, 251))]
    assert uris == wanted, f"{len(uris)} URIs, not the {len(wanted)} of the notes"
    return f"{len(uris)} resources"


def templates(answer: dict[str, list[dict[str, object]]]) -> str:
    found = [template["uriTemplate"] for template in answer["resourceTemplates"]]
    assert found == ["notes://{id}"], found
    return found[0]


def text(answer: dict[str, list[dict[str, object]]]) -> str:
    [content] = answer["contents"]
    assert content["text"] == "# Note 007", content
    return repr(content["text"])


STEPS = {
    "list": ("resources/list", [], listed),
    "templates": ("resources/templates/list", [], templates),
    "read": ("resources/read", ["--uri", "notes://007"], text),
}

if __name__ == "__main__":
    sys.exit(main())
