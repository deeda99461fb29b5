"""Stands for the plugin: tools, resources and prompts of our own, registered as the project registers its own."""

from typing import Annotated, Any, NotRequired, TypedDict

from zeromcp import McpServer, McpToolError

server = McpServer("ida-pro-mcp", extensions={"dbg": {"step"}})


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


server.stdio()
