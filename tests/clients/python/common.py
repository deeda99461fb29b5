"""Shared by all steps: the client as they see it, its inbox, and waiting with a deadline."""

import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import anyio
from pydantic import BaseModel

PATIENCE = 20.0  # seconds, for each thing awaited

Json = dict[str, Any]
T = TypeVar("T")


@dataclass
class Content:
    """One content of a resource, text or bytes."""

    uri: str
    mime_type: str | None
    body: str | bytes


@dataclass
class Page:
    uris: list[str]
    names: list[str]
    next_cursor: str | None


class Refused(Exception):
    """The host answered with an error."""

    def __init__(self, code: int, data: object) -> None:
        super().__init__(f"error {code} with {data!r}")
        self.code = code
        self.data = data


class Inbox:
    """The notifications and requests of the host, and a way to wait for more."""

    def __init__(self) -> None:
        self.list_changes = 0
        self.tools_changes = 0
        self.lost = 0
        self.updates: list[str] = []
        self.logged: list[tuple[str, str | None, object]] = []
        self.progress_tokens: list[str | int] = []
        self.faults: list[str] = []
        self._arrived = anyio.Event()

    def list_changed(self) -> None:
        self.list_changes += 1
        self._ring()

    def updated(self, uri: str) -> None:
        self.updates.append(uri)
        self._ring()

    def tools_changed(self) -> None:
        self.tools_changes += 1
        self._ring()

    def log(self, level: str, logger: str | None, data: object) -> None:
        self.logged.append((level, logger, data))
        self._ring()

    def lost_streams(self, number: int) -> None:
        self.lost += number
        self._ring()

    def fault(self, what: str) -> None:
        self.faults.append(what)
        self._ring()

    def _ring(self) -> None:
        self._arrived.set()
        self._arrived = anyio.Event()

    async def until(self, holds: Callable[[], Awaitable[bool]], awaited: str) -> None:
        """Asks `holds` now and after each message, until it says yes."""
        try:
            with anyio.fail_after(PATIENCE):
                while True:
                    arrived = self._arrived
                    if await holds():
                        return
                    await arrived.wait()
        except TimeoutError:
            raise AssertionError(f"{PATIENCE:.0f} s passed without {awaited}") from None


class Client(Protocol):
    """A session of one version of the client. Each call raises [`Refused`] where the host answered with an error."""

    resource_not_found: int
    inbox: Inbox

    async def connect(self) -> str:
        """Settles the revision, and says which."""

    async def page(self, cursor: str | None) -> Page: ...
    async def contents(self, uri: str) -> list[Content]: ...
    async def templates(self) -> list[str]: ...
    async def watch(self, uri: str) -> None: ...
    async def unwatch(self, uri: str) -> None: ...


def plain(model: BaseModel) -> Json:
    """A model of either version of the client as it is written: by the names of the protocol, without what is absent."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


def body(contents: Any) -> str | bytes:
    """The text or the bytes of resource contents of either version."""
    blob = getattr(contents, "blob", None)
    return contents.text if blob is None else base64.b64decode(blob, validate=True)


async def in_time(work: Awaitable[T], awaited: str) -> T:
    try:
        with anyio.fail_after(PATIENCE):
            return await work
    except TimeoutError:
        raise AssertionError(f"{PATIENCE:.0f} s passed without {awaited}") from None


async def holds(truth: bool) -> bool:
    return truth


async def more(items: list[str], than: int) -> bool:
    return len(items) > than


def difference(listed: list[str], expected: list[str]) -> str:
    twice = sorted({uri for uri in listed if listed.count(uri) > 1})
    missing = [uri for uri in expected if uri not in listed]
    extra = sorted(set(listed) - set(expected))
    named = {"twice": twice, "missing": missing, "not expected": extra}
    return "; ".join(f"{what}: {', '.join(uris)}" for what, uris in named.items() if uris) or "the order is wrong"


def check(truth: bool, otherwise: str) -> None:
    if not truth:
        raise AssertionError(otherwise)
