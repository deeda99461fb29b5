"""Results of tools and prompts, made from the values that their functions return."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from wellhead._core import _check_mime_type
from wellhead._schema import ABSENT, encoded

if TYPE_CHECKING:
    from typing import TypeAlias

    _Object: TypeAlias = dict[str, Any]


class Media:
    _kind = ""

    def __init__(self, data: bytes, mime_type: str) -> None:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"data must be bytes, not {type(data).__name__}")
        if not isinstance(mime_type, str):
            raise TypeError(f"mime_type must be a str, not {type(mime_type).__name__}")
        _check_mime_type(mime_type)
        self.data = bytes(data)
        self.mime_type = mime_type

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self.data)} bytes>, {self.mime_type!r})"

    def _as_block(self) -> _Object:
        return {"type": self._kind, "data": base64.b64encode(self.data).decode(), "mimeType": self.mime_type}


class Image(Media):
    """An image in the result of a tool or prompt (page "Tools" of the specification, Image Content).

    Args:
        data: The bytes. The client gets them as base64.
        mime_type: The MIME type, such as `"image/png"`.

    Raises:
        TypeError: `data` is not bytes, or `mime_type` is not a `str`.
        UsageError: `mime_type` is no MIME type.
    """

    _kind = "image"


class Audio(Media):
    """A sound in the result of a tool or prompt (page "Tools" of the specification, Audio Content).

    Clients of a revision without audio get a line of text in its place.

    Args:
        data: The bytes. The client gets them as base64.
        mime_type: The MIME type, such as `"audio/wav"`.

    Raises:
        TypeError: `data` is not bytes, or `mime_type` is not a `str`.
        UsageError: `mime_type` is no MIME type.
    """

    _kind = "audio"


class Result:
    """The whole result of a tool with type hints: content blocks, structured content, or both.

    Args:
        content: A `str`, an `Image`, an `Audio`, or a content block of the protocol, a dict with its
            `type`.
        structured: The structured content: JSON, or a dataclass, a pydantic model and the like. If there is
            no content, its JSON is sent as a text, too.
        is_error: True if the tool failed, and the content tells the model why. See also `ToolError`.
        meta: The `_meta` of the result.

    Raises:
        TypeError: The content has another type.
    """

    def __init__(
        self,
        *content: str | Image | Audio | Mapping[str, Any],
        structured: Any = ABSENT,
        is_error: bool = False,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.content = [block(part) for part in content]
        self.structured = structured
        self.is_error = is_error
        self.meta = meta

    def _as_json(self) -> _Object:
        made: _Object = {}
        if self.content or self.structured is ABSENT:
            made["content"] = self.content
        if self.structured is not ABSENT:
            made["structuredContent"] = encoded(self.structured)
        if self.is_error:
            made["isError"] = True
        if self.meta is not None:
            made["_meta"] = dict(self.meta)
        return made


class Message:
    """A message in the result of a prompt (page "Prompts" of the specification).

    Args:
        role: `"user"` or `"assistant"`.
        content: A `str`, an `Image`, an `Audio`, or a content block of the protocol, a dict with its
            `type`.

    Raises:
        ValueError: The role is another one.
        TypeError: The content has another type.
    """

    def __init__(self, role: Literal["user", "assistant"], content: str | Image | Audio | Mapping[str, Any]) -> None:
        if role not in ("user", "assistant"):
            raise ValueError(f'role must be "user" or "assistant" (got {role!r})')
        self.role = role
        self.content = block(content)

    def __repr__(self) -> str:
        return f"Message({self.role!r}, {self.content!r})"

    def _as_json(self) -> _Object:
        return {"role": self.role, "content": self.content}


def result(value: Any, structured: bool) -> _Object:
    """Returns the protocol's result for the value that the function of a tool returned. `structured`: the tool
    has an output schema.
    """
    if isinstance(value, Result):
        return value._as_json()
    if not structured:
        if value is None:
            return {"content": []}
        if isinstance(value, (bytes, bytearray, memoryview)):
            raise TypeError(
                f'the tool returned {type(value).__name__}; return wellhead.Image(it, "image/png") or the like'
            )
        parts = value if isinstance(value, (list, tuple)) and any(is_part(one) for one in value) else [value]
        if all(isinstance(one, str) or is_part(one) for one in parts):
            return {"content": [block(one) for one in parts]}
    try:
        return {"structuredContent": encoded(value)}
    except TypeError as e:
        what = "a str, JSON, a dataclass, wellhead.Image or wellhead.Result"
        raise TypeError(f"the tool returned {type(value).__name__}: {e}; return {what}") from e


def prompt_result(value: Any) -> _Object:
    """Returns the protocol's result for the value that the function of a prompt returned."""
    if isinstance(value, Mapping) and "messages" in value:
        return dict(value)
    parts = value if isinstance(value, (list, tuple)) else [value]
    try:
        return {"messages": [message(part) for part in parts]}
    except (TypeError, ValueError) as e:
        what = "a str, wellhead.Message, wellhead.Image, wellhead.Audio or a list of these"
        raise TypeError(f"the prompt returned {type(value).__name__}: {e}; return {what}") from e


def message(part: Any) -> _Object:
    if isinstance(part, Mapping) and "role" in part:
        if "content" not in part:
            raise TypeError(f'a message needs "content" next to "role" (this one has: {", ".join(map(str, part))})')
        part = Message(part["role"], part["content"])
    return (part if isinstance(part, Message) else Message("user", part))._as_json()


def is_part(value: Any) -> bool:
    return isinstance(value, (Image, Audio))


def block(part: Any) -> _Object:
    """Returns the protocol's content block for a text, an image, a sound or a dict."""
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, (Image, Audio)):
        return part._as_block()
    if isinstance(part, Mapping):
        if isinstance(part.get("type"), str):
            return dict(part)
        given = ", ".join(map(str, part)) or "nothing"
        why = f'a dict as content needs "type", such as {{"type": "text", "text": "…"}} (this one has: {given})'
        raise TypeError(why)
    what = "a str, wellhead.Image, wellhead.Audio or a content block as a dict"
    raise TypeError(f"content must be {what}, not {type(part).__name__}")
