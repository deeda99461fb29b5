"""Drives one notes host over stdio with the official Python client (package `mcp` 2.x), in the revision without a handshake.

    v2.py FIFO RECORD COMMAND...

COMMAND is the host behind `witness.py`, FIFO takes the edits it listens for, RECORD tells how it ended. Prints one JSON object per line: first
the names of all steps, then a verdict for each step that was reached.
"""

import base64
from collections.abc import Awaitable
from typing import TypeVar

import anyio
import mcp_types as types
from anyio.abc import TaskGroup, TaskStatus
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated
from steps import Content, Inbox, Page, Refused, drive, expect, in_time, main

T = TypeVar("T")
REVISION = "2026-07-28"


class Stateless:
    resource_not_found = -32602

    def __init__(self, client: Client, inbox: Inbox, tasks: TaskGroup) -> None:
        self.client = client
        self.inbox = inbox
        self._tasks = tasks
        self._watches: dict[str, anyio.CancelScope] = {}

    async def connect(self) -> str:
        expect(self.client.protocol_version == REVISION, f"negotiated {self.client.protocol_version}")
        expect(bool(self.client.server_info and self.client.server_info.name), "the server does not tell its name")
        resources = self.client.server_capabilities.resources
        expect(bool(resources and resources.subscribe and resources.list_changed), f"the resources capability is {resources!r}")
        await in_time(self._tasks.start(self._listen, None), "an acknowledgement of the listen stream for list changes")
        return f"server/discover: {REVISION}, subscribe, listChanged"

    async def _listen(self, uri: str | None, *, task_status: TaskStatus[anyio.CancelScope]) -> None:
        wanted = {"resource_subscriptions": [uri]} if uri else {"resources_list_changed": True}
        with anyio.CancelScope() as scope:
            async with self.client.listen(**wanted) as stream:
                honored = stream.honored.model_dump(exclude_none=True)
                expect(honored == wanted, f"acknowledged {honored}")
                task_status.started(scope)
                async for event in stream:
                    match event:
                        case ResourcesListChanged():
                            self.inbox.list_changed()
                        case ResourceUpdated(uri=changed):
                            self.inbox.updated(str(changed))
                        case _:
                            self.inbox.fault(f"the stream brought {event!r}")

    async def page(self, cursor: str | None) -> Page:
        result = await answered(self.client.list_resources(cursor=cursor))
        return Page([str(each.uri) for each in result.resources], [each.name for each in result.resources], result.next_cursor)

    async def contents(self, uri: str) -> list[Content]:
        result = await answered(self.client.read_resource(uri))
        return [Content(str(each.uri), each.mime_type, body(each)) for each in result.contents]

    async def templates(self) -> list[str]:
        result = await answered(self.client.list_resource_templates())
        return [each.uri_template for each in result.resource_templates]

    async def watch(self, uri: str) -> None:
        self._watches[uri] = await self._tasks.start(self._listen, uri)

    async def unwatch(self, uri: str) -> None:
        self._watches.pop(uri).cancel()
        await self.contents("notes://about")  # nothing answers a cancellation: once this is answered, it has been read


def body(contents: types.TextResourceContents | types.BlobResourceContents) -> str | bytes:
    if isinstance(contents, types.TextResourceContents):
        return contents.text
    return base64.b64decode(contents.blob, validate=True)


async def answered(work: Awaitable[T]) -> T:
    try:
        return await work
    except MCPError as error:
        raise Refused(error.code, error.data) from None


async def session(fifo: str, command: list[str], inbox: Inbox) -> None:
    host = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(host) as client, anyio.create_task_group() as tasks:
        await drive(Stateless(client, inbox, tasks), fifo)
        tasks.cancel_scope.cancel()


if __name__ == "__main__":
    main(session)
