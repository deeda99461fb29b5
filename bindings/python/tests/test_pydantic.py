"""Models of pydantic itself, as arguments, as results and as contents."""

import json
import sys
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

import pytest
import wellhead
from annotated_types import Gt, Predicate
from client import read_or_error
from pydantic import (
    AfterValidator,
    Base64Bytes,
    Base64Str,
    Base64UrlBytes,
    BaseModel,
    BeforeValidator,
    EncodedBytes,
    EncoderProtocol,
    Field,
    RootModel,
    StringConstraints,
    create_model,
)


class Place(BaseModel):
    x: float
    y: float = 0


class Order(BaseModel):
    """An order of the shop."""

    item: str = Field(min_length=1, description="The thing to order")
    count: int = Field(default=1, ge=1)
    to: Place | None = Field(default=None, alias="deliverTo")


class Hex(EncoderProtocol):
    @classmethod
    def decode(cls, data: bytes) -> bytes:
        return bytes.fromhex(data.decode())

    @classmethod
    def encode(cls, value: bytes) -> bytes:
        return value.hex().encode()

    @classmethod
    def get_json_format(cls) -> str:
        return "hex"


HexBytes = Annotated[bytes, EncodedBytes(encoder=Hex)]


def server() -> wellhead.Server:
    return wellhead.Server("shop", "1")


def call(of: wellhead.Server, arguments: dict[str, Any]) -> dict[str, Any]:
    with of.test_client(revision="2026-07-28") as client:
        return dict(client.call_tool("buy", arguments))


def test_a_model_is_an_argument_and_a_result() -> None:
    of, got = server(), []

    @of.tool
    def buy(order: Order) -> Order:
        got.append(order)
        return order

    with of.test_client(revision="2026-07-28") as client:
        [tool] = client.request("tools/list")["tools"]
    assert tool["inputSchema"]["required"] == ["order"]
    schema = tool["inputSchema"]["$defs"]["Order"]
    assert schema["required"] == ["item"] and schema["description"] == "An order of the shop."
    assert schema["properties"]["item"]["description"] == "The thing to order"
    assert tool["outputSchema"]["type"] == "object"

    result = call(of, {"order": {"item": "tea", "deliverTo": {"x": 2}}})
    assert got == [Order(item="tea", deliverTo=Place(x=2))]
    expected = {"item": "tea", "count": 1, "deliverTo": {"x": 2, "y": 0}}
    assert result["structuredContent"] == expected
    assert json.loads(result["content"][0]["text"]) == expected


def test_the_error_of_a_model_names_the_field() -> None:
    of = server()

    @of.tool
    def buy(order: Order) -> str:
        return order.item

    result = call(of, {"order": {"item": "", "count": 0}})
    assert result["isError"]
    assert result["content"][0]["text"].splitlines() == [
        "Invalid arguments for tool buy:",
        "- order.count: must be at least 1 (got 0)",
        '- order.item: must have at least 1 character (got "")',
    ]


def test_a_field_describes_and_bounds_a_parameter() -> None:
    of = server()

    @of.tool
    def buy(item: Annotated[str, Field(description="The thing to order", max_length=3)]) -> str:
        return item

    with of.test_client(revision="2026-07-28") as client:
        [tool] = client.request("tools/list")["tools"]
    assert tool["inputSchema"]["properties"]["item"]["description"] == "The thing to order"
    assert "at most 3 characters" in call(of, {"item": "coffee"})["content"][0]["text"]
    assert call(of, {"item": "tea"})["content"][0]["text"] == "tea"


def test_a_field_describes_and_bounds_a_parameter_of_several_types() -> None:
    of = server()

    @of.tool
    def buy(item: Annotated[str | None, Field(description="The thing to order", max_length=3)] = None) -> str:
        return item or "nothing"

    with of.test_client(revision="2026-07-28") as client:
        [tool] = client.request("tools/list")["tools"]
    assert tool["inputSchema"]["properties"]["item"] == {
        "type": ["string", "null"],
        "description": "The thing to order",
        "maxLength": 3,
        "default": None,
    }
    assert "at most 3 characters" in call(of, {"item": "coffee"})["content"][0]["text"]
    assert call(of, {"item": None})["content"][0]["text"] == "nothing"


