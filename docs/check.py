"""Runs the programs of the pages, and asks them what stands in comments behind them.

    docs/check.py [PAGE]...

A fence names its language and what it is:

- `server` is a whole program over stdio, and `http` one that writes its address to standard error. `django` is one of a project of Django.
- `run` is a program without questions, which ends with 0.
- `fastmcp` and `sdk` are programs of other libraries over stdio, which get the questions after a handshake.
- `route` is a module of a route of Next.js, which imports the page's `lib/mcp.mjs`.
- `c,server` and `cpp,server` are compiled by the page's own command, which stands in a fence of `sh`, and `rust,server` by those of rust.md.
- `json` is a client's settings. Their command starts the page's server.
- `dist` is run by `make test-dist`, which has what is shipped: here only its syntax is checked, and that `tests/dist` has its page.
- `root` changes the system: only its syntax is checked.

Behind a program stand its questions, each in a comment, and before these its file, and for `http` the arguments of Python or Node:

    <!-- file: NAME -->
    <!-- run: -m uvicorn server:app --port PORT -->
    <!-- ask: list = URI URI -->
    <!-- ask: read URI = TEXT -->
    <!-- ask: call TOOL ARGUMENTS = TEXT -->
    <!-- ask: prompt NAME ARGUMENTS = TEXT -->
    <!-- ask: get PATH = BODY -->

nginx runs its fences with a server behind it. Texts in `troubleshooting.md` stand in the sources, as clients and logs show them. Links lead to pages and
headings that exist. Needs `make python node libwellhead`, and the clients of `tests/clients`.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import ask
import reference

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from programs import need  # noqa: E402

PAGES = ROOT / "docs/src"
FENCE = re.compile(r"^```(\S*)\n(.*?)^```\n((?:\s*<!-- (?:ask|run|file): .*? -->\n)*)", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"\{\{#include ([^\s:}]+):?(\w*)\}\}")
PYTHON = ROOT / "build/python/bin/python"
CLIENTS = ROOT / "build/clients"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve()
# What a page compiles with, as after `make install`; and no warning is allowed.
PC = f"""
Name: wellhead
Description: the library of this tree
Version: 0
Libs: {TARGET}/debug/libwellhead.a -lpthread -ldl -lm
Cflags: -I{ROOT}/include -Wall -Wextra -Wpedantic -Werror
"""
LIBRARIES = {"glib-2.0": {"glib-genmarshal": "libglib2.0-dev"}, "Qt6Core": {"qmake6": "qt6-base-dev"}}
NO_FILES: Mapping[str, str] = {}
# A project of Django, and an application in it that has a server.
DJANGO = {
    "shop/settings.py": 'SECRET_KEY = "k"\nROOT_URLCONF = "shop.urls"\nALLOWED_HOSTS = ["127.0.0.1"]\n',
    "shop/urls.py": "from django.http import HttpResponse\nfrom django.urls import path\n\n"
    'urlpatterns = [path("health", lambda request: HttpResponse("fine"))]\n',
    "notes/mcp.py": 'import wellhead\n\nserver = wellhead.Server("notes", "1.0.0")\nserver.text("notes://1", "Buy milk.")\n',
}
# Serves a route as Next.js does: each request is one of the web.
ROUTE = """
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import * as route from './app/mcp/route.mjs';
const server = createServer(async (req, res) => {
  const body = req.method === 'POST' ? { body: Readable.toWeb(req), duplex: 'half' } : {};
  const headers = { ...req.headers, host: 'notes.example.com' };
  const answer = await route[req.method](new Request('http://notes.example.com/mcp', { method: req.method, headers, ...body }));
  res.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
});
server.listen(process.env.PORT, '127.0.0.1', () => console.error('http://'));
"""
# What stands behind nginx.
BEHIND = """
import os, sys, wellhead
server = wellhead.Server("notes", "1.0.0")
server.text("notes://1", "Buy milk.")
server.serve_http(port=int(os.environ["PORT"]), on_listening=lambda *_: print("http://", file=sys.stderr, flush=True))
"""
NGINX = "pid {folder}/pid;\ndaemon off;\nmaster_process off;\nerror_log stderr notice;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}\n{config}}}\n"
NGINX_PATHS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


class Block(NamedTuple):
    """A fence of a page: what it is, its text, and the comments behind it."""

    kind: str
    code: str
    comments: str

    def comment(self, word: str) -> str | None:
        found = re.search(rf"<!-- {word}: (.*?) -->", self.comments)
        return found and found[1]


def main(names: list[str]) -> int:
    os.environ["CURSOR_KEY"] = "07" * 32  # the program of workers.md needs one
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
    text, blocks = page.read_text("utf-8"), blocks_of(page)
    problems = []
    for number, block in enumerate(blocks, 1):
        if why := fault(page, blocks, block):
            problems.append(f"{page.name}, block {number}: {why}")
    problems += [f"{page.name}: {problem}" for problem in dead(page, text)]
    if page.name == "troubleshooting.md":
        problems += unsaid(text)
    return problems


def blocks_of(page: Path) -> list[Block]:
    return [Block(*found) for found in FENCE.findall(page.read_text("utf-8"))]


def fault(page: Path, blocks: list[Block], block: Block) -> str | None:
    """Checks a block of a page, and returns the first fault."""
    match block.kind:
        case "python,server":
            return served([str(PYTHON), "server.py"], block)
        case "js,server":
            return served(["node", "server.mjs"], block)
        case "python,fastmcp":
            return served_by_others(CLIENTS / "fastmcp/bin/python", "server.py", block)
        case "python,sdk":
            return served_by_others(CLIENTS / "python-1/bin/python", "server.py", block)
        case "js,sdk":
            return served_by_others("node", "server.mjs", block)
        case "python,run":
            return ran([str(PYTHON), "program.py"], block)
        case "js,run":
            return ran(["node", "program.mjs"], block)
        case "python,http":
            return served_http(str(PYTHON), "server.py", block)
        case "python,django":
            return served_http(str(PYTHON), "asgi.py", block, DJANGO)
        case "js,http":
            return served_http("node", "server.mjs", block)
        case "js,route":
            return routed(blocks, block)
        case "c,server" | "cpp,server":
            return compiled(blocks, block)
        case "c,example":
            return example(page, block.code)
        case "rust,server":
            return cargo(block)
        case "sh":
            return None if any(makes(block, other) for other in blocks) else "it makes no program of this page: use `root` or `dist`"
        case "json":
            return settings(blocks, block)
        case "nginx":
            return nginx(block)
        case "dockerfile,dist":
            return shipped(page)
        case "js,dist":
            return shipped(page) or parsed(["node", "--check", "other.mjs"], "other.mjs", block.code)
        case "json,dist":
            return shipped(page) or parsed([sys.executable, "-m", "json.tool", "other.json"], "other.json", block.code)
        case "sh,dist":
            return shipped(page) or parsed(["bash", "-n", "commands.sh"], "commands.sh", block.code)
        case "sh,root":
            return parsed(["bash", "-n", "commands.sh"], "commands.sh", block.code)
    return f"nothing checks a fence of {block.kind!r}: docs/check.py says what there is"


def served(command: list[str], block: Block) -> str | None:
    """Asks a program over stdio."""
    with ask.folder_with({command[-1]: block.code}) as folder:
        return ask.over_stdio(command, folder, block.comments)


def served_by_others(program: str | Path, name: str, block: Block) -> str | None:
    """Asks a program of another library over stdio, after a handshake."""
    with ask.folder_with({name: block.code}, CLIENTS / "typescript/node_modules") as folder:
        return ask.over_stdio([str(program), name], folder, block.comments, handshake=True)


def served_http(program: str, name: str, block: Block, others: Mapping[str, str] = NO_FILES) -> str | None:
    """Asks a program over HTTP, at the address that it writes. `others`: further files that it needs."""
    arguments, port = block.comment("run"), ask.unused_port()
    if arguments is None:
        return "no comment says how to run it"
    with ask.folder_with({name: block.code, **others}) as folder:
        return ask.over_http([program, *arguments.replace("PORT", str(port)).split()], folder, block.comments, port)


def ran(command: list[str], block: Block) -> str | None:
    with ask.folder_with({command[-1]: block.code}) as folder, ask.started(command, folder) as program:
        _, said = program.communicate(timeout=60)
        return f"it ended with {program.returncode}: {said}" if program.returncode else None


def routed(blocks: list[Block], block: Block) -> str | None:
    """Asks a route of Next.js, with the page's `lib/mcp.mjs`, under the host name of the page."""
    server = next(other.code for other in blocks if other.comment("file") == "lib/mcp.mjs")
    files = {"lib/mcp.mjs": server, "app/mcp/route.mjs": block.code, "serve.mjs": ROUTE}
    with ask.folder_with(files) as folder:
        return ask.over_http(["node", "serve.mjs"], folder, block.comments, ask.unused_port())


