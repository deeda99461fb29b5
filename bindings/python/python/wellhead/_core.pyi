"""The native half of the package. Import `wellhead`."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from os import PathLike
from types import TracebackType
from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias, TypeVar, final, overload

from typing_extensions import Buffer, Self  # stubs only: no run-time dependency

from wellhead._asgi import AsgiApp
from wellhead._endpoint import HttpEndpoint
from wellhead._lifespan import Life
from wellhead._testing import AsyncTestClient, TestClient

__all__ = [
    "NOT_MODIFIED",
    "CacheHint",
    "Call",
    "Caller",
    "Completion",
    "Connection",
    "Contents",
    "Counters",
    "Driver",
    "Endpoint",
    "Exchange",
    "Explanation",
    "Grant",
    "Handle",
    "HttpExchange",
    "Icon",
    "Job",
    "Limits",
    "NotModified",
    "Observed",
    "Page",
    "PassedOver",
    "Resource",
    "Server",
    "Session",
    "__version__",
    "_at_exit",
    "_check_mime_type",
    "_forked",
    "_forking",
    "_has_forked",
    "_run_command",
    "expand",
]

_T_co = TypeVar("_T_co", covariant=True)

class _Later(Protocol[_T_co]):
    """A `concurrent.futures.Future`, but covariant: a Future[str] is a Future[str | bytes]."""

    def result(self, timeout: float | None = None) -> _T_co: ...
    def add_done_callback(self, fn: Callable[..., object], /) -> None: ...

_T = TypeVar("_T")
_Soon: TypeAlias = _T | Awaitable[_T] | _Later[_T]

class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]

class _Model(Protocol):
    """Such as pydantic's."""

    @property
    def model_dump(self) -> Callable[..., Any]: ...

_Json: TypeAlias = Mapping[str, object] | Sequence[object] | _Dataclass | _Model
_Body: TypeAlias = str | Buffer | Contents | Sequence[Contents] | _Json | NotModified | None
_Cacheable: TypeAlias = Literal["discover", "resources", "templates", "tools", "prompts", "reads"]
_Read = TypeVar("_Read", bound=Callable[..., _Soon[_Body]])
_List = TypeVar("_List", bound=Callable[..., _Soon[Page]])
_Authorize = TypeVar("_Authorize", bound=Callable[..., _Soon[Sequence[str]]])
_Complete: TypeAlias = Callable[..., _Soon[Sequence[str] | Completion]] | Iterable[str]
_Verify: TypeAlias = Callable[..., _Soon[Grant | None]]
_Method = TypeVar("_Method", bound=Callable[..., _Soon[dict[str, Any] | None]])
_Search = TypeVar("_Search", bound=Callable[..., _Soon[dict[str, Any]]])
_Tool = TypeVar("_Tool", bound=Callable[..., Any])
_Prompt = TypeVar("_Prompt", bound=Callable[..., Any])
_Publish = TypeVar("_Publish", bound=Callable[[str], object])
_AtService = TypeVar("_AtService", bound=Callable[[], object])
_Around = TypeVar("_Around", bound=Callable[[Call, Callable[..., Any]], Any])
_Interest = TypeVar("_Interest", bound=Callable[[str, bool], _Soon[None]])

@final
class Call:
    """A call of one of the program's callbacks by the server.

    A callback gets it in a parameter that is annotated `wellhead.Call`. The callback may keep it after
    its return. All methods are thread-safe.
    """

    @property
    def uri(self) -> str:
        """The URI of the request as the client wrote it, a `str`. Empty in calls that are not about one URI."""
    @property
    def vars(self) -> dict[str, str | list[str]]:
        """The variables of the template that the URI contains, by name, percent-decoded, in the order of the
        template.

        An exploded variable is a list of `str`. Useful for names that are not Python identifiers, and for
        callbacks that serve many templates.
        """
    @property
    def caller(self) -> Caller:
        """The `Caller` on whose behalf the client sends its requests: the one of the `Grant` that `verify`
        returned, or the one that the application gave to `Server.connect`. The id of the `Caller` is empty over
        stdio.
        """
    @property
    def lifespan(self) -> Any:
        """The value that the `lifespan` of the server yielded. None if the server has no lifespan, and for clients
        of `Server.connect`.
        """
    @property
    def revision(self) -> str:
        """The protocol revision of the request, named by its date, such as `2025-06-18`."""
    @property
    def meta(self) -> dict[str, Any]:
        """The request's `_meta` as the client sent it, a dict, such as `{"traceparent": "…"}`. The library does
        not check it: do not trust it.
        """
    @property
    def client(self) -> dict[str, Any] | None:
        """The client's own description of itself, a dict with `name` and `version`. Use it for logs, not for
        decisions. None if the client sent none, and once the call is answered.
        """
    @property
    def client_capabilities(self) -> dict[str, Any] | None:
        """The capabilities that the client declares, a dict such as `{"sampling": {}}`. None once the call is
        answered.
        """
    @property
    def session(self) -> Session | None:
        """The session of the client, a `wellhead.Session`, which the application may keep beyond the call. None in
        revision 2026-07-28, which has no sessions, over HTTP with `sessions=False`, and once the call is answered.
        """
    @property
    def client_supports_apps(self) -> bool:
        """True if the client declares that it shows MCP Apps. False once the call is answered."""
    def extension(self, id: str, /) -> dict[str, Any] | None:
        """Returns the client's settings of an extension of the protocol, a dict. Returns None if the client does
        not declare the extension, and once the call is answered.

        Args:
            id: The identifier of the extension, such as `com.example/charts`.
        """
    @property
    def cancelled(self) -> bool:
        """True once the answer is no longer wanted: the client cancelled the request, or is gone. A callback that
        runs for long checks it now and then, and returns early.
        """
    def on_cancel(self, function: Callable[[], object], /) -> None:
        """Calls `function()` when the answer is no longer wanted, as `cancelled` says; at once if it is not wanted
        now.

        So a `def` callback that waits can be interrupted: `call.on_cancel(process.kill)`. The task of an `async
        def` callback is cancelled without it. `function` is called at most once, and never after the call was
        answered. It runs on the thread that notices the cancellation, which often is the one that reads the
        client's messages, so it must return quickly. An exception that it raises is logged. Several functions
        are called in the order in which they were added.

        Args:
            function: A function without arguments. Its result is ignored.

        Raises:
            ClosedError: The call was answered before, or it is a call of a `verify` callback.
        """
    def progress(self, progress: float, total: float | None = None, message: str | None = None, /) -> bool:
        """Sends the client the progress of its request, if it asked for progress.

        A `progress` that is not greater than the one before is dropped. A slow client gets only the newest one.
        Never blocks.

        Args:
            progress: The work done so far, in any unit, such as bytes.
            total: The whole work in the same unit. None if it is unknown.
            message: A text for people about the progress. None sends none.

        Returns:
            False if no progress can be sent: the client did not ask for it, only an answer can reach it, or the
                request is over. Else True. `cancelled` tells whether to stop the work.
        """
    def close_event_stream(self, retry_ms: int, /) -> bool:
        """Ends the HTTP event stream that carries the answer, before there is an answer, so that a long call
        keeps no HTTP connection open.

        The client connects again after `retry_ms` milliseconds, and then gets the messages that it missed. Only
        the revision 2025-11-25 has this.

        Returns:
            True if the stream ends now. False if there is no such stream: over stdio, in other revisions, for a
                client that accepts only JSON, after the answer, and for a stream that is closed already.
        """
    @property
    def if_version(self) -> str | None:
        """The version of the resource that the client already has, a `str`. None if the client named none. If that
        version is current, return `wellhead.NOT_MODIFIED` instead of a body.
        """
    @property
    def input_responses(self) -> dict[str, Any] | None:
        """The client's answers to an `InputRequired` that the callback raised, a dict by the keys of its
        `inputRequests`. None if the request has no answers, as the first one. Only in reads: a tool or a prompt
        finds them in `params`.
        """
    @property
    def request_state(self) -> str | None:
        """The `requestState` of an earlier `InputRequired` as the client sent it back, a `str`. None if the client
        sent none. A client can invent one: see `open_state`. Only in reads: a tool or a prompt finds it in
        `params`.
        """
    def seal_state(self, state: str, until: int, /) -> str:
        """Returns a `requestState` that only `open_state` opens, for the same caller and URI. It is encrypted with
        the server's cursor key. Only in reads, else it is empty: in a tool or a prompt use `require_input`.

        A client can send the same state back any number of times.

        Args:
            state: The text to seal.
            until: The time at which the state expires, on a clock that all instances share, such as milliseconds
                of Unix time.
        """
    def open_state(self, now: int, /) -> str | None:
        """Returns the text that an earlier call sealed with `seal_state`, from the `requestState` of this request.
        Only in reads, else None.

        Args:
            now: The present time, on the clock of `seal_state`.

        Returns:
            The text. None if the request has no state, and if the state is invented, is expired, or belongs to
                another caller or URI. Raise `InvalidState` then.
        """
    @property
    def filter(self) -> dict[str, Any] | None:
        """The filter with which a client of the `resources/get` dialect asks for a list, a dict. None if there is
        no filter. Wellhead passes its members on unchecked. A cursor works only with the filter of its own list.
        """
    @property
    def method(self) -> str:
        """The name of the method that the client called, such as `tools/call`. In each read it is
        `resources/read`, also for a client of the `resources/get` dialect. Empty in other calls, such as those
        of `Server.list` and `authorize`.
        """
    @property
    def params(self) -> dict[str, Any]:
        """The request's `params` as the client sent them, a dict, in a call of `Server.method`, `tool` or
        `prompt`. Empty in other calls. An around callback may have replaced the `arguments`.
        """
    @property
    def arguments_json(self) -> str:
        """The `arguments` of the call as JSON text, a `str`, in which each number has the digits that the client
        wrote. `{}` in calls without arguments. An around callback may have replaced them. In the arguments that
        the function gets, an integer is exact, and a number with a point or an exponent is the nearest float.
        `json.loads(call.arguments_json, parse_float=decimal.Decimal)` keeps that exact, too.
        """
    @property
    def name(self) -> str | None:
        """The name of the tool that the client called, or of the prompt that it got. None in other calls."""
    def header(self, name: str, /) -> str | None:
        """Returns the value of a header field of the HTTP request that the call came with.

        A client can write anything into most fields: to identify it, use `caller`.

        Args:
            name: The name of the field, such as `Mcp-Method`. Case does not matter.

        Returns:
            The value. None if the field is absent, came more than once, or is not text. Always None over stdio.
        """
    @property
    def query(self) -> str | None:
        """The query of the HTTP request that the call came with, a `str` as it came, for `urllib.parse.parse_qs`:
        `tenant=a` of `/mcp?tenant=a`. None if the URL has no query, and over stdio.
        """
    @property
    def log_level(self) -> str | None:
        """The lowest level of log messages that the request asks for, such as `warning`. None if it asks for none,
        in a session, and in calls other than those of methods, tools and prompts.
        """
    def log(self, level: str, data: Any, /, logger: str | None = None) -> bool:
        """Sends the client a log message about this call, a `notifications/message`, as `notify` does. In a
        session the client gets lines of the level that it set by `logging/setLevel`, or of a higher one;
        `warning` before it sets one. In revision 2026-07-28 each request names its lowest level.

        Args:
            level: The level of the line, from `debug` to `emergency`.
            data: A text, or another value that can be written as JSON.
            logger: The name of the part of the application that the line is from. None sends no name.

        Returns:
            True if it was sent. False for the reasons that `notify` names.

        Raises:
            UsageError: With `invalid_argument`: there is no level of this name, or the server does not
                declare the capability `logging`. The call is a read, a list, a completion or of `authorize`: use
                `call.session.log` there.
        """
    def notify(self, method: str, params: dict[str, Any] | None = None, /) -> bool:
        """Sends the client a notification about this call, before its answer. Only in calls of methods, tools
        and prompts. Never blocks.

        Args:
            method: A name that begins with `notifications/`.
            params: The parameters, a dict. None sends none.

        Returns:
            True if it was sent. False if the call is answered or cancelled, or if the client leaves as many
                bytes unread as `output_bytes` allows. False too if only the answer can reach the client: it
                accepts JSON alone, or the call came through `Connection.handle`. False for a
                `notifications/message` below the level that the client asked for.

        Raises:
            UsageError: With `invalid_argument` in each case: `method` is no notification, or one that
                the server sends itself. A `notifications/message` has no level, or the server does not declare
                the capability `logging`. The call is a read, a list, a completion or of `authorize`.
        """
    def require_input(self, name: str, method: str, params: dict[str, Any] | None = None, /) -> Any:
        """Asks the client for one of its features by a name, in every protocol revision, and returns the
        client's result, a dict. Only in reads, tools and prompts, and in methods up to revision 2025-11-25. Never
        blocks.

        The first time there is no result yet: `Waiting` is raised, which the callback must not catch. The
        callback **runs again from its start** when the client has answered. So all code before the latest
        request runs once more each time.

        In 2026-07-28 the call is answered with `input_required`, and the answers so far travel in a sealed
        `requestState`, good for this call for 10 minutes, with each instance that has the key. That revision
        deprecates sampling and roots, which still work. In earlier revisions the server sends the client a
        request.

        Args:
            name: A name that is unique in the callback, and the same in every run.
            method: `sampling/createMessage`, `elicitation/create` or `roots/list`.
            params: The parameters, a dict. None sends none.

        Raises:
            Waiting: The client has not answered yet. Do not catch it.
            MissingCapability: The client did not declare the capability that the method needs.
            ErrorFromClient: The client answered with an error.
            InvalidAnswer: The client's answer does not fit the form that it was asked to fill in.
            InvalidState: The client sent a state that is forged, expired, or of another call. Do not catch it.
            UsageError: With `invalid_argument` in each case: `method` is none of the three. The callback
                used `name` for another request before. A client cannot show the form, which must be one flat
                object. The call is of a method in 2026-07-28. Only the answer can reach the client: see `notify`.
            ClosedError: The call is already answered.
        """
    def send_request(self, method: str, params: dict[str, Any] | None = None, /) -> Future[dict[str, Any]]:
        """Sends the client a request before this call is answered, and returns a future of the client's
        result. Only in calls of methods, tools and prompts.

        The future raises `ErrorFromClient` if the client answers with an error. The future is cancelled if the call
        is answered or cancelled first, or if the client is gone. Cancelling the future cancels the request. Do
        not wait for the future on a thread that runs callbacks: return a future, or use `send_request_async`.

        Args:
            method: `sampling/createMessage`, `elicitation/create` or `roots/list`.
            params: The parameters, a dict. None sends none.

        Raises:
            UsageError: With `invalid_argument` in each case: `method` is none of the three. The client
                lacks the capability. The revision has no requests to clients: raise `InputRequired` there. Only the
                answer can reach the client: see `notify`.
            LimitError: The client leaves as many bytes unread as `output_bytes` allows.
            ClosedError: The call is already answered.
        """
    async def send_request_async(self, method: str, params: dict[str, Any] | None = None, /) -> dict[str, Any]:
        """Sends the client a request, and returns its result, in an `async def`. Arguments and errors are
        those of `send_request` and of its future.
        """
    def _request(self, method: str, params: dict[str, Any] | None, future: Future[Any]) -> int: ...
    def _give_up(self, number: int) -> None: ...

