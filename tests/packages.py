"""Packs the crate, the sdist and the npm tarball, and checks what is in them. Compiles the crate from what was packed.

    packages.py [crate|sdist|npm]...
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "build/packages"
PYTHON_TOOLS = ["maturin==1.16.0", "twine==7.0.0"]
ATTW = "@arethetypeswrong/cli@0.18.5"
LICENCES = ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-NOTICES"]


def main(names: list[str]) -> int:
    checks = {"crate": crate, "sdist": sdist, "npm": npm}
    with tempfile.TemporaryDirectory() as folder:
        for name in names or checks:
            files = checks[name](Path(folder))
            for licence in LICENCES:
                assert files[licence] == (ROOT / licence).read_bytes(), f"{name}: {licence} is not that of the repository"
            relative = re.findall(r"\]\((?!https?://|#)[^)]*\)", files["README.md"].decode())
            assert not relative, f"{name}: README.md has links that lead nowhere outside of the repository: {relative}"
            print(f"{name}: {len(files)} files, {sum(map(len, files.values()))} bytes")
    return 0


def crate(_: Path) -> dict[str, bytes]:
    run("cargo", "package", "--quiet", "--package=wellhead", "--locked", "--all-features", "--allow-dirty")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    files = unpacked(max((target / "package").glob("wellhead-*.crate"), key=lambda path: path.stat().st_mtime))
    known = re.compile(r"src/.*\.(rs|md)|examples/(log|notes)\.rs|README\.md|Cargo\.(toml|toml\.orig|lock)|\.cargo_vcs_info\.json|" + "|".join(LICENCES))
    foreign = [name for name in files if not known.fullmatch(name)]
    assert not foreign, f"crate: there are unexpected files, {foreign}"
    manifest = files["Cargo.toml"].decode()
    for field in ("description", "documentation", "homepage", "keywords", "license", "readme", "repository", "rust-version"):
        assert re.search(rf"^{field} = ", manifest, re.MULTILINE), f"crate: Cargo.toml has no {field}"
    # crates.io refuses others.
    keywords = re.findall(r'"(.*?)"', re.search(r"^keywords = \[(.*?)\]", manifest, re.MULTILINE | re.DOTALL)[1])
    refused = [word for word in keywords if len(word) > 20 or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_+-]*", word)]
    assert len(keywords) <= 5 and not refused, f"crate: crates.io takes 5 keywords of 20 characters, and {refused or keywords} are not such"
    return files


def sdist(folder: Path) -> dict[str, bytes]:
    python = TOOLS / "venv/bin"
    if not python.exists():
        run(sys.executable, "-m", "venv", TOOLS / "venv")
    run(python / "pip", "install", "--quiet", "--disable-pip-version-check", *PYTHON_TOOLS)
    run(python / "maturin", "sdist", "--manifest-path", ROOT / "bindings/python/Cargo.toml", "--out", folder)
    (archive,) = folder.glob("*.tar.gz")
    run(python / "twine", "check", "--strict", archive, stdout=subprocess.DEVNULL)
    return unpacked(archive)


def npm(folder: Path) -> dict[str, bytes]:
    run(ROOT / "bindings/node/build.sh")
    packed = run("npm", "pack", "--silent", "--pack-destination", folder, cwd=ROOT / "bindings/node", stdout=subprocess.PIPE)
    archive = folder / packed.stdout.decode().split()[-1]
    run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", TOOLS / "npm", ATTW, stdout=subprocess.DEVNULL)
    run(TOOLS / "npm/node_modules/.bin/attw", "--profile", "esm-only", "--quiet", archive)
    files = unpacked(archive)
    manifest = json.loads(files["package.json"])
    for field in ("bugs", "description", "engines", "homepage", "keywords", "license", "repository"):
        assert manifest.get(field), f"npm: package.json has no {field}"
    return files


def unpacked(archive: Path) -> dict[str, bytes]:
    """The files by their paths below the one folder of the archive."""
    with tarfile.open(archive) as tar:
        members = [member for member in tar.getmembers() if not member.isdir()]
        assert all(member.isfile() for member in members), f"{archive.name} has something other than files"
        return {member.name.partition("/")[2]: tar.extractfile(member).read() for member in members}


def run(*command: object, stdout: int | None = None, cwd: Path = ROOT) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], cwd=cwd, check=True, stdout=stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
