"""Around callbacks: functions of the application that run around each call of a callback."""

from __future__ import annotations

from functools import partial

from wellhead._parameters import MISSING, in_pool, is_async, refusal, signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from wellhead._core import Call

    _Around: TypeAlias = tuple[Callable[..., Any], bool]  # function, is_async


def around(function: Any) -> _Around:
    """Returns a function that takes (call, next) by position, and True if it is an `async def`. Raises
    UsageError for other parameters.
    """
    if not callable(function):
        raise refusal(function, "it takes (call, next)")
    try:
        parameters = signature(function)
    except Exception:
        return function, is_async(function)  # * takes anything
    needed = [default is MISSING for _, _, default, _ in parameters]
    if len(parameters) < 2 or any(keyword_only for *_, keyword_only in parameters[:2]) or any(needed[2:]):
        raise refusal(function, "it takes (call, next)")
    return function, is_async(function)


def surrounded(
    arounds: tuple[_Around, ...],
    call: Call,
    function: Callable[..., Any],
    quick: bool,
    /,
    *arguments: Any,
    **keywords: Any,
) -> Any:
    """Runs the around callbacks around `function`, and returns the result of the outermost.

    quick: True if an event loop may call `function` itself.
    """
    given = list(arguments)
    pooled = getattr(function, "pooled", None)
    if pooled is not None and not arounds[-1][1]:
        # The `next()` of a `def` returns no future: the `def` runs in the pool, too, or on a thread of `later`.
        function = pooled

    def changing(following: Callable[[], Any]) -> Callable[..., Any]:
        def next(arguments: dict[str, Any] | None = None, /) -> Any:
            if arguments is not None:
                given[:] = [call._change(arguments)]  # type: ignore[attr-defined]
            return following()

        return next

    def innermost() -> Any:
        return function(*given, **keywords)

    following: Callable[[], Any] = innermost
    for own, own_is_async in reversed(arounds):
        following = partial(own, call, changing(partial(later, following, quick) if own_is_async else following))
        quick = own_is_async
    if pooled is not None and not any(own_is_async for _, own_is_async in arounds):
        return in_pool(following)()
    return following()


async def later(following: Callable[[], Any], quick: bool) -> Any:
    """Runs a callback for the `next()` of an `async def`: on this loop if it is `quick`, else on a thread."""
    import asyncio

    result = following() if quick else await asyncio.to_thread(following)
    if hasattr(result, "__await__"):
        return await result
    if hasattr(result, "add_done_callback") and hasattr(result, "result"):
        return await asyncio.wrap_future(result)
    return result