@final
class Caller:
    """The caller on whose behalf a client connects: an id and an object, both chosen by the application.

    Args:
        id: Bytes that stay the same for this caller, or a `str` that stands for its UTF-8. Cursors and
            sessions work only for the id that got them. Empty for an unknown caller.
        value: Any object, which callbacks get from `Call.caller`, such as the claims of a verified token.
    """

    def __new__(cls, id: str | Buffer, value: Any = None, /) -> Self: ...
    @property
    def id(self) -> bytes:
        """The id of the caller, `bytes`. Empty for an unknown caller."""
    @property
    def value(self) -> Any:
        """The object that the application gave with the id. None if it gave none."""

@final
class Grant:
    """The rights of a valid bearer token, returned by a `verify` callback.

    Args:
        caller: The caller of the request. Sessions, cursors and streams belong to its id: give each
            principal an id of its own.
        audience: The audience of the token, such as its `aud`, as a list of `str`. If `serve_http` or
            `asgi` has `resource=`, a token for another audience is refused.
        scopes: The scopes of the token, as a list of `str`. Include those that these scopes imply.
        expires_in_ms: The time until the token expires, in milliseconds. Streams that the token opened end
            then. Default: never.
    """

    def __new__(
        cls,
        caller: Caller,
        /,
        *,
        audience: Sequence[str] | None = None,
        scopes: Sequence[str] | None = None,
        expires_in_ms: int | None = None,
    ) -> Self: ...

@final
class CacheHint:
    """A caching hint: how long a client may reuse a response, and whether it may share it between callers.

    The most specific hint wins: that of an answer, then that of its registration, then that of the kind of
    answer (`cache_of`), then that of the server. Only revision 2026-07-28 has hints. Without any hint a
    client must not reuse a response.

    Args:
        ttl_ms: The time to live in milliseconds. 0 forbids reuse.
        scope: `public` for all callers, or `private` for the caller who got the response.
    """

    def __new__(cls, *, ttl_ms: int | None = None, scope: Literal["public", "private"] | None = None) -> Self: ...
    @property
    def ttl_ms(self) -> int | None:
        """The time to live in milliseconds. None if it was not given."""
    @property
    def scope(self) -> Literal["public", "private"] | None:
        """The scope, `public` or `private`. None if it was not given."""

@final
class Icon:
    """An image that a client shows for a list entry. Sent from revision 2025-11-25 on.

    Args:
        src: The URI of the image, with the scheme `https:`, `http:` or `data:`. Clients refuse other
            schemes.
        mime_type: The MIME type of the image.
        sizes: The sizes that the image is made for, such as `["48x48"]` or `["any"]`.
        theme: The background that the image is made for, `light` or `dark`.
    """

    def __new__(
        cls,
        src: str,
        /,
        *,
        mime_type: str | None = None,
        sizes: Sequence[str] | None = None,
        theme: Literal["light", "dark"] | None = None,
    ) -> Self: ...

@final
class Contents:
    """One element of the answer of a read: a body, and its URI, MIME type and other members. Arguments that
    are not given come from the registration.

    Args:
        body: A `str`, bytes, or JSON: a dict, a list, a dataclass or a pydantic model.
        uri: The URI of a sub-resource.
        name: The programmatic name. It and `title` are sent only to the clients that `titles_in_contents`
            of `Server` names.
        title: The name for people.
        mime_type: The MIME type, `type/subtype`. Default for JSON: that of the registration, or
            `application/json`.
        meta: The `_meta` of this element, a dict. Default: that of the registration.
        kind: The sort of resource, as in `Resource`.
        version: The version of the contents, as in `Resource`. A client that already has this version gets
            no body.
        metadata: Attributes of the resource, a dict, as in `Resource`.
        cache: How long a client may reuse the answer, a `CacheHint`. If an answer has several elements,
            only the hint of the element for the requested resource itself counts.

    Raises:
        TypeError: An argument has the wrong type, or cannot be written as JSON.
        UsageError: `mime_type` is no MIME type, or `meta` or `metadata` is no JSON object
            (`invalid_argument`).
    """

    def __new__(
        cls,
        body: str | Buffer | _Json,
        *,
        uri: str | None = None,
        name: str | None = None,
        title: str | None = None,
        mime_type: str | None = None,
        meta: dict[str, Any] | None = None,
        kind: str | None = None,
        version: str | None = None,
        metadata: dict[str, Any] | None = None,
        cache: CacheHint | None = None,
    ) -> Self: ...

@final
class NotModified:
    """The type of `NOT_MODIFIED`, for type hints."""

__version__: Final[str]
"""The version of the package."""

NOT_MODIFIED: Final[NotModified]
"""Returned by a `resource` callback in place of a body: the client has the current contents already. If
`Call.if_version` is None, this return value is a failure.
"""

@final
class Resource:
    """One resource in a list that a client asks for.

    Args:
        uri: The absolute URI of the resource (RFC 3986).
        key: A text that sorts the item in its list. The next page starts after the key of the last item. It
            must still sort to the same place after the item is deleted. Default: the URI.
        name: The programmatic name. Default: the URI.
        title: The name for people.
        description: A description for people and models.
        mime_type: The MIME type of the contents, `type/subtype`.
        size: The size of the contents in bytes, before any encoding such as base64, at least 0.
        annotations: The protocol's annotations, such as `{"audience": ["user"], "priority": 0.5,
            "lastModified": "2025-01-12T15:00:58Z"}`. Each member is optional.
        icons: `Icon` objects.
        meta: The `_meta` of the item, a dict. The contents have it too, unless they have a `_meta` of their
            own.
        kind: The sort of resource, a word of the program's own. Only clients of the `resources/get` dialect
            get `kind`, `version` and `metadata`.
        version: A text that changes whenever the contents change.
        metadata: Further attributes that the program chooses, a dict.
        cache: How long a client may reuse the contents, a `CacheHint`. Lists do not use it.

    Raises:
        TypeError: An argument has the wrong type.
        UsageError: `mime_type`, `annotations`, `meta` or `metadata` breaks the rules of the
            protocol, or `size` is out of range (in both cases `invalid_argument`).
    """

    def __new__(
        cls,
        uri: str,
        *,
        key: str | None = None,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: dict[str, Any] | None = None,
        icons: Iterable[Icon] | None = None,
        meta: dict[str, Any] | None = None,
        kind: str | None = None,
        version: str | None = None,
        metadata: dict[str, Any] | None = None,
        cache: CacheHint | None = None,
    ) -> Self: ...
    @property
    def uri(self) -> str:
        """The absolute URI."""
    @property
    def key(self) -> str:
        """The text that sorts the item in its list. The URI if none was given."""
    @property
    def name(self) -> str | None:
        """The programmatic name. None if it was not given."""
    @property
    def title(self) -> str | None:
        """The name for people. None if it was not given."""
    @property
    def description(self) -> str | None:
        """The description. None if it was not given."""
    @property
    def mime_type(self) -> str | None:
        """The MIME type. None if it was not given."""
    @property
    def size(self) -> int | None:
        """The size in bytes. None if it was not given."""
    @property
    def kind(self) -> str | None:
        """The sort of resource. None if it was not given."""
    @property
    def version(self) -> str | None:
        """The version of the contents. None if it was not given."""

@final
class Completion:
    """Values that a client proposes for a variable of a template or an argument of a prompt, in order. A
    client gets at most 100 of them.

    Args:
        values: The values, a list of `str`.
        total: The number of all values that fit, also those that are not given. Default: it is not sent.
        more: True if more values fit than are given.
    """

    def __new__(cls, values: Iterable[str], /, *, total: int | None = None, more: bool = False) -> Self: ...

@final
class Page:
    """One page of a list: the items, in order, and whether more follow.

    Args:
        items: The items, a list of `Resource` or any other iterable of them. For `skill_list` each is a
            dict.
        more: True if more items follow after this page.
    """

    def __new__(cls, items: Iterable[Resource | dict[str, Any]], /, *, more: bool = False) -> Self: ...
    @property
    def items(self) -> list[Any]:
        """The items, a list of `Resource`. For `skill_list` a list of dicts."""
    @property
    def more(self) -> bool:
        """True if more items follow after this page."""
    def __len__(self) -> int: ...

@final
class Handle:
    """A handle with which the application changes or removes a fixed resource or a folder that it registered.
    Dropping the handle removes nothing. All methods are thread-safe.
    """

    @property
    def registered_as(self) -> str:
        """The URI of the resource, or the template of the folder."""
    def set(self, body: str | Buffer | Contents, /) -> None:
        """Replaces the contents of a fixed resource, and notifies its subscribers.

        Args:
            body: The new contents: a `str`, bytes or `Contents`. To set a version, use `Contents`.

        Raises:
            UsageError: The resource was removed (`unknown`).
            ClosedError: The server is closed.
        """
    def remove(self) -> None:
        """Removes the resource or the folder.

        Raises:
            UsageError: The resource or the folder is already removed (`unknown`).
            ClosedError: The server is closed.
        """

