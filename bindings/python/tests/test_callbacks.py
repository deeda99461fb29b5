"""Arguments of callbacks, and the answers for their return values and exceptions."""

import base64
import logging
import sys
import threading
from concurrent.futures import Future
from functools import partial, wraps
from typing import TYPE_CHECKING, Annotated, Any, List, Optional  # noqa: UP035

import pytest
import wellhead
from client import cancel, outcome, read, read_or_error, request, transmitted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wellhead import Call


def test_a_variable_is_given_by_name_and_converted_by_annotation() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:{text}/{number}/{raw}")
    def callback(number: int, raw: bytes, text: str) -> str:
        return f"{text!r} {number!r} {raw!r}"

    assert read_or_error(server, "n:a%20b/12/c%20d") == "'a b' 12 b'c%20d'"


@pytest.mark.parametrize("value", ["0", "7", "-7", "9223372036854775808", "-123456789012345678901234567890"])
def test_an_integer_is_given_as_int(value: str) -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:{number}")
    def callback(number: int) -> str:
        return repr(number)

    assert read_or_error(server, f"n:{value}") == value


@pytest.mark.parametrize("value", ["07", "+7", "-0", "00", "", "-", "1_0", "%207", "7%0A", "٣", "1" * 5000])
def test_a_value_that_is_no_canonical_integer_is_not_found(value: str) -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:{number}")
    def callback(number: int) -> str:
        return repr(number)

    assert read_or_error(server, f"n:{value}") in ("Resource not found", "Invalid URI")


def test_a_variable_that_is_absent_is_none_or_its_default() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:x{?a,b,c}")
    def callback(a: int | None, b: Optional[str], *, c: str = "default") -> str:  # noqa: UP045
        return f"{a!r} {b!r} {c!r}"

    assert read_or_error(server, "n:x") == "None None 'default'"
    assert read_or_error(server, "n:x?a=1&b=2&c=3") == "1 '2' '3'"


def test_an_exploded_variable_is_a_list() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:x{/path*}")
    def callback(path: list[str]) -> str:
        return repr(path)

    server.resource("m:x{/path*}")(lambda path: "it is absent" if path == [] else repr(path))
    assert read_or_error(server, "n:x/a/b%2Fc") == "['a', 'b/c']"
    assert read_or_error(server, "n:x") == "[]"
    assert read_or_error(server, "m:x") == "it is absent"


def test_string_annotations_are_resolved() -> None:
    server = wellhead.Server("s", "1")

    def callback(id: "int", call: "wellhead.Call") -> str:
        return f"{id} {call.uri}"

    server.resource("n:{id}")(callback)
    assert read_or_error(server, "n:3") == "3 n:3"


def test_the_call_knows_all_variables() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:x{/path*}{?my.name}")
    def callback(call: wellhead.Call) -> str:
        return repr(call.vars)

    assert read_or_error(server, "n:x/a/b?my.name=c%20d") == "{'path': ['a', 'b'], 'my.name': 'c d'}"


def test_methods_partials_and_wrapped_functions_are_callbacks() -> None:
    server = wellhead.Server("s", "1")

    class Notes:
        def read(self, id: int) -> str:
            return f"method {id}"

    def function(prefix: str, id: int) -> str:
        return f"{prefix} {id}"

    @wraps(function)
    def wrapped(*arguments: Any) -> str:
        return "wrapped " + function("", *arguments)

    server.resource("m:{id}")(Notes().read)
    server.resource("p:{id}")(partial(function, "partial"))
    server.resource("w:{prefix}/{id}")(wraps(function)(lambda *a: "wrapped " + function(*a)))
    assert read_or_error(server, "m:1") == "method 1"
    assert read_or_error(server, "p:2") == "partial 2"
    assert read_or_error(server, "w:x/3") == "wrapped x 3"


def test_name_and_description_come_from_the_function_which_stays_as_it_is() -> None:
    server = wellhead.Server("s", "1")

    def note(id: str) -> str:
        """One note.

        With more about it.
        """
        return id

    assert server.resource("n:{id}")(note) is note
    answer = server.connect().handle(request(1, "resources/templates/list"))
    assert answer is not None
    assert b'"name":"note","description":"One note.\\n\\nWith more about it."' in answer


