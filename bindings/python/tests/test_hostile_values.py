"""Return values and exceptions of callbacks end nothing but their own call."""

import json
from typing import Any

import pytest
from asgi_client import on_a_loop, text
from asgi_client import read as asked
from client import Process, read
from http_client import served

VALUES = """
import asyncio
import concurrent.futures
import wellhead


def refuse(*args, **kwargs):
    raise RuntimeError("working outside of a context")


def hostile(*names, base=object, **more):
    return type("Hostile", (base,), {**dict.fromkeys(names, refuse), **more})


class Meta(type):
    __name__ = property(refuse)
    __instancecheck__ = __subclasscheck__ = __getattribute__ = refuse


class Future(concurrent.futures.Future):
    result = add_done_callback = cancelled = refuse


class AskedTwice:
    calls = 0

    def __getattr__(self, name):
        self.calls += 1
        return refuse() if self.calls > 1 else lambda *_: None


def done(value):
    future = concurrent.futures.Future()
    future.set_result(value)
    return future


class Answered:
    add_done_callback = lambda self, callback: callback(self)
    cancelled = result = refuse


class Unsayable(Exception):
    __str__ = __repr__ = refuse


values = {
    "attributes": hostile("__getattr__")(),
    "all attributes": hostile("__getattribute__")(),
    "class": type("Hostile", (), {"__class__": property(refuse)})(),
    "length": hostile("__len__", base=list)(["a"]),
    "truth": hostile("__bool__", "__len__", "__eq__", "__hash__")(),
    "iteration": hostile("__iter__", "__next__", "__getitem__", base=list)(["a"]),
    "a str": hostile("__str__", "__len__", "__iter__", "__hash__", "__eq__", base=str)("fine"),
    "bytes": hostile("__bytes__", "__len__", "__iter__", base=bytes)(b"fine"),
    "a dict": hostile("__iter__", "items", "keys", "__getitem__", "__len__", base=dict)(a=1),
    "a buffer": hostile("__buffer__", "__bytes__")(),
    "a tuple of it": (hostile("__getattribute__")(),),
    "an awaitable": hostile("__await__")(),
    "an awaitable of nothing": type("Awaitable", (), {"__await__": lambda self: None})(),
    "an awaitable that cannot be closed": hostile("close", __await__=lambda self: iter(()))(),
    "a future": Future(),
    "a done future of it": done(hostile("__getattribute__")()),
    "a future that answers at once": Answered(),
    "what changes": AskedTwice(),
    "a class": Meta("Hostile", (), {}),
    "its instance": Meta("Hostile", (), {"__getattribute__": refuse})(),
}
# What raises on its own.
exceptions = {
    "unsayable": Unsayable(),
    "without its code": wellhead.ResourceNotFound("x"),
    "of another code": wellhead.MethodError(1, "x"),
    "with hostile data": wellhead.MethodError(1, "x", hostile("__getattribute__", base=dict)()),
    "of a cancelled task": asyncio.CancelledError(),
    "of a closed generator": GeneratorExit(),
    "of no kind": BaseException(),
    "with hostile input": wellhead.InputRequired(hostile("__getattribute__", base=dict)()),
}
exceptions["of another code"].rpc_code = "number"
del exceptions["without its code"].code
server = wellhead.Server("s", "1")


@server.resource("v:{name}")
def value(name: str):
    if name in exceptions:
        raise exceptions[name]
    return values[name]


@server.list
def listing(after, limit):
    return values["all attributes"]


@server.tool("value", {"inputSchema": {"type": "object"}})
def tool(arguments):
    return value(arguments["name"])


@server.resource("v:names")
def names() -> str:
    return "|".join([*values, *exceptions])


def complete(typed):
    return values[typed]


@server.resource("c:{name}", complete={"name": complete})
def completed(name: str) -> str:
    return name
"""
ALIVE = read("v:names", "alive")
SERVICES = {
    "run": ("server.run()", False),
    "run on 3 threads": ("server.run(callback_threads=3)", False),
    "run_async": ("asyncio.run(server.run_async())", False),
    "serve_http": ("server.serve_http(port=0, on_listening=told)", True),
    "serve_http on 3 threads": ("server.serve_http(port=0, callback_threads=3, on_listening=told)", True),
    "serve_http_async": ("asyncio.run(server.serve_http_async(port=0, on_listening=told))", True),
}
TOLD = "told = lambda host, port: print(port, flush=True)\n"


def is_one_of_ours(answer: Any) -> bool:
    """Returns whether that is an answer to a read of such a value."""
    if "error" in answer:
        return answer["error"]["message"] in ("Internal error", "Resource not found")
    (contents,) = answer["result"]["contents"]
    return bool(contents.get("text") == "fine" or contents.get("blob") == "ZmluZQ==")


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_survives_every_value_of_a_callback(service: str) -> None:
    run, over_http = SERVICES[service]
    if over_http:
        with served(VALUES + TOLD + run) as (process, client):
            for name in client.read("v:names").split("|"):
                uri = f"v:{name.replace(' ', '%20')}"
                assert is_one_of_ours(client.send_request("resources/read", uri, uri=uri).json()), name
            assert process.process.poll() is None
            assert "|" in client.read("v:names")
        return
    with Process(VALUES + run) as process:
        process.send(ALIVE)
        names = process.receive()["result"]["contents"][0]["text"].split("|")
        for at, name in enumerate(names):
            process.send(read(f"v:{name.replace(' ', '%20')}", at))
            answer = process.receive()
            assert answer["id"] == at
            assert is_one_of_ours(answer), name
        for at, name in enumerate(names):
            process.send(_tool(name, at), _completion(name, at))
            for _ in range(2):
                answer = process.receive()
                failed = "error" in answer or answer["result"].get("isError") is True
                assert failed or name in ("a dict", "length", "iteration")
        process.send(_request("resources/list", 1, {}), ALIVE)
        answers = [process.receive(), process.receive()]
        assert sorted("error" in answer for answer in answers) == [False, True]
        status, errors = process.end()
        assert status == 0, errors


def _request(method: str, id: Any, params: dict[str, Any]) -> bytes:
    message = json.loads(read("x", id))
    message["method"], message["params"] = method, {**params, "_meta": message["params"]["_meta"]}
    return json.dumps(message).encode() + b"\n"


def _tool(name: str, at: int) -> bytes:
    return _request("tools/call", f"tool {at}", {"name": "value", "arguments": {"name": name}})


def _completion(name: str, at: int) -> bytes:
    reference = {"type": "ref/resource", "uri": "c:{name}"}
    argument = {"name": "name", "value": name}
    return _request("completion/complete", f"completion {at}", {"ref": reference, "argument": argument})


@on_a_loop
async def test_an_application_survives_every_value_of_a_callback() -> None:
    scope: dict[str, Any] = {}
    exec(VALUES, scope)
    app = scope["server"].asgi()
    for name in [*scope["values"], *scope["exceptions"]]:
        assert is_one_of_ours(await asked(app, f"v:{name.replace(' ', '%20')}").json()), name
    assert "|" in await text(asked(app, "v:names"))
