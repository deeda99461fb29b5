"""Waits for garbage to be freed."""

import threading
import weakref
from gc import collect
from time import monotonic
from typing import Any

PATIENCE = 30.0
ONE_AT_A_TIME = threading.Lock()


def is_freed(*references: "weakref.ref[Any]") -> bool:
    """Collects garbage until everything that the weak references refer to is freed. Returns whether it is.

    Without the global interpreter lock, one collection may not do. It returns at once while another thread collects
    garbage. What one thread made and another one dropped is freed by a later collection, or by the thread that made it.
    """
    until = monotonic() + PATIENCE
    while any(reference() is not None for reference in references):
        if monotonic() > until:
            return False
        with ONE_AT_A_TIME:
            collect()
    return True
