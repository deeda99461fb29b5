#!/usr/bin/env python3
"""Asks the hosts of shelf.txt, by fastmcp's client, for the points of fastmcp's own tests of `ResourcesAsTools`, and for skills. Each
point is a function. The command `wellhead` is asked for those that a folder can show.

Three answers differ from fastmcp's on purpose. A text stands in the content alone, since there is no output schema. Bytes come as an
embedded resource or an image. The error of an unknown URI says "Resource not found".
"""

import asyncio
import base64
import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

from fastmcp import Client
from fastmcp.exceptions import ToolError
from fastmcp.skills import SkillsClientExtension
from fastmcp.utilities.skills import list_skills
from hosts import TARGET, commands, stdio

WELLHEAD = [str(TARGET / "debug/wellhead")]


async def text_of(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert [block.type for block in result.content] == ["text"], result
    return result.content[0].text


async def refusal_of(client: Client, tool: str, **arguments: Any) -> str:
    try:
        await client.call_tool(tool, arguments)
    except ToolError as error:
        return str(error)
    raise AssertionError(f"{tool} {arguments} was not refused")


async def tools_are_added_to_those_there_are(client: Client) -> None:
    names = {tool.name for tool in await client.list_tools()}
    assert names == {"own", "list_resources", "read_resource", "read_profile"}, names
    assert await text_of(client, "own") == "own answer"


async def the_tools_say_that_they_only_read(client: Client) -> None:
    for tool in await client.list_tools():
        if tool.name != "own":
            hints = tool.annotations
            assert hints is not None and hints.read_only_hint is True and hints.open_world_hint is False, tool


async def resources_and_templates_are_listed(client: Client) -> None:
    listed = json.loads(await text_of(client, "list_resources"))
    opened = {"uri": "shelf://open", "name": "open", "description": "For all", "mime_type": "text/plain"}
    assert opened in listed, listed
    template = {"uri_template": "shelf://users/{user}/profile{?lang}", "name": "profile", "description": "Says who that is"}
    assert [item for item in listed if "uri" not in item] == [template], listed


async def hidden_resources_are_not_listed(client: Client) -> None:
    listed = json.loads(await text_of(client, "list_resources"))
    uris = [item["uri"] for item in listed if "uri" in item]
    assert uris == ["shelf://open", "shelf://bytes", "shelf://logo"], uris


async def hidden_and_denied_resources_are_not_read(client: Client) -> None:
    assert await refusal_of(client, "read_resource", uri="shelf://hidden") == "Resource not found: shelf://hidden"
    assert await refusal_of(client, "read_resource", uri="shelf://denied") == "Permission denied: shelf://denied"


async def resources_are_read(client: Client) -> None:
    assert await text_of(client, "read_resource", uri="shelf://open") == "open content"
    assert await text_of(client, "read_resource", uri="shelf://users/ann/profile") == "Profile of ann in en"


async def a_template_is_a_tool(client: Client) -> None:
    tool = next(tool for tool in await client.list_tools() if tool.name == "read_profile")
    assert tool.input_schema["required"] == ["user"] and set(tool.input_schema["properties"]) == {"user", "lang"}, tool
    assert await text_of(client, "read_profile", user="a/b", lang="de") == "Profile of a/b in de"


async def bytes_are_read(client: Client) -> None:
    [block] = (await client.call_tool("read_resource", {"uri": "shelf://bytes"})).content
    assert block.type == "resource" and base64.b64decode(block.resource.blob) == b"\x00\x01\x02\x03", block
    [image] = (await client.call_tool("read_resource", {"uri": "shelf://logo"})).content
    assert image.type == "image" and image.mime_type == "image/png", image


async def an_unknown_resource_is_a_tool_error(client: Client) -> None:
    assert await refusal_of(client, "read_resource", uri="other://x") == "Resource not found: other://x"
    assert "Invalid URI" in await refusal_of(client, "read_resource", uri="no uri")
    assert "- uri: is missing" in await refusal_of(client, "read_resource")


POINTS = (
    tools_are_added_to_those_there_are,
    the_tools_say_that_they_only_read,
    resources_and_templates_are_listed,
    hidden_resources_are_not_listed,
    hidden_and_denied_resources_are_not_read,
    resources_are_read,
    a_template_is_a_tool,
    bytes_are_read,
    an_unknown_resource_is_a_tool_error,
)


async def nothing_is_an_empty_list(host: list[str]) -> None:
    async with Client(stdio(host, "--empty")) as client:
        assert json.loads(await text_of(client, "list_resources")) == []


async def a_folder_is_served(host: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder).resolve() / "note.md"
        file.write_text("# Note")
        async with Client(stdio(host, "serve", "--tools", folder)) as client:
            listed = json.loads(await text_of(client, "list_resources"))
            assert file.as_uri() in [item.get("uri") for item in listed], listed
            assert await text_of(client, "read_resource", uri=file.as_uri()) == "# Note"


async def a_folder_is_searched(host: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder).resolve() / "note.md"
        file.write_text("# Note\nBuy green tea.")
        Path(folder, ".hidden").write_text("tea")
        async with Client(stdio(host, "serve", "--tools", folder)) as client:
            found = (await client.call_tool("search", {"query": "where is tea"})).structured_content
            assert found == {"results": []}, found
            found = json.loads(await text_of(client, "search", query="green tea"))
            result = {"id": file.as_uri(), "title": "note.md", "url": "", "text": "Buy green tea."}
            assert found == {"results": [result]}, found
            document = json.loads(await text_of(client, "fetch", id=file.as_uri()))
            assert document["text"] == file.read_text() and document["metadata"] == {"mime_type": "text/markdown"}, document


SKILL = "---\nname: pdf\ndescription: Fills forms.\nlicense: MIT\n---\nUse fill.py.\n"


async def a_folder_of_skills_is_read(host: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for path, text in {"pdf/SKILL.md": SKILL, "pdf/fill.py": "print(1)\n"}.items():
            file = Path(folder, path)
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        words = ["serve", "--skills", folder] if host is WELLHEAD else ["--skills", folder]
        async with Client(stdio(host, *words), extensions=[SkillsClientExtension()]) as client:
            [skill] = await client.list_skills()
            assert skill.frontmatter.root == {"name": "pdf", "description": "Fills forms.", "license": "MIT"}, skill
            assert isinstance(skill.resources, list) and len(skill.resources) == 2, skill
            for resource in skill.resources:
                [contents] = await client.read_resource(resource.uri)
                content = contents.text.encode()
                assert resource.size == len(content), resource
                assert resource.digest == f"sha256:{hashlib.sha256(content).hexdigest()}", resource
            assert await client.get_skill(skill.uri) == skill
            # Its older client knows skills by their resources.
            [summary] = await list_skills(client)
            assert (summary.name, summary.description, summary.uri) == ("pdf", "Fills forms.", skill.uri), summary


async def skills_of_a_callback_are_read(host: list[str]) -> None:
    async with Client(stdio(host, "--skills"), extensions=[SkillsClientExtension()]) as client:
        skills = await client.list_skills()
        assert [skill.uri for skill in skills] == [f"skill://team/skill-{n}/SKILL.md" for n in range(5)], skills
        assert all(skill.resources == "dynamic" for skill in skills), skills
        assert await client.get_skill(skills[3].uri) == skills[3]
        [contents] = await client.read_resource(skills[3].uri)
        assert contents.text == "skill-3", contents


async def main() -> None:
    for name, host in commands("shelf.txt").items():
        async with Client(stdio(host)) as client:
            for point in POINTS:
                await point(client)
                print(f"ok {name} / {point.__name__}", flush=True)
        for other in (nothing_is_an_empty_list, a_folder_of_skills_is_read, skills_of_a_callback_are_read):
            await other(host)
            print(f"ok {name} / {other.__name__}", flush=True)
    for other in (a_folder_is_served, a_folder_is_searched, a_folder_of_skills_is_read):
        await other(WELLHEAD)
        print(f"ok wellhead / {other.__name__}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
