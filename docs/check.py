"""Runs the programs of the pages, and asks them what stands in comments behind them.

    docs/check.py [PAGE]...

A fence names its language and what it is. `server` is a whole program over stdio; `http` is one that writes its address to standard error; `django` is one of a project of Django.
`run` is a program without questions, which ends with 0. `other` is for another library or needs a whole project: only its syntax is
checked. `dist` is run by `make test-dist`, which has what is shipped: here only its syntax is checked, and that `tests/dist` has its page. Behind a program stand its questions, each in a comment, and for `http` the arguments of Python or Node before these:

    <!-- run: -m uvicorn server:app --port PORT -->
    <!-- ask: list = URI URI -->
    <!-- ask: read URI = TEXT -->
    <!-- ask: call TOOL ARGUMENTS = TEXT -->
    <!-- ask: prompt NAME ARGUMENTS = TEXT -->
    <!-- ask: get PATH = BODY -->

nginx checks its own fences. Texts in `troubleshooting.md` stand in the sources, as clients and logs show them. Links lead to pages and
headings that exist. Needs `make python node libwellhead`.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import reference

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from programs import need  # noqa: E402

PAGES = ROOT / "docs/src"
FENCE = re.compile(r"^```(\S*)\n(.*?)^```\n((?:\s*<!-- (?:ask|run|file): .*? -->\n)*)", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"\{\{#include ([^\s:}]+):?(\w*)\}\}")
PYTHON = ROOT / "build/python/bin/python"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve()
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
LIBRARY = [f"-I{ROOT}/include", f"{TARGET}/debug/libwellhead.a", "-lpthread", "-ldl", "-lm"]
CARGO = """
[package]
name = "page"
edition = "2021"

[dependencies]
schemars = "1"
serde = {{ version = "1", features = ["derive"] }}
wellhead = {{ path = "{root}/core", features = ["stdio", "schemars"] }}

