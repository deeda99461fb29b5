"""Runs the programs of the pages, and asks them what stands in comments behind them.

    docs/check.py [PAGE]...

A fence names its language and what it is: `server` is a whole program over stdio, `other` is a program for another library, of which only the
syntax is checked. Behind a server stand its questions, each in a comment:

    <!-- ask: list = URI URI -->
    <!-- ask: read URI = TEXT -->
    <!-- ask: call TOOL ARGUMENTS = TEXT -->
    <!-- ask: prompt NAME ARGUMENTS = TEXT -->

nginx checks its own fences. Texts in `troubleshooting.md` stand in the sources, as clients and logs show them. Needs `make python node`.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from programs import need  # noqa: E402

PAGES = ROOT / "docs/src"
FENCE = re.compile(r"^```(\S*)\n(.*?)^```\n((?:\s*<!-- ask: .*? -->\n)*)", re.MULTILINE | re.DOTALL)
PYTHON = ROOT / "build/python/bin/python"
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
NGINX = "pid {folder}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}\n{config}}}\n"
NGINX_PATHS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def main(names: list[str]) -> int:
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
            "python,other": lambda code=code: parsed([str(PYTHON), "-m", "py_compile", "other.py"], "other.py", code),
            "js,other": lambda code=code: parsed(["node", "--check", "other.mjs"], "other.mjs", code),
            "nginx": lambda code=code: nginx(code),
        }
        why = checks[kind]() if kind in checks else f"nothing checks the language {kind!r}: use one of {', '.join(checks)}"
        problems += [f"{where}: {why}"] if why else []
    if page.name == "troubleshooting.md":
        problems += unsaid(text)
    return problems


def serve(command: list[str], name: str, code: str, comments: str) -> str | None:
    """Asks a program over stdio, each question after the answer to the last one."""
    questions = [question.partition(" = ") for question in re.findall(r"<!-- ask: (.*?) -->", comments)]
    if not questions:
        return "no question stands behind it"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_text(code, "utf-8")
        (Path(folder) / "node_modules").symlink_to(packages(Path(folder)))
        server = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert server.stdin is not None and server.stdout is not None and server.stderr is not None
        try:
            for question, _, expected in questions:
                server.stdin.write(json.dumps(request(question)) + "\n")
                server.stdin.flush()
                line = server.stdout.readline()
                if not line:
                    return f"it ended: {server.stderr.read()}"
                if (said := answer(json.loads(line))) != expected:
                    return f"{question} = {said}, not {expected}"
            server.stdin.close()
            return None if server.wait(60) == 0 else f"it ended with {server.returncode}: {server.stderr.read()}"
        finally:
            server.kill()
            server.wait()


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


def parsed(command: list[str], name: str, code: str) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_text(code, "utf-8")
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr or "it does not parse" if done.returncode else None


def nginx(config: str) -> str | None:
    need({"nginx": "nginx"})
    with tempfile.TemporaryDirectory() as folder:
        paths = "\n".join(f"{name}_temp_path {folder}/{name};" for name in NGINX_PATHS)
        file = Path(folder) / "nginx.conf"
        file.write_text(NGINX.format(folder=folder, paths=paths, config=config), "utf-8")
        done = subprocess.run(["nginx", "-t", "-c", file], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else None


def unsaid(text: str) -> list[str]:
    """The texts of the first column that neither the core nor a vector has. `…` stands for any value."""
    files = [*(ROOT / "core/src").rglob("*.rs"), *(ROOT / "tests/vectors").rglob("*.json")]
    sources = "".join(file.read_text("utf-8") for file in files)
    texts = re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)
    missing = [found for found in texts if not all(part in sources for part in found.split("…"))]
    return [f"troubleshooting.md: no source says {found!r}" for found in missing] if texts else ["troubleshooting.md has no texts"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
