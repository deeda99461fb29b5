"""The steps in which a wide host is asked for everything that a client can ask for, whichever version of the client stands behind a `Wide`."""

import json
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any, Protocol

import anyio
from common import Content, Inbox, Json, Refused, check, holds, in_time, plain

DENIED = 403
ICON = "https://example.com/icon.png"
DESCRIBED: Json = {
    "uri": "wide://described",
    "name": "described",
    "title": "All there is to say",
    "description": "A resource of which everything is said.",
    "mimeType": "text/plain",
    "size": 10,
    "annotations": {"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-01-12T15:00:58Z"},
    "icons": [{"src": ICON, "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}],
    "_meta": {"example.com/colour": "green"},
}
PLACE: Json = {
    "uriTemplate": "wide://{city}/{street}",
    "name": "place",
    "title": "A place",
    "description": "A street of a city.",
    "mimeType": "text/plain",
    "annotations": {"priority": 1.0},
    "icons": [{"src": ICON}],
    "_meta": {"example.com/colour": "red"},
}
ANSWERS: dict[str, Json] = {
    "elicitation/create": {"action": "accept", "content": {"name": "Ada"}},
    "roots/list": {"roots": [{"uri": "file:///home/ada", "name": "home"}]},
    "sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": "Ada"}, "model": "none"},
}
NAME: Json = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def answer(inbox: Inbox, method: str, params: Json) -> Json:
    """The client's answer to what the host asks for."""
    if method == "elicitation/create":
        if (params["message"], params["requestedSchema"]) != ("Your name?", NAME):
            inbox.fault(f"elicitation is asked for with {params}")
    elif method == "sampling/createMessage":
        said = [(each["role"], each["content"]["text"]) for each in params["messages"]]
        if (said, params["maxTokens"]) != ([("user", "Your name?")], 16):
            inbox.fault(f"sampling is asked for with {params}")
    return ANSWERS[method]


def callbacks(inbox: Inbox, types: ModuleType) -> dict[str, Callable[..., Awaitable[Any]]]:
    """The callbacks of a session for log messages and for requests of the host, in the types of its version of the client."""

    async def log(params: Any) -> None:
        inbox.log(params.level, params.logger, params.data)

    async def elicit(_context: object, params: Any) -> Any:
        return types.ElicitResult.model_validate(answer(inbox, "elicitation/create", plain(params)))

    async def sample(_context: object, params: Any) -> Any:
        return types.CreateMessageResult.model_validate(answer(inbox, "sampling/createMessage", plain(params)))

    async def roots(_context: object) -> Any:
        return types.ListRootsResult.model_validate(answer(inbox, "roots/list", {}))

    return {"logging_callback": log, "sampling_callback": sample, "elicitation_callback": elicit, "list_roots_callback": roots}


class Wide(Protocol):
    """A session of one version of the client. Models come as `plain` has them."""

    inbox: Inbox
    has_input_required: bool

    async def connect(self) -> str: ...
    async def identity(self) -> tuple[Json, str | None, Json]:
        """The name of the server, its instructions and its capabilities."""

    async def resources(self) -> list[Json]: ...
    async def resource_templates(self) -> list[Json]: ...
    async def parts(self, uri: str) -> list[Json]: ...
    async def contents(self, uri: str) -> list[Content]: ...
    async def read_with_progress(self, uri: str, hear: Callable[[float, float | None, str | None], Awaitable[None]]) -> str: ...
    async def give_up(self, uri: str) -> None:
        """Reads, and cancels that at the first progress."""

    async def watch(self, uri: str) -> None: ...
    async def recover(self, uri: str) -> None:
        """Watches again what it watched before the connection broke, where that is not done by itself."""

    async def complete(self, ref: Json, name: str, value: str, others: dict[str, str] | None) -> Json: ...
    async def watch_tools(self) -> None: ...
    async def tools(self) -> list[Json]: ...
    async def call(self, name: str, arguments: Json) -> Json: ...
    async def prompts(self) -> list[Json]: ...
    async def prompt(self, name: str, arguments: dict[str, str]) -> Json: ...
    async def log_from(self, level: str) -> list[str]:
        """Asks for messages from a level on, and says what should come of the two that the host has."""


async def connect(wide: Wide) -> str:
    told = await wide.connect()
    server, instructions, capabilities = await wide.identity()
    check((server["name"], server["title"], server["version"]) == ("wide", "All there is", "1.0.0"), f"the server is {server}")
    check(instructions == "Ask for anything.", f"the instructions are {instructions!r}")
    declared = {name for name, value in capabilities.items() if value is not None}
    wanted = {"completions", "logging", "prompts", "resources", "tools"}
    check(declared == wanted, f"the capabilities are {capabilities}")
    return f"{told}, {', '.join(sorted(declared))}"