def test_a_default_may_be_a_field() -> None:
    of, got = server(), []

    @of.tool
    def buy(
        count: int = Field(description="The count", ge=1),
        each: int = Field(default=3),
        tags: list[str] = Field(default_factory=list),  # noqa: B008
        color: Any = Field(default=1j),  # noqa: B008
    ) -> None:
        got.append((count, each, tags, color))

    with of.test_client(revision="2026-07-28") as client:
        [tool] = client.request("tools/list")["tools"]
    schema = tool["inputSchema"]
    assert schema["required"] == ["count"]
    assert schema["properties"]["count"] == {"type": "integer", "description": "The count", "minimum": 1}
    assert schema["properties"]["each"] == {"type": "integer", "default": 3}
    assert "default" not in schema["properties"]["tags"]

    assert "at least 1" in call(of, {"count": 0})["content"][0]["text"]
    for _ in range(2):
        call(of, {"count": 2})
    assert got == [(2, 3, [], 1j)] * 2
    assert got[0][2] is not got[1][2]


def test_a_default_of_a_prompt_may_be_a_field() -> None:
    of = server()

    @of.prompt
    def sell(
        item: str = Field(description="The thing"),
        count: int = Field(default=3),
        seen: int | None = Field(default_factory=iter([7, 8]).__next__),
    ) -> str:
        return f"{item} {count!r} {seen}"

    with of.test_client(revision="2026-07-28") as client:
        [prompt] = client.request("prompts/list")["prompts"]
        assert prompt["arguments"][0] == {"name": "item", "description": "The thing", "required": True}
        results = [client.get_prompt("sell", {"item": "tea", **more}) for more in ({}, {"count": "4"})]
    assert [result["messages"][0]["content"]["text"] for result in results] == ["tea 3 7", "tea 4 8"]


def test_a_default_of_a_variable_may_be_a_field() -> None:
    of = server()

    @of.resource("shop://{item}{?count}")
    def thing(item: str = Field(description="The thing"), count: int = Field(default=3)) -> str:
        return f"{item} {count!r}"

    assert read_or_error(of, "shop://tea") == "tea 3"
    assert read_or_error(of, "shop://tea?count=4") == "tea 4"

    def made(item: str, count: int = Field(default_factory=int)) -> str:
        return item

    with pytest.raises(wellhead.UsageError, match='"count" has a default_factory'):
        of.resource("other://{item}{?count}")(made)

    def unknown(item: str, depth: int = Field(default=1)) -> str:
        return item

    with pytest.raises(wellhead.UsageError, match='"depth" is no variable of the template'):
        of.resource("other://{item}")(unknown)


def test_a_model_is_a_resource() -> None:
    of = server()

    @of.resource("shop://order")
    def order() -> Order:
        return Order(item="tea", deliverTo=Place(x=1))

    with of.test_client(revision="2026-07-28") as client:
        [contents] = client.request("resources/read", {"uri": "shop://order"})["contents"]
    assert contents["mimeType"] == "application/json"
    assert json.loads(contents["text"]) == {"item": "tea", "count": 1, "deliverTo": {"x": 1, "y": 0}}


def even(n: int) -> int:
    if n % 2:
        raise ValueError("an odd number")
    return n


