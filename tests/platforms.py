"""Compares what the packages say about themselves with README's table of platforms: classifiers of Python, packages of npm for a platform.
Looks for each text of Node's loader in the page of errors.

The table has a line for each system, and a column for Python and for Node. A cell with – promises nothing.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = {
    "Linux": ("Operating System :: POSIX :: Linux", "linux"),
    "macOS": ("Operating System :: MacOS", "darwin"),
    "Windows": ("Operating System :: Microsoft :: Windows", "win32"),
}
FREE_THREADING = "Programming Language :: Python :: Free Threading :: 2 - Beta"


def main() -> int:
    problems = [*python(), *node()]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def text(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def promised(language: str) -> list[str]:
    """The first cells of the lines that promise something for a language."""
    table = re.search(r"\n(\| \| C and C\+\+ \|.*?)\n\n", text("README.md"), re.DOTALL)[1]
    head, _, *lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return [line[0] for line in lines if line[head.index(language)] != "–"]


def python() -> list[str]:
    classifiers = set(re.findall(r'^ +"(\w[^"]* :: [^"]*)",$', text("bindings/python/pyproject.toml"), re.MULTILINE))
    systems = {name for line in promised("Python") for name in SYSTEMS if line.startswith(name)}
    expected = {SYSTEMS[name][0] for name in systems}
    # Each Python from the oldest on that the wheels are tested with, and those between.
    tested = {int(minor) for minor in re.findall(r"python: '3\.(\d+)'", text(".github/workflows/wheels.yml"))}
    oldest = int(re.search(r'requires-python = ">=3\.(\d+)"', text("bindings/python/pyproject.toml"))[1])
    expected |= {f"Programming Language :: Python :: 3.{minor}" for minor in range(oldest, max(tested) + 1)}
    # Wheels for the stable ABI do not load in an interpreter without the global lock: there is one of its own, which is tested.
    if re.search(r"python: '3\.\d+t'", text(".github/workflows/wheels.yml")):
        expected.add(FREE_THREADING)
    found = {one for one in classifiers if one.startswith("Operating System") or re.search(r":: 3\.\d", one) or ":: Free Threading" in one}
    problems = [f"pyproject.toml lacks the classifier {one}" for one in sorted(expected - found)]
    problems += [f"pyproject.toml has the classifier {one}, which README's table does not promise" for one in sorted(found - expected)]
    if min(tested) != oldest:
        problems.append(f"wheels.yml does not test Python 3.{oldest}, the oldest of pyproject.toml")
    return problems


def node() -> list[str]:
    table = re.search(r"const PLATFORMS = \{(.*?)\n\};", text("packaging/npm.mjs"), re.DOTALL)[1]
    fields = [dict(re.findall(r"(\w+): '([^']*)'", line)) for line in table.strip().splitlines()]
    expected = set()
    for line in promised("Node"):
        system = next(name for name in SYSTEMS if line.startswith(name))
        libraries = [library for word, library in (("glibc", "glibc"), ("musl", "musl")) if word in line] or [None]
        expected |= {(SYSTEMS[system][1], cpu, libc) for cpu in re.findall(r"\b(x64|arm64)\b", line) for libc in libraries}
    found = {(one["os"], one["cpu"], one.get("libc")) for one in fields}
    problems = [f"packaging/npm.mjs has no package for {one}, which README's table promises" for one in sorted(expected - found, key=str)]
    problems += [f"packaging/npm.mjs has a package for {one}, which README's table does not promise" for one in sorted(found - expected, key=str)]
    loaded = re.findall(r"'([\w-]+)'", re.search(r"const PUBLISHED = \[(.*?)\] as const;", text("bindings/node/lib/load.ts"), re.DOTALL)[1])
    if set(loaded) != {one["name"] for one in fields}:
        problems.append("bindings/node/lib/load.ts names other packages than packaging/npm.mjs makes")
    reasons = re.findall(r"[`'](a bundle cannot[^;`']*|there is no package[^$`']*|node_modules was[^:`']*|the native library[^$(`';]*)", text("bindings/node/lib/load.ts"))
    page = text("docs/src/troubleshooting.md")
    problems += [f"docs/src/troubleshooting.md lacks {reason!r}" for reason in reasons if reason.strip() not in page]
    for one in fields:
        name = "-".join(filter(None, (one["os"], one["cpu"], {"glibc": "gnu"}.get(one.get("libc"), one.get("libc")))))
        if one["name"] != name:
            problems.append(f"packaging/npm.mjs: {one['name']} is for {name}")
    return problems


if __name__ == "__main__":
    sys.exit(main())
