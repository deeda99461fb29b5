"""The steps of clients with two instances: written once for both generations of the official client, each of which says how it does them.

    handshake.py FOLDER KIND KIND
    stateless.py FOLDER KIND KIND

Everything runs in FOLDER; KINDs are those of `world.INSTANCES`. Prints one JSON object per line: first the names of all steps, then a verdict
for each that was reached.
"""

import itertools
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any, Protocol

import anyio
from anyio.abc import TaskStatus
from anyio.to_thread import run_sync
from common import check, difference, in_time
from drive import report, say
from world import SERVED_BY, Instance, World

LIST = "the list"  # what a client is told has changed, if it is no URI
NOTES = 2_500
"""More than two pages."""
WATCHED = [f"notes://{id}" for id in range(1, 11)]
EDITS = 60


class Client(Protocol):
    """A connected client that is told when the list or what it watches changes."""

    instance: Instance  # has its session, or its stream

    async def next_change(self) -> str | None:
        """The next URI that changed, or `LIST`; none once its session or its stream is lost."""

    async def page(self, cursor: str | None) -> tuple[list[str], str | None, Instance]:
        """The URIs of a page, the cursor that follows, and which instance answered."""

    async def read(self, uri: str) -> str: ...


# Through nginx, watching the URIs and the list; with a session or a stream at the instance, if that lives.
Connect = Callable[[World, Instance, list[str]], AbstractAsyncContextManager[Client]]


class Answers:
    """Names the instance that answered last, by the method of the request: `look` is a hook of the HTTP client below an official one."""

    def __init__(self, world: World) -> None:
        self.by: dict[str | None, Instance] = {}
        self._world = world

    async def look(self, response: Any) -> None:
        asked = json.loads(response.request.content or "{}")
        self.by[asked.get("method")] = self._world.at(response.headers[SERVED_BY])


class Mirror:
    """A client that keeps copies: it reads a resource again after a notification, and all resources after a lost session or stream."""

    def __init__(self, connect: Callable[[], AbstractAsyncContextManager[Client]]) -> None:
        self.copies: dict[str, str] = {}
        self.connected = 0
        self.lost = 0
        self._connect = connect
        self._changed = anyio.Condition()

    async def run(self, *, task_status: TaskStatus[None]) -> None:
        while True:
            try:
                async with self._connect() as client:
                    self.connected += 1
                    for uri in WATCHED:
                        await self._read(client, uri)
                    if self.connected == 1:
                        task_status.started()
                    while changed := await client.next_change():
                        if changed != LIST:
                            await self._read(client, changed)
                    self.lost += 1
            except Exception as broken:  # what these clients make of an answer that breaks off
                print(f"connecting again after {broken!r}", file=sys.stderr)

    async def until(self, texts: dict[str, str]) -> None:
        async with self._changed:
            while self.copies != texts:
                await self._changed.wait()

    async def _read(self, client: Client, uri: str) -> None:
        self.copies[uri] = await client.read(uri)
        async with self._changed:
            self._changed.notify_all()


