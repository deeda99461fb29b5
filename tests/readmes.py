"""Checks the READMEs of the packages: they name only files that are in the package, and their relative links lead to such files.

    readmes.py                   all of them, by what the packages will have
    readmes.py README FOLDER     one that is shipped, by the files of FOLDER, which is the unpacked package

A file of the repository that is not in the package may stand in a link to its address. Fenced code is not looked at: it shows files of the
reader. README's smallest programs stand in the READMEs of the C archives as well, and have to be equal.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/readme"))
from extract import block  # noqa: E402

LICENCES = ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-NOTICES"]
LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]*)\)")
SPAN = re.compile(r"`([^`\s]+)`")
FIRST = ("bin", "include", "lib", "server", "share")
"""Folders of packages: a path in one of these is a file of the package."""


def main(arguments: list[str]) -> int:
    problems = list(self_test())
    if arguments:
        readme, folder = map(Path, arguments)
        files = [str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()]
        problems += problems_of(readme.read_text("utf-8"), files, [])
    else:
        for path, files in packages():
            text = (ROOT / path).read_text("utf-8")
            foreign = [name.removeprefix(f"{PurePosixPath(path).parent}/") for name in tracked(".")]
            problems += [f"{path}: {problem}" for problem in problems_of(text, files, foreign)]
        for language in ("c", "cpp"):
            for page in ("ffi/README.md", "packaging/readmes/windows.md"):
                if block(language) != block(language, readme=ROOT / page):
                    problems.append(f"{page}: its first program in {language} is not that of README.md")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def problems_of(text: str, files: Iterable[str], foreign: Iterable[str]) -> Iterator[str]:
    """The problems of a README in a package of these files. Foreign files are those that it could name by mistake."""
    present = {str(PurePosixPath(folder)) for file in files for folder in (file, *PurePosixPath(file).parents)}
    elsewhere = {str(PurePosixPath(*PurePosixPath(file).parts[first:])) for file in foreign for first in range(len(PurePosixPath(file).parts))}
    prose = re.sub(r"^(```|~~~).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    for link in LINK.finditer(prose):
        target = link["target"].partition("#")[0]
        if target and not re.match(r"https?:|mailto:", target) and str(PurePosixPath(target)) not in present:
            yield f"the link to {target} leads to no file of the package"
    for name in SPAN.findall(LINK.sub("", prose)):
        path = name.removeprefix("./").rstrip("/")
        named = {str(PurePosixPath(*PurePosixPath(file).parts[first:])) for file in present for first in range(len(PurePosixPath(file).parts))}
        means_file = path in LICENCES or path.endswith(".cdx.json") or ("/" in path and path.split("/")[0] in FIRST)
        if path not in named and (means_file or (re.search(r"\w\.\w+$", path) and path in elsewhere)):
            yield f"`{name}` is no file of the package: link to its address, or leave it out"


def packages() -> Iterator[tuple[str, list[str]]]:
    """Each README by its path in the repository, with the files of its package."""
    python = [name.removeprefix("bindings/python/python/") for name in tracked("bindings/python/python")]
    yield "bindings/python/README.md", ["README.md", *python, *LICENCES]
    manifest = json.loads((ROOT / "bindings/node/package.json").read_text("utf-8"))
    built = [re.sub(r"bindings/node/lib/(.*)\.ts", rf"dist/\1{suffix}", name) for name in tracked("bindings/node/lib") for suffix in (".js", ".d.ts")]
    yield "bindings/node/README.md", ["README.md", "package.json", *built, *(name for name in manifest["files"] if "*" not in name)]
    core = [name.removeprefix("core/") for name in tracked("core/src", "core/examples/*.rs")]
    yield "core/README.md", ["README.md", "Cargo.toml", *core, *LICENCES]
    yield "ffi/README.md", ["README.md", "share/doc/wellhead/wellhead-ffi.cdx.json", *installed()]
    libraries = ["bin/wellhead.dll", "lib/wellhead.lib", "lib/libwellhead.dll.a"]
    yield "packaging/readmes/windows.md", ["README.md", "share/doc/wellhead/wellhead-ffi.cdx.json", *libraries, *installed()]
    command = ["README.md", "wellhead.cdx.json", *LICENCES]
    yield "packaging/readmes/command.md", [*command, "wellhead"]
    yield "packaging/readmes/command-windows.md", [*command, "wellhead.exe"]
    yield "packaging/readmes/bundle.md", [*command, "manifest.json", "server/wellhead"]
    documents = ["README.md", "copyright", "THIRD-PARTY-NOTICES", "wellhead-ffi.cdx.json", "wellhead.cdx.json"]
    yield "packaging/readmes/deb.md", [*documents, *installed()]


def installed() -> list[str]:
    """The files that `make install-library` puts under its prefix, with libraries that have nothing in them."""
    with tempfile.TemporaryDirectory() as folder:
        for command in (["cc", "-c", "-x", "c", "-", "-o", "all.o"], ["ar", "rcs", "libwellhead.a", "all.o"], ["touch", "libwellhead.so"]):
            subprocess.run(command, cwd=folder, input=b"", check=True)
        variables = ["PREFIX=/usr", "LIBDIR=/usr/lib", f"DESTDIR={folder}/to", f"BUILT={folder}", "CARGO_BUILD=true"]
        subprocess.run(["make", "--silent", "install-library", *variables], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        prefix = Path(folder) / "to/usr"
        return [str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()]


def tracked(*paths: str) -> list[str]:
    return subprocess.run(["git", "ls-files", *paths], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


FILES = ["README.md", "lib/liba.so", "dist/index.js"]
PLANTED = [
    ("`lib/liba.so` and `index.js`, in [this](README.md#top)", ""),
    ("[`poll.mjs`](https://example.com/poll.mjs)", ""),
    ("```\n`lib/absent`\n```\n", ""),
    ("`a.b` and `text/plain` and `skills/pdf`", ""),
    ("`lib/libb.so`", "`lib/libb.so` is no"),
    ("`examples/poll.mjs` or `x`", "`examples/poll.mjs` is no"),
    ("`poll.mjs`", "`poll.mjs` is no"),
    ("`LICENSE-MIT`", "`LICENSE-MIT` is no"),
    ("`a.cdx.json`", "`a.cdx.json` is no"),
    ("[`poll`](examples/poll.mjs)", "the link to examples/poll.mjs"),
]


def self_test() -> Iterator[str]:
    """Each planted text has the problem that stands with it, or none."""
    for text, expected in PLANTED:
        found = list(problems_of(text, FILES, ["examples/poll.mjs"]))
        if len(found) != bool(expected) or not all(problem.startswith(expected) for problem in found):
            yield f"tests/readmes.py: in {text!r} it finds {found}, not {expected!r}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
