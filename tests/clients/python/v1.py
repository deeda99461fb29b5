"""Drives one notes host over stdio with the official Python client (package `mcp` 1.x, revisions with a handshake).

    v1.py FIFO RECORD COMMAND...

COMMAND is the host behind `witness.py`, FIFO takes the edits it listens for, RECORD tells how it ended. Prints one JSON object per line: first
the names of all steps, then a verdict for each step that was reached.
"""

import base64
from collections.abc import Awaitable
from typing import TypeVar

import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import McpError
from pydantic import AnyUrl
from steps import Content, Inbox, Page, Refused, drive, expect, in_time, main

T = TypeVar("T")


class Handshake:
    resource_not_found = -32002

    def __init__(self, session: ClientSession, inbox: Inbox) -> None:
        self.session = session
        self.inbox = inbox

    async def connect(self) -> str:
        result = await in_time(self.session.initialize(), "an answer to initialize")
        expect(result.protocolVersion == types.LATEST_PROTOCOL_VERSION, f"negotiated {result.protocolVersion}")
        expect(bool(result.serverInfo.name), "serverInfo has no name")
        resources = result.capabilities.resources
        expect(bool(resources and resources.subscribe and resources.listChanged), f"the resources capability is {resources!r}")
        await in_time(self.session.send_ping(), "an answer to ping")
        return f"initialize: {result.protocolVersion}, subscribe, listChanged"

    async def page(self, cursor: str | None) -> Page:
        params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
        result = await answered(self.session.list_resources(params=params))
        return Page([str(each.uri) for each in result.resources], [each.name for each in result.resources], result.nextCursor)

    async def contents(self, uri: str) -> list[Content]:
        result = await answered(self.session.read_resource(AnyUrl(uri)))
        return [Content(str(each.uri), each.mimeType, body(each)) for each in result.contents]

    async def templates(self) -> list[str]:
        result = await answered(self.session.list_resource_templates())
        return [each.uriTemplate for each in result.resourceTemplates]

    async def watch(self, uri: str) -> None:
        await answered(self.session.subscribe_resource(AnyUrl(uri)))

    async def unwatch(self, uri: str) -> None:
        await answered(self.session.unsubscribe_resource(AnyUrl(uri)))


def body(contents: types.TextResourceContents | types.BlobResourceContents) -> str | bytes:
    if isinstance(contents, types.TextResourceContents):
        return contents.text
    return base64.b64decode(contents.blob, validate=True)


async def answered(work: Awaitable[T]) -> T:
    try:
        return await work
    except McpError as error:
        raise Refused(error.error.code, error.error.data) from None


async def session(fifo: str, command: list[str], inbox: Inbox) -> None:
    async def hear(message: object) -> None:
        match message:
            case types.ServerNotification(root=types.ResourceListChangedNotification()):
                inbox.list_changed()
            case types.ServerNotification(root=types.ResourceUpdatedNotification(params=params)):
                inbox.updated(str(params.uri))
            case _:
                inbox.fault(f"the client was sent {message!r}")

    host = StdioServerParameters(command=command[0], args=command[1:])
    async with stdio_client(host) as streams, ClientSession(streams[0], streams[1], message_handler=hear) as client:
        await drive(Handshake(client, inbox), fifo)


if __name__ == "__main__":
    main(session)