@pytest.mark.parametrize(
    ("hint", "good", "kept", "bad", "why"),
    [
        (Annotated[int, AfterValidator(even)], 2, 2, 3, "Value error, an odd number"),
        (Annotated[int, AfterValidator(even)] | None, 2, 2, 3, "Value error, an odd number"),
        (Annotated[int | None, Predicate(bool)], 2, 2, 0, "Predicate"),
        (Annotated[int, BeforeValidator(even), Field(ge=2)], 2, 2, 3, "Value error, an odd number"),
        (
            Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, min_length=1)],
            " Tea ",
            "tea",
            "  ",
            "String should have at least 1 character",
        ),
        (Annotated[Decimal, Field(ge=0)], "1.5", Decimal("1.5"), "-1", "should be greater than or equal to 0"),
        (Annotated[Decimal | None, Field(ge=0)], "1.5", Decimal("1.5"), "-1", "should be greater than or equal to 0"),
        (Annotated[Decimal, Field(max_digits=3)], "1.5", Decimal("1.5"), "1.555", "no more than 3 digits in total"),
        (Annotated[date, Field(gt=date(2026, 1, 1))], "2026-01-02", date(2026, 1, 2), "2026-01-01", "2026-01-01"),
        (Annotated[bytes, Field(max_length=3)], "YWJj", b"abc", "YWJjZA==", "at most 3 bytes"),
        (list[Annotated[int, AfterValidator(even)]], [2], [2], [2, 3], "value[1]: Value error, an odd number"),
        (dict[Annotated[str, Field(min_length=2)], int], {"ab": 1}, {"ab": 1}, {"a": 1}, "a name that is not allowed"),
        (
            dict[Annotated[str, AfterValidator(str.strip)], int],
            {" ab ": 1},
            {"ab": 1},
            {"ab": "x"},
            "must be an integer",
        ),
    ],
    ids=str,
)
def test_a_note_checks_and_changes_an_argument(hint: Any, good: Any, kept: Any, bad: Any, why: str) -> None:
    of, got = server(), []

    def buy(value):  # type: ignore[no-untyped-def]
        got.append(value)

    buy.__annotations__["value"] = hint
    of.tool(buy)
    assert "isError" not in call(of, {"value": good})
    result = call(of, {"value": bad})
    assert result["isError"] and why in result["content"][0]["text"]
    assert got == [kept] and type(got[0]) is type(kept)


@pytest.mark.parametrize(
    ("hint", "given", "schema", "kept"),
    [
        (Base64Bytes, "YWI/YT4/", {"type": "string", "contentEncoding": "base64"}, b"ab?a>?"),
        (Base64UrlBytes, "YWI_YT4_", {"type": "string", "contentEncoding": "base64url"}, b"ab?a>?"),
        (Base64Str, "YWJj", {"type": "string"}, "abc"),
        (Annotated[Base64Str, Field(max_length=3)], "YWJj", {"type": "string"}, "abc"),
        (HexBytes, "616263", {"type": "string", "format": "hex"}, b"abc"),
        (Annotated[HexBytes, Field(max_length=3)], "616263", {"type": "string", "format": "hex"}, b"abc"),
        (Annotated[Base64Bytes, AfterValidator(bytes.upper)], "YWJj", None, b"ABC"),
        (Base64Bytes | None, "YWJj", None, b"abc"),
        (list[Base64Bytes], ["YWJj"], None, [b"abc"]),
    ],
    ids=str,
)
def test_encoded_bytes_are_decoded_once(hint: Any, given: Any, schema: Any, kept: Any) -> None:
    of, got = server(), []

    def buy(value):  # type: ignore[no-untyped-def]
        got.append(value)
        return {"value": value}

    buy.__annotations__.update(value=hint, **{"return": dict[str, hint]})
    of.tool(buy)
    with of.test_client(revision="2026-07-28") as client:
        [tool] = client.request("tools/list")["tools"]
    if schema is not None:
        assert tool["inputSchema"]["properties"]["value"] == schema
    assert "base64url" not in str(tool["outputSchema"])  # bytes that a function returns become base64
    assert "isError" not in call(of, {"value": given})
    assert got == [kept]


