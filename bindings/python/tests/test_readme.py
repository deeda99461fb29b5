"""Each block of Python in the package's README runs, and does what the text around it says."""

import asyncio
import logging
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mypy.api
import pytest
import wellhead
from asgi_client import read, send_request, text
from client import outcome
from client import read as message

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# The blocks by the headings that they stand under.
BLOCKS = {
    section.split("\n", 1)[0]: BLOCK.findall(section) for section in re.split(r"^##? ", README, flags=re.MULTILINE)[1:]
}
CHECKS: dict[str, Callable[..., None]] = {}

Names = dict[str, Any]


def check(heading: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        CHECKS[heading] = function
        return function

    return decorate


@check("wellhead")
def smallest(names: Names) -> None:
    answer = names["run"](message("hello://people/Ada"))
    assert outcome(answer) == "Hello, Ada!"


@check("Asking the client")
def client_requests(names: Names) -> None:
    for revision in ("2025-06-18", "2026-07-28"):
        names["notes"]["a"] = "Buy milk."
        sure = {"sure": False}

        def answer(method: str, params: dict[str, Any], sure: dict[str, bool] = sure) -> dict[str, Any]:
            assert (method, params["message"]) == ("elicitation/create", "Delete the note a?")
            return {"action": "accept", "content": sure}

        with names["server"].test_client(
            revision=revision, capabilities={"elicitation": {}}, on_request=answer
        ) as client:
            assert client.call_tool("delete", {"name": "a"})["content"][0]["text"] == "The note stays."
            sure["sure"] = True
            assert client.call_tool("delete", {"name": "a"})["content"][0]["text"] == "The note is gone."
        assert names["notes"] == {}


@check("Listing a table")
def listing(names: Names) -> None:
    database = names["database"]
    database.executemany(
        "insert into notes (title, body) values (?, ?)", [(f"title {n}", f"body {n}") for n in range(3)]
    )
    first = names["list_notes"](None, 2)
    assert ([item.uri for item in first.items], first.more) == (["notes://1", "notes://2"], True)
    with names["server"].test_client() as client:
        assert [item.name for item in client.list()] == ["title 0", "title 1", "title 2"]
        assert client.read("notes://2") == "body 1"
        with pytest.raises(wellhead.ResourceNotFound):
            client.read("notes://9")
    database.close()


@check("Templates")
def templates(names: Names) -> None:
    with names["server"].test_client() as client:
        assert client.read("files:///docs/a.txt") == "one"
        assert client.read("files:///docs/b.png?lines=1") == b"\x89PNG"
        assert client.complete("files:///{+path}{?lines}", "path", "docs/a") == ["docs/a.txt"]
        assert client.complete("sizes:///{unit}", "unit", "k") == ["KiB"]
        assert client.read("sizes:///B") == '{"docs/a.txt":3.0,"docs/b.png":4.0}'
        with pytest.raises(wellhead.ResourceNotFound):
            client.read("files:///../x")
    assert names["server"].explain("files:///docs/a.txt").taken_by == "template"


@check("Around each call")
def around(names: Names) -> None:
    with names["server"].test_client() as client:
        assert client.read("notes://1") == "note 1"
        refused = client.call_tool("erase", {"note": 1})
        assert refused["content"] == [{"type": "text", "text": "Only an administrator may erase notes."}]
        assert refused["isError"]
    with names["server"].test_client(caller=wellhead.Caller(b"admin")) as client:
        assert client.call_tool("erase", {"note": 1})["content"] == [{"type": "text", "text": "erased 1"}]
    assert names["times"].keys() == {"notes://1", "erase"}


@check("Tools and prompts")
def tools(names: Names) -> None:
    def sample(method: str, params: Names) -> Names:
        assert method == "sampling/createMessage"
        return {"role": "assistant", "model": "m", "content": {"type": "text", "text": "short"}}

    with names["server"].test_client(capabilities={"sampling": {}}, on_request=sample) as client:
        assert client.call_tool("add", {"a": 1, "b": 2})["content"][0]["text"] == "3.0"
        assert client.call_tool("divide", {"a": 7, "b": 2})["structuredContent"] == {"quotient": 3, "rest": 1}
        assert client.call_tool("plot", {"values": [1]})["content"][1]["text"] == "1 values"
        assert client.call_tool("shout", {"text": "a"})["content"][0]["text"] == "A"
        assert client.call_tool("divide", {"a": 1, "b": 0})["content"][0]["text"] == "b is 0; give another number"
        prompt = client.get_prompt("explain", {"topic": "sums"})
        assert prompt["messages"][0]["content"]["text"] == "Explain sums to a child."
        assert prompt["messages"][1]["role"] == "assistant"
        assert client.complete("explain", "tone", "f") == ["funny"]
        assert client.complete("explain", "topic", "p") == ["products"]
        assert client.call_tool("summarize", {"text": "…"})["content"][0]["text"] == "short"


@check("Apps")
def apps(names: Names) -> None:
    with names["server"].test_client() as client:
        assert client.read("ui://poll/page").startswith("<!doctype html>")
        assert client.call_tool("vote", {"dish": "Pizza"})["content"][0]["text"] == "{'Noodles': 0, 'Pizza': 1}"
        assert client.call_tool("poll")["content"][0]["text"] == "{'Noodles': 0, 'Pizza': 1}"


@check("Updates")
def updates(names: Names) -> None:
    with names["server"].test_client() as client:
        assert client.read("clock://now") == "12:01"
        client.subscribe("clock://now")
        names["clock"].set("12:02")
        names["clock"].set("12:03")
        assert client.next_update() == "clock://now"
        names["server"].notify_resource_list_changed()
        assert client.list_changes() == 1


@check("Async")
def on_a_loop(names: Names) -> None:
    with names["server"].test_client() as client:
        assert client.read("pages://7") == "page 7"
        assert client.read("reports://2020") == "a report of 2020 that takes a second to write"
    assert outcome(names["run"](message("pages://7"))) == "page 7"


@check("Lifespan")
def lifespan(names: Names) -> None:
    async def main() -> None:
        app = names["server"].asgi()
        async with app.lifespan():
            assert await text(read(app, "pages://count")) == "1"

    asyncio.run(main())


@check("A thread for each request")
def thread_for_each_request(names: Names) -> None:
    with names["server"].endpoint() as endpoint:
        assert endpoint.handle("GET", "/other").status >= 400


@check("Over HTTP")
def over_http(names: Names) -> None:
    async def main() -> None:
        for app in (names["app"], names["starlette"], names["fastapi"]):
            assert await text(read(app, "pages://1")) == "one"
        async with names["app"].lifespan():
            pass

    asyncio.run(main())


@check("Authentication")
def authentication(names: Names) -> None:
    async def main() -> None:
        app = names["app"]
        assert (await send_request(app, "resources/read", "notes://ada/1", uri="notes://ada/1").done()).status == 401

    asyncio.run(main())
    verified = names["verify"]("token-of-ada")
    assert isinstance(verified, wellhead.Grant) and names["verify"]("x") is None
    with names["server"].test_client(caller=wellhead.Caller("ada")) as client:
        assert client.read("notes://ada/1") == "note 1 of ada"
        with pytest.raises(wellhead.ResourceNotFound):
            client.read("notes://bob/1")


@check("Several workers")
def several_workers(names: Names) -> None:
    again = names["again"]()
    for server in (names["server"], again["server"]):
        server.list([wellhead.Resource(f"n:{n}") for n in range(1500)], name="notes")

    async def main() -> None:
        first = (await send_request(names["app"], "resources/list").json())["result"]
        second = (await send_request(again["app"], "resources/list", cursor=first["nextCursor"]).json())["result"]
        assert len(first["resources"]) + len(second["resources"]) == 1500

    asyncio.run(main())


@check("Testing")
def a_client_in_memory(names: Names) -> None:
    names["test_greeting"]()
    asyncio.run(names["test_greeting_on_a_loop"]())


@check("Logging")
def logs(names: Names, caplog: pytest.LogCaptureFixture) -> None:
    with names["server"].test_client() as client:
        client.read("hello://Ada")
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("calls", logging.WARNING)
    assert record.getMessage() == "resources/read hello://{name}: found"


@check("Errors")
def errors(names: Names) -> None:
    with names["server"].test_client() as client:
        with pytest.raises(wellhead.ResourceNotFound):
            client.read("jobs://101")
        with pytest.raises(wellhead.Busy) as raised:
            client.read("jobs://1")
        assert raised.value.retry_after_ms == 2000


def test_each_block_of_the_readme_has_a_check() -> None:
    assert {heading: len(blocks) for heading, blocks in BLOCKS.items() if blocks} == dict.fromkeys(CHECKS, 1)


@pytest.mark.parametrize("heading", CHECKS)
def test_a_code_block_of_the_readme_runs_as_described(
    heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CURSOR_KEY", "ab" * 32)
    (block,) = BLOCKS[heading]

    def executed() -> Names:
        names: Names = {"__name__": "readme"}
        exec(compile(block, "README.md", "exec", dont_inherit=True), names)
        return names

    def run(line: bytes) -> bytes:
        """The answer of the block as a program."""
        ended = subprocess.run([sys.executable, "-c", block], input=line, capture_output=True, timeout=50, check=True)
        assert ended.stderr == b""
        return ended.stdout

    names = {} if heading == "wellhead" else executed()  # the first block serves at once
    helpers = {"run": run, "again": executed}
    arguments = [caplog] if heading == "Logging" else []
    CHECKS[heading]({**names, **helpers}, *arguments)


def test_the_types_of_the_blocks_are_right(tmp_path: Path) -> None:
    files = []
    for number, block in enumerate(BLOCK.findall(README)):
        files.append(tmp_path / f"block_{number}.py")
        files[-1].write_text(block, "utf-8")
    # Not `--strict`: a reader may annotate with a plain `dict`.
    said, failed, status = mypy.api.run(["--config-file=", "--check-untyped-defs", *map(str, files)])
    assert (failed, status) == ("", 0), said


def test_each_example_and_name_in_the_readme_exists() -> None:
    package = Path(__file__).parents[1]
    for path in re.findall(r"`(examples/[\w./]+)`", README):
        assert (package / path).exists(), path
    for name in re.findall(r"\bwellhead\.([A-Za-z]\w+)", README):
        assert hasattr(wellhead, name), name
