"""Checks the licence of every crate that `cargo metadata` names against the lists of deny.toml."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    rules = (ROOT / "deny.toml").read_text("utf-8")
    allowed = set(ast.literal_eval(re.search(r"^allow = (\[.*?\])$", rules, re.MULTILINE)[1]))
    exceptions = {name: set(ast.literal_eval(more)) for name, more in re.findall(r'crate = "(.+?)", allow = (\[.*?\])', rules)}
    command = ["cargo", "metadata", "--format-version=1", "--all-features", "--locked"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)["packages"]
    refused = [p for p in packages if not permits(p["license"] or "", allowed | exceptions.get(p["name"], set()))]
    for package in refused:
        print(f"{package['name']} {package['version']}: {package['license'] or 'no licence'} is not allowed by deny.toml")
    print(f"{len(packages)} crates, {len(refused)} refused")
    return 1 if refused or not packages else 0


def permits(expression: str, allowed: set[str]) -> bool:
    """Returns whether an SPDX expression can be met; "/" is how old crates write OR."""
    words = re.findall(r"[()]|\bAND\b|\bOR\b|/|[\w.+-]+(?: WITH [\w.-]+)?", expression)
    python = {"AND": "and", "OR": "or", "/": "or", "(": "(", ")": ")"}
    return bool(words) and eval(" ".join(python.get(word) or str(word in allowed) for word in words))


if __name__ == "__main__":
    sys.exit(main())
