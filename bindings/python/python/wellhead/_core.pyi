"""The native half of the package. Import `wellhead`."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from os import PathLike
from types import TracebackType
from typing import Any, Final, Literal, Protocol, TypeAlias, TypeVar, final, overload

from typing_extensions import Buffer, Self  # stubs only: no run-time dependency

from wellhead._asgi import AsgiApp
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
    "__version__",
    "_at_exit",
    "_forked",
    "_forking",
    "_has_forked",
    "expand",
]

_T_co = TypeVar("_T_co", covariant=True)

class _Later(Protocol[_T_co]):
    """What a `concurrent.futures.Future` is (that class itself is invariant: Future[str] is no Future[str | bytes])."""

    def result(self, timeout: float | None = None) -> _T_co: ...
    def add_done_callback(self, fn: Callable[..., object], /) -> None: ...

_T = TypeVar("_T")
_Soon: TypeAlias = _T | Awaitable[_T] | _Later[_T]
_Body: TypeAlias = str | Buffer | Contents | Sequence[Contents] | NotModified | None
_Cacheable: TypeAlias = Literal["discover", "resources", "templates", "tools", "prompts", "reads"]
_Verdict: TypeAlias = Literal["allow", "deny", "hide"]
_Read = TypeVar("_Read", bound=Callable[..., _Soon[_Body]])
_List = TypeVar("_List", bound=Callable[..., _Soon[Page]])
_Authorize = TypeVar("_Authorize", bound=Callable[..., _Soon[Sequence[_Verdict]]])
_Complete: TypeAlias = Callable[..., _Soon[Sequence[str] | Completion]] | Iterable[str]
_Verify: TypeAlias = Callable[..., _Soon[Grant | None]]
_Method = TypeVar("_Method", bound=Callable[..., _Soon[dict[str, Any]]])
_Publish = TypeVar("_Publish", bound=Callable[[str], object])
_Interest = TypeVar("_Interest", bound=Callable[[str, bool], _Soon[None]])

@final
class Call:
    """The call that a callback answers: given to a parameter that is annotated `wellhead.Call`.

    Valid for as long as the callback keeps it, on any thread.
    """

    @property
    def uri(self) -> str:
        """The URI as the client spelled it; empty in calls that are not about one."""
    @property
    def vars(self) -> dict[str, str | list[str]]:
        """The template's variables that are present in the URI, percent-decoded, in the order of the template;
        exploded ones as lists. For names that are no Python identifiers, and for callbacks that serve many
        templates."""
    @property
    def caller(self) -> Caller:
        """Who asks: what `Server.connect` was given. Over stdio, nobody in particular."""
    @property
    def revision(self) -> str:
        """The protocol revision of the request, its date, such as `2025-06-18`."""
    @property
    def meta(self) -> dict[str, Any]:
        """The request's `_meta` as it came: `traceparent` and the like. Its keys are the client's, never checked."""
    @property
    def client(self) -> dict[str, Any] | None:
        """Who the client is, with a `name` and a `version`, as it says: for logs, not for decisions. None once the call
        is answered."""
    @property
    def client_capabilities(self) -> dict[str, Any] | None:
        """What the client can do, such as `{"sampling": {}}`, as it said with this request or when its session began.
        None once the call is answered."""
    @property
    def cancelled(self) -> bool:
        """Whether nobody wants the answer any more: the request was cancelled, or its client is gone. Cheap; a
        callback that takes long asks now and then."""
    def progress(self, progress: float, total: float | None = None, message: str | None = None, /) -> bool:
        """Tells the client how far the work on its request is, if it asked for that: in any unit, such as bytes, and
        with what it will be in the end, if that is known. Any thread.

        `progress` only grows: what does not is dropped. A client that takes its messages slowly is told the newest.
        Returns whether anybody still wants to know.
        """
    def close_stream(self, retry_ms: int, /) -> bool:
        """Ends the stream that carries the answer over HTTP, before there is one: its client is told to come back after
        so many milliseconds, and gets there what was said meanwhile. No connection has to be kept for a call that takes
        long. Any thread.

        Returns whether it did: not where there is no stream to come back to, as over stdio, for a client that accepts
        JSON only and in every revision but 2025-11-25; not if it is closed already, and not after the answer.
        """
    @property
    def if_version(self) -> str | None:
        """The version of the resource that the client has. If it is still the right one, answer
        `wellhead.NOT_MODIFIED`, without making a body."""
    @property
    def input_responses(self) -> dict[str, Any] | None:
        """In a read after `InputRequired`: what the client answered, by the keys of `inputRequests`."""
    @property
    def request_state(self) -> str | None:
        """In a read after `InputRequired`: its `requestState`, as the client sent it: anybody may have made it up."""
    def seal_state(self, state: str, until: int, /) -> str:
        """A `requestState` that `open_state` opens for this caller and URI until a time, on any clock that replicas
        with the same cursor key share, such as milliseconds of Unix time. It may be used any number of times."""
    def open_state(self, now: int, /) -> str | None:
        """What `seal_state` sealed into the state of this request. None if there is none, or if it was made up, or for
        another caller or URI, or is too old: raise `InvalidState` then, and do not ask again."""
    @property
    def filter(self) -> dict[str, Any] | None:
        """In the call of a listing: which resources a client of the `resources/get` dialect wants, in members that the
        dialect leaves to the two of them. A cursor is good for the filter that it came with."""
    @property
    def method(self) -> str:
        """The name of the further method; empty in other calls."""
    @property
    def params(self) -> dict[str, Any]:
        """In the call of a further method: the request's `params` as they came."""
    @property
    def name(self) -> str | None:
        """The name of the tool or prompt that is called."""
    def header(self, name: str, /) -> str | None:
        """Where a bearer token is verified: the value of a header field of the request, in whichever case its name is
        written: `Mcp-Method` and `Mcp-Name` say what a client of 2026-07-28 is about to do. None if it is absent, came
        more than once, or is no text."""
    @property
    def log_level(self) -> str | None:
        """In the call of a further method: from which level on the request asks for `notifications/message`, in the
        revisions where each request says so."""
    def notify(self, method: str, params: dict[str, Any] | None = None, /) -> bool:
        """Sends a notification about the call of a further method, before its answer and on the same way. Any thread.

        Returns whether it was sent: not after the answer, not when nobody wants that any more, not where there is room
        for an answer only, and not while the client takes nothing. `notifications/message` is sent only from the level
        on that the request asks for.

        Raises:
            RegistrationError: It is no notification of a call, such as another name than `notifications/…`, or a
                `notifications/message` without a level or without the capability `logging` (`invalid_argument`).
        """
    def request(self, method: str, params: dict[str, Any] | None = None, /) -> Future[dict[str, Any]]:
        """Asks the client for one of its features before the call of a further method is answered:
        `sampling/createMessage`, `elicitation/create` or `roots/list`.

        The future has the client's result, or raises `MethodError` with its error. It is cancelled if none will come:
        the call was answered or cancelled first, or its client is gone. Cancelling it tells the client. Do not wait for
        it on the thread that runs callbacks: answer with a future of your own, or use `request_async`.

        Raises:
            RegistrationError: Another method, a capability that the client did not declare, or a revision that has no
                such requests: raise `InputRequired` there (`invalid_argument`).
            LimitError: The client takes nothing.
            ClosedError: The call is over.
        """
    async def request_async(self, method: str, params: dict[str, Any] | None = None, /) -> dict[str, Any]:
        """`request` for an `async def`: awaits the answer. Raises also what the future would raise."""
    def _request(self, method: str, params: dict[str, Any] | None, future: Future[Any]) -> int: ...
    def _give_up(self, number: int) -> None: ...

