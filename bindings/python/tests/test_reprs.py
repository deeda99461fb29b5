"""Representations of the package's objects in a shell."""

from importlib.metadata import version
from typing import Literal

import wellhead


def test_the_version_is_that_of_the_package() -> None:
    assert wellhead.__version__ == version("wellhead")


def test_the_repr_of_a_value_shows_its_members() -> None:
    server = wellhead.Server("shop", "1")
    server.text("shop://about", "A shop.")
    assert server.name == "shop"
    assert repr(server) == '<wellhead.Server "shop">'
    assert repr(server.asgi(path="/rpc")) == "<wellhead.AsgiApp of 'shop' at '/rpc'>"
    assert repr(wellhead.Caller("ada", 3)) == "Caller(b'ada', 3)"
    grant = wellhead.Grant(wellhead.Caller(b"a"), audience=["x"], scopes=["r", "w"], expires_in_ms=5)
    assert repr(grant) == "Grant(Caller(b'a', None), audience=['x'], scopes=['r', 'w'], expires_in_ms=5)"
    assert repr(wellhead.Grant(wellhead.Caller(b"a"))) == "Grant(Caller(b'a', None))"
    with server.test_client() as client:
        client.list()
        assert repr(server.counters()).startswith("Counters(connections=1, connections_open=1, calls=0, ")


def test_a_resource_of_a_lambda_has_its_uri_as_name() -> None:
    server = wellhead.Server("s", "1")
    server.resource("a:b")(lambda: "x")
    server.text(uri="a:c", body="c", name="c")
    server.blob(uri="a:d", body=b"d")
    with server.test_client() as client:
        listed = {resource.uri: resource.name for resource in client.list()}
        assert listed == {"a:b": "a:b", "a:c": "c", "a:d": "a:d"}
    assert wellhead.Resource(uri="a:b").uri == "a:b"


def test_decorators_without_arguments_work_with_and_without_parentheses() -> None:
    server = wellhead.Server("s", "1")

    @server.authorize
    def first(operation: str, uris: list[str]) -> list[Literal["deny"]]:
        return ["deny" for _ in uris]

    @server.authorize()
    def second(operation: str, uris: list[str]) -> list[Literal["allow"]]:
        return ["allow" for _ in uris]

    watched = []

    @server.on_interest()
    def interest(uri: str, wanted: bool) -> None:
        watched.append((uri, wanted))

    server.text("a:b", "x")
    with server.test_client() as client:
        assert client.read("a:b") == "x"
        client.subscribe("a:b")
    assert watched[0] == ("a:b", True)
