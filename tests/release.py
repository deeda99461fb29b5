"""Releases twice in a copy of the tree with `cargo xtask release`, and looks for places that kept the old version or address."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ADDRESS = "https://example.org/somewhere/wellhead"
PLACEHOLDER = "https://github.com/OWNER/wellhead"
EXPLAINING = {"CONTRIBUTING.md", "xtask/src/manifests.rs", "tests/release.py"}
"""Files that speak of the placeholder itself."""
NOT_YET = ["not published yet", "not run yet"]


def main() -> int:
    subprocess.run(["cargo", "build", "--quiet", "--package=xtask"], cwd=ROOT, check=True)
    xtask = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "debug/xtask"
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
        for name in filter(None, files):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name, follow_symlinks=False)
        check(tree, lambda *arguments: run(xtask, tree, *arguments), [name for name in files if name and not (ROOT / name).is_symlink()])
    print("a release in a copy of the tree: ok")
    return 0


def run(xtask: Path, tree: Path, *arguments: str) -> str:
    """Returns the error, which is empty after success."""
    environment = {**os.environ, "CARGO_MANIFEST_DIR": str(tree / "xtask"), "SOURCE_DATE_EPOCH": "1795478400"}
    done = subprocess.run([xtask, *arguments], env=environment, stderr=subprocess.PIPE, text=True)
    assert bool(done.returncode) == bool(done.stderr), done
    return done.stderr


def check(tree: Path, xtask, files: list[str]) -> None:
    def texts():
        return {name: (tree / name).read_text("utf-8", errors="replace") for name in files if (tree / name).is_file()}

    changelog = tree / "CHANGELOG.md"
    check_error(xtask("manifests", "--check"), "")
    if PLACEHOLDER in (tree / "Cargo.toml").read_text("utf-8"):
        check_error(xtask("release", "7.8.9"), "placeholder")
        manifest = (tree / "Cargo.toml").read_text("utf-8")
        (tree / "Cargo.toml").write_text(manifest.replace(f'repository = "{PLACEHOLDER}"', f'repository = "{ADDRESS}"'), "utf-8")
        check_error(xtask("manifests", "--check"), "bindings/node/package.json")
        check_error(xtask("manifests"), "")
        left = [name for name, text in texts().items() if PLACEHOLDER in text and name not in EXPLAINING]
        assert not left, f"the placeholder is still in {left}"
    for wrong in ("0.0.1", "7.8", "7.8.9-rc.1"):
        check_error(xtask("release", wrong), "version")
    old = re.search(r'^version = "(\d+\.\d+)\.\d+"$', (tree / "Cargo.toml").read_text("utf-8"), re.MULTILINE)[1]
    found = [name for name, text in texts().items() if re.search(rf"find_package\(wellhead {re.escape(old)}|dependency\('wellhead'.*{re.escape(old)}", text)]
    assert not found, f"no release would raise the version in {found}"
    while (error := xtask("release", "7.8.8")).count("not published yet"):
        page = tree / error.removeprefix("xtask: ").partition(" says")[0]
        text = page.read_text("utf-8")
        assert any(words in text for words in NOT_YET), error
        text = re.sub(r"(?m)^.*not published yet\. Until then(.|\n)*?\n\n", "", text)  # this paragraph has to go
        page.write_text(re.sub("|".join(NOT_YET), "ready", text), "utf-8")
    check_error(error, "")
    assert "\n## 7.8.8 - 2026-11-24\n" in changelog.read_text("utf-8")
    check_error(xtask("release", "7.8.9"), "nothing under")
    changelog.write_text(changelog.read_text("utf-8").replace("## Unreleased\n", "## Unreleased\n\n- core: a change\n", 1), "utf-8")
    record = tree / "packaging/abi.txt"
    declared = record.read_text("utf-8")
    record.write_text(declared + "function void wellhead_removed(void)\n", "utf-8")
    check_error(xtask("release", "7.8.9"), "wellhead_removed is gone")
    # A break that the number of the ABI announces needs another soname as well.
    record.write_text(declared.replace("WELLHEAD_ABI_VERSION = 1", "WELLHEAD_ABI_VERSION = 0"), "utf-8")
    check_error(xtask("release", "7.8.9"), "libwellhead.so.7")
    record.write_text(declared.replace("function uint32_t wellhead_abi_version(void)\n", ""), "utf-8")
    header = tree / "include/wellhead.h"
    text = header.read_text("utf-8")
    header.write_text(text + "\n", "utf-8")
    check_error(xtask("release", "7.8.9"), "cargo xtask header")
    header.write_text(text, "utf-8")
    # Another attempt after an error in the middle, when the version has risen and CHANGELOG has it not.
    attempt = changelog.read_text("utf-8")
    check_error(xtask("release", "7.8.9"), "")
    changelog.write_text(attempt, "utf-8")
    check_error(xtask("release", "7.8.9"), "")
    assert record.read_text("utf-8") == declared, "the release has not recorded the ABI of its headers"
    left = [name for name, text in texts().items() if "7.8.8" in text and name not in {"CHANGELOG.md", *EXPLAINING}]
    assert not left, f"the old version is still in {left}"
    tarballs = {name: set(re.findall(r"/wellhead-(?:linux-x64-gnu-)?(\d[\w.]*)\.tgz", text)) for name, text in texts().items()}
    tarballs = {name: versions for name, versions in tarballs.items() if versions}
    pages = {"README.md", "docs/src/node.md"}
    assert tarballs == {name: {"7.8.9"} for name in pages}, tarballs
    check_error(xtask("manifests", "--check"), "")
    check_error(xtask("header", "--check"), "")
    assert '#define WELLHEAD_VERSION "7.8.9"' in (tree / "include/wellhead.h").read_text("utf-8")
    lock = json.loads((tree / "bindings/node/package-lock.json").read_text("utf-8"))
    assert lock["version"] == lock["packages"][""]["version"] == "7.8.9"
    assert json.loads((tree / "bindings/node/package.json").read_text("utf-8"))["version"] == "7.8.9"
    # Cargo agrees with the lock file, and maturin takes Python's version from this.
    metadata = subprocess.run(["cargo", "metadata", "--locked", "--format-version=1", "--no-deps"], cwd=tree, check=True, stdout=subprocess.PIPE)
    versions = {package["name"]: package["version"] for package in json.loads(metadata.stdout)["packages"]}
    assert set(versions.values()) == {"7.8.9"}, versions
    subprocess.run(["cargo", "tree", "--locked", "--quiet", "--package=wellhead", "--depth=0"], cwd=tree, check=True, stdout=subprocess.DEVNULL)


def check_error(error: str, part: str) -> None:
    assert part in error if part else not error, f"expected an error with {part!r}, got {error!r}"


if __name__ == "__main__":
    sys.exit(main())