@final
class Session:
    """The session that a client began with `initialize`: `Call.session` returns it. The application may keep
    this object beyond the call. The object does not keep the session open. Protocol revision 2026-07-28 has
    no sessions. All methods are thread-safe.
    """

    @property
    def id(self) -> str:
        """The id of the session, unique in the server. Over HTTP it is the `Mcp-Session-Id`, which is a secret of
        the client. Otherwise it is a number.
        """
    @property
    def client(self) -> dict[str, Any] | None:
        """The client's own description of itself, a dict with `name` and `version`. Use it for logs, not for
        decisions. None if the client sent none.
        """
    @property
    def client_capabilities(self) -> dict[str, Any] | None:
        """The capabilities that the client declared, a dict such as `{"sampling": {}}`."""
    @property
    def closed(self) -> bool:
        """True once the session is over."""
    def notify(self, method: str, params: dict[str, Any] | None = None, /) -> bool:
        """Sends the client a notification that belongs to no call. Over HTTP it waits for the event stream
        that the client opens by GET. Never blocks.

        Args:
            method: A name that begins with `notifications/`.
            params: The parameters, a dict. None sends none.

        Returns:
            True if it was sent, or waits for the stream. False if the client has not sent
                `notifications/initialized` yet, if the session is over, or if the client leaves as many bytes
                unread as `output_bytes` allows. False too for a `notifications/message` below the level that the
                client set.

        Raises:
            UsageError: With `invalid_argument` in each case: `method` is no notification, or one that
                the server sends itself. A `notifications/message` has no level, or the server does not declare
                the capability `logging`.
        """
    def log(self, level: str, data: Any, /, logger: str | None = None) -> bool:
        """Sends the client a log message, a `notifications/message`, if `level` is not below the one that the
        client set by `logging/setLevel`. That is `warning` before it sets one. Never blocks.

        Args:
            level: The level of the line, from `debug` to `emergency`.
            data: A text, or another value that can be written as JSON.
            logger: The name of the part of the application that the line is from. None sends no name.

        Returns:
            True if it was sent. False for the reasons that `notify` names.

        Raises:
            UsageError: With `invalid_argument`: there is no level of this name, or the server does not
                declare the capability `logging`.
        """

