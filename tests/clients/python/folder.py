"""The steps in which `wellhead serve` is driven, on a folder whose files they change."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from common import Client, Content, Refused, check, difference, holds, in_time, more


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
        check(len(contents) == 1 and contents[0].uri == uri, f"{uri} came as {contents}")
        return contents[0]

    async def listed(self) -> list[str]:
        page = await in_time(self.client.page(None), "a page of resources/list")
        check(page.next_cursor is None, "there is a second page")
        return page.uris


async def connect_to_folder(folder: Folder) -> str:
    return await folder.client.connect()


async def list_folder(folder: Folder) -> str:
    expected = [folder.path.as_uri(), *map(folder.uri, ["a.md", "b.bin", "sub", "sub/c.txt"])]
    listed = await folder.listed()
    check(listed == expected, difference(listed, expected))
    return f"{len(listed)} entries, hidden files left out"


async def read_folder(folder: Folder) -> str:
    text = await folder.content(folder.uri("a.md"))
    check((text.body, text.mime_type) == ("# A\n", "text/markdown"), f"a.md is {text}")
    blob = await folder.content(folder.uri("b.bin"))
    check(blob.body == b"\x00\xff", f"b.bin is {blob}")
    children = await folder.content(folder.path.as_uri())
    check(children.body == "".join(f"{folder.uri(name)}\r\n" for name in ["a.md", "b.bin", "sub"]), f"the folder is {children}")
    return "text, bytes, and the folder as a list of URIs"


async def templates_of_folder(folder: Folder) -> str:
    templates = await in_time(folder.client.templates(), "an answer to resources/templates/list")
    check(templates == [f"{folder.path.as_uri()}/{{+path}}"], f"the templates are {templates}")
    nested = await folder.content(templates[0].replace("{+path}", "sub/c.txt"))
    check(nested.body == "c\n", f"sub/c.txt is {nested}")
    return "a nested file by {+path}"


async def stay_inside(folder: Folder) -> str:
    outside = [".hidden", "none", "../outside.txt", "%2e%2e/outside.txt", "link"]
    for name in outside:
        try:
            found = await folder.content(f"{folder.path.as_uri()}/{name}")
        except Refused as refused:
            check(refused.code == folder.client.resource_not_found, f"{name}: {refused}")
            continue
        raise AssertionError(f"{name} was read: {found}")
    return f"{len(outside)} names of what is not served are not found"


async def watch_folder(folder: Folder) -> str:
    uri = folder.uri("a.md")
    await in_time(folder.client.watch(uri), f"an answer to the wish to watch {uri}")
    (folder.path / "a.md").write_text("# Changed\n")
    await folder.inbox.until(partial(more, folder.inbox.updates, 0), f"updated after {uri} was written")
    check((await folder.content(uri)).body == "# Changed\n", f"{uri} is what it was")
    check(set(folder.inbox.updates) == {uri}, f"updates arrived for {folder.inbox.updates}")
    return "a real edit is notified"


async def watch_list(folder: Folder) -> str:
    before = folder.inbox.list_changes
    (folder.path / "new.txt").write_text("new\n")
    await folder.inbox.until(lambda: holds(folder.inbox.list_changes > before), "list_changed after new.txt was made")
    check(folder.uri("new.txt") in await folder.listed(), "new.txt is not listed")
    return "a new file is notified and listed"


STEPS: dict[str, Callable[[Folder], Awaitable[str]]] = {
    "connect": connect_to_folder,
    "list the folder": list_folder,
    "read text and bytes": read_folder,
    "read by template": templates_of_folder,
    "stay inside": stay_inside,
    "watch a file": watch_folder,
    "watch the list": watch_list,
}
