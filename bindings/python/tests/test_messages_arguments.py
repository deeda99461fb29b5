"""Messages of exceptions after wrong arguments, word for word."""

import wellhead
from mistakes import Mistake, each


def released() -> memoryview:
    view = memoryview(b"x")
    view.release()
    return view


TOO_MANY_THREADS = (
    "`callback_threads` must be at most 1024 (got 1025); one for each callback that waits at the same time is enough"
)
HALF = "has half of a surrogate pair ('\\ud800' at 0); replace it, as by .encode(errors=\"replace\").decode()"
NOT_FINITE = "is NaN or an infinity, which JSON does not have; give None or a str instead"
MISTAKES: list[Mistake] = [
    # Unknown names.
    Mistake(
        "mimetype",
        lambda server: server.text("a:b", "x", mimetype="text/plain"),
        TypeError,
        "text() got an unexpected keyword argument 'mimetype'; did you mean 'mime_type'?",
    ),
    Mistake(
        "mimeType",
        lambda server: server.resource("a:b", mimeType="text/plain"),
        TypeError,
        "resource() got an unexpected keyword argument 'mimeType'; did you mean 'mime_type'?",
    ),
    Mistake(
        "inputSchema of a tool",
        lambda server: server.tool(inputSchema={"type": "object"}),
        TypeError,
        "tool() got an unexpected keyword argument 'inputSchema'; did you mean 'input_schema'?",
    ),
    Mistake(
        "mimeType of an item",
        lambda server: wellhead.Resource("a:b", mimeType="text/plain"),  # type: ignore[call-arg]
        TypeError,
        "Resource() got an unexpected keyword argument 'mimeType'; did you mean 'mime_type'?",
    ),
    Mistake(
        "mimeType of contents",
        lambda server: wellhead.Contents("x", mimeType="text/plain"),  # type: ignore[call-arg]
        TypeError,
        "Contents() got an unexpected keyword argument 'mimeType'; did you mean 'mime_type'?",
    ),
    Mistake(
        "instruction",
        lambda server: wellhead.Server("a", "1", instruction="x"),  # type: ignore[call-arg]
        TypeError,
        "Server() got an unexpected keyword argument 'instruction'; did you mean 'instructions'?",
    ),
    Mistake(
        "no version",
        lambda server: wellhead.Server("a"),  # type: ignore[call-arg]
        TypeError,
        "Server.__new__() missing 1 required positional argument: 'version'",
    ),
    Mistake(
        "page_item",
        lambda server: wellhead.Limits(page_item=3),  # type: ignore[call-arg]
        TypeError,
        "Limits() got an unexpected keyword argument 'page_item'; did you mean 'page_items'?",
    ),
    Mistake(
        "size of an icon",
        lambda server: wellhead.Icon("https://x.example/i.png", size="48x48"),  # type: ignore[call-arg]
        TypeError,
        "Icon() got an unexpected keyword argument 'size'; did you mean 'sizes'?",
    ),
    Mistake(
        "ttl",
        lambda server: wellhead.CacheHint(ttl=3),  # type: ignore[call-arg]
        TypeError,
        "CacheHint() got an unexpected keyword argument 'ttl'; did you mean 'ttl_ms'?",
    ),
    Mistake(
        "scope of a grant",
        lambda server: wellhead.Grant(wellhead.Caller("a"), scope=["x"]),  # type: ignore[call-arg]
        TypeError,
        "Grant() got an unexpected keyword argument 'scope'; did you mean 'scopes'?",
    ),
    Mistake(
        "has_more",
        lambda server: wellhead.Page([], has_more=True),  # type: ignore[call-arg]
        TypeError,
        "Page() got an unexpected keyword argument 'has_more'; did you mean 'more'?",
    ),
    Mistake(
        "totals",
        lambda server: wellhead.Completion([], totals=3),  # type: ignore[call-arg]
        TypeError,
        "Completion() got an unexpected keyword argument 'totals'; did you mean 'total'?",
    ),
    Mistake(
        "session",
        lambda server: server.serve_http(session=False),
        TypeError,
        "serve_http() got an unexpected keyword argument 'session'; did you mean 'sessions'?",
    ),
    Mistake(
        "a port for asgi()",
        lambda server: server.asgi(host="x"),
        TypeError,
        "asgi() got an unexpected keyword argument 'host'",
    ),
    Mistake(
        "threads",
        lambda server: server.run(threads=3),
        TypeError,
        "run() got an unexpected keyword argument 'threads'; did you mean 'callback_threads'?",
    ),
    Mistake(
        "includes",
        lambda server: server.directory("/", includes=["*.md"]),
        TypeError,
        "directory() got an unexpected keyword argument 'includes'; did you mean 'include'?",
    ),
    Mistake(
        "input_schema",
        lambda server: server.tool("t", {"input_schema": {"type": "object"}})(lambda arguments: {}),
        wellhead.UsageError,
        'the tool "t" has an unknown member "input_schema"; did you mean "inputSchema"?',
    ),
    # Values.
    Mistake(
        "bytes to text()",
        lambda server: server.text("a:b", b"x"),
        TypeError,
        "body must be a str, not bytes; serve bytes with blob()",
    ),
    Mistake(
        "a str to blob()",
        lambda server: server.blob("a:b", "x"),
        TypeError,
        "body must be bytes, not str; serve a str with text()",
    ),
    Mistake("no text", lambda server: server.text("a:b", 3), TypeError, "body must be a str, not int"),
    Mistake(
        "a released memoryview",
        lambda server: server.blob("a:b", released()),
        ValueError,
        "operation forbidden on released memoryview object",
    ),
    Mistake(
        "a surrogate in meta",
        lambda server: server.text("a:b", "x", meta={"a": "\ud800"}),
        TypeError,
        f"meta cannot be written as JSON: a {HALF}",
    ),
    Mistake(
        "NaN in meta",
        lambda server: server.text("a:b", "x", meta={"a": [{"b": float("nan")}]}),
        TypeError,
        f"meta cannot be written as JSON: a[0].b {NOT_FINITE}",
    ),
    Mistake(
        "a number of JSON as a name, and one that JSON lacks behind it",
        lambda server: server.text("a:b", "x", meta={1.5: [float("nan")]}),
        TypeError,
        f'meta cannot be written as JSON: ["1.5"][0] {NOT_FINITE}',
    ),
    *(
        Mistake(f"a surrogate in {name}", make, wellhead.UsageError, f"{name} {HALF}")
        for name, make in {
            "uri": lambda server: server.text("\ud800", "x"),
            "body": lambda server: server.text("a:b", "\ud800"),
            "title": lambda server: server.text("a:b", "x", title="\ud800"),
            "name": lambda server: wellhead.Resource("a:b", name="\ud800"),
            "the text": lambda server: wellhead.Contents("\ud800"),
            "allowed_hosts": lambda server: server.asgi(allowed_hosts=["\ud800"]),
            "id": lambda server: wellhead.Caller("\ud800"),
            "a": lambda server: wellhead.expand("n:{a}", {"a": "\ud800"}),
        }.items()
    ),
    Mistake("a URI that is none", lambda server: server.text(3, "x"), TypeError, "uri must be a str, not int"),
    Mistake(
        "a name that is none", lambda server: server.text("a:b", "x", name=3), TypeError, "name must be a str, not int"
    ),
    Mistake(
        "a host for several",
        lambda server: server.asgi(allowed_hosts="x"),
        TypeError,
        "allowed_hosts must be a list of str, not str",
    ),
    Mistake(
        "a host that no request can match",
        lambda server: server.asgi(allowed_hosts=["a*b"]),
        wellhead.UsageError,
        'no request can match "a*b" in `allowed_hosts`; write it as `mcp.example`, `mcp.example:8443`, '
        "`*.example.com` (any subdomain, any port) or `*`",
    ),
    Mistake(
        "an origin that no request can match",
        lambda server: server.serve_http(allowed_origins=["app.example"]),
        wellhead.UsageError,
        'no request can match "app.example" in `allowed_origins`; write it as `https://app.example`, '
        "`https://app.example:8443`, `https://*.example.com` (any subdomain, any port) or `*`",
    ),
    Mistake(
        "a scope for several",
        lambda server: server.asgi(scopes="x"),
        TypeError,
        "scopes must be a list of str, not str",
    ),
    Mistake(
        "a version for several",
        lambda server: wellhead.Server("s", "1", revisions="2025-06-18"),
        TypeError,
        "revisions must be a list of str, not str",
    ),
    Mistake(
        "numbers for texts",
        lambda server: wellhead.Completion([1]),  # type: ignore[list-item]
        TypeError,
        "values must be a list of str, not of int",
    ),
    Mistake(
        "a port that is none",
        lambda server: server.serve_http(port=99999),
        ValueError,
        "port must be between 0 and 65535 (got 99999)",
    ),
    Mistake(
        "a text for a port",
        lambda server: server.serve_http(port="x"),
        TypeError,
        "port must be a whole number, not str",
    ),
    Mistake(
        "a size below 0", lambda server: server.text("a:b", "x", size=-1), ValueError, "size must be 0 or more (got -1)"
    ),
    Mistake(
        "a size that is huge",
        lambda server: wellhead.Resource("a:b", size=2**64),
        ValueError,
        "size must be less than 2**64 (got 18446744073709551616)",
    ),
    Mistake(
        "a size that cannot be shown",
        lambda server: wellhead.Resource("a:b", size=10**5000),
        ValueError,
        "size must be less than 2**64",
    ),
    Mistake(
        "a limit below 0", lambda server: wellhead.Limits(nesting=-1), ValueError, "nesting must be 0 or more (got -1)"
    ),
    Mistake(
        "a text for a switch", lambda server: server.asgi(cors="x"), TypeError, "cors must be True or False, not str"
    ),
    Mistake(
        "a time below 0",
        lambda server: server.serve_http(shutdown_ms=-1),
        ValueError,
        "shutdown_ms must be 0 or more (got -1)",
    ),
    Mistake(
        "no threads",
        lambda server: server.run(callback_threads=0),
        ValueError,
        "callback_threads must be 1 or more (got 0)",
    ),
    Mistake(
        "less than no threads",
        lambda server: server.run(callback_threads=-1),
        ValueError,
        "callback_threads must be 1 or more (got -1)",
    ),
    Mistake(
        "less than no threads over HTTP",
        lambda server: server.serve_http(port=0, callback_threads=-1),
        ValueError,
        "callback_threads must be 1 or more (got -1)",
    ),
    Mistake(
        "more threads than a number has room for",
        lambda server: server.run(callback_threads=2**64),
        ValueError,
        "callback_threads must be less than 2**64 (got 18446744073709551616)",
    ),
    Mistake(
        "an event that is no JSON",
        lambda server: server.inject("hello"),
        ValueError,
        "not JSON; give the text of one JSON object",
    ),
    Mistake(
        "a text as threads",
        lambda server: server.run(callback_threads="2"),
        TypeError,
        "callback_threads must be a whole number, not str",
    ),
    Mistake(
        "no time for the head of a request",
        lambda server: server.serve_http(port=0, head_ms=0),
        ValueError,
        "`head_ms` must be at least 1 (got 0)",
    ),
    Mistake(
        "no time for a session",
        lambda server: server.asgi(session_ms=0),
        ValueError,
        "`session_ms` must be at least 1 (got 0)",
    ),
    Mistake(
        "too many threads",
        lambda server: server.run(callback_threads=1_025),
        ValueError,
        TOO_MANY_THREADS,
    ),
    Mistake(
        "too many threads over HTTP",
        lambda server: server.serve_http(port=0, callback_threads=1_025),
        ValueError,
        TOO_MANY_THREADS,
    ),
    Mistake(
        "a key that is no text",
        lambda server: wellhead.Resource("a:1", key=3),  # type: ignore[arg-type]
        TypeError,
        "key must be a str, not int",
    ),
    Mistake(
        "items that are none",
        lambda server: wellhead.Page(["a:b"]),  # type: ignore[list-item]
        TypeError,
        "items must be a list of wellhead.Resource, not of str",
    ),
    Mistake(
        "no contents",
        lambda server: wellhead.Contents(3),  # type: ignore[arg-type]
        TypeError,
        "body must be a str, bytes or JSON, not int",
    ),
    Mistake(
        "a caller that is none",
        lambda server: wellhead.Grant("ada"),  # type: ignore[arg-type]
        TypeError,
        "caller must be a wellhead.Caller, not str",
    ),
    *(
        Mistake(
            f"a grant that expires in {given!r}",
            lambda server, given=given: wellhead.Grant(wellhead.Caller("ada"), expires_in_ms=given),  # type: ignore[misc]
            kind,
            text,
        )
        for given, kind, text in [
            (float("nan"), TypeError, "expires_in_ms must be a whole number, not float"),
            (1.5, TypeError, "expires_in_ms must be a whole number, not float"),
            ("5", TypeError, "expires_in_ms must be a whole number, not str"),
            (-1, wellhead.UsageError, "expires_in_ms must be 0 or more (got -1)"),
            (2**64, wellhead.UsageError, f"expires_in_ms must be less than 2**64 (got {2**64})"),
        ]
    ),
    Mistake("an id that is none", lambda server: wellhead.Caller(3), TypeError, "id must be bytes or a str, not int"),  # type: ignore[arg-type]
    Mistake(
        "meta that is no dict",
        lambda server: server.text("a:b", "x", meta=[1]),
        TypeError,
        "meta must be a dict, not list",
    ),
    Mistake(
        "members that are no JSON",
        lambda server: server.tool("t", {"description": {1}}),
        TypeError,
        "definition cannot be written as JSON: Object of type set is not JSON serializable",
    ),
    Mistake(
        "complete that is no dict",
        lambda server: server.resource("a:{x}", complete=["x"]),
        TypeError,
        "complete must be a dict, not list",
    ),
    Mistake(
        "complete of a text",
        lambda server: server.resource("a:{x}", complete={"x": "y"})(lambda x: x),
        wellhead.UsageError,
        "complete must be a dict of functions (value), or of lists of str, not of str",
    ),
    Mistake(
        "list that is none",
        lambda server: server.resource("a:{x}", list=3)(lambda x: x),
        wellhead.UsageError,
        "list must be a function (after, limit), or a list of wellhead.Resource, not int",
    ),
    Mistake(
        "a word that is none",
        lambda server: wellhead.Server("s", "1", dialect="x"),  # type: ignore[arg-type]
        wellhead.UsageError,
        'dialect: "x" is none of auto, always, never',
    ),
    Mistake(
        "a MIME type without a subtype",
        lambda server: server.text("a:b", "x", mime_type="markdown"),
        wellhead.UsageError,
        '"markdown" is no MIME type; write type/subtype, such as "text/markdown"',
    ),
    Mistake(
        "a MIME type with a newline",
        lambda server: server.resource("a:{x}", mime_type="text/plain\n")(lambda x: x),
        wellhead.UsageError,
        '"text/plain\\n" is no MIME type; write type/subtype, such as "text/markdown"',
    ),
    Mistake(
        "a limit of 0",
        lambda server: wellhead.Server("s", "1", limits=wellhead.Limits(page_items=0)),
        wellhead.UsageError,
        "`page_items` must be at least 1 (got 0)",
    ),
    Mistake(
        "a schema of no object",
        lambda server: server.tool("t", {"inputSchema": {"type": "string"}})(lambda arguments: {}),
        wellhead.UsageError,
        'the tool "t" needs a schema whose type is "object" as "inputSchema" (got {"type":"string"})',
    ),
    Mistake(
        "a short cursor key",
        lambda server: wellhead.Server("s", "1", cursor_key=b"x"),
        wellhead.UsageError,
        "a cursor key has 32 bytes, this one has 1",
    ),
    Mistake(
        "a text for a cursor key",
        lambda server: wellhead.Server("s", "1", cursor_key="x" * 32),  # type: ignore[arg-type]
        TypeError,
        "cursor_key must be bytes, not str",
    ),
    Mistake(
        "a revision that is none",
        lambda server: wellhead.Server("s", "1", revisions=["2020-01-01"]),
        wellhead.UsageError,
        '"2020-01-01" is no revision of MCP; there are 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05',
    ),
    Mistake(
        "a kind of lists that is none",
        lambda server: server.notify_list_changed("x"),
        wellhead.UsageError,
        'no kind of lists is named "x"; there are resources, tools, prompts and those of `list_changed_methods`',
    ),
    Mistake(
        "a result type of no extension",
        lambda server: wellhead.Server("s", "1", result_type_extensions={"a": "a.example/b"}),
        wellhead.UsageError,
        'the result type "a" belongs to the extension "a.example/b", which is not declared',
    ),
    Mistake(
        "a tool whose app is not registered",
        lambda server: (server.tool("show", {"app": "ui://clock/view"})(lambda arguments: {}), server.run()),
        wellhead.UsageError,
        'the tool "show" opens the app "ui://clock/view", which is not registered; register the app, too',
    ),
    Mistake(
        "scopes without verify",
        lambda server: server.asgi(scopes=["read"]),
        TypeError,
        "resource=, authorization_servers= and scopes= go with verify=, which judges tokens",
    ),
    Mistake(
        "a folder that is not there",
        lambda server: server.directory("/nowhere"),
        OSError,
        'the folder "/nowhere", which must exist and be readable, cannot be opened: No such file or directory',
    ),
    Mistake(
        "a MIME type of an item without a subtype",
        lambda server: wellhead.Resource("a:b", mime_type="markdown"),
        wellhead.UsageError,
        '"markdown" is no MIME type; write type/subtype, such as "text/markdown"',
    ),
    Mistake(
        "a MIME type of contents with a newline",
        lambda server: wellhead.Contents("x", mime_type="text/plain\n"),
        wellhead.UsageError,
        '"text/plain\\n" is no MIME type; write type/subtype, such as "text/markdown"',
    ),
]


@each(MISTAKES)
def test_a_mistake_raises_its_error(mistake: Mistake) -> None:
    mistake.is_refused()
