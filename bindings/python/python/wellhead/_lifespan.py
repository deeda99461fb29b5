"""The lifespan of a server, and the functions of `on_start` and `on_stop`: they begin and end with a service."""

from __future__ import annotations

from contextlib import AsyncExitStack, ExitStack
from inspect import isawaitable

from wellhead._parameters import is_async

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager, AbstractContextManager
    from typing import Any, TypeAlias, TypeVar

    from wellhead._core import Server

    _F = TypeVar("_F", bound=Callable[[], object])
    _Manager: TypeAlias = AbstractContextManager[Any] | AbstractAsyncContextManager[Any]


class Life:
    """The lifespan of a server, and the functions of its `on_start` and `on_stop`."""

    def __init__(self) -> None:
        self.lifespan: Callable[[Server], _Manager] | None = None
        self.starting: list[Callable[[], object]] = []
        self.stopping: list[Callable[[], object]] = []

    def on_start(self, function: _F) -> _F:
        if not callable(function):
            raise TypeError(f"on_start needs a function without parameters, not {type(function).__name__}")
        self.starting.append(function)
        return function

    def on_stop(self, function: _F) -> _F:
        if not callable(function):
            raise TypeError(f"on_stop needs a function without parameters, not {type(function).__name__}")
        self.stopping.append(function)
        return function


class Lifetime:
    """The life of one service: a context manager, to be used with `async with` if `needs_loop`. Its value is
    that of the lifespan.
    """

    def __init__(self, server: Server) -> None:
        life = server._life()
        known = life or Life()
        self.manager: Any = None if known.lifespan is None else checked(known.lifespan(server))
        self.starting, self.stopping = known.starting, known.stopping
        self.is_async = self.manager is not None and hasattr(type(self.manager), "__aenter__")
        self.needs_loop = self.is_async or any(map(is_async, [*self.starting, *self.stopping]))
        self.is_empty = self.manager is None and not self.starting and not self.stopping
        self.stack: Any = None

    def __enter__(self) -> Any:
        with ExitStack() as stack:
            value = None if self.manager is None else stack.enter_context(self.manager)
            for function in self.starting:
                now(function)
            for function in self.stopping:
                stack.callback(now, function)
            self.stack = stack.pop_all()
        return value

    def __exit__(self, *raised: Any) -> bool:
        suppressed: bool = self.stack.__exit__(*raised)
        return suppressed

    async def __aenter__(self) -> Any:
        async with AsyncExitStack() as stack:
            value = None
            if self.is_async:
                value = await stack.enter_async_context(self.manager)
            elif self.manager is not None:
                value = stack.enter_context(self.manager)
            for function in self.starting:
                await call(function)
            for function in self.stopping:
                stack.push_async_callback(call, function)
            self.stack = stack.pop_all()
        return value

    async def __aexit__(self, *raised: Any) -> bool:
        suppressed: bool = await self.stack.__aexit__(*raised)
        return suppressed


def now(function: Callable[[], object]) -> None:
    refuse_later(function())


async def call(function: Callable[[], object]) -> None:
    returned = function()
    if isawaitable(returned):
        await returned


def refuse_later(returned: object) -> None:
    if isawaitable(returned):
        close = getattr(returned, "close", None)
        if close is not None:
            close()  # or Python warns that it was never awaited
        raise TypeError("a function of on_start or on_stop returned an awaitable: make it an async def")


def checked(manager: Any) -> Any:
    kind = type(manager)
    if hasattr(kind, "__aenter__") or hasattr(kind, "__enter__"):
        return manager
    if hasattr(manager, "close"):
        manager.close()  # or Python warns that a coroutine was never awaited
    raise TypeError(
        f"lifespan must return a context manager, not {kind.__name__}: "
        "decorate it with contextlib.asynccontextmanager or contextlib.contextmanager"
    )
