"""Clients in memory, for a program's tests; imported only then."""

from __future__ import annotations

import asyncio
import base64
import threading
import weakref
from time import monotonic

from wellhead import _core
from wellhead._asyncio import running
from wellhead._errors import Error, LimitError, MethodError
from wellhead._parameters import is_async
from wellhead._wire import Wire, handshake, pages, subscribe, unsubscribe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, TypeAlias, TypeVar

    from typing_extensions import Self

    from wellhead._wire import _Json, _Steps

    _T = TypeVar("_T")
    _OnRequest: TypeAlias = Callable[[str, _Json], Any]
    _Resources: TypeAlias = list[_core.Resource]
    _Objects: TypeAlias = list[_Json]
    _Texts: TypeAlias = list[str]


class TestClient:
    """A client in memory, for tests without a running event loop. Callbacks run on the thread that calls a method of
    the client. An `async def` runs on an event loop of the client's own, which runs while such a method waits.

    Use it on one thread at a time.

    Args:
        server: The server that it is a client of.
        revision: The protocol revision that the client speaks, named by its date. Default: the newest revision with a
            handshake that the server serves, else the newest.
        capabilities: What the client can do, such as `{"sampling": {}}`.
        on_request: A function `(method, params)` that answers what the server asks its client. It returns the result, a
            dict, or raises `MethodError`. It may be an `async def`.
        caller: Who the client is, as for `Server.connect`.

    Raises:
        RuntimeError: An event loop is running on this thread.
        ResponseError: The server does not serve the revision.
    """

    __test__ = False  # for pytest, which collects classes that are named so

    def __init__(
        self,
        server: _core.Server,
        /,
        *,
        revision: str | None = None,
        capabilities: _Json | None = None,
        on_request: _OnRequest | None = None,
        caller: _core.Caller | None = None,
    ) -> None:
        refuse_in_a_loop()
        self._server = server
        self._wire = Wire(server, capabilities, caller)
        self._on_request = on_request
        self._here = Here(self._wire, on_request)
        self._there: OnLoop | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._do(handshake(self._wire, revision))

    def list(self) -> _Resources:
        """Returns all resources that the server lists, from all pages."""
        return [resource(item) for item in self._do(pages("resources/list", "resources"))]

    def templates(self) -> _Objects:
        """Returns all templates that the server lists, as the protocol has them."""
        return self._do(pages("resources/templates/list", "resourceTemplates"))

    def read(self, uri: str, /) -> str | bytes:
        """Returns the text or bytes of a resource; of several contents, the first."""
        return body(uri, self.request("resources/read", {"uri": uri}))

    def subscribe(self, uri: str, /) -> None:
        """Subscribes to a resource: `next_update` returns its changes."""
        self._do(subscribe(self._wire, uri))

    def unsubscribe(self, uri: str, /) -> None:
        """Ends a subscription."""
        self._do(unsubscribe(self._wire, uri))

    def next_update(self, timeout: float = 5.0) -> str:
        """Returns the URI of the next change. Blocks for at most `timeout` seconds.

        Raises:
            LimitError: No change came in that time.
        """
        uri = self._until(self._wire.next_update, timeout)
        if uri is None:
            raise no_update(timeout)
        return uri

    def list_changes(self) -> int:
        """Returns how many times the list of resources changed since the last call."""
        self._until(lambda: True, None)
        return self._wire.take_list_changes()

    def notifications(self) -> _Objects:
        """Returns the other notifications that came since the last call, such as progress and log messages, each with
        its `method` and `params`."""
        self._until(lambda: True, None)
        return self._wire.take_notifications()

    def call_tool(self, name: str, arguments: _Json | None = None, /) -> _Json:
        """Calls a tool. Returns its result as the protocol has it."""
        return self.request("tools/call", {"name": name, "arguments": arguments or {}})

    def get_prompt(self, name: str, arguments: _Json | None = None, /) -> _Json:
        """Gets a prompt. Returns its result as the protocol has it."""
        return self.request("prompts/get", {"name": name, "arguments": arguments or {}})

    def complete(
        self, reference: str, argument: str, value: str = "", /, *, others: dict[str, str] | None = None
    ) -> _Texts:
        """Returns what the server proposes for a variable of a template, or for an argument of a prompt.

        Args:
            reference: The text of the template, or the name of the prompt.
            argument: The name of the variable or argument.
            value: What was typed so far.
            others: The values of other variables or arguments.
        """
        return proposed(self.request("completion/complete", completing(reference, argument, value, others)))

    def request(self, method: str, params: _Json | None = None, /) -> _Json:
        """Sends any request. Returns its result.

        Raises:
            ResponseError: The server answered an error. It is a `ResourceNotFound`, `PermissionDenied` or `Busy`, too,
                if it says so.
            ClosedError: The client or the server was closed.
        """
        return self._do(single(method, params or {}))

    def close(self) -> None:
        """Closes the connection, and cancels the callbacks that still run for it. May be called again."""
        self._wire.close()
        loop, self._loop = self._loop, None
        if loop is not None:
            end(loop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, t: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None, /) -> None:
        self.close()

    def _do(self, steps: _Steps[_T]) -> _T:
        def ask(method: str, params: _Json) -> _Json:
            number = self._wire.send(method, params)
            result = self._until(lambda: self._wire.result(number), None)
            assert result is not None
            return result

        try:
            request = next(steps)
            while True:
                try:
                    result = ask(*request)
                except Error as e:
                    request = steps.throw(e)
                else:
                    request = steps.send(result)
        except StopIteration as end:
            value: _T = end.value
            return value

    def _until(self, found: Callable[[], _T | None], seconds: float | None) -> _T | None:
        refuse_in_a_loop()
        asks_a_coroutine = self._on_request is not None and is_async(self._on_request)
        if self._wire.closed or not (self._server._needs_loop() or asks_a_coroutine):
            return self._here.until(found, seconds)
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._there = OnLoop(self._wire, self._on_request)
            weakref.finalize(self, self._loop.close)
        assert self._there is not None
        return self._loop.run_until_complete(self._there.until(found, seconds))


