"""Clients in memory, for a program's tests; imported only then."""

from __future__ import annotations

import asyncio
import weakref

from wellhead import _core
from wellhead._asyncio import running
from wellhead._conversation import Conversation, OnLoop, OnThread
from wellhead._parameters import is_async

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine
    from types import TracebackType
    from typing import Any, TypeAlias, TypeVar

    from typing_extensions import Self

    from wellhead._conversation import _OnRequest
    from wellhead._wire import _Json

    _T = TypeVar("_T")
    _Resources: TypeAlias = list[_core.Resource]
    _Objects: TypeAlias = list[_Json]
    _Texts: TypeAlias = list[str]


class TestClient:
    """A client in memory, for tests without a running event loop.

    Callbacks run on the thread that calls a method of the client. An `async def` runs on an event loop of
    the client's own, which runs only while a method of the client waits. Use the client on one thread at a
    time.

    Args:
        server: The server that the client connects to.
        revision: The protocol revision that the client speaks, named by its date. Default: the newest revision with a
            handshake that the server serves, else the newest.
        capabilities: The client's capabilities, such as `{"sampling": {}}`. Default: none.
        on_request: A function `(method, params)` that answers the server's requests to the client. It returns the
            result, a dict, or raises `MethodError`. It may be an `async def`.
        caller: The caller on whose behalf the client connects, as for `Server.connect`.

    Raises:
        RuntimeError: An event loop is running on this thread.
        Error: The server does not serve the revision (`invalid_argument`).
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
        self._conversation = Conversation(server, revision, capabilities, on_request, caller)
        self._on_thread = OnThread(self._conversation)
        self._on_loop: OnLoop | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._run(self._conversation.begin())

    def list(self) -> _Resources:
        """Returns all resources that the server lists, from all pages."""
        return self._run(self._conversation.resources())

    def templates(self) -> _Objects:
        """Returns all templates that the server lists, each a dict as in the protocol."""
        return self._run(self._conversation.templates())

    def read(self, uri: str, /) -> str | bytes:
        """Returns the text or bytes of a resource. If it has several contents, returns the first.

        If the server asks for input first, `on_request` answers, and the client reads again with the answers.

        Args:
            uri: An absolute URI.

        Raises:
            ErrorFromServer: The server answered with an error, as for `request`.
            Error: The result has no contents, or there is no `on_request` for the input (`error`), or it refused to
                give input (`response`).
            LimitError: The server asked for input 16 times.
        """
        return self._run(self._conversation.read(uri))

    def subscribe(self, uri: str, /) -> None:
        """Subscribes to a resource. `next_update` waits for its changes.

        Args:
            uri: An absolute URI.
        """
        self._run(self._conversation.subscribe(uri))

    def unsubscribe(self, uri: str, /) -> None:
        """Ends the subscription to a resource.

        Args:
            uri: The URI, as for `subscribe`.
        """
        self._run(self._conversation.unsubscribe(uri))

    def next_update(self, timeout: float = 5.0) -> str:
        """Returns the URI of the next subscribed resource that changed. Blocks for at most `timeout` seconds.

        Raises:
            TimeoutError: No change came in that time.
        """
        return self._run(self._conversation.next_update(timeout))

    def list_changes(self) -> int:
        """Returns how many times the server said that the list of resources changed, since the last call of this
        method.
        """
        return self._run(self._conversation.list_changes())

    def notifications(self) -> _Objects:
        """Returns the other notifications since the last call of this method, such as progress and log messages.

        Each is a dict with `method` and `params`.
        """
        return self._run(self._conversation.notifications())

    def call_tool(self, name: str, arguments: _Json | None = None, /) -> _Json:
        """Calls a tool, and returns its result, a dict as in the protocol. Input and errors are as for `read`.

        Args:
            name: The name of the tool.
            arguments: The arguments, a dict. Default: none.
        """
        return self._run(self._conversation.call_tool(name, arguments))

    def get_prompt(self, name: str, arguments: _Json | None = None, /) -> _Json:
        """Gets a prompt, and returns its result, a dict as in the protocol. Input and errors are as for `read`.

        Args:
            name: The name of the prompt.
            arguments: The arguments, a dict. Default: none.
        """
        return self._run(self._conversation.get_prompt(name, arguments))

    def complete(
        self, reference: str, argument: str, value: str = "", /, *, others: dict[str, str] | None = None
    ) -> _Texts:
        """Returns the values that the server proposes for a variable of a template, or for an argument of a prompt.

        Args:
            reference: The text of the template, or the name of the prompt.
            argument: The name of the variable or argument.
            value: The text typed so far.
            others: The values of other variables or arguments, by name.
        """
        return self._run(self._conversation.complete(reference, argument, value, others))

    def request(self, method: str, params: _Json | None = None, /) -> _Json:
        """Sends any request, and returns its result.

        Args:
            method: The name of a method, such as `resources/read`.
            params: The parameters, a dict. Default: none.

        Raises:
            ErrorFromServer: The server answered with an error. For these errors it is also a `ResourceNotFound`,
                a `PermissionDenied` or a `Busy`.
            ClosedError: The client or the server was closed.
        """
        return self._run(self._conversation.request(method, params or {}))

    def close(self) -> None:
        """Closes the connection, and cancels the callbacks that still run for it. May be called again."""
        self._conversation.wire.close()
        loop, self._loop = self._loop, None
        if loop is not None:
            end(loop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, t: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None, /) -> None:
        self.close()

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        try:
            refuse_in_a_loop()
            loop = self._enter()
        except BaseException:
            work.close()  # or Python warns that it was never awaited
            raise
        return drive(work) if loop is None else loop.run_until_complete(work)

    def _enter(self) -> asyncio.AbstractEventLoop | None:
        """The loop to run on; none as long as nothing needs one."""
        conversation = self._conversation
        answers_later = conversation.on_request is not None and is_async(conversation.on_request)
        if conversation.wire.closed or not (self._server._needs_loop() or answers_later):
            conversation.turns = self._on_thread
            return None
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._on_loop = OnLoop(conversation)
            weakref.finalize(self, self._loop.close)
        assert self._on_loop is not None
        conversation.turns = self._on_loop
        return self._loop


class AsyncTestClient:
    """A client in memory, for tests on an event loop: `async with server.test_client_async() as client:`.

    Callbacks run on that loop, each `def` too. The methods are those of `TestClient`, to be awaited. Several tasks of
    the loop may use the client at once.
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
        self._talk = Conversation(server, revision, capabilities, on_request, caller)
        self._talk.turns = self._on_loop = OnLoop(self._talk)
        self._open = False

    async def list(self) -> _Resources:
        """Returns all resources that the server lists, from all pages."""
        return await self._conversation.resources()

    async def templates(self) -> _Objects:
        """Returns all templates that the server lists, each a dict as in the protocol."""
        return await self._conversation.templates()

    async def read(self, uri: str, /) -> str | bytes:
        """Returns the text or bytes of a resource, as `TestClient.read` does."""
        return await self._conversation.read(uri)

    async def subscribe(self, uri: str, /) -> None:
        """Subscribes to a resource. `next_update` waits for its changes."""
        await self._conversation.subscribe(uri)

    async def unsubscribe(self, uri: str, /) -> None:
        """Ends the subscription to a resource."""
        await self._conversation.unsubscribe(uri)

    async def next_update(self, timeout: float = 5.0) -> str:
        """Returns the URI of the next change. Waits for at most `timeout` seconds.

        Raises:
            TimeoutError: No change came in that time.
        """
        return await self._conversation.next_update(timeout)

    async def list_changes(self) -> int:
        """Returns how many times the server said that the list of resources changed, since the last call of this
        method.
        """
        return await self._conversation.list_changes()

    async def notifications(self) -> _Objects:
        """Returns the other notifications since the last call, as `TestClient.notifications` does."""
        return await self._conversation.notifications()

    async def call_tool(self, name: str, arguments: _Json | None = None, /) -> _Json:
        """Calls a tool, and returns its result as the protocol's object."""
        return await self._conversation.call_tool(name, arguments)

    async def get_prompt(self, name: str, arguments: _Json | None = None, /) -> _Json:
        """Gets a prompt, and returns its result as the protocol's object."""
        return await self._conversation.get_prompt(name, arguments)

    async def complete(
        self, reference: str, argument: str, value: str = "", /, *, others: dict[str, str] | None = None
    ) -> _Texts:
        """Returns the values that the server proposes, as `TestClient.complete` does."""
        return await self._conversation.complete(reference, argument, value, others)

    async def request(self, method: str, params: _Json | None = None, /) -> _Json:
        """Sends any request, and returns its result. Raises as `TestClient.request`.

        Cancelling it sends the server a cancellation.
        """
        return await self._conversation.request(method, params or {})

    async def close(self) -> None:
        """Closes the connection, and cancels the callbacks that still run for it. May be called again."""
        self._talk.wire.close()
        await self._on_loop.end()

    async def __aenter__(self) -> Self:
        self._open = True
        await self._talk.begin()
        return self

    async def __aexit__(
        self, t: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None, /
    ) -> None:
        await self.close()

    @property
    def _conversation(self) -> Conversation:
        if not self._open:
            raise RuntimeError('the client has not begun: write "async with server.test_client_async() as client:"')
        return self._talk


def refuse_in_a_loop() -> None:
    if running() is not None:
        raise RuntimeError(
            'an event loop is running on this thread: use "async with server.test_client_async() as client:"'
        )


def drive(work: Coroutine[Any, Any, _T]) -> _T:
    """Runs a coroutine that waits for no event loop."""
    try:
        work.send(None)
    except StopIteration as end:
        value: _T = end.value
        return value
    work.close()
    raise RuntimeError("on_request returned an awaitable, and no event loop runs: make it an async def")


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


TestClient.__module__ = AsyncTestClient.__module__ = "wellhead"
