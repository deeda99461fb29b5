"""Tools with type hints: their schemas, what their functions get, and what becomes of what they return."""

import base64
import dataclasses
import datetime
import decimal
import enum
import functools
import json
import pathlib
import sys
import types
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NewType, Optional, TypedDict, Union

import pytest
import wellhead
from client import request

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
UUID = "12345678-1234-5678-1234-567812345678"


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Point:
    """A place."""

    x: float
    y: float = 0
    next: "Point | None" = None


@dataclasses.dataclass(frozen=True)
class Plain:
    a: int


@dataclasses.dataclass
class Short:
    text: str


@dataclasses.dataclass
class Long:
    text: str
    style: str


@dataclasses.dataclass
class Span:
    start: int
    end: int

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError("the end is before the start")


SHORT = {"text": "a"}


class Options(TypedDict, total=False):
    depth: int
    name: Annotated[str, "The name to look for"]


class Found(TypedDict):
    names: list[str]


Id = NewType("Id", int)


class Model:
    """Makes and reads JSON as pydantic's models do."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and other.n == self.n

    @classmethod
    def model_json_schema(cls, ref_template: str, mode: str) -> dict[str, Any]:
        inner = ref_template.format(model="Inner")
        return {
            "type": "object",
            "properties": {"n": {"$ref": inner}},
            "required": ["n"],
            "$defs": {"Inner": {"type": "integer"}},
        }

    @classmethod
    def model_validate(cls, value: dict[str, Any]) -> "Model":
        if value["n"] < 0:
            raise ValueError("n is negative\nfor reasons")
        return cls(value["n"])

    def model_dump(self, mode: str, by_alias: bool) -> dict[str, Any]:
        assert mode == "json" and by_alias
        return {"n": self.n}


class Bound:
    """As `annotated_types.Ge` and the like."""

    def __init__(self, **members: object) -> None:
        self.__dict__.update(members)


def server() -> wellhead.Server:
    return wellhead.Server("tools", "1")


def definition(of: wellhead.Server, revision: str = "2026-07-28") -> dict[str, Any]:
    with of.test_client(revision=revision) as client:
        [tool] = client.request("tools/list")["tools"]
    return dict(tool)


def call(function: Callable[..., Any], arguments: dict[str, Any], revision: str = "2026-07-28") -> dict[str, Any]:
    of = server()
    of.tool(function)
    with of.test_client(revision=revision) as client:
        result = client.call_tool(function.__name__, arguments)
    return {name: value for name, value in result.items() if name in ("content", "structuredContent", "isError")}


# row: TS-01
def test_a_function_without_parameters_takes_no_arguments() -> None:
    of = server()

    @of.tool
    def now(call: wellhead.Call) -> str:
        return "noon"

    assert definition(of)["inputSchema"] == {"type": "object", "properties": {}, "additionalProperties": False}
    with of.test_client() as client:
        assert client.call_tool("now", {"a": 1})["isError"] is True


def test_a_function_is_a_tool() -> None:
    of = server()

    @of.tool
    def add(a: float, b: Annotated[float, "The second number"] = 1) -> float:
        """Adds two numbers."""
        return a + b

    assert add(1, 2) == 3  # it stays what it was
    assert definition(of) == {
        "name": "add",
        "description": "Adds two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": {"type": "number"},
                "b": {"type": "number", "description": "The second number", "default": 1},
            },
            "required": ["a"],
            "additionalProperties": False,
        },
        "outputSchema": {"type": "number"},
    }
    with of.test_client(revision="2026-07-28") as client:
        result = client.call_tool("add", {"a": 2})
        assert (result["structuredContent"], result["content"]) == (3.0, [{"type": "text", "text": "3.0"}])
        wrong = client.call_tool("add", {"a": "2", "c": 1})
    assert wrong["isError"] is True
    assert wrong["content"][0]["text"].startswith("Invalid arguments for tool add:\n- ")


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_revision_is_served(revision: str) -> None:
    def find(text: str) -> Found:
        return {"names": [text]}

    result = call(find, {"text": "x"}, revision)
    assert result["content"] == [{"type": "text", "text": '{"names":["x"]}'}]
    assert result.get("structuredContent") == (None if revision < "2025-06-18" else {"names": ["x"]})


def kept(hint: Any, value: Any) -> tuple[dict[str, Any], Any]:
    """The schema of a hint, and what a function gets for this JSON value."""
    of = server()
    seen: list[Any] = []

    def tool(value):  # type: ignore[no-untyped-def]
        seen.append(value)

    tool.__annotations__["value"] = hint
    of.tool(tool)
    with of.test_client(revision="2026-07-28") as client:
        result = client.call_tool("tool", {"value": value})
    assert not result.get("isError"), result
    schema = definition(of)["inputSchema"]
    return schema["properties"]["value"], seen[0]


@pytest.mark.parametrize(
    ("hint", "schema", "given", "expected"),
    [
        (str, {"type": "string"}, "é", "é"),
        (int, {"type": "integer"}, 3, 3),
        (int, {"type": "integer"}, 3.0, 3),
        (float, {"type": "number"}, 3, 3.0),
        (bool, {"type": "boolean"}, True, True),
        (None, {"type": "null"}, None, None),
        (Any, {}, {"a": [1]}, {"a": [1]}),
        (object, {}, 1, 1),
        (bytes, {"type": "string", "contentEncoding": "base64"}, base64.b64encode(b"\0\xff").decode(), b"\0\xff"),
        (list, {"type": "array", "items": {}}, [1, "a"], [1, "a"]),
        (list[int], {"type": "array", "items": {"type": "integer"}}, [1, 2], [1, 2]),
        (Sequence[float], {"type": "array", "items": {"type": "number"}}, [1], [1.0]),
        (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}, ["a", "b"], {"a", "b"}),
        (frozenset[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, [1], frozenset({1})),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}, [1, 2], (1, 2)),
        (
            tuple[int, str],
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
            [1, "a"],
            (1, "a"),
        ),
        (dict, {"type": "object"}, {"a": 1}, {"a": 1}),
        (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}, {"a": 1}, {"a": 1.0}),
        (Mapping[str, Any], {"type": "object"}, {"a": 1}, {"a": 1}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, "b", "b"),
        (Literal["a", 1, None], {"enum": ["a", 1, None]}, 1, 1),
        (Color, {"type": "string", "enum": ["red", "blue"]}, "blue", Color.BLUE),
        (Level, {"type": "integer", "enum": [1, 2]}, 2, Level.HIGH),
        (Level, {"type": "integer", "enum": [1, 2]}, 2.0, Level.HIGH),
        (Literal[1, True], {"enum": [1, True]}, True, True),
        (Optional[int], {"type": ["integer", "null"]}, None, None),  # noqa: UP045
        (Union[int, str], {"type": ["integer", "string"]}, "a", "a"),  # noqa: UP007
        (int | None, {"type": ["integer", "null"]}, 1, 1),
        (
            Color | list[float],
            {"anyOf": [{"type": "string", "enum": ["red", "blue"]}, {"type": "array", "items": {"type": "number"}}]},
            [1],
            [1.0],
        ),
        (uuid.UUID, {"type": "string", "format": "uuid"}, UUID, uuid.UUID(UUID)),
        (
            datetime.datetime,
            {"type": "string", "format": "date-time"},
            "2026-01-02T03:04:05Z",
            datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc),
        ),
        (datetime.date, {"type": "string", "format": "date"}, "2026-01-02", datetime.date(2026, 1, 2)),
        (datetime.time, {"type": "string", "format": "time"}, "03:04:05", datetime.time(3, 4, 5)),
        (decimal.Decimal, {"type": "string", "format": "decimal"}, "1.10", decimal.Decimal("1.10")),
        (pathlib.Path, {"type": "string"}, "a/b", pathlib.Path("a/b")),
        (Id, {"type": "integer"}, 7, 7),
        (Annotated[Id, "The id"], {"type": "integer", "description": "The id"}, 7, 7),
        (Annotated[int, Bound(ge=1), Bound(lt=9)], {"type": "integer", "minimum": 1, "exclusiveMaximum": 9}, 8, 8),
        (
            Annotated[str, Bound(min_length=1, max_length=3)],
            {"type": "string", "minLength": 1, "maxLength": 3},
            "a",
            "a",
        ),
        (
            Annotated[list[int], Bound(max_length=3)],
            {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
            [],
            [],
        ),
        (
            Annotated[str, Bound(description="A word", metadata=[Bound(pattern="^a")])],
            {"type": "string", "description": "A word", "pattern": "^a"},
            "ab",
            "ab",
        ),
        (
            Annotated[str | None, Bound(description="A word", min_length=1, max_length=3)],
            {"type": ["string", "null"], "description": "A word", "minLength": 1, "maxLength": 3},
            None,
            None,
        ),
        (
            Annotated[str | list[int], Bound(max_length=3)],
            {
                "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}],
                "maxLength": 3,
                "maxItems": 3,
            },
            [1],
            [1],
        ),
        (Annotated[str, {"examples": ["x"]}], {"type": "string", "examples": ["x"]}, "a", "a"),
        (Plain, {"$ref": "#/$defs/Plain"}, {"a": 1}, Plain(1)),
        (Point, {"$ref": "#/$defs/Point"}, {"x": 1, "next": {"x": 2}}, Point(1.0, 0.0, Point(2.0, 0.0))),
        (
            list["Point"] if sys.version_info >= (3, 11) else list[Point],
            {"type": "array", "items": {"$ref": "#/$defs/Point"}},
            [{"x": 1}],
            [Point(1.0)],
        ),
        (Options, {"$ref": "#/$defs/Options"}, {"name": "a"}, {"name": "a"}),
        (Model, {"$ref": "#/$defs/Model"}, {"n": 1}, Model(1)),
        (
            Short | Long | Plain,
            {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in ("Short", "Long", "Plain")]},
            {"text": "a", "style": "b"},
            Long("a", "b"),
        ),
        (Short | Long, {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in ("Short", "Long")]}, SHORT, Short("a")),
        (Long | Short, {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in ("Long", "Short")]}, SHORT, Short("a")),
        (
            Short | dict[str, str],
            {"anyOf": [{"$ref": "#/$defs/Short"}, {"type": "object", "additionalProperties": {"type": "string"}}]},
            {"text": "a", "other": "b"},
            {"text": "a", "other": "b"},
        ),
        (
            NewType("Texts", Short | Long) | None,
            {"anyOf": [{"$ref": "#/$defs/Short"}, {"$ref": "#/$defs/Long"}, {"type": "null"}]},
            {"text": "a", "style": "b"},
            Long("a", "b"),
        ),
        (Model | None, {"anyOf": [{"$ref": "#/$defs/Model"}, {"type": "null"}]}, None, None),
    ],
    ids=str,
)
def test_a_hint_is_a_schema_and_a_value(hint: Any, schema: dict[str, Any], given: Any, expected: Any) -> None:
    found, value = kept(hint, given)
    assert found == schema
    assert value == expected and type(value) is type(expected)


def test_classes_are_definitions() -> None:
    of = server()

    @of.tool
    def tool(point: Point, options: Options, model: Model) -> None: ...

    schema = definition(of)["inputSchema"]
    assert schema["$defs"]["Point"] == {
        "type": "object",
        "description": "A place.",
        "properties": {
            "x": {"type": "number"},
            "y": {"type": "number", "default": 0},
            "next": {"anyOf": [{"$ref": "#/$defs/Point"}, {"type": "null"}], "default": None},
        },
        "required": ["x"],
    }
    assert schema["$defs"]["Options"] == {
        "type": "object",
        "properties": {
            "depth": {"type": "integer"},
            "name": {"type": "string", "description": "The name to look for"},
        },
    }
    assert schema["$defs"]["Inner"] == {"type": "integer"}


def test_two_classes_of_one_name_are_two_definitions() -> None:
    one = dataclasses.make_dataclass("Same", [("a", int)])
    two = dataclasses.make_dataclass("Same", [("b", str)])
    of = server()

    def tool(a, b):  # type: ignore[no-untyped-def]
        return {"a": a.a, "b": b.b}

    tool.__annotations__.update(a=one, b=two)
    of.tool(tool)
    assert sorted(definition(of)["inputSchema"]["$defs"]) == ["Same", "Same2"]
    with of.test_client() as client:
        assert client.call_tool("tool", {"a": {"a": 1}, "b": {"b": "x"}})["structuredContent"] == {"a": 1, "b": "x"}


@pytest.mark.parametrize(
    ("hint", "value", "line"),
    [
        (uuid.UUID, "x", 'value: must be a UUID (got "x")'),
        (list[datetime.date], ["2026-01-02", "soon"], 'value[1]: must be a date (got "soon")'),
        (bytes, "no base64!", "value: must be base64"),
        (dict[str, decimal.Decimal], {"a b": "x"}, 'value["a b"]: must be a Decimal (got "x")'),
        (Model, {"n": -1}, "value: n is negative"),
        (list[Span], [{"start": 2, "end": 1}], "value[0]: the end is before the start"),
        (set[Any], [[1], [2]], "value: must hold neither lists nor objects"),
        (uuid.UUID | None, "x", 'value: must be a UUID (got "x")'),
    ],
    ids=str,
)
def test_a_value_that_the_type_refuses_is_an_error_for_the_model(hint: Any, value: Any, line: str) -> None:
    def tool(value):  # type: ignore[no-untyped-def]
        raise AssertionError("this is not called")

    tool.__annotations__["value"] = hint
    result = call(tool, {"value": value})
    text = f"Invalid arguments for tool tool:\n- {line}"
    assert result == {"content": [{"type": "text", "text": text}], "isError": True}


def test_an_equal_value_becomes_the_value_of_the_literal() -> None:
    kinds = [type(kept(Literal[0, 1, False], value)[1]) for value in (0, 1.0, False)]
    assert kinds == [int, int, bool]


@pytest.mark.parametrize("hint", [int, float, int | None, Any, Literal[1], list[int]], ids=str)
def test_a_number_too_large_for_a_float_is_an_error_for_the_model(hint: Any) -> None:
    def tool(value):  # type: ignore[no-untyped-def]
        raise AssertionError("this is not called")

    tool.__annotations__["value"] = hint
    of = server()
    of.tool(tool)
    message = request(1, "tools/call", name="tool", arguments={"value": 0}).decode()
    answer = of.connect().handle(message.replace('"value": 0', f'"value": {"7" * 5000}'))
    text = "Invalid arguments for tool tool:\n- arguments: has a number out of range, or text that is not Unicode"
    assert json.loads(answer or b"")["result"]["content"] == [{"type": "text", "text": text}]


# row: TA-15
def test_an_integer_is_exact_or_refused_and_the_json_keeps_each_number() -> None:
    of, seen = server(), []

    @of.tool
    def tool(id: int, price: float, *, call: wellhead.Call) -> None:
        seen.append((id, price, call.arguments_json))

    def answer(arguments: str) -> str:
        message = request(1, "tools/call", name="tool", arguments={}).decode()
        result = json.loads(of.connect().handle(message.replace("{}", arguments, 1)) or b"")["result"]
        return "".join(block["text"] for block in result["content"])

    for digits in ("9007199254740993", "123456789012345678901234567890"):
        arguments = f'{{"id":{digits},"price":0.1e-400}}'
        assert answer(arguments) == ""
        assert seen.pop() == (int(digits), 0.0, arguments)
    line = "id: is beyond 2^53, and must be written without a point and an exponent (got 1e+30)"
    assert answer('{"id":1e30,"price":1}') == f"Invalid arguments for tool tool:\n- {line}"
    assert answer('{"id":1e3,"price":1}') == ""
    assert seen == [(1000, 1.0, '{"id":1e3,"price":1}')]


def test_defaults_are_values_of_the_hint() -> None:
    seen: list[Any] = []
    no_json = object()

    def tool(
        color: Color = Color.BLUE,
        when: datetime.date = datetime.date(2026, 1, 2),
        n: int = None,  # type: ignore[assignment]  # noqa: RUF013
        other: Any = no_json,
        *,
        point: Point = Point(1.0),  # noqa: B008
    ) -> None:
        seen.append((color, when, n, other, point))

    of = server()
    of.tool(tool)
    properties = definition(of)["inputSchema"]["properties"]
    defaults = {name: schema["default"] for name, schema in properties.items() if "default" in schema}
    assert defaults == {"color": "blue", "when": "2026-01-02", "point": {"x": 1.0, "y": 0, "next": None}} | (
        {"n": None} if properties["n"].get("default", 0) is None else {}  # Python 3.10 makes it `int | None`
    )
    assert call(tool, {}) == {"content": []}
    assert seen == [(Color.BLUE, datetime.date(2026, 1, 2), None, no_json, Point(1.0))]


def test_docstrings_describe_parameters() -> None:
    of = server()

    @of.tool("google", annotations={"readOnlyHint": True}, title="G", meta={"a": 1})
    def google(a: int, b: int, c: Annotated[int, "Its own"] = 0) -> None:
        """Does it.

        Slowly.

        Args:
            a: The first,
                of two.
            b (int): The second.
            c: Not this.

        Returns nothing.
        """

    tool = definition(of)
    assert tool["description"] == "Does it.\n\nSlowly.\n\nReturns nothing."
    texts = {name: schema["description"] for name, schema in tool["inputSchema"]["properties"].items()}
    assert texts == {"a": "The first, of two.", "b": "The second.", "c": "Its own"}
    assert (tool["title"], tool["annotations"], tool["_meta"]) == ("G", {"readOnlyHint": True}, {"a": 1})

    of.remove_tool("google")

    @of.tool(description="Given.")
    def sphinx(a: int, b: int) -> None:
        """Does it.

        :param a: The first.
        :param int b: The second.
        """

    tool = definition(of)
    assert tool["description"] == "Given."
    texts = {name: schema["description"] for name, schema in tool["inputSchema"]["properties"].items()}
    assert texts == {"a": "The first.", "b": "The second."}


def test_the_text_of_a_parameter_is_its_own() -> None:
    of = server()

    @of.tool
    def line(start: Plain, end: Plain, via: list[Plain]) -> None:
        """Draws a line.

        Args:
            start: Where it begins.
        """

    reference = {"$ref": "#/$defs/Plain"}
    assert definition(of)["inputSchema"]["properties"] == {
        "start": {**reference, "description": "Where it begins."},
        "end": reference,
        "via": {"type": "array", "items": reference},
    }


PNG = {"type": "image", "data": "AQI=", "mimeType": "image/png"}
WAV = {"type": "audio", "data": "", "mimeType": "audio/wav"}


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ("a", {"content": [text("a")]}),
        (None, {"content": []}),
        (wellhead.Image(b"\1\2", "image/png"), {"content": [PNG]}),
        (["a", wellhead.Audio(b"", "audio/wav")], {"content": [text("a"), WAV]}),
        ({"a": 1}, {"structuredContent": {"a": 1}, "content": [text('{"a":1}')]}),
        (Plain(1), {"structuredContent": {"a": 1}, "content": [text('{"a":1}')]}),
        (Model(2), {"structuredContent": {"n": 2}, "content": [text('{"n":2}')]}),
        ([1, Color.RED], {"structuredContent": [1, "red"], "content": [text('[1,"red"]')]}),
        (
            {"at": datetime.date(2026, 1, 2), "id": uuid.UUID(UUID)},
            {
                "structuredContent": {"at": "2026-01-02", "id": UUID},
                "content": [text(f'{{"at":"2026-01-02","id":"{UUID}"}}')],
            },
        ),
        (wellhead.Result("a", {"type": "text", "text": "b"}), {"content": [text("a"), text("b")]}),
        (wellhead.Result("n", structured=Plain(1)), {"content": [text("n")], "structuredContent": {"a": 1}}),
        (wellhead.Result("no", is_error=True), {"content": [text("no")], "isError": True}),
        (wellhead.Result(), {"content": []}),
        (b"a", {"content": [text("The tool failed")], "isError": True}),
        (object(), {"content": [text("The tool failed")], "isError": True}),
        ({1: 2}, {"content": [text("The tool failed")], "isError": True}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_returned_value_becomes_a_result(returned: Any, expected: dict[str, Any]) -> None:
    def tool():  # type: ignore[no-untyped-def]
        return returned

    async def later():  # type: ignore[no-untyped-def]
        return returned

    assert call(tool, {}) == expected
    assert call(later, {}) == expected


# row: TR-04
def test_base64_has_padding_and_no_line_breaks() -> None:
    def tool():  # type: ignore[no-untyped-def]
        return [wellhead.Image(b"\xff" * 100, "image/png"), wellhead.Audio(b"\xff" * 100, "audio/wav")]

    data = "/" * 133 + "w=="
    image, sound = call(tool, {})["content"]
    assert image == {"type": "image", "data": data, "mimeType": "image/png"}
    assert sound == {"type": "audio", "data": data, "mimeType": "audio/wav"}
    with pytest.raises(wellhead.UsageError, match=r'^"png" is no MIME type; write type/subtype, such as'):
        wellhead.Image(b"\xff", "png")
    with pytest.raises(TypeError, match="mime_type"):
        wellhead.Image(b"\xff")  # type: ignore[call-arg]


# row: TR-11
def test_the_error_for_a_wrong_result_names_the_right_types(caplog: pytest.LogCaptureFixture) -> None:
    def tool() -> Any:
        return object()

    call(tool, {})
    what = "a str, JSON, a dataclass, wellhead.Image or wellhead.Result"
    assert f"the tool returned object: object is no JSON; return {what}" in caplog.text
    with pytest.raises(TypeError, match=r"^data must be bytes, not str$"):
        wellhead.Image("x", "image/png")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^content must be a str, wellhead\.Image, .* as a dict, not int$"):
        wellhead.Result(1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (Plain, {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (str, None),
        (None, None),
        (Any, None),
        (wellhead.Result, None),
        (list[wellhead.Image | str], None),
        (wellhead.Server, None),
    ],
    ids=str,
)
def test_the_hint_of_the_result_is_the_output_schema(hint: Any, schema: dict[str, Any] | None) -> None:
    def tool():  # type: ignore[no-untyped-def]
        return None

    tool.__annotations__["return"] = hint
    of = server()
    of.tool(tool)
    assert definition(of).get("outputSchema") == schema


def test_an_output_schema_that_contains_itself_is_an_object() -> None:
    def tool() -> Point:
        return Point(1.0, 2.0, Point(3.0))

    of = server()
    of.tool(tool)
    for revision in REVISIONS[2:]:
        schema = definition(of, revision)["outputSchema"]
        assert (schema["type"], schema["$ref"]) == ("object", "#/$defs/Point")
    assert call(tool, {})["structuredContent"]["next"] == {"x": 3.0, "y": 0, "next": None}


def test_a_tool_may_take_the_call_and_be_async() -> None:
    of = server()

    @of.tool
    async def who(call: wellhead.Call, name: str = "x") -> str:
        return f"{call.name} {name}"

    @of.tool
    def also(name: str, *, call: wellhead.Call) -> str:
        return f"{call.name} {name}"

    with of.test_client() as client:
        assert client.call_tool("who")["content"] == [text("who x")]
        assert client.call_tool("also", {"name": "y"})["content"] == [text("also y")]
        assert "call" not in client.request("tools/list")["tools"][1]["inputSchema"]["properties"]


def test_methods_and_wrapped_functions_are_tools() -> None:
    class Sums:
        start = 1

        def add(self, n: int) -> str:
            """Adds."""
            return str(self.start + n)

        async def __call__(self, n: int) -> str:
            return str(n)

    def twice(function: Callable[..., str]) -> Callable[..., str]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> str:
            return function(*args, **kwargs) * 2

        return wrapper

    @twice
    def wrapped(n: int) -> str:
        return str(n)

    of = server()
    of.tool(Sums().add)
    of.tool(wrapped)
    of.tool("object")(Sums())
    of.tool("part", description="P")(functools.partial(Sums().add, 4))
    with of.test_client() as client:
        assert client.call_tool("add", {"n": 2})["content"] == [text("3")]
        assert client.call_tool("wrapped", {"n": 2})["content"] == [text("22")]
        assert client.call_tool("object", {"n": 2})["content"] == [text("2")]
        assert client.call_tool("part", {})["content"] == [text("5")]


def test_a_wrapped_function_has_the_types_of_its_own_module() -> None:
    module = types.ModuleType("decorators")
    source = """