def test_encoded_bytes_have_limits_and_a_default() -> None:
    of, got = server(), []

    @of.tool
    def buy(value: Annotated[Base64UrlBytes, Field(max_length=3)] = b"?>?") -> None:
        got.append(value)

    for arguments in ({}, {"value": "Pz4_"}):
        assert "isError" not in call(of, arguments)
    assert "not 4" in call(of, {"value": "YWJjZA=="})["content"][0]["text"]
    assert got == [b"?>?", b"?>?"]


@dataclass
class Coded:
    code: Base64Str = "hello"


@pytest.mark.parametrize(
    ("hint", "default"),
    [
        (Base64UrlBytes, b"?>?"),
        (Base64Str, "hello"),
        (Base64Str | None, "hello"),
        (list[Base64Str], ["hello"]),
        (tuple[int, Base64Str], (1, "hello")),
        (dict[str, Base64Str], {"a": "hello"}),
        (Coded, Coded()),
        (Annotated[str, AfterValidator(lambda text: text + "!")], "x"),
        (Annotated[str, StringConstraints(to_lower=True)], "X"),
        (Annotated[int | str, Field(gt=2)], "a"),
        (Base64Str, Field(default="hello")),
    ],
    ids=str,
)
def test_a_default_that_pydantic_would_check_is_given_as_it_is(hint: Any, default: Any) -> None:
    of, got = server(), []

    def buy(value=default):  # type: ignore[no-untyped-def]
        got.append(value)

    buy.__annotations__.update(value=hint)
    of.tool(buy)
    with of.test_client(revision="2026-07-28") as client:
        [tool] = client.request("tools/list")["tools"]
    assert "default" not in tool["inputSchema"]["properties"]["value"]
    assert "required" not in tool["inputSchema"]
    assert "isError" not in call(of, {})
    assert got == ["hello" if hint is Base64Str else default]


def test_a_default_that_the_schema_checks_is_published() -> None:
    of = server()

    @of.tool
    def buy(value: Annotated[int, Field(ge=1)] = 3, data: Annotated[bytes, "some bytes"] = b"abc") -> None: ...

    with of.test_client(revision="2026-07-28") as client:
        [tool] = client.request("tools/list")["tools"]
    properties = tool["inputSchema"]["properties"]
    assert (properties["value"]["default"], properties["data"]["default"]) == (3, "YWJj")


def test_a_constraint_that_a_member_of_a_union_cannot_have_refuses_its_values() -> None:
    of, got = server(), []

    @of.tool
    def buy(value: Annotated[int | str, Field(gt=2)]) -> None:
        got.append(value)

    call(of, {"value": 3})
    why = "has a type to which a constraint does not apply (Unable to apply constraint 'gt')"
    expected = f"Invalid arguments for tool buy:\n- value: {why}"
    assert call(of, {"value": "a"})["content"][0]["text"] == expected
    assert "more than 2" in call(of, {"value": 2})["content"][0]["text"]
    assert got == [3]


def test_a_constraint_that_a_field_of_a_model_cannot_have_refuses_its_values() -> None:
    class Bounded(BaseModel):
        value: Annotated[int | str, Field(gt=2)]

    of, got = server(), []

    @of.tool
    def buy(given: Bounded) -> None:
        got.append(given.value)

    call(of, {"given": {"value": 3}})
    expected = "given: has a type to which a constraint does not apply (Unable to apply constraint 'gt')"
    assert expected in call(of, {"given": {"value": "a"}})["content"][0]["text"]
    assert got == [3]


def test_a_type_error_of_a_validator_is_a_failure_of_the_tool() -> None:
    def wrong(value: int) -> int:
        return value + None  # type: ignore[operator]

    of = server()

    @of.tool
    def buy(value: Annotated[int, AfterValidator(wrong)]) -> None: ...

    assert "Invalid" not in call(of, {"value": 3})["content"][0]["text"]


