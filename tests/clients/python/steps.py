"""The steps in which a notes host, or `wellhead serve`, is driven, for whichever version of the official Python client stands behind a `Client`."""

import json
import os
import shutil
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import anyio

PATIENCE = 20.0  # seconds, for each thing awaited
LOGO = b"\x89PNG\r\n\x1a\n"
SLOW = {"answered by another thread", "answered later"}
FIXED = ["notes://about", "notes://logo", "notes://slow"]
NAMES = ["notes://about", "notes://logo", "slow"]
WATCHED = "notes://042"

T = TypeVar("T")
W = TypeVar("W")


@dataclass
class Content:
    """What a resource came as: one content, text or bytes."""

    uri: str
    mime_type: str | None
    body: str | bytes


@dataclass
class Page:
    uris: list[str]
    names: list[str]
    next_cursor: str | None


class Refused(Exception):
    """The host answered with an error."""

    def __init__(self, code: int, data: object) -> None:
        super().__init__(f"error {code} with {data!r}")
        self.code = code
        self.data = data


class Inbox:
    """What the host sends unasked, and a way to wait for more of it."""

    def __init__(self) -> None:
        self.list_changes = 0
        self.updates: list[str] = []
        self.faults: list[str] = []
        self._arrived = anyio.Event()

    def list_changed(self) -> None:
        self.list_changes += 1
        self._ring()

    def updated(self, uri: str) -> None:
        self.updates.append(uri)
        self._ring()

    def fault(self, what: str) -> None:
        self.faults.append(what)
        self._ring()

    def _ring(self) -> None:
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


class Client(Protocol):
    """A session of one version of the client. Each call raises [`Refused`] where the host answered with an error."""

    resource_not_found: int
    inbox: Inbox

    async def connect(self) -> str:
        """Settles the revision, and says which."""

    async def page(self, cursor: str | None) -> Page: ...
    async def contents(self, uri: str) -> list[Content]: ...
    async def templates(self) -> list[str]: ...
    async def watch(self, uri: str) -> None: ...
    async def unwatch(self, uri: str) -> None: ...


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
        expect(len(contents) == 1, f"{uri} has {len(contents)} contents instead of 1")
        content = contents[0]
        expect(content.uri == uri, f"the contents of {uri} say they are of {content.uri}")
        if not isinstance(content.body, kind):
            raise AssertionError(f"{uri} came as {type(content.body).__name__}")
        return content.body, content.mime_type

    async def text(self, uri: str) -> str:
        return (await self.read(uri, str))[0]

    async def exists(self, uri: str) -> bool:
        try:
            await self.text(uri)
        except Refused as refused:
            expect(refused.code == self.client.resource_not_found, f"{uri}: {refused}")
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
    expect(names == NAMES, f"the first names are {names}")
    gone, late, unseen = listed[-1], "notes://251", "notes://240"
    notes.edit(f"del {key(gone)}")
    await notes.inbox.until(lambda: holds(notes.inbox.list_changes > 0), f"list_changed after {gone} was deleted")
    expect(not await notes.exists(gone), f"{gone} can be read after it was deleted")
    notes.edit(f"add {key(late)} # Note {key(late)}")
    await notes.inbox.until(lambda: notes.exists(late), f"{late} after it was added")

    pages, cursor = [first], first.next_cursor
    while cursor is not None:
        pages.append(await notes.page(cursor))
        listed += pages[-1].uris
        cursor = pages[-1].next_cursor
        if len(pages) == 2:
            expect(unseen not in listed, f"{unseen} is listed before its page")
            notes.edit(f"del {key(unseen)}")
            await notes.inbox.until(lambda: absent(notes, unseen), f"{unseen} to be gone")

    longest = max(len(page.uris) for page in pages)
    expect(longest <= 100 and len(pages) == 3, f"{len(pages)} pages of up to {longest} entries instead of 3 of up to 100")
    expected = FIXED + [f"notes://{number:03}" for number in range(1, 252) if number != int(key(unseen))]
    expect(listed == expected, difference(listed, expected))
    return f"{len(listed)} entries once each, {len(pages)} pages, edited between them"


