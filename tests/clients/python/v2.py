"""Drives one host over stdio or HTTP with the official Python client (package `mcp` 2.x), in the revision without a handshake: see drive.py."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import mcp_types as types
from anyio.abc import TaskGroup, TaskStatus
from common import Content, Inbox, Json, Page, Refused, body, check, holds, in_time, plain
from drive import main
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated, SubscriptionLost, ToolsListChanged
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import LOG_LEVEL_META_KEY
from wide import callbacks

T = TypeVar("T")
REVISION = "2026-07-28"


class Stateless:
    resource_not_found = -32602
    has_input_required = True

    def __init__(self, client: Client, inbox: Inbox, tasks: TaskGroup) -> None:
        self.client = client
        self.inbox = inbox
        self._tasks = tasks
        self._meta: types.RequestParamsMeta | None = None  # of calls to tools
        self._streams = 0  # opened so far
        self._watches: dict[str, anyio.CancelScope] = {}

    async def connect(self) -> str:
        check(self.client.protocol_version == REVISION, f"negotiated {self.client.protocol_version}")
        check(bool(self.client.server_info and self.client.server_info.name), "the server does not tell its name")
        resources = self.client.server_capabilities.resources
        check(bool(resources and resources.subscribe and resources.list_changed), f"the resources capability is {resources!r}")
        await in_time(self._tasks.start(self._listen, {"resources_list_changed": True}), "an acknowledgement of the listen stream for list changes")
        return f"server/discover: {REVISION}, subscribe, listChanged"

    async def _listen(self, wanted: Json, *, task_status: TaskStatus[anyio.CancelScope]) -> None:
        self._streams += 1
        with anyio.CancelScope() as scope:
            try:
                await self._hear(wanted, task_status, scope)
            except SubscriptionLost:
                self.inbox.lost_streams(1)

    async def _hear(self, wanted: Json, task_status: TaskStatus[anyio.CancelScope], scope: anyio.CancelScope) -> None:
        async with self.client.listen(**wanted) as stream:
            honored = stream.honored.model_dump(exclude_none=True)
            check(honored == wanted, f"acknowledged {honored}")
            task_status.started(scope)
            async for event in stream:
                match event:
                    case ResourcesListChanged():
                        self.inbox.list_changed()
                    case ResourceUpdated(uri=changed):
                        self.inbox.updated(str(changed))
                    case ToolsListChanged():
                        self.inbox.tools_changed()
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
        self._watches[uri] = await self._tasks.start(self._listen, {"resource_subscriptions": [uri]})

    async def unwatch(self, uri: str) -> None:
        self._watches.pop(uri).cancel()
        await self.contents("notes://about")  # nothing answers a cancellation: once this is answered, it has been read

    async def identity(self) -> tuple[Json, str | None, Json]:
        server = self.client.server_info
        assert server is not None
        return plain(server), self.client.instructions, plain(self.client.server_capabilities)

    async def resources(self) -> list[Json]:
        return [plain(each) for each in (await answered(self.client.list_resources())).resources]

    async def resource_templates(self) -> list[Json]:
        return [plain(each) for each in (await answered(self.client.list_resource_templates())).resource_templates]

    async def parts(self, uri: str) -> list[Json]:
        return [plain(each) for each in (await answered(self.client.read_resource(uri))).contents]

    async def read_with_progress(self, uri: str, hear: ProgressFnT) -> str:
        [content] = (await answered(self._read(uri, hear))).contents
        return str(body(content))

    async def give_up(self, uri: str) -> None:
        with anyio.CancelScope() as scope:

            async def on_progress(progress: float, total: float | None, message: str | None) -> None:
                scope.cancel()

            await self._read(uri, on_progress)

    async def _read(self, uri: str, on_progress: ProgressFnT) -> types.ReadResourceResult:
        request = types.ReadResourceRequest(params=types.ReadResourceRequestParams(uri=uri))
        return await self.client.session.send_request(request, types.ReadResourceResult, progress_callback=on_progress)

    async def recover(self, uri: str) -> None:
        await self.inbox.until(lambda: holds(self.inbox.lost == self._streams), "word that the streams are lost")
        await self.watch(uri)

    async def complete(self, ref: Json, name: str, value: str, others: dict[str, str] | None) -> Json:
        reference = types.PromptReference if ref["type"] == "ref/prompt" else types.ResourceTemplateReference
        given = reference.model_validate(ref)
        return plain((await answered(self.client.complete(given, {"name": name, "value": value}, others))).completion)

    async def watch_tools(self) -> None:
        await self._tasks.start(self._listen, {"tools_list_changed": True})

    async def tools(self) -> list[Json]:
        return [plain(each) for each in (await answered(self.client.list_tools())).tools]

    async def call(self, name: str, arguments: Json) -> Json:
        return plain(await answered(self.client.call_tool(name, arguments, meta=self._meta)))

    async def prompts(self) -> list[Json]:
        return [plain(each) for each in (await answered(self.client.list_prompts())).prompts]

    async def prompt(self, name: str, arguments: dict[str, str]) -> Json:
        return plain(await answered(self.client.get_prompt(name, arguments)))

    async def log_from(self, level: types.LoggingLevel) -> list[str]:
        self._meta = {LOG_LEVEL_META_KEY: level}
        return ["debug", "error"] if level == "debug" else ["error"]


async def answered(work: Awaitable[T]) -> T:
    try:
        return await work
    except MCPError as error:
        raise Refused(error.code, error.data) from None


async def session(command: list[str], inbox: Inbox, drive: Callable[[Stateless], Awaitable[None]]) -> None:
    is_url = command[0].startswith("http://")
    host = command[0] if is_url else StdioServerParameters(command=command[0], args=command[1:])
    async with Client(host, **callbacks(inbox, types)) as client, anyio.create_task_group() as tasks:
        await drive(Stateless(client, inbox, tasks))
        tasks.cancel_scope.cancel()


if __name__ == "__main__":
    main(session)