from __future__ import annotations
import functools
from collections.abc import Callable as Wrapped

def logged(function: Wrapped) -> Wrapped:
    @functools.wraps(function)
    def wrapper(*args: Unknown, **kwargs: Unknown) -> Unknown:
        return function(*args, **kwargs)

    return wrapper
"""
    exec(source, module.__dict__)

    def plain(n: int) -> "Plain":
        return Plain(n)

    of = server()
    of.tool("logged")(module.logged(plain))
    of.tool("cached")(functools.cache(plain))
    of.tool("part")(functools.partial(plain, 4))
    with of.test_client(revision="2026-07-28") as client:
        tools = client.request("tools/list")["tools"]
        assert [list(tool["outputSchema"]["properties"]) for tool in tools] == [["a"]] * 3
        for name in ("logged", "cached"):
            assert client.call_tool(name, {"n": 2})["structuredContent"] == {"a": 2}

    def unknown(n: "Missing") -> "Plain":  # type: ignore[name-defined] # noqa: F821
        return Plain(n)

    with pytest.raises(wellhead.UsageError, match='"Missing" of "n" cannot be resolved'):
        server().tool(module.logged(unknown))


def test_the_model_sees_the_text_of_a_tool_error_only() -> None:
    def tool(kind: str) -> str:
        if kind == "for the model":
            raise wellhead.ToolError("try another kind")
        raise ValueError("a secret")

    assert call(tool, {"kind": "for the model"}) == {"content": [text("try another kind")], "isError": True}
    assert call(tool, {"kind": "x"}) == {"content": [text("The tool failed")], "isError": True}


def test_the_name_may_be_a_keyword_argument() -> None:
    of = server()

    @of.tool(name="add", title=None)
    def tool(a: float, b: float) -> float:
        return a + b

    assert definition(of)["name"] == "add" and "title" not in definition(of)


def test_a_tool_with_given_schemas_takes_a_dict() -> None:
    of = server()

    @of.tool(input_schema={"type": "object", "properties": {"a": {"default": 1}}}, output_schema={"type": "object"})
    def tool(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"structuredContent": arguments}

    with of.test_client(revision="2026-07-28") as client:
        assert client.call_tool("tool", {"b": 2})["structuredContent"] == {"a": 1, "b": 2}


def test_changes_of_a_tool_have_the_names_of_keywords_or_of_the_protocol() -> None:
    of = server()
    of.tool("search", {"inputSchema": {"type": "object"}, "_meta": {"a/b": 1}})(lambda arguments: {"content": []})
    of.update_tool("search", {"meta": {"a/b": 2}, "input_schema": {"type": "object", "required": ["word"]}})
    changed = definition(of)
    assert (changed["_meta"], changed["inputSchema"]["required"]) == ({"a/b": 2}, ["word"])
    of.update_tool("search", {"_meta": None, "inputSchema": {"type": "object"}})
    assert definition(of) == {"name": "search", "inputSchema": {"type": "object"}}
    with pytest.raises(wellhead.UsageError, match='the definition has "_meta" already; leave out meta='):
        of.update_tool("search", {"_meta": {}, "meta": {}})


def test_changes_of_a_prompt_have_the_names_of_keywords_or_of_the_protocol() -> None:
    of = server()
    of.prompt("greet", {"description": "Greets."})(lambda arguments: {"messages": []})
    of.update_prompt("greet", {"meta": {"a/b": 1}})
    with of.test_client() as client:
        assert client.request("prompts/list")["prompts"][0]["_meta"] == {"a/b": 1}