@final
class Limits:
    """Upper bounds on the costs of clients, each with a default.

    A request or message that is refused gets an error. A connection that *holds back* starts no further
    calls, and then reads nothing, until there is room. Over HTTP `calls_in_flight` and `listen_streams`
    count for the whole endpoint. A call above the limit gets the status 503. A listen stream above the
    limit ends the oldest stream of the client that has most. If the new stream's client has neither a token
    nor an address, the stream gets the status 503.

    Args:
        message_bytes: The greatest number of bytes of one incoming message. A longer message is refused.
            Default: 4 MiB.
        nesting: The greatest nesting depth of one incoming message. A deeper message is refused. Default:
            100.
        id_bytes: The greatest number of bytes of a request id. A request with a longer id is refused.
            Default: 1 KiB.
        batch_length: The greatest number of messages in one batch, in revisions that have batches
            (2025-03-26 and before). A longer batch is refused. Default: 100.
        uri_bytes: The greatest number of bytes of a URI in a request. A request with a longer URI is
            refused. Default: 8 KiB.
        page_items: The greatest number of items on one page of a list. Default: 1,000.
        page_bytes: The greatest number of bytes of one page of a list. A page has at least one item,
            however large. Default: 1 MiB.
        calls_in_flight: The greatest number of calls of one connection that callbacks have not answered. At
            this number the connection holds back. Default: 1,024.
        subscriptions: The greatest number of subscriptions of one connection, with those of its listen
            streams. Further ones are refused. Default: 10,000.
        subscriptions_total: The greatest number of subscriptions of all connections of the server. Further
            ones are refused. Default: 1,000,000.
        listen_streams: The greatest number of open listen streams of one connection. Further ones are
            refused. Default: 1,000.
        output_bytes: The greatest number of bytes of output that the client has not read. At this number
            the connection holds back. Default: 16 MiB.
        call_ms: Milliseconds until a call that is not answered gets an internal error. It does not run while
            the client answers a request of the callback, for which it has 10 minutes. Default: 60,000.
        buffer_bytes: The greatest number of bytes that an HTTP endpoint holds for all clients: bodies of
            requests, output that clients have not read, and events kept for clients that resume. Each
            request counts as 4 KiB. The oldest kept events are dropped first. One HTTP connection may use a
            quarter of what others leave, or more while it uses little. Requests that need more are refused.
            Default: 256 MiB.
        caller_percent: The greatest percentage of an endpoint's sessions and listen streams for one caller
            with a token, and of the calls that the others leave; at least one of each. Without a token the
            share of calls is that of one TCP connection. Further ones are refused. Default: 25.
        session_streams: The greatest number of requests and event streams that one session over HTTP has at
            once. Further ones are refused. The session keeps events of as many streams for clients that
            resume. Default: 4,096.

    Raises:
        UsageError: A limit is negative or too large (`invalid_argument`). A limit below its minimum
            is refused by `Server`.
    """

    def __new__(
        cls,
        *,
        message_bytes: int | None = None,
        nesting: int | None = None,
        id_bytes: int | None = None,
        batch_length: int | None = None,
        uri_bytes: int | None = None,
        page_items: int | None = None,
        page_bytes: int | None = None,
        calls_in_flight: int | None = None,
        subscriptions: int | None = None,
        subscriptions_total: int | None = None,
        listen_streams: int | None = None,
        output_bytes: int | None = None,
        call_ms: int | None = None,
        buffer_bytes: int | None = None,
        caller_percent: int | None = None,
        session_streams: int | None = None,
    ) -> Self: ...
    @property
    def message_bytes(self) -> int:
        """The greatest number of bytes of one incoming message."""
    @property
    def nesting(self) -> int:
        """The greatest nesting depth of one incoming message."""
    @property
    def id_bytes(self) -> int:
        """The greatest number of bytes of a request id."""
    @property
    def batch_length(self) -> int:
        """The greatest number of messages of one batch."""
    @property
    def uri_bytes(self) -> int:
        """The greatest number of bytes of a URI in a request."""
    @property
    def page_items(self) -> int:
        """The greatest number of items of one page of a list."""
    @property
    def page_bytes(self) -> int:
        """The greatest number of bytes of one page of a list."""
    @property
    def calls_in_flight(self) -> int:
        """The greatest number of unanswered calls of one connection."""
    @property
    def subscriptions(self) -> int:
        """The greatest number of subscriptions of one connection."""
    @property
    def subscriptions_total(self) -> int:
        """The greatest number of subscriptions of all connections of the server."""
    @property
    def listen_streams(self) -> int:
        """The greatest number of open listen streams of one connection."""
    @property
    def output_bytes(self) -> int:
        """The greatest number of bytes of output that a client may leave unread."""
    @property
    def call_ms(self) -> int:
        """Milliseconds after which an unanswered call is answered with an internal error."""
    @property
    def buffer_bytes(self) -> int:
        """The greatest number of bytes that an HTTP endpoint buffers for all clients."""
    @property
    def caller_percent(self) -> int:
        """The percentage of an endpoint's sessions, of its listen streams and of its calls in flight that
        one caller may have.
        """
    @property
    def session_streams(self) -> int:
        """The greatest number of requests and event streams of one session over HTTP at once."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Server:
    """An application's resources, tools and prompts, for any number of MCP clients.

    All methods are thread-safe and may be called inside callbacks. Failures of callbacks are logged to
    the logger `wellhead`, with their tracebacks. A client sees only "Internal error", or of a tool
    "The tool failed".

    Args:
        name: The programmatic name.
        version: The version of the application.
        title: The name for people.
        instructions: A text for models about how to use the server.
        cursor_key: The 32 secret bytes that encrypt list cursors. Give all instances the same. Default:
            random over HTTP; over stdio derived from `name` and `version`, since some clients start a
            process for each request.
        limits: Upper bounds on the costs of clients. Default: `Limits()`.
        subscribe: True lets clients subscribe to resources.
        list_changed: True notifies clients when the list of resources changes.
        capabilities: Further capabilities to declare, by name, such as `{"tools": {"listChanged": True}}`.
            A registration declares the capability that it needs. `{"resources": {}}` declares resources
            before the first one is registered.
        extensions: Extensions of the protocol to declare: their settings by identifier, such as
            `{"com.example/charts": {}}`. An extension that the server implements is declared when it is
            used; settings here are added to its own. Callbacks get the client's settings from
            `Call.extension`.
        result_type_extensions: The extension of each `resultType` other than `complete` and
            `input_required`, such as `{"chart": "com.example/charts"}`. The extension must be among
            `extensions`. A client that does not declare it gets an error that names it instead of such a
            result.
        list_changed_methods: Further kinds of lists for `notify_list_changed`, a dict. Each key is the
            member that clients set in `subscriptions/listen`. Its value is the method of the notification.
        cache: How long clients may reuse answers, a `CacheHint`. With `authorize`, an answer is `public`
            only if a more specific hint says so.
        cache_of: Caching hints for single kinds of answers: `discover`, `resources`, `templates`, `tools`,
            `prompts` and `reads`.
        instance_name: The name of this instance among the instances that exchange changes through
            `on_publish`. Default: random.
        observe: A function `(observed)`, called with a `wellhead.Observed` when a call of a callback
            begins and when it ends. It runs in the context (`contextvars`) of that callback, on the
            thread that polls or answers, so it must return quickly.
        lifespan: A function that takes the server and returns a context manager, async or not, such as a
            function decorated with `contextlib.asynccontextmanager`. `run`, `serve_http` and `asgi` enter
            it before the first request and leave it at the end. Callbacks get its value from
            `Call.lifespan`.
        revisions: The revisions of MCP to serve, named by their dates. Default: all.
        error_profile: `official` sends the JSON-RPC codes of the published revisions. `variant-2024-11-05`
            sends clients of that revision other codes, which some early clients expect.
        rpc_codes: Other JSON-RPC codes, by revision and condition, such as `{"2024-11-05":
            {"not_found": -32000}}`. Conditions are `not_found`, `denied`,
            `internal_error` and `not_modified`.
        denied_resources: `error` answers a forbidden read with the error "permission denied". `mask`
            answers it as if the resource did not exist.
        undeclared_lists: The answer to a client that asks for a list whose capability the server does not
            declare: `error`, or `empty` for an empty list.
        titles_in_contents: The clients that get the `name` and `title` of contents: those of the revision
            `2025-06-18`, `never` any, or `always` all.
        omit_newer_fields: True omits fields that the client's revision does not have.
        handshake_extensions: True if the answer to `initialize` declares the extensions too, although the
            revisions with `initialize` have no such member.
        resources_as_tools: True serves the resources by tools too, for clients that know tools only:
            `list_resources`, `read_resource`, and `read_NAME` for each template.
        subscribe_unknown: `deny` refuses subscriptions to URIs that nothing serves, `allow` accepts them.
        dialect: The clients that the server speaks the `resources/get` dialect with: `always` all, `never`
            none, `auto` those whose messages show that they speak it.
        unknown_tool: The answer to the call of a tool that does not exist: `error`, or a `result` with
            `isError`, which the model reads.
        invalid_arguments: The answer to arguments that break the schema of a tool: a `result` with
            `isError`, which the model reads, or `error`.
        check_output: Says when the server checks structured content against the output schema of its tool:
            `debug` only in debug builds of the library, `on` always, `off` never.
        description: A description of the server for people; sent from 2025-11-25 on.
        website_url: The URL of a page about the server; sent from 2025-11-25 on.
        icons: `Icon` objects of the server; sent from 2025-11-25 on.
        tool_errors: The text that the model gets if the callback of a tool fails. `hide` (default) sends
            "The tool failed", `show` the text of the exception.
        app_only_tools: The clients whose lists have the tools that only apps may call: `app_clients`
            (default) that declare MCP Apps, or `all_clients`.

    Raises:
        TypeError: An argument is unknown, or has the wrong type.
        UsageError: A value is not allowed, such as the length of the cursor key, a revision or a
            limit (`invalid_argument`).
    """

    def __new__(
        cls,
        name: str,
        version: str,
        *,
        title: str | None = None,
        instructions: str | None = None,
        cursor_key: bytes | None = None,
        limits: Limits | None = None,
        subscribe: bool = True,
        list_changed: bool = True,
        capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        result_type_extensions: dict[str, str] | None = None,
        list_changed_methods: dict[str, str] | None = None,
        cache: CacheHint | None = None,
        cache_of: dict[_Cacheable, CacheHint] | None = None,
        instance_name: str | None = None,
        observe: Callable[[Observed], object] | None = None,
        lifespan: Callable[[Server], AbstractAsyncContextManager[Any] | AbstractContextManager[Any]] | None = None,
        revisions: Sequence[str] | None = None,
        error_profile: Literal["official", "variant-2024-11-05"] = "official",
        rpc_codes: dict[str, dict[str, int]] | None = None,
        denied_resources: Literal["error", "mask"] = "error",
        undeclared_lists: Literal["error", "empty"] = "error",
        titles_in_contents: Literal["2025-06-18", "never", "always"] = "2025-06-18",
        omit_newer_fields: bool = True,
        handshake_extensions: bool = True,
        resources_as_tools: bool = False,
        subscribe_unknown: Literal["deny", "allow"] = "deny",
        dialect: Literal["auto", "always", "never"] = "auto",
        unknown_tool: Literal["error", "result"] = "error",
        invalid_arguments: Literal["result", "error"] = "result",
        check_output: Literal["debug", "on", "off"] = "debug",
        description: str | None = None,
        website_url: str | None = None,
        icons: Iterable[Icon] | None = None,
        tool_errors: Literal["hide", "show"] = "hide",
        app_only_tools: Literal["app_clients", "all_clients"] = "app_clients",
    ) -> Self: ...
    @property
    def name(self) -> str:
        """The programmatic name."""
    def text(
        self,
        uri: str,
        body: str,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: dict[str, Any] | None = None,
        icons: Iterable[Icon] | None = None,
        meta: dict[str, Any] | None = None,
        kind: str | None = None,
        version: str | None = None,
        metadata: dict[str, Any] | None = None,
        cache: CacheHint | None = None,
    ) -> Handle:
        """Serves a fixed text, without a callback.

        Args:
            uri: The absolute URI of the resource (RFC 3986).
            body: The text, a `str`.

        The other arguments are those of `Resource`.

        Returns:
            A handle that changes or removes the resource.

        Raises:
            UsageError: The URI is not absolute (`invalid_uri`), is registered already (`duplicate`),
                or an argument is not allowed (`invalid_argument`).
            ClosedError: The server is closed.
        """
    @overload
    def app(
        self,
        uri: str,
        html: str,
        *,
        ui: dict[str, Any] | None = None,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: dict[str, Any] | None = None,
        icons: Iterable[Icon] | None = None,
        meta: dict[str, Any] | None = None,
        kind: str | None = None,
        version: str | None = None,
        metadata: dict[str, Any] | None = None,
        cache: CacheHint | None = None,
    ) -> Handle: ...
    @overload
    def app(
        self,
        uri: str,
        html: None = None,
        *,
        ui: dict[str, Any] | None = None,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: dict[str, Any] | None = None,
        icons: Iterable[Icon] | None = None,
        meta: dict[str, Any] | None = None,
        kind: str | None = None,
        version: str | None = None,
        metadata: dict[str, Any] | None = None,
        cache: CacheHint | None = None,
    ) -> Callable[[_Read], _Read]:
        """Serves a page of MCP Apps, and declares the extension `io.modelcontextprotocol/ui`.

        A tool opens the page with `app=`. Clients show it in a frame without access to this server's files, so
        the document must hold all that it needs, or name other origins in `csp`. The server sets its MIME type.
        Return a text from the tool too, for clients that do not show apps: see `Call.client_supports_apps`.

            server.app("ui://clock/view", "<!doctype html><p>12:00", ui={"prefersBorder": True})

            @server.tool(app="ui://clock/view")
            def clock() -> str: ...

        Without `html` it decorates a function that returns the document at each read, as one of `resource` does:

            @server.app("ui://notes/view")
            def view() -> str:
                return Path("notes.html").read_text()

        Args:
            uri: A URI such as `ui://clock/view`.
            html: The HTML5 document.
            ui: What the page needs of the client: `csp` with lists of origins (`connectDomains`,
                `resourceDomains`, `frameDomains`, `baseUriDomains`), `permissions`, `domain`, and
                `prefersBorder`. Clients may refuse permissions.

        The other arguments are those of `Resource`. The result and the errors are those of `text`.
        """
    def blob(
        self,
        uri: str,
        body: Buffer,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: dict[str, Any] | None = None,
        icons: Iterable[Icon] | None = None,
        meta: dict[str, Any] | None = None,
        kind: str | None = None,
        version: str | None = None,
        metadata: dict[str, Any] | None = None,
        cache: CacheHint | None = None,
    ) -> Handle:
        """Serves fixed bytes, without a callback.

        Args:
            uri: The absolute URI of the resource (RFC 3986).
            body: The contents. They are copied unless their type is `bytes`.

        The other arguments are those of `Resource`. The result and the errors are those of `text`.
        """
    def resource(
        self,
        uri: str,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: dict[str, Any] | None = None,
        icons: Iterable[Icon] | None = None,
        meta: dict[str, Any] | None = None,
        kind: str | None = None,
        version: str | None = None,
        metadata: dict[str, Any] | None = None,
        cache: CacheHint | None = None,
        list: Callable[..., _Soon[Page]] | Iterable[Resource] | None = None,
        complete: Mapping[str, _Complete] | None = None,
        exists: Callable[[str], bool] | None = None,
        raw_values: bool = False,
        thread: bool | None = None,
    ) -> Callable[[_Read], _Read]:
        """Returns a decorator that serves a URI, or each URI of a template such as `notes://{id}` (RFC 6570),
        with the result of a function.

            @server.resource("notes://{id}", mime_type="text/markdown")
            def note(id: int) -> str | None:
                return notes.get(id)

        The parameters of the function are the variables of the template, by name. An annotation converts
        the value:

        - `str`: the value, percent-decoded
        - `bytes`: the value as the client wrote it
        - `int`: `0` or `-?[1-9][0-9]*`
        - `float`, `Decimal`: a number as JSON writes it
        - `bool`: `true` or `false`
        - an enum, `Literal`: one of the values, which are proposed to people who type
        - `UUID`, `date`, `time`, `datetime`: as `str` and `isoformat` write them, a `datetime` also with `Z`
        - `Path`: any text but the empty one
        - `list[str]`, or a list of another of these: the values of an exploded variable
        - `X | None`, or a default: the variable may be absent
        - `wellhead.Call`: the call

        If a value does not have the type, the client is answered that the resource does not exist.

        The function returns `str`, bytes, `Contents` or a list of `Contents`. A dict, a dataclass, a pydantic
        model, or a list with any of these is returned as text of JSON, with the MIME type `application/json`
        unless `mime_type` says another. A list of `str`, or one that may be empty, is JSON only in `Contents`.
        The function returns `None`, or raises `ResourceNotFound`, if there is no such resource. It returns
        `wellhead.NOT_MODIFIED` if the client has the current version already, as `Call.if_version` says. It
        raises `PermissionDenied` if the client may not read it, and `Busy` if it cannot be read now. Any other
        exception is logged, and the client gets an internal error.

        An `async def` runs on the event loop. A `def` may return a future, such as a
        `concurrent.futures.Future`, and answer later from any thread. The decorator returns the function
        unchanged. Its name and docstring are the defaults of `name` and `description`.

        Args:
            uri: An absolute URI, or a URI template.
            list: The resources of the template to list: a list of `Resource`, or a function as for
                `Server.list`. Default: none are listed.
            complete: Values to propose for the variables, by name, in place of those of an enum. Each is a list
                of `str`, of which those are proposed that begin with the typed text, or a function `(value)`
                that returns a list or a `Completion`. A second parameter gets the values of the other
                variables, a dict.
            exists: A function `(uri)` that returns False if there is no such resource. A client that subscribes
                to that URI gets an error. It runs on the thread that reads the client's messages: it must
                return quickly, and cannot be an `async def`. Default: every URI may exist. Reads and lists do
                not call it.
            raw_values: True passes values unchecked. By default a resource counts as missing if a value has a
                `..` segment, an absolute path, a drive or a control character.
            thread: True runs the function in a pool of threads. False runs it on the thread that serves,
                also under `asgi`, so it must return quickly.

        The other arguments are those of `Resource`.

        Raises:
            UsageError: The URI or template is wrong (`invalid_uri`, `invalid_template`), is registered
                already (`duplicate`), or matches the same URIs as another template (`ambiguous`). The function
                has a parameter that is no variable and has no default (`invalid_argument`).
            ClosedError: The server is closed.
        """
    @overload
    def list(self, source: _List, /, *, name: str | None = None) -> _List: ...
    @overload
    def list(self, source: Sequence[Resource], /, *, name: str | None = None) -> Sequence[Resource]: ...
    @overload
    def list(self, source: None = None, /, *, name: str | None = None) -> Callable[[_List], _List]:
        """Adds a source of listed resources: a function `(after, limit)` that returns a `Page`.

            @server.list
            def listing(after: str | None, limit: int) -> wellhead.Page:
                ids = sorted(id for id in notes if after is None or id > int(after))
                items = [wellhead.Resource(f"notes://{id}", key=str(id)) for id in ids[:limit]]
                return wellhead.Page(items, more=len(ids) > limit)

        The page has at most `limit` items: those after the item with the key `after`, or the first ones if
        `after` is None. Fixed resources are listed first, then the sources in the order of their
        registration. A parameter that is annotated `wellhead.Call` gets the call. Usable as a decorator,
        with and without parentheses.

        Args:
            source: The function, or a list of `Resource`. Without it, the method returns a decorator.
            name: The name of the source, which cursors contain. Give it the same name in all instances. Default:
                the number of the source.

        Raises:
            UsageError: Another source has the name (`duplicate`), or the function has other parameters
                (`invalid_argument`).
            ClosedError: The server is closed.
        """
    @overload
    def skill_list(self, function: _List, /, *, name: str | None = None) -> _List: ...
    @overload
    def skill_list(self, function: None = None, /, *, name: str | None = None) -> Callable[[_List], _List]:
        """Adds a source of listed skills, for `skills/list` and `skills/get` of the extension
        `io.modelcontextprotocol/skills`: a function `(after, limit)` that returns a `Page` of dicts.

            @server.skill_list
            def library(after: str | None, limit: int) -> wellhead.Page:
                front = {"name": "pdf", "description": "Fills forms."}
                return wellhead.Page([{"uri": "skill://pdf/SKILL.md", "frontmatter": front}])

        Each dict has the `uri` of a `SKILL.md` and its `frontmatter`. With `resources` it has the `uri`,
        `digest` and `size` of each file; without, clients learn that files may change. The page has the skills after
        the one with the URI `after`. Files are read as other resources. A skill that breaks the rules of
        the extension is left out and logged.

        A parameter that is annotated `wellhead.Call` gets the call. Its `uri` is the skill that a client
        asks for, listed or not: the page then has this skill, or nothing. If the function ignores it, the
        list is searched. Usable as a decorator, with and without parentheses.

        Args:
            function: The function. Without it, the method returns a decorator.
            name: The name of the source, as for `list`.

        Raises:
            UsageError: Another source has the name (`duplicate`), or the function has other parameters
                (`invalid_argument`).
            ClosedError: The server is closed.
        """
    @overload
    def fallback(self, function: _Read, /, *, exists: Callable[[str], bool] | None = None) -> _Read: ...
    @overload
    def fallback(
        self, function: None = None, /, *, exists: Callable[[str], bool] | None = None
    ) -> Callable[[_Read], _Read]:
        """Reads each URI that no registration serves, with a function that has a parameter `uri: str` or
        `call: wellhead.Call`.

        A second function replaces the first. Usable as a decorator, with and without parentheses.

        Args:
            function: The function. It returns and raises what a `resource` callback does. Without it, the
                method returns a decorator.
            exists: A function `(uri)` that returns False if there is no such resource, as for `resource`. By
                default clients can subscribe to every URI.

        Raises:
            UsageError: The function has other parameters (`invalid_argument`).
            ClosedError: The server is closed.
        """
    def directory(
        self,
        path: str | PathLike[str],
        /,
        *,
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        max_file_bytes: int | None = None,
        watch: bool = True,
        settle_ms: int = 50,
    ) -> Handle:
        """Serves a folder and everything in it, as `file:` URIs (RFC 8089).

        Files are read whole, as text or bytes by their names and contents. A directory reads as the
        `text/uri-list` of its entries (RFC 2483). Entries whose names begin with a dot, and those that
        `.gitignore` and `.ignore` files name, are not served. A symbolic link is served only if it leads to a
        file or directory that is served.

        Args:
            path: The folder, a `str` or a path. A relative path starts at the current directory.
            include: Patterns of the files to serve, in the form of `.gitignore`: `*.md` anywhere, `/docs`
                at the top, `docs/` for everything in such directories. Default: all files.
            exclude: Patterns of entries that are not served. They win over `include`.
            max_file_bytes: The size of the largest file that is served. Default: 64 MiB.
            watch: True notifies subscribers of changes in the folder.
            settle_ms: Milliseconds without a further change after which clients are notified, at most 60,000.
                If changes keep coming, clients are notified after ten times as long. 0 notifies of each change
                at once.

        Returns:
            A handle whose `registered_as` is the template `file:///…/{+path}`.

        Raises:
            IoError: The folder cannot be opened (`io`).
            UsageError: `path` is no folder, a pattern is wrong, or `settle_ms` is too large (in each
                case `invalid_argument`). The folder contains a served folder, or is inside of one
                (`duplicate`).
            ClosedError: The server is closed.
        """
    def skills(
        self,
        path: str | PathLike[str],
        /,
        *,
        prefix: str | None = None,
        watch: bool = True,
        settle_ms: int = 50,
    ) -> Handle:
        """Serves the Agent Skills in a folder and below it, as `skill:` URIs.

        A skill is a directory with a `SKILL.md` that begins with front matter: `name`, which is the name of the
        directory, and `description`. Clients list skills with `skills/list`, and read each file as a resource
        such as `skill://pdf/SKILL.md`. A directory that breaks the format is not served, and the log says why.
        Hidden and ignored files are treated as `directory` treats them. A symbolic link is served only if it
        leads to a file of the same skill.

        Args:
            path: The folder, a `str` or a path. A relative path starts at the current directory.
            prefix: The first segment of all URIs, such as `acme` in `skill://acme/pdf/SKILL.md`: letters,
                digits and `-._~`. Default: none, or the name of the folder if it is a skill itself.
            watch: True notifies subscribers of changes in the folder.
            settle_ms: Milliseconds without a further change after which clients are notified, at most 60,000.
                If changes keep coming, clients are notified after ten times as long. 0 notifies of each change
                at once.

        Returns:
            A handle whose `registered_as` is the template `skill://{+path}`, with a prefix `skill://PREFIX/{+path}`.

        Raises:
            IoError: The folder cannot be opened (`io`).
            UsageError: `path` is no folder, or `prefix` or `settle_ms` is wrong (in each case
                `invalid_argument`). Another folder of skills has the same prefix, or one of the two has no
                prefix (`duplicate`).
            ClosedError: The server is closed.
        """
    @overload
    def around(self, function: _Around, /) -> _Around: ...
    @overload
    def around(self, function: None = None, /) -> Callable[[_Around], _Around]:
        """Runs a function `(call, next)` around each call of a callback for a tool, a prompt, a read or a method.

        `call` is the `wellhead.Call`: its `method` and `name` or `uri` say what is called. `next()` runs the
        callback and returns what it returns; of a tool the function of `tool` has made a result of it, a dict.
        The server takes what the function returns or raises as the result of the callback: a `ToolError` has a
        text for the model. `next(arguments)` replaces the arguments of a tool or a prompt by a dict, which is
        checked as those of the client were. Functions nest in the order in which they were added; the first is
        the outermost.

        In an `async def` write `await next()`; a `def` callback then runs on a thread. In a `def`, `next()` of
        an `async def` callback returns a coroutine or a future, so make it an `async def` if it needs the
        result. If all functions are a `def`, they run on the thread of a callback with `thread=True`. No
        function runs around fixed contents and folders. When `Call.require_input` runs a callback again, the
        functions run around it again too. Usable as a decorator, with and without parentheses.

        Args:
            function: The function. Without it, the method returns a decorator.

        Raises:
            UsageError: The function has other parameters (`invalid_argument`).
            ClosedError: The server is closed.
        """
    @overload
    def authorize(self, function: _Authorize, /) -> _Authorize: ...
    @overload
    def authorize(self, function: None = None, /) -> Callable[[_Authorize], _Authorize]:
        """Calls a function `(operation, targets)` before the server lists, reads or completes anything, accepts a
        subscription, or uses a tool or prompt. It is not called for the functions of `method`, which judge the
        caller themselves. One call may be about many targets.

        `operation` says what the targets are. For `"list"` they are URIs and templates, for `"read"` and
        `"subscribe"` URIs, for `"complete"` templates or names of prompts. For `"list_tools"`, `"call_tool"`,
        `"list_prompts"` and `"get_prompt"` they are names of tools and prompts. A parameter that is annotated
        `wellhead.Call` gets the call, whose `caller` is the one of the request.

        URIs of folders and skills are those of lists. Other URIs have no needless escapes: `notes://%61` is `notes://a`.
        They keep `%2F` and its like, which the variables of a template decode, so a rule names best what is allowed.

        The function returns one verdict per target, in order, now or later as a `resource` callback does.
        `"allow"` allows it. `"deny"` answers "permission denied", and omits it from lists. `"hide"` answers
        as if it did not exist. If the function raises, the client gets "internal error". A second function
        replaces the first. Usable as a decorator, with and without parentheses.

        Args:
            function: The function. Without it, the method returns a decorator.

        Raises:
            UsageError: The function has other parameters (`invalid_argument`).
            ClosedError: The server is closed.
        """
    @overload
    def on_interest(self, function: _Interest, /) -> _Interest: ...
    @overload
    def on_interest(self, function: None = None, /) -> Callable[[_Interest], _Interest]:
        """Calls a function `(uri, wanted)` when a URI gets its first subscriber, and when it loses its last
        one.

        Calls for one URI never overlap. The server acknowledges a client's subscription when the function is
        done, so the client misses no change. The function may return a future, as a `resource` callback. If the
        function raises, the client gets an error. Usable as a decorator, with and without parentheses.

        Args:
            function: The function. Without it, the method returns a decorator.

        Raises:
            UsageError: The function has other parameters (`invalid_argument`).
            ClosedError: The server is closed.
        """
    def method(self, name: str, /, *, revisions: Sequence[str] | None = None) -> Callable[[_Method], _Method]:
        """Returns a decorator that serves a method other than those of the protocol's resources, with a
        function `(params)`: a dict in, a dict out.

        The function may answer later, as a `resource` callback. It raises `MethodError` for an error that the
        client sees, and `MissingCapability` if the client lacks a capability. It cannot raise `InputRequired`; up to
        revision 2025-11-25 it may call `Call.require_input`. A parameter that is annotated `wellhead.Call` gets the
        call. The server adds `resultType` and its identity to the result where the revision requires them, and declares
        the capability `tools`, `prompts` or `logging` for methods of these names. The result of a function that returns
        None is `{}`.

        A name that begins with `notifications/` is that of a notification. The function runs each time that a
        client sends it in a session, and what it returns is ignored. It runs once for
        `notifications/initialized`. The library handles `notifications/cancelled` itself.

        Args:
            name: The name of the method, such as `notes/search`.
            revisions: The protocol revisions that have the method, named by their dates. Default: all.

        Raises:
            UsageError: A method of this name is served already (`duplicate`), or a revision is unknown
                (`invalid_argument`).
            ClosedError: The server is closed.
        """
    @overload
    def resource_search(self, function: _Search, /) -> _Search: ...
    @overload
    def resource_search(self, function: None = None, /) -> Callable[[_Search], _Search]:
        """Serves a search of resources with a function `(arguments)`: a dict in, a dict out. With
        `resources_as_tools` clients have the tools `search` and `fetch` then. Without such a function folders are
        searched: the names and texts of files, for at most 2 seconds.

        `arguments` has `query`, a `str`, and `limit`, the greatest number of results that the server uses. The
        function returns `{"results": [{"uri": ...}]}`, the best result first. A result may have `title`, `text`
        (a snippet) and `url` (where a person reads it). Without them it has the title or name of its
        registration, and the `url` in its `meta`. A URI that begins with `http` is its own URL.

        A function of `authorize` is asked about the URI of each result, as for a list. A client gets at most
        20 results; with `authorize`, `limit` is 100. `fetch` reads a resource as other clients read it.
        Everything else is as for `method`. Usable as a decorator, with and without parentheses.

        Args:
            function: The function. Without it, the method returns a decorator.

        Raises:
            UsageError: A search is registered already (`duplicate`), or the function has other
                parameters (`invalid_argument`).
            ClosedError: The server is closed.
        """
    @overload
    def tool(self, name: _Tool, /) -> _Tool: ...
    @overload
    def tool(
        self,
        name: str,
        definition: dict[str, Any],
        *,
        title: str | None = None,
        description: str | None = None,
        input_schema: dict[str, Any] | None = None,
        output_schema: dict[str, Any] | None = None,
        annotations: dict[str, Any] | None = None,
        icons: Sequence[dict[str, Any]] | None = None,
        meta: dict[str, Any] | None = None,
        app: str | None = None,
        visibility: Sequence[Literal["model", "app"]] | None = None,
        thread: bool | None = None,
    ) -> Callable[[_Method], _Method]: ...
    @overload
    def tool(
        self,
        name: str | None = None,
        definition: None = None,
        *,
        title: str | None = None,
        description: str | None = None,
        input_schema: dict[str, Any] | None = None,
        output_schema: dict[str, Any] | None = None,
        annotations: dict[str, Any] | None = None,
        icons: Sequence[dict[str, Any]] | None = None,
        meta: dict[str, Any] | None = None,
        app: str | None = None,
        visibility: Sequence[Literal["model", "app"]] | None = None,
        thread: bool | None = None,
    ) -> Callable[[_Tool], _Tool]:
        """Serves a tool with a function. Usable as a decorator, with and without parentheses.

            @server.tool
            def add(a: float, b: float = 1) -> float:
                "Adds two numbers."
                return a + b

        The name of the function is that of the tool, its docstring the description. The parameters are the
        arguments: their type hints make the `inputSchema`, and the `Args:` of the docstring, or a text in
        `Annotated`, describe them. Hints are `str`, `int`, `float`, `bool`, `bytes` (base64), `None`, `list`, `set`,
        `tuple`, `dict`, `Literal`, enums, unions, `Any`, dataclasses, `TypedDict`, `UUID`, `datetime`, `date`, `time`,
        `Decimal`, `Path`, and classes with `model_json_schema` and `model_validate`, such as pydantic's models.
        Each argument has the type of its hint. A parameter annotated `wellhead.Call` is given the call.

        A `str` is returned as a text, `wellhead.Image` and `wellhead.Audio` as they are, a list with an image or a
        sound in it as several blocks, None as no content. Any other value is structured content: JSON, or a value of
        the types above. The hint of the return value makes the `outputSchema`. With a hint such as `str | None` or a
        `Literal`, a `str` or None is structured content, too, and the text is its JSON. Return a `wellhead.Result` to
        set all parts of the result.

        With a `definition` or `input_schema=`, the function has one parameter instead, the arguments as a dict, and
        returns the protocol's result, such as `{"content": [{"type": "text", "text": "3"}]}`.

        The function gets only arguments that fit the `inputSchema`, with its defaults filled in. A call whose
        arguments do not fit is answered without the function, with a line for each wrong field. A `ToolError`
        has a text for the model. If the function raises or returns anything else, the client gets a result with
        `isError` and the text "The tool failed", and the reason is logged. Everything else is as for `method`.
        With `authorize`, the function of `authorize` gives its verdict about the name for lists (`list_tools`)
        and before each call (`call_tool`).

        Args:
            name: The name of the tool. Default: that of the function.
            definition: The other members of the tool in lists, such as `{"description": "…", "inputSchema": {"type":
                "object"}}`.
            title: A name for people.
            description: What the tool does. Default: the docstring.
            input_schema: A JSON Schema for the arguments, which the function then takes as a dict.
            output_schema: A JSON Schema for the structured content. Default: that of the return value's hint.
            annotations: Hints for clients, such as `{"readOnlyHint": True}`.
            icons: The icons, a list of dicts such as `[{"src": "https://…"}]`.
            meta: The `_meta` of the tool, a dict.
            app: The URI of the page that shows the result. `Server.app` registers the page.
            visibility: The intended users of the tool, `["model"]` or `["app"]`. Default: both. Clients may
                ignore it, so it protects nothing.
            thread: True runs the function in a pool of threads, as for `resource`.

        Raises:
            UsageError: With `invalid_argument`: the name is empty, a hint has no JSON Schema, a schema
                is wrong, or a member of the definition is unknown or one that clients refuse. With `duplicate`:
                the tool, `tools/list` or `tools/call` is served already.
            ClosedError: The server is closed.
        """
    @overload
    def prompt(self, name: _Prompt, /) -> _Prompt: ...
    @overload
    def prompt(
        self,
        name: str,
        definition: dict[str, Any],
        *,
        title: str | None = None,
        description: str | None = None,
        icons: Sequence[dict[str, Any]] | None = None,
        meta: dict[str, Any] | None = None,
        complete: Mapping[str, _Complete] | None = None,
        thread: bool | None = None,
    ) -> Callable[[_Method], _Method]: ...
    @overload
    def prompt(
        self,
        name: str | None = None,
        definition: None = None,
        *,
        title: str | None = None,
        description: str | None = None,
        icons: Sequence[dict[str, Any]] | None = None,
        meta: dict[str, Any] | None = None,
        complete: Mapping[str, _Complete] | None = None,
        thread: bool | None = None,
    ) -> Callable[[_Prompt], _Prompt]:
        """Serves a prompt with a function. Usable as a decorator, with and without parentheses.

            @server.prompt
            def explain(topic: str, words: int = 100) -> str:
                "Explains something to a child."
                return f"Explain {topic} to a child, in {words} words."

        The name of the function is that of the prompt, its docstring the description. The parameters are the
        arguments, described by the `Args:` of the docstring, or by a text in `Annotated`. Clients send each as
        text, which becomes the type of its hint as for the variables of `resource`. An argument is required
        unless it has a default, or its hint is `X | None`. If a required argument is missing, or a text does
        not have the type, the function is not called: the client gets an error -32602 that names the arguments.
        A parameter annotated `wellhead.Call` is given the call.

        The function returns a `str`, which is a message of the user, a `wellhead.Message`, a `wellhead.Image` or
        `wellhead.Audio`, a message of the protocol as a dict, or a list of these.

        With a `definition`, the function has one parameter instead, the arguments as a dict, and returns the
        protocol's result, such as `{"messages": [{"role": "user", "content": {"type": "text", "text": "…"}}]}`.

        Everything else is as for `method`. With `authorize`, the function of `authorize` gives its verdict
        about the name for lists (`list_prompts`) and before each call (`get_prompt`).

        Args:
            name: The name of the prompt. Default: that of the function.
            definition: The other members of the prompt in lists, such as `{"description": "…", "arguments":
                [{"name": "topic"}]}`.
            title: A name for people.
            description: The use of the prompt. Default: the docstring.
            icons: The icons, a list of dicts such as `[{"src": "https://…"}]`.
            meta: The `_meta` of the prompt, a dict.
            complete: Values to propose for the arguments, by name, as for `resource`.
            thread: True runs the function in a pool of threads, as for `resource`.

        Raises:
            UsageError: With `invalid_argument`: the name is empty, a hint is a type that no text stands
                for, or a member of the definition is unknown. With `duplicate`: the prompt, `prompts/list` or
                `prompts/get` is served already.
            ClosedError: The server is closed.
        """
    def remove_tool(self, name: str, /) -> None:
        """Removes a tool. Calls in flight are still answered.

        Args:
            name: The name of the tool.

        Raises:
            UsageError: There is no such tool (`unknown`).
            ClosedError: The server is closed.
        """
    def remove_prompt(self, name: str, /) -> None:
        """Removes a prompt. Calls in flight are still answered.

        Args:
            name: The name of the prompt.

        Raises:
            UsageError: There is no such prompt (`unknown`).
            ClosedError: The server is closed.
        """
    def enable_tool(self, name: str, /) -> None:
        """Lists a disabled tool again, and lets clients call it.

        Args:
            name: The name of the tool.

        Raises:
            UsageError: There is no such tool (`unknown`).
            ClosedError: The server is closed.
        """
    def disable_tool(self, name: str, /) -> None:
        """Hides a tool until `enable_tool`: it is not listed, and a call of it is answered like one of a tool that
        does not exist. Calls in flight are still answered.

        Args:
            name: The name of the tool.

        Raises:
            UsageError: There is no such tool (`unknown`).
            ClosedError: The server is closed.
        """
    def update_tool(self, name: str, changes: dict[str, Any], /) -> None:
        """Changes the definition of a tool. Its other members and its function stay. Calls in flight are still
        answered.

        Args:
            name: The name of the tool.
            changes: Members of a definition, or keywords of `tool`: `inputSchema` and `input_schema`, `_meta` and
                `meta` name the same. None removes a member.

        Raises:
            UsageError: There is no such tool (`unknown`), or clients would refuse a member
                (`invalid_argument`). The tool then stays as it is.
            ClosedError: The server is closed.
        """
    def limit_tool(
        self,
        name: str,
        /,
        *,
        calls_in_flight: int | None = None,
        caller_calls_in_flight: int | None = None,
        caller_calls_per_minute: int | None = None,
        call_ms: int | None = None,
    ) -> None:
        """Limits the calls of a tool. The new limits replace those that were set before. Calls that were counted
        still count.

        A call beyond a limit is refused with the error "Busy", without its function, and the client may try
        again. A call counts until it is answered. A caller is the one of the client's token; all clients
        without a token are one caller.

        Args:
            name: The name of the tool.
            calls_in_flight: The greatest number of calls in flight, of all callers together. With 1, calls run
                one at a time. Default: no limit.
            caller_calls_in_flight: The greatest number of calls in flight for each caller. Default: no limit.
            caller_calls_per_minute: The greatest number of calls that begin in one minute for each caller.
                Default: no limit.
            call_ms: Milliseconds after which a call is cancelled and answered with an internal error. Default:
                the `call_ms` of the server's limits.

        Raises:
            UsageError: There is no such tool (`unknown`), or a limit is 0 (`invalid_argument`).
            ClosedError: The server is closed.
        """
    def enable_prompt(self, name: str, /) -> None:
        """Lists a disabled prompt again, and lets clients get it.

        Args:
            name: The name of the prompt.

        Raises:
            UsageError: There is no such prompt (`unknown`).
            ClosedError: The server is closed.
        """
    def disable_prompt(self, name: str, /) -> None:
        """Hides a prompt until `enable_prompt`, as `disable_tool` hides a tool. Its arguments are not completed.

        Args:
            name: The name of the prompt.

        Raises:
            UsageError: There is no such prompt (`unknown`).
            ClosedError: The server is closed.
        """
    def update_prompt(self, name: str, changes: dict[str, Any], /) -> None:
        """Changes the definition of a prompt, as `update_tool` changes that of a tool.

        Args:
            name: The name of the prompt.
            changes: Members of a definition, or keywords of `prompt`. None removes a member.

        Raises:
            UsageError: There is no such prompt (`unknown`), or clients would refuse a member
                (`invalid_argument`). The prompt then stays as it is.
            ClosedError: The server is closed.
        """
    def remove_resource(self, uri_or_template: str, /) -> None:
        """Removes a resource by its URI, or a template by its text, with its list. Calls in flight are still answered.

        Args:
            uri_or_template: The absolute URI, or the text of the template.

        Raises:
            UsageError: There is no such resource or template (`unknown`).
            ClosedError: The server is closed.
        """
    def remove_list(self, name: str, /) -> None:
        """Removes a list source by its name, of resources or of skills. Calls in flight are still answered.

        Args:
            name: The name of the list source.

        Raises:
            UsageError: There is no list source of that name (`unknown`).
            ClosedError: The server is closed.
        """
    def remove_method(self, name: str, /) -> None:
        """Removes a method by its name. Calls in flight are still answered.

        Args:
            name: The name of the method.

        Raises:
            UsageError: There is no method of that name (`unknown`).
            ClosedError: The server is closed.
        """
    def notify_updated(self, uri: str, /) -> None:
        """Notifies the subscribers of a URI that the resource changed. Never blocks. It is no error if the URI has
        no subscribers, or if nothing serves it.

        Args:
            uri: An absolute URI.

        Raises:
            UsageError: The URI is not absolute (`invalid_uri`).
            ClosedError: The server is closed.
        """
    def notify_updated_with_resource(self, resource: Resource, /) -> None:
        """Notifies the subscribers of a resource that it changed, and sets its new version. Never blocks.

        Only the version of the registration changes; its other members, and its entry in lists, stay as
        they are. Clients of the `resources/get` dialect get all members of `resource`.

        Args:
            resource: The `Resource` with its new version.

        Raises:
            UsageError: The URI is not absolute (`invalid_uri`), or a member is not allowed
                (`invalid_argument`).
            ClosedError: The server is closed.
        """
    def notify_sub_resource_updated(self, uri: str, parent: str, /) -> None:
        """Notifies the subscribers of `parent`, such as a folder, that the resource at `uri` below it changed.
        Never blocks.

        Call `notify_updated` for the subscribers of `uri` itself. A client that subscribes to both gets one
        notification. A client that has more than 16 such changes unread gets one notification of `parent` in
        their place.

        Args:
            uri: The absolute URI of what changed.
            parent: The absolute URI of the resource that contains it.

        Raises:
            UsageError: A URI is not absolute (`invalid_uri`).
            ClosedError: The server is closed.
        """
    def notify_list_changed(self, kind: str, /) -> None:
        """Notifies clients that the lists of one kind changed. Never blocks.

        Args:
            kind: The kind of list: `resources`, `tools`, `prompts`, or a key of `list_changed_methods`.

        Raises:
            UsageError: There is no such kind (`unknown`), or the server does not declare `listChanged`
                for it (`invalid_argument`).
            ClosedError: The server is closed.
        """
    def access_changed(self, caller_id: str | Buffer, /) -> None:
        """Calls `authorize` again for everything that the connections of a caller subscribe to, and ends the
        subscriptions that it refuses.

        `authorize` gets many URIs at once. Until it returns its verdicts, clients are notified of changes as
        before. Clients are not notified that a subscription ended. Does nothing without `authorize`. Never
        blocks.

        Args:
            caller_id: The id of the `Caller` whose rights changed, bytes or a `str`.

        Raises:
            ClosedError: The server is closed.
        """
    def notify_resource_list_changed(self) -> None:
        """Notifies clients that the list of resources changed for another reason than a registration or a
        removal. Never blocks.

        Raises:
            ClosedError: The server is closed.
        """
    @overload
    def on_publish(self, function: _Publish, /) -> _Publish: ...
    @overload
    def on_publish(self, function: None = None, /) -> Callable[[_Publish], _Publish]:
        """Calls a function `(event)` with each change that this instance announces, for the `inject` of other
        instances of the service.

        `event` is one JSON object, a `str`, to send over a pub/sub system. Its `origin` is the name of the
        instance. Its `change` is `updated` (with `uri`, and `resource` after `notify_updated_with_resource`),
        `sub_resource_updated` (with `uri` and `parent`), `lists` (with `list`, such as `resources`)
        or `access` (with `caller`, the id in base64).

        The function runs on the thread that announces the change, and must return quickly. It is not called
        for registrations, removals and `Handle.set`, nor for injected changes. A second function replaces
        the first. Usable as a decorator, with and without parentheses.

        Args:
            function: The function. Without it, the method returns a decorator.

        Raises:
            UsageError: The function has other parameters, or is an `async def` (`invalid_argument`).
            ClosedError: The server is closed.
        """
    @overload
    def on_start(self, function: _AtService, /) -> _AtService: ...
    @overload
    def on_start(self, function: None = None, /) -> Callable[[_AtService], _AtService]:
        """Calls a function without parameters when a service of the server begins: `run`, `serve_http` and
        `asgi`, after its `lifespan` has begun and before the first request.

        It may be an `async def`. Several functions run in their order. If one raises, the service does not
        begin. Usable as a decorator, with and without parentheses.

        Args:
            function: The function. Without it, the method returns a decorator.
        """
    @overload
    def on_stop(self, function: _AtService, /) -> _AtService: ...
    @overload
    def on_stop(self, function: None = None, /) -> Callable[[_AtService], _AtService]:
        """Calls a function without parameters when a service of the server has ended, before its `lifespan`
        ends.

        It may be an `async def`. Several functions run in the reverse order, as what was opened last is closed
        first. Usable as a decorator, with and without parentheses.

        Args:
            function: The function. Without it, the method returns a decorator.
        """
    def inject(self, event: str, /) -> bool:
        """Notifies the clients of this instance of a change that another instance of the service published with
        `on_publish`. Never blocks.

        Args:
            event: The text that the function of `on_publish` got in the other instance.

        Returns:
            True if the change was taken. False if this instance published it itself, and if the kind of change
                is unknown.

        Raises:
            UsageError: The text is no event (`invalid_argument`), or its URI is not absolute
                (`invalid_uri`).
            ClosedError: The server is closed.
        """
    def counters(self) -> Counters:
        """Returns the counters of the server: its connections, calls, changes and subscriptions."""
    def explain(self, uri: str, /) -> Explanation:
        """Returns which registration serves a URI, and why each other template does not. Calls no callback.

        Args:
            uri: The URI to explain. Any other text is explained too: the result says why it is no absolute URI.
        """
    def run(self, *, callback_threads: int = 1, shutdown_ms: int = 5000, guard_stdio: bool = True) -> None:
        """Serves standard input and output. Blocks until the client closes standard input, or the server is
        closed.

        Callbacks run on this thread, each in a copy of the present context (`contextvars`). With an `async
        def`, an event loop runs on it too. Ctrl-C raises KeyboardInterrupt between callbacks. On the main
        thread SIGTERM ends the service cleanly, unless the program handles it.

        Args:
            callback_threads: The number of threads that run callbacks, 1 to 1,024. With 1, this thread runs
                them. With more, all of them are new threads.
            shutdown_ms: Milliseconds that calls in flight may still take after the end of input. A `def`
                that runs is waited for, since no thread can be ended.
            guard_stdio: True redirects the descriptors 0 and 1 while the server runs, so that a stray `print`
                goes to standard error and not to the client.

        Raises:
            ClosedError: The server was closed before.
            UsageError: Another server serves standard input and output (`invalid_argument`).
            RuntimeError: An event loop is running on this thread: use `run_async`.
        """
    async def run_async(self, *, shutdown_ms: int = 5000, guard_stdio: bool = True) -> None:
        """Serves standard input and output on the running asyncio loop, until the client closes standard
        input, or the server is closed.

        Callbacks run on the loop, each `def` too. Cancelling the task that awaits it ends the service. The
        method handles no signals. Arguments and errors are those of `run`.
        """
    def serve_http(
        self,
        host: str = "127.0.0.1",
        port: int = 8000,
        *,
        callback_threads: int = 1,
        on_listening: Callable[[str, int], object] | None = None,
        shutdown_ms: int = 5000,
        tcp_connection_limit: int = 10_000,
        io_threads: int = 1,
        head_ms: int = 10_000,
        idle_ms: int = 60_000,
        path: str = "/mcp",
        verify: _Verify | None = None,
        resource: str | None = None,
        authorization_servers: Sequence[str] = (),
        scopes: Sequence[str] = (),
        allowed_origins: Sequence[str] = (),
        allowed_hosts: Sequence[str] = (),
        cors: bool = False,
        strict_accept: bool = False,
        sessions: bool = True,
        session_ms: int = 3_600_000,
        session_limit: int = 10_000,
        delete: bool = True,
        keep_alive_ms: int = 15_000,
        body_ms: int = 30_000,
        replay_bytes: int = 1_048_576,
        token_required: bool = True,
    ) -> None:
        """Serves Streamable HTTP on a listener of its own. Blocks until the server is closed.

        It speaks HTTP/1.1, and HTTP/2 with prior knowledge, without TLS: put a proxy in front of it.
        Callbacks run on this thread, as with `run`. Ctrl-C raises KeyboardInterrupt; SIGTERM on the main
        thread closes the server.

        By default the listener accepts connections from this machine only, and rejects pages of other
        origins. On another address than a loopback one, it accepts any `Host`, unless `allowed_hosts` is
        given.

        Args:
            host: The name or address of this machine to listen on.
            port: The TCP port, 0 to 65,535. With 0 the system chooses a free port.
            callback_threads: The number of threads that run callbacks, 1 to 1,024. With 1, this thread runs
                them. With more, all of them are new threads.
            on_listening: A function `(address, port)`, called once clients can connect.
            shutdown_ms: Milliseconds that calls in flight may still take after the server is closed. A `def`
                that runs is waited for, since no thread can be ended.
            tcp_connection_limit: The greatest number of TCP connections at once. Further connections wait until one is
                closed.
            io_threads: The number of threads that read and write, 1 to 1,024.
            head_ms: Milliseconds that the head of a request may take to arrive.
            idle_ms: Milliseconds that a connection may stay idle, with no request and no progress of its
                response.
            path: The path of the endpoint.
            verify: A function `(token)` that returns a `Grant` for a valid bearer token, and None for any
                other. It raises `InsufficientScope` if the token is valid but lacks a scope that this request
                needs. Requests without a valid token get the status 401. A parameter that is annotated
                `wellhead.Call` gets the call, with the `header` fields. Never forward the token to others.
            resource: The URL of the endpoint. Tokens must have it as their audience. With
                `authorization_servers`, clients find it in the metadata of RFC 9728.
            authorization_servers: The URLs where clients get tokens.
            scopes: The scopes that each request needs.
            allowed_origins: Origins of web pages that may send requests, `scheme://host[:port]`. `*` allows
                any, `https://*.example.com` any subdomain.
            allowed_hosts: Values of the header field `Host` that are accepted, with or without a port. `*`
                allows any, `*.example.com` any subdomain.
            cors: True lets pages of the allowed origins read the responses (CORS).
            strict_accept: True refuses requests whose `Accept` lacks `application/json` or `text/event-stream`,
                which the protocol requires.
            sessions: True gives sessions to clients of the handshake era (revisions up to 2025-11-25). Without
                sessions each of their requests stands alone, and they cannot subscribe.
            session_ms: Milliseconds after which an idle session ends.
            session_limit: The greatest number of sessions at once, at least 1.
            delete: True lets clients end their sessions by the method DELETE.
            keep_alive_ms: Milliseconds of silence after which the server writes a comment to an event stream,
                which keeps it open.
            body_ms: Milliseconds that the body of a request may take to arrive.
            replay_bytes: Bytes of events that a session keeps for a client that connects again after its stream
                broke.
            token_required: True refuses requests without a bearer token, if `verify` is set. False lets
                `verify` judge such requests too, by another header field, such as a cookie or an API key.

        Raises:
            IoError: The address cannot be bound (`io`). `errno` says why, as for any `OSError`.
            UsageError: `verify` has other parameters, or a URL, a scope, a host or an origin has a wrong
                form (`invalid_argument`).
            ClosedError: The server was closed before.
            RuntimeError: An event loop is running on this thread: use `serve_http_async`.
        """
    async def serve_http_async(
        self,
        host: str = "127.0.0.1",
        port: int = 8000,
        *,
        on_listening: Callable[[str, int], object] | None = None,
        shutdown_ms: int = 5000,
        tcp_connection_limit: int = 10_000,
        io_threads: int = 1,
        head_ms: int = 10_000,
        idle_ms: int = 60_000,
        path: str = "/mcp",
        verify: _Verify | None = None,
        resource: str | None = None,
        authorization_servers: Sequence[str] = (),
        scopes: Sequence[str] = (),
        allowed_origins: Sequence[str] = (),
        allowed_hosts: Sequence[str] = (),
        cors: bool = False,
        strict_accept: bool = False,
        sessions: bool = True,
        session_ms: int = 3_600_000,
        session_limit: int = 10_000,
        delete: bool = True,
        keep_alive_ms: int = 15_000,
        body_ms: int = 30_000,
        replay_bytes: int = 1_048_576,
        token_required: bool = True,
    ) -> None:
        """Serves Streamable HTTP on a listener of its own, with callbacks on the running asyncio loop, until
        the server is closed.

        Cancelling the task that awaits it ends the service. The method handles no signals. Arguments and errors
        are those of `serve_http`.
        """
    def asgi(
        self,
        *,
        path: str = "/mcp",
        verify: _Verify | None = None,
        resource: str | None = None,
        authorization_servers: Sequence[str] = (),
        scopes: Sequence[str] = (),
        allowed_origins: Sequence[str] = (),
        allowed_hosts: Sequence[str] = (),
        cors: bool = False,
        strict_accept: bool = False,
        sessions: bool = True,
        session_ms: int = 3_600_000,
        session_limit: int = 10_000,
        delete: bool = True,
        keep_alive_ms: int = 15_000,
        body_ms: int = 30_000,
        replay_bytes: int = 1_048_576,
        loopback_only: bool = True,
        token_required: bool = True,
    ) -> AsgiApp:
        """Returns an ASGI 3 application that serves Streamable HTTP, for uvicorn, hypercorn, Starlette or
        FastAPI.

        An `async def` runs on the application's loop, a `def` in a pool of threads unless its registration
        has `thread=False`. Each callback runs in a copy of the context (`contextvars`) of its own request.

        Args:
            path: The path of the endpoint, below the path at which the application is mounted.
            loopback_only: True accepts only requests whose `Host` and `Origin` name this machine, or are among
                `allowed_hosts` and `allowed_origins`. False accepts any `Host`, unless `allowed_hosts` is
                given.

        The other arguments, and the errors, are those of `serve_http`.
        """
    def endpoint(
        self,
        *,
        path: str = "/mcp",
        verify: _Verify | None = None,
        resource: str | None = None,
        authorization_servers: Sequence[str] = (),
        scopes: Sequence[str] = (),
        allowed_origins: Sequence[str] = (),
        allowed_hosts: Sequence[str] = (),
        cors: bool = False,
        strict_accept: bool = False,
        sessions: bool = True,
        session_ms: int = 3_600_000,
        session_limit: int = 10_000,
        delete: bool = True,
        keep_alive_ms: int = 15_000,
        body_ms: int = 30_000,
        replay_bytes: int = 1_048_576,
        loopback_only: bool = True,
        token_required: bool = True,
    ) -> HttpEndpoint:
        """Returns an `HttpEndpoint`, which answers Streamable HTTP for a server with a thread for each request,
        such as `http.server.ThreadingHTTPServer`: `HttpEndpoint.handle` takes a request and returns its response.

        Arguments and errors are those of `asgi`.
        """
    def close(self) -> None:
        """Closes every connection, and makes `run` and `serve_http` return. May be called again.

        Unanswered calls are dropped. Over HTTP callbacks may still answer them within the `shutdown_ms` of
        `serve_http`.
        """
    def _life(self) -> Life | None: ...
    def _needs_loop(self) -> bool: ...
    def test_client(
        self,
        *,
        revision: str | None = None,
        capabilities: dict[str, Any] | None = None,
        on_request: Callable[[str, dict[str, Any]], Any] | None = None,
        caller: Caller | None = None,
    ) -> TestClient:
        """Returns a client in memory, for tests without a running event loop. The arguments are those of
        `TestClient`.

        Raises:
            RuntimeError: An event loop is running on this thread: use `test_client_async`.
        """
    def test_client_async(
        self,
        *,
        revision: str | None = None,
        capabilities: dict[str, Any] | None = None,
        on_request: Callable[[str, dict[str, Any]], Any] | None = None,
        caller: Caller | None = None,
    ) -> AsyncTestClient:
        """Returns a client in memory, for tests on an event loop: `async with server.test_client_async() as
        client:`. The arguments are those of `TestClient`.
        """
    def connect(self, wake: Callable[[], object] | None = None, *, caller: Caller | None = None) -> Connection:
        """Returns a new connection for one client. The application itself moves the bytes between them.

        Callbacks of messages given to `handle` run in a copy of the context (`contextvars`) around it.
        Those of other messages run in a copy of the context in which the server was made.

        Args:
            wake: A function without arguments, called on any thread when there may be an event to poll or
                output to send. Then call `poll_event` until it returns 0, and `poll_transmit` until it returns
                None, but not inside `wake`.
            caller: The caller on whose behalf the client connects. Default: an unknown caller.

        Raises:
            TypeError: An argument has the wrong type.
        """
    def __enter__(self) -> Self: ...
    def __exit__(self, t: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None, /) -> None: ...

@final
class Observed:
    """The beginning or the end of a call of a callback, as the function `observe` of a `Server` gets it."""

    @property
    def call(self) -> int:
        """The number of the call, unique in its server. Its beginning and its end have the same one."""
    @property
    def method(self) -> str:
        """The method of the request, such as `resources/read`. `authorize` for a call of the function of
        `Server.authorize`.
        """
    @property
    def registered_as(self) -> str | None:
        """The registration that the call is for: the text of a template, a fixed URI, or the name of a list
        source, tool or prompt. Never a URI that a client made up. None if the call belongs to no registration.
        """
    @property
    def traceparent(self) -> str | None:
        """The member `traceparent` of the request's `_meta`, unchecked. None if the client sent none."""
    @property
    def outcome(self) -> str | None:
        """The outcome of the call, and None at its beginning: `found`, `not_found`, `denied`, `not_modified`,
        `busy`, `input_required`, `waiting`, `invalid_state`, `missing_capability`, `result`, `error`, `page`,
        `completion`, `verdicts`, `failed` or `dropped`.
        """
    @property
    def client_waiting(self) -> bool:
        """True if the client still waited for the answer at the end of the call. False at the beginning."""
    @property
    def bytes(self) -> int:
        """The size of the answer in bytes. 0 at the beginning."""
    @property
    def time(self) -> float | None:
        """The seconds from the beginning of the call to its end. None at the beginning."""

