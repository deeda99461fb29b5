#!/usr/bin/env python3
"""Lets the command line of the MCP Inspector list and read from each host of hosts.txt, and its web page from the one in Python over HTTP.

    inspector.py [--host NAME | --host NAME='COMMAND...']...

The Inspector needs a newer Node than we do; both are installed, as pinned in inspector/, under build/clients/inspector. There the pictures of the
page are left, too, and what the Inspector said meanwhile. Chromium is Debian's, which is installed unless it is there.
"""

import filecmp
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from run import BUILD, EXAMPLES, HERE, Service, first_url, is_http, kind_of, parse_arguments

PINS = HERE / "inspector"
INSTALLED = BUILD / "inspector"
Answer = dict[str, list[dict[str, object]]]
Check = Callable[[Answer], str]
Steps = dict[str, tuple[str, list[str], Check]]
PATIENCE = 60  # seconds for one command, which starts Node, the host, and ends both
PAGE_HOST = "http-python"  # which the web page is used on
PAGE_PATIENCE = 150  # seconds for all its steps, each of whose waits has 20
ERAS = {"legacy": "2025-11-25", "modern": "2026-07-28"}  # as the Inspector names them
CHROMIUM = ["apt-get", "install", "-y", "-q", "-o", "DPkg::Lock::Timeout=300", "--no-install-recommends", "chromium"]


def main() -> int:
    options = parse_arguments(__doc__)
    install()
    failed = 0
    for host, command in options.host.items():
        with tempfile.TemporaryDirectory(prefix="notes-") as scratch, ExitStack() as hosts:
            place = Path(scratch, "place")
            kind = kind_of(host)
            if kind in EXAMPLES:
                continue
            steps = {"notes": notes_steps, "folder": folder_steps}.get(kind, wide_steps)(place)
            started = [*command, str(place)] if kind in ("notes", "folder") else command
            if is_http(host):
                service = hosts.enter_context(Service(started, Path(scratch, "breaking"), sys.stderr))
                host_is = [service.url, "--transport", "http"]
            else:
                host_is = ["--", *started]
            for step, (method, extra, check) in steps.items():
                try:
                    detail = check(ask(host_is, method, extra))
                    print(f"ok - {host} / inspector / {step}: {detail}", flush=True)
                except Exception as error:  # a failed step is a line of the result, whatever went wrong
                    failed += 1
                    print(f"not ok - {host} / inspector / {step}: {error!r}", flush=True)
    if PAGE_HOST in options.host:
        install_chromium()
        failed += sum(use_page(options.host[PAGE_HOST], era) for era in ERAS)
    return 1 if failed else 0


def install() -> None:
    INSTALLED.mkdir(parents=True, exist_ok=True)
    page = INSTALLED / "page.mjs"  # Node resolves imports next to this link, not next to its target
    page.unlink(missing_ok=True)
    page.symlink_to(PINS / "page.mjs")
    installed = INSTALLED / "installed.json"
    if installed.exists() and filecmp.cmp(PINS / "package-lock.json", installed, shallow=False):
        return
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PINS / name, INSTALLED / name)
    subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=INSTALLED, check=True)
    shutil.copy(PINS / "package-lock.json", installed)  # last: an installation that was cut short starts again


def install_chromium() -> None:
    def succeeds(*command: str) -> bool:
        return subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0

    if not (shutil.which("chromium") or succeeds(*CHROMIUM) or (succeeds("apt-get", "update", "-q") and succeeds(*CHROMIUM))):
        sys.exit(f"missing: run {' '.join(CHROMIUM)}")


