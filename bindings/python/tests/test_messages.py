"""Messages of exceptions after a mistake, word for word. `test_logged.py` has the lines of the log."""

import asyncio
import uuid
from collections.abc import Callable
from enum import Enum
from typing import Any, Literal, NewType

import pytest
import wellhead

TOOL = {"inputSchema": {"type": "object"}}
UserId = NewType("UserId", int)


class Colour(Enum):
    RED = "red"


def f() -> str:
    return "x"


async def later() -> str:
    return "x"


async def echo(event: str) -> None:
    pass


def unresolvable(x: "Missing") -> str:  # type: ignore[name-defined] # noqa: F821
    return "x"


def wrong_variable(ident: str) -> str:
    return ident


def annotated(annotation: Any) -> Callable[..., str]:
    def f(id: Any) -> str:
        return str(id)

    f.__annotations__["id"] = annotation
    return f


def two_templates(server: Any) -> None:
    server.resource("a://{x}")(lambda x: x)
    server.resource("a://{y}")(lambda y: y)


def twice(server: Any) -> None:
    for _ in range(2):
        server.resource("a://{x}")(lambda x: x)


def twice_fixed(server: Any) -> None:
    server.text("a:b", "x")
    server.text("a:b", "y")


def after_close(server: Any) -> None:
    server.close()
    server.text("a:b", "x")


def run_after_close(server: Any) -> None:
    server.close()
    server.run()


def in_a_loop(method: str) -> Callable[[Any], None]:
    def mistake(server: Any) -> None:
        async def main() -> None:
            getattr(server, method)()

        asyncio.run(main())

    return mistake


def loop_with_coroutine(server: Any) -> None:
    server.resource("a:b")(later)
    in_a_loop("run")(server)


def in_a_call(mistake: Callable[[Any], object]) -> Callable[[Any], None]:
    """Makes the mistake with the call of a read."""

    def read(server: wellhead.Server) -> None:
        raised: list[Exception] = []

        @server.resource("a:call")
        def callback(call: wellhead.Call) -> str:
            try:
                mistake(call)
            except Exception as e:
                raised.append(e)
            return "x"

        with server.test_client() as client:
            client.read("a:call")
        if raised:
            raise raised[0]

    return read


Mistake = tuple[str, Callable[[Any], object], type[Exception], str]

