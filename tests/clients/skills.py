#!/usr/bin/env python3
"""Checks the points of skills over MCP on every host of shelf.txt, on `wellhead serve --skills`, and in both eras.

    skills.py [NAME...]     hosts of shelf.txt, or wellhead

The points are those of the scenarios for skills that the official conformance suite is to have: 30 of enumeration, 4 of the
manifest, 7 of directories. Its pinned version has none yet. Each point is a function; `vectors/rows.tsv` and the extension say why.
"""

import base64
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
REVISIONS = ("2025-11-25", "2026-07-28")
EXTENSION = "io.modelcontextprotocol/skills"
INVALID_PARAMS = -32602
META = "io.modelcontextprotocol/"
FRONT = {
    "name": "pdf",
    "description": "Fills forms.",
    "license": "MIT",
    "since": "2026-01-02",
    "big": 12345678901234567890,
    "metadata": {"list": ["a", 1, 1.5, None, True]},
}
PDF = """---
name: pdf
description: Fills forms.
license: MIT
since: 2026-01-02
big: 12345678901234567890
metadata:
  list: [a, 1, 1.5, null, true]
---
Use it.
"""
FILES = {
    "pdf/SKILL.md": PDF.encode(),
    "pdf/references/FORMS.md": b"# Forms\n",
    "pdf/scripts/fill in.py": b"print(1)\n",
    "pdf/logo.png": b"\x89PNG\r\n\x1a\n\x00\xff",
    "pdf/inner/SKILL.md": b"---\nname: inner\ndescription: Is nested.\n---\n",
    "pdf/.secret": b"hidden",
    "tea/SKILL.md": "\ufeff---\r\nname: tea\r\ndescription: Makes tea.\r\n---\r\nBoil.\r\n".encode(),
    "no-skill/notes.md": b"# No skill\n",
    "Bad_Name/SKILL.md": b"---\nname: Bad_Name\ndescription: Has a wrong name.\n---\n",
    "other/SKILL.md": b"---\nname: another\ndescription: Has the name of no directory.\n---\n",
    "bare/SKILL.md": b"---\nname: bare\n---\n",
}
URIS = ["skill://pdf/SKILL.md", "skill://pdf/inner/SKILL.md", "skill://tea/SKILL.md"]


class Refused(Exception):
    """An error of the server: its code, and its data."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error)
        self.code: int = error["code"]
        self.data = error.get("data")


class Client:
    """A client of a child process, in one revision."""

    def __init__(self, command: list[str], revision: str, folder: Path) -> None:
        self.revision = revision
        self.folder = folder
        self.stateless = revision == "2026-07-28"
        self.number = 0
        self.server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8"
        )
        if self.stateless:
            self.capabilities = self.send_request("server/discover")["capabilities"]
        else:
            about = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "points", "version": "1"}}
            self.capabilities = self.send_request("initialize", about)["capabilities"]
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        assert self.server.stdin is not None
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

    def send_request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Returns the result of a request, or raises Refused."""
        assert self.server.stdout is not None
        params = dict(params or {})
        if self.stateless:
            params["_meta"] = {
                META + "protocolVersion": self.revision,
                META + "clientInfo": {"name": "points", "version": "1"},
                META + "clientCapabilities": {},
            }
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        timer = threading.Timer(30, self.server.kill)
        timer.start()
        try:
            for line in self.server.stdout:
                answer = json.loads(line)
                if answer.get("id") == self.number:
                    if "error" in answer:
                        raise Refused(answer["error"])
                    return dict(answer["result"])
        finally:
            timer.cancel()
        raise AssertionError(f"{method} was not answered")

    def skills(self) -> list[dict[str, Any]]:
        """All skills, page by page."""
        found, params = [], {}
        while True:
            page = self.send_request("skills/list", params)
            found += page["skills"]
            if "nextCursor" not in page:
                return found
            params = {"cursor": page["nextCursor"]}

    def skill(self, uri: str) -> dict[str, Any]:
        return dict(self.send_request("skills/get", {"uri": uri})["skill"])

    def read(self, uri: str) -> dict[str, Any]:
        [contents] = self.send_request("resources/read", {"uri": uri})["contents"]
        return dict(contents)

    def children(self, uri: str) -> list[dict[str, Any]]:
        return list(self.send_request("resources/directory/read", {"uri": uri})["resources"])

    def is_refused(self, method: str, params: dict[str, Any]) -> Any:
        """Returns the data of the error -32602 that a request gives."""
        try:
            result = self.send_request(method, params)
        except Refused as refused:
            assert refused.code == INVALID_PARAMS, refused
            return refused.data
        raise AssertionError(f"{method} {params} gave {result}")

    def end(self) -> None:
        assert self.server.stdin is not None and self.server.stdout is not None
        self.server.stdin.close()
        self.server.stdout.close()
        self.server.wait(30)


