"""Runs the steps of the release workflow that choose files, on empty files with the names of what the other workflows build. Checks that those build
with the scripts of `make dist`. `tests/workflows.sh` runs this in an environment that has PyYAML.
"""

import base64
import hashlib
import io
import itertools
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".github/workflows"
VERSION = "7.8.9"
MACHINES = {"x86_64": ("amd64", "x64"), "aarch64": ("arm64", "arm64")}
SDIST = f"wellhead-{VERSION}.tar.gz"
MAIN = f"wellhead-{VERSION}.tgz"
NPM = r"""#!/bin/sh
# A registry with the packages for which there is a file. As npm does, it takes a path that begins with a name for a repository.
for last; do :; done
case $1 in
    view) cat "${2%@*}" 2> /dev/null || { echo "npm error code E404" >&2; exit 1; } ;;
    *) case $last in ./*) echo "${last##*/}" >> npm.log ;; *) exit 128 ;; esac ;;
esac
"""


def main() -> int:
    workflows = {file.stem: yaml.safe_load(file.read_text("utf-8")) for file in sorted(FOLDER.glob("*.yml"))}
    problems = [*artifacts(workflows), *publishing(workflows["release"]), *scripts(workflows), *rust(workflows), *bundles(), *machines()]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


# ---- what is uploaded, and what of it is published


def built() -> dict[str, list[str]]:
    """The files in each artifact of the workflows that build for a release."""
    found = {"crate": [f"wellhead-{VERSION}.crate"], "wheel-linux": [SDIST], "npm-linux": [MAIN], "server": ["server.json"]}
    for machine, (debian, node) in MACHINES.items():
        for libc, tag in (("gnu", "manylinux_2_17"), ("musl", "musllinux_1_2")):
            found["wheel-linux"].append(f"wellhead-{VERSION}-cp310-abi3-{tag}_{machine}.whl")
            found["npm-linux"].append(f"wellhead-linux-{node}-{libc}-{VERSION}.tgz")
        found[f"wheel-{machine}-apple-darwin"] = [f"wellhead-{VERSION}-cp310-abi3-macosx_11_0_{debian}.whl"]
        found[f"npm-{machine}-apple-darwin"] = [f"wellhead-darwin-{node}-{VERSION}.tgz"]
        libraries = [f"libwellhead-{VERSION}-{machine}-linux-{libc}.tar.gz" for libc in ("gnu", "musl")]
        commands = [f"wellhead-{VERSION}-{machine}-linux.{kind}" for kind in ("tar.gz", "mcpb")]
        found[f"c-{machine}"] = [*libraries, *commands, f"wellhead_{VERSION}_{debian}.deb"]
    found["c-windows"] = [f"{name}-{VERSION}-x86_64-windows.zip" for name in ("libwellhead", "wellhead")]
    found["wheel-linux"].append(f"wellhead-{VERSION}-cp314-cp314t-manylinux_2_17_x86_64.whl")
    found["wheel-x86_64-pc-windows-msvc"] = [f"wellhead-{VERSION}-cp310-abi3-win_amd64.whl"]
    found["npm-x86_64-pc-windows-msvc"] = [f"wellhead-win32-x64-{VERSION}.tgz"]
    return found


def artifacts(workflows: dict) -> Iterator[str]:
    """Each artifact comes from one job, and is one that the release knows."""
    called = [job["uses"] for job in workflows["release"]["jobs"].values() if "uses" in job]
    names = [name for path in called for job in workflows[Path(path).stem]["jobs"].values() for name in uploaded(job)]
    yield from (f"two jobs upload {name}" for name in sorted(set(names)) if names.count(name) > 1)
    yield from (f"no job uploads {name}, which a release has" for name in sorted(built().keys() - set(names)))
    yield from (f"tests/workflows.py does not know the artifact {name}" for name in sorted(set(names) - built().keys()))


def uploaded(job: dict) -> Iterator[str]:
    """The names of the artifacts that a job uploads, in each case of its matrix."""
    matrix = job.get("strategy", {}).get("matrix", {})
    lists = {key: value for key, value in matrix.items() if key != "include"}
    cases = [dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())]
    for case in matrix.get("include", cases):
        for step in job.get("steps", []):
            if "upload-artifact" in step.get("uses", ""):
                yield re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda found: str(case[found[1]]), step["with"]["name"])  # noqa: B023


def publishing(release: dict) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, files in built().items():
            for file in files:
                (place / "built" / name).mkdir(parents=True, exist_ok=True)
                (place / "built" / name / file).write_text("")
        everything = {file for files in built().values() for file in files}
        step(release, "attest", "SHA256SUMS", place)
        yield from differ("the release", {file.name for file in (place / "dist").iterdir()}, everything | {"SHA256SUMS"})
        step(release, "publish-crate", "SHA256SUMS", place)
        step(release, "publish-pypi", "mv ", place)
        python = {file for file in everything if file.endswith(".whl")} | {SDIST}
        yield from differ("PyPI", {file.name for file in (place / "pypi").iterdir()}, python)
        # A step of another job: what the one before has moved away is there again.
        for file in everything:
            (place / "dist" / file).write_text("")
        (place / "bin").mkdir()
        (place / "bin/npm").write_text(NPM)
        (place / "bin/npm").chmod(0o755)
        tarballs = {file for file in everything if file.endswith(".tgz")}
        for file in tarballs:
            member = tarfile.TarInfo("package/package.json")
            text = json.dumps({"name": file.removesuffix(f"-{VERSION}.tgz"), "version": VERSION}).encode()
            member.size = len(text)
            with tarfile.open(place / "dist" / file, "w:gz") as tarball:
                tarball.addfile(member, io.BytesIO(text))
        there = max(tarballs)
        digest = hashlib.sha512((place / "dist" / there).read_bytes()).digest()
        (place / there.removesuffix(f"-{VERSION}.tgz")).write_text(f"sha512-{base64.b64encode(digest).decode()}\n")
        step(release, "publish-npm", "npm publish", place)
        node = (place / "npm.log").read_text().split()
        yield from differ("npm", set(node), tarballs - {there})
        if node[-1] != MAIN or len(node) != len(set(node)):
            yield f"npm gets {node}: the last one has to be {MAIN}, after the packages that it asks for"


