"""The common part of the clients in memory: requests and their answers, on a thread or on an event loop."""

from __future__ import annotations

import asyncio
import base64
import threading
from time import monotonic

from wellhead import _core
from wellhead._errors import Error, ErrorFromServer, LimitError, MethodError, ResourceNotFound
from wellhead._loop import running_loop
from wellhead._wire import META, Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeAlias, TypeVar

    from wellhead._wire import _Json

    _T = TypeVar("_T")
    _OnRequest: TypeAlias = Callable[[str, _Json], Any]

    class _Turns(Protocol):
        async def until(self, found: Callable[[], _T | None], seconds: float | None) -> _T | None:
            """Handles messages until `found` returns something, and returns that. Returns None after the time limit."""


# A call may ask for input this many times.
ROUNDS = 16


class Conversation:
    """A client's side of a connection, as coroutines. `turns` says how they wait: on a thread or on an event
    loop.
    """

    turns: _Turns

    def __init__(
        self,
        server: _core.Server,
        revision: str | None,
        capabilities: _Json | None,
        on_request: _OnRequest | None,
        caller: _core.Caller | None,
    ) -> None:
        self.wire = Wire(server, capabilities, caller)
        self.revision = revision
        self.on_request = on_request
        # The number of the listen stream for each URI, in revisions without a handshake.
        self.listening: dict[str, int] = {}

    async def begin(self) -> None:
        """Begins as a client of the revision does, with `initialize` if it has that. Default: the newest revision
        with a handshake.
        """
        if self.revision is not None:
            self.wire.revision = self.revision
            try:
                await self.request("server/discover", {})
            except ErrorFromServer:
                self.wire.revision = None  # it has a handshake, or the server does not serve it
            else:
                await self.request("subscriptions/listen", {"notifications": {"resourcesListChanged": True}})
                return
        params = {
            "protocolVersion": self.revision or "latest",
            "capabilities": self.wire.capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        }
        try:
            spoken = (await self.request("initialize", params))["protocolVersion"]
        except ErrorFromServer as e:
            others = (e.data or {}).get("supported")
            if self.revision is None and others:  # none of them has a handshake
                self.revision = others[0]
                await self.begin()
                return
            raise
        if self.revision not in (None, spoken):
            message = f'the server does not serve the revision "{self.revision}"; it offers {spoken}'
            raise Error(message, "invalid_argument")
        self.wire.notify("notifications/initialized", {})

    async def request(self, method: str, params: _Json) -> _Json:
        """Sends a request, and returns its result."""
        number = self.wire.send(method, params)
        try:
            result = await self.turns.until(lambda: self.wire.result(number), None)
        except asyncio.CancelledError:
            self.wire.cancel(number)
            raise
        assert result is not None
        return result

    async def call(self, method: str, params: _Json) -> _Json:
        """Sends a request. While the server answers that it needs input, sends it again with the input."""
        repeated = params
        for _ in range(ROUNDS):
            result = await self.request(method, repeated)
            if result.get("resultType") != "input_required":
                return result
            responses = {
                key: await self.input(key, request) for key, request in result.get("inputRequests", {}).items()
            }
            repeated = {**params, "inputResponses": responses}
            if "requestState" in result:
                repeated["requestState"] = result["requestState"]
        raise LimitError(f"the server asked for input {ROUNDS} times", "limit")

    async def input(self, key: str, request: _Json) -> _Json:
        try:
            return await self.answer(request)
        except MethodError as e:
            raise Error(f'the client refused the input "{key}": {e.message}', "response") from e

    async def answer(self, request: _Json) -> _Json:
        """Returns the result of `on_request` for a request of the server."""
        method = request["method"]
        if self.on_request is None:
            raise Error(f'the server asks its client for "{method}": give on_request= a function that answers')
        result = self.on_request(method, request.get("params", {}))
        answer: _Json = await result if hasattr(result, "__await__") else result
        return answer

    async def serve(self, request: _Json) -> None:
        """Answers one request of the server."""
        try:
            self.wire.answer(request, await self.answer(request))
        except MethodError as e:
            self.wire.refuse(request, e)

    async def pages(self, method: str, member: str) -> list[_Json]:
        """Returns all items of a list, from all pages."""
        found: list[_Json] = []
        params: _Json = {}
        while True:
            page = await self.request(method, params)
            found += page[member]
            if "nextCursor" not in page:
                return found
            params = {"cursor": page["nextCursor"]}

    async def resources(self) -> list[_core.Resource]:
        return [resource(item) for item in await self.pages("resources/list", "resources")]

    async def templates(self) -> list[_Json]:
        return await self.pages("resources/templates/list", "resourceTemplates")

    async def read(self, uri: str) -> str | bytes:
        result = await self.call("resources/read", {"uri": uri})
        if not result["contents"]:
            raise Error(f'the server answered "{uri}" without contents; use request("resources/read", …)')
        first = result["contents"][0]
        text: str | None = first.get("text")
        return base64.b64decode(first["blob"]) if text is None else text

    async def call_tool(self, name: str, arguments: _Json | None) -> _Json:
        return await self.call("tools/call", {"name": name, "arguments": arguments or {}})

    async def get_prompt(self, name: str, arguments: _Json | None) -> _Json:
        return await self.call("prompts/get", {"name": name, "arguments": arguments or {}})

    async def complete(self, reference: str, argument: str, value: str, others: dict[str, str] | None) -> list[str]:
        template = "{" in reference  # no completion without a variable
        ref = {"type": "ref/resource", "uri": reference} if template else {"type": "ref/prompt", "name": reference}
        context = {} if others is None else {"context": {"arguments": others}}
        params = {"ref": ref, "argument": {"name": argument, "value": value}, **context}
        values: list[str] = (await self.request("completion/complete", params))["completion"]["values"]
        return values

    async def subscribe(self, uri: str) -> None:
        if self.wire.revision is None:
            await self.request("resources/subscribe", {"uri": uri})
        elif uri not in self.listening:
            wanted = {"notifications": {"resourceSubscriptions": [uri]}}
            acknowledged = await self.request("subscriptions/listen", wanted)
            number = acknowledged["_meta"][META + "subscriptionId"]
            if uri not in acknowledged["notifications"].get("resourceSubscriptions", []):
                self.stop_listening(number)
                raise ResourceNotFound(f"the server does not let this client subscribe to {uri}")
            self.listening[uri] = number

    async def unsubscribe(self, uri: str) -> None:
        if self.wire.revision is None:
            await self.request("resources/unsubscribe", {"uri": uri})
        elif uri in self.listening:
            self.stop_listening(self.listening.pop(uri))

    def stop_listening(self, number: int) -> None:
        self.wire.notify("notifications/cancelled", {"requestId": number})

    async def next_update(self, timeout: float) -> str:
        uri = await self.turns.until(self.wire.next_update, timeout)
        if uri is None:
            raise TimeoutError(f"no update came within {timeout} s")
        return uri

    async def list_changes(self) -> int:
        await self.turns.until(lambda: True, None)
        return self.wire.take_list_changes()

    async def notifications(self) -> list[_Json]:
        await self.turns.until(lambda: True, None)
        return self.wire.take_notifications()