@pytest.mark.parametrize(
    ("hint", "good", "kept", "bad"),
    [
        (Annotated[int, Field(ge=1)], "5", 5, "-5"),
        (Annotated[int | None, Field(ge=1)], "5", 5, "-5"),
        (Annotated[int, Field(ge=1)] | None, "5", 5, "-5"),
        (Annotated[float, Gt(0)], "0.5", 0.5, "0"),
        (Annotated[str, Field(pattern="^[a-z]+$"), "A word"], "tea", "tea", "TEA"),
        (Annotated[str, AfterValidator(str.upper), Field(max_length=3)], "tea", "TEA", "coffee"),
        (Annotated[Any, Field(max_length=3)], "tea", "tea", "coffee"),
    ],
    ids=str,
)
def test_a_note_checks_and_changes_a_text(hint: Any, good: str, kept: Any, bad: str) -> None:
    of, got = server(), []

    def take(value):  # type: ignore[no-untyped-def]
        got.append(value)
        return ""

    take.__annotations__["value"] = hint
    of.prompt(take)
    if hint.__args__[0] is not Any:
        of.resource("shop://{value}")(take)
        assert [read_or_error(of, f"shop://{value}") for value in (good, bad)] == ["", "Resource not found"]
        assert got == [kept]
        got.clear()
    with of.test_client(revision="2026-07-28") as client:
        client.get_prompt("take", {"value": good})
        with pytest.raises(wellhead.ErrorFromServer, match="Invalid arguments for prompt take: value: "):
            client.get_prompt("take", {"value": bad})
    assert got == [kept]


def test_a_note_checks_an_exploded_variable() -> None:
    of, got = server(), []

    @of.resource("shop:/{/parts*}")
    def parts(parts: Annotated[list[Annotated[str, Field(min_length=2)]], Field(max_length=2)]) -> str:
        got.append(parts)
        return ""

    uris = ["shop://ab/cd", "shop://ab/c", "shop://ab/cd/ef"]
    assert [read_or_error(of, uri) for uri in uris] == ["", "Resource not found", "Resource not found"]
    assert got == [["ab", "cd"]]


class Text(BaseModel):
    text: str


class Styled(Text):
    style: str = ""


class Open(BaseModel, extra="allow"):
    text: str


class Chain(BaseModel):
    text: str
    next: "Chain | None" = None


def test_a_union_is_the_model_that_keeps_most_members() -> None:
    of, got = server(), []

    @of.tool
    def buy(value: Text | Styled | Chain, other: Text | Open | None = None) -> None:
        got.append((value, other))

    text, styled = {"text": "a"}, {"text": "a", "style": "b"}
    for arguments in ({"value": styled}, {"value": text, "other": text}, {"value": text, "other": styled}):
        call(of, arguments)
    call(of, {"value": {"text": "a", "next": {"text": "b"}}})
    assert got == [
        (Styled(text="a", style="b"), None),
        (Text(text="a"), Text(text="a")),
        (Text(text="a"), Open(text="a", style="b")),  # type: ignore[call-arg]
        (Chain(text="a", next=Chain(text="b")), None),
    ]


class Stored(BaseModel):
    name: str = Field(serialization_alias="title")
    secret: str = Field(default="", exclude=True)
    count: int = 0


def test_the_output_schema_is_that_of_what_is_sent() -> None:
    of = server()

    @of.tool
    def buy(given: Stored) -> Stored:
        return given

    with of.test_client(revision="2026-07-28") as client:
        [tool] = client.request("tools/list")["tools"]
    assert list(tool["inputSchema"]["$defs"]["Stored"]["properties"]) == ["name", "secret", "count"]
    assert list(tool["outputSchema"]["properties"]) == ["title", "count"]
    assert tool["outputSchema"]["required"] == ["title"]
    result = call(of, {"given": {"name": "tea", "secret": "x"}})
    assert result["structuredContent"] == {"title": "tea", "count": 0}