@final
class Counters:
    """The numbers of a server since it was made. Each is read at a slightly different moment."""

    @property
    def connections(self) -> int:
        """The number of connections that were made."""
    @property
    def connections_open(self) -> int:
        """The number of connections that are open."""
    @property
    def calls(self) -> int:
        """The number of calls of callbacks that began."""
    @property
    def calls_answered(self) -> int:
        """The number of calls answered before their request was cancelled or timed out."""
    @property
    def calls_failed(self) -> int:
        """The number of answered calls that failed, or were dropped without an answer."""
    @property
    def changes(self) -> int:
        """The number of changes of resources and of lists that the application reported."""
    @property
    def uris_subscribed(self) -> int:
        """The number of URIs with at least one subscriber."""
    @property
    def subscriptions_open(self) -> int:
        """The number of subscribers of all URIs. A connection counts once for each URI."""

@final
class Explanation:
    """The result of `Server.explain`. `str()` shows it in a few lines."""

    @property
    def uri(self) -> str:
        """The text that was explained, a URI or not."""
    @property
    def taken_by(self) -> Literal["fixed", "resource", "template", "fallback", "nothing", "invalid"]:
        """The kind of registration that serves the URI. `invalid` means that the text is not an absolute URI."""
    @property
    def uri_template(self) -> str | None:
        """The text of the template that serves the URI. None if no template does."""
    @property
    def vars(self) -> dict[str, str | list[str]]:
        """The values of that template's variables, percent-decoded. Empty if no template serves the URI."""
    @property
    def reason(self) -> str | None:
        """The reason why the text is not an absolute URI. None if it is one."""
    @property
    def did_you_mean(self) -> str | None:
        """If nothing serves the URI: a registration that differs only by a final slash, or by the case of scheme
        or host. None if there is none.
        """
    @property
    def passed_over(self) -> list[PassedOver]:
        """The templates that do not serve this URI, sorted by their text."""
    def to_json(self) -> str:
        """Returns the explanation as one JSON object, a `str`, which is the same in all languages."""