@final
class Caller:
    """Who a connection speaks for, as the program that accepted it knows them.

    Args:
        id: Stable bytes that list cursors are bound to, or a `str` for its UTF-8. Empty: nobody in particular.
        value: Whatever the program wants to know in its callbacks, such as the claims of a verified token.
    """

    def __new__(cls, id: str | Buffer, value: Any = None, /) -> Self: ...
    @property
    def id(self) -> bytes: ...
    @property
    def value(self) -> Any: ...

@final
class Grant:
    """What a bearer token is good for.

    Args:
        caller: Who the request speaks for. Sessions, cursors and streams belong to its id: give each principal one of
            its own. Callbacks see the caller of the request that they answer.
        audience: Whom the token was issued for, such as its `aud`: where `resource=` is given, a token that does not
            name it is refused.
        scopes: The scopes of the token, with those that they imply.
        expires_in_ms: In how many milliseconds it expires: streams of changes that it opened end then. Never, unless
            this is said.
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
    """How long a client may use an answer again, and whether for this caller only. What is not said here is taken from
    the next more general place: an answer's hint, its registration's, that of its kind of answer, the server's.

    Sent in revisions that have caching hints; without any, an answer may not be used again.

    Args:
        ttl_ms: For how many milliseconds; 0: not at all.
        scope: `public`: for anybody; `private`: for the caller who got it.
    """

    def __new__(cls, *, ttl_ms: int | None = None, scope: Literal["public", "private"] | None = None) -> Self: ...
    @property
    def ttl_ms(self) -> int | None: ...
    @property
    def scope(self) -> Literal["public", "private"] | None: ...

@final
class Icon:
    """An image for a list entry.

    Clients of revisions before 2025-11-25 are not sent it.

    Args:
        src: An `https:`, `http:` or `data:` URI; clients refuse others.
        mime_type: The image's MIME type.
        sizes: What it is good for, such as `48x48` or `any`.
        theme: `light` or `dark`: the background it is made for.
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
    """One element of an answer, where text or bytes alone do not say enough.

    What is not given is taken from the registration.

    Args:
        body: Text or bytes.
        uri: A sub-resource's own URI.
        name: The resource's name. Only some clients are shown it, as with `title`.
        title: The resource's name for people.
        mime_type: The MIME type of this element.
        meta: The `_meta` of this element.
        kind: What sort of thing the resource is, as for `Resource`.
        version: The version of these contents, as for `Resource`. A client that has it is told so, and sent nothing.
        metadata: Attributes of the resource, as for `Resource`.
        cache: How long the answer may be kept; of several, that of the resource itself counts.

    Raises:
        TypeError: The body is neither `str` nor bytes.
        RegistrationError: `meta` or `metadata` is no JSON object.
    """

    def __new__(
        cls,
        body: str | Buffer,
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
    """The type of `NOT_MODIFIED`, for annotations."""

__version__: Final[str]
"""The version of the package."""

NOT_MODIFIED: Final[NotModified]
"""Returned by a callback: the client has the contents already. Only where `Call.if_version` said which version that is;
otherwise it is a failure."""

@final
class Resource:
    """One item of a listing.

    Args:
        uri: An absolute URI (RFC 3986).
        key: Where the page after this item starts, by default the URI. It must keep its place in the order of the
            listing when the item itself is gone.
        name: The programmatic name, by default the URI.
        title: The name for people.
        description: What it is, for people and models.
        mime_type: The MIME type of the contents.
        size: Bytes of the contents, before any encoding.
        annotations: The protocol's own object: `{"audience": ["user", "assistant"], "priority": 0.5, "lastModified":
            "2025-01-12T15:00:58Z"}`, each member optional.
        icons: Images.
        meta: Its `_meta`; contents inherit it.
        kind: What sort of thing it is, in a word of the program's own. Only clients of the `resources/get` dialect are
            told this, `version` and `metadata`.
        version: Any text that is another one whenever the contents are.
        metadata: Attributes of the program's own.
        cache: How long, and for whom, the contents may be kept; where it is listed, this is not looked at.

    Raises:
        RegistrationError: `annotations`, `meta` or `metadata` is not as the protocol has it.
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
    def uri(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def name(self) -> str | None: ...
    @property
    def title(self) -> str | None: ...
    @property
    def description(self) -> str | None: ...
    @property
    def mime_type(self) -> str | None: ...
    @property
    def size(self) -> int | None: ...
    @property
    def kind(self) -> str | None: ...
    @property
    def version(self) -> str | None: ...

@final
class Completion:
    """Some of the values that a template's variable may have, in the order in which they are proposed. A client is sent
    the first hundred.

    Args:
        values: The values.
        total: How many there are in all, if more are known than given.
        more: Whether there are more than given.
    """

    def __new__(cls, values: Iterable[str], /, *, total: int | None = None, more: bool = False) -> Self: ...

@final
class Page:
    """Some items of a listing, in its order, and whether there are more behind them."""

    def __new__(cls, items: Iterable[Resource], /, *, more: bool = False) -> Self: ...
    @property
    def items(self) -> list[Resource]: ...
    @property
    def more(self) -> bool: ...
    def __len__(self) -> int: ...

@final
class Handle:
    """What was registered, to be changed or removed. Dropping this object removes nothing."""

    @property
    def name(self) -> str:
        """The URI; of a folder, its template."""
    def set(self, body: str | Buffer | Contents, /) -> None:
        """Replaces the contents of a fixed resource, and tells those who watch it. Any thread. `Contents` give it a new
        version; without one, none is known any more.

        Raises:
            RegistrationError: It was removed (`unknown`).
            ClosedError: The server was closed.
        """
    def remove(self) -> None:
        """Removes what was registered. Raises as `set`."""

@final
class Limits:
    """What one client may cost. Everything has a default.

    Those marked *refuses* answer an error; those marked *holds back* make the connection stop dispatching, and then
    stop reading, until there is room. Over HTTP `calls_in_flight` and `listen_streams` are those of the whole endpoint,
    whoever asks, and requests beyond them are answered 503 at once.

    Args:
        message_bytes: Bytes of one incoming message. Refuses. 4 MiB.
        nesting: Nesting depth of one incoming message. Refuses. 100.
        id_bytes: Bytes of a request id as it was written. Refuses. 1 KiB.
        batch_length: Messages of one batch, in the revision that has batches. Refuses. 100.
        uri_bytes: Bytes of a URI in a request. Refuses. 8 KiB.
        page_items: Items of one page of a list. 1,000.
        page_bytes: Bytes of one page of a list, which holds at least one item. 1 MiB.
        calls_in_flight: Calls of one connection that are not answered. Holds back. 1,024.
        subscriptions: Subscriptions of one connection, listen streams included. Refuses. 10,000.
        subscriptions_total: Subscriptions of all connections of the server. Refuses. 1,000,000.
        listen_streams: Open listen streams of one connection. Refuses. 1,000.
        output_bytes: Bytes of output that the client has not taken. Holds back. 16 MiB.
        call_ms: Milliseconds that an answer may be held before it becomes an internal error. 60,000.
        buffer_bytes: Bytes that an endpoint over HTTP holds for all clients: bodies until their requests are over,
            output that clients have not taken, and what is kept for clients that come back, of which the oldest goes
            first. A request itself counts as 4 KiB. A client's connection has at most a quarter of what others leave of
            two thirds, of five sixths while it has at most 64 KiB, of all while it has at most 8 KiB. Refuses. 256 MiB.
        caller_percent: How many percent of an endpoint's sessions and listen streams one caller may have who is known by
            a token, at least one of each. Refuses. 25.
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
    ) -> Self: ...
    @property
    def message_bytes(self) -> int: ...
    @property
    def nesting(self) -> int: ...
    @property
    def id_bytes(self) -> int: ...
    @property
    def batch_length(self) -> int: ...
    @property
    def uri_bytes(self) -> int: ...
    @property
    def page_items(self) -> int: ...
    @property
    def page_bytes(self) -> int: ...
    @property
    def calls_in_flight(self) -> int: ...
    @property
    def subscriptions(self) -> int: ...
    @property
    def subscriptions_total(self) -> int: ...
    @property
    def listen_streams(self) -> int: ...
    @property
    def output_bytes(self) -> int: ...
    @property
    def call_ms(self) -> int: ...
    @property
    def buffer_bytes(self) -> int: ...
    @property
    def caller_percent(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Server:
    """An application's resources, for any number of clients.

    Every method may be called from any thread, also from inside a callback. What goes wrong in callbacks is logged to
    the logger `wellhead`, with its traceback; no byte of it reaches a client.

    Args:
        name: The programmatic name.
        version: The version of the application.
        title: The name for people.
        instructions: How a model should use the server.
        cursor_key: The 32 bytes under which list cursors are sealed. Replicas share them. Random by default; over stdio
            derived from name and version, so that a client which starts a process for each request can page.
        limits: What one client may cost.
        subscribe: Whether clients may watch resources.
        list_changed: Whether clients are told when the list of resources changes.
        capabilities: Capabilities beside those for resources, by name, with what there is to say of each, such as
            `{"tools": {"listChanged": True}}`. See `method`.
            `{"resources": {}}` declares and serves resources before any is registered; otherwise the first
            registration does.
        announces: Further kinds of lists whose changes `announce` tells of: the name, as a client asks for it in the
            filter of `subscriptions/listen`, and the notification.
        cache: How long, and for whom, answers may be kept. With `authorize`, `public` has to be said again where it
            holds: of a kind of answer, a registration or an answer.
        cache_of: The same for one kind of answer: `discover`, `resources`, `templates`, `tools`, `prompts`, `reads`.
        origin: The name of this instance among those that share their changes by `on_publish`; random by default.
        observe: A function that is told, with a `wellhead.Observed`, when each call of a callback begins and ends;
            interests aside. Called on the thread that polls or answers, so it must be quick, and in the context
            (`contextvars`) of the callback: what it sets when a call begins, such as OpenTelemetry's current span, the
            callback sees.
        versions: The protocol versions that are served, all by default. Without one that has a handshake, a client that
            sends `initialize` is told which there are; without a stateless one, `_meta` decides nothing.
        error_profile: Which documents settle the codes of errors.
        error_codes: Other codes, by version and condition: `{"2024-11-05": {"resource_not_found": -32000}}`. Conditions
            are `resource_not_found`, `permission_denied`, `internal_error` and `not_modified`.
        permission_denied: What a client is told of a resource that it may not have: `mask` answers exactly as if it
            did not exist.
        undeclared_lists: What a client gets that lists resources, templates, tools or prompts though none are offered.
        titles_in_contents: For which clients contents have `name` and `title`: those of 2025-06-18, none or all.
        omit_newer_fields: Whether fields that a client's revision does not have are left out for it.
        subscribe_unknown: Whether a URI that nothing serves may be watched.
        dialect: Whether the `resources/get` dialect is served: `auto` decides by each message.

    Raises:
        RegistrationError: The cursor key is of another length, a version does not exist, or another of these may not
            be (`invalid_argument`).
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
        announces: dict[str, str] | None = None,
        cache: CacheHint | None = None,
        cache_of: dict[_Cacheable, CacheHint] | None = None,
        origin: str | None = None,
        observe: Callable[[Observed], object] | None = None,
        versions: Sequence[str] | None = None,
        error_profile: Literal["official", "variant-2024-11-05"] = "official",
        error_codes: dict[str, dict[str, int]] | None = None,
        permission_denied: Literal["error", "mask"] = "error",
        undeclared_lists: Literal["error", "empty"] = "error",
        titles_in_contents: Literal["2025-06-18", "never", "always"] = "2025-06-18",
        omit_newer_fields: bool = True,
        subscribe_unknown: Literal["deny", "allow"] = "deny",
        dialect: Literal["auto", "always", "never"] = "auto",
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
        """Serves a fixed text without a callback.

        Raises:
            RegistrationError: The URI is not absolute (`invalid_uri`) or registered already (`duplicate`), or what
                describes it may not be sent (`invalid_argument`).
            ClosedError: The server was closed.
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
        """Serves fixed bytes without a callback. Raises as `text`."""
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
        """Serves a URI, or every URI of a template such as `notes://{id}` (RFC 6570), with what the decorated
        function returns. The function itself stays as it is; `name` and `description` are taken from its name and
        docstring.

        Its parameters are the template's variables, by name, converted by annotation: `str`; `bytes`, the value as the
        client spelled it; `int`, where anything but `0` or `-?[1-9][0-9]*` is not found; `list[str]` for an exploded
        variable; `X | None`, or a default, for one that may be absent. A parameter annotated `wellhead.Call` is given
        the call.

        It returns `str`, bytes, `Contents` or a list of Contents; `None`, or raises `ResourceNotFound`, if there is no
        such resource; `wellhead.NOT_MODIFIED` if the client has the version that it names. It raises `PermissionDenied`
        if the client may not read it, `Busy` if it cannot be read now. Any other exception is logged and becomes an
        internal error.

        An `async def` runs on the event loop. A `def` may return anything with `result` and `add_done_callback`, such
        as a `concurrent.futures.Future`, to be answered later from any thread.

        Args:
            list: What the template lists: the items themselves, or a function as for `Server.list`.
            complete: What is proposed for the template's variables, by name: all values there are, of which those are
                proposed that begin with what was typed; or a function `(value)` that is given that and returns a list
                or a `Completion`, now or later. A second parameter is given the values of other variables, as a dict,
                and one annotated `wellhead.Call` the call.
            exists: A function `(uri)` that says at once whether there may be such a resource: nobody can watch it
                otherwise. By default there may always be one; reads and lists do not ask. It runs on whichever thread
                takes what clients send, so it must be quick, and no `async def`. If it raises, which is logged, there
                may be one.
            raw_values: Hands over every value as it was sent. Without it, values with a `..` segment, an absolute path,
                a drive or a control character are not found; with it, checking them is the function's work.
            thread: True: the function runs in a pool of threads instead of on the one that runs the server. False: it
                runs there always, under `asgi` too, so it must be quick.

        Raises:
            RegistrationError: `invalid_uri`, `invalid_template`, `duplicate`, `ambiguous`, or a parameter that cannot
                be given (`invalid_argument`).
            ClosedError: The server was closed.
        """
    @overload
    def list(self, source: _List, /, *, name: str | None = None) -> _List: ...
    @overload
    def list(self, source: None = None, /, *, name: str | None = None) -> Callable[[_List], _List]:
        """Adds a list source: a function `(after, limit)` that returns a `Page` of at most `limit` items, those behind
        the item whose key is `after`, from the start if it is `None`. After the fixed resources, the sources are listed
        in the order of their registration. A parameter annotated `wellhead.Call` is given the call.

        The name goes into cursors, so replicas use the same; by default it is the source's ordinal.

        Raises:
            RegistrationError: The name is taken (`duplicate`), or the function takes other parameters.
            ClosedError: The server was closed.
        """
    @overload
    def fallback(self, function: _Read, /, *, exists: Callable[[str], bool] | None = None) -> _Read: ...
    @overload
    def fallback(
        self, function: None = None, /, *, exists: Callable[[str], bool] | None = None
    ) -> Callable[[_Read], _Read]:
        """Reads whatever no registration serves, with a parameter `uri: str` or `call: wellhead.Call`. `exists` is as
        for `resource`: without it, everything may be watched. A second function replaces the first.

        Raises:
            RegistrationError: The function takes other parameters (`invalid_argument`).
            ClosedError: The server was closed.
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
        """Serves a folder with everything in it, as resources under `file:` (RFC 8089): listed depth first, files read
        as text or bytes by their names and contents, directories as a `text/uri-list` of what is in them (RFC 2483).

        Hidden entries (whose names begin with a dot) and those that `.gitignore` and `.ignore` files name are never
        served, links only if they lead to something that is. Files are read on the thread that would run a callback.
        The handle's name is the template `file:///…/{+path}`, whose `path` is completed with the names in the directory
        typed so far.

        Args:
            path: The folder; a relative path is taken from the current one.
            include: If given, only files that one of these patterns matches are served. Patterns have the form of lines
                of `.gitignore`: `*.md` anywhere, `/docs` at the top, `docs/` for everything in such directories.
            exclude: What these patterns match is not served. They win over `include`.
            max_file_bytes: The largest file that is served, 64 MiB by default. A file is read whole.
            watch: Whether clients are told what changes in the folder.
            settle_ms: How long changes are gathered, in milliseconds; at most 60,000. Clients are told once no change
                has come for so long, and after ten times as long if they do not cease. 0 tells each at once.

        Raises:
            IoError: The folder cannot be opened (`io`).
            RegistrationError: It is not a folder, a pattern is bad, or `settle_ms` is over 60,000
                (`invalid_argument`); or it is served already, is in one that is, or has one in it (`duplicate`).
            ClosedError: The server was closed.
        """
    @overload
    def authorize(self, function: _Authorize, /) -> _Authorize: ...
    @overload
    def authorize(self, function: None = None, /) -> Callable[[_Authorize], _Authorize]:
        """Asks a function `(operation, uris)` before anything is listed, read or watched: one question for many URIs.
        A parameter annotated `wellhead.Call` is given the call, whose `caller` says who asks.

        `operation` is `"list"`, `"read"`, `"subscribe"` or `"complete"`, which is about templates; for `"list_tools"`,
        `"call_tool"`, `"list_prompts"` and `"get_prompt"` names stand in place of URIs.

        The function returns one verdict for each URI, in their order, now or later as a callback of `resource` does:
        `"allow"`; `"deny"`, which answers "permission denied", and leaves it out of lists; `"hide"`, which answers
        exactly as if it did not exist. If it raises, nothing is allowed. A second function replaces the first.

        Raises:
            RegistrationError: The function takes other parameters (`invalid_argument`).
            ClosedError: The server was closed.
        """
    @overload
    def on_interest(self, function: _Interest, /) -> _Interest: ...
    @overload
    def on_interest(self, function: None = None, /) -> Callable[[_Interest], _Interest]:
        """Tells a function `(uri, wanted)` when a URI begins and ceases to be watched by anybody, one call for a URI at
        a time. Those who subscribe are acknowledged once it is done, now or later as a callback of `resource`, so they
        miss no change that it lets the program see; if it raises, they get an error.

        Raises:
            RegistrationError: The function takes other parameters (`invalid_argument`).
            ClosedError: The server was closed.
        """
    def method(self, name: str, /, *, revisions: Sequence[str] | None = None) -> Callable[[_Method], _Method]:
        """Serves a method beside those for resources, such as `tools/list`, with what the decorated function makes of
        its `params`: a dict in, a dict out, now or later as a callback of `resource`.

        Where the revision wants them, `resultType` and the server's identity are added to the result. The function
        raises `MethodError` for an error that the client sees, and `InputRequired` or `MissingCapability` for what it
        wants of the client. A parameter annotated `wellhead.Call` is given the call.

        A capability is declared with the method: `tools`, `prompts` or `logging` for what begins so. Say more of it, or
        declare another, with `capabilities=`.

        Args:
            revisions: Serves it under these protocol revisions only, each named by its date.

        Raises:
            RegistrationError: The method is served already, or a notification, or a revision is unknown
                (`invalid_argument`, `duplicate`).
            ClosedError: The server was closed.
        """
    def tool(self, name: str, definition: dict[str, Any] | None = None, /) -> Callable[[_Method], _Method]:
        """Serves a tool, listed with this definition beside its name, such as `description` and `inputSchema`.

        The decorated function answers `tools/call`: it is given the call's `arguments`, a dict, which it checks itself,
        and returns the result as the protocol has it, such as `{"content": [{"type": "text", "text": "3"}]}`. Otherwise
        as `method`. A function given to `authorize` is asked by name, in lists (`list_tools`) and before each call
        (`call_tool`).

        Raises:
            RegistrationError: There is no name, or a member that does not exist or that clients would refuse
                (`invalid_argument`), or a tool of that name, or a method `tools/list` or `tools/call` (`duplicate`).
            ClosedError: The server was closed.
        """
    def prompt(
        self,
        name: str,
        definition: dict[str, Any] | None = None,
        /,
        *,
        complete: Mapping[str, _Complete] | None = None,
    ) -> Callable[[_Method], _Method]:
        """Serves a prompt, listed with this definition beside its name, such as `description` and `arguments`. The
        decorated function answers `prompts/get`. Otherwise as `tool`.

        Args:
            complete: What is proposed for the prompt's arguments, by name, as for `resource`.
        """
    def remove_tool(self, name: str, /) -> None:
        """Removes a tool. Calls under way finish.

        Raises:
            RegistrationError: There is none of that name (`unknown`).
            ClosedError: The server was closed.
        """
    def remove_prompt(self, name: str, /) -> None:
        """Removes a prompt. Raises as `remove_tool`."""
    def remove(self, uri: str, /) -> None:
        """Removes a resource by its URI, a template by its text, a list source or a method by its name. Calls under way
        finish.

        Raises:
            RegistrationError: Nothing is registered under it (`unknown`).
            ClosedError: The server was closed.
        """
    def updated(self, uri: str, /) -> None:
        """Tells everybody who watches the resource that it changed. Never blocks. An unknown URI is fine.

        Raises:
            RegistrationError: The URI is not absolute (`invalid_uri`).
            ClosedError: The server was closed.
        """
    def updated_as(self, resource: Resource, /) -> None:
        """`updated`, telling what the resource is now: its new version above all. What is registered has that version
        from now on; its other members, and what is listed, stay as they are.

        Raises:
            RegistrationError: The URI is not absolute (`invalid_uri`), or the resource may not be sent
                (`invalid_argument`).
            ClosedError: The server was closed.
        """
    def updated_below(self, uri: str, parent: str, /) -> None:
        """Tells those who watch `parent`, such as a folder, that the resource at `uri` below it changed.

        Those who watch `uri` are told by `updated`, and who watches both is told once. A client that has not been told
        of more than 16 such changes is told instead that `parent` changed. Never blocks. Raises as `updated`.
        """
    def announce(self, kind: str, /) -> None:
        """Lists of a kind changed: everybody who wants to know is told. Never blocks.

        Args:
            kind: `toolsListChanged`, `promptsListChanged`, or one of `announces=`.

        Raises:
            RegistrationError: There is no such kind (`unknown`), or the capability does not declare `listChanged`
                (`invalid_argument`).
            ClosedError: The server was closed.
        """
    def access_changed(self, caller_id: str | Buffer, /) -> None:
        """What the caller with this id may do changed: everything that its connections watch is asked for again, and
        what is refused is watched no longer.

        One question is about many URIs. Clients are not told what they lose; until the verdict is in, changes are sent
        as before. Does nothing without `authorize`. Never blocks.

        Raises:
            ClosedError: The server was closed.
        """
    def list_changed(self) -> None:
        """Tells everybody who wants to know that what is listed changed by other means than registering and removing.
        Never blocks.

        Raises:
            ClosedError: The server was closed.
        """
    @overload
    def on_publish(self, function: _Publish, /) -> _Publish: ...
    @overload
    def on_publish(self, function: None = None, /) -> Callable[[_Publish], _Publish]:
        """Hands over each change that is told here, so that other instances of the service can tell their clients, too:
        one JSON object as text, for a pub/sub system to carry to their `inject`.

        Called on the thread that told of the change. What registering, removing and `Handle.set` change is each
        instance's own, and what was injected is not published again. The object has `origin`, which names the instance,
        and `change`: `updated` (with `uri`, and `resource` if `updated_as` said what it is now), `updated_below` (with
        `uri` and `parent`), `lists` (with `list`, a kind such as `resourcesListChanged`) or `access` (with `caller`,
        the id in base64).

        Raises:
            ClosedError: The server was closed.
        """
    def inject(self, event: str, /) -> bool:
        """Takes a change that another instance published, and tells clients here. Never blocks.

        Returns False for what this instance published itself, and for a kind of change that is not known here.

        Raises:
            RegistrationError: It is no event (`invalid_argument`), or its URI is none (`invalid_uri`).
            ClosedError: The server was closed.
        """
    def counters(self) -> Counters:
        """What the server has done and what is open, counted."""
    def explain(self, uri: str, /) -> Explanation:
        """Which registration takes `uri`, and why each template that does not take it does not: for people who wonder
        why a URI is not found. Calls no callback."""
    def run(self, *, callback_threads: int = 1, drain_ms: int = 5000, guard: bool = True) -> None:
        """Serves standard input and output until the client goes or the server is closed.

        Callbacks run on this thread, each in a copy of the context (`contextvars`) in which this was called. If an
        `async def` is registered, so does an event loop. Ctrl-C is raised as
        KeyboardInterrupt between callbacks; on the main thread SIGTERM ends the service cleanly, unless the program
        handles it.

        Args:
            callback_threads: More than 1: callbacks run on so many threads of their own instead.
            drain_ms: Milliseconds that answers under way may take after the end of input.
            guard: Points the descriptors 0 and 1 elsewhere meanwhile (the null device and standard error), so that a
                stray print cannot corrupt what the client reads.

        Raises:
            ClosedError: The server was closed before.
            RegistrationError: Standard input and output are being served already (`invalid_argument`).
        """
    async def run_async(self, *, drain_ms: int = 5000, guard: bool = True) -> None:
        """`run` on the running asyncio loop. Cancelling it ends the service. Signals are left to the loop's owner."""
    def serve_http(
        self,
        host: str = "127.0.0.1",
        port: int = 8000,
        *,
        callback_threads: int = 1,
        on_listening: Callable[[str, int], object] | None = None,
        drain_ms: int = 5000,
        connections: int = 10_000,
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
    ) -> None:
        """Serves Streamable HTTP, in every protocol revision that has it, until the server is closed.

        Callbacks run on this thread, as with `run`; Ctrl-C and SIGTERM too are dealt with as there, but that SIGTERM
        closes the server. HTTP/1.1, and HTTP/2 with prior knowledge; without TLS, which is a proxy's matter.

        Args:
            host: A name or an address of this machine. Unless it is a loopback address, any `Host` is accepted and no
                `Origin`, except those that are allowed.
            port: 0: one that is free.
            callback_threads: More than 1: callbacks run on so many threads of their own instead.
            on_listening: Called with the address and the port once clients can connect.
            drain_ms: Milliseconds that answers under way may take after the server was closed.
            connections: How many clients are connected at once; further ones wait.
            io_threads: How many threads read and write, at most 1024.
            head_ms: Milliseconds that the head of a request may take to arrive.
            idle_ms: Milliseconds that a client's connection is kept that asks nothing, or takes nothing of its answer.
            path: The path that clients POST to.
            verify: Answers only requests with a bearer token that this function finds good: it takes the token, and a
                `wellhead.Call` if it wants one, with the `header` fields of the request. It returns a `Grant`, or None
                if the token is not good; it raises `InsufficientScope` if it is good for less than this request. Never
                send the token on to anybody but who issued it.
            resource: The URL that clients know the endpoint by: the audience that tokens have to be issued for. It is
                told to clients with `authorization_servers`, as the metadata of RFC 9728.
            authorization_servers: The URLs where clients get their tokens.
            scopes: The scopes that every request needs.
            allowed_origins: Origins whose pages may ask, `scheme://host[:port]`, beside those of this machine where
                only this machine is served. `*` allows any, `https://*.example.com` any subdomain. Raises
                `RegistrationError` for one that no request can match.
            allowed_hosts: Names that the server goes by, with or without a port. None: any, unless only this machine is
                served. `*` allows any, `*.example.com` any subdomain. Raises `RegistrationError` for one that no
                request can match.
            cors: Lets pages of the allowed origins read the answers (CORS).
            strict_accept: Refuses requests whose `Accept` lacks one of the two types that clients have to accept.
            sessions: Whether clients of the revisions with a handshake get sessions. Without, each of their requests
                stands for itself; they are told of no changes, and cannot subscribe.
            session_ms: Milliseconds after which a session ends that nobody uses.
            session_limit: How many sessions there are at once, at most.
            delete: Whether clients may end their session.
            keep_alive_ms: After so many milliseconds of silence a stream gets a comment.
            body_ms: Milliseconds that a body may take to arrive.
            replay_bytes: Bytes of events that a session keeps for a client whose stream broke.

        Raises:
            IoError: The address cannot be bound (`io`): `errno` says why, as with any `OSError`.
            RegistrationError: `verify` takes other parameters, or a URL or a scope is none (`invalid_argument`).
            ClosedError: The server was closed before.
        """
    async def serve_http_async(
        self,
        host: str = "127.0.0.1",
        port: int = 8000,
        *,
        on_listening: Callable[[str, int], object] | None = None,
        drain_ms: int = 5000,
        connections: int = 10_000,
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
    ) -> None:
        """`serve_http` on the running asyncio loop. Cancelling it ends the service. Signals are left to the loop's
        owner."""
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
    ) -> AsgiApp:
        """An ASGI 3 application that serves Streamable HTTP: for uvicorn and hypercorn, or to be mounted in another
        application, such as one of Starlette or FastAPI.

        An `async def` runs on the application's loop, a `def` on a thread of a pool, unless its registration says
        `thread=False`. Each callback runs in a copy of the context (`contextvars`) of its own request.

        Args:
            loopback_only: Only this machine is served: `Host`, and `Origin` where there is one, must name it, or be allowed.
                False: any `Host` is accepted, unless `allowed_hosts` are given.
            path: The path that clients POST to, from where the application is mounted.

        The others are those of `serve_http`.
        """
    def close(self) -> None:
        """Ends every connection, and makes `run` and `serve_http` return. May be repeated.

        Answers still owed are dropped, but over HTTP those under way may still go out, in the `drain_ms` of `serve_http`.
        """
    def _start(self, callback_threads: int, drain_ms: int, guard: bool, on_loop: bool) -> Driver: ...
    def _start_http(
        self, address: tuple[str, int], callback_threads: int, on_loop: bool, options: dict[str, Any]
    ) -> Driver: ...
    def _check_endpoint(self, options: dict[str, Any]) -> None: ...
    def _endpoint(self, options: dict[str, Any], wake: Callable[[], object]) -> Endpoint: ...
    def _needs_loop(self) -> bool: ...
    def test_client(
        self,
        *,
        revision: str | None = None,
        capabilities: dict[str, Any] | None = None,
        on_request: Callable[[str, dict[str, Any]], Any] | None = None,
        caller: Caller | None = None,
    ) -> TestClient:
        """Returns a client in memory, for the program's own tests: see `TestClient`.

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
        """Returns a client in memory for tests on an event loop: `async with server.test_client_async() as client:`."""
    def connect(self, wake: Callable[[], object] | None = None, *, caller: Caller | None = None) -> Connection:
        """A connection whose bytes the program moves itself, for `caller`, by default nobody in particular.

        `wake` is called, on any thread and perhaps for nothing, when there is something to poll or to transmit that was
        not there before: call `poll_event` until 0 and `poll_transmit` until `None` then, but not from inside `wake`.

        Callbacks of messages that `handle` takes run in a copy of the context (`contextvars`) around it, those of other
        messages in a copy of the context in which the server was made.
        """
    def __enter__(self) -> Self: ...
    def __exit__(self, t: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None, /) -> None: ...

@final
class Observed:
    """A call of a callback that began or ended."""

    @property
    def call(self) -> int:
        """A number that begin and end of a call share; unique in its server."""
    @property
    def method(self) -> str:
        """What is asked: the method of the request, such as `resources/read`, or `authorize`."""
    @property
    def registration(self) -> str | None:
        """Which registration is asked: the text of a template, a fixed URI, the name of a list source, tool or prompt.
        Never a URI that a client has made up."""
    @property
    def traceparent(self) -> str | None:
        """The request's `traceparent`, as it came."""
    @property
    def outcome(self) -> str | None:
        """None: the call begins. Otherwise how it ended: `found`, `not_found`, `denied`, `not_modified`, `busy`,
        `needs_input`, `missing_capability`, `result`, `error`, `page`, `completion`, `verdicts`, `failed` or
        `dropped`."""
    @property
    def wanted(self) -> bool:
        """Whether somebody still wanted the answer."""
    @property
    def bytes(self) -> int:
        """The size of what was answered."""
    @property
    def time(self) -> float | None:
        """Seconds since the call began."""