def bytes_of(contents: dict[str, Any]) -> bytes:
    return base64.b64decode(contents["blob"]) if "blob" in contents else str(contents["text"]).encode()


def has_cache_hints(client: Client, result: dict[str, Any]) -> bool:
    """Returns whether a result has the members that the revision gives it, and no others of them."""
    members = {"resultType", "ttlMs", "cacheScope"} & result.keys()
    if not client.stateless:
        return not members
    return result["resultType"] == "complete" and result["cacheScope"] in ("public", "private") and result["ttlMs"] >= 0


# ---- enumeration: 30 points

Point = Callable[[Client], object]


def settings_are_an_object(client: Client) -> bool:
    return isinstance(client.capabilities["extensions"][EXTENSION], dict)


def directory_read_is_declared(client: Client) -> bool:
    return client.capabilities["extensions"][EXTENSION].get("directoryRead") is True


def resources_are_declared(client: Client) -> bool:
    return "resources" in client.capabilities


def a_list_is_an_array(client: Client) -> bool:
    return isinstance(client.send_request("skills/list")["skills"], list)


def all_skills_are_listed(client: Client) -> bool:
    return [skill["uri"] for skill in client.skills()] == URIS


def each_uri_is_that_of_a_skill_md(client: Client) -> bool:
    return all(re.fullmatch(r"skill://\S+/SKILL\.md", skill["uri"]) for skill in client.skills())


def the_last_segment_is_the_name(client: Client) -> bool:
    return all(skill["uri"].split("/")[-2] == skill["frontmatter"]["name"] for skill in client.skills())


def front_matter_is_an_object(client: Client) -> bool:
    return all(isinstance(skill["frontmatter"], dict) for skill in client.skills())


def names_have_their_form(client: Client) -> bool:
    names = [skill["frontmatter"]["name"] for skill in client.skills()]
    return all(len(name) <= 64 and re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name) for name in names)


def descriptions_have_their_length(client: Client) -> bool:
    return all(1 <= len(skill["frontmatter"]["description"]) <= 1024 for skill in client.skills())


def all_front_matter_is_there(client: Client) -> bool:
    return client.skill(URIS[0])["frontmatter"] == FRONT


def a_byte_order_mark_and_crlf_are_read(client: Client) -> bool:
    return client.skill(URIS[2])["frontmatter"] == {"name": "tea", "description": "Makes tea."}


def resources_are_files_or_dynamic(client: Client) -> bool:
    return all(skill["resources"] == "dynamic" or isinstance(skill["resources"], list) for skill in client.skills())


def entries_are_unique(client: Client) -> bool:
    uris = [skill["uri"] for skill in client.skills()]
    return len(set(uris)) == len(uris)


def a_nested_skill_is_an_entry(client: Client) -> bool:
    return client.skill(URIS[1])["frontmatter"]["name"] == "inner"


def a_directory_without_skill_md_is_none(client: Client) -> bool:
    return not any("no-skill" in skill["uri"] for skill in client.skills())


def a_wrong_name_is_not_listed(client: Client) -> bool:
    return not any("Bad_Name" in skill["uri"] for skill in client.skills())


def a_name_of_another_directory_is_not_listed(client: Client) -> bool:
    return not any("/other/" in skill["uri"] for skill in client.skills())


def a_skill_without_description_is_not_listed(client: Client) -> bool:
    return not any("/bare/" in skill["uri"] for skill in client.skills())


def skill_md_is_markdown(client: Client) -> bool:
    return client.read(URIS[0])["mimeType"] == "text/markdown"


def skill_md_is_read_as_it_is(client: Client) -> bool:
    return bytes_of(client.read(URIS[0])) == FILES["pdf/SKILL.md"]


def a_supporting_file_is_read(client: Client) -> bool:
    return bytes_of(client.read("skill://pdf/scripts/fill%20in.py")) == FILES["pdf/scripts/fill in.py"]


