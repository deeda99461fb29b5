"""Values that clients send as text: variables of templates, and arguments of prompts.

Imported when the first one is registered whose hint is neither str, int, bytes nor a list of str.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import math
import pathlib
import re
import typing
import uuid
from collections.abc import Callable
from typing import Any

from wellhead._errors import ResourceNotFound
from wellhead._notes import guards, without_notes
from wellhead._parameters import Values
from wellhead._schema import TEXTS, Mismatch, Unsupported, checker, encoded, parsed, show

if typing.TYPE_CHECKING:
    from typing import TypeAlias

    _Read: TypeAlias = Callable[[str], Any]  # raises `Mismatch`

NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
INTEGER = re.compile(r"0|-?[1-9][0-9]*")  # as in arguments.rs
TIMES = ("auto", "minutes", "seconds", "milliseconds")


class Choices(Values):
    """A completer for a type with few values, which compares without regard to case."""

    def __call__(self, typed: str) -> list[str]:
        typed = typed.casefold()
        return [value for value in self.values if value.casefold().startswith(typed)]


def reader(hint: Any) -> tuple[_Read, Choices | None]:
    """Returns the function that reads a value from its text, and a completer if the type has few values.
    Raises `Unsupported` for other types.
    """
    hint, notes = without_notes(hint)
    read, choices = bare_reader(hint)
    return checked(read, hint, notes), choices


def checked(read: Callable[[Any], Any], hint: Any, notes: list[Any]) -> Callable[[Any], Any]:
    """Returns `read` with the checks that the notes in `Annotated` demand."""
    if not guards(notes):
        return read
    check = checker(hint, notes)
    return lambda given: check(read(given))


def bare_reader(hint: Any) -> tuple[_Read, Choices | None]:
    if typing.get_origin(hint) is typing.Literal:
        return choice([value for value in hint.__args__ if value is not None])
    if not isinstance(hint, type):
        raise Unsupported(f"a text is no {show(hint)}")
    if hint is bool:
        return choice([True, False])
    if issubclass(hint, enum.Enum):
        return choice(list(hint))
    if hint is str:
        return str, None
    if hint is int:
        return integer, None
    if hint in (float, decimal.Decimal):
        return lambda text: number(hint, text), None
    if hint in TEXTS:
        return lambda text: canonical(hint, text), None
    raise Unsupported(f"a text is no {hint.__name__}")


def variable(hint: Any, is_list: bool) -> tuple[Callable[[Any], Any], Choices | None]:
    """Returns `reader` for a variable of a template, whose hint is `list[X]` if it is exploded. The reader
    raises `ResourceNotFound` for a text that does not have the type.
    """
    if is_list:
        hint, notes = without_notes(hint)
        read_one, choices = reader(*hint.__args__)
        read = checked(lambda texts: [read_one(text) for text in texts], hint, notes)
    else:
        read, choices = reader(hint)

    def found(value: Any) -> Any:
        try:
            return read(value)
        except Mismatch:
            raise ResourceNotFound from None

    return found, choices


def choice(values: list[Any]) -> tuple[_Read, Choices]:
    """Returns the reader and the completer of one of these values, or of the members of an enum."""
    known: dict[str, Any] = {}
    for value in values:
        plain = encoded(value)
        if not isinstance(plain, (str, int, float)):
            raise Unsupported(f"a text is no {value!r}")
        known.setdefault(plain if isinstance(plain, str) else json.dumps(plain), value)
    if not known:
        raise Unsupported("there is no value to choose")
    expected = ", ".join(json.dumps(text, ensure_ascii=False) for text in known)

    def read(text: str) -> Any:
        try:
            return known[text]
        except KeyError:
            raise wrong(f"one of {expected}", text) from None

    return read, Choices(known)


def integer(text: str) -> int:
    """Reads an integer such as `-7`. Another text, such as `07`, is refused: it would be a second name of one
    resource.
    """
    if INTEGER.fullmatch(text):
        try:
            return int(text)
        except ValueError:
            pass  # Python bounds the digits
    raise wrong("an integer", text)


def number(cls: Any, text: str) -> Any:
    """Reads a number as JSON writes it. Refuses other texts and infinity."""
    value = parsed(cls, text, cls) if NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise wrong("a number", text)
    return value


def canonical(cls: Any, text: str) -> Any:
    """Reads a value whose text is as `str` or `isoformat` write it. Other texts are refused, as newer Pythons
    would read more of them than older ones.
    """
    value = parsed(TEXTS[cls][1], text, cls)
    if cls is uuid.UUID:
        same = str(value) == text.lower()
    elif cls is pathlib.Path:
        same = text != ""
    elif cls is datetime.date:
        same = value.isoformat() == text
    else:
        written = re.sub("[Zz]$", "+00:00", text)
        same = any(value.isoformat(timespec=precision) == written for precision in TIMES)
    if not same:
        raise wrong(f"a {cls.__name__}", text)
    return value


def wrong(what: str, text: str) -> Mismatch:
    return Mismatch(f"must be {what} (got {json.dumps(text[:64], ensure_ascii=False)})")
