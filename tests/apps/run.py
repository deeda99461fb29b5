#!/usr/bin/env python3
"""Shows a poll of each language in Chromium, by the bridge of the official package for MCP Apps, and uses its buttons, which call a tool.

What it needs is installed, as pinned in package.json, under build/apps. There the pictures of the page are left, too.
"""

import filecmp
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INSTALLED = ROOT / "build" / "apps"
PATIENCE = 150  # seconds for all steps, each of whose waits has 20
MODES = ("legacy", "auto")  # with a handshake, and without
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
PAGE = ROOT / "bindings/python/examples/poll/poll.html"
SERVERS = {
    "rust": [str(TARGET / "debug/examples/poll"), str(PAGE)],
    "c": [str(TARGET / "c/poll"), str(PAGE)],
    "cpp": [str(TARGET / "c/poll-cpp"), str(PAGE)],
    "python": [str(ROOT / "build/python/bin/python"), str(ROOT / "bindings/python/examples/poll/poll.py")],
    "node": ["node", str(ROOT / "bindings/node/examples/poll/poll.mjs")],
}

sys.path.insert(0, str(ROOT / "tests/clients"))
from inspector import install_chromium  # noqa: E402


def main() -> int:
    if PAGE.read_bytes() != (ROOT / "bindings/node/examples/poll/poll.html").read_bytes():
        sys.exit("the two poll.html differ: each example has a copy of one page")
    install()
    install_chromium()
    return 1 if sum(use(name, mode) for name in SERVERS for mode in MODES) else 0


def install() -> None:
    INSTALLED.mkdir(parents=True, exist_ok=True)
    for name in ("show.mjs", "client.mjs", "sandbox.html"):  # Node resolves imports next to these links, not next to their targets
        (INSTALLED / name).unlink(missing_ok=True)
        (INSTALLED / name).symlink_to(HERE / name)
    installed = INSTALLED / "installed.json"
    if installed.exists() and filecmp.cmp(HERE / "package-lock.json", installed, shallow=False):
        return
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, INSTALLED / name)
    subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=INSTALLED, check=True)
    shutil.copy(HERE / "package-lock.json", installed)  # last: an installation that was cut short starts again


def use(name: str, mode: str) -> int:
    """How many steps failed on the poll of a language."""
    picture = INSTALLED / f"poll-{name}-{mode}.png"
    program = ["node", "--preserve-symlinks-main", "--preserve-symlinks", INSTALLED / "show.mjs", mode, picture, *SERVERS[name]]
    done = subprocess.run(program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or not verdicts:
        verdicts.append({"step": "browser", "ok": False, "detail": f"status {done.returncode}"})
    for verdict in verdicts:
        print(f"{'ok' if verdict['ok'] else 'not ok'} - {name} / {mode} / {verdict['step']}: {verdict['detail']}", flush=True)
    return sum(not verdict["ok"] for verdict in verdicts)


if __name__ == "__main__":
    sys.exit(main())
