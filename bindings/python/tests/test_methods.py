"""Completion of variables, and methods of the program's own."""

import asyncio
import json
from concurrent.futures import Future
from typing import Any

import pytest
import wellhead
from client import Json, request, transmitted


def answered(connection: wellhead.Connection, method: str, **params: Json) -> Json:
    answer = connection.handle(request(1, method, **params))
    assert answer is not None
    return json.loads(answer)


def completed(server: wellhead.Server, variable: str, value: str, **others: str) -> Json:
    ref = {"type": "ref/resource", "uri": "n:{lang}/{id}"}
    argument = {"name": variable, "value": value}
    answer = answered(
        server.connect(), "completion/complete", ref=ref, argument=argument, context={"arguments": others}
    )
    return answer["result"]["completion"]["values"]


def test_a_variable_is_completed_from_values_or_by_a_function() -> None:
    server = wellhead.Server("s", "1")

    def ids(value: str, others: dict[str, str]) -> list[str]:
        return [f"{others.get('lang')}-{value}{n}" for n in range(2)]

    complete = {"lang": ["de", "en", "en-GB"], "id": ids}
    server.resource("n:{lang}/{id}", complete=complete)(lambda lang, id: id)  # type: ignore[arg-type]
    assert completed(server, "lang", "en") == ["en", "en-GB"]
    assert completed(server, "id", "x", lang="de") == ["de-x0", "de-x1"]


def test_a_completer_may_answer_later() -> None:
    server = wellhead.Server("s", "1")
    later: Future[list[str]] = Future()
    later.set_result(["a"])
    server.resource("n:{lang}/{id}", complete={"id": lambda value: later})(lambda lang, id: id)
    assert completed(server, "id", "") == ["a"]


def test_invalid_completers_are_refused() -> None:
    server = wellhead.Server("s", "1")
    with pytest.raises(wellhead.UsageError, match="lang"):
        server.resource("n:{id}", complete={"lang": ["de"]})(lambda id: id)
    with pytest.raises(wellhead.UsageError, match=r"\(value\[, others\]\)"):
        server.resource("n:{id}", complete={"id": lambda: ["de"]})(lambda id: id)
    with pytest.raises(wellhead.UsageError, match="lists of str"):
        server.resource("n:{id}", complete={"id": "de"})(lambda id: id)
    with pytest.raises(wellhead.UsageError, match="complete= is for templates"):
        server.resource("n:x", complete={"id": ["de"]})(lambda: "x")


@pytest.mark.parametrize("is_async", [False, True])
def test_a_method_makes_a_dict_of_its_params(is_async: bool) -> None:
    server = wellhead.Server("s", "1")

    def add(params: dict[str, Any], call: wellhead.Call) -> dict[str, Any]:
        if "a" not in params:
            raise wellhead.MethodError(-32602, "a is missing", {"need": ["a", "b"]})
        return {"sum": params["a"] + params["b"], "method": call.method}

    async def add_later(params: dict[str, Any], call: wellhead.Call) -> dict[str, Any]:
        await asyncio.sleep(0)
        return add(params, call)

    if is_async:
        server.method("math/add")(add_later)
    else:
        server.method("math/add")(add)

    async def main() -> tuple[Json, Json]:
        connection = server.connect()
        right = await connection.handle_async(request(1, "math/add", a=1, b=2))
        wrong = await connection.handle_async(request(1, "math/add"))
        assert right is not None and wrong is not None
        return json.loads(right), json.loads(wrong)

    right, wrong = asyncio.run(main())
    assert (right["result"]["sum"], right["result"]["method"]) == (3, "math/add")
    assert wrong["error"] == {"code": -32602, "message": "a is missing", "data": {"need": ["a", "b"]}}


def test_a_method_that_gives_no_dict_fails(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.method("x/none")(lambda params: 7)  # type: ignore[type-var]
    assert answered(server.connect(), "x/none")["error"]["message"] == "Internal error"
    assert "a dict" in caplog.text


def test_a_method_that_returns_none_has_an_empty_result() -> None:
    server = wellhead.Server("s", "1")
    server.method("x/none")(lambda params: None)
    assert set(answered(server.connect(), "x/none")["result"]) == {"resultType", "_meta"}


def test_a_call_of_a_method_notifies_from_another_thread_until_it_is_answered() -> None:
    server = wellhead.Server("s", "1")
    held: list[tuple[wellhead.Call, Future[dict[str, Any]]]] = []

    @server.method("x/slow")
    def slow(params: dict[str, Any], call: wellhead.Call) -> Future[dict[str, Any]]:
        held.append((call, Future()))
        return held[0][1]

    connection = server.connect()
    connection.receive(request(1, "x/slow"))
    connection.poll_event()
    [(call, future)] = held
    assert call.notify("notifications/x", {"n": 1})
    with pytest.raises(wellhead.UsageError):
        call.notify("x/slow")
    future.set_result({})
    assert not call.notify("notifications/x")
    first, second = transmitted(connection)
    assert (first["method"], first["params"]["n"]) == ("notifications/x", 1)
    assert second["id"] == 1 and "result" in second


def test_only_a_call_of_a_method_notifies() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:a")
    def read(call: wellhead.Call) -> str:
        assert (call.method, call.client_capabilities, call.log_level) == ("resources/read", {}, None)
        with pytest.raises(wellhead.UsageError, match="further method"):
            call.notify("notifications/x")
        return "read"

    answer = answered(server.connect(), "resources/read", uri="n:a")
    assert answer["result"]["contents"][0]["text"] == "read"


def test_options_of_the_wrong_kind_are_refused() -> None:
    with pytest.raises(wellhead.UsageError, match="none of error, mask"):
        wellhead.Server("s", "1", denied_resources="hide")  # type: ignore[arg-type]
    with pytest.raises(wellhead.UsageError, match="2020"):
        wellhead.Server("s", "1", revisions=["2020-01-01"])
    with pytest.raises(TypeError, match="title must be"):
        wellhead.Server("s", "1", title=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        wellhead.Server("s", "1", colour="red")  # type: ignore[call-arg]
    wellhead.Server("s", "1", title=None, revisions=None, capabilities=None)


def test_an_integer_of_more_digits_than_python_takes_is_a_decimal() -> None:
    server = wellhead.Server("s", "1")
    given: list[Json] = []

    @server.method("x/do")
    def do(params: Json, call: wellhead.Call) -> Json:
        given.append((params["n"], params["m"], call.meta["com.example/n"], call.params["n"]))
        return {}

    digits = "7" * 5000
    message = request(1, "x/do", n=0, m=7).decode().replace('"n": 0', f'"n": {digits}')
    message = message.replace('"_meta": {', f'"_meta": {{"com.example/n": {digits}, ')
    answer = json.loads(server.connect().handle(message) or b"")
    assert "result" in answer
    ((number, small, meta, again),) = given
    assert str(number) == str(meta) == str(again) == digits and small == 7
