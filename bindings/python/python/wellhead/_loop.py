"""The event loop of this thread."""

from __future__ import annotations

import asyncio


def running_loop() -> asyncio.AbstractEventLoop:
    """Returns the running loop of asyncio. Raises RuntimeError if there is none, as under trio, with a message
    that says what to do.
    """
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError(
            "no asyncio event loop is running on this thread: use asyncio.run(), or anyio with its asyncio backend; "
            "trio is not supported"
        ) from None
