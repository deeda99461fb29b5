"""Drives one notes host over stdio with the official Python client (package `mcp` 1.x, revisions with a handshake).

    driver.py FIFO RECORD COMMAND...

COMMAND is the host behind `witness.py`, FIFO takes the edits it listens for, RECORD tells how it ended. Prints one JSON object per line: first
the names of all steps, then a verdict for each step that was reached.
"""

import base64
import json
import os
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio
import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import McpError
from pydantic import AnyUrl

PATIENCE = 20.0  # seconds, for each thing awaited
RESOURCE_NOT_FOUND = -32002
LOGO = b"\x89PNG\r\n\x1a\n"
SLOW = {"answered by another thread", "answered later"}
FIXED = ["notes://about", "notes://logo", "notes://slow"]
NAMES = ["notes://about", "notes://logo", "slow"]
WATCHED = "notes://042"

T = TypeVar("T")
Contents = TypeVar("Contents", types.TextResourceContents, types.BlobResourceContents)


class Inbox:
    """What the host sends unasked, and a way to wait for more of it."""

    def __init__(self) -> None:
        self.list_changes = 0
        self.updates: list[str] = []
        self.faults: list[str] = []
        self._arrived = anyio.Event()

    async def __call__(self, message: object) -> None:
        match message:
            case types.ServerNotification(root=types.ResourceListChangedNotification()):
                self.list_changes += 1
            case types.ServerNotification(root=types.ResourceUpdatedNotification(params=params)):
                self.updates.append(str(params.uri))
            case _:
                self.faults.append(f"the client was sent {message!r}")
        self._arrived.set()
        self._arrived = anyio.Event()

    async def until(self, holds: Callable[[], Awaitable[bool]], awaited: str) -> None:
        """Asks `holds` now and after each message, until it says yes."""
        try:
            with anyio.fail_after(PATIENCE):
                while True:
                    arrived = self._arrived
                    if await holds():
                        return
                    await arrived.wait()
        except TimeoutError:
            raise AssertionError(f"{PATIENCE:.0f} s passed without {awaited}") from None


class Notes:
    """The notes application: its session, and the FIFO through which its user edits."""

    def __init__(self, session: ClientSession, inbox: Inbox, fifo: int) -> None:
        self.session = session
        self.inbox = inbox
        self._fifo = fifo

    def edit(self, line: str) -> None:
        os.write(self._fifo, f"{line}\n".encode())

    async def read(self, uri: str, kind: type[Contents]) -> Contents:
        result = await in_time(self.session.read_resource(AnyUrl(uri)), f"an answer to resources/read of {uri}")
        expect(len(result.contents) == 1, f"{uri} has {len(result.contents)} contents instead of 1")
        contents = result.contents[0]
        expect(str(contents.uri) == uri, f"the contents of {uri} say they are of {contents.uri}")
        if not isinstance(contents, kind):
            raise AssertionError(f"{uri} came as {type(contents).__name__}")
        return contents

    async def text(self, uri: str) -> str:
        return (await self.read(uri, types.TextResourceContents)).text

    async def exists(self, uri: str) -> bool:
        try:
            await self.text(uri)
        except McpError as error:
            expect(error.error.code == RESOURCE_NOT_FOUND, f"{uri}: {error.error}")
            return False
        return True

    async def page(self, cursor: str | None) -> types.ListResourcesResult:
        params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
        return await in_time(self.session.list_resources(params=params), "a page of resources/list")


async def connect(notes: Notes) -> str:
    result = await in_time(notes.session.initialize(), "an answer to initialize")
    expect(result.protocolVersion == types.LATEST_PROTOCOL_VERSION, f"negotiated {result.protocolVersion}")
    expect(bool(result.serverInfo.name), "serverInfo has no name")
    resources = result.capabilities.resources
    expect(bool(resources and resources.subscribe and resources.listChanged), f"the resources capability is {resources!r}")
    return f"{result.protocolVersion}, subscribe, listChanged"


