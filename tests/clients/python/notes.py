"""The steps in which a notes host is driven."""

import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from common import Client, Page, Refused, check, difference, holds, in_time, more

LOGO = b"\x89PNG\r\n\x1a\n"
SLOW = {"answered by another thread", "answered later"}
FIXED = ["notes://about", "notes://logo", "notes://slow"]
NAMES = ["notes://about", "notes://logo", "slow"]
WATCHED = "notes://042"

T = TypeVar("T")


class Notes:
    """The notes application: its client, and the FIFO through which its user edits."""

    def __init__(self, client: Client, fifo: int) -> None:
        self.client = client
        self.inbox = client.inbox
        self._fifo = fifo

    def edit(self, line: str) -> None:
        os.write(self._fifo, f"{line}\n".encode())

    async def read(self, uri: str, kind: type[T]) -> tuple[T, str | None]:
        contents = await in_time(self.client.contents(uri), f"an answer to resources/read of {uri}")
        check(len(contents) == 1, f"{uri} has {len(contents)} contents instead of 1")
        content = contents[0]
        check(content.uri == uri, f"the contents of {uri} say they are of {content.uri}")
        if not isinstance(content.body, kind):
            raise AssertionError(f"{uri} came as {type(content.body).__name__}")
        return content.body, content.mime_type

    async def text(self, uri: str) -> str:
        return (await self.read(uri, str))[0]

    async def exists(self, uri: str) -> bool:
        try:
            await self.text(uri)
        except Refused as refused:
            check(refused.code == self.client.resource_not_found, f"{uri}: {refused}")
            return False
        return True

    async def page(self, cursor: str | None) -> Page:
        return await in_time(self.client.page(cursor), "a page of resources/list")


async def connect(notes: Notes) -> str:
    return await notes.client.connect()


async def walk(notes: Notes) -> str:
    first = await notes.page(None)
    listed = list(first.uris)
    names = first.names[: len(NAMES)]
    check(names == NAMES, f"the first names are {names}")
    gone, late, unseen = listed[-1], "notes://251", "notes://240"
    notes.edit(f"del {key(gone)}")
    await notes.inbox.until(lambda: holds(notes.inbox.list_changes > 0), f"list_changed after {gone} was deleted")
    check(not await notes.exists(gone), f"{gone} can be read after it was deleted")
    notes.edit(f"add {key(late)} # Note {key(late)}")
    await notes.inbox.until(lambda: notes.exists(late), f"{late} after it was added")

    pages, cursor = [first], first.next_cursor
    while cursor is not None:
        pages.append(await notes.page(cursor))
        listed += pages[-1].uris
        cursor = pages[-1].next_cursor
        if len(pages) == 2:
            check(unseen not in listed, f"{unseen} is listed before its page")
            notes.edit(f"del {key(unseen)}")
            await notes.inbox.until(lambda: absent(notes, unseen), f"{unseen} to be gone")

    longest = max(len(page.uris) for page in pages)
    check(longest <= 100 and len(pages) == 3, f"{len(pages)} pages of up to {longest} entries instead of 3 of up to 100")
    expected = FIXED + [f"notes://{number:03}" for number in range(1, 252) if number != int(key(unseen))]
    check(listed == expected, difference(listed, expected))
    return f"{len(listed)} entries once each, {len(pages)} pages, edited between them"


async def text(notes: Notes) -> str:
    found = await notes.text("notes://about")
    check(found == "Notes.", f"notes://about is {found!r}")
    return repr(found)


async def blob(notes: Notes) -> str:
    found, mime_type = await notes.read("notes://logo", bytes)
    check(found == LOGO, f"notes://logo is {found.hex(' ')}")
    check(mime_type == "image/png", f"notes://logo is of type {mime_type}")
    return f"{mime_type} {found.hex(' ')}"


async def template(notes: Notes) -> str:
    templates = await in_time(notes.client.templates(), "an answer to resources/templates/list")
    check(templates == ["notes://{id}"], f"the templates are {templates}")
    found, mime_type = await notes.read("notes://007", str)
    check(found == "# Note 007", f"notes://007 is {found!r}")
    check(mime_type == "text/markdown", f"notes://007 is of type {mime_type}")
    return f"notes://{{id}}: {found!r}"


async def unknown(notes: Notes) -> str:
    uri, code = "notes://999", notes.client.resource_not_found
    try:
        await notes.text(uri)
    except Refused as refused:
        check(refused.code == code, f"the code is {refused.code}, not {code}")
        check(refused.data == {"uri": uri}, f"the data is {refused.data!r}")
        return f"{refused.code} with data.uri"
    raise AssertionError(f"{uri} was read, though there is no such note")


async def slow(notes: Notes) -> str:
    found = await notes.text("notes://slow")
    check(found in SLOW, f"notes://slow is {found!r}")
    return repr(found)


async def watch(notes: Notes) -> str:
    await in_time(notes.client.watch(WATCHED), f"an answer to the wish to watch {WATCHED}")
    for body in ["Milk", "Bread"]:
        before = len(notes.inbox.updates)
        notes.edit(f"set {key(WATCHED)} {body}")
        await notes.inbox.until(partial(more, notes.inbox.updates, before), f"updated for {body!r} in {WATCHED}")
        found = await notes.text(WATCHED)
        check(found == body, f"{WATCHED} is {found!r} after the update to {body!r}")
    check(notes.inbox.updates == [WATCHED] * 2, f"updates arrived for {notes.inbox.updates}")
    return f"2 of 2 edits of {WATCHED} notified"


async def unwatch(notes: Notes) -> str:
    await in_time(notes.client.unwatch(WATCHED), f"an answer to the wish to watch {WATCHED} no longer")
    before = notes.inbox.list_changes
    notes.edit(f"set {key(WATCHED)} Butter")
    notes.edit("add 252 # Note 252")  # edits take effect in order: once this one shows, the one before it is over
    await notes.inbox.until(lambda: holds(notes.inbox.list_changes > before), "list_changed after notes://252 was added")
    await notes.inbox.until(lambda: notes.exists("notes://252"), "notes://252 after it was added")
    found = await notes.text(WATCHED)
    check(found == "Butter", f"{WATCHED} is {found!r}")
    check(notes.inbox.updates == [WATCHED] * 2, f"updates arrived for {notes.inbox.updates}")
    return "a third edit stayed silent"


async def absent(notes: Notes, uri: str) -> bool:
    return not await notes.exists(uri)


def key(uri: str) -> str:
    return uri.removeprefix("notes://")


STEPS: dict[str, Callable[[Notes], Awaitable[str]]] = {
    "connect": connect,
    "walk the list": walk,
    "read text": text,
    "read bytes": blob,
    "read by template": template,
    "unknown note": unknown,
    "slow note": slow,
    "watch a note": watch,
    "watch it no longer": unwatch,
}
