"""Models of pydantic itself, as arguments, as results and as contents."""

import json
from typing import Annotated, Any

import pytest
import wellhead
from client import read_or_error
from pydantic import BaseModel, Field


class Place(BaseModel):
    x: float
    y: float = 0


class Order(BaseModel):
    """An order of the shop."""

    item: str = Field(min_length=1, description="The thing to order")
    count: int = Field(default=1, ge=1)
    to: Place | None = Field(default=None, alias="deliverTo")


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