async def descriptors(wide: Wide) -> str:
    listed = {each["uri"]: each for each in await in_time(wide.resources(), "an answer to resources/list")}
    check(listed["wide://described"] == DESCRIBED, f"it is listed as {listed['wide://described']}")
    [place] = await in_time(wide.resource_templates(), "an answer to resources/templates/list")
    check(place == PLACE, f"the template is listed as {place}")
    return f"all {len(DESCRIBED)} fields"


async def contents(wide: Wide) -> str:
    [described] = await in_time(wide.parts("wide://described"), "an answer to resources/read")
    wanted = {name: DESCRIBED[name] for name in ("uri", "mimeType", "_meta")} | {"text": "Described."}
    check(described == wanted, f"it is read as {described}")
    parts = await in_time(wide.parts("wide://parts"), "an answer to resources/read")
    one = {"uri": "wide://parts/1", "mimeType": "text/plain", "text": "one"}
    two = {"uri": "wide://parts/2", "mimeType": "application/octet-stream", "blob": "AP8=", "_meta": {"example.com/part": 2}}
    check(parts == [one, two], f"the parts are {parts}")
    return "two parts, with _meta of their own"


async def denied(wide: Wide) -> str:
    try:
        await in_time(wide.contents("wide://denied"), "an answer to resources/read")
    except Refused as refused:
        check(refused.code == DENIED, f"{refused}")
        return f"{refused.code}"
    raise AssertionError("it was read")


async def progress(wide: Wide) -> str:
    told: list[tuple[float | str | None, ...]] = []
    async with anyio.create_task_group() as tasks:

        async def hear(*progress: float | str | None) -> None:
            told.append(progress)
            if len(told) == 3:
                tasks.start_soon(wide.contents, "wide://enough")

        text = await in_time(wide.read_with_progress("wide://steps", hear), "an answer to resources/read")
    check(text == "done", f"it is {text!r}")
    check(told == [(1, 3, "one"), (2, 3, "two"), (3, 3, "three")], f"the progress was {told}")
    return "3 of 3, while the host still reads"


async def cancel(wide: Wide) -> str:
    await in_time(wide.watch("wide://cancelled"), "the watch")
    await in_time(wide.give_up("wide://endless"), "progress of wide://endless")
    await wide.inbox.until(lambda: holds(bool(wide.inbox.updates)), "word that the host has heard of the cancellation")
    [content] = await in_time(wide.contents("wide://cancelled"), "an answer to resources/read")
    check(content.body == "yes", f"it is {content}")
    return "the host hears of it"


async def complete(wide: Wide) -> str:
    place, greet = {"type": "ref/resource", "uri": PLACE["uriTemplate"]}, {"type": "ref/prompt", "name": "greet"}
    for ref, name, value, others, wanted in [
        (place, "city", "", None, {"values": ["aarhus", "antwerpen", "bern"]}),
        (place, "city", "a", None, {"values": ["aarhus", "antwerpen"]}),
        (place, "street", "br", {"city": "aarhus"}, {"values": ["bredgade", "brogade"], "total": 12, "hasMore": True}),
        (place, "street", "", {"city": "bern"}, {"values": ["meir"], "total": 12, "hasMore": True}),
        (greet, "name", "A", None, {"values": ["Ada", "Alan"]}),
    ]:
        found = await in_time(wide.complete(ref, name, value, others), "an answer to completion/complete")
        found = {key: each for key, each in found.items() if each is not False}
        check(found == wanted, f"{name} {value!r} is completed to {found}")
    return "variables, one by another's value, and a prompt's argument"


async def tools(wide: Wide) -> str:
    await in_time(wide.watch_tools(), "the watch")
    listed = {each["name"]: each for each in await in_time(wide.tools(), "an answer to tools/list")}
    check(set(listed) == {"add", "ask", "log", "grow"}, f"the tools are {listed}")
    schema = {"type": "object", "properties": {"method": {"type": "string"}}}
    check(listed["ask"]["inputSchema"] == schema, f"it is listed as {listed['ask']}")
    result = await in_time(wide.call("grow", {}), "an answer to tools/call")
    check(result["content"] == [{"type": "text", "text": "there is a further tool"}], f"the result is {result}")
    await wide.inbox.until(lambda: holds(wide.inbox.tools_changes > 0), "word of the further tool")
    names = {each["name"] for each in await in_time(wide.tools(), "an answer to tools/list")}
    check("grown" in names, f"the tools are {names}")
    return "listed, called; a further one is told"


