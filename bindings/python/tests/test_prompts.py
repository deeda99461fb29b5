"""Prompts with type hints: how they are listed, what their functions get, and what they return."""

import asyncio
import datetime
import enum
import functools
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
import wellhead

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Note:
    """As `pydantic.Field`."""

    def __init__(self, **members: object) -> None:
        self.__dict__.update(members)


def server() -> wellhead.Server:
    return wellhead.Server("prompts", "1")


def listed(of: wellhead.Server, revision: str = "2026-07-28") -> dict[str, Any]:
    with of.test_client(revision=revision) as client:
        [prompt] = client.request("prompts/list")["prompts"]
    return dict(prompt)


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


def user(content: dict[str, str]) -> dict[str, Any]:
    return {"role": "user", "content": content}


def get(function: Callable[..., Any], arguments: dict[str, Any], revision: str = "2026-07-28") -> Any:
    """The messages of a prompt."""
    of = server()
    of.prompt("p")(function)
    with of.test_client(revision=revision) as client:
        return client.request("prompts/get", {"name": "p", "arguments": arguments})["messages"]


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_function_is_a_prompt(revision: str) -> None:
    of = server()

    @of.prompt
    def explain(topic: str, words: Annotated[int, "How long"] = 100) -> str:
        """Explains something.

        Args:
            topic: The thing to explain.
        """
        return f"Explain {topic} in {words} words."

    assert explain("a") == "Explain a in 100 words."  # it stays what it was
    assert listed(of, revision) == {
        "name": "explain",
        "description": "Explains something.",
        "arguments": [
            {"name": "topic", "description": "The thing to explain.", "required": True},
            {"name": "words", "description": "How long"},
        ],
    }
    with of.test_client(revision=revision) as client:
        result = client.get_prompt("explain", {"topic": "sums", "words": "7"})
        assert result["messages"] == [user(text("Explain sums in 7 words."))]
        assert client.get_prompt("explain", {"topic": "", "unknown": "x"})["messages"][0]["content"] == text(
            "Explain  in 100 words."
        )


def test_title_description_icons_and_meta_may_be_given() -> None:
    of = server()

    @of.prompt("p", title="T", description="D", icons=[{"src": "data:,"}], meta={"a": 1})
    def function(
        one: Annotated[str, Note(title="One", description="The first")],
        two: Annotated[Color, "The second"] | None,
        three: Annotated[float | None, "The third"],
        four: Any = None,
    ) -> str:
        """Not this.

        :param one: Nor this.
        """
        return ""

    definition = listed(of)
    assert definition["arguments"] == [
        {"name": "one", "title": "One", "description": "The first", "required": True},
        {"name": "two", "description": "The second"},
        {"name": "three", "description": "The third"},
        {"name": "four"},
    ]
    members = {member: definition[member] for member in ("name", "title", "description", "icons", "_meta")}
    given = {"name": "p", "title": "T", "description": "D", "icons": [{"src": "data:,"}], "_meta": {"a": 1}}
    assert members == given


def test_a_prompt_without_parameters_has_no_arguments() -> None:
    of = server()
    of.prompt(name="p")(lambda: "x")
    assert listed(of) == {"name": "p"}
    with of.test_client() as client:
        assert client.get_prompt("p")["messages"] == [user(text("x"))]


# row: PR-05
def test_arguments_have_the_types_of_their_parameters() -> None:
    seen: list[Any] = []

    def function(  # type: ignore[no-untyped-def]
        untyped,
        n: int,
        x: float,
        on: bool,
        day: datetime.date,
        id: uuid.UUID,
        color: Color,
        kind: Literal["a", "b"],
        absent: int | None,
        *,
        default: Color = Color.BLUE,
    ) -> str:
        seen.append((untyped, n, x, on, day, id, color, kind, absent, default))
        return ""

    get(
        function,
        {
            "untyped": "é",
            "n": "-7",
            "x": "0.5",
            "on": "true",
            "day": "2026-01-02",
            "id": str(uuid.UUID(int=5)),
            "color": "red",
            "kind": "b",
        },
    )
    day = datetime.date(2026, 1, 2)
    assert seen == [("é", -7, 0.5, True, day, uuid.UUID(int=5), Color.RED, "b", None, Color.BLUE)]


# row: PR-05
@pytest.mark.parametrize("revision", REVISIONS)
def test_the_error_names_wrong_arguments(revision: str) -> None:
    def function(code: str, language: str, n: int = 1, color: Color = Color.RED) -> str:
        raise AssertionError("this is not called")

    def refused(arguments: dict[str, Any]) -> tuple[int, str, Any]:
        with pytest.raises(wellhead.ErrorFromServer) as raised:
            get(function, arguments, revision)
        return raised.value.rpc_code, raised.value.message, raised.value.data

    both = ["code", "language"]
    assert refused({}) == (-32602, "Missing required arguments: code, language", {"missing": both})
    assert refused({"code": ""}) == (-32602, "Missing required arguments: language", {"missing": ["language"]})
    given = {"code": "", "language": ""}
    assert refused({**given, "n": "07", "color": "pink"}) == (
        -32602,
        'Invalid arguments for prompt p: n: must be an integer (got "07"); '
        'color: must be one of "red", "blue" (got "pink")',
        {"invalid": ["n", "color"]},
    )
    for value in (7, None, ["x"]):
        number, message, _ = refused({**given, "n": value})
        assert number == -32602 and "n" in message and "string" in message