class Steps:
    def __init__(self, world: World, connect: Connect) -> None:
        self._world = world
        self._connect = connect
        self._edits = 0
        first, second = world.instances
        self.named: dict[str, Callable[[], Awaitable[str]]] = {
            "notes added through both": self.add,
            "an update published on the other": self.updates,
            "a new note on the other": self.list_changes,
            "an event that Redis refuses": self.refused,
            "one event a change": self.events,
            "pages of both with one key": self.pages,
            "connections to Redis cut": self.cut,
            "the first killed": partial(self.killed, first),
            "the first back": partial(self.back, first),
            "the second killed": partial(self.killed, second),
            "the second back": partial(self.back, second),
        }

    async def add(self) -> str:
        by = {(await self._edit("POST", "/notes", f"Note {number}"))[1] for number in range(1, NOTES + 1)}
        check(len(by) == 2, "nginx led to one only")
        return f"{NOTES}, through nginx"

    async def updates(self) -> str:
        for place in self._world.instances:
            uri = WATCHED[0]
            text = f"published on {self._world.other(place).kind} {self._edits}"
            async with self._connect(self._world, place, [uri]) as client:
                check(client.instance is place, f"the client listens on {client.instance.address}")
                await self._edit("PUT", "/notes/1", text, self._world.other(place).port)
                told = await in_time(client.next_change(), f"word of {uri}")
                check(told == uri, f"the client was told of {told}")
                check(await client.read(uri) == text, "the client reads what was there before")
        return "told and read, in both directions"

    async def list_changes(self) -> str:
        for place in self._world.instances:
            async with self._connect(self._world, place, []) as client:
                id, _ = await self._edit("POST", "/notes", "new", self._world.other(place).port)
                told = await in_time(client.next_change(), "word of the list")
                check(told == LIST, f"the client was told of {told}")
                uris, _ = await self._walk([client])
                check(f"notes://{id}" in uris, f"notes://{id} is not listed")
        return "told and listed, in both directions"

    async def events(self) -> str:
        events = int(self._world.ask_redis("xlen", "notes:changes"))
        check(events == self._edits, f"{events} events of {self._edits} changes")
        return f"{events} events of {self._edits} changes: none is told again"

    async def pages(self) -> str:
        first, second = self._world.instances
        async with self._connect(self._world, first, []) as one, self._connect(self._world, second, []) as two:
            uris, by = await self._walk([one, two])
        expected = self._uris()
        check(uris == expected, difference(uris, expected))
        check(len({*by}) == 2, f"all pages came from {by[0].address}")
        return f"{len(uris)} notes in {len(by)} pages, of {', '.join(str(self._world.instances.index(each) + 1) for each in by)}"

    async def refused(self) -> str:
        uri, other = WATCHED[0], WATCHED[1]
        for place in self._world.instances:
            port = self._world.other(place).port
            async with self._connect(self._world, place, [uri, other]) as client:
                self._world.ask_redis("acl", "setuser", "default", "-xadd")
                try:
                    await run_sync(self._world.web, "PUT", "/notes/1", "refused", port)
                except AssertionError as failed:
                    check(": 500 " in str(failed), str(failed))
                else:
                    raise AssertionError("an edit that Redis refused to announce is answered as a success")
                finally:
                    self._world.ask_redis("acl", "setuser", "default", "+xadd")
                await self._edit("PUT", "/notes/2", "announced", port)
                self._edits += 1  # the one that was refused
                for expected in (uri, other):
                    told = await in_time(client.next_change(), f"word of {expected}")
                    check(told == expected, f"the client was told of {told}")
        return "its edit fails, and the next one announces both"

    async def cut(self) -> str:
        self._world.ask_redis("client", "kill", "type", "normal")
        await self.updates()
        return "made anew, and updates told as before"

    async def killed(self, victim: Instance) -> str:
        survivor = self._world.other(victim)
        at_victim, at_survivor = (Mirror(partial(self._connect, self._world, place, WATCHED)) for place in (victim, survivor))
        async with anyio.create_task_group() as tasks:
            await tasks.start(at_victim.run)
            await tasks.start(at_survivor.run)
            async with self._connect(self._world, victim, []) as client:
                uris, cursor, _ = await client.page(None)
            edited = await tasks.start(self._edit_through_nginx)
            await run_sync(victim.kill)
            async with self._connect(self._world, victim, []) as client:
                check(client.instance is survivor, "nginx leads to the instance that is gone")
                rest, _ = await self._walk([client], cursor)
            await edited.wait()
            texts = self._world.texts()
            for mirror, place in ((at_victim, victim), (at_survivor, survivor)):
                newest = mirror.until({uri: texts[uri] for uri in WATCHED})
                await in_time(newest, f"the newest texts at the client of {place.address}")
            tasks.cancel_scope.cancel()
        check(uris + rest == self._uris(), difference(uris + rest, self._uris()))
        check(at_victim.connected > 1, "its client has not noticed")
        check(at_survivor.lost == 0, "the other's client lost its session or stream, too")
        return f"{EDITS} edits meanwhile, none missed; pages go on"

    async def back(self, victim: Instance) -> str:
        await run_sync(victim.start)
        await self.updates()
        return "tells, and is told"

    async def _edit_through_nginx(self, *, task_status: TaskStatus[anyio.Event]) -> None:
        """Says when it is half done, and goes on until the event."""
        done = anyio.Event()
        for number in range(EDITS):
            if number == EDITS // 2:
                task_status.started(done)
            await self._edit("PUT", f"/notes/{1 + number % len(WATCHED)}", f"edit {self._edits}")
        done.set()

    async def _edit(self, method: str, path: str, text: str, port: int | None = None) -> tuple[str, Instance | None]:
        """Asks again if there is no answer."""
        for _ in range(3):
            try:
                answer = await run_sync(self._world.web, method, path, text, port)
            except (OSError, HTTPException, AssertionError) as error:
                failed = error
                print(f"asking again after {error!r}", file=sys.stderr)
            else:
                self._edits += 1
                return answer
        raise AssertionError(f"{method} {path} is not answered: {failed!r}")

    async def _walk(self, clients: list[Client], cursor: str | None = None) -> tuple[list[str], list[Instance]]:
        """All URIs from a cursor on, each page asked of the next client, and which instances made the pages."""
        uris: list[str] = []
        by: list[Instance] = []
        for client in itertools.cycle(clients):
            more, cursor, instance = await in_time(client.page(cursor), "a page")
            uris += more
            by.append(instance)
            if cursor is None:
                break
        return uris, by

    def _uris(self) -> list[str]:
        return sorted(self._world.texts(), key=lambda uri: int(uri.removeprefix("notes://")))


async def bare(step: Awaitable[str]) -> str:
    """Raises what went wrong without the groups of tasks that it came through."""
    try:
        return await step
    except Exception as error:
        while inner := getattr(error, "exceptions", None):
            error = inner[0]
        raise error from None


def main(connect: Connect) -> None:
    folder, *kinds = sys.argv[1:]

    async def run() -> None:
        with World(Path(folder), kinds) as world:
            steps = Steps(world, connect).named
            say({"steps": [*steps]})
            for name, step in steps.items():
                if not await report(name, bare(step())):
                    return  # the rest builds on it

    anyio.run(run)