def box_of(kind: Any) -> Any:
    """A model with a list of models named `Item`, whose value has this type."""
    item: Any = create_model("Item", value=(kind, ...))
    return create_model("Box", items=(list[item], ...))


def test_nested_classes_of_one_name_are_definitions_of_their_own() -> None:
    of, got = server(), []
    one, two, three = box_of(int), box_of(str), box_of(str)
    whole: Any = create_model("Whole", boxes=(list[two], ...))  # type: ignore[valid-type]

    def buy(one, two, three, whole):  # type: ignore[no-untyped-def]
        got.append((two, whole))

    buy.__annotations__.update(one=one, two=two, three=three, whole=whole)
    of.tool(buy)
    with of.test_client(revision="2026-07-28") as client:
        [tool] = client.request("tools/list")["tools"]
    definitions = tool["inputSchema"]["$defs"]
    assert definitions["Item"]["properties"]["value"]["type"] == "integer"
    assert definitions["Item2"]["properties"]["value"]["type"] == "string"
    assert "Item3" not in definitions
    box = {"items": [{"value": "a"}]}
    arguments = {"one": {"items": [{"value": 1}]}, "two": box, "three": box, "whole": {"boxes": [box]}}
    assert "isError" not in call(of, arguments)
    assert [model.model_dump() for model in got[0]] == [box, {"boxes": [box]}]
    assert call(of, {**arguments, "whole": {"boxes": [arguments["one"]]}})["isError"]


class Tags(RootModel[list[str]]):
    pass


class Count(RootModel[float]):
    pass


def test_a_root_model_may_be_any_json() -> None:
    of, got = server(), []

    @of.tool
    def buy(tags: Tags | None = None, count: Count | Tags | None = None) -> None:
        got.append((tags, count))

    for arguments in ({"tags": ["a"]}, {"tags": None, "count": 3}, {"count": ["b"]}):
        assert "isError" not in call(of, arguments)
    assert got == [(Tags(["a"]), None), (None, Count(3.0)), (None, Tags(["b"]))]


def test_a_note_on_the_uri_is_refused() -> None:
    def fallback(uri: Annotated[str, Field(pattern="^a")]) -> str:
        return uri

    with pytest.raises(wellhead.UsageError, match=r'the parameter "uri" is a str, not .*Annotated'):
        server().fallback(fallback)


class Foreign:
    ge = 1

    def __repr__(self) -> str:
        return "Foreign()"


def test_a_note_that_cannot_be_checked_is_refused() -> None:
    def take(value):  # type: ignore[no-untyped-def]
        return ""

    take.__annotations__["value"] = Annotated[Decimal, Foreign()]
    why = r"nothing can check Foreign\(\) of Decimal \(pydantic does not know it\); give input_schema="
    with pytest.raises(wellhead.UsageError, match=rf'take: the parameter "value": {why}'):
        server().tool(take)


@pytest.mark.parametrize("note", [Foreign(), {"minimum": 1}, {"description": "A count"}], ids=str)
def test_a_constraint_that_a_text_cannot_have_is_refused(note: Any) -> None:
    def take(value):  # type: ignore[no-untyped-def]
        return ""

    take.__annotations__["value"] = Annotated[int, note]
    of = server()
    if isinstance(note, dict) and "description" in note:
        of.prompt(take)
        of.resource("shop://{value}")(take)
        return
    with pytest.raises(wellhead.UsageError, match='the parameter "value": nothing can check'):
        of.prompt(take)
    with pytest.raises(wellhead.UsageError, match=r'"value" cannot be made .* \(nothing can check .*; check it in'):
        of.resource("shop://{value}")(take)


def test_without_pydantic_a_note_that_it_would_check_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def take(value):  # type: ignore[no-untyped-def]
        return ""

    take.__annotations__["value"] = Annotated[int, Predicate(bool)]
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(wellhead.UsageError, match=r"nothing can check Predicate.*pydantic"):
        server().tool(take)