class OnThread:
    """Handles messages on this thread. Its coroutines never wait for an event loop."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.woken = threading.Event()
        conversation.wire.on_wake = self.woken.set

    async def until(self, found: Callable[[], _T | None], seconds: float | None) -> _T | None:
        wire = self.conversation.wire
        end = None if seconds is None else monotonic() + seconds
        while True:
            self.woken.clear()
            wire.pump()
            while wire.requests:
                await self.conversation.serve(wire.requests.pop(0))
                wire.pump()
            value = found()
            if value is not None or is_over(end):
                return value
            self.woken.wait(left(end, wire.seconds()))


class OnLoop:
    """Handles messages on the running event loop."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.loop: asyncio.AbstractEventLoop | None = None
        self.changed: asyncio.Future[None] | None = None
        self.tasks: set[asyncio.Task[None]] = set()
        self.failure: BaseException | None = None

    async def until(self, found: Callable[[], _T | None], seconds: float | None) -> _T | None:
        wire = self.conversation.wire
        end = None if seconds is None else monotonic() + seconds
        self.enter()
        while True:
            changed = self.changed
            assert changed is not None
            if wire.pump():
                self.notify()  # another task may wait for what came
            while wire.requests:
                task = asyncio.ensure_future(self.serve(wire.requests.pop(0)))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
            failure, self.failure = self.failure, None
            if failure is not None:
                raise failure
            value = found()
            if value is not None or is_over(end):
                return value
            await asyncio.wait((changed,), timeout=left(end, wire.seconds()))

    def enter(self) -> None:
        """Makes the running event loop the one that wakes reach."""
        loop = running_loop()
        if self.loop is None:
            self.loop = loop
            self.changed = loop.create_future()
            self.conversation.wire.on_wake = self.wake
        elif self.loop is not loop:
            raise RuntimeError("the client belongs to another event loop: make one for each loop")

    def wake(self) -> None:
        """Wakes the loop. The connection calls it, on any thread."""
        assert self.loop is not None
        try:
            self.loop.call_soon_threadsafe(self.notify)
        except RuntimeError:
            pass  # the loop is closed, and no task waits any more

    def notify(self) -> None:
        """Wakes all tasks that wait, so that each looks again."""
        assert self.loop is not None
        changed, self.changed = self.changed, self.loop.create_future()
        if changed is not None and not changed.done():
            changed.set_result(None)

    async def serve(self, request: _Json) -> None:
        try:
            await self.conversation.serve(request)
        except Exception as e:
            self.failure = e  # raised by the next task that waits
        self.notify()

    async def end(self) -> None:
        if self.loop is not None:
            self.notify()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


def is_over(end: float | None) -> bool:
    return end is not None and monotonic() >= end


def left(end: float | None, seconds: float | None) -> float | None:
    """Returns the greatest number of seconds to wait: those until `end`, or `seconds` if that is less. None if
    there is no limit.
    """
    if end is None:
        return seconds
    rest = max(0.0, end - monotonic())
    return rest if seconds is None else min(rest, seconds)


def resource(item: _Json) -> _core.Resource:
    names = {"name": "name", "title": "title", "description": "description", "mimeType": "mime_type", "size": "size"}
    return _core.Resource(item["uri"], **{word: item[name] for name, word in names.items() if name in item})
