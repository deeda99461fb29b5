"""Asks a server with the official client: the handshake, then reads. The first answer must be in time, and each must be right.

    ask.py [--expect JSON] COMMAND...
    ask.py [--expect JSON] URL

JSON is an object of URIs and texts; without it, those of README's smallest servers. The variables of the environment are passed on.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

EXPECTED = {"hello://world": "Hello, world!", "hello://people/Ada": "Hello, Ada!"}
PATIENCE = 60  # seconds


async def main(words: list[str]) -> None:
    expected = EXPECTED
    if words[0] == "--expect":
        expected, words = json.loads(words[1]), words[2:]
    command, *arguments = words
    server = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
    transport = streamable_http_client(command) if command.startswith("http://") else stdio_client(server)
    async with transport as streams, ClientSession(*streams) as client:
        started = await client.initialize()
        assert started.server_info.name, "the server has no name"
        for uri, text in expected.items():
            (contents,) = (await client.read_resource(uri)).contents
            assert contents.text == text, f"{uri} is {contents.text!r}, not {text!r}"


asyncio.run(asyncio.wait_for(main(sys.argv[1:]), PATIENCE))
