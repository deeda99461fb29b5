"""The steps in which the examples with an HTTP server of their own are driven: axum's board of notes, and libmicrohttpd's clock and counter."""

import urllib.request
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from urllib.parse import urljoin

import anyio
from common import Client, check, holds, in_time, more
from wide import Wide


class Board:
    """Notes that people write to `/notes/ID`, and clients find as `notes://ID`."""

    def __init__(self, client: Client, url: str) -> None:
        self.client = client
        self.inbox = client.inbox
        self._url = url

    async def write(self, id: str, text: str) -> None:
        def put() -> None:
            request = urllib.request.Request(urljoin(self._url, f"/notes/{id}"), text.encode(), method="PUT")
            with urllib.request.urlopen(request) as response:
                check(response.status == 204, f"PUT gave {response.status}")

        await in_time(anyio.to_thread.run_sync(put), "an answer to PUT")

    async def listed(self) -> list[str]:
        return (await in_time(self.client.page(None), "a page of resources/list")).uris

    async def text(self, uri: str) -> str | bytes:
        return await text(self.client, uri)


async def text(client: Client | Wide, uri: str) -> str | bytes:
    [content] = await in_time(client.contents(uri), f"an answer to resources/read of {uri}")
    return content.body


async def connect_to_board(board: Board) -> str:
    return await board.client.connect()


async def list_board(board: Board) -> str:
    await board.write("a", "one")
    check(await board.listed() == ["notes://a"], "it is not listed, or not alone")
    templates = await in_time(board.client.templates(), "an answer to resources/templates/list")
    check(templates == ["notes://{id}"], f"the templates are {templates}")
    return "what people have written, and the template"


async def read_board(board: Board) -> str:
    found = await board.text("notes://a")
    check(found == "one", f"it is {found!r}")
    return repr(found)


async def watch_board(board: Board) -> str:
    await in_time(board.client.watch("notes://a"), "an answer to the wish to watch it")
    await board.write("a", "two")
    await board.inbox.until(partial(more, board.inbox.updates, 0), "updated after it was written")
    found = await board.text("notes://a")
    check((board.inbox.updates, found) == (["notes://a"], "two"), f"{board.inbox.updates} were told, and it is {found!r}")
    return "what people write is told"


async def watch_list_of_board(board: Board) -> str:
    before = board.inbox.list_changes
    await board.write("b", "new")
    await board.inbox.until(lambda: holds(board.inbox.list_changes > before), "list_changed after another was written")
    check(await board.listed() == ["notes://a", "notes://b"], "the other is not listed")
    return "a further one is told and listed"


async def connect(client: Wide) -> str:
    return await client.connect()


async def list_clock(client: Client) -> str:
    uris = (await in_time(client.page(None), "a page of resources/list")).uris
    templates = await in_time(client.templates(), "an answer to resources/templates/list")
    check((uris, templates) == (["uptime://seconds"], ["primes://below/{n}"]), f"{uris} and {templates} are listed")
    return f"{uris[0]} and {templates[0]}"


async def count(client: Wide) -> str:
    found = await text(client, "primes://below/100")
    check(found == "25", f"they are {found!r}")
    return repr(found)


async def count_with_progress(client: Wide) -> str:
    told = []

    async def hear(*progress: float | str | None) -> None:
        told.append(progress)

    found = await in_time(client.read_with_progress("primes://below/1000", hear), "an answer to resources/read")
    check(found == "168", f"they are {found!r}")
    check(bool(told) and all(total == 1000 for _, total, _ in told), f"the progress was {told}")
    return f"{found!r}, after {len(told)} times progress"


async def watch_clock(client: Wide) -> str:
    await in_time(client.watch("uptime://seconds"), "an answer to the wish to watch it")
    await client.inbox.until(partial(more, client.inbox.updates, 1), "two updates")
    check(set(client.inbox.updates) == {"uptime://seconds"}, f"updates arrived for {client.inbox.updates}")
    return "each second is told"


STEPS: dict[str, dict[str, Callable[[Any], Awaitable[str]]]] = {
    "axum": {
        "connect": connect_to_board,
        "list": list_board,
        "read": read_board,
        "watch": watch_board,
        "watch the list": watch_list_of_board,
    },
    "clock": {
        "connect": connect,
        "list": list_clock,
        "read": count,
        "progress": count_with_progress,
        "watch": watch_clock,
    },
}