async def text(notes: Notes) -> str:
    found = await notes.text("notes://about")
    expect(found == "Notes.", f"notes://about is {found!r}")
    return repr(found)


async def blob(notes: Notes) -> str:
    found, mime_type = await notes.read("notes://logo", bytes)
    expect(found == LOGO, f"notes://logo is {found.hex(' ')}")
    expect(mime_type == "image/png", f"notes://logo is of type {mime_type}")
    return f"{mime_type} {found.hex(' ')}"


async def template(notes: Notes) -> str:
    templates = await in_time(notes.client.templates(), "an answer to resources/templates/list")
    expect(templates == ["notes://{id}"], f"the templates are {templates}")
    found, mime_type = await notes.read("notes://007", str)
    expect(found == "# Note 007", f"notes://007 is {found!r}")
    expect(mime_type == "text/markdown", f"notes://007 is of type {mime_type}")
    return f"notes://{{id}}: {found!r}"


async def unknown(notes: Notes) -> str:
    uri, code = "notes://999", notes.client.resource_not_found
    try:
        await notes.text(uri)
    except Refused as refused:
        expect(refused.code == code, f"the code is {refused.code}, not {code}")
        expect(refused.data == {"uri": uri}, f"the data is {refused.data!r}")
        return f"{refused.code} with data.uri"
    raise AssertionError(f"{uri} was read, though there is no such note")


async def slow(notes: Notes) -> str:
    found = await notes.text("notes://slow")
    expect(found in SLOW, f"notes://slow is {found!r}")
    return repr(found)


async def watch(notes: Notes) -> str:
    await in_time(notes.client.watch(WATCHED), f"an answer to the wish to watch {WATCHED}")
    for body in ["Milk", "Bread"]:
        before = len(notes.inbox.updates)
        notes.edit(f"set {key(WATCHED)} {body}")
        await notes.inbox.until(partial(more, notes.inbox.updates, before), f"updated for {body!r} in {WATCHED}")
        found = await notes.text(WATCHED)
        expect(found == body, f"{WATCHED} is {found!r} after the update to {body!r}")
    expect(notes.inbox.updates == [WATCHED] * 2, f"updates arrived for {notes.inbox.updates}")
    return f"2 of 2 edits of {WATCHED} notified"


async def unwatch(notes: Notes) -> str:
    await in_time(notes.client.unwatch(WATCHED), f"an answer to the wish to watch {WATCHED} no longer")
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


class Folder:
    """The folder that `wellhead serve` serves, and whose files the steps change."""

    def __init__(self, client: Client, path: Path) -> None:
        self.client = client
        self.inbox = client.inbox
        self.path = path

    def uri(self, name: str) -> str:
        return (self.path / name).as_uri()

    async def content(self, uri: str) -> Content:
        contents = await in_time(self.client.contents(uri), f"an answer to resources/read of {uri}")
        expect(len(contents) == 1 and contents[0].uri == uri, f"{uri} came as {contents}")
        return contents[0]

    async def listed(self) -> list[str]:
        page = await in_time(self.client.page(None), "a page of resources/list")
        expect(page.next_cursor is None, "there is a second page")
        return page.uris


async def connect_to_folder(folder: Folder) -> str:
    return await folder.client.connect()


async def list_folder(folder: Folder) -> str:
    expected = [folder.path.as_uri(), *map(folder.uri, ["a.md", "b.bin", "sub", "sub/c.txt"])]
    listed = await folder.listed()
    expect(listed == expected, difference(listed, expected))
    return f"{len(listed)} entries, hidden files left out"


async def read_folder(folder: Folder) -> str:
    text = await folder.content(folder.uri("a.md"))
    expect((text.body, text.mime_type) == ("# A\n", "text/markdown"), f"a.md is {text}")
    blob = await folder.content(folder.uri("b.bin"))
    expect(blob.body == b"\x00\xff", f"b.bin is {blob}")
    children = await folder.content(folder.path.as_uri())
    expect(children.body == "".join(f"{folder.uri(name)}\r\n" for name in ["a.md", "b.bin", "sub"]), f"the folder is {children}")
    return "text, bytes, and the folder as a list of URIs"