@final
class Counters:
    """What a server has done since it was made, and what is open. Taken at slightly different moments."""

    @property
    def connections(self) -> int:
        """Connections that were made."""
    @property
    def connections_open(self) -> int:
        """Connections that are open."""
    @property
    def calls(self) -> int:
        """Calls of callbacks that began."""
    @property
    def calls_answered(self) -> int:
        """Calls that somebody still wanted when they were answered."""
    @property
    def calls_failed(self) -> int:
        """Of these, those that failed or were dropped without an answer."""
    @property
    def changes(self) -> int:
        """Changes of resources that were told, and of lists."""
    @property
    def uris_watched(self) -> int:
        """URIs that somebody watches."""
    @property
    def subscriptions(self) -> int:
        """Watchers of all URIs, each connection once a URI."""

@final
class Explanation:
    """What `Server.explain` found out about a URI. `str()` of it shows it in a few lines."""

    @property
    def uri(self) -> str: ...
    @property
    def taken_by(self) -> Literal["value", "resource", "template", "fallback", "nothing", "invalid"]:
        """What takes it. `invalid`: nothing, since it is not an absolute URI."""
    @property
    def uri_template(self) -> str | None:
        """The text of the template that takes it."""
    @property
    def values(self) -> dict[str, str | list[str]]:
        """What the template's variables are, percent-decoded."""
    @property
    def reason(self) -> str | None:
        """Why it is no absolute URI."""
    @property
    def did_you_mean(self) -> str | None:
        """Of what nothing takes: a registration that differs only by a final slash, or by the case of scheme or
        host."""
    @property
    def passed_over(self) -> list[PassedOver]:
        """The templates that do not take it, by their text."""
    def to_json(self) -> str:
        """One JSON object, the same in every language."""

