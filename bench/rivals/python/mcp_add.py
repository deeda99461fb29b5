"""A tool add(a, b) on the official Python SDK, over stdio."""

import uvloop
from mcp.server.mcpserver import MCPServer

server = MCPServer("rival-mcp", log_level="WARNING")


@server.tool()
def add(a: int, b: int) -> str:
    """Adds two whole numbers."""
    return str(a + b)


if __name__ == "__main__":
    uvloop.run(server.run_stdio_async())
