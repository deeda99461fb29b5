"""The official client that makes a handshake (package `mcp` 1.x). Its session lives in one instance, where nginx leads it by its token."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import anyio
import anyio.abc
import httpx
import mcp.types as types
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from pydantic import AnyUrl
from steps import LIST, Answers, main
from world import Instance, World


class Session:
    def __init__(self, session: ClientSession, answers: Answers, told: anyio.abc.ObjectReceiveStream[str]) -> None:
        self.instance = answers.by["initialize"]
        self._session = session
        self._answers = answers
        self._told = told

    async def next_change(self) -> str | None:
        try:
            return await self._told.receive()
        except anyio.EndOfStream:
            return None

    async def page(self, cursor: str | None) -> tuple[list[str], str | None, Instance]:
        params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
        result = await self._session.list_resources(params=params)
        return [str(each.uri) for each in result.resources], result.nextCursor, self._answers.by["resources/list"]

    async def read(self, uri: str) -> str:
        [content] = (await self._session.read_resource(AnyUrl(uri))).contents
        assert isinstance(content, types.TextResourceContents)
        return content.text


@asynccontextmanager
async def connect(world: World, place: Instance, watched: list[str]) -> AsyncIterator[Session]:
    changes, told = anyio.create_memory_object_stream[str](math.inf)
    answers = Answers(world)

    async def look(response: httpx.Response) -> None:
        await answers.look(response)
        if response.status_code == httpx.codes.NOT_FOUND:  # the instance does not know the session
            changes.close()

    async def hear(message: object) -> None:
        match message:
            case types.ServerNotification(root=types.ResourceListChangedNotification()):
                await changes.send(LIST)
            case types.ServerNotification(root=types.ResourceUpdatedNotification(params=params)):
                await changes.send(str(params.uri))
            case Exception():  # an answer broke off: its caller gets an error only if the session ends
                changes.close()
                raise message

    token = leading_to(place, world)
    http: dict[str, Any] = {"headers": {"Authorization": f"Bearer {token}"}, "event_hooks": {"response": [look]}}
    async with (
        changes,
        httpx.AsyncClient(timeout=httpx.Timeout(30, read=300), **http) as client,
        streamable_http_client(world.url, http_client=client) as (reads, writes, _),
        ClientSession(reads, writes, message_handler=hear) as session,
    ):
        await session.initialize()
        for uri in watched:
            await session.subscribe_resource(AnyUrl(uri))
        yield Session(session, answers, told)


@cache
def leading_to(place: Instance, world: World) -> str:
    """A token that nginx leads to `place`, as long as that lives."""
    return world.token_for(place)


if __name__ == "__main__":
    main(connect)
