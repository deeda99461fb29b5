"""A folder, and what is said about templates."""

import json
from pathlib import Path

import pytest
import wellhead
from client import read_or_error, request


def test_a_folder_is_listed_and_read(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes", "utf-8")
    (tmp_path / "draft.md").write_text("# Draft", "utf-8")
    (tmp_path / "big.md").write_text("x" * 100, "utf-8")
    (tmp_path / ".hidden").write_text("hidden", "utf-8")
    server = wellhead.Server("s", "1")
    folder = server.directory(tmp_path, include=["*.md"], exclude=["draft*"], max_file_bytes=99, settle_ms=0)
    root = tmp_path.resolve().as_uri()
    assert folder.registered_as.startswith(root) and "{+path}" in folder.registered_as
    answer = server.connect().handle(request(1, "resources/list"))
    assert answer is not None
    assert f'"uri":"{root}/notes.md"'.encode() in answer
    assert b"draft" not in answer and b"big" not in answer and b"hidden" not in answer
    assert read_or_error(server, f"{root}/notes.md") == "# Notes"
    assert read_or_error(server, f"{root}/draft.md") == "Resource not found"
    reference = {"type": "ref/resource", "uri": folder.registered_as}
    argument = {"name": "path", "value": "no"}
    answer = server.connect().handle(request(2, "completion/complete", ref=reference, argument=argument))
    assert answer is not None and b'"values":["notes.md"]' in answer
    folder.remove()
    assert read_or_error(server, f"{root}/notes.md") == "Resource not found"


def test_a_folder_is_searched_by_a_tool(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\nBuy tea.", "utf-8")
    (tmp_path / ".hidden").write_text("tea", "utf-8")
    server = wellhead.Server("s", "1", resources_as_tools=True)
    server.directory(tmp_path, watch=False)
    arguments = {"name": "search", "arguments": {"query": "tea"}}
    answer = json.loads(server.connect().handle(request(1, "tools/call", **arguments)) or b"")
    uri = (tmp_path.resolve() / "notes.md").as_uri()
    found = {"id": uri, "title": "notes.md", "url": "", "text": "Buy tea."}
    assert answer["result"]["structuredContent"] == {"results": [found]}


# row: SK-51
def test_a_change_of_a_skill_reaches_its_subscribers(tmp_path: Path) -> None:
    skill = tmp_path / "pdf" / "SKILL.md"
    skill.parent.mkdir()
    skill.write_text("---\nname: pdf\ndescription: Reads PDF.\n---\n", "utf-8")
    server = wellhead.Server("s", "1")
    server.skills(tmp_path, settle_ms=0)
    with server.test_client() as client:
        client.subscribe("skill://pdf/SKILL.md")
        with skill.open("a", encoding="utf-8") as file:
            file.write("More.")
        assert client.next_update(timeout=60) == "skill://pdf/SKILL.md"


def test_a_missing_folder_a_file_and_a_wrong_option_are_refused(tmp_path: Path) -> None:
    server = wellhead.Server("s", "1")
    with pytest.raises(wellhead.Error, match="nowhere") as raised:
        server.directory(tmp_path / "nowhere")
    assert raised.value.code == "io"
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(wellhead.UsageError, match="not a folder"):
        server.directory(str(tmp_path / "file"))
    with pytest.raises(wellhead.UsageError, match="at most 60,000"):
        server.directory(tmp_path, settle_ms=60_001)


def test_explain_names_the_registration_of_a_uri_and_those_passed_over() -> None:
    server = wellhead.Server("s", "1")
    server.text("n:about", "x")
    server.resource("n:{id}")(lambda id: id)
    server.resource("f:///{path}")(lambda path: path)
    assert server.explain("n:about").taken_by == "fixed"
    found = server.explain("n:a%20b")
    assert (found.uri, found.taken_by, found.uri_template, found.vars) == (
        "n:a%20b",
        "template",
        "n:{id}",
        {"id": "a b"},
    )
    assert [(passed.uri_template, passed.why, passed.at) for passed in found.passed_over] == [
        ("f:///{path}", "differs", 0)
    ]
    nested = server.explain("f:///a/b")
    assert nested.taken_by == "nothing" and nested.passed_over[0].did_you_mean == "f:///{+path}"
    assert "f:///{+path}" in str(nested)
    unsafe = server.explain("n:..").passed_over[1]
    assert (unsafe.why, unsafe.variable) == ("unsafe", "id")
    assert server.explain("no uri").reason


def test_a_value_to_expand_is_text_a_list_or_pairs() -> None:
    assert wellhead.expand("n:{id}{?q}", {"id": "a/b", "q": ""}) == "n:a%2Fb?q="
    assert wellhead.expand("n:x{/p*}{?q*}", {"p": ["a", "b"], "q": {"c": "d"}}) == "n:x/a/b?c=d"
    with pytest.raises(TypeError, match="dict of str"):
        wellhead.expand("n:{id}", {"id": 5})  # type: ignore[dict-item]
    with pytest.raises(wellhead.UsageError):
        wellhead.expand("n:{id", {})


def test_a_callback_may_be_busy_for_some_seconds() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:{id}", kind="note")
    def note(id: str, call: wellhead.Call) -> str | wellhead.NotModified:
        if call.if_version == "1":
            return wellhead.NOT_MODIFIED
        raise wellhead.Busy(1500)

    assert read_or_error(server, "n:a") not in (None, "Internal error")
    assert repr(wellhead.NOT_MODIFIED) == "wellhead.NOT_MODIFIED"
    assert wellhead.Busy().retry_after_ms is None
    for wrong in (-1, "3"):
        with pytest.raises(ValueError, match="milliseconds"):
            wellhead.Busy(wrong)  # type: ignore[arg-type]


def test_a_call_has_the_meta_of_its_request() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:a")
    def meta(call: wellhead.Call) -> str:
        return str(call.meta["io.modelcontextprotocol/protocolVersion"])

    assert read_or_error(server, "n:a") == "2026-07-28"