@final
class PassedOver:
    """A template that does not serve a URI."""

    @property
    def uri_template(self) -> str:
        """The text of the template."""
    @property
    def why(self) -> Literal["differs", "invalid_value", "unsafe", "less_specific"]:
        """The reason why the template does not serve the URI.

        - `differs`: the template does not match
        - `invalid_value`: a value is not UTF-8 once decoded, or two values of one variable differ
        - `unsafe`: a value is a path that leads elsewhere, or has a control character
        - `less_specific`: another registration is more specific
        """
    @property
    def at(self) -> int | None:
        """For `differs`: the first byte of the URI that does not match, from 0, or the length of the URI if it is
        too short. None for other reasons.
        """
    @property
    def did_you_mean(self) -> str | None:
        """For `differs`: a template that would match, with `{+name}` in place of `{name}`. None if there is none."""
    @property
    def variable(self) -> str | None:
        """For `unsafe`: the name of the variable. None for other reasons."""

def expand(uri_template: str, values: Mapping[str, str | Sequence[str] | Mapping[str, str]], /) -> str:
    """Returns the URI that a template (RFC 6570, levels 1 to 4) makes of values.

    Also works for templates that cannot be registered. Values that the template does not use are
    ignored.

        assert wellhead.expand("notes://{id}{?q}", {"id": "a/b", "q": ""}) == "notes://a%2Fb?q="

    Args:
        uri_template: The text of the template.
        values: The values by variable, each a `str`, a list of `str` or a dict of `str`.

    Raises:
        TypeError: A value has another type.
        UsageError: The template is wrong (`invalid_template`), or `{name:3}` gets a list
            (`invalid_argument`).
    """