@final
class PassedOver:
    """A template that does not take a URI."""

    @property
    def uri_template(self) -> str: ...
    @property
    def why(self) -> Literal["differs", "values", "unsafe", "less_specific"]:
        """`differs`: no reading gets past a byte of the URI. The others match, but: `values`: a value is not UTF-8 once
        decoded, or one that may stand once stands twice; `unsafe`: a value is a path that leads elsewhere, or has a
        control character; `less_specific`: what takes the URI is more specific."""
    @property
    def at(self) -> int | None:
        """Of `differs`: the byte, from 0; the length of the URI if more was expected."""
    @property
    def did_you_mean(self) -> str | None:
        """Of `differs`: a template that would match, this one with `{+name}` for `{name}`."""
    @property
    def variable(self) -> str | None:
        """Of `unsafe`: the variable's name."""

def expand(uri_template: str, values: Mapping[str, str | Sequence[str] | Mapping[str, str]], /) -> str:
    """The URI that these values make, by RFC 6570, levels 1 to 4: for links. Works for templates that cannot be
    registered because a URI would not tell their values, too. Values of other names are not used.

    ```python
    assert wellhead.expand("notes://{id}{?q}", {"id": "a/b", "q": ""}) == "notes://a%2Fb?q="
    ```

    Raises:
        RegistrationError: `invalid_template`; a list where `{name:3}` wants a text (`invalid_argument`).
    """
