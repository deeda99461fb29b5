"""Calls the tools of every wide host over stdio and HTTP by fastmcp's client, for the points of fastmcp's own tests of tools. Each point is
a function.
"""

import asyncio
import json
from typing import Any

from fastmcp import Client
from fastmcp.client.logging import LogMessage
from fastmcp.exceptions import ToolError
from hosts import commands, http, stdio

SUM = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}


Logged = asyncio.Queue[tuple[str, Any]]


async def elicit(message: str, response_type: Any, params: Any, context: Any) -> Any:
    assert message == "Your name?", message
    return {"name": "Ada"}


async def sample(messages: Any, params: Any, context: Any) -> str:
    assert [each.content.text for each in messages] == ["Your name?"], messages
    return "Ada"


async def tools_are_listed_with_their_schemas(client: Client, _logged: Logged) -> None:
    tools = {tool.name: tool for tool in await client.list_tools()}
    assert {"add", "ask", "log", "grow"} <= tools.keys(), tools
    assert tools["add"].input_schema["properties"].keys() == {"a", "b"}, tools["add"]
    assert sorted(tools["add"].input_schema["required"]) == ["a", "b"], tools["add"]
    output = tools["add"].output_schema
    assert {name: output[name] for name in SUM if name != "properties"} == {"type": "object", "required": ["sum"]}, output
    assert output["properties"]["sum"]["type"] == "integer", output


async def structured_content_becomes_data(client: Client, _logged: Logged) -> None:
    result = await client.call_tool("add", {"a": 1, "b": 2})
    assert result.structured_content == {"sum": 3} and result.is_error is False, result
    assert result.data.sum == 3, result
    assert [json.loads(block.text) for block in result.content] == [{"sum": 3}], result


async def a_text_is_content_alone(client: Client, _logged: Logged) -> None:
    result = await client.call_tool("log", {})
    assert [block.text for block in result.content] == ["logged"], result
    assert result.structured_content is None and result.data is None, result


async def the_model_gets_an_error_for_wrong_arguments(client: Client, _logged: Logged) -> None:
    try:
        await client.call_tool("add", {"a": "one"})
    except ToolError as error:
        assert "- a: must be an integer" in str(error) and "- b: is missing" in str(error), error
    else:
        raise AssertionError("wrong arguments were not refused")
    result = await client.call_tool("add", {"a": "one", "b": 2}, raise_on_error=False)
    assert result.is_error and "- a: must be an integer" in result.content[0].text, result


async def an_unknown_tool_is_an_error(client: Client, _logged: Logged) -> None:
    try:
        await client.call_tool("missing", {})
    except Exception as error:
        assert "Unknown tool: missing" in str(error), error
    else:
        raise AssertionError("an unknown tool was called")


async def concurrent_calls_have_their_own_results(client: Client, _logged: Logged) -> None:
    results = await asyncio.gather(*(client.call_tool("add", {"a": n, "b": n}) for n in range(30)))
    assert [result.structured_content["sum"] for result in results] == [2 * n for n in range(30)], results


async def the_call_as_the_protocol_has_it(client: Client, _logged: Logged) -> None:
    result = await client.call_tool_mcp("add", {"a": 20, "b": 22})
    assert result.structured_content == {"sum": 42} and not result.is_error, result


async def the_tool_asks_the_client(client: Client, _logged: Logged) -> None:
    elicited = (await client.call_tool("ask", {"method": "elicitation/create"})).structured_content
    assert elicited == {"action": "accept", "content": {"name": "Ada"}}, elicited
    sampled = (await client.call_tool("ask", {"method": "sampling/createMessage"})).structured_content
    assert sampled["content"]["text"] == "Ada", sampled
    roots = (await client.call_tool("ask", {"method": "roots/list"})).structured_content
    assert [root["uri"] for root in roots["roots"]] == ["file:///home/ada"], roots


async def log_messages_arrive(client: Client, logged: Logged) -> None:
    await client.set_logging_level("debug")
    await client.call_tool("log", {})
    said = [await asyncio.wait_for(logged.get(), 30) for _ in range(2)]
    assert [level for level, _ in said] == ["debug", "error"], said
    assert said[1][1] == "what went wrong", said


async def a_tool_that_came_later_can_be_called(client: Client, _logged: Logged) -> None:
    await client.call_tool("grow", {})
    result = await client.call_tool("grown", {})
    assert [block.text for block in result.content] == ["grown"], result


POINTS = (
    log_messages_arrive,
    tools_are_listed_with_their_schemas,
    structured_content_becomes_data,
    a_text_is_content_alone,
    the_model_gets_an_error_for_wrong_arguments,
    an_unknown_tool_is_an_error,
    concurrent_calls_have_their_own_results,
    the_call_as_the_protocol_has_it,
    the_tool_asks_the_client,
    a_tool_that_came_later_can_be_called,
)
# In 2026-07-28 a request asks for log messages, which fastmcp's client does not.
HANDSHAKE_ONLY = (log_messages_arrive,)


async def ask(name: str, transport: Any, mode: str) -> None:
    logged: Logged = asyncio.Queue()

    async def log(message: LogMessage) -> None:
        logged.put_nowait((message.level, message.data))

    handlers = {"log_handler": log, "elicitation_handler": elicit, "sampling_handler": sample}
    async with Client(transport, roots=["file:///home/ada"], mode=mode, **handlers) as client:
        for point in POINTS:
            if mode == "legacy" or point not in HANDSHAKE_ONLY:
                await point(client, logged)
                print(f"ok {name} / {mode} / {point.__name__}", flush=True)


async def main() -> None:
    for name, command in commands("hosts.txt").items():
        for mode in ("auto", "legacy"):
            if name.startswith("wide-"):
                await ask(name, stdio(command), mode)
            elif name in ("http-rust", "http-c", "http-cpp", "http-python", "http-node"):
                with http(command) as transport:
                    await ask(name, transport, mode)


if __name__ == "__main__":
    asyncio.run(main())
