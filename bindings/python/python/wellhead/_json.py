"""JSON text as Python's values, and back."""

from __future__ import annotations

import json
from math import isfinite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal
    from typing import Any

    from wellhead._errors import UsageError


#: What is wrong with a float that JSON lacks.
NOT_FINITE = "is NaN or an infinity, which JSON does not have; give None or a str instead"


def loads(text: str) -> Any:
    """Parses JSON as `json.loads` does, also integers with more digits than Python converts
    (`sys.set_int_max_str_digits`).
    """
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(text, parse_int=integer)


def dumps(value: Any) -> str:
    """Returns JSON text, also of dataclasses, pydantic's models, dates and the like. Raises TypeError for
    other values.
    """
    from wellhead._schema import encoded

    try:
        plain = encoded(value)
    except (TypeError, ValueError) as e:
        raise TypeError(f"{type(value).__name__} cannot be written as JSON: {e}") from e
    try:
        text = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        if not text.isascii():
            text.encode()  # here, where the fault can still be found
        return text
    except (TypeError, ValueError) as e:
        raise refused(type(value).__name__, plain, e) from e


def refused(name: str, value: Any, e: BaseException) -> TypeError:
    """Returns the exception for a value that `json` refused with `e`. Names the place of the fault."""
    return TypeError(f"{name} cannot be written as JSON: {fault(value) or e}")


def fault(value: Any) -> str | None:
    """Returns where a value that `_schema.encoded` made has a number or a text that JSON lacks, and what to do. Returns
    None if it has neither.
    """
    try:
        found = next(faults(value), None)
    except Exception:  # such as RecursionError, or what `items` of a dict of the application raises
        return None
    if found is None:
        return None
    from wellhead._tools import path

    steps, why = found
    return f"{path(*steps) or 'it'} {why}"


def faults(value: Any, *steps: Any) -> Iterator[tuple[tuple[Any, ...], str]]:
    if isinstance(value, float) and not isfinite(value):
        yield steps, NOT_FINITE
    elif isinstance(value, str) and (why := no_unicode(value)):
        yield steps, why
    elif isinstance(value, dict):
        for name, one in value.items():
            if isinstance(name, str) and (why := no_unicode(name)):
                yield steps, f"has a name that {why}"
            yield from faults(one, *steps, str(name))
    elif isinstance(value, (list, tuple)):
        for at, one in enumerate(value):
            yield from faults(one, *steps, at)


def no_unicode(text: str) -> str | None:
    """Returns what is wrong with a text that has no UTF-8, and what to do. Returns None for other texts."""
    try:
        text.encode()
    except UnicodeEncodeError as e:
        half = ascii(text[e.start])
        return (
            f'has half of a surrogate pair ({half} at {e.start}); replace it, as by .encode(errors="replace").decode()'
        )
    return None


def no_text(name: str, text: str) -> UsageError:
    """Returns the exception for an argument that has no UTF-8."""
    from wellhead._errors import UsageError

    return UsageError(f"{name} {no_unicode(text)}", "invalid_argument")


def integer(digits: str) -> int | Decimal:
    """Returns an `int`, or a `Decimal` if Python refuses the number of digits."""
    try:
        return int(digits)
    except ValueError:
        from decimal import Decimal

        return Decimal(digits)