@final
class Connection:
    """The connection of one client: bytes in, bytes out. Only `handle` blocks.

    Thread-safe, but only one thread at a time may send the output of `poll_transmit`. A connection
    belongs to the process that made it. After `fork` each method raises ClosedError (`forked`) in the
    child.
    """

    def receive(self, data: Buffer, /) -> int:
        """Buffers input from the client: messages that end in a newline, split anywhere.

        Args:
            data: The bytes that came from the client. They are copied.

        Returns:
            The number of bytes that were accepted. If it is less than given, stop reading until `wake` is
                called, and then pass the rest.
        """
    def end(self) -> None:
        """Ends the input of the client. Messages that were received before are still answered."""
    def poll_event(self, max: int | None = None, /) -> int:
        """Handles buffered messages, and runs at most `max` callbacks on this thread. Returns the number of
        callbacks that it ran.

        Returns 0 inside of a callback. An `async def` needs a running event loop on this thread.

        Args:
            max: The greatest number of callbacks to run. Default: no limit.
        """
    def poll_transmit(self, max: int = 262_144, /) -> bytes | None:
        """Returns the next bytes for the client, or None if there are none now.

        Args:
            max: The greatest number of bytes to return; at least 1. Default: 262,144.
        """
    def poll_timeout(self) -> int | None:
        """Returns the time at which to call `tick`, in milliseconds on the clock of `tick`, or None if nothing
        has a deadline.
        """
    def tick(self, now_ms: int, /) -> None:
        """Advances the clock. Calls whose deadline has passed are answered with an internal error.

        The clock starts at 0. Call it before polls, since deadlines count from the last call.

        Args:
            now_ms: The present time in milliseconds, on any monotonic clock.
        """
    def handle(self, message: str | Buffer, /, *, timeout: float = 60.0) -> bytes | None:
        """Handles one message, runs its callbacks on this thread, and returns the answer. Blocks for at most
        `timeout` seconds.

        Args:
            message: One JSON-RPC message, a `str` or bytes.
            timeout: Seconds after which unanswered calls are answered with an internal error.

        Returns:
            The answer, or None for a notification.

        Raises:
            ClosedError: The connection was closed, before or meanwhile. This holds for notifications, too.
            LimitError: The connection holds the message back, since `calls_in_flight` or `output_bytes` is
                reached.
        """
    def _begin(self, message: str | Buffer) -> bytes | Exchange | None: ...
    async def handle_async(self, message: str | Buffer, /) -> bytes | None:
        """Handles one message, and returns the answer, in an `async def`. Cancelling the task that awaits it drops
        the answer.

        Args:
            message: One JSON-RPC message, a `str` or bytes.

        Returns:
            The answer, or None for a notification.

        Raises:
            ClosedError: The connection was closed, before or meanwhile. This holds for notifications, too.
        """
    @property
    def finished(self) -> bool:
        """True once the connection is ended or closed, and nothing is left to poll, to answer or to send."""
    def close(self) -> None:
        """Closes the connection at once. Unanswered calls and unsent output are dropped. May be called again."""