async def templates_of_folder(folder: Folder) -> str:
    templates = await in_time(folder.client.templates(), "an answer to resources/templates/list")
    expect(templates == [f"{folder.path.as_uri()}/{{+path}}"], f"the templates are {templates}")
    nested = await folder.content(templates[0].replace("{+path}", "sub/c.txt"))
    expect(nested.body == "c\n", f"sub/c.txt is {nested}")
    return "a nested file by {+path}"


async def stay_inside(folder: Folder) -> str:
    outside = [".hidden", "none", "../outside.txt", "%2e%2e/outside.txt", "link"]
    for name in outside:
        try:
            found = await folder.content(f"{folder.path.as_uri()}/{name}")
        except Refused as refused:
            expect(refused.code == folder.client.resource_not_found, f"{name}: {refused}")
            continue
        raise AssertionError(f"{name} was read: {found}")
    return f"{len(outside)} names of what is not served are not found"


async def watch_folder(folder: Folder) -> str:
    uri = folder.uri("a.md")
    await in_time(folder.client.watch(uri), f"an answer to the wish to watch {uri}")
    (folder.path / "a.md").write_text("# Changed\n")
    await folder.inbox.until(partial(more, folder.inbox.updates, 0), f"updated after {uri} was written")
    expect((await folder.content(uri)).body == "# Changed\n", f"{uri} is what it was")
    expect(set(folder.inbox.updates) == {uri}, f"updates arrived for {folder.inbox.updates}")
    return "a real edit is notified"


async def watch_list(folder: Folder) -> str:
    before = folder.inbox.list_changes
    (folder.path / "new.txt").write_text("new\n")
    await folder.inbox.until(lambda: holds(folder.inbox.list_changes > before), "list_changed after new.txt was made")
    expect(folder.uri("new.txt") in await folder.listed(), "new.txt is not listed")
    return "a new file is notified and listed"


FOLDER_STEPS: dict[str, Callable[[Folder], Awaitable[str]]] = {
    "connect": connect_to_folder,
    "list the folder": list_folder,
    "read text and bytes": read_folder,
    "read by template": templates_of_folder,
    "stay inside": stay_inside,
    "watch a file": watch_folder,
    "watch the list": watch_list,
}
ENDING = "end of input"


def make_folder(path: Path) -> None:
    """What the steps expect, and beside it what they must not reach."""
    shutil.rmtree(path)
    (path / "sub").mkdir(parents=True)
    (path / "a.md").write_text("# A\n")
    (path / "b.bin").write_bytes(b"\x00\xff")
    (path / "sub/c.txt").write_text("c\n")
    (path / ".hidden").write_text("hidden\n")
    (path.parent / "outside.txt").write_text("outside\n")
    (path / "link").symlink_to("../outside.txt")


async def drive(client: Client, place: str) -> None:
    """Takes all steps but the last, in which the client is closed. `place` is the FIFO of a notes host, or a folder."""
    if os.path.isdir(place):
        await take(FOLDER_STEPS, Folder(client, Path(place)))
    else:
        # Open for reading too: neither this nor the host's opening waits, and the host never sees the FIFO end.
        await take(STEPS, Notes(client, os.open(place, os.O_RDWR | os.O_NONBLOCK)))


async def take(steps: dict[str, Callable[[W], Awaitable[str]]], world: W) -> None:
    for name, step in steps.items():
        if not await report(name, step(world)) and name == "connect":
            return


def main(session: Callable[[str, list[str], Inbox], Awaitable[None]]) -> None:
    """`session` drives the host COMMAND through one session of its client, to its end."""
    place, record, *command = sys.argv[1:]
    if os.path.isdir(place):
        make_folder(Path(place))
        say({"steps": [*FOLDER_STEPS, ENDING]})
    else:
        say({"steps": [*STEPS, ENDING]})

    async def run() -> None:
        inbox = Inbox()
        await session(place, command, inbox)
        await report(ENDING, ending(inbox, Path(record)))

    anyio.run(run)


async def ending(inbox: Inbox, record: Path) -> str:
    expect(record.exists(), "the host had to be killed")
    end = json.loads(record.read_text().splitlines()[-1])
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