def skill_md_is_a_resource_of_its_front_matter(client: Client) -> bool:
    listed = {resource["uri"]: resource for resource in client.send_request("resources/list")["resources"]}[URIS[0]]
    return (listed["name"], listed["description"]) == ("pdf", "Fills forms.")


def a_list_has_the_members_of_its_revision(client: Client) -> bool:
    return has_cache_hints(client, client.send_request("skills/list"))


def a_skill_has_the_members_of_its_revision(client: Client) -> bool:
    return has_cache_hints(client, client.send_request("skills/get", {"uri": URIS[0]}))


def a_wrong_cursor_is_refused(client: Client) -> object:
    return client.is_refused("skills/list", {"cursor": "made up"}) is not False


def get_gives_the_listed_entry(client: Client) -> bool:
    return all(client.skill(skill["uri"]) == skill for skill in client.skills())


def get_of_a_supporting_file_is_refused(client: Client) -> bool:
    uri = "skill://pdf/references/FORMS.md"
    return bool(client.is_refused("skills/get", {"uri": uri}) == {"uri": uri})


def get_of_an_unknown_skill_is_refused(client: Client) -> bool:
    uri = "skill://missing/SKILL.md"
    return bool(client.is_refused("skills/get", {"uri": uri}) == {"uri": uri})


def get_without_a_uri_is_refused(client: Client) -> object:
    return client.is_refused("skills/get", {}) is not False


ENUMERATION: tuple[Point, ...] = (
    settings_are_an_object,
    directory_read_is_declared,
    resources_are_declared,
    a_list_is_an_array,
    all_skills_are_listed,
    each_uri_is_that_of_a_skill_md,
    the_last_segment_is_the_name,
    front_matter_is_an_object,
    names_have_their_form,
    descriptions_have_their_length,
    all_front_matter_is_there,
    a_byte_order_mark_and_crlf_are_read,
    resources_are_files_or_dynamic,
    entries_are_unique,
    a_nested_skill_is_an_entry,
    a_directory_without_skill_md_is_none,
    a_wrong_name_is_not_listed,
    a_name_of_another_directory_is_not_listed,
    a_skill_without_description_is_not_listed,
    skill_md_is_markdown,
    skill_md_is_read_as_it_is,
    a_supporting_file_is_read,
    skill_md_is_a_resource_of_its_front_matter,
    a_list_has_the_members_of_its_revision,
    a_skill_has_the_members_of_its_revision,
    a_wrong_cursor_is_refused,
    get_gives_the_listed_entry,
    get_of_a_supporting_file_is_refused,
    get_of_an_unknown_skill_is_refused,
    get_without_a_uri_is_refused,
)

# ---- the manifest: 4 points


def every_file_is_in_the_manifest(client: Client) -> bool:
    inside = {f"skill://{path.replace(' ', '%20')}" for path in FILES if path.startswith("pdf/") and "/." not in path}
    uris = [resource["uri"] for resource in client.skill(URIS[0])["resources"]]
    return len(uris) == len(inside) and set(uris) == inside


def nothing_else_is_in_the_manifest(client: Client) -> bool:
    return not [r for r in client.skill(URIS[0])["resources"] if ".secret" in r["uri"] or "outside" in r["uri"]]


def digests_and_sizes_are_those_of_the_bytes_that_are_read(client: Client) -> bool:
    def agrees(resource: dict[str, Any]) -> bool:
        content = bytes_of(client.read(resource["uri"]))
        return (resource["digest"], resource["size"]) == (f"sha256:{hashlib.sha256(content).hexdigest()}", len(content))

    return all(agrees(resource) for skill in client.skills() for resource in skill["resources"])


def an_entry_is_new_after_a_change(client: Client) -> bool:
    file = client.folder / "tea/SKILL.md"
    before = client.skill(URIS[2])
    file.write_bytes(FILES["tea/SKILL.md"] + b"Drink.\r\n")
    try:
        after = client.skill(URIS[2])
        content = bytes_of(client.read(URIS[2]))
    finally:
        file.write_bytes(FILES["tea/SKILL.md"])
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    return before != after and after["resources"] == [{"uri": URIS[2], "digest": digest, "size": len(content)}]


MANIFEST: tuple[Point, ...] = (
    every_file_is_in_the_manifest,
    nothing_else_is_in_the_manifest,
    digests_and_sizes_are_those_of_the_bytes_that_are_read,
    an_entry_is_new_after_a_change,
)

