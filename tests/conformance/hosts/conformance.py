"""A server with everything that the official conformance suite asks for, over Streamable HTTP. Prints its URL, and serves until SIGTERM."""

import asyncio
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from typing import Any

import wellhead

Json = dict[str, Any]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="  # one pixel
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="  # no sound
PLAIN: Json = {"description": "For the conformance suite", "inputSchema": {"type": "object"}}
INVALID_PARAMS = -32602
KEY = secrets.token_bytes(32)
OPTIONS = ["option1", "option2", "option3"]

server = wellhead.Server(
    "conformance",
    "1.0.0",
    capabilities={"tools": {"listChanged": True}, "prompts": {"listChanged": True}, "logging": {}},
)


def text(said: str) -> Json:
    return {"type": "text", "text": said}


def says(said: str) -> Json:
    return {"content": [text(said)]}


def message(content: Json) -> Json:
    return {"role": "user", "content": content}


def embedded(uri: str, mime_type: str, said: str) -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": said}}


IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}

# ---- resources

server.text(
    "test://static-text",
    "This is the content of the static text resource.",
    name="static-text",
    description="A text",
    mime_type="text/plain",
)
server.blob(
    "test://static-binary", b"\x89PNG\r\n\x1a\n", name="static-binary", description="An image", mime_type="image/png"
)
server.text("test://watched-resource", "Watched.", name="watched-resource", description="To be watched")


@server.resource("test://template/{id}/data", mime_type="application/json", complete={"id": ["123"]})
def data(id: str) -> str:
    """By its id."""
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


# ---- prompts


@server.prompt("test_simple_prompt", {"description": "Simple"})
def simple(_arguments: Json) -> Json:
    return {"messages": [message(text("This is a simple prompt for testing."))]}


@server.prompt(
    "test_prompt_with_arguments",
    {
        "description": "With arguments",
        "arguments": [{"name": name, "description": "Any text", "required": True} for name in ("arg1", "arg2")],
    },
    complete={"arg1": ["paris", "park", "party"]},
)
def with_arguments(arguments: Json) -> Json:
    said = f"Prompt with arguments: arg1='{arguments['arg1']}', arg2='{arguments['arg2']}'"
    return {"messages": [message(text(said))]}


@server.prompt(
    "test_prompt_with_embedded_resource",
    {
        "description": "With a resource",
        "arguments": [{"name": "resourceUri", "description": "What to embed", "required": True}],
    },
)
def with_resource(arguments: Json) -> Json:
    resource = embedded(arguments["resourceUri"], "text/plain", "Embedded resource content for testing.")
    return {"messages": [message(resource), message(text("Please process the embedded resource above."))]}


@server.prompt("test_prompt_with_image", {"description": "With an image"})
def with_image(_arguments: Json) -> Json:
    return {"messages": [message(IMAGE), message(text("Please analyze the image above."))]}


@server.prompt("test_input_required_result_prompt", {"description": "Needs input"})
def needs_context(_arguments: Json, call: wellhead.Call) -> Json:
    given = responses(call).get("user_context")
    if given is None:
        raise needs({"user_context": elicits("What context should the prompt use?", "context")})
    return {"messages": [message(text(str(given)))]}


# ---- tools that only answer


def answering(name: str, result: Json) -> None:
    server.tool(name, PLAIN)(lambda _arguments: result)


answering("test_simple_text", says("This is a simple text response for testing."))
answering("test_image_content", {"content": [IMAGE]})
answering("test_audio_content", {"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]})
answering(
    "test_embedded_resource",
    {"content": [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]},
)
answering(
    "test_multiple_content_types",
    {
        "content": [
            text("Multiple content types test:"),
            IMAGE,
            embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
        ]
    },
)
answering("test_error_handling", says("This tool intentionally returns an error for testing") | {"isError": True})
server.tool(
    "test_custom_header",
    {
        "description": "Has an argument that a header field repeats",
        "inputSchema": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
    },
)(lambda _arguments: says("The field and the argument agree."))
server.tool(
    "json_schema_2020_12_tool",
    {
        "description": "JSON Schema 2020-12",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
                }
            },
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": False,
        },
    },
)(lambda _arguments: says("not validated"))