@pytest.mark.parametrize("size", [10, 1 << 17])
def test_text_and_bytes_of_every_kind_arrive(size: int) -> None:
    server = wellhead.Server("s", "1")
    text, data = "aé\n" * size, b"a\0\xff" * size
    bodies = {"t": text, "b": data, "a": bytearray(data), "m": memoryview(data * 2)[::2]}

    @server.resource("n:{kind}")
    def callback(kind: str) -> Any:
        return bodies[kind]

    assert read_or_error(server, "n:t") == text
    assert base64.b64decode(read_or_error(server, "n:b")) == data
    assert base64.b64decode(read_or_error(server, "n:a")) == data
    assert base64.b64decode(read_or_error(server, "n:m")) == (data * 2)[::2]


def test_none_and_resource_not_found_are_not_found() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:{how}")
    def callback(how: str) -> None:
        if how == "raise":
            raise wellhead.ResourceNotFound

    assert read_or_error(server, "n:return") == read_or_error(server, "n:raise") == "Resource not found"


def test_only_permission_denied_of_the_package_is_denied(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:{how}")
    def callback(how: str) -> str:
        raise wellhead.PermissionDenied if how == "ours" else PermissionError("secret")

    denied = read_or_error(server, "n:ours")
    assert denied != "Internal error" and not caplog.records
    assert read_or_error(server, "n:theirs") == "Internal error"
    assert "secret" in caplog.text


def test_an_exception_is_logged_with_its_traceback_and_an_internal_error(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:{id}")
    def callback(id: str) -> str:
        raise KeyError("secret")

    assert read_or_error(server, "n:1") == "Internal error"
    [record] = caplog.records
    assert record.name == "wellhead" and record.levelno == logging.ERROR
    assert "n:1" in record.getMessage()
    assert record.exc_info is not None and record.exc_info[0] is KeyError
    assert "in callback" in caplog.text


@pytest.mark.parametrize("value", [5, 1.5, {1}, object(), ["a"], [b"a"], wellhead.Page([])])
def test_a_wrong_return_type_fails_and_the_log_names_the_right_ones(
    caplog: pytest.LogCaptureFixture, value: Any
) -> None:
    server = wellhead.Server("s", "1")
    server.resource("n:x")(lambda: value)
    assert read_or_error(server, "n:x") == "Internal error"
    [record] = caplog.records
    assert f"returned {type(value).__name__}; return str, bytes, wellhead.Contents" in record.getMessage()


def test_text_that_is_no_unicode_is_an_internal_error(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.resource("n:x")(lambda: "\ud800")
    assert read_or_error(server, "n:x") == "Internal error"
    assert "UnicodeEncodeError" in caplog.text


def test_keyboard_interrupt_is_answered_and_passes_through() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:x")
    def callback() -> str:
        raise KeyboardInterrupt

    connection = server.connect()
    connection.receive(read("n:x"))
    with pytest.raises(KeyboardInterrupt):
        connection.poll_event()
    [answer] = transmitted(connection)
    assert answer["error"]["message"] == "Internal error"
    with pytest.raises(KeyboardInterrupt):
        connection.handle(read("n:x"))


def test_keyboard_interrupt_passes_through_while_a_result_is_written() -> None:
    server = wellhead.Server("s", "1")

    class Interrupted(dict[str, Any]):
        def items(self) -> Any:
            raise KeyboardInterrupt

    server.method("x/y")(lambda params: Interrupted(a=1))
    with pytest.raises(KeyboardInterrupt), server.test_client() as client:
        client.request("x/y")


def test_a_callback_returns_without_an_answer_and_another_thread_answers_later() -> None:
    server = wellhead.Server("s", "1")
    future: Future[str] = Future()
    server.resource("n:slow")(lambda: future)
    server.resource("n:quick")(lambda: "quick")
    connection = server.connect()
    connection.receive(read("n:slow", 1) + read("n:quick", 2))
    assert connection.poll_event() == 2
    assert [answer["id"] for answer in transmitted(connection)] == [2]
    thread = threading.Thread(target=future.set_result, args=["slow"])
    thread.start()
    thread.join()
    [answer] = transmitted(connection)
    assert answer["id"] == 1 and answer["result"]["contents"][0]["text"] == "slow"


def test_a_future_that_fails_is_an_internal_error(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    futures: dict[str, Future[Any]] = {name: Future() for name in ("raise", "cancel", "wrong", "missing")}
    futures["raise"].set_exception(ValueError("secret"))
    futures["cancel"].cancel()
    futures["wrong"].set_result(5)
    futures["missing"].set_exception(wellhead.ResourceNotFound())

    @server.resource("n:{name}")
    def callback(name: str) -> Future[Any]:
        return futures[name]

    assert [read_or_error(server, f"n:{name}") for name in futures] == ["Internal error"] * 3 + ["Resource not found"]
    assert "secret" in caplog.text and "was cancelled" in caplog.text and "returned int" in caplog.text


def test_a_future_that_is_dropped_is_an_internal_error_at_once(caplog: pytest.LogCaptureFixture) -> None:
    server = wellhead.Server("s", "1")
    server.resource("n:x")(lambda: Future[str]())
    assert read_or_error(server, "n:x") == "Internal error"
    assert "without an answer" in caplog.text


def test_a_blocking_callback_sees_that_it_was_cancelled() -> None:
    server = wellhead.Server("s", "1")
    entered, seen = threading.Event(), threading.Event()

    @server.resource("n:x")
    def callback(call: wellhead.Call) -> str:
        entered.set()
        while not call.cancelled:
            pass
        seen.set()
        return "too late"

    connection = server.connect()
    connection.receive(read("n:x", 1))
    thread = threading.Thread(target=connection.poll_event)
    thread.start()
    entered.wait()
    connection.receive(cancel(1))
    connection.poll_event()
    thread.join()
    assert seen.is_set() and transmitted(connection) == []


def test_a_call_knows_that_it_was_not_cancelled() -> None:
    server = wellhead.Server("s", "1")
    calls: list[wellhead.Call] = []

    @server.resource("n:x")
    def callback(call: wellhead.Call) -> str:
        calls.append(call)
        return "x"

    assert read_or_error(server, "n:x") == "x"
    assert not calls[0].cancelled


def test_a_template_lists_items_that_were_handed_over() -> None:
    server = wellhead.Server("s", "1")
    items = [wellhead.Resource(f"n:{n}") for n in range(250)]
    server.resource("n:{id}", list=items)(lambda id: id)
    assert walk(server) == [item.uri for item in items]


def test_a_walk_through_every_kind_of_list_gives_each_item_once_and_in_order() -> None:
    paged = [wellhead.Resource(f"paged:{n}") for n in range(7)]
    limits = []
    with wellhead.Server("s", "1", limits=wellhead.Limits(page_items=3)) as server:

        @server.list
        def listing(after: str | None, limit: int) -> wellhead.Page:
            limits.append(limit)
            start = 0 if after is None else [item.uri for item in paged].index(after) + 1
            return wellhead.Page(paged[start : start + limit], more=start + limit < len(paged))

        given = (wellhead.Resource(f"given:{n}") for n in range(5))
        server.resource("given:{n}", list=given)(lambda n: n)
        for n in range(4):
            server.text(f"fixed:{n}", "")
        walked = pages(server)
    uris = [f"{kind}:{n}" for kind, count in (("fixed", 4), ("paged", 7), ("given", 5)) for n in range(count)]
    assert walked == [uris[n : n + 3] for n in range(0, len(uris), 3)]
    assert len(limits) > 1 and max(limits) <= 3


def test_a_list_is_the_same_for_each_request() -> None:
    server = wellhead.Server("s", "1")
    items = [wellhead.Resource(f"n:{n}") for n in range(3)]

    @server.list
    def listing(after: str | None, limit: int) -> wellhead.Page:
        return wellhead.Page(items)

    assert [walk(server) for _ in range(4)] == [[item.uri for item in items]] * 4


def test_a_list_function_may_take_the_call() -> None:
    server = wellhead.Server("s", "1")

    @server.list
    def listing(after: str | None, limit: int, call: wellhead.Call) -> wellhead.Page:
        assert not call.cancelled
        return wellhead.Page([wellhead.Resource("n:1")])

    assert walk(server) == ["n:1"]


@pytest.mark.parametrize("value", [None, [wellhead.Resource("n:1")], "n:1", 5])
def test_a_list_function_that_returns_no_page_is_an_internal_error(
    caplog: pytest.LogCaptureFixture, value: Any
) -> None:
    server = wellhead.Server("s", "1")
    server.list(lambda after, limit: value)
    assert outcome(server.connect().handle(request(1, "resources/list"))) == "Internal error"
    assert "return wellhead.Page" in caplog.text


def test_the_fallback_is_given_the_uri() -> None:
    server = wellhead.Server("s", "1")

    @server.fallback
    def anything(uri: str) -> str:
        return f"fallback for {uri}"

    assert read_or_error(server, "other:x") == "fallback for other:x"


def test_thread_true_runs_a_callback_on_another_thread() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:{id}", thread=True)
    def callback(id: int) -> str:
        return f"{id} {threading.current_thread() is threading.main_thread()}"

    assert read_or_error(server, "n:1") == "1 False"


def walk(server: wellhead.Server) -> list[str]:
    return [uri for page in pages(server) for uri in page]


def pages(server: wellhead.Server) -> list[list[str]]:
    import json

    connection, pages = server.connect(), []
    cursor: dict[str, str] = {}
    while True:
        answer = connection.handle(request(1, "resources/list", **cursor))
        assert answer is not None
        result = json.loads(answer)["result"]
        pages.append([item["uri"] for item in result["resources"]])
        if "nextCursor" not in result:
            return pages
        cursor = {"cursor": result["nextCursor"]}


def test_annotated_types_count_as_the_types_that_they_annotate() -> None:
    server = wellhead.Server("s", "1")

    @server.resource("n:{id}{?q,tags*}")
    def read(
        id: Annotated[int, "an id"],
        q: Annotated[str | None, "asked for"],
        tags: Annotated[list[Annotated[str, "a tag"]], "all"],
        call: Annotated[wellhead.Call, "the call"],
    ) -> str:
        return f"{id + 1} {q} {tags} {call.uri}"

    @server.resource("o:{id}{?q,tags*}")
    def optional(
        id: Optional[Annotated[int, "an id"]],  # noqa: UP045
        q: Annotated[Annotated[bytes, "once"], "twice"] | None,
        tags: "Annotated[List[str] | None, 'named']",  # noqa: UP006
    ) -> str:
        return f"{id} {q!r} {tags}"

    @server.list
    def listed(after: str | None, limit: int, call: Annotated[wellhead.Call, "the call"]) -> wellhead.Page:
        return wellhead.Page([wellhead.Resource(f"n:{call.revision}")])

    @server.fallback
    def fallback(uri: Annotated[str, "asked for"]) -> str:
        return uri

    with server.test_client() as client:
        assert client.read("n:4?tags=a&tags=b") == "5 None ['a', 'b'] n:4?tags=a&tags=b"
        assert client.read("o:4?q=%61") == "4 b'%61' None"
        assert client.read("p:x") == "p:x"
        assert len(client.list()) == 1

    def unsupported(id: Annotated[dict[str, int], "an id"]) -> str:
        return str(id)

    with pytest.raises(wellhead.UsageError, match="annotate it str, int, float"):
        server.resource("q:{id}")(unsupported)


@pytest.mark.skipif(sys.version_info < (3, 14), reason="Python evaluates annotations with the def")
def test_a_type_that_is_not_there_at_run_time_is_refused_only_where_it_is_needed() -> None:
    server = wellhead.Server("s", "1")

    class Own:
        def complete(self, value: str, others: Mapping[str, str], call: wellhead.Call) -> list[str]:
            return [f"{value} {call.revision}"]

    @server.authorize
    def authorize(operation: str, targets: Sequence[str], call: wellhead.Call) -> Any:
        return ["allow" for _ in targets]

    @server.resource("n:{id}", complete={"id": Own().complete})
    def read(id: str) -> str:
        return id

    with server.test_client(revision="2026-07-28") as client:
        assert client.read("n:1") == "1"
        assert client.complete("n:{id}", "id", "a") == ["a 2026-07-28"]

    def needed(id: Sequence[str]) -> None: ...

    for decorator in (server.resource("m:{id}"), server.tool, server.prompt):
        with pytest.raises(wellhead.UsageError, match=r'"Sequence\[str\]" of "id" cannot be resolved'):
            decorator(needed)

    def call(operation: str, targets: list[str], call: Missing.Call) -> Any:  # type: ignore[name-defined] # noqa: F821
        return call

    with pytest.raises(wellhead.UsageError, match=r'"Missing\.Call" of "call" cannot be resolved'):
        server.authorize(call)

    def unknown() -> Sequence[str]:
        return []

    with pytest.raises(wellhead.UsageError, match=r'"Sequence\[str\]" of "return" cannot be resolved'):
        server.tool(unknown)

    def unknown_items() -> list[Missing]:  # type: ignore[name-defined] # noqa: F821
        return []

    with pytest.raises(wellhead.UsageError, match=r'"list\[Missing\]" of "return" cannot be resolved'):
        server.tool(unknown_items)


@pytest.mark.skipif(sys.version_info < (3, 14), reason="Python evaluates annotations with the def")
def test_a_call_that_is_not_there_at_run_time_is_refused_within_another_type() -> None:
    server = wellhead.Server("s", "1")

    def optional(params: dict[str, Any], call: Optional[Call] = None) -> dict[str, Any]:  # noqa: UP045
        return params

    def annotated(params: dict[str, Any], call: Annotated[Call, "the call"]) -> dict[str, Any]:
        return params

    class Bound:
        def method(self, params: dict[str, Any], call: Optional[Call] = None) -> dict[str, Any]:  # noqa: UP045
            return params

    for function in (optional, annotated, Bound().method):
        for decorator in (server.method("x/y"), server.fallback, server.tool):
            with pytest.raises(wellhead.UsageError, match=r'Call.*" of "call" cannot be resolved'):
                decorator(function)


@pytest.mark.skipif(sys.version_info < (3, 14), reason="Python evaluates annotations with the def")
def test_a_class_whose_arguments_have_unknown_types_may_be_a_callback() -> None:
    server, seen = wellhead.Server("s", "1"), []

    class Published:
        def __init__(self, event: Sequence[str]) -> None:
            seen.append(event)

    server.on_publish(Published)
    server.notify_updated("n:1")
    assert len(seen) == 1


def test_a_parameter_for_a_call_or_none_is_given_the_call() -> None:
    server = wellhead.Server("s", "1")
    seen = []

    @server.authorize
    def authorize(operation: str, targets: list[str], call: wellhead.Call | None = None) -> list[str]:
        seen.append(call)
        return ["allow" for _ in targets]

    @server.resource("n:{id}")
    def read(id: str, call: "wellhead.Call | None" = None) -> str:
        seen.append(call)
        return id

    def complete(value: str, call: Optional[wellhead.Call] = None) -> list[str]:  # noqa: UP045
        seen.append(call)
        return [value]

    @server.method("x/y")
    def method(params: dict[str, Any], call: Annotated[wellhead.Call | None, "the call"] = None) -> dict[str, Any]:
        seen.append(call)
        return params

    @server.list
    def listed(after: str | None, limit: int, call: wellhead.Call | None = None) -> wellhead.Page:
        seen.append(call)
        return wellhead.Page([])

    @server.tool
    def tool(call: wellhead.Call | None = None) -> None:
        seen.append(call)

    @server.prompt(complete={"word": complete})
    def prompt(word: str, call: wellhead.Call | None = None) -> str:
        seen.append(call)
        return word

    with server.test_client() as client:
        client.read("n:1")
        client.request("x/y")
        client.list()
        client.call_tool("tool")
        client.get_prompt("prompt", {"word": "a"})
        assert client.complete("prompt", "word", "a") == ["a"]
    assert len(seen) > 6 and all(isinstance(call, wellhead.Call) for call in seen)
