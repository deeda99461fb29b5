"""A poll about lunch, with a page on which the user votes: an app of MCP Apps. Serves stdio.

The model calls `poll`, and the client shows the page. Its buttons call `vote`, which clients keep from the model.
"""

from pathlib import Path
from typing import Literal

import wellhead

PAGE = "ui://poll/page"
votes = {"Noodles": 0, "Pizza": 0}
server = wellhead.Server("poll", "1.0.0")
server.app(PAGE, Path(__file__).with_name("poll.html").read_text(encoding="utf-8"), ui={"prefersBorder": True})


def count() -> str:
    return ", ".join(f"{dish}: {number}" for dish, number in votes.items())


@server.tool(app=PAGE, annotations={"readOnlyHint": True})
def poll() -> str:
    """Shows the poll about lunch, and the votes."""
    return count()


@server.tool(app=PAGE, visibility=["app"])
def vote(dish: Literal["Noodles", "Pizza"]) -> str:
    """Votes for a dish."""
    votes[dish] += 1
    return count()


if __name__ == "__main__":
    server.run()