def use_page(command: list[str], era: str) -> int:
    """How many steps failed on the Inspector's page, of clients with or without a handshake."""
    with tempfile.TemporaryDirectory() as scratch, Service(command, Path(scratch, "breaking"), sys.stderr) as host, web(host.url, era) as page:
        picture = INSTALLED / f"page-{era}.png"
        program = ["--preserve-symlinks-main", "--preserve-symlinks", INSTALLED / "page.mjs", page, host.url, ERAS[era], picture]
        done = subprocess.run(
            [INSTALLED / "node_modules/.bin/node", *program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=PAGE_PATIENCE
        )
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or not verdicts:
        verdicts.append({"step": "browser", "ok": False, "detail": f"status {done.returncode}"})
    for verdict in verdicts:
        print(f"{'ok' if verdict['ok'] else 'not ok'} - {PAGE_HOST} / inspector's page, {era} / {verdict['step']}: {verdict['detail']}", flush=True)
    return sum(not verdict["ok"] for verdict in verdicts)


@contextmanager
def web(url: str, era: str) -> Iterator[str]:
    """The URL of the Inspector's page for a host, which is served meanwhile."""
    with socket.create_server(("127.0.0.1", 0)) as page, socket.create_server(("127.0.0.1", 0)) as sandbox:
        ports = {"CLIENT_PORT": str(page.getsockname()[1]), "MCP_SANDBOX_PORT": str(sandbox.getsockname()[1])}
    settings = ports | {"MCP_AUTO_OPEN_ENABLED": "false", "MCP_INSPECTOR_SECRET_STORE": "memory"}
    inspector = subprocess.Popen(
        [INSTALLED / "node_modules/.bin/mcp-inspector", "--web", "--transport", "http", "--protocol-era", era, "--server-url", url],
        env=environment() | settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    with (INSTALLED / f"page-{era}.log").open("w") as log:
        try:
            url_of_page, handing_on = first_url(inspector, log)
            yield url_of_page
        finally:
            os.killpg(inspector.pid, signal.SIGKILL)
            inspector.wait()
        handing_on.join()


def environment() -> dict[str, str]:
    path = f"{INSTALLED / 'node_modules/.bin'}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "HOME": str(INSTALLED)}


def ask(host: list[str], method: str, extra: list[str]) -> Answer:
    before, after = ([], host) if host[0] == "--" else (host, [])
    inspector = [INSTALLED / "node_modules/.bin/mcp-inspector", "--cli", *before, "--method", method, *extra, *after]
    done = subprocess.run(inspector, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode:
        raise AssertionError(f"status {done.returncode}: {done.stderr.strip()[-400:]}")
    return json.loads(done.stdout)


def notes_steps(fifo: Path) -> Steps:
    os.mkfifo(fifo)  # without a writer: each host opens it for reading and writing
    numbered = [f"notes://{number:03}" for number in range(1, 251)]
    return {
        "list": ("resources/list", [], listed(["notes://about", "notes://logo", "notes://slow", *numbered])),
        "templates": ("resources/templates/list", [], templates("notes://{id}")),
        "read": ("resources/read", ["--uri", "notes://007"], text("# Note 007")),
    }


def folder_steps(folder: Path) -> Steps:
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("# A\n")
    (folder / "sub/c.txt").write_text("c\n")
    uri = folder.as_uri()
    return {
        "list": ("resources/list", [], listed([uri, f"{uri}/a.md", f"{uri}/sub", f"{uri}/sub/c.txt"])),
        "templates": ("resources/templates/list", [], templates(f"{uri}/{{+path}}")),
        "read": ("resources/read", ["--uri", f"{uri}/sub/c.txt"], text("c\n")),
    }


def wide_steps(_place: Path) -> Steps:
    fixed = ["described", "cancelled", "parts", "steps", "enough", "endless", "denied", "asks"]
    return {
        "list": ("resources/list", [], listed([f"wide://{name}" for name in fixed])),
        "templates": ("resources/templates/list", [], templates("wide://{city}/{street}")),
        "read": ("resources/read", ["--uri", "wide://bern/meir"], text("meir in bern")),
        "tools": ("tools/list", [], named("tools", ["add", "ask", "grow", "log"])),
        "call": ("tools/call", ["--tool-name", "log"], said("logged")),
        "prompts": ("prompts/list", [], named("prompts", ["greet"])),
        "prompt": ("prompts/get", ["--prompt-name", "greet", "--prompt-args", "name=Ada"], greeting),
    }


def named(kind: str, wanted: list[str]) -> Check:
    def check(answer: Answer) -> str:
        names = sorted(str(item["name"]) for item in answer[kind])
        assert names == wanted, names
        return ", ".join(names)

    return check


def said(wanted: str) -> Check:
    def check(answer: Answer) -> str:
        assert answer["content"] == [{"type": "text", "text": wanted}], answer
        return repr(wanted)

    return check


def greeting(answer: Answer) -> str:
    assert answer["messages"] == [{"role": "user", "content": {"type": "text", "text": "Greet Ada."}}], answer
    return repr("Greet Ada.")


def listed(wanted: list[str]) -> Check:
    def check(answer: Answer) -> str:
        uris = [resource["uri"] for resource in answer["resources"]]
        assert sorted(map(str, uris)) == sorted(wanted), f"{len(uris)} URIs, not the {len(wanted)} there are"
        return f"{len(uris)} resources"

    return check


def templates(wanted: str) -> Check:
    def check(answer: Answer) -> str:
        found = [template["uriTemplate"] for template in answer["resourceTemplates"]]
        assert found == [wanted], found
        return wanted

    return check


def text(wanted: str) -> Check:
    def check(answer: Answer) -> str:
        [content] = answer["contents"]
        assert content["text"] == wanted, content
        return repr(wanted)

    return check


if __name__ == "__main__":
    sys.exit(main())