# ---- tools that tell


async def log(_arguments: Json, call: wellhead.Call) -> Json:
    for said in ["Tool execution started", "Tool processing data", "Tool execution completed"]:
        call.log("info", said, logger="conformance")
        await asyncio.sleep(0.05)
    return says("logged")


for name in ["test_tool_with_logging", "test_logging_tool"]:
    server.tool(name, PLAIN)(log)


@server.tool("test_tool_with_progress", PLAIN)
async def progress(_arguments: Json, call: wellhead.Call) -> Json:
    for done in [0, 50, 100]:
        call.progress(done, 100)
        await asyncio.sleep(0.05)
    return says("done")


@server.tool("test_reconnection", PLAIN)
async def reconnection(_arguments: Json, call: wellhead.Call) -> Json:
    call.close_event_stream(500)
    await asyncio.sleep(0.1)  # the client is away
    return says("Reconnection test completed successfully.")


# ---- tools that ask the client of a session


@server.tool(
    "test_sampling",
    {"description": "Samples", "inputSchema": {"type": "object", "properties": {"prompt": {"type": "string"}}}},
)
async def sampling(arguments: Json, call: wellhead.Call) -> Json:
    result = await call.send_request_async("sampling/createMessage", samples(arguments["prompt"], 100)["params"])
    return says(f"LLM response: {result['content']['text']}")


@server.tool(
    "test_elicitation",
    {"description": "Elicits", "inputSchema": {"type": "object", "properties": {"message": {"type": "string"}}}},
)
async def elicitation(arguments: Json, call: wellhead.Call) -> Json:
    properties = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    schema = {"type": "object", "properties": properties, "required": ["username", "email"]}
    result = await call.send_request_async("elicitation/create", {"message": arguments["message"], "requestedSchema": schema})
    return says(f"User response: {json.dumps(result)}")


def eliciting(name: str, properties: Json) -> None:
    @server.tool(name, PLAIN)
    async def elicit(_arguments: Json, call: wellhead.Call) -> Json:
        schema = {"type": "object", "properties": properties, "required": []}
        result = await call.send_request_async("elicitation/create", {"message": "Please fill in", "requestedSchema": schema})
        return says(f"Elicitation completed: action={result['action']}, content={json.dumps(result.get('content'))}")


def titled(of: str) -> list[Json]:
    return [{"const": "value1", "title": f"First {of}"}, {"const": "value2", "title": f"Second {of}"}]