class AsyncTestClient:
    """A client in memory, for tests on an event loop: `async with server.test_client_async() as client:`. Callbacks run
    on that loop, a `def` too.

    Its methods are those of `TestClient`, to be awaited. Several tasks of the loop may use it at once.
    """

    __test__ = False

    def __init__(
        self,
        server: _core.Server,
        /,
        *,
        revision: str | None = None,
        capabilities: _Json | None = None,
        on_request: _OnRequest | None = None,
        caller: _core.Caller | None = None,
    ) -> None:
        self._wire = Wire(server, capabilities, caller)
        self._revision = revision
        self._there = OnLoop(self._wire, on_request)
        self._open = False

    async def list(self) -> _Resources:
        """Returns all resources that the server lists, from all pages."""
        return [resource(item) for item in await self._do(pages("resources/list", "resources"))]

    async def templates(self) -> _Objects:
        """Returns all templates that the server lists, as the protocol has them."""
        return await self._do(pages("resources/templates/list", "resourceTemplates"))

    async def read(self, uri: str, /) -> str | bytes:
        """Returns the text or bytes of a resource; of several contents, the first."""
        return body(uri, await self.request("resources/read", {"uri": uri}))

    async def subscribe(self, uri: str, /) -> None:
        """Subscribes to a resource: `next_update` returns its changes."""
        await self._do(subscribe(self._wire, uri))

    async def unsubscribe(self, uri: str, /) -> None:
        """Ends a subscription."""
        await self._do(unsubscribe(self._wire, uri))

    async def next_update(self, timeout: float = 5.0) -> str:
        """Returns the URI of the next change. Waits for at most `timeout` seconds.

        Raises:
            LimitError: No change came in that time.
        """
        self._check()
        uri = await self._there.until(self._wire.next_update, timeout)
        if uri is None:
            raise no_update(timeout)
        return uri

    async def list_changes(self) -> int:
        """Returns how many times the list of resources changed since the last call."""
        self._check()
        await self._there.until(lambda: True, None)
        return self._wire.take_list_changes()

    async def notifications(self) -> _Objects:
        """Returns the other notifications that came since the last call; see `TestClient.notifications`."""
        self._check()
        await self._there.until(lambda: True, None)
        return self._wire.take_notifications()

    async def call_tool(self, name: str, arguments: _Json | None = None, /) -> _Json:
        """Calls a tool. Returns its result as the protocol has it."""
        return await self.request("tools/call", {"name": name, "arguments": arguments or {}})

    async def get_prompt(self, name: str, arguments: _Json | None = None, /) -> _Json:
        """Gets a prompt. Returns its result as the protocol has it."""
        return await self.request("prompts/get", {"name": name, "arguments": arguments or {}})

    async def complete(
        self, reference: str, argument: str, value: str = "", /, *, others: dict[str, str] | None = None
    ) -> _Texts:
        """Returns what the server proposes for a variable or an argument; see `TestClient.complete`."""
        return proposed(await self.request("completion/complete", completing(reference, argument, value, others)))

    async def request(self, method: str, params: _Json | None = None, /) -> _Json:
        """Sends any request. Returns its result. Raises as `TestClient.request`; cancelling it tells the server."""
        return await self._do(single(method, params or {}))

    async def close(self) -> None:
        """Closes the connection, and cancels the callbacks that still run for it. May be called again."""
        self._wire.close()
        await self._there.end()

    async def __aenter__(self) -> Self:
        self._open = True
        await self._do(handshake(self._wire, self._revision))
        return self

    async def __aexit__(
        self, t: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None, /
    ) -> None:
        await self.close()

    def _check(self) -> None:
        if not self._open:
            raise RuntimeError('the client has not begun: write "async with server.test_client_async() as client:"')

    async def _do(self, steps: _Steps[_T]) -> _T:
        self._check()
        try:
            request = next(steps)
            while True:
                try:
                    result = await self._ask(*request)
                except Error as e:
                    request = steps.throw(e)
                else:
                    request = steps.send(result)
        except StopIteration as end:
            value: _T = end.value
            return value

    async def _ask(self, method: str, params: _Json) -> _Json:
        number = self._wire.send(method, params)
        try:
            result = await self._there.until(lambda: self._wire.result(number), None)
        except asyncio.CancelledError:
            self._wire.cancel(number)
            raise
        assert result is not None
        return result


