"""Checks bills of materials, which packaging/sbom.py writes.

Without arguments it makes those of each package, in two folders. They must be equal, be valid, and name what is linked.

    sbom.py FILE CRATE

This checks one that is shipped: it is that of CRATE, and names what every package is linked with.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "build/sbom"
VALIDATOR = "cyclonedx-python-lib[json-validation]==11.12.0"
VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
for file in sys.argv[1:]:
    error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(file, encoding="utf-8").read())
    assert not error, f"{file}: {error}"
"""
LINUX, WINDOWS = "x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"
SHIPPED = [
    ("wellhead", "x86_64-unknown-linux-musl", "cli", {"lexopt"}),
    ("wellhead-ffi", LINUX, "", {"libc"}),
    ("wellhead-ffi", "x86_64-pc-windows-gnu", "", {"notify"}),
    ("wellhead-node", LINUX, "", {"napi", "rustix"}),
    ("wellhead-node", WINDOWS, "", {"napi", "notify"}),
    ("wellhead-python", LINUX, "", {"pyo3"}),
]
IN_ALL = {"jsonschema", "hyper", "tokio", "std", "compiler_builtins", "hashbrown"}
RUNTIMES = {"addr2line", "libunwind", "mingw-w64", "msvc-runtime", "musl", "zig-compiler-rt"}
"""Not in Cargo.lock, and linked into some packages only."""
NOT_LINKED = {"napi-build", "napi-derive", "proptest", "serde_derive", "shuttle"}
"""Macros and tools that only the build or the tests use."""


def main(arguments: list[str]) -> int:
    if arguments:
        check(Path(arguments[0]), arguments[1], IN_ALL)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "elsewhere"
        for name in listed():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name, follow_symlinks=False)
        files = []
        for number, (crate, target, features, own) in enumerate(SHIPPED):
            file, again = Path(folder) / f"{number}.json", Path(folder) / f"{number}.again"
            write(ROOT, crate, target, file, features)
            write(copy, crate, target, again, features)
            assert file.read_bytes() == again.read_bytes(), f"{crate}: another folder makes another file"
            check(file, crate, IN_ALL | own)
            files.append(file)
        bare = Path(folder) / "bare.json"
        write(ROOT, "wellhead", LINUX, bare, "")
        extra = names(bare) & {"jsonschema", "hyper", "tokio"}
        assert not extra, f"a build without features is said to have {extra}"
        validate(files)
    print(f"{len(files)} bills of materials: ok")
    return 0


def check(file: Path, crate: str, expected: set[str]) -> None:
    text = file.read_text("utf-8")
    bom = json.loads(text)
    assert bom["metadata"]["component"]["name"] == crate, f"{file} is not that of {crate}"
    runtimes = runtimes_of(crate, bom["metadata"]["properties"][0]["value"])
    missing, extra = (expected | runtimes) - names(file), names(file) & (NOT_LINKED | RUNTIMES - runtimes)
    assert not missing, f"{file} lacks {missing}"
    assert not extra, f"{file} has {extra}, which is not linked"
    references = [one["bom-ref"] for one in (bom["metadata"]["component"], *bom["components"])]
    assert len(references) == len(set(references)), f"{file} has a reference twice"
    assert sorted(one["ref"] for one in bom["dependencies"]) == sorted(references), f"{file} does not say for each component what it uses"
    unknown = {to for one in bom["dependencies"] for to in one.get("dependsOn", [])} - set(references)
    assert not unknown, f"{file} names {unknown}, which it does not have"
    assert "file://" not in text and str(ROOT) not in text, f"{file} names a folder of the machine that built it"


def runtimes_of(crate: str, target: str) -> set[str]:
    if target.endswith("-windows-gnu"):
        return {"libunwind", "mingw-w64", "zig-compiler-rt"}
    if target.endswith("-windows-msvc"):
        return {"msvc-runtime"}
    if "linux" not in target:
        return {"addr2line"}
    if crate != "wellhead":
        return {"addr2line", "libunwind", "zig-compiler-rt"}
    return {"addr2line", "libunwind", "musl"} if target.endswith("-musl") else {"addr2line"}


def names(file: Path) -> set[str]:
    return {component["name"] for component in json.loads(file.read_text("utf-8"))["components"]}


def write(tree: Path, crate: str, target: str, file: Path, features: str) -> None:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1795478400"}
    subprocess.run([sys.executable, tree / "packaging/sbom.py", crate, target, file, features], env=environment, check=True)


def listed() -> list[str]:
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
    return [name for name in files if name]


def validate(files: list[Path]) -> None:
    """Compares the files with the schema of CycloneDX."""
    python = TOOLS / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", TOOLS], check=True)
    subprocess.run([TOOLS / "bin/pip", "install", "--quiet", "--disable-pip-version-check", VALIDATOR], check=True)
    subprocess.run([python, "-c", VALIDATE, *files], check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
