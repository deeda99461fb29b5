"""The hosts of hosts.txt and shelf.txt, as fastmcp's client starts them."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

CLIENTS = Path(__file__).resolve().parent.parent
ROOT = CLIENTS.parent.parent
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")


def commands(file: str) -> dict[str, list[str]]:
    """Returns the commands of a file by the names of the hosts."""
    lines = [line for line in (CLIENTS / file).read_text().splitlines() if line.strip() and not line.startswith("#")]
    named = (line.split(" = ", 1) for line in lines)
    return {name: [word.format(root=ROOT, target=TARGET) for word in shlex.split(command)] for name, command in named}


def stdio(command: list[str], *arguments: str) -> StdioTransport:
    return StdioTransport(command[0], [*command[1:], *arguments], keep_alive=False)


@contextmanager
def http(command: list[str]) -> Iterator[StreamableHttpTransport]:
    """Starts a host that prints its URL."""
    host = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert host.stdout is not None
    try:
        found = next(url for line in host.stdout if (url := re.search(r"http://\S+", line)))
        yield StreamableHttpTransport(found[0])
    finally:
        host.terminate()
        host.wait(30)
        host.stdout.close()