def step(workflow: dict, job: str, part: str, place: Path) -> None:
    (script,) = (one for one in workflow["jobs"][job]["steps"] if part in one.get("run", ""))
    environment = {**os.environ, "PATH": f"{place}/bin:{os.environ['PATH']}"}
    for name, value in script.get("env", {}).items():
        environment[name] = f"v{VERSION}" if value == "${{ github.ref_name }}" else value
    subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script["run"]], cwd=place, env=environment, check=True)


def differ(where: str, found: set[str], expected: set[str]) -> Iterator[str]:
    yield from (f"{where} gets {name}" for name in sorted(found - expected))
    yield from (f"{where} does not get {name}" for name in sorted(expected - found))


# ---- how they build


def scripts(workflows: dict) -> Iterator[str]:
    expected = {
        "c": (
            "packaging/command.sh", "packaging/c.sh", "packaging/windows.sh", "packaging/server.sh", "tests/dist/c.sh", "tests/dist/windows.sh",
        ),
        "npm": ("packaging/node.sh", 'packaging/node.sh "$TARGET"'),
        "wheels": ("packaging/python.sh", 'packaging/python.sh "$TARGET"'),
        "crates": ("packaging/crate.sh",),
        "docs": ("make docs",),
        "long": ('sudo --preserve-env env "PATH=$PATH" make "${targets[@]}"',),
    }
    for name, needed in expected.items():
        lines = {line.strip() for text in runs(workflows[name]) for line in text.splitlines()}
        yield from (f"{name}.yml does not run {one}" for one in needed if one not in lines)
    sites = [step["with"]["path"] for job in workflows["docs"]["jobs"].values() for step in job["steps"] if "upload-pages" in step.get("uses", "")]
    if sites != ["build/docs"]:
        yield f"docs.yml publishes {sites}, and `make docs` makes build/docs"


def runs(workflow: dict) -> Iterator[str]:
    for job in workflow["jobs"].values():
        yield from (step["run"] for step in job.get("steps", []) if "run" in step)


def rust(workflows: dict) -> Iterator[str]:
    """Where a crate is packed or a bill of materials is written, Rust is the one that packaging/runtimes.py records."""
    for name, workflow in workflows.items():
        for title, job in workflow["jobs"].items():
            text = "\n".join(step["run"] for step in job.get("steps", []) if "run" in step)
            first = re.search(r"packaging/(?:c|command|crate|node|python|windows)\.sh|packaging/(?:sbom\.py|npm\.mjs)|cargo package", text, re.MULTILINE)
            chosen = re.search(r"rustup default .*runtimes\.py --rust", text)
            if first and not (chosen and chosen.start() < first.start()):
                yield f"{name}.yml, {title}: choose the Rust of packaging/runtimes.py before {first[0]}"


def bundles() -> Iterator[str]:
    """A machine makes its bundle only; server.json is written once, of all bundles."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1795478400"}
        for machine in MACHINES:
            name = f"wellhead-{VERSION}-{machine}-linux"
            (place / "wellhead").write_text(machine)
            with tarfile.open(place / f"{name}.tar.gz", "w:gz") as archive:
                archive.add(place / "wellhead", f"{name}/wellhead")
            before = set(place.iterdir())
            subprocess.run([sys.executable, ROOT / "packaging/bundle.py", VERSION, machine, place], env=environment, check=True, stdout=subprocess.DEVNULL)
            yield from differ(f"the bundle of {machine}", {file.name for file in set(place.iterdir()) - before}, {f"{name}.mcpb"})
        subprocess.run([sys.executable, ROOT / "packaging/server.py", VERSION, place], check=True, stdout=subprocess.DEVNULL)
        named = {one["identifier"].rpartition("/")[2] for one in json.loads((place / "server.json").read_text("utf-8"))["packages"]}
        yield from differ("server.json", named, {file.name for file in place.glob("*.mcpb")})


def machines() -> Iterator[str]:
    """`make dist` makes the packages of all. Only environment.sh knows processors, and what it makes of them."""
    made = re.search(r"^MACHINES := (.*)$", (ROOT / "packaging/dist.mk").read_text("utf-8"), re.MULTILINE)[1].split()
    if made != list(MACHINES):
        yield f"packaging/dist.mk makes packages for {made}"
    for machine, (debian, node) in MACHINES.items():
        command = 'source packaging/environment.sh && echo "$machine $debian_machine $node_machine"'
        said = subprocess.run(["bash", "-c", command], cwd=ROOT, env={**os.environ, "MACHINE": machine}, check=True, stdout=subprocess.PIPE, text=True)
        if said.stdout.split() != [machine, debian, node]:
            yield f"packaging/environment.sh makes {said.stdout.split()} of {machine}"
    for file in sorted([*ROOT.glob("packaging/*.sh"), *ROOT.glob("packaging/*.py"), *ROOT.glob("tests/dist/*")]):
        if file.name in ("environment.sh", "tools.sh", "windows.sh"):
            continue
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            if re.search(r"x86_64|amd64|\bx64\b", line) and "python.sh" not in file.name:
                yield f"{file.relative_to(ROOT)}:{number} is for one processor only: {line.strip()}"


if __name__ == "__main__":
    sys.exit(main())
