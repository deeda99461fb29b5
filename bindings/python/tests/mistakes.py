"""Mistakes of an application, and the exceptions that they raise."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import pytest
import wellhead


class Mistake(NamedTuple):
    name: str
    make: Callable[[Any], object]
    error: type[Exception]
    text: str

    def is_refused(self) -> None:
        """With a new server, it raises the error with exactly this text."""
        with wellhead.Server("s", "1") as server, pytest.raises(self.error) as raised:
            self.make(server)
        assert str(raised.value) == self.text


def each(mistakes: Iterable[Mistake]) -> pytest.MarkDecorator:
    """Runs a test once for each of them, under its name."""
    return pytest.mark.parametrize("mistake", [pytest.param(one, id=one.name) for one in mistakes])
