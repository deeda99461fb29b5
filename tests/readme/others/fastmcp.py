# README's first tool on fastmcp 4.1.
from fastmcp import FastMCP

server = FastMCP("adder")


@server.tool
def add(a: float, b: float) -> float:
    """Adds two numbers."""
    return a + b


server.run()