# ---- directories: 7 points


def direct_children_are_listed(client: Client) -> bool:
    uris = [child["uri"] for child in client.children("skill://pdf")]
    return sorted(uris) == sorted(f"skill://pdf/{name}" for name in ("SKILL.md", "empty", "inner", "logo.png", "references", "scripts"))


def directories_have_their_type(client: Client) -> bool:
    types = {child["uri"]: child["mimeType"] for child in client.children("skill://pdf")}
    return types["skill://pdf/references"] == "inode/directory" and types["skill://pdf/SKILL.md"] == "text/markdown"


def a_directory_below_is_read(client: Client) -> bool:
    return [child["uri"] for child in client.children("skill://pdf/references")] == ["skill://pdf/references/FORMS.md"]


def an_empty_directory_is_an_empty_list(client: Client) -> bool:
    return client.children("skill://pdf/empty") == []


def a_trailing_slash_is_refused(client: Client) -> object:
    return client.is_refused("resources/directory/read", {"uri": "skill://pdf/"}) is not False


def a_file_and_what_is_not_there_are_refused(client: Client) -> bool:
    for uri in (URIS[0], "skill://pdf/missing"):
        client.is_refused("resources/directory/read", {"uri": uri})
    return True


def a_directory_has_the_members_of_its_revision(client: Client) -> bool:
    return has_cache_hints(client, client.send_request("resources/directory/read", {"uri": "skill://pdf"}))


DIRECTORY: tuple[Point, ...] = (
    direct_children_are_listed,
    directories_have_their_type,
    a_directory_below_is_read,
    an_empty_directory_is_an_empty_list,
    a_trailing_slash_is_refused,
    a_file_and_what_is_not_there_are_refused,
    a_directory_has_the_members_of_its_revision,
)

SCENARIOS = {"enumeration": ENUMERATION, "manifest": MANIFEST, "directory": DIRECTORY}


def pages_of_a_callback(command: list[str], revision: str) -> bool:
    """Returns whether the skills that a callback lists in pages of two come all, once, and promise nothing about files."""
    client = Client([*command, "--skills"], revision, Path())
    try:
        skills = client.skills()
        return [skill["uri"] for skill in skills] == [f"skill://team/skill-{n}/SKILL.md" for n in range(5)] and all(
            skill["resources"] == "dynamic" for skill in skills
        )
    finally:
        client.end()


def make(folder: Path) -> None:
    for path, content in FILES.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    (folder / "pdf/empty").mkdir()
    (folder.parent / "outside.txt").write_text("outside\n")
    (folder / "pdf/outside.txt").symlink_to("../../outside.txt")


def hosts() -> dict[str, list[str]]:
    lines = [line for line in (HERE / "shelf.txt").read_text().splitlines() if line.strip() and not line.startswith("#")]
    named = (line.split(" = ", 1) for line in lines)
    return {name: [word.format(root=ROOT, target=TARGET) for word in shlex.split(command)] for name, command in named}


def holds(point: Point, client: Client) -> bool:
    try:
        return bool(point(client))
    except (AssertionError, Refused, KeyError, ValueError) as error:
        print(f"# {point.__name__}: {error!r}")
        return False


def check(name: str, started: list[str], revision: str, folder: Path) -> int:
    """Prints a line for each scenario, and returns how many points failed."""
    failed = 0
    client = Client([*started, str(folder)], revision, folder)
    try:
        for scenario, points in SCENARIOS.items():
            wrong = [point.__name__ for point in points if not holds(point, client)]
            failed += len(wrong)
            word = "not ok" if wrong else "ok"
            print(f"{word} {name} / {revision} / {scenario}: {len(points) - len(wrong)} of {len(points)} {' '.join(wrong)}".rstrip())
    finally:
        client.end()
    return failed


def main(names: list[str]) -> int:
    assert [len(points) for points in SCENARIOS.values()] == [30, 4, 7]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve() / "skills"
        folder.mkdir()
        make(folder)
        for name, command in {**hosts(), "wellhead": [str(TARGET / "debug/wellhead"), "serve"]}.items():
            if names and name not in names:
                continue
            for revision in REVISIONS:
                failed += check(name, [*command, "--skills"], revision, folder)
                if name != "wellhead" and not pages_of_a_callback(command, revision):
                    failed += 1
                    print(f"not ok {name} / {revision} / pages of a callback")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
