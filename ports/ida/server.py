"""Serves the plugin's tools, resources and prompts with Wellhead. Takes the place of jsonrpc.py and of most of mcp.py."""

import functools
import json
import threading
from collections.abc import Callable
from contextvars import ContextVar
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs

import wellhead

McpToolError = wellhead.ToolError
_session: ContextVar[str] = ContextVar("session", default="stdio:default")
_cancelled: ContextVar[threading.Event | None] = ContextVar("cancelled", default=None)


class RequestCancelledError(McpToolError):
    """The base class of what a cancelled tool raises."""


class McpRpcRegistry:
    """The functions that clients may call, by name. One that is taken out of `methods` is hidden."""

    def __init__(self) -> None:
        self.methods: dict[str, Callable] = {}


class WellheadServer:
    """The tools, resources and prompts of the plugin, for clients over stdio and HTTP."""

    def __init__(self, name: str, version: str = "1.0.0", *, extensions: dict[str, set[str]] | None = None) -> None:
        self.wellhead = wellhead.Server(
            name,
            version,
            subscribe=False,
            list_changed=False,
            capabilities={"tools": {}, "resources": {}, "prompts": {}},
            titles_in_contents="never",
            tool_errors="show",
            unknown_tool="result",
            limits=wellhead.Limits(message_bytes=10 * 1024 * 1024, call_ms=24 * 60 * 60 * 1000),
        )
        self.wellhead.authorize(self._allowed)
        self.wellhead.around(self._around)
        # The handler has judged Host and Origin, as for the other pages of the plugin.
        options = {"allowed_hosts": ["*"], "allowed_origins": ["*"]}
        self.endpoints = [self.wellhead.endpoint(sessions=sessions, **options) for sessions in (False, True)]
        self.tools = McpRpcRegistry()
        self.extensions = extensions if extensions is not None else {}
        self.prompt = self.wellhead.prompt
        self.seams: list[Callable] = []

    def tool(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def run(*args, **kwargs) -> wellhead.Result:
            result = function(*args, **kwargs)
            return wellhead.Result(json.dumps(result, separators=(",", ":")), structured=result)

        self.wellhead.tool(run)
        self.tools.methods[function.__name__] = function
        return function

    def resource(self, uri: str) -> Callable[[Callable], Callable]:
        return self.wellhead.resource(uri, mime_type="application/json")

    def around(self, function: Callable) -> Callable:
        """Runs a function `(call, next)` around each call of a tool, outside of those that came before."""
        self.seams.append(function)
        return function

    def stdio(self) -> None:
        self.wellhead.run()

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        """Answers a POST. One without a session, as a relay sends it, stands alone."""
        session = request.headers.get("Mcp-Session-Id")
        _session.set(f"http:{session or 'anonymous'}")
        endpoint = self.endpoints[session is not None or b'"initialize"' in body]
        peer = "%s:%s" % request.client_address[:2]
        headers = {"Mcp-Protocol-Version": "2025-06-18", **request.headers}
        with endpoint.handle("POST", request.path, headers.items(), body, peer=peer) as response:
            request.send_response(response.status)
            for name, value in response.headers:
                request.send_header(name, value)
            request.send_cors_headers()
            request.end_headers()
            for piece in response:
                request.wfile.write(piece)

    def get_current_transport_session_id(self) -> str:
        return _session.get()

    def _allowed(self, operation: str, names: list[str], call: wellhead.Call) -> list[str]:
        if operation not in ("list_tools", "call_tool"):
            return ["allow"] * len(names)
        shown = lambda name: name in self.tools.methods and (operation == "call_tool" or not self._closed(name, call))
        return ["allow" if shown(name) else "hide" for name in names]

    def _closed(self, name: str, call: wellhead.Call) -> str | None:
        """Returns the extension that the client has to enable for a tool."""
        enabled = [group.strip() for group in parse_qs(call.query or "").get("ext", [""])[0].split(",")]
        return next((group for group, tools in self.extensions.items() if name in tools and group not in enabled), None)

    def _around(self, call: wellhead.Call, next: Callable) -> object:
        if call.method != "tools/call":
            return next()
        if group := self._closed(call.name, call):
            raise McpToolError(f"Tool '{call.name}' requires extension '{group}'. Enable with ?ext={group}")
        cancelled = threading.Event()
        call.on_cancel(cancelled.set)
        _cancelled.set(cancelled)
        for function in self.seams:
            next = functools.partial(function, call, next)
        return next()


def get_current_cancel_event() -> threading.Event | None:
    """Returns the event that is set when the client cancels the tool's call."""
    return _cancelled.get()