async def typed_tool(wide: Wide) -> str:
    result = await in_time(wide.call("add", {"a": 2, "b": 3}), "an answer to tools/call")
    found = result["structuredContent"], [json.loads(each["text"]) for each in result["content"]]
    check(found == ({"sum": 5}, [{"sum": 5}]), f"the result is {result}")
    refused = await in_time(wide.call("add", {"a": "2"}), "an answer to tools/call")
    lines = refused["content"][0]["text"].split("\n")
    wanted = ["- a: must be an integer (got \"2\")", "- b: is missing"]
    check(refused["isError"] is True and lines[1:] == wanted, f"wrong arguments gave {refused}")
    return "structured content, and a line for each wrong argument"


async def prompts(wide: Wide) -> str:
    [greet] = await in_time(wide.prompts(), "an answer to prompts/list")
    wanted = {"name": "greet", "title": "A greeting", "arguments": [{"name": "name", "required": True}]}
    check(greet == wanted, f"it is listed as {greet}")
    got = await in_time(wide.prompt("greet", {"name": "Ada"}), "an answer to prompts/get")
    message = {"role": "user", "content": {"type": "text", "text": "Greet Ada."}}
    check((got["description"], got["messages"]) == ("A greeting", [message]), f"it is {got}")
    return "listed and got"


async def logging(wide: Wide) -> str:
    heard, lines = wide.inbox.logged, {"debug": "what is going on", "error": "what went wrong"}
    for level in ["debug", "error"]:
        before = len(heard)
        wanted = [(each, "wide", lines[each]) for each in await in_time(wide.log_from(level), f"messages from {level} on")]
        await in_time(wide.call("log", {}), "an answer to tools/call")
        check(heard[before:] == wanted, f"from {level} on came {heard[before:]}")
    return "messages from the level on that is asked for"


async def requests(wide: Wide) -> str:
    for method, wanted in ANSWERS.items():
        result = await in_time(wide.call("ask", {"method": method}), "an answer to tools/call")
        found = result["structuredContent"]
        check(wanted.items() <= found.items(), f"{method} gave {found}")
    return ", ".join(ANSWERS)


async def input_for_a_read(wide: Wide) -> str:
    try:
        [content] = await in_time(wide.contents("wide://asks"), "an answer to resources/read")
    except Refused as refused:
        check(not wide.has_input_required and refused.code == -32603, f"{refused}")
        return f"{refused.code}, as this revision has no way to ask"
    check(wide.has_input_required and content.body == "Hello, Ada.", f"it is {content}")
    return f"{content.body!r}"


def breaking_steps(place: str) -> dict[str, Callable[[Wide], Awaitable[str]]]:
    """The steps in which connections break, by the socket file of `breaking.py`."""

    async def breaking(command: str) -> int:
        async with await anyio.connect_unix(place) as line:
            await line.send(f"{command}\n".encode())
            return int(await line.receive())

    async def resume(wide: Wide) -> str:
        before = len(wide.inbox.updates)
        await breaking("break")
        await in_time(wide.recover("wide://cancelled"), "the broken stream to be noticed, and another")
        await in_time(wide.give_up("wide://endless"), "progress of wide://endless")
        await wide.inbox.until(lambda: holds(len(wide.inbox.updates) > before), "the update of wide://cancelled")
        if wide.has_input_required:
            return "noticed, and listened anew"
        resumed = await breaking("resumed")
        check(resumed > 0, "no request named the last event seen")
        return "what was missed is said again"

    async def resume_call(wide: Wide) -> str:
        before = await breaking("resumed")
        heard = 0
        async with anyio.create_task_group() as tasks:

            async def hear(*_progress: float | str | None) -> None:
                nonlocal heard
                heard += 1
                if heard == 3:
                    tasks.start_soon(proceed)

            async def proceed() -> None:
                await breaking("break")
                await wide.contents("wide://enough")

            try:
                text = await in_time(wide.read_with_progress("wide://steps", hear), "the answer, on another stream")
            except Refused as lost:
                check(wide.has_input_required, str(lost))
                return "the call fails, as this revision has it"
        check(text == "done", f"it is {text!r}")
        check(await breaking("resumed") > before, "no request named the last event seen")
        return "answered on another stream"

    return {"break while listening": resume, "break while calling": resume_call}


STEPS: dict[str, Callable[[Wide], Awaitable[str]]] = {
    "connect": connect,
    "descriptors": descriptors,
    "several contents": contents,
    "permission denied": denied,
    "progress": progress,
    "cancel": cancel,
    "complete": complete,
    "tools": tools,
    "a typed tool": typed_tool,
    "prompts": prompts,
    "logging": logging,
    "ask the client": requests,
    "input for a read": input_for_a_read,
}