def makes(commands: Block, block: Block) -> bool:
    """True if commands make the program of a block: they name its file, or make the package that it stands in."""
    if commands.kind != "sh":
        return False
    return "cargo init" in commands.code if block.kind == "rust,server" else block.comment("file") in commands.code.split()


def compiled(blocks: list[Block], block: Block) -> str | None:
    """Asks a program in C or C++, which the page's command makes."""
    command = next((other.code for other in blocks if makes(other, block)), None)
    if command is None:
        return "no command of the page compiles its file"
    need({"pkg-config": "pkg-config"})
    for library in LIBRARIES.keys() & set(re.split(r"[\s)]+", command)):
        need(LIBRARIES[library])
    with ask.folder_with({block.comment("file"): block.code, "pc/wellhead.pc": PC}) as folder:
        path = {"PKG_CONFIG_PATH": f"{folder}/pc"}
        done = subprocess.run(["bash", "-ec", command], cwd=folder, env=os.environ | path, capture_output=True, text=True, check=False)
        program = f"{folder}/{command.split()[-1]}"
        return done.stderr if done.returncode else ask.over_stdio([program], folder, block.comments)


def cargo(block: Block) -> str | None:
    """Asks a program in Rust, in the package that the commands of rust.md make. It is outside of the workspace, as that of a user is."""
    commands = next(other.code for other in blocks_of(PAGES / "rust.md") if makes(other, block))
    offline = os.environ | {"CARGO_NET_OFFLINE": "true"}  # with what the workspace has
    with ask.folder_with(NO_FILES) as folder:
        package = folder / "notes"
        make = ["bash", "-ec", commands.replace("…", str(ROOT))]
        for command, cwd in ((make, folder), (["cargo", "build", "--quiet", "--target-dir", str(TARGET)], package)):
            done = subprocess.run(command, cwd=cwd, env=offline, capture_output=True, text=True, check=False)
            if done.returncode:
                return done.stderr
            (package / "Cargo.lock").write_bytes((ROOT / "Cargo.lock").read_bytes())
            (package / "src/main.rs").write_text(block.code, "utf-8")
        return ask.over_stdio([f"{TARGET}/debug/notes"], folder, block.comments)


