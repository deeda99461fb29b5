"""Takes the place of zeromcp/mcp.py and zeromcp/jsonrpc.py over stdio: what the plugin calls, on Wellhead."""

import functools
import json
from collections.abc import Callable
from urllib.parse import parse_qs

import wellhead

McpToolError = wellhead.ToolError


class McpServer:
    def __init__(self, name: str, version: str = "1.0.0", *, extensions: dict[str, set[str]] | None = None) -> None:
        self.wellhead = wellhead.Server(name, version, unknown_tool="result")
        self.wellhead.authorize(self._allowed)
        self.extensions = extensions or {}
        self.prompt = self.wellhead.prompt

    def _allowed(self, operation: str, names: list[str], call: wellhead.Call) -> list[str]:
        enabled = parse_qs(call.query or "").get("ext", [""])[0].split(",")
        closed = {name for group, tools in self.extensions.items() if group not in enabled for name in tools}
        return ["hide" if operation in ("list_tools", "call_tool") and name in closed else "allow" for name in names]

    def tool(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def run(*args, **kwargs):
            result = function(*args, **kwargs)
            return wellhead.Result(json.dumps(result, separators=(",", ":")), structured=result)

        self.wellhead.tool(run)
        return function

    def resource(self, uri: str) -> Callable[[Callable], Callable]:
        return self.wellhead.resource(uri, mime_type="application/json")

    def stdio(self) -> None:
        self.wellhead.run()
