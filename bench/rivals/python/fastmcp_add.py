"""A tool add(a, b) on fastmcp, over stdio."""

from fastmcp import FastMCP

server = FastMCP("rival-fastmcp")


@server.tool
def add(a: int, b: int) -> str:
    """Adds two whole numbers."""
    return str(a + b)


if __name__ == "__main__":
    try:
        import uvloop

        uvloop.run(server.run_stdio_async(show_banner=False, log_level="WARNING"))
    except KeyboardInterrupt:
        pass
