"""Stands for the plugin: tools, resources and prompts of our own, registered as the project registers its own."""

import sys
import threading
from typing import Annotated, Any, NotRequired, TypedDict

from zeromcp import McpServer, McpToolError, RequestCancelledError, get_current_cancel_event

extensions: dict[str, set[str]] = {}  # filled when the tools are known, as that of the plugin
server = McpServer("ida-pro-mcp", extensions=extensions)


class Function(TypedDict):
    name: str
    size: NotRequired[int]


@server.tool
def list_functions(
    offset: Annotated[int, "The first one"] = 0, filter: Annotated[str | None, "A part of the name"] = None
) -> list[Function]:
    """List functions."""
    found: list[Function] = [{"name": "main", "size": 12}, {"name": "start"}]
    return [one for one in found if not filter or filter in one["name"]][offset:]


@server.tool
def rename(address: Annotated[str, "Where"], name: str) -> Function:
    """Rename a function."""
    if address != "0x10":
        raise McpToolError(f"no function at {address}")
    return {"name": name}


@server.tool
def read_bytes(addresses: list[int], width: float = 1.0) -> dict[str, int]:
    """Read bytes."""
    return {hex(address): round(width) for address in addresses}


@server.tool
def whole(value: Any) -> str:
    """Return a value as a text."""
    return str(value)


@server.tool
def broken() -> None:
    """Fail."""
    raise ValueError("out of order")


@server.tool
def step() -> str:
    """Step the debugger."""
    return "stepped"


extensions["dbg"] = {"step"}


@server.tool
def unsafe() -> None:
    """Is taken out below."""


@server.tool
def dump(size: int) -> dict[str, str]:
    """Return many bytes."""
    return {"bytes": "x" * size}


@server.tool
def where() -> str:
    """Return how the client is connected."""
    return server.get_current_transport_session_id().partition(":")[0]


@server.tool
def wait() -> str:
    """Wait until the call is cancelled."""
    print("waiting", flush=True)
    if get_current_cancel_event().wait(30):
        raise RequestCancelledError("Request was cancelled")
    return "not cancelled"


server.tools.methods.pop("unsafe")


def limited(result: dict) -> dict:
    """Cuts a long result, as the plugin does around each call."""
    if result.get("isError") or len(result["content"][0]["text"]) < 100:
        return result
    content = [{"type": "text", "text": "cut"}]
    return {"content": content, "structuredContent": {"bytes": "cut"}, "_meta": {"ida_mcp": {"output_truncated": True}}}


if hasattr(server, "around"):
    server.around(lambda call, next: limited(next()))
else:
    original = server.registry.methods["tools/call"]

    def patched(name: str, arguments: dict | None = None, _meta: dict | None = None) -> dict:
        return limited(original(name, arguments, _meta))

    server.registry.methods["tools/call"] = patched


@server.resource("ida://database")
def database() -> dict:
    """The open database."""
    return {"path": "/a.i64"}


@server.resource("ida://functions/{name}")
def function(name: Annotated[str, "Its name"]) -> dict:
    """One function."""
    return {"name": name}


@server.prompt
def explain(address: Annotated[str, "Where"], style: str = "short") -> str:
    """Explain a function."""
    return f"Explain the function at {address}, {style}."


if sys.argv[1:] == ["http"]:
    server.serve("127.0.0.1", 0)
    print(server._http_server.server_port, flush=True)
    threading.Event().wait()
else:
    server.stdio()