[workspace]
"""
NO_FILES: Mapping[str, str] = {}
# A project of Django, and an application in it that has a server.
DJANGO = {
    "shop/settings.py": 'SECRET_KEY = "k"\nROOT_URLCONF = "shop.urls"\nALLOWED_HOSTS = ["127.0.0.1"]\n',
    "shop/urls.py": "from django.http import HttpResponse\nfrom django.urls import path\n\n"
    'urlpatterns = [path("health", lambda request: HttpResponse("fine"))]\n',
    "notes/mcp.py": 'import wellhead\n\nserver = wellhead.Server("notes", "1.0.0")\nserver.text("notes://1", "Buy milk.")\n',
}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
}
NO_HEADERS: Mapping[str, str] = {}
NGINX = "pid {folder}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}\n{config}}}\n"
NGINX_PATHS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def main(names: list[str]) -> int:
    reference.write()
    pages = [PAGES / name for name in names] or sorted(PAGES.glob("*.md"))
    problems = [problem for page in pages for problem in check(page)]
    listed = re.findall(r"\]\((\S+\.md)\)", (PAGES / "SUMMARY.md").read_text("utf-8"))
    problems += [f"{page.name} is not in SUMMARY.md" for page in pages if page.name not in [*listed, "SUMMARY.md"]]
    problems += [f"{name} is in SUMMARY.md, and there is none" for name in listed if not (PAGES / name).exists()]
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(pages)} pages, {len(problems)} problems")
    return 1 if problems else 0


def check(page: Path) -> list[str]:
    text = page.read_text("utf-8")
    problems = []
    for number, (kind, code, comments) in enumerate(FENCE.findall(text), 1):
        where = f"{page.name}, block {number}"
        checks = {
            "python,server": lambda code=code, asks=comments: serve([str(PYTHON), "server.py"], "server.py", code, asks),
            "js,server": lambda code=code, asks=comments: serve(["node", "server.mjs"], "server.mjs", code, asks),
            "python,run": lambda code=code: ran([str(PYTHON), "program.py"], "program.py", code),
            "js,run": lambda code=code: ran(["node", "program.mjs"], "program.mjs", code),
            "c,server": lambda code=code, asks=comments: compiled(["cc", "-std=c99"], "server.c", code, asks),
            "cpp,server": lambda code=code, asks=comments: compiled(["c++", "-std=c++17"], "server.cpp", code, asks),
            "c,glib": lambda code=code, asks=comments: compiled(["cc", "-std=c99", *glib()], "server.c", code, asks),
            "cpp,qt": lambda code=code, asks=comments: compiled(["c++", "-std=c++17", "-fPIC", *qt()], "server.cpp", code, asks),
            "c,example": lambda code=code, page=page: example(page, code),
            "rust,server": lambda code=code, asks=comments: cargo(code, asks),
            "python,http": lambda code=code, asks=comments: serve_http(str(PYTHON), "server.py", code, asks),
            "python,django": lambda code=code, asks=comments: serve_http(str(PYTHON), "asgi.py", code, asks, DJANGO),
            "js,http": lambda code=code, asks=comments: serve_http("node", "server.mjs", code, asks),
            "python,other": lambda code=code: parsed([str(PYTHON), "-m", "py_compile", "other.py"], "other.py", code),
            "js,other": lambda code=code: parsed(["node", "--check", "other.mjs"], "other.mjs", code),
            "js,dist": lambda code=code, page=page: shipped(page) or parsed(["node", "--check", "other.mjs"], "other.mjs", code),
            "json,dist": lambda code=code, page=page: shipped(page) or parsed([sys.executable, "-m", "json.tool", "other.json"], "other.json", code),
            "sh,dist": lambda code=code, page=page: shipped(page) or parsed(["bash", "-n", "commands.sh"], "commands.sh", code),
            "dockerfile,dist": lambda page=page: shipped(page),
            "nginx": lambda code=code: nginx(code),
            "sh": lambda code=code: parsed(["bash", "-n", "commands.sh"], "commands.sh", code),
            "json": lambda code=code: parsed([sys.executable, "-m", "json.tool", "settings.json"], "settings.json", code),
        }
        why = checks[kind]() if kind in checks else f"nothing checks the language {kind!r}: use one of {', '.join(checks)}"
        problems += [f"{where}: {why}"] if why else []
    problems += [f"{page.name}: {problem}" for problem in dead(page, text)]
    if page.name == "troubleshooting.md":
        problems += unsaid(text)
    return problems


def serve(command: list[str], name: str, code: str, comments: str) -> str | None:
    """Asks a program over stdio, each question after the answer to the last one."""
    with started(command, name, code) as server:

        def ask(question: str) -> str:
            server.stdin.write(json.dumps(request(question)) + "\n")
            server.stdin.flush()
            line = server.stdout.readline()
            return answer(json.loads(line)) if line else f"its end: {server.stderr.read()}"

        if why := wrong(comments, ask):
            return why
        server.stdin.close()
        return None if server.wait(60) == 0 else f"it ended with {server.returncode}: {server.stderr.read()}"


def compiled(compiler: list[str], name: str, code: str, comments: str) -> str | None:
    """Asks a program in C or C++, which no warning is about."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_text(code, "utf-8")
        command = [*compiler[:2], *WARNINGS, name, *LIBRARY, *compiler[2:], "-o", "server"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else serve([f"{folder}/server"], name, code, comments)


def glib() -> list[str]:
    need({"glib-genmarshal": "libglib2.0-dev", "pkg-config": "pkg-config"})
    return flags("glib-2.0")


def qt() -> list[str]:
    need({"qmake6": "qt6-base-dev", "pkg-config": "pkg-config"})
    return flags("Qt6Core")


def flags(library: str) -> list[str]:
    return subprocess.run(["pkg-config", "--cflags", "--libs", library], capture_output=True, text=True, check=True).stdout.split()


def example(page: Path, code: str) -> str | None:
    """A block that is one of the examples, which the tests of C run."""
    file = re.fullmatch(r"\{\{#include (\S+)\}\}\n", code)
    if file is None or (page.parent / file[1]).resolve().parent != ROOT / "ffi/examples":
        return "it is none of ffi/examples"
    return None if (page.parent / file[1]).is_file() else f"there is no {file[1]}"


def cargo(code: str, comments: str) -> str | None:
    """Asks a program in Rust. Its package is outside of the workspace, as that of a user is."""
    package = TARGET / "docs"
    (package / "src").mkdir(parents=True, exist_ok=True)
    (package / "Cargo.toml").write_text(CARGO.format(root=ROOT), "utf-8")
    (package / "Cargo.lock").write_bytes((ROOT / "Cargo.lock").read_bytes())
    (package / "src/main.rs").write_text(code, "utf-8")
    command = ["cargo", "build", "--quiet", "--target-dir", str(TARGET)]
    done = subprocess.run(command, cwd=package, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else serve([f"{TARGET}/debug/page"], "main.rs", code, comments)


def ran(command: list[str], name: str, code: str) -> str | None:
    with started(command, name, code) as program:
        _, said = program.communicate(timeout=60)
        return f"it ended with {program.returncode}: {said}" if program.returncode else None


def serve_http(program: str, name: str, code: str, comments: str, others: Mapping[str, str] = NO_FILES) -> str | None:
    """Asks a program over HTTP, at the address that it writes. `others`: further files that it needs."""
    run = re.search(r"<!-- run: (.*?) -->", comments)
    if run is None:
        return "no comment says how to run it"
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = str(unused.getsockname()[1])
    command = [program, *run[1].replace("PORT", port).split()]
    with started(command, name, code, others, PORT=port) as server:
        lines = []
        for line in server.stderr:
            lines.append(line)
            if "http://" in line:
                break
        else:
            return f"it ended: {''.join(lines)}"

        def ask(question: str) -> str:
            word, _, rest = question.partition(" ")
            if word == "get":
                return fetched(f"http://127.0.0.1:{port}{rest}")
            asked = request(question)
            headers = {"Mcp-Method": asked["method"], "Mcp-Name": asked["params"].get("uri", asked["params"].get("name", ""))}
            return answer(json.loads(fetched(f"http://127.0.0.1:{port}/mcp", HEADERS | headers, json.dumps(asked).encode())))

        return wrong(comments, ask)


def fetched(url: str, headers: Mapping[str, str] = NO_HEADERS, body: bytes | None = None) -> str:
    try:
        with urlopen(Request(url, body, dict(headers)), timeout=60) as response:
            return response.read().decode()
    except HTTPError as e:
        return json.dumps({"status": e.code, "body": e.read().decode()})


def wrong(comments: str, ask: Callable[[str], str]) -> str | None:
    """The first question with another answer than the page says."""
    questions = [question.partition(" = ") for question in re.findall(r"<!-- ask: (.*?) -->", comments)]
    answers = ((question, ask(question), expected) for question, _, expected in questions)
    other = next((f"{question} = {said}, not {expected}" for question, said, expected in answers if said != expected), None)
    return other if questions else "no question stands behind it"


@contextmanager
def started(
    command: list[str], name: str, code: str, others: Mapping[str, str] = NO_FILES, **environment: str
) -> Iterator[subprocess.Popen[str]]:
    """A program in a folder of its own, which ends with the block."""
    with tempfile.TemporaryDirectory() as folder:
        for file, text in [(name, code), *others.items()]:
            (Path(folder) / file).parent.mkdir(exist_ok=True)
            (Path(folder) / file).write_text(text, "utf-8")
        (Path(folder) / "node_modules").symlink_to(packages(Path(folder)))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, cwd=folder, env=os.environ | environment, text=True, **pipes) as server:
            try:
                yield server
            finally:
                server.kill()


def packages(folder: Path) -> Path:
    """Node's packages for a program: ours, and what its tests have."""
    found = folder / "packages"
    found.mkdir()
    for package in (ROOT / "bindings/node/node_modules").iterdir():
        (found / package.name).symlink_to(package)
    (found / "wellhead").unlink(missing_ok=True)
    (found / "wellhead").symlink_to(ROOT / "bindings/node")
    return found


def request(question: str) -> dict:
    word, _, rest = question.partition(" ")
    name, _, arguments = rest.partition(" ")
    method, params = {
        "list": ("resources/list", {}),
        "read": ("resources/read", {"uri": name}),
        "call": ("tools/call", {"name": name, "arguments": json.loads(arguments or "{}")}),
        "prompt": ("prompts/get", {"name": name, "arguments": json.loads(arguments or "{}")}),
    }[word]
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}