@final
class Connection:
    """One client: bytes in, bytes out, nothing blocks. Any thread, but one at a time drains `poll_transmit`.

    A connection belongs to the process that made it: after `fork` every method raises ClosedError (`forked`).
    """

    def receive(self, data: Buffer, /) -> int:
        """Takes input: newline-delimited messages, split anywhere. It is only buffered.

        Returns how many bytes were accepted. Fewer than given: stop reading until woken, and offer the rest again.
        """
    def end(self) -> None:
        """No more input. What was received is still answered."""
    def poll_event(self, max: int = ..., /) -> int:
        """Deals with what was received, and runs at most `max` callbacks on this thread. Returns how many it ran; 0
        from inside one of them. An awaitable needs a running event loop on this thread."""
    def poll_transmit(self, max: int = 262_144, /) -> bytes | None:
        """At most `max` bytes for the client; `None` if there are none."""
    def poll_timeout(self) -> int | None:
        """When to call `tick` at the latest, on the clock of `tick`; `None` if nothing is waiting for time to pass."""
    def tick(self, now_ms: int, /) -> None:
        """Tells the time, in milliseconds of any monotonic clock. Answers that were held too long become errors.

        The time is what was told last, at first 0, and what is asked has its time from then on: tell it before each
        poll that comes after a while, or the next `tick` finds too early that an answer is overdue.
        """
    def handle(self, message: str | Buffer, /, *, timeout: float = 60.0) -> bytes | None:
        """Deals with one message apart from the input, runs its callbacks here, and returns its answer; `None` for a
        notification. An answer that has not come after `timeout` seconds is an internal error.

        Raises:
            ClosedError: The connection was closed.
        """
    def _begin(self, message: str | Buffer) -> bytes | Exchange | None: ...
    async def handle_async(self, message: str | Buffer, /) -> bytes | None:
        """`handle` for asyncio: awaits the answer. Cancelling it gives the answer up."""
    @property
    def finished(self) -> bool:
        """Ended or closed, and nothing is left to poll, to answer or to drain."""
    def close(self) -> None:
        """Drops everything at once, output included."""

# For the package's own modules.

@final
class Driver:
    def work(self) -> None: ...
    def pump(self) -> bool: ...
    def fileno(self) -> int: ...
    def address(self) -> tuple[str, int] | None: ...
    def signal_fd(self) -> int: ...
    def use_loop(self, event_loop: Any | None) -> None: ...
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
    def begin(
        self, method: str, target: str, headers: list[tuple[bytes, bytes]], ready: Callable[[], object]
    ) -> HttpExchange: ...
    def poll(self) -> list[Job]: ...
    def tick(self) -> float | None: ...
    def set_time(self, ms: int) -> None: ...
    def use_loop(self, event_loop: Any | None) -> None: ...
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
def _forked() -> None: ...
def _forking() -> None: ...
def _has_forked() -> None: ...
