"""Everything that a client can ask for, on a small scale: see README.md one folder up."""

import sys
import time
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import wellhead

COLOUR = "example.com/colour"
ICON = "https://example.com/icon.png"
server = wellhead.Server(
    "wide",
    "1.0.0",
    title="All there is",
    instructions="Ask for anything.",
    capabilities={"tools": {"listChanged": True}, "logging": {}},
)
waiting: list[Future[str]] = []


@dataclass
class Sum:
    sum: int


server.text(
    "wide://described",
    "Described.",
    name="described",
    title="All there is to say",
    description="A resource of which everything is said.",
    mime_type="text/plain",
    size=10,
    annotations={"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-01-12T15:00:58Z"},
    icons=[wellhead.Icon(ICON, mime_type="image/png", sizes=["48x48"], theme="dark")],
    meta={COLOUR: "green"},
    cache=wellhead.CacheHint(ttl_ms=60_000),
)
cancelled = server.text("wide://cancelled", "no")


@server.resource("wide://parts")
def parts() -> list[wellhead.Contents]:
    one = wellhead.Contents("one", uri="wide://parts/1", mime_type="text/plain")
    two = wellhead.Contents(
        b"\x00\xff", uri="wide://parts/2", mime_type="application/octet-stream", meta={"example.com/part": 2}
    )
    return [one, two]


@server.resource("wide://steps")
def steps(call: wellhead.Call) -> Future[str]:
    """Answered once a client reads `wide://enough`."""
    waiting.append(answer := Future())  # before the progress at which a client reads wide://enough, perhaps on another thread
    for done, message in enumerate(["one", "two", "three"], 1):
        call.progress(done, 3, message)
    return answer


@server.resource("wide://enough")
def enough() -> str:
    while waiting:
        waiting.pop().set_result("done")
    return "enough"


@server.resource("wide://endless", thread=True)
def endless(call: wellhead.Call) -> str:
    """Never answered; `wide://cancelled` says whether a client has cancelled it."""
    call.progress(1)
    while not call.cancelled:
        time.sleep(0.005)
    cancelled.set("yes")
    return "cancelled"


@server.resource("wide://denied")
def denied() -> str:
    raise wellhead.PermissionDenied


@server.resource("wide://asks", name="asks")
def input_required(call: wellhead.Call) -> str:
    try:
        return f"Hello, {(call.input_responses or {})['name']['content']['name']}."
    except KeyError:
        raise wellhead.InputRequired({"inputRequests": {"name": question("elicitation/create")}}) from None


def street(value: str, others: dict[str, str]) -> wellhead.Completion:
    streets = ["bredgade", "brogade"] if others.get("city") == "aarhus" else ["meir"]
    return wellhead.Completion([each for each in streets if each.startswith(value)], total=12, more=True)


@server.resource(
    "wide://{city}/{street}",
    title="A place",
    mime_type="text/plain",
    annotations={"priority": 1},
    icons=[wellhead.Icon(ICON)],
    meta={COLOUR: "red"},
    complete={"city": ["aarhus", "antwerpen", "bern"], "street": street},
)
def place(city: str, street: str) -> str:
    """A street of a city."""
    return f"{street} in {city}"


@server.tool("log", {"inputSchema": {"type": "object"}})
def log(arguments: dict[str, Any], call: wellhead.Call) -> dict[str, Any]:
    call.log("debug", "what is going on", logger="wide")
    call.log("error", "what went wrong", logger="wide")
    return text("logged")


@server.tool("ask", {"inputSchema": {"type": "object", "properties": {"method": {"type": "string"}}}})
def ask(arguments: dict[str, Any], call: wellhead.Call) -> dict[str, Any]:
    """Asks the client for the feature that is named, and gives back what it answers."""
    asked = question(arguments["method"])
    return {"content": [], "structuredContent": call.require_input("it", asked["method"], asked["params"])}


@server.tool
def add(a: int, b: int) -> Sum:
    return Sum(a + b)


@server.tool("grow", {"inputSchema": {"type": "object"}})
def grow(arguments: dict[str, Any]) -> dict[str, Any]:
    server.tool("grown", {"inputSchema": {"type": "object"}})(lambda arguments: text("grown"))
    return text("there is a further tool")


@server.prompt(
    "greet",
    {"title": "A greeting", "arguments": [{"name": "name", "required": True}]},
    complete={"name": ["Ada", "Alan", "Grace"]},
)
def greet(arguments: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "user", "content": {"type": "text", "text": f"Greet {arguments['name']}."}}
    return {"description": "A greeting", "messages": [message]}


def question(method: str) -> dict[str, Any]:
    properties = {"name": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": ["name"]}
    params: dict[str, dict[str, Any]] = {
        "elicitation/create": {"mode": "form", "message": "Your name?", "requestedSchema": schema},
        "sampling/createMessage": {
            "messages": [{"role": "user", "content": {"type": "text", "text": "Your name?"}}],
            "maxTokens": 16,
        },
    }
    return {"method": method, "params": params.get(method, {})}


def text(given: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": given}]}


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--http"]:
            server.serve_http(port=0, on_listening=lambda host, port: print(f"http://{host}:{port}/mcp", flush=True))
        case ["--asgi", program, *framework]:
            import asgi  # only here: over stdio and natively nothing but our own package is needed

            asgi.serve(server, program, *framework)
        case _:
            server.run()