def answer(message: dict) -> str:
    match message.get("result", {}):
        case {"resources": resources}:
            return " ".join(resource["uri"] for resource in resources)
        case {"contents": [{"text": text}]} | {"content": [{"text": text}]} | {"messages": [{"content": {"text": text}}]}:
            return text
    return json.dumps(message)


def dead(page: Path, text: str) -> Iterator[str]:
    """Links and included files that lead nowhere."""
    for file, anchor in INCLUDE.findall(text):
        included = (page.parent / file).resolve()
        if not included.is_file() or (anchor and f"ANCHOR: {anchor} -->" not in included.read_text("utf-8")):
            yield f"there is no {file}:{anchor} to include"
            return
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", whole(page), flags=re.MULTILINE | re.DOTALL)):
        path, _, heading = link.partition("#")
        target = page.parent / path if path else page
        if "://" in link:
            continue
        if target not in PAGES.glob("*.md"):
            yield f"the link to {link} leads to no page"
        elif heading and heading not in headings(whole(target)):
            yield f"the link to {link} names no heading of that page"


def whole(page: Path) -> str:
    """A page with what it includes, as the site shows it."""

    def included(found: re.Match[str]) -> str:
        text = (page.parent / found[1]).read_text("utf-8")
        return text.partition(f"ANCHOR: {found[2]}")[2].partition(f"ANCHOR_END: {found[2]}")[0] if found[2] else text

    return INCLUDE.sub(included, page.read_text("utf-8"))


