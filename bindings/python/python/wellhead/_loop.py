"""The event loop of this thread."""

from __future__ import annotations

import asyncio


def running_loop() -> asyncio.AbstractEventLoop:
    """Returns asyncio's loop. Under trio there is none, and asyncio's own message does not say what to do."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError(
            "no asyncio event loop is running on this thread: use asyncio.run(), or anyio with its asyncio backend; "
            "trio is not supported"
        ) from None
