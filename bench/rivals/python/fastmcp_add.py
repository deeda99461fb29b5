"""A tool add(a, b) and the listed items on fastmcp, over stdio."""

from fastmcp import FastMCP
from fastmcp.resources import Resource

SENTENCE = "The quick brown fox jumps over the lazy dog. "
server = FastMCP("rival-fastmcp")


def add_item(n: int) -> None:
    async def read() -> str:
        return f"item {n}: {SENTENCE * 23}"[:1024]

    about = {"name": f"item-{n}", "title": f"Item {n}", "description": f"Benchmark item number {n}", "mime_type": "text/plain"}
    server.add_resource(Resource.from_function(read, uri=f"bench://item/{n}", **about))


for number in range(1000):
    add_item(number)


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