RAISED: list[Mistake] = [
    # Registering.
    (
        "a URI twice",
        twice_fixed,
        wellhead.RegistrationError,
        '"a:b" is registered already; set its contents, or remove it first',
    ),
    (
        "a template twice",
        twice,
        wellhead.RegistrationError,
        "the URI template `a://{x}` is registered already; remove it first",
    ),
    (
        "two templates for the same",
        two_templates,
        wellhead.RegistrationError,
        "the URI templates `a://{y}` and `a://{x}` can match the same URI, and neither is more specific; "
        "make their fixed text differ",
    ),
    (
        "a template to text()",
        lambda server: server.text("a://{id}", "x"),
        wellhead.RegistrationError,
        '"a://{id}": `{` is not allowed in a URI; a URI template was probably meant: register it as one (at byte 4)',
    ),
    (
        "a relative URI",
        lambda server: server.text("hello", "x"),
        wellhead.RegistrationError,
        '"hello": not an absolute URI: it does not begin with a scheme and a colon, as in `notes:` (at byte 5)',
    ),
    (
        "a relative template",
        lambda server: server.resource("hello/{x}")(lambda x: x),
        wellhead.RegistrationError,
        '"hello/{x}": the template does not begin with a scheme and a colon, as in `notes:`, '
        "and would never match a URI (at byte 0)",
    ),
    (
        "an unclosed brace",
        lambda server: server.resource("a://{x")(lambda x: x),
        wellhead.RegistrationError,
        '"a://{x": this `{` has no closing `}` (at byte 4)',
    ),
    (
        "a relative URI that changed",
        lambda server: server.updated("zzz"),
        wellhead.RegistrationError,
        '"zzz": not an absolute URI: it does not begin with a scheme and a colon, as in `notes:` (at byte 3)',
    ),
    ("a closed server", after_close, wellhead.ClosedError, "the server is closed; make a new one"),
    ("a closed server runs", run_after_close, wellhead.ClosedError, "the server is closed; make a new one"),
    (
        "nothing to remove",
        lambda server: server.remove("a:b"),
        wellhead.RegistrationError,
        'nothing is registered as "a:b"',
    ),
    # Decorators.
    (
        "resource without parentheses",
        lambda server: server.resource(f),
        TypeError,
        'resource needs a URI or a URI template: write @server.resource("notes://{id}")',
    ),
    (
        "tool without parentheses",
        lambda server: server.tool(f),
        TypeError,
        'tool needs a name: write @server.tool("add")',
    ),
    (
        "prompt without parentheses",
        lambda server: server.prompt(f),
        TypeError,
        'prompt needs a name: write @server.prompt("greeting")',
    ),
    (
        "method without parentheses",
        lambda server: server.method(f),
        TypeError,
        'method needs the name of a method: write @server.method("notes/search")',
    ),
    (
        "text as a decorator",
        lambda server: server.text("a:b")(f),
        TypeError,
        "Server.text() missing 1 required positional argument: 'body'",
    ),
    (
        "authorize of no function",
        lambda server: server.authorize(3),
        wellhead.RegistrationError,
        "3: it is no function",
    ),
    (
        "on_publish of no function",
        lambda server: server.on_publish(3),
        wellhead.RegistrationError,
        "3: it is no function",
    ),
    (
        "on_publish of a function without a parameter",
        lambda server: server.on_publish()(f),
        wellhead.RegistrationError,
        "f: it takes (event)",
    ),
    (
        "on_publish of an async def",
        lambda server: server.on_publish(echo),
        wellhead.RegistrationError,
        "on_publish calls its function at once; make it a def",
    ),
    # Parameters.
    (
        "a variable of another name",
        lambda server: server.resource("a://{id}")(wrong_variable),
        wellhead.RegistrationError,
        'wrong_variable: the parameter "ident" is no variable of the template (there is: id); '
        "a parameter annotated wellhead.Call is given the call",
    ),
    *(
        (
            f"annotated {shown}",
            lambda server, annotation=annotation: server.resource("a://{id}")(annotated(annotation)),
            wellhead.RegistrationError,
            f'annotated.<locals>.f: "id" cannot be made {shown}: annotate it str, int or bytes',
        )
        for annotation, shown in [
            (float, "float"),
            (bool, "bool"),
            (uuid.UUID, "UUID"),
            (Colour, "Colour"),
            (Literal["x", "y"], "typing.Literal['x', 'y']"),
            (UserId, "test_messages.UserId"),
        ]
    ),
    (
        "keywords of any name",
        lambda server: server.resource("a://{id}")(lambda **kw: "x"),
        wellhead.RegistrationError,
        "<lambda>.<locals>.<lambda>: * and ** do not say what to give; name the parameters",
    ),
    (
        "an annotation that names nothing",
        lambda server: server.resource("a://{x}")(unresolvable),
        wellhead.RegistrationError,
        'unresolvable: the annotation "Missing" of "x" cannot be resolved (name \'Missing\' is not defined); '
        "it is needed at run time",
    ),
    (
        "a list without limit",
        lambda server: server.list(lambda after: wellhead.Page([])),
        wellhead.RegistrationError,
        "<lambda>.<locals>.<lambda>: it takes (after, limit), and a wellhead.Call if it wants one",
    ),
    (
        "a tool with typed parameters",
        lambda server: server.tool("t")(lambda a, b: a + b),
        wellhead.RegistrationError,
        "<lambda>.<locals>.<lambda>: it takes (arguments), and a wellhead.Call if it wants one",
    ),
    (
        "a verifier without a token",
        lambda server: server.asgi(verify=lambda: True),
        wellhead.RegistrationError,
        "<lambda>.<locals>.<lambda>: it takes (token), and a wellhead.Call if it wants one",
    ),
    (
        "an observer without a parameter",
        lambda server: wellhead.Server("s", "1", observe=lambda: None),  # type: ignore[arg-type,misc]
        wellhead.RegistrationError,
        "<lambda>.<locals>.<lambda>: it takes (observed)",
    ),
    (
        "thread=True of an async def",
        lambda server: server.resource("a:b", thread=True)(later),
        wellhead.RegistrationError,
        "later: thread=True is for a def; an async def runs on the event loop",
    ),
    # Unknown names.
    (
        "mimetype",
        lambda server: server.text("a:b", "x", mimetype="text/plain"),
        TypeError,
        "text() got an unexpected keyword argument 'mimetype'; did you mean 'mime_type'?",
    ),
    (
        "mimeType",
        lambda server: server.resource("a:b", mimeType="text/plain"),
        TypeError,
        "resource() got an unexpected keyword argument 'mimeType'; did you mean 'mime_type'?",
    ),
    (
        "mimeType of an item",
        lambda server: wellhead.Resource("a:b", mimeType="text/plain"),  # type: ignore[call-arg]
        TypeError,
        "Resource() got an unexpected keyword argument 'mimeType'; did you mean 'mime_type'?",
    ),
    (
        "mimeType of contents",
        lambda server: wellhead.Contents("x", mimeType="text/plain"),  # type: ignore[call-arg]
        TypeError,
        "Contents() got an unexpected keyword argument 'mimeType'; did you mean 'mime_type'?",
    ),
    (
        "instruction",
        lambda server: wellhead.Server("a", "1", instruction="x"),  # type: ignore[call-arg]
        TypeError,
        "Server() got an unexpected keyword argument 'instruction'; did you mean 'instructions'?",
    ),
    (
        "no version",
        lambda server: wellhead.Server("a"),  # type: ignore[call-arg]
        TypeError,
        "Server.__new__() missing 1 required positional argument: 'version'",
    ),
    (
        "page_item",
        lambda server: wellhead.Limits(page_item=3),  # type: ignore[call-arg]
        TypeError,
        "Limits() got an unexpected keyword argument 'page_item'; did you mean 'page_items'?",
    ),
    (
        "size of an icon",
        lambda server: wellhead.Icon("https://x.example/i.png", size="48x48"),  # type: ignore[call-arg]
        TypeError,
        "Icon() got an unexpected keyword argument 'size'; did you mean 'sizes'?",
    ),
    (
        "ttl",
        lambda server: wellhead.CacheHint(ttl=3),  # type: ignore[call-arg]
        TypeError,
        "CacheHint() got an unexpected keyword argument 'ttl'; did you mean 'ttl_ms'?",
    ),
    (
        "scope of a grant",
        lambda server: wellhead.Grant(wellhead.Caller("a"), scope=["x"]),  # type: ignore[call-arg]
        TypeError,
        "Grant() got an unexpected keyword argument 'scope'; did you mean 'scopes'?",
    ),
    (
        "has_more",
        lambda server: wellhead.Page([], has_more=True),  # type: ignore[call-arg]
        TypeError,
        "Page() got an unexpected keyword argument 'has_more'; did you mean 'more'?",
    ),
    (
        "totals",
        lambda server: wellhead.Completion([], totals=3),  # type: ignore[call-arg]
        TypeError,
        "Completion() got an unexpected keyword argument 'totals'; did you mean 'total'?",
    ),
    (
        "session",
        lambda server: server.serve_http(session=False),
        TypeError,
        "serve_http() got an unexpected keyword argument 'session'; did you mean 'sessions'?",
    ),
    (
        "a port for asgi()",
        lambda server: server.asgi(host="x"),
        TypeError,
        "asgi() got an unexpected keyword argument 'host'",
    ),
    (
        "threads",
        lambda server: server.run(threads=3),
        TypeError,
        "run() got an unexpected keyword argument 'threads'; did you mean 'callback_threads'?",
    ),
    (
        "includes",
        lambda server: server.directory("/", includes=["*.md"]),
        TypeError,
        "directory() got an unexpected keyword argument 'includes'; did you mean 'include'?",
    ),
    (
        "input_schema",
        lambda server: server.tool("t", {"input_schema": {"type": "object"}})(lambda arguments: {}),
        wellhead.RegistrationError,
        'the tool "t" has an unknown member "input_schema"; did you mean "inputSchema"?',
    ),
    # Values.
    (
        "bytes to text()",
        lambda server: server.text("a:b", b"x"),
        TypeError,
        "body must be a str, not bytes; serve bytes with blob()",
    ),
    (
        "a str to blob()",
        lambda server: server.blob("a:b", "x"),
        TypeError,
        "body must be bytes, not str; serve a str with text()",
    ),
    ("no text", lambda server: server.text("a:b", 3), TypeError, "body must be a str, not int"),
    ("a URI that is none", lambda server: server.text(3, "x"), TypeError, "uri must be a str, not int"),
    ("a name that is none", lambda server: server.text("a:b", "x", name=3), TypeError, "name must be a str, not int"),
    (
        "a host for several",
        lambda server: server.asgi(allowed_hosts="x"),
        TypeError,
        "allowed_hosts must be a list of str, not str",
    ),
    (
        "a host that no request can match",
        lambda server: server.asgi(allowed_hosts=["a*b"]),
        wellhead.RegistrationError,
        'no request can match "a*b" in `allowed_hosts`; write it as `mcp.example`, `mcp.example:8443`, '
        "`*.example.com` (any subdomain, any port) or `*`",
    ),
    (
        "an origin that no request can match",
        lambda server: server.serve_http(allowed_origins=["app.example"]),
        wellhead.RegistrationError,
        'no request can match "app.example" in `allowed_origins`; write it as `https://app.example`, '
        "`https://app.example:8443`, `https://*.example.com` (any subdomain, any port) or `*`",
    ),
    ("a scope for several", lambda server: server.asgi(scopes="x"), TypeError, "scopes must be a list of str, not str"),
    (
        "a version for several",
        lambda server: wellhead.Server("s", "1", versions="2025-06-18"),
        TypeError,
        "versions must be a list of str, not str",
    ),
    (
        "numbers for texts",
        lambda server: wellhead.Completion([1]),  # type: ignore[list-item]
        TypeError,
        "values must be a list of str, not of int",
    ),
    (
        "a port that is none",
        lambda server: server.serve_http(port=99999),
        ValueError,
        "port must be between 0 and 65535 (got 99999)",
    ),
    (
        "a text for a port",
        lambda server: server.serve_http(port="x"),
        TypeError,
        "port must be a whole number, not str",
    ),
    ("a size below 0", lambda server: server.text("a:b", "x", size=-1), ValueError, "size must be 0 or more (got -1)"),
    (
        "a size that is huge",
        lambda server: wellhead.Resource("a:b", size=2**64),
        ValueError,
        "size must be less than 2**64 (got 18446744073709551616)",
    ),
    (
        "a size that cannot be shown",
        lambda server: wellhead.Resource("a:b", size=10**5000),
        ValueError,
        "size must be less than 2**64",
    ),
    ("a limit below 0", lambda server: wellhead.Limits(nesting=-1), ValueError, "nesting must be 0 or more (got -1)"),
    ("a text for a switch", lambda server: server.asgi(cors="x"), TypeError, "cors must be True or False, not str"),
    (
        "a time below 0",
        lambda server: server.serve_http(drain_ms=-1),
        ValueError,
        "drain_ms must be 0 or more (got -1)",
    ),
    (
        "no threads",
        lambda server: server.run(callback_threads=0),
        ValueError,
        "callback_threads is at least 1: the thread that runs the server",
    ),
    ("a key that is no text", lambda server: wellhead.Resource("a:1", key=3), TypeError, "key must be a str, not int"),  # type: ignore[arg-type]
    (
        "items that are none",
        lambda server: wellhead.Page(["a:b"]),  # type: ignore[list-item]
        TypeError,
        "items must be a list of wellhead.Resource, not of str",
    ),
    ("no contents", lambda server: wellhead.Contents(3), TypeError, "body must be a str or bytes, not int"),  # type: ignore[arg-type]
    (
        "a caller that is none",
        lambda server: wellhead.Grant("ada"),  # type: ignore[arg-type]
        TypeError,
        "caller must be a wellhead.Caller, not str",
    ),
    ("an id that is none", lambda server: wellhead.Caller(3), TypeError, "id must be bytes or a str, not int"),  # type: ignore[arg-type]
    (
        "meta that is no dict",
        lambda server: server.text("a:b", "x", meta=[1]),
        TypeError,
        "meta must be a dict, not list",
    ),
    (
        "members that are no JSON",
        lambda server: server.tool("t", {"description": {1}}),
        TypeError,
        "definition cannot be written as JSON: Object of type set is not JSON serializable",
    ),
    (
        "complete that is no dict",
        lambda server: server.resource("a:{x}", complete=["x"]),
        TypeError,
        "complete must be a dict, not list",
    ),
    (
        "complete of a text",
        lambda server: server.resource("a:{x}", complete={"x": "y"})(lambda x: x),
        wellhead.RegistrationError,
        "complete must be a dict of functions (value), or of lists of str, not of str",
    ),
    (
        "list that is none",
        lambda server: server.resource("a:{x}", list=3)(lambda x: x),
        wellhead.RegistrationError,
        "list must be a function (after, limit), or a list of wellhead.Resource, not int",
    ),
    (
        "a word that is none",
        lambda server: wellhead.Server("s", "1", dialect="x"),  # type: ignore[arg-type]
        wellhead.RegistrationError,
        'dialect: "x" is none of auto, always, never',
    ),
    (
        "a MIME type without a subtype",
        lambda server: server.text("a:b", "x", mime_type="markdown"),
        wellhead.RegistrationError,
        '"markdown" is no MIME type; write type/subtype, such as "text/markdown"',
    ),
    (
        "a MIME type with a newline",
        lambda server: server.resource("a:{x}", mime_type="text/plain\n")(lambda x: x),
        wellhead.RegistrationError,
        '"text/plain\\n" is no MIME type; write type/subtype, such as "text/markdown"',
    ),
    (
        "a limit of 0",
        lambda server: wellhead.Server("s", "1", limits=wellhead.Limits(page_items=0)),
        wellhead.RegistrationError,
        "`page_items` must be at least 1 (got 0)",
    ),
    (
        "a schema of no object",
        lambda server: server.tool("t", {"inputSchema": {"type": "string"}})(lambda arguments: {}),
        wellhead.RegistrationError,
        'the tool "t" needs a schema whose type is "object" as "inputSchema" (got {"type":"string"})',
    ),
    (
        "a short cursor key",
        lambda server: wellhead.Server("s", "1", cursor_key=b"x"),
        wellhead.RegistrationError,
        "a cursor key has 32 bytes, this one has 1",
    ),
    (
        "a text for a cursor key",
        lambda server: wellhead.Server("s", "1", cursor_key="x" * 32),  # type: ignore[arg-type]
        TypeError,
        "cursor_key must be bytes, not str",
    ),
    (
        "a revision that is none",
        lambda server: wellhead.Server("s", "1", versions=["2020-01-01"]),
        wellhead.RegistrationError,
        '"2020-01-01" is no protocol version; there are 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05',
    ),
    (
        "a kind of lists that is none",
        lambda server: server.announce("x"),
        wellhead.RegistrationError,
        'no kind of lists is named "x"; see `announces`',
    ),
    (
        "scopes without verify",
        lambda server: server.asgi(scopes=["read"]),
        TypeError,
        "resource=, authorization_servers= and scopes= go with verify=, which judges tokens",
    ),
    (
        "a folder that is not there",
        lambda server: server.directory("/nowhere"),
        OSError,
        'the folder "/nowhere", which must exist and be readable, cannot be opened: No such file or directory',
    ),
    (
        "a MIME type of an item without a subtype",
        lambda server: wellhead.Resource("a:b", mime_type="markdown"),
        wellhead.RegistrationError,
        '"markdown" is no MIME type; write type/subtype, such as "text/markdown"',
    ),
    (
        "a MIME type of contents with a newline",
        lambda server: wellhead.Contents("x", mime_type="text/plain\n"),
        wellhead.RegistrationError,
        '"text/plain\\n" is no MIME type; write type/subtype, such as "text/markdown"',
    ),
    # Calls.
    *(
        (f"call.{name}", in_a_call(mistake), kind, text)
        for name, mistake, kind, text in [
            ("progress(str)", lambda call: call.progress("x"), TypeError, "progress must be a number, not str"),
            ("progress(huge)", lambda call: call.progress(10**400), ValueError, "progress must fit into a float"),
            ("total", lambda call: call.progress(1, "x"), TypeError, "total must be a number, not str"),
            ("message", lambda call: call.progress(1, 2, 3), TypeError, "message must be a str, not int"),
            (
                "close_stream(str)",
                lambda call: call.close_stream("x"),
                TypeError,
                "retry_ms must be a whole number, not str",
            ),
            ("close_stream(-1)", lambda call: call.close_stream(-1), ValueError, "retry_ms must be 0 or more (got -1)"),
            ("seal_state(int)", lambda call: call.seal_state(3, 4), TypeError, "state must be a str, not int"),
            (
                "seal_state(until)",
                lambda call: call.seal_state("x", "y"),
                TypeError,
                "until must be a whole number, not str",
            ),
            ("open_state", lambda call: call.open_state("x"), TypeError, "now must be a whole number, not str"),
            ("header", lambda call: call.header(3), TypeError, "name must be a str, not int"),
            ("notify", lambda call: call.notify(3), TypeError, "method must be a str, not int"),
            (
                "notify(params)",
                lambda call: call.notify("notifications/x", [1]),
                TypeError,
                "params must be a dict, not list",
            ),
            ("request", lambda call: call.request(3), TypeError, "method must be a str, not int"),
            (
                "request(params)",
                lambda call: call.request("roots/list", 3),
                TypeError,
                "params must be a dict, not int",
            ),
        ]
    ),
    # Connections.
    *(
        (f"connection.{name}", lambda server, mistake=mistake: mistake(server.connect()), kind, text)
        for name, mistake, kind, text in [
            ("receive", lambda connection: connection.receive("x"), TypeError, "data must be bytes, not str"),
            (
                "poll_event(str)",
                lambda connection: connection.poll_event("x"),
                TypeError,
                "max must be a whole number, not str",
            ),
            (
                "poll_event(-1)",
                lambda connection: connection.poll_event(-1),
                ValueError,
                "max must be 0 or more (got -1)",
            ),
            (
                "poll_transmit(str)",
                lambda connection: connection.poll_transmit("x"),
                TypeError,
                "max must be a whole number, not str",
            ),
            (
                "poll_transmit(0)",
                lambda connection: connection.poll_transmit(0),
                ValueError,
                "max must be at least 1 (got 0)",
            ),
            ("tick(str)", lambda connection: connection.tick("x"), TypeError, "now_ms must be a whole number, not str"),
            ("tick(-1)", lambda connection: connection.tick(-1), ValueError, "now_ms must be 0 or more (got -1)"),
            ("handle", lambda connection: connection.handle(3), TypeError, "message must be a str or bytes, not int"),
            (
                "handle(timeout)",
                lambda connection: connection.handle("{}", timeout="x"),
                TypeError,
                "timeout must be a number of seconds, 0 or more, not str",
            ),
        ]
    ),
    ("connect", lambda server: server.connect(3), TypeError, "wake must be a function without parameters, not int"),
    (
        "connect for no caller",
        lambda server: server.connect(caller="ada"),
        TypeError,
        "caller must be a wellhead.Caller, not str",
    ),
    (
        "contents of a handle",
        lambda server: server.text("a:b", "x").set(3),
        TypeError,
        "body must be a str, bytes or wellhead.Contents, not int",
    ),
    ("expand a number", lambda server: wellhead.expand(3, {}), TypeError, "uri_template must be a str, not int"),  # type: ignore[arg-type]
    (
        "expand with a list",
        lambda server: wellhead.expand("a:{x}", ["x"]),  # type: ignore[arg-type]
        TypeError,
        "values must be a dict, not list",
    ),
    # Running.
    (
        "run in a loop",
        in_a_loop("run"),
        RuntimeError,
        "an event loop is running on this thread: use await server.run_async()",
    ),
    (
        "run in a loop with an async def",
        loop_with_coroutine,
        RuntimeError,
        "an event loop is running on this thread: use await server.run_async()",
    ),
    (
        "serve_http in a loop",
        in_a_loop("serve_http"),
        RuntimeError,
        "an event loop is running on this thread: use await server.serve_http_async()",
    ),
    (
        "the test client in a loop",
        in_a_loop("test_client"),
        RuntimeError,
        'an event loop is running on this thread: use "async with server.test_client_async() as client:"',
    ),
]


@pytest.mark.parametrize(("mistake", "kind", "text"), [case[1:] for case in RAISED], ids=[case[0] for case in RAISED])
def test_it_raises(mistake: Callable[[Any], object], kind: type[Exception], text: str) -> None:
    with wellhead.Server("s", "1") as server, pytest.raises(kind) as raised:
        mistake(server)
    assert str(raised.value) == text


@pytest.mark.parametrize("decorate", [lambda server: server.on_publish, lambda server: server.on_publish()])
def test_on_publish_may_be_written_with_and_without_parentheses(decorate: Any) -> None:
    published: list[str] = []

    def publish(event: str) -> None:
        published.append(event)

    with wellhead.Server("s", "1") as server:
        assert decorate(server)(publish) is publish
        server.updated("a:b")
    assert len(published) == 1
