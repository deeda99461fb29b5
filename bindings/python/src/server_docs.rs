//! The docstrings of `Server`: they are longer than its code. Those of other classes stand at their methods.

/// `docstring!(name)` is the docstring of the method, `docstring!(Server)` that of the class.
macro_rules! docstring {
    (Server) => {
        r#"An application's resources, tools and prompts, for any number of MCP clients.

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
        limit (`invalid_argument`)."#
    };
    (text) => {
        "Serves a fixed text, without a callback.

Args:
    uri: The absolute URI of the resource (RFC 3986).
    body: The text, a `str`.

The other arguments are those of `Resource`.

Returns:
    A handle that changes or removes the resource.

Raises:
    UsageError: The URI is not absolute (`invalid_uri`), is registered already (`duplicate`),
        or an argument is not allowed (`invalid_argument`).
    ClosedError: The server is closed."
    };
    (app) => {
        "Serves a page of MCP Apps, and declares the extension `io.modelcontextprotocol/ui`.

A tool opens the page with `app=`. Clients show it in a frame without access to this server's files, so
the document must hold all that it needs, or name other origins in `csp`. The server sets its MIME type.
Return a text from the tool too, for clients that do not show apps: see `Call.client_supports_apps`.

    server.app(\"ui://clock/view\", \"<!doctype html><p>12:00\", ui={\"prefersBorder\": True})

    @server.tool(app=\"ui://clock/view\")
    def clock() -> str: ...

Without `html` it decorates a function that returns the document at each read, as one of `resource` does:

    @server.app(\"ui://notes/view\")
    def view() -> str:
        return Path(\"notes.html\").read_text()

Args:
    uri: A URI such as `ui://clock/view`.
    html: The HTML5 document.
    ui: What the page needs of the client: `csp` with lists of origins (`connectDomains`,
        `resourceDomains`, `frameDomains`, `baseUriDomains`), `permissions`, `domain`, and
        `prefersBorder`. Clients may refuse permissions.

The other arguments are those of `Resource`. The result and the errors are those of `text`."
    };
    (blob) => {
        "Serves fixed bytes, without a callback.

Args:
    uri: The absolute URI of the resource (RFC 3986).
    body: The contents. They are copied unless their type is `bytes`.

The other arguments are those of `Resource`. The result and the errors are those of `text`."
    };
    (resource) => {
        "Returns a decorator that serves a URI, or each URI of a template such as `notes://{id}` (RFC 6570),
with the result of a function.

    @server.resource(\"notes://{id}\", mime_type=\"text/markdown\")
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
    ClosedError: The server is closed."
    };
    (list) => {
        "Adds a source of listed resources: a function `(after, limit)` that returns a `Page`.

    @server.list
    def listing(after: str | None, limit: int) -> wellhead.Page:
        ids = sorted(id for id in notes if after is None or id > int(after))
        items = [wellhead.Resource(f\"notes://{id}\", key=str(id)) for id in ids[:limit]]
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
    ClosedError: The server is closed."
    };
    (skill_list) => {
        "Adds a source of listed skills, for `skills/list` and `skills/get` of the extension
`io.modelcontextprotocol/skills`: a function `(after, limit)` that returns a `Page` of dicts.

    @server.skill_list
    def library(after: str | None, limit: int) -> wellhead.Page:
        front = {\"name\": \"pdf\", \"description\": \"Fills forms.\"}
        return wellhead.Page([{\"uri\": \"skill://pdf/SKILL.md\", \"frontmatter\": front}])

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
    ClosedError: The server is closed."
    };
    (fallback) => {
        "Reads each URI that no registration serves, with a function that has a parameter `uri: str` or
`call: wellhead.Call`.

A second function replaces the first. Usable as a decorator, with and without parentheses.

Args:
    function: The function. It returns and raises what a `resource` callback does. Without it, the
        method returns a decorator.
    exists: A function `(uri)` that returns False if there is no such resource, as for `resource`. By
        default clients can subscribe to every URI.

Raises:
    UsageError: The function has other parameters (`invalid_argument`).
    ClosedError: The server is closed."
    };
    (directory) => {
        "Serves a folder and everything in it, as `file:` URIs (RFC 8089).

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
    ClosedError: The server is closed."
    };
    (skills) => {
        "Serves the Agent Skills in a folder and below it, as `skill:` URIs.

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
    ClosedError: The server is closed."
    };
    (around) => {
        "Runs a function `(call, next)` around each call of a callback for a tool, a prompt, a read or a method.

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
    ClosedError: The server is closed."
    };
    (authorize) => {
        r#"Calls a function `(operation, targets)` before the server lists, reads or completes anything, accepts a
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
    ClosedError: The server is closed."#
    };
    (on_interest) => {
        "Calls a function `(uri, wanted)` when a URI gets its first subscriber, and when it loses its last
one.

Calls for one URI never overlap. The server acknowledges a client's subscription when the function is
done, so the client misses no change. The function may return a future, as a `resource` callback. If the
function raises, the client gets an error. Usable as a decorator, with and without parentheses.

Args:
    function: The function. Without it, the method returns a decorator.

Raises:
    UsageError: The function has other parameters (`invalid_argument`).
    ClosedError: The server is closed."
    };
    (method) => {
        "Returns a decorator that serves a method other than those of the protocol's resources, with a
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
    ClosedError: The server is closed."
    };
    (resource_search) => {
        r#"Serves a search of resources with a function `(arguments)`: a dict in, a dict out. With
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
    ClosedError: The server is closed."#
    };
    (tool) => {
        r#"Serves a tool with a function. Usable as a decorator, with and without parentheses.

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
    ClosedError: The server is closed."#
    };
    (prompt) => {
        r#"Serves a prompt with a function. Usable as a decorator, with and without parentheses.

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
    ClosedError: The server is closed."#
    };
    (remove_tool) => {
        "Removes a tool. Calls in flight are still answered.

Args:
    name: The name of the tool.

Raises:
    UsageError: There is no such tool (`unknown`).
    ClosedError: The server is closed."
    };
    (remove_prompt) => {
        "Removes a prompt. Calls in flight are still answered.

Args:
    name: The name of the prompt.

Raises:
    UsageError: There is no such prompt (`unknown`).
    ClosedError: The server is closed."
    };
    (enable_tool) => {
        "Lists a disabled tool again, and lets clients call it.

Args:
    name: The name of the tool.

Raises:
    UsageError: There is no such tool (`unknown`).
    ClosedError: The server is closed."
    };
    (disable_tool) => {
        "Hides a tool until `enable_tool`: it is not listed, and a call of it is answered like one of a tool that
does not exist. Calls in flight are still answered.

Args:
    name: The name of the tool.

Raises:
    UsageError: There is no such tool (`unknown`).
    ClosedError: The server is closed."
    };
    (update_tool) => {
        "Changes the definition of a tool. Its other members and its function stay. Calls in flight are still
answered.

Args:
    name: The name of the tool.
    changes: Members of a definition, or keywords of `tool`: `inputSchema` and `input_schema`, `_meta` and
        `meta` name the same. None removes a member.

Raises:
    UsageError: There is no such tool (`unknown`), or clients would refuse a member
        (`invalid_argument`). The tool then stays as it is.
    ClosedError: The server is closed."
    };
    (limit_tool) => {
        r#"Limits the calls of a tool. The new limits replace those that were set before. Calls that were counted
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
    ClosedError: The server is closed."#
    };
    (enable_prompt) => {
        "Lists a disabled prompt again, and lets clients get it.

Args:
    name: The name of the prompt.

Raises:
    UsageError: There is no such prompt (`unknown`).
    ClosedError: The server is closed."
    };
    (disable_prompt) => {
        "Hides a prompt until `enable_prompt`, as `disable_tool` hides a tool. Its arguments are not completed.

Args:
    name: The name of the prompt.

Raises:
    UsageError: There is no such prompt (`unknown`).
    ClosedError: The server is closed."
    };
    (update_prompt) => {
        "Changes the definition of a prompt, as `update_tool` changes that of a tool.

Args:
    name: The name of the prompt.
    changes: Members of a definition, or keywords of `prompt`. None removes a member.

Raises:
    UsageError: There is no such prompt (`unknown`), or clients would refuse a member
        (`invalid_argument`). The prompt then stays as it is.
    ClosedError: The server is closed."
    };
    (remove_resource) => {
        "Removes a resource by its URI, or a template by its text, with its list. Calls in flight are still answered.

Args:
    uri_or_template: The absolute URI, or the text of the template.

Raises:
    UsageError: There is no such resource or template (`unknown`).
    ClosedError: The server is closed."
    };
    (remove_list) => {
        "Removes a list source by its name, of resources or of skills. Calls in flight are still answered.

Args:
    name: The name of the list source.

Raises:
    UsageError: There is no list source of that name (`unknown`).
    ClosedError: The server is closed."
    };
    (remove_method) => {
        "Removes a method by its name. Calls in flight are still answered.

Args:
    name: The name of the method.

Raises:
    UsageError: There is no method of that name (`unknown`).
    ClosedError: The server is closed."
    };
    (notify_updated) => {
        "Notifies the subscribers of a URI that the resource changed. Never blocks. It is no error if the URI has
no subscribers, or if nothing serves it.

Args:
    uri: An absolute URI.

Raises:
    UsageError: The URI is not absolute (`invalid_uri`).
    ClosedError: The server is closed."
    };
    (notify_updated_with_resource) => {
        "Notifies the subscribers of a resource that it changed, and sets its new version. Never blocks.

Only the version of the registration changes; its other members, and its entry in lists, stay as
they are. Clients of the `resources/get` dialect get all members of `resource`.

Args:
    resource: The `Resource` with its new version.

Raises:
    UsageError: The URI is not absolute (`invalid_uri`), or a member is not allowed
        (`invalid_argument`).
    ClosedError: The server is closed."
    };
    (notify_sub_resource_updated) => {
        "Notifies the subscribers of `parent`, such as a folder, that the resource at `uri` below it changed.
Never blocks.

Call `notify_updated` for the subscribers of `uri` itself. A client that subscribes to both gets one
notification. A client that has more than 16 such changes unread gets one notification of `parent` in
their place.

Args:
    uri: The absolute URI of what changed.
    parent: The absolute URI of the resource that contains it.

Raises:
    UsageError: A URI is not absolute (`invalid_uri`).
    ClosedError: The server is closed."
    };
    (notify_list_changed) => {
        "Notifies clients that the lists of one kind changed. Never blocks.

Args:
    kind: The kind of list: `resources`, `tools`, `prompts`, or a key of `list_changed_methods`.

Raises:
    UsageError: There is no such kind (`unknown`), or the server does not declare `listChanged`
        for it (`invalid_argument`).
    ClosedError: The server is closed."
    };
    (access_changed) => {
        "Calls `authorize` again for everything that the connections of a caller subscribe to, and ends the
subscriptions that it refuses.

`authorize` gets many URIs at once. Until it returns its verdicts, clients are notified of changes as
before. Clients are not notified that a subscription ended. Does nothing without `authorize`. Never
blocks.

Args:
    caller_id: The id of the `Caller` whose rights changed, bytes or a `str`.

Raises:
    ClosedError: The server is closed."
    };
    (notify_resource_list_changed) => {
        "Notifies clients that the list of resources changed for another reason than a registration or a
removal. Never blocks.

Raises:
    ClosedError: The server is closed."
    };
    (on_start) => {
        "Calls a function without parameters when a service of the server begins: `run`, `serve_http` and
`asgi`, after its `lifespan` has begun and before the first request.

It may be an `async def`. Several functions run in their order. If one raises, the service does not
begin. Usable as a decorator, with and without parentheses.

Args:
    function: The function. Without it, the method returns a decorator."
    };
    (on_stop) => {
        "Calls a function without parameters when a service of the server has ended, before its `lifespan`
ends.

It may be an `async def`. Several functions run in the reverse order, as what was opened last is closed
first. Usable as a decorator, with and without parentheses.

Args:
    function: The function. Without it, the method returns a decorator."
    };
    (on_publish) => {
        "Calls a function `(event)` with each change that this instance announces, for the `inject` of other
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
    ClosedError: The server is closed."
    };
    (inject) => {
        "Notifies the clients of this instance of a change that another instance of the service published with
`on_publish`. Never blocks.

Args:
    event: The text that the function of `on_publish` got in the other instance.

Returns:
    True if the change was taken. False if this instance published it itself, and if the kind of change
        is unknown.

Raises:
    UsageError: The text is no event (`invalid_argument`), or its URI is not absolute
        (`invalid_uri`).
    ClosedError: The server is closed."
    };
    (counters) => {
        "Returns the counters of the server: its connections, calls, changes and subscriptions."
    };
    (endpoint) => {
        "Returns an `HttpEndpoint`, which answers Streamable HTTP for a server with a thread for each request,
such as `http.server.ThreadingHTTPServer`: `HttpEndpoint.handle` takes a request and returns its response.

Arguments and errors are those of `asgi`."
    };
    (explain) => {
        "Returns which registration serves a URI, and why each other template does not. Calls no callback.

Args:
    uri: The URI to explain. Any other text is explained too: the result says why it is no absolute URI."
    };
    (run) => {
        "Serves standard input and output. Blocks until the client closes standard input, or the server is
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
    RuntimeError: An event loop is running on this thread: use `run_async`."
    };
    (run_async) => {
        "Serves standard input and output on the running asyncio loop, until the client closes standard
input, or the server is closed.

Callbacks run on the loop, each `def` too. Cancelling the task that awaits it ends the service. The
method handles no signals. Arguments and errors are those of `run`."
    };
    (serve_http) => {
        "Serves Streamable HTTP on a listener of its own. Blocks until the server is closed.

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
    RuntimeError: An event loop is running on this thread: use `serve_http_async`."
    };
    (serve_http_async) => {
        "Serves Streamable HTTP on a listener of its own, with callbacks on the running asyncio loop, until
the server is closed.

Cancelling the task that awaits it ends the service. The method handles no signals. Arguments and errors
are those of `serve_http`."
    };
    (asgi) => {
        "Returns an ASGI 3 application that serves Streamable HTTP, for uvicorn, hypercorn, Starlette or
FastAPI.

An `async def` runs on the application's loop, a `def` in a pool of threads unless its registration
has `thread=False`. Each callback runs in a copy of the context (`contextvars`) of its own request.

Args:
    path: The path of the endpoint, below the path at which the application is mounted.
    loopback_only: True accepts only requests whose `Host` and `Origin` name this machine, or are among
        `allowed_hosts` and `allowed_origins`. False accepts any `Host`, unless `allowed_hosts` is
        given.

The other arguments, and the errors, are those of `serve_http`."
    };
    (close) => {
        "Closes every connection, and makes `run` and `serve_http` return. May be called again.

Unanswered calls are dropped. Over HTTP callbacks may still answer them within the `shutdown_ms` of
`serve_http`."
    };
    (test_client) => {
        "Returns a client in memory, for tests without a running event loop. The arguments are those of
`TestClient`.

Raises:
    RuntimeError: An event loop is running on this thread: use `test_client_async`."
    };
    (test_client_async) => {
        "Returns a client in memory, for tests on an event loop: `async with server.test_client_async() as
client:`. The arguments are those of `TestClient`."
    };
    (connect) => {
        "Returns a new connection for one client. The application itself moves the bytes between them.

Callbacks of messages given to `handle` run in a copy of the context (`contextvars`) around it.
Those of other messages run in a copy of the context in which the server was made.

Args:
    wake: A function without arguments, called on any thread when there may be an event to poll or
        output to send. Then call `poll_event` until it returns 0, and `poll_transmit` until it returns
        None, but not inside `wake`.
    caller: The caller on whose behalf the client connects. Default: an unknown caller.

Raises:
    TypeError: An argument has the wrong type."
    };
}
pub(crate) use docstring;
