"""Variables of templates as the types of their parameters."""

import datetime
import decimal
import enum
import pathlib
import sys
import uuid
from typing import Annotated, Any, Literal, NewType, Optional

import pytest
import wellhead
from client import read_or_error

UUID = "12345678-1234-5678-1234-56781234abcd"
WHEN = datetime.datetime(2026, 1, 2, 3, 4, 5)
UTC = datetime.timezone.utc


class Color(enum.Enum):
    RED = "red"
    BLUE = "dark blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(str, enum.Enum):
    ONE = "one"


Id = NewType("Id", int)
Mark = NewType("Mark", uuid.UUID)
INT: Any = int
if sys.version_info >= (3, 12):
    exec("type INT = int")  # older versions cannot read it


def given(hint: Any, value: str, template: str = "n:{value}") -> Any:
    """The argument of a function for this text; `...` if it is not called."""
    server = wellhead.Server("s", "1")
    seen: list[Any] = []

    def callback(value):  # type: ignore[no-untyped-def]
        seen.append(value)
        return "x"

    callback.__annotations__["value"] = hint
    server.resource(template)(callback)
    answer = read_or_error(server, template.partition("{")[0] + value)
    assert (answer == "x") is bool(seen), answer
    assert seen or answer in ("Resource not found", "Invalid URI")
    return seen[0] if seen else ...


@pytest.mark.parametrize(
    ("hint", "text", "expected"),
    [
        (float, "0.5", 0.5),
        (float, "-2", -2.0),
        (float, "1e3", 1000.0),
        (bool, "true", True),
        (bool, "false", False),
        (decimal.Decimal, "1.10", decimal.Decimal("1.10")),
        (uuid.UUID, UUID, uuid.UUID(UUID)),
        (uuid.UUID, UUID.upper(), uuid.UUID(UUID)),
        (datetime.date, "2026-01-02", WHEN.date()),
        (datetime.datetime, "2026-01-02T03:04:05", WHEN),
        (datetime.datetime, "2026-01-02T03:04:05Z", WHEN.replace(tzinfo=UTC)),
        (datetime.datetime, "2026-01-02T03:04:05.250%2B00:00", WHEN.replace(tzinfo=UTC, microsecond=250_000)),
        (datetime.time, "03:04:05", WHEN.time()),
        (datetime.time, "12:30", datetime.time(12, 30)),
        (pathlib.Path, "a%20b", pathlib.Path("a b")),
        (Color, "dark%20blue", Color.BLUE),
        (Level, "2", Level.HIGH),
        (Word, "one", Word.ONE),
        (Literal["a", "b"], "b", "b"),
        (Literal[1, True], "true", True),
        (Literal["a", None], "a", "a"),
        (Id, "7", 7),
        (Mark, UUID, uuid.UUID(UUID)),
        (INT, "7", 7),
        (Annotated[float, "how much"], "1", 1.0),
        (Annotated[Mark, "which"], UUID, uuid.UUID(UUID)),
        (float | None, "1.5", 1.5),
        (Optional[Annotated[Color, "which"]], "red", Color.RED),  # noqa: UP045
    ],
    ids=str,
)
def test_a_value_is_converted_by_its_annotation(hint: Any, text: str, expected: Any) -> None:
    value = given(hint, text)
    assert value == expected and type(value) is type(expected)


@pytest.mark.parametrize(
    ("hint", "texts"),
    [
        (float, ["nan", "inf", "1e999", "1_0", ".5", "5.", "+1", "01", "0x1", "%201", "٣"]),
        (bool, ["True", "1", "0", "yes", "TRUE"]),
        (decimal.Decimal, ["NaN", "sNaN", "Infinity", "1_0", "+1", "1e9999999999999999999999"]),
        (uuid.UUID, ["x", UUID.replace("-", ""), f"%7B{UUID}%7D", f"urn:uuid:{UUID}"]),
        (datetime.date, ["soon", "20260102", "2026-W01-5", "2026-13-01", "2026-01-02T00:00:00"]),
        (datetime.datetime, ["2026-01-02", "2026-01-02%2003:04:05", "20260102T030405", "2026-01-02T03"]),
        (datetime.time, ["3:04", "030405", "25:00", "T03:04", "03"]),
        (Color, ["RED", "Red", "dark", "Color.RED"]),
        (Level, ["3", "01", "1.0", "true", "LOW"]),
        (Literal["a", 1], ["b", "01", "A"]),
        (Id, ["07", "x"]),
        (INT, ["07"]),
    ],
    ids=str,
)
def test_a_value_that_the_type_refuses_is_not_found(hint: Any, texts: list[str]) -> None:
    assert [given(hint, text) for text in texts] == [...] * len(texts)


def test_a_variable_that_is_absent_is_none_or_its_default() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:x{?a,b,c}")
    def callback(a: float | None, b: Color = Color.RED, *, c: bool = False) -> str:
        return f"{a!r} {b.value} {c!r}"

    assert read_or_error(server, "n:x") == "None red False"
    assert read_or_error(server, "n:x?a=1&b=dark%20blue&c=true") == "1.0 dark blue True"
    assert read_or_error(server, "n:x?c=yes") == "Resource not found"


def test_the_elements_of_an_exploded_variable_are_converted() -> None:
    for hint in (list[int], list[int] | None, Annotated[list[Annotated[Id, "one"]], "all"]):
        assert given(hint, "/1/2", "n:x{/value*}") == [1, 2]
        assert given(hint, "/1/b", "n:x{/value*}") is ...
    assert given(list[int], "", "n:x{/value*}") == []
    assert given(list[int] | None, "", "n:x{/value*}") is None
    assert given(list[Color], "?value=red&value=dark%20blue", "n:x{?value*}") == [Color.RED, Color.BLUE]


def test_choices_are_proposed() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:{color}/{on}/{kind}/{other}{?levels*}", complete={"kind": ["given"]})
    def callback(
        color: Color, on: bool | None, kind: Literal["a"], other: str, levels: list[Literal["Low", "lower", "high"]]
    ) -> str:
        return ""

    with server.test_client() as client:
        template = "n:{color}/{on}/{kind}/{other}{?levels*}"
        assert client.complete(template, "color", "") == ["red", "dark blue"]
        assert client.complete(template, "on", "t") == ["true"]
        assert client.complete(template, "kind", "") == ["given"]
        assert client.complete(template, "other", "") == []
        assert client.complete(template, "levels", "LO") == ["Low", "lower"]


def test_schemas_are_imported_only_for_hints_that_need_them() -> None:
    import subprocess

    program = """
import sys, wellhead
server = wellhead.Server("s", "1")
def one(id: int, q: str | None, raw: bytes, tags: list[str]) -> str: ...
server.resource("n:{id}/{raw}{?q}{&tags*}")(one)
assert "wellhead._schema" not in sys.modules and "uuid" not in sys.modules
def two(id: float) -> str: ...
server.resource("m:{id}")(two)
assert "wellhead._schema" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("hint", [dict, list[int], int | str, Any, object, wellhead.Server, set[str]], ids=str)
def test_unsupported_hints_are_refused(hint: Any) -> None:
    with pytest.raises(wellhead.UsageError, match=r"cannot be made .*: annotate it str, int, float, bool"):
        given(hint, "x")
    with pytest.raises(wellhead.UsageError, match=r'"value" is exploded: annotate it list\[str\]'):
        given(hint if hint != list[int] else list[list[int]], "x", "n:x{/value*}")
