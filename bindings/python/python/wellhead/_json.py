"""JSON text as Python's values, and back."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal
    from typing import Any


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
        return json.dumps(encoded(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as e:
        raise TypeError(f"{type(value).__name__} cannot be written as JSON: {e}") from e


def integer(digits: str) -> int | Decimal:
    """Returns an `int`, or a `Decimal` if Python refuses the number of digits."""
    try:
        return int(digits)
    except ValueError:
        from decimal import Decimal

        return Decimal(digits)