# For the package's own modules.

@final
class Driver:
    @staticmethod
    def stdio(server: Server, options: dict[str, Any], on_loop: bool) -> Driver: ...
    @staticmethod
    def http(
        server: Server, address: tuple[str, int], callback_threads: int, on_loop: bool, options: dict[str, Any]
    ) -> Driver: ...
    def work(self) -> None: ...
    def pump(self) -> bool: ...
    def fileno(self) -> int: ...
    def address(self) -> tuple[str, int] | None: ...
    def signal_fd(self) -> int: ...
    def use_loop(self, event_loop: Any | None) -> None: ...
    def use_lifespan(self, value: Any) -> None: ...
    def take_tasks(self) -> list[Any]: ...
    def terminate(self) -> None: ...
    def stop(self) -> None: ...

@final
class Exchange:
    def take(self) -> tuple[bytes | None] | None: ...
    def on_wake(self, waiter: Callable[[], object]) -> None: ...
    def off_wake(self, waiter: Callable[[], object]) -> None: ...

@final
class Endpoint:
    def __new__(cls, server: Server, options: dict[str, Any], wake: Callable[[], object]) -> Self: ...
    @staticmethod
    def check(server: Server, options: dict[str, Any]) -> None: ...
    def begin(
        self,
        method: str,
        target: str,
        headers: list[tuple[bytes, bytes]],
        peer: str,
        ready: Callable[[], object],
    ) -> HttpExchange: ...
    def poll(self) -> list[Job]: ...
    def tick(self) -> float | None: ...
    def set_time(self, ms: int) -> None: ...
    def use_loop(self, event_loop: Any | None) -> None: ...
    def use_lifespan(self, value: Any) -> None: ...
    def take_tasks(self) -> list[Any]: ...
    def close(self) -> None: ...

@final
class HttpExchange:
    def body(self, bytes: bytes, more: bool) -> None: ...
    def poll(self) -> tuple[Literal["body", "job", "respond", "data", "wait", "done"], Any]: ...
    def end_stream(self) -> None: ...
    def close(self) -> None: ...

@final
class Job:
    def __call__(self, /, *args: Any, **kwargs: Any) -> None: ...

def _at_exit() -> None: ...
def _check_mime_type(mime_type: str, /) -> None: ...
def _forked() -> None: ...
def _forking() -> None: ...
def _has_forked() -> None: ...
def _run_command(arguments: Sequence[str], /) -> int: ...