class Here:
    """Has the wire do its work on this thread."""

    def __init__(self, wire: Wire, on_request: _OnRequest | None) -> None:
        self.wire = wire
        self.on_request = on_request
        self.woken = threading.Event()
        wire.on_wake = self.woken.set

    def until(self, found: Callable[[], _T | None], seconds: float | None) -> _T | None:
        """What `found` returns; None if it still returns None after that time."""
        end = None if seconds is None else monotonic() + seconds
        while True:
            self.woken.clear()
            self.wire.pump()
            while self.wire.requests:
                self.answer(self.wire.requests.pop(0))
                self.wire.pump()
            value = found()
            if value is not None or is_over(end):
                return value
            self.woken.wait(left(end, self.wire.seconds()))

    def answer(self, request: _Json) -> None:
        try:
            handler = self.on_request or missing(request)
            self.wire.answer(request, handler(request["method"], request.get("params", {})))
        except MethodError as e:
            self.wire.refuse(request, e)


class OnLoop:
    """Has the wire do its work on an event loop."""

    def __init__(self, wire: Wire, on_request: _OnRequest | None) -> None:
        self.wire = wire
        self.on_request = on_request
        self.loop: asyncio.AbstractEventLoop | None = None
        self.changed: asyncio.Future[None] | None = None
        self.tasks: set[asyncio.Task[None]] = set()
        self.failure: BaseException | None = None

    async def until(self, found: Callable[[], _T | None], seconds: float | None) -> _T | None:
        """What `found` returns; None if it still returns None after that time."""
        end = None if seconds is None else monotonic() + seconds
        self.enter()
        while True:
            changed = self.changed
            assert changed is not None
            if self.wire.pump():
                self.tell()  # it may be what another task waits for
            while self.wire.requests:
                task = asyncio.ensure_future(self.answer(self.wire.requests.pop(0)))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
            failure, self.failure = self.failure, None
            if failure is not None:
                raise failure
            value = found()
            if value is not None or is_over(end):
                return value
            await asyncio.wait((changed,), timeout=left(end, self.wire.seconds()))

    def enter(self) -> None:
        """Has wakes reach the loop that runs here."""
        loop = asyncio.get_running_loop()
        if self.loop is None:
            self.loop = loop
            self.changed = loop.create_future()
            self.wire.on_wake = self.wake
        elif self.loop is not loop:
            raise RuntimeError("the client belongs to another event loop: make one for each loop")

    def wake(self) -> None:
        """From any thread."""
        assert self.loop is not None
        try:
            self.loop.call_soon_threadsafe(self.tell)
        except RuntimeError:
            pass  # the loop is closed, and with it whoever waited

    def tell(self) -> None:
        """Has each task that waits look again."""
        assert self.loop is not None
        changed, self.changed = self.changed, self.loop.create_future()
        if changed is not None and not changed.done():
            changed.set_result(None)

    async def answer(self, request: _Json) -> None:
        try:
            handler = self.on_request or missing(request)
            result = handler(request["method"], request.get("params", {}))
            self.wire.answer(request, await result if hasattr(result, "__await__") else result)
        except MethodError as e:
            self.wire.refuse(request, e)
        except Exception as e:
            self.failure = e  # for whoever asks
        self.tell()

    async def end(self) -> None:
        if self.loop is not None:
            self.tell()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


