"""Asks a host with the official client in Python, `mcp` 1.x, and exits with 1 if an answer differs.

    drive.py COMMAND...
"""

import sys
import tempfile

import anyio
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import PaginatedRequestParams, ResourceTemplateReference
from pydantic import AnyUrl

PATIENCE = 20  # seconds
passed = failed = 0


def check(found: object, wanted: object, what: str) -> None:
    global passed, failed
    if found == wanted:
        passed += 1
    else:
        failed += 1
        print(f"not ok - {what}: {found!r} instead of {wanted!r}")


async def refusal(request) -> str:
    try:
        await request
    except McpError as error:
        return error.error.message
    return "no error"


async def ask(client: ClientSession) -> None:
    hello = await client.initialize()
    check(hello.serverInfo.name, "greetings", "its name")
    page, pages = None, []
    while page is None or page.nextCursor:
        page = await client.list_resources(params=PaginatedRequestParams(cursor=page.nextCursor) if page else None)
        pages.append([str(each.uri) for each in page.resources])
    check(pages, [["greet://ada"], ["greet://ben"]], "the pages of its list")
    [content] = (await client.read_resource(AnyUrl("greet://cleo%20b"))).contents
    check(content.text, "Hello, cleo b!", "a greeting")
    check(await refusal(client.read_resource(AnyUrl("greet://nobody"))), "Internal error", "a greeting that fails")
    reference = ResourceTemplateReference(type="ref/resource", uri="greet://{name}")
    for value, wanted in (("", ["ada", "ben"]), ("b", ["ben"])):
        check((await client.complete(reference, {"name": "name", "value": value})).completion.values, wanted, f"the completion of {value!r}")
    await client.subscribe_resource(AnyUrl("greet://ben"))
    check("not found" in await refusal(client.subscribe_resource(AnyUrl("greet://cleo"))), True, "a subscription to what does not exist")
    result = await client.call_tool("add", {"a": 2**40, "b": -1})
    check((result.isError, result.content[0].text), (False, str(2**40 - 1)), "a sum")
    check((await client.call_tool("add", {"a": "1"})).isError, True, "a sum without numbers")
    sums = [None] * 20

    async def add(i: int) -> None:
        sums[i] = (await client.call_tool("add", {"a": i, "b": i})).content[0].text

    async with anyio.create_task_group() as tasks:
        for i in range(len(sums)):
            tasks.start_soon(add, i)
    check(sums, [str(2 * i) for i in range(len(sums))], "sums side by side")


async def main() -> int:
    with tempfile.TemporaryFile("w+") as stderr:
        with anyio.fail_after(PATIENCE):
            async with stdio_client(StdioServerParameters(command=sys.argv[1], args=sys.argv[2:]), stderr) as pipes, ClientSession(*pipes) as client:
                await ask(client)
        stderr.seek(0)
        said = stderr.read()
        check("logged: " in said and "nobody is there" in said, True, f"the log in {said!r}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(anyio.run(main))