PNG = {"type": "image", "data": "AQI=", "mimeType": "image/png"}
WAV = {"type": "audio", "data": "", "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": "n:x", "name": "x"}
PICTURE = wellhead.Image(b"\1\2", "image/png")


@pytest.mark.parametrize(
    ("returned", "messages"),
    [
        ("a", [user(text("a"))]),
        (PICTURE, [user(PNG)]),
        (wellhead.Audio(b"", "audio/wav"), [user(WAV)]),
        (wellhead.Message("assistant", "a"), [{"role": "assistant", "content": text("a")}]),
        (LINK, [user(LINK)]),
        ({"role": "assistant", "content": text("a")}, [{"role": "assistant", "content": text("a")}]),
        ({"role": "user", "content": "a"}, [user(text("a"))]),
        ({"messages": [user(PNG)], "description": "D"}, [user(PNG)]),
        ([], []),
        (
            ["a", PICTURE, wellhead.Message("assistant", PICTURE), {"role": "user", "content": text("b")}],
            [user(text("a")), user(PNG), {"role": "assistant", "content": PNG}, user(text("b"))],
        ),
        (("a", wellhead.Message("user", LINK)), [user(text("a")), user(LINK)]),
    ],
    ids=repr,
)
def test_a_returned_value_becomes_messages(returned: Any, messages: Any) -> None:
    async def later() -> Any:
        await asyncio.sleep(0)
        return returned

    async def main() -> Any:
        of = server()
        of.prompt(later)
        async with of.test_client_async(revision="2026-07-28") as client:
            return (await client.get_prompt("later"))["messages"]

    assert get(lambda: returned, {}) == messages
    assert asyncio.run(main()) == messages


@pytest.mark.parametrize(
    "returned", [None, 5, b"a", {}, {"role": "user"}, [["a"]], {"role": "user", "content": [text("a")]}], ids=repr
)
def test_a_value_that_is_no_message_is_an_internal_error(returned: Any, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(wellhead.ErrorFromServer, match="Internal error"):
        get(lambda: returned, {})
    assert "the prompt returned" in caplog.text and "return a str, wellhead.Message" in caplog.text


def test_a_wrong_message_is_refused() -> None:
    with pytest.raises(ValueError, match=r'^role must be "user" or "assistant" \(got \'system\'\)$'):
        wellhead.Message("system", "a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^content must be a str, wellhead\.Image, .* not int$"):
        wellhead.Message("user", 5)  # type: ignore[arg-type]
    assert repr(wellhead.Message("user", "a")) == "Message('user', {'type': 'text', 'text': 'a'})"


# row: PR-14
def test_the_choices_of_a_parameter_are_its_completions() -> None:
    of = server()

    @of.prompt(complete={"topic": ["sums", "products"], "kind": ["given"]})
    def function(topic: str, color: Color, kind: Literal["a"], level: Literal["Low", "lower"] | None, on: bool) -> str:
        return topic

    with of.test_client() as client:
        assert client.complete("function", "topic", "s") == ["sums"]
        assert client.complete("function", "color", "") == ["red", "blue"]
        assert client.complete("function", "kind", "") == ["given"]
        assert client.complete("function", "level", "LOW") == ["Low", "lower"]
        assert client.complete("function", "on", "f") == ["false"]
    of.remove_prompt("function")
    assert of.prompt(function) is function


def test_a_prompt_may_take_the_call_and_raise() -> None:
    of = server()

    @of.prompt
    def who(name: str, *, call: wellhead.Call) -> str:
        if name == "secret":
            raise ValueError("a secret")
        if name == "told":
            raise wellhead.MethodError(-32001, "not this one")
        return f"{call.name} {name}"

    assert [argument["name"] for argument in listed(of)["arguments"]] == ["name"]
    with of.test_client() as client:
        assert client.get_prompt("who", {"name": "x"})["messages"] == [user(text("who x"))]
        with pytest.raises(wellhead.ErrorFromServer, match="not this one"):
            client.get_prompt("who", {"name": "told"})
        with pytest.raises(wellhead.ErrorFromServer, match="Internal error") as raised:
            client.get_prompt("who", {"name": "secret"})
    assert "secret" not in str(raised.value.data)


def test_methods_and_partials_are_prompts() -> None:
    class Prompts:
        def hello(self, name: "str", times: "int" = 1) -> str:
            """Greets."""
            return name * times

    of = server()
    of.prompt(Prompts().hello)
    of.prompt("part")(functools.partial(Prompts().hello, times=2))
    with of.test_client() as client:
        assert client.get_prompt("hello", {"name": "a", "times": "3"})["messages"] == [user(text("aaa"))]
        assert client.get_prompt("part", {"name": "a"})["messages"] == [user(text("aa"))]


def test_a_definition_takes_a_dict_and_returns_the_result() -> None:
    of = server()

    @of.prompt("raw", {"arguments": [{"name": "a", "required": True}]}, description="D")
    def raw(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"messages": [user(text(repr(arguments)))]}

    assert listed(of) == {"name": "raw", "description": "D", "arguments": [{"name": "a", "required": True}]}
    with of.test_client() as client:
        assert client.get_prompt("raw", {"a": "x", "b": "y"})["messages"] == [user(text("{'a': 'x', 'b': 'y'}"))]
