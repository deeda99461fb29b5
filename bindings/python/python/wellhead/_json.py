"""JSON text as Python's values, and back."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal
    from typing import Any


def loads(text: str) -> Any:
    """`json.loads`, also for integers with more digits than Python makes an `int` of (`sys.set_int_max_str_digits`)."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(text, parse_int=integer)


def dumps(value: Any) -> str:
    """JSON text, also of dataclasses, pydantic's models, dates and the like. Raises `TypeError`."""
    from wellhead._schema import encoded

    try:
        return json.dumps(encoded(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as e:
        raise TypeError(f"{type(value).__name__} cannot be written as JSON: {e}") from e


def integer(digits: str) -> int | Decimal:
    """An `int`, or a `Decimal` where that would take time that grows with the square of the digits."""
    try:
        return int(digits)
    except ValueError:
        from decimal import Decimal

        return Decimal(digits)