def settings(blocks: list[Block], block: Block) -> str | None:
    """Starts the page's server by the command of a client's settings."""
    server = next((other for other in blocks if other.kind.endswith(",server") and other.comment("file")), None)
    if server is None:
        return "the page has no server whose file has a name"
    with ask.folder_with({server.comment("file"): server.code}) as folder:
        paths = {
            "/path/to/venv/bin/python": PYTHON,
            "/path/to/notes/target/debug/notes": TARGET / "debug/notes",
            f"/path/to/{server.comment('file')}": folder / server.comment("file"),
        }
        entry = json.loads(block.code)["mcpServers"]["notes"]
        command = [str(paths.get(word, word)) for word in (entry["command"], *entry.get("args", []))]
        return ask.over_stdio(command, folder, server.comments)


def example(page: Path, code: str) -> str | None:
    """A block that is one of the examples, which the tests of C run."""
    file = re.fullmatch(r"\{\{#include (\S+)\}\}\n", code)
    if file is None or (page.parent / file[1]).resolve().parent != ROOT / "ffi/examples":
        return "it is none of ffi/examples"
    return None if (page.parent / file[1]).is_file() else f"there is no {file[1]}"


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


def nginx(block: Block) -> str | None:
    """Asks a server through nginx, which has the page's settings with other ports."""
    need({"nginx": "nginx"})
    outside, inside = ask.unused_port(), ask.unused_port()
    with ask.folder_with({"server.py": BEHIND}) as folder:
        paths = "\n".join(f"{name}_temp_path {folder}/{name};" for name in NGINX_PATHS)
        config = block.code.replace(":8080", f":{outside}").replace(":8000", f":{inside}")
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, paths=paths, config=config), "utf-8")
        with ask.listening([str(PYTHON), "server.py"], folder, "http://", inside) as why:
            return why or ask.over_http(["nginx", "-c", f"{folder}/nginx.conf"], folder, block.comments, outside, "event method")


def unsaid(text: str) -> list[str]:
    """The texts of the first column that neither the core, nor the loader of Node, nor a vector has. `…` stands for any value."""
    files = [ROOT / "bindings/node/lib/load.ts", *(ROOT / "core/src").rglob("*.rs"), *(ROOT / "tests/vectors").rglob("*.json")]
    sources = "".join(file.read_text("utf-8") for file in files)
    texts = re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)
    missing = [found for found in texts if not all(part in sources for part in found.split("…"))]
    return [f"troubleshooting.md: no source says {found!r}" for found in missing] if texts else ["troubleshooting.md has no texts"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
