"""Writes the bill of materials of something that is shipped: the crates that are linked into it and what runtimes.py records, as CycloneDX in JSON.

    sbom.py CRATE TARGET FILE [FEATURES]

CRATE is a member of the workspace, TARGET a target of rustc, FEATURES a list with commas for cargo. Two files of one commit and one compiler are
equal in any folder. cargo-cyclonedx 0.5.9, which maturin contains, writes the folder of the workspace into the file.
"""

import json
import os
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

import runtimes

ROOT = Path(__file__).resolve().parents[1]
Crate = tuple[str, str]
"""Name and version."""


def main(crate: str, target: str, file: Path, features: str = "") -> None:
    root, edges = linked(crate, target, features)
    packages = {(p["name"], p["version"]): p for p in json.loads(output("cargo", "metadata", "--format-version=1", "--locked"))["packages"]}
    sums = checksums()
    std, *others = runtimes.linked(crate, target)
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": made(),
            "component": component(packages[root], None),
            "properties": [{"name": "wellhead:target", "value": target}],
        },
        "components": [*(component(packages[one], sums.get(one)) for one in sorted(edges) if one != root), *map(runtime, [std, *others])],
        "dependencies": [
            {"ref": reference(one), "dependsOn": [*map(reference, sorted(edges[one])), std.reference]} for one in sorted(edges)
        ]
        + [{"ref": std.reference, "dependsOn": [one.reference for one in others]}]
        + [{"ref": one.reference} for one in others],
    }
    # Names the content: files that differ have other numbers, and equal ones the same.
    bom["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bom)).urn
    file.write_text(json.dumps(bom, indent=1) + "\n", "utf-8", newline="\n")


def linked(crate: str, target: str, features: str) -> tuple[Crate, dict[Crate, set[Crate]]]:
    """The crate itself, and for each crate that is linked those that it uses. Procedural macros and build scripts are not linked."""
    tree = output(
        "cargo", "tree", "--locked", f"--package={crate}", f"--target={target}", f"--features={features}",
        "--edges=normal,no-proc-macro", "--prefix=depth", "--no-dedupe", "--format= {p}",
    )  # fmt: skip
    path: list[Crate] = []
    edges: dict[Crate, set[Crate]] = {}
    for line in filter(str.strip, tree.splitlines()):
        depth, name, version = line.split()[:3]
        del path[int(depth) :]
        path.append((name, version.removeprefix("v")))
        edges.setdefault(path[-1], set())
        if len(path) > 1:
            edges[path[-2]].add(path[-1])
    return path[0], edges


def component(package: dict, checksum: str | None) -> dict:
    name, version = package["name"], package["version"]
    fields = {
        "type": "library",
        "bom-ref": reference((name, version)),
        "name": name,
        "version": version,
        "description": " ".join((package["description"] or "").split()),
        "licenses": [{"expression": package["license"].replace("/", " OR ")}],
    }
    if checksum:
        fields["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    # Those of the workspace that are in no registry have no address there.
    if package["publish"] != []:
        fields["purl"] = f"pkg:cargo/{name}@{version}"
    if package["repository"]:
        fields["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return fields


def runtime(one: runtimes.Runtime) -> dict:
    fields = {
        "type": "library",
        "bom-ref": one.reference,
        "name": one.name,
        "version": one.version,
        "description": one.description,
        "licenses": [{"expression": one.licence}],
        "externalReferences": [{"type": "vcs" if "github.com" in one.source else "website", "url": one.source}],
    }
    if one.crate:
        fields["purl"] = f"pkg:cargo/{one.name}@{one.version}"
    return fields


def reference(crate: Crate) -> str:
    return "@".join(crate)


def checksums() -> dict[Crate, str]:
    blocks = re.findall(r'name = "(.*)"\nversion = "(.*)"\nsource = .*\nchecksum = "(.*)"', (ROOT / "Cargo.lock").read_text("utf-8"))
    return {(name, version): checksum for name, version, checksum in blocks}


def made() -> str:
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct")
    return datetime.fromtimestamp(int(seconds), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), *sys.argv[4:])
