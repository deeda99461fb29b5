"""Values that are no text and no bytes become JSON: results of resources, and bodies of `Contents`."""

import asyncio
import dataclasses
import datetime
import enum
import json
import logging
import uuid
from concurrent.futures import Future
from typing import Any, NamedTuple, TypedDict

import pytest
import wellhead


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: float
    at: datetime.date


class Found(TypedDict):
    names: list[str]


class Pair(NamedTuple):
    a: int
    b: str


class Model:
    """Makes JSON as pydantic's models do."""

    def model_dump(self, mode: str, by_alias: bool) -> dict[str, Any]:
        assert mode == "json" and by_alias
        return {"n": 1}


def read(value: Any, **described: Any) -> dict[str, Any]:
    """The contents that a client gets for what a function returns."""
    with wellhead.Server("s", "1") as server:
        server.resource("n:x", **described)(lambda: value)
        with server.test_client(revision="2026-07-28") as client:
            [contents] = client.request("resources/read", {"uri": "n:x"})["contents"]
    return dict(contents)


POINT = Point(1.5, datetime.date(2026, 1, 2))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ({"é": [1, None, True, 0.5]}, '{"é":[1,null,true,0.5]}'),
        (POINT, '{"x":1.5,"at":"2026-01-02"}'),
        (Found(names=["a"]), '{"names":["a"]}'),
        (Model(), '{"n":1}'),
        ([{"a": 1}, POINT, Model()], '[{"a":1},{"x":1.5,"at":"2026-01-02"},{"n":1}]'),
        ([1, "a"], '[1,"a"]'),
        (({"a": 1},), '[{"a":1}]'),
        (Pair(1, "x"), '[1,"x"]'),
        ([[]], "[[]]"),
        ({"color": Color.RED, "id": uuid.UUID(int=0)}, f'{{"color":"red","id":"{uuid.UUID(int=0)}"}}'),
        ({"big": "a" * 200_000}, f'{{"big":"{"a" * 200_000}"}}'),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_text_of_json(value: Any, text: str) -> None:
    assert read(value) == {"uri": "n:x", "mimeType": "application/json", "text": text}
    assert read(wellhead.Contents(value)) == {"uri": "n:x", "mimeType": "application/json", "text": text}
    assert read([wellhead.Contents(value)])["mimeType"] == "application/json"


def test_the_registration_or_the_contents_set_another_mime_type() -> None:
    assert read({"a": 1}, mime_type="application/geo+json")["mimeType"] == "application/geo+json"
    assert read(wellhead.Contents({"a": 1}), mime_type="a/b")["mimeType"] == "a/b"
    assert read(wellhead.Contents({"a": 1}, mime_type="c/d"), mime_type="a/b")["mimeType"] == "c/d"
    assert read([wellhead.Contents({}), wellhead.Contents([])][0], mime_type=None)["mimeType"] == "application/json"


def test_contents_of_a_list_are_json() -> None:
    assert read(wellhead.Contents([]))["text"] == "[]"
    assert read(wellhead.Contents(["a", "b"], version="1"))["text"] == '["a","b"]'


def test_lists_of_contents_and_empty_lists_stay_contents() -> None:
    with wellhead.Server("s", "1") as server:
        server.resource("n:none")(lambda: [])
        server.resource("n:two")(lambda: (wellhead.Contents("a"), wellhead.Contents({"b": 1}, uri="n:b")))
        with server.test_client() as client:
            assert client.request("resources/read", {"uri": "n:none"})["contents"] == []
            one, two = client.request("resources/read", {"uri": "n:two"})["contents"]
    assert (one["text"], "mimeType" in one) == ("a", False)
    assert (two["text"], two["uri"], two["mimeType"]) == ('{"b":1}', "n:b", "application/json")


def test_a_value_that_comes_later_is_json() -> None:
    server = wellhead.Server("s", "1")
    future: Future[Any] = Future()
    future.set_result(POINT)

    @server.resource("n:task", mime_type="a/b")
    async def task() -> dict[str, int]:
        await asyncio.sleep(0)
        return {"a": 1}

    @server.resource("n:future")
    def later() -> Future[Point]:
        return future

    @server.resource("n:pool", thread=True)
    def slow(call: wellhead.Call) -> Found:
        return {"names": [call.uri]}

    async def main() -> None:
        async with server.test_client_async() as client:
            assert json.loads(str(await client.read("n:task"))) == {"a": 1}
            [contents] = (await client.request("resources/read", {"uri": "n:task"}))["contents"]
            assert contents["mimeType"] == "a/b"
            assert json.loads(str(await client.read("n:future"))) == {"x": 1.5, "at": "2026-01-02"}
            [contents] = (await client.request("resources/read", {"uri": "n:pool"}))["contents"]
            assert (contents["mimeType"], contents["text"]) == ("application/json", '{"names":["n:pool"]}')

    asyncio.run(main())


def test_a_fallback_returns_json() -> None:
    with wellhead.Server("s", "1") as server:
        server.fallback(lambda uri: {"uri": uri})
        with server.test_client() as client:
            assert client.read("o:x") == '{"uri":"o:x"}'


def test_set_takes_json_contents() -> None:
    with wellhead.Server("s", "1") as server:
        plain = server.text("n:x", "x")
        typed = server.text("n:y", "x", mime_type="a/b")
        for handle in (plain, typed):
            handle.set(wellhead.Contents({"a": 1}))
        with server.test_client() as client:
            types = [
                client.request("resources/read", {"uri": uri})["contents"][0]["mimeType"] for uri in ("n:x", "n:y")
            ]
            assert client.read("n:x") == client.read("n:y") == '{"a":1}'
    assert types == ["application/json", "a/b"]


LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({1: 2}, "the keys of a JSON object are str"),
        ({"a": object()}, "object is no JSON"),
        ([1, wellhead.Contents("a")], "returned list; return str, bytes"),
        (["a"], "returned list; return str, bytes"),
        ([b"a", "b"], "returned list; return str, bytes"),
        (
            {"a": [float("nan")]},
            "dict cannot be written as JSON: a[0] is NaN or an infinity, which JSON does not have;",
        ),
        ({"a": LOOP}, "recursion"),
        ({"a": "\ud800"}, "dict cannot be written as JSON: a has half of a surrogate pair ('\\ud800' at 0);"),
        (Point, "returned type; return str, bytes"),
        (Model, "returned type; return str, bytes"),
        ({1, 2}, "returned set; return str, bytes"),
    ],
    ids=str,
)
def test_a_value_that_is_no_json_is_an_internal_error(value: Any, why: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(wellhead.ErrorFromServer, match="Internal error"):
        read(value)
    assert why in caplog.text
    assert [record.levelno for record in caplog.records if record.name == "wellhead"] == [logging.ERROR]


def test_a_body_that_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^body must be a str, bytes or JSON, not int$"):
        wellhead.Contents(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^dict cannot be written as JSON: object is no JSON$"):
        wellhead.Contents({"a": object()})
