"""Drives one host over stdio or HTTP with the official Python client (package `mcp` 1.x, revisions with a handshake): see drive.py."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

import anyio
import mcp.types as types
from common import Content, Inbox, Json, Page, Refused, body, check, in_time, plain
from drive import main
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import McpError
from mcp.shared.session import ProgressFnT
from pydantic import AnyUrl
from wide import callbacks

T = TypeVar("T")


class Handshake:
    resource_not_found = -32002
    has_input_required = False

    def __init__(self, session: ClientSession, inbox: Inbox) -> None:
        self.session = session
        self.inbox = inbox
        self._initialized: types.InitializeResult | None = None

    async def connect(self) -> str:
        result = self._initialized = await in_time(self.session.initialize(), "an answer to initialize")
        check(result.protocolVersion == types.LATEST_PROTOCOL_VERSION, f"negotiated {result.protocolVersion}")
        check(bool(result.serverInfo.name), "serverInfo has no name")
        resources = result.capabilities.resources
        check(bool(resources and resources.subscribe and resources.listChanged), f"the resources capability is {resources!r}")
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

    async def identity(self) -> tuple[Json, str | None, Json]:
        result = self._initialized
        assert result is not None
        return plain(result.serverInfo), result.instructions, plain(result.capabilities)

    async def resources(self) -> list[Json]:
        return [plain(each) for each in (await answered(self.session.list_resources())).resources]

    async def resource_templates(self) -> list[Json]:
        return [plain(each) for each in (await answered(self.session.list_resource_templates())).resourceTemplates]

    async def parts(self, uri: str) -> list[Json]:
        return [plain(each) for each in (await answered(self.session.read_resource(AnyUrl(uri)))).contents]

    async def read_with_progress(self, uri: str, hear: ProgressFnT) -> str:
        [content] = (await answered(self._read(uri, hear))).contents
        return str(body(content))

    async def give_up(self, uri: str) -> None:
        with anyio.CancelScope() as scope:

            async def on_progress(progress: float, total: float | None, message: str | None) -> None:
                scope.cancel()

            await self._read(uri, on_progress)
        # This version of the client does not tell the host by itself. A request's progress token is its id.
        params = types.CancelledNotificationParams(requestId=self.inbox.progress_tokens[-1])
        await self.session.send_notification(types.ClientNotification(types.CancelledNotification(params=params)))

    async def _read(self, uri: str, on_progress: ProgressFnT) -> types.ReadResourceResult:
        request = types.ReadResourceRequest(params=types.ReadResourceRequestParams(uri=AnyUrl(uri)))
        return await self.session.send_request(types.ClientRequest(request), types.ReadResourceResult, progress_callback=on_progress)

    async def recover(self, uri: str) -> None:
        """The transport comes back by itself."""

    async def complete(self, ref: Json, name: str, value: str, others: dict[str, str] | None) -> Json:
        reference = types.PromptReference if ref["type"] == "ref/prompt" else types.ResourceTemplateReference
        given = reference.model_validate(ref)
        return plain((await answered(self.session.complete(given, {"name": name, "value": value}, others))).completion)

    async def watch_tools(self) -> None:
        """Each client with a session gets these notifications."""

    async def tools(self) -> list[Json]:
        return [plain(each) for each in (await answered(self.session.list_tools())).tools]

    async def call(self, name: str, arguments: Json) -> Json:
        return plain(await answered(self.session.call_tool(name, arguments)))

    async def prompts(self) -> list[Json]:
        return [plain(each) for each in (await answered(self.session.list_prompts())).prompts]

    async def prompt(self, name: str, arguments: dict[str, str]) -> Json:
        return plain(await answered(self.session.get_prompt(name, arguments)))

    async def log_from(self, level: types.LoggingLevel) -> list[str]:
        await answered(self.session.set_logging_level(level))
        return ["debug", "error"] if level == "debug" else ["error"]


async def answered(work: Awaitable[T]) -> T:
    try:
        return await work
    except McpError as error:
        raise Refused(error.error.code, error.error.data) from None


def transport(command: list[str]) -> AbstractAsyncContextManager[tuple[Any, ...]]:
    if command[0].startswith("http://"):
        return streamable_http_client(command[0])
    return stdio_client(StdioServerParameters(command=command[0], args=command[1:]))


async def session(command: list[str], inbox: Inbox, drive: Callable[[Handshake], Awaitable[None]]) -> None:
    async def hear(message: object) -> None:
        match message:
            case types.ServerNotification(root=types.ResourceListChangedNotification()):
                inbox.list_changed()
            case types.ServerNotification(root=types.ResourceUpdatedNotification(params=params)):
                inbox.updated(str(params.uri))
            case types.ServerNotification(root=types.ToolListChangedNotification()):
                inbox.tools_changed()
            case types.ServerNotification(root=types.ProgressNotification(params=params)):
                inbox.progress_tokens.append(params.progressToken)
            case types.ServerNotification(root=types.LoggingMessageNotification()):
                pass  # there is a callback for these
            case _:
                inbox.fault(f"the client was sent {message!r}")

    async with (
        transport(command) as streams,
        ClientSession(streams[0], streams[1], message_handler=hear, **callbacks(inbox, types)) as client,
    ):
        await drive(Handshake(client, inbox))


if __name__ == "__main__":
    main(session)