def headings(text: str) -> list[str]:
    """The names that mdbook gives to headings, and those that the reference sets."""
    found = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return [re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower())) for heading in found] + re.findall(r'<a id="(\w+)"', text)


def parsed(command: list[str], name: str, code: str) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_text(code, "utf-8")
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr or "it does not parse" if done.returncode else None


def shipped(page: Path) -> str | None:
    """Says why `make test-dist` does not run a page. tests/dist/snippets.py fails if a script leaves one of its sections out."""
    scripts = "".join(file.read_text("utf-8") for file in (ROOT / "tests/dist").glob("*.sh"))
    return None if f"docs/src/{page.name}" in scripts else f"no script of tests/dist runs {page.name}"


def nginx(config: str) -> str | None:
    need({"nginx": "nginx"})
    with tempfile.TemporaryDirectory() as folder:
        paths = "\n".join(f"{name}_temp_path {folder}/{name};" for name in NGINX_PATHS)
        file = Path(folder) / "nginx.conf"
        file.write_text(NGINX.format(folder=folder, paths=paths, config=config), "utf-8")
        done = subprocess.run(["nginx", "-t", "-c", file], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else None


def unsaid(text: str) -> list[str]:
    """The texts of the first column that neither the core, nor the loader of Node, nor a vector has. `…` stands for any value."""
    files = [ROOT / "bindings/node/lib/load.ts", *(ROOT / "core/src").rglob("*.rs"), *(ROOT / "tests/vectors").rglob("*.json")]
    sources = "".join(file.read_text("utf-8") for file in files)
    texts = re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)
    missing = [found for found in texts if not all(part in sources for part in found.split("…"))]
    return [f"troubleshooting.md: no source says {found!r}" for found in missing] if texts else ["troubleshooting.md has no texts"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