async def walk(notes: Notes) -> str:
    first = await notes.page(None)
    listed = [str(resource.uri) for resource in first.resources]
    names = [resource.name for resource in first.resources[: len(NAMES)]]
    expect(names == NAMES, f"the first names are {names}")
    gone, late, unseen = listed[-1], "notes://251", "notes://240"
    notes.edit(f"del {key(gone)}")
    await notes.inbox.until(lambda: holds(notes.inbox.list_changes > 0), f"list_changed after {gone} was deleted")
    expect(not await notes.exists(gone), f"{gone} can be read after it was deleted")
    notes.edit(f"add {key(late)} # Note {key(late)}")
    await notes.inbox.until(lambda: notes.exists(late), f"{late} after it was added")

    pages, cursor = [first], first.nextCursor
    while cursor is not None:
        pages.append(await notes.page(cursor))
        listed += [str(resource.uri) for resource in pages[-1].resources]
        cursor = pages[-1].nextCursor
        if len(pages) == 2:
            expect(unseen not in listed, f"{unseen} is listed before its page")
            notes.edit(f"del {key(unseen)}")
            await notes.inbox.until(lambda: absent(notes, unseen), f"{unseen} to be gone")

    longest = max(len(page.resources) for page in pages)
    expect(longest <= 100 and len(pages) == 3, f"{len(pages)} pages of up to {longest} entries instead of 3 of up to 100")
    expected = FIXED + [f"notes://{number:03}" for number in range(1, 252) if number != int(key(unseen))]
    expect(listed == expected, difference(listed, expected))
    return f"{len(listed)} entries once each, {len(pages)} pages, edited between them"


async def text(notes: Notes) -> str:
    found = await notes.text("notes://about")
    expect(found == "Notes.", f"notes://about is {found!r}")
    return repr(found)


async def blob(notes: Notes) -> str:
    contents = await notes.read("notes://logo", types.BlobResourceContents)
    found = base64.b64decode(contents.blob, validate=True)
    expect(found == LOGO, f"notes://logo is {found.hex(' ')}")
    expect(contents.mimeType == "image/png", f"notes://logo is of type {contents.mimeType}")
    return f"{contents.mimeType} {found.hex(' ')}"


async def template(notes: Notes) -> str:
    result = await in_time(notes.session.list_resource_templates(), "an answer to resources/templates/list")
    templates = [each.uriTemplate for each in result.resourceTemplates]
    expect(templates == ["notes://{id}"], f"the templates are {templates}")
    contents = await notes.read("notes://007", types.TextResourceContents)
    expect(contents.text == "# Note 007", f"notes://007 is {contents.text!r}")
    expect(contents.mimeType == "text/markdown", f"notes://007 is of type {contents.mimeType}")
    return f"notes://{{id}}: {contents.text!r}"


async def unknown(notes: Notes) -> str:
    uri = "notes://999"
    try:
        await notes.text(uri)
    except McpError as error:
        expect(error.error.code == RESOURCE_NOT_FOUND, f"the code is {error.error.code}, not {RESOURCE_NOT_FOUND}")
        expect(error.error.data == {"uri": uri}, f"the data is {error.error.data!r}")
        return f"{error.error.code} with data.uri"
    raise AssertionError(f"{uri} was read, though there is no such note")


async def slow(notes: Notes) -> str:
    found = await notes.text("notes://slow")
    expect(found in SLOW, f"notes://slow is {found!r}")
    return repr(found)


async def subscribe(notes: Notes) -> str:
    await in_time(notes.session.subscribe_resource(AnyUrl(WATCHED)), "an answer to resources/subscribe")
    for body in ["Milk", "Bread"]:
        before = len(notes.inbox.updates)
        notes.edit(f"set {key(WATCHED)} {body}")
        await notes.inbox.until(partial(more, notes.inbox.updates, before), f"updated for {body!r} in {WATCHED}")
        found = await notes.text(WATCHED)
        expect(found == body, f"{WATCHED} is {found!r} after the update to {body!r}")
    expect(notes.inbox.updates == [WATCHED] * 2, f"updates arrived for {notes.inbox.updates}")
    return f"2 of 2 edits of {WATCHED} notified"


