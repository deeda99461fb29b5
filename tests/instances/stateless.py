"""The official client without a handshake (package `mcp` 2.x). Any instance answers its requests; its stream is open at one."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import httpx2
import mcp_types as types
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated, Subscription, SubscriptionLost
from steps import LIST, Answers, main
from world import Instance, World

T = TypeVar("T")


class Listening:
    def __init__(self, client: Client, stream: Subscription, answers: Answers) -> None:
        self.instance = answers.by["subscriptions/listen"]
        self._client = client
        self._stream = stream
        self._answers = answers

    async def next_change(self) -> str | None:
        try:
            match await anext(self._stream):
                case ResourcesListChanged():
                    return LIST
                case ResourceUpdated(uri=uri):
                    return str(uri)
                case event:
                    raise AssertionError(f"the stream brought {event!r}")
        except (StopAsyncIteration, SubscriptionLost):
            return None

    async def page(self, cursor: str | None) -> tuple[list[str], str | None, Instance]:
        result = await retry_once(lambda: self._client.list_resources(cursor=cursor))
        return [str(each.uri) for each in result.resources], result.next_cursor, self._answers.by["resources/list"]

    async def read(self, uri: str) -> str:
        [content] = (await retry_once(lambda: self._client.read_resource(uri))).contents
        assert isinstance(content, types.TextResourceContents)
        return content.text


async def retry_once(request: Callable[[], Awaitable[T]]) -> T:
    """Asks once more if there is no answer, since the instance was killed while it made it. A request that it has not begun is nginx's to hand on."""
    try:
        return await request()
    except MCPError as error:
        if error.code == types.INVALID_PARAMS:
            raise
        return await request()


@asynccontextmanager
async def connect(world: World, place: Instance, watched: list[str]) -> AsyncIterator[Listening]:
    answers = Answers(world)
    timeout = httpx2.Timeout(30, read=300)
    async with (
        httpx2.AsyncClient(timeout=timeout, event_hooks={"response": [answers.look]}) as http,
        Client(streamable_http_client(world.url, http_client=http)) as client,
    ):
        for _ in range(10):  # nginx takes the instances in turn
            async with client.listen(resources_list_changed=True, resource_subscriptions=watched) as stream:
                listening = Listening(client, stream, answers)
                if listening.instance is place or not place.is_alive:
                    yield listening
                    return
        raise AssertionError(f"nginx never leads to {place.address}")


if __name__ == "__main__":
    main(connect)