eliciting(
    "test_elicitation_sep1034_defaults",
    {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
)
eliciting(
    "test_elicitation_sep1330_enums",
    {
        "untitledSingle": {"type": "string", "enum": OPTIONS},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    },
)

# ---- tools that need input, in the revision that has such results


def elicits(said: str, name: str) -> Json:
    properties = {name: {"type": "boolean" if name == "ok" else "string"}}
    schema = {"type": "object", "properties": properties, "required": [name]}
    return {"method": "elicitation/create", "params": {"mode": "form", "message": said, "requestedSchema": schema}}


def samples(prompt: str, most: int) -> Json:
    return {"method": "sampling/createMessage", "params": {"messages": [message(text(prompt))], "maxTokens": most}}


ROOTS: Json = {"method": "roots/list", "params": {}}


def responses(call: wellhead.Call) -> Json:
    given: Json = call.params.get("inputResponses", {})
    return given


def needs(requests: Json, state: str | None = None) -> wellhead.InputRequired:
    return wellhead.InputRequired({"inputRequests": requests} | ({} if state is None else {"requestState": state}))


def seal(state: str) -> str:
    return f"{state}.{hmac.new(KEY, state.encode(), hashlib.sha256).hexdigest()}"


def state_of(call: wellhead.Call) -> str | None:
    """The state that the client sent back; none if it sent none."""
    sealed: str | None = call.params.get("requestState")
    if sealed is None:
        return None
    state = sealed.partition(".")[0]
    if not hmac.compare_digest(sealed.encode(), seal(state).encode()):
        raise wellhead.MethodError(INVALID_PARAMS, "Invalid params: requestState")
    return state


def once(name: str, requests: Json, answer: Callable[[Json], str]) -> None:
    """A tool that needs answers to these requests, and no state."""

    @server.tool(name, PLAIN)
    def ask(_arguments: Json, call: wellhead.Call) -> Json:
        try:
            return says(answer(responses(call)))
        except (KeyError, TypeError):
            raise needs(requests) from None


NAME = {"user_name": elicits("What is your name?", "name")}
CAPITAL = {"capital_question": samples("What is the capital of France?", 100)}
once("test_input_required_result_elicitation", NAME, lambda given: f"Hello, {given['user_name']['content']['name']}!")
once("test_streaming_elicitation", NAME, lambda given: str(given["user_name"]))
once("test_input_required_result_sampling", CAPITAL, lambda given: str(given["capital_question"]["content"]["text"]))
once(
    "test_input_required_result_list_roots",
    {"client_roots": ROOTS},
    lambda given: f"The roots are {json.dumps(given['client_roots']['roots'])}",
)


def in_rounds(name: str, rounds: list[Json], answer: str) -> None:
    """A tool that asks these requests one after the other, and remembers in its state how far it is."""

    @server.tool(name, PLAIN)
    def ask(_arguments: Json, call: wellhead.Call) -> Json:
        state = state_of(call)
        done = 0 if state is None else int(state)
        if done < len(rounds):
            raise needs(rounds[done], seal(str(done + 1)))
        return says(answer)


CONFIRM = {"confirm": elicits("Please confirm", "ok")}
in_rounds("test_input_required_result_request_state", [CONFIRM], "state-ok")
in_rounds("test_input_required_result_tampered_state", [CONFIRM], "state-ok")
in_rounds(
    "test_input_required_result_multiple_inputs",
    [NAME | {"greeting": samples("Generate a greeting", 50), "client_roots": ROOTS}],
    "all answered",
)
in_rounds(
    "test_input_required_result_multi_round",
    [
        {"step1": elicits("Step 1: What is your name?", "name")},
        {"step2": elicits("Step 2: What is your favorite color?", "color")},
    ],
    "both answered",
)


@server.tool("test_input_required_result_capabilities", PLAIN)
def capabilities(_arguments: Json, call: wellhead.Call) -> Json:
    able = call.client_capabilities or {}
    all = {"elicitation": elicits("What is your name?", "name"), "sampling": samples("Generate a greeting", 50)}
    raise needs({name: request for name, request in all.items() if name in able})


@server.tool("test_missing_capability", PLAIN)
def missing_capability(_arguments: Json, call: wellhead.Call) -> Json:
    if "sampling" not in (call.client_capabilities or {}):
        raise wellhead.MissingCapability({"sampling": {}})
    return says("The client can sample.")


# ---- tools that change lists


@server.tool("test_trigger_tool_change", PLAIN)
def change_tools(_arguments: Json) -> Json:
    answering("test_passing", says("gone soon"))
    server.remove_tool("test_passing")
    return says("changed")


@server.tool("test_trigger_prompt_change", PLAIN)
def change_prompts(_arguments: Json) -> Json:
    server.prompt("test_passing", {})(lambda _arguments: {"messages": []})
    server.remove_prompt("test_passing")
    return says("changed")


if __name__ == "__main__":
    server.serve_http(port=0, on_listening=lambda host, port: print(f"http://{host}:{port}/mcp", flush=True))