def refuse_in_a_loop() -> None:
    if running() is not None:
        raise RuntimeError(
            'an event loop is running on this thread: use "async with server.test_client_async() as client:"'
        )


def missing(request: _Json) -> _OnRequest:
    raise Error(f'the server asks its client for "{request["method"]}": give on_request= a function that answers')


def no_update(timeout: float) -> LimitError:
    return LimitError(f"no update came within {timeout} s", "limit")


def is_over(end: float | None) -> bool:
    return end is not None and monotonic() >= end


def left(end: float | None, seconds: float | None) -> float | None:
    """How long to wait, at most: until the one or the other."""
    if end is None:
        return seconds
    rest = max(0.0, end - monotonic())
    return rest if seconds is None else min(rest, seconds)


def end(loop: asyncio.AbstractEventLoop) -> None:
    """Ends a loop as `asyncio.run` does."""
    try:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def single(method: str, params: _Json) -> _Steps[_Json]:
    return (yield method, params)


def completing(reference: str, argument: str, value: str, others: dict[str, str] | None) -> _Json:
    template = "{" in reference  # no completion without a variable
    ref = {"type": "ref/resource", "uri": reference} if template else {"type": "ref/prompt", "name": reference}
    context = {} if others is None else {"context": {"arguments": others}}
    return {"ref": ref, "argument": {"name": argument, "value": value}, **context}


def proposed(result: _Json) -> _Texts:
    values: _Texts = result["completion"]["values"]
    return values


def body(uri: str, result: _Json) -> str | bytes:
    if not result["contents"]:
        raise Error(f'the server answered "{uri}" without contents; use request("resources/read", …)')
    first = result["contents"][0]
    text: str | None = first.get("text")
    return base64.b64decode(first["blob"]) if text is None else text


def resource(item: _Json) -> _core.Resource:
    names = {"name": "name", "title": "title", "description": "description", "mimeType": "mime_type", "size": "size"}
    return _core.Resource(item["uri"], **{word: item[name] for name, word in names.items() if name in item})


TestClient.__module__ = AsyncTestClient.__module__ = "wellhead"
