"""`verify=`: bearer tokens over HTTP."""

import asyncio
import logging
from typing import Any

import pytest
import wellhead
from asgi_client import Request, read, send_request, text
from test_http import serve

ANN = wellhead.Caller(b"ann", {"name": "Ann"})


def server() -> wellhead.Server:
    server = wellhead.Server("s", "1")

    @server.resource("n:who")
    async def who(call: wellhead.Call) -> str:
        return f"{call.caller.id!r} {call.caller.value}"

    return server


def judge(token: str) -> wellhead.Grant | None:
    if token == "none":
        return None
    if token == "less":
        raise wellhead.InsufficientScope("read")
    if token == "error":
        raise RuntimeError("the database is gone")
    if token == "wrong":
        return 5  # type: ignore[return-value]
    if token == "old":
        return wellhead.Grant(ANN, expires_in_ms=0)
    return wellhead.Grant(ANN, audience=["https://mcp.example/mcp"], scopes=token.split("+"))


async def judge_later(token: str) -> wellhead.Grant | None:
    await asyncio.sleep(0)
    return judge(token)


@pytest.mark.parametrize("verify", [judge, judge_later])
def test_callbacks_get_the_caller_of_a_valid_token(verify: Any) -> None:
    async def main() -> None:
        app = server().asgi(verify=verify)
        assert await text(read(app, "n:who", "ann")) == "b'ann' {'name': 'Ann'}"
        missing = await read(app, "n:who").done()
        assert (missing.status, missing.headers["www-authenticate"]) == (401, "Bearer")
        refused = await read(app, "n:who", "none").done()
        assert (refused.status, refused.headers["www-authenticate"]) == (401, 'Bearer error="invalid_token"')
        assert (await read(app, "n:who", "old").done()).status == 401

    asyncio.run(main())


def test_the_response_to_a_token_without_a_scope_names_the_scope() -> None:
    async def main() -> None:
        app = server().asgi(verify=judge, scopes=["a", "b"])
        less = await read(app, "n:who", "less").done()
        expected = 'Bearer error="insufficient_scope", scope="read"'
        assert (less.status, less.headers["www-authenticate"]) == (403, expected)
        assert (await read(app, "n:who", "a").done()).status == 403
        assert (await read(app, "n:who", "a+b").done()).status == 200

    asyncio.run(main())


def test_a_verifier_can_read_the_headers_of_the_request() -> None:
    def judge_call(token: str, call: wellhead.Call) -> wellhead.Grant | None:
        assert (call.uri, call.revision, call.meta, call.caller.id) == ("", "", {}, b"")
        if call.header("MCP-Method") != "resources/list" or call.header("other") or call.cancelled:
            raise wellhead.InsufficientScope(call.header("mcp-name") or "")
        return wellhead.Grant(ANN)

    async def main() -> None:
        app = server().asgi(verify=judge_call)
        less = await read(app, "n:who", "t").done()
        assert less.headers["www-authenticate"] == 'Bearer error="insufficient_scope", scope="n:who"'
        listed = await send_request(app, "resources/list", more={"Authorization": "Bearer t"}).json()
        assert listed["result"]["resources"][0]["uri"] == "n:who"

    asyncio.run(main())


@pytest.mark.parametrize("verify", [judge, judge_later])
@pytest.mark.parametrize(("token", "why"), [("error", "the database is gone"), ("wrong", "return a wellhead.Grant")])
def test_a_failure_of_the_verifier_is_logged_once_and_hidden_from_the_client(
    verify: Any, token: str, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        failed = await read(server().asgi(verify=verify), "n:who", token).done()
        assert failed.status == 500 and why.encode() not in failed.body

    with caplog.at_level(logging.ERROR, "wellhead"):
        asyncio.run(main())
    (record,) = caplog.records
    assert record.getMessage().startswith("the verification of a token failed")
    assert why in caplog.text
    assert bool(record.exc_info) == (token == "error")


def test_clients_find_the_authorization_servers() -> None:
    resource, servers = "https://mcp.example/mcp", ["https://login.example"]

    async def main() -> None:
        app = server().asgi(verify=judge, resource=resource, authorization_servers=servers)
        metadata = await Request(app, "GET", "/.well-known/oauth-protected-resource/mcp").json()
        assert metadata["resource"] == resource
        assert metadata["authorization_servers"] == servers
        told = (await read(app, "n:who").done()).headers["www-authenticate"]
        assert 'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"' in told
        assert (await read(app, "n:who", "ann").done()).status == 200
        other = server().asgi(
            verify=judge, resource="https://other.example", authorization_servers=["https://login.example"]
        )
        assert (await read(other, "n:who", "ann").done()).status == 401

    asyncio.run(main())


@pytest.mark.parametrize("verify", [judge, judge_later])
def test_serve_http_verifies_tokens_too(verify: Any) -> None:
    s = server()
    thread, client = serve(s, verify=verify)
    body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    with client.send("POST", body) as answer:
        assert answer.status == 401
    with client.send("POST", body, {"Authorization": "Bearer ann", "MCP-Protocol-Version": "2026-07-28"}) as answer:
        assert answer.status == 202
    s.close()
    thread.join(30)
    assert not thread.is_alive()


def test_options_that_do_not_go_together_are_refused() -> None:
    s = server()
    with pytest.raises(TypeError, match="go with verify="):
        s.asgi(scopes=["a"])
    with pytest.raises(TypeError, match="goes with resource="):
        s.asgi(verify=judge, authorization_servers=["https://login.example"])
    for refused in ({"scopes": ["a b"]}, {"resource": "mcp.example", "authorization_servers": ["https://l.example"]}):
        with pytest.raises(wellhead.UsageError):
            s.asgi(verify=judge, **refused)
    with pytest.raises(wellhead.UsageError, match="it takes"):
        s.asgi(verify=lambda: None)