async def unsubscribe(notes: Notes) -> str:
    await in_time(notes.session.unsubscribe_resource(AnyUrl(WATCHED)), "an answer to resources/unsubscribe")
    before = notes.inbox.list_changes
    notes.edit(f"set {key(WATCHED)} Butter")
    notes.edit("add 252 # Note 252")  # edits take effect in order: once this one shows, the one before it is over
    await notes.inbox.until(lambda: holds(notes.inbox.list_changes > before), "list_changed after notes://252 was added")
    await notes.inbox.until(lambda: notes.exists("notes://252"), "notes://252 after it was added")
    found = await notes.text(WATCHED)
    expect(found == "Butter", f"{WATCHED} is {found!r}")
    expect(notes.inbox.updates == [WATCHED] * 2, f"updates arrived for {notes.inbox.updates}")
    return "a third edit stayed silent"


STEPS: dict[str, Callable[[Notes], Awaitable[str]]] = {
    "initialize": connect,
    "walk the list": walk,
    "read text": text,
    "read bytes": blob,
    "read by template": template,
    "unknown note": unknown,
    "slow note": slow,
    "subscribe": subscribe,
    "unsubscribe": unsubscribe,
}
ENDING = "end of input"


async def drive(fifo: int, record: Path, command: list[str]) -> None:
    inbox = Inbox()
    host = StdioServerParameters(command=command[0], args=command[1:])
    async with stdio_client(host) as streams, ClientSession(streams[0], streams[1], message_handler=inbox) as session:
        notes = Notes(session, inbox, fifo)
        for name, step in STEPS.items():
            if not await report(name, step(notes)) and step is connect:
                return
    await report(ENDING, ending(inbox, record))


async def ending(inbox: Inbox, record: Path) -> str:
    expect(record.exists(), "the host had to be killed")
    end = json.loads(record.read_text())
    expect(not end["terminated"], "the host did not end by itself, the client sent it SIGTERM")
    expect(end["code"] == 0, f"the host ended with {end['code']}")
    expect(not inbox.faults, "; ".join(inbox.faults))
    return "exit status 0, by itself"


async def report(name: str, verdict: Awaitable[str]) -> bool:
    try:
        ok, detail = True, await verdict
    except AssertionError as error:
        ok, detail = False, str(error)
    except Exception as error:  # a failed step is a row of the table, whatever went wrong
        ok, detail = False, repr(error)
    say({"step": name, "ok": ok, "detail": detail})
    return ok


async def in_time(work: Awaitable[T], awaited: str) -> T:
    try:
        with anyio.fail_after(PATIENCE):
            return await work
    except TimeoutError:
        raise AssertionError(f"{PATIENCE:.0f} s passed without {awaited}") from None


async def holds(truth: bool) -> bool:
    return truth


async def more(items: list[str], than: int) -> bool:
    return len(items) > than


async def absent(notes: Notes, uri: str) -> bool:
    return not await notes.exists(uri)


def difference(listed: list[str], expected: list[str]) -> str:
    twice = sorted({uri for uri in listed if listed.count(uri) > 1})
    missing = [uri for uri in expected if uri not in listed]
    extra = sorted(set(listed) - set(expected))
    named = {"twice": twice, "missing": missing, "not expected": extra}
    return "; ".join(f"{what}: {', '.join(uris)}" for what, uris in named.items() if uris) or "the order is wrong"


def key(uri: str) -> str:
    return uri.removeprefix("notes://")


def expect(truth: bool, otherwise: str) -> None:
    if not truth:
        raise AssertionError(otherwise)


def say(line: dict[str, object]) -> None:
    print(json.dumps(line), flush=True)


def main() -> None:
    fifo, record, *command = sys.argv[1:]
    say({"steps": [*STEPS, ENDING]})
    # Open for reading too: neither this nor the host's opening waits, and the host never sees the FIFO end.
    descriptor = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
    anyio.run(drive, descriptor, Path(record), command)


if __name__ == "__main__":
    main()
