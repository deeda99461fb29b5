"""Messages of exceptions after mistakes in registrations, word for word. `test_logged.py` has the lines of the log."""

from collections.abc import Callable
from enum import Enum
from typing import Any, Literal

import pytest
import wellhead
from mistakes import Mistake, each


class Empty(Enum):
    pass


def f() -> str:
    return "x"


def takes_a_server(server: wellhead.Server) -> None: ...


def takes_a_set_of_dicts(objects: set[dict[str, int]]) -> None:
    pass


def takes_nan(limit: float = float("nan")) -> str:
    return ""


def takes_numbers_by_number(numbers: dict[int, int]) -> None: ...


async def later() -> str:
    return "x"


async def echo(event: str) -> None:
    pass


def unresolvable(x: "Missing") -> str:  # type: ignore[name-defined] # noqa: F821
    return "x"


def wrong_variable(ident: str) -> str:
    return ident


def annotated(annotation: Any) -> Callable[[Any], object]:
    """Registers a function whose parameter has the annotation."""

    def f(id: Any) -> str:
        return str(id)

    f.__annotations__["id"] = annotation
    return lambda server: server.resource("a://{id}")(f)


def two_templates(server: Any) -> None:
    server.resource("a://{x}")(lambda x: x)
    server.resource("a://{y}")(lambda y: y)


def twice(server: Any) -> None:
    for _ in range(2):
        server.resource("a://{x}")(lambda x: x)


def twice_fixed(server: Any) -> None:
    server.text("a:b", "x")
    server.text("a:b", "y")


def after_close(server: Any) -> None:
    server.close()
    server.text("a:b", "x")


def run_after_close(server: Any) -> None:
    server.close()
    server.run()


MISTAKES: list[Mistake] = [
    # Registering.
    Mistake(
        "a URI twice",
        twice_fixed,
        wellhead.UsageError,
        '"a:b" is registered already; set its contents, or remove it first',
    ),
    Mistake(
        "a template twice",
        twice,
        wellhead.UsageError,
        "the URI template `a://{x}` is registered already; remove it first",
    ),
    Mistake(
        "two templates for the same",
        two_templates,
        wellhead.UsageError,
        "the URI templates `a://{y}` and `a://{x}` can match the same URI, and neither is more specific; "
        "make their fixed text differ",
    ),
    Mistake(
        "a template to text()",
        lambda server: server.text("a://{id}", "x"),
        wellhead.UsageError,
        '"a://{id}": `{` is not allowed in a URI; a URI template was probably meant: register it as one (at byte 4)',
    ),
    Mistake(
        "a relative URI",
        lambda server: server.text("hello", "x"),
        wellhead.UsageError,
        '"hello": not an absolute URI: it does not begin with a scheme and a colon, as in `notes:` (at byte 5)',
    ),
    Mistake(
        "a relative template",
        lambda server: server.resource("hello/{x}")(lambda x: x),
        wellhead.UsageError,
        '"hello/{x}": the template does not begin with a scheme and a colon, as in `notes:`, '
        "and would never match a URI (at byte 0)",
    ),
    Mistake(
        "an unclosed brace",
        lambda server: server.resource("a://{x")(lambda x: x),
        wellhead.UsageError,
        '"a://{x": this `{` has no closing `}` (at byte 4)',
    ),
    Mistake(
        "a relative URI that changed",
        lambda server: server.notify_updated("zzz"),
        wellhead.UsageError,
        '"zzz": not an absolute URI: it does not begin with a scheme and a colon, as in `notes:` (at byte 3)',
    ),
    Mistake("a closed server", after_close, wellhead.ClosedError, "the server is closed; make a new one"),
    Mistake("a closed server runs", run_after_close, wellhead.ClosedError, "the server is closed; make a new one"),
    Mistake(
        "nothing to remove",
        lambda server: server.remove_resource("a:b"),
        wellhead.UsageError,
        'nothing is registered as "a:b"',
    ),
    Mistake(
        "no list source to remove",
        lambda server: server.remove_list("rows"),
        wellhead.UsageError,
        'no list source is registered as "rows"',
    ),
    Mistake(
        "no method to remove",
        lambda server: server.remove_method("x/a"),
        wellhead.UsageError,
        'no method is registered as "x/a"',
    ),
    # Decorators.
    Mistake(
        "resource without parentheses",
        lambda server: server.resource(f),
        TypeError,
        'resource needs a URI or a URI template: write @server.resource("notes://{id}")',
    ),
    Mistake(
        "a tool without a name",
        lambda server: server.tool(lambda a: a),
        wellhead.UsageError,
        '<lambda>.<locals>.<lambda>: it has no name; write @server.tool("its_name")',
    ),
    Mistake(
        "a tool with a hint that is no JSON",
        lambda server: server.tool("t")(takes_a_server),
        wellhead.UsageError,
        'takes_a_server: the parameter "server": there is no JSON Schema for Server; '
        "give input_schema= to take the arguments as a dict",
    ),
    Mistake(
        "a tool with a default that is no JSON",
        lambda server: server.tool("t")(takes_nan),
        wellhead.UsageError,
        'takes_nan: the parameter "limit": JSON does not have its default, nan; '
        "give input_schema= to take the arguments as a dict",
    ),
    Mistake(
        "a tool with keys that are no str",
        lambda server: server.tool("t")(takes_numbers_by_number),
        wellhead.UsageError,
        'takes_numbers_by_number: the parameter "numbers": the keys of a JSON object are str, not int; '
        "give input_schema= to take the arguments as a dict",
    ),
    Mistake(
        "a tool with a set of objects",
        lambda server: server.tool("t")(takes_a_set_of_dicts),
        wellhead.UsageError,
        'takes_a_set_of_dicts: the parameter "objects": a set cannot hold dict[str, int], which has no hash; use list; '
        "give input_schema= to take the arguments as a dict",
    ),
    Mistake(
        "a tool with * ",
        lambda server: server.tool("t")(lambda *a: a),
        wellhead.UsageError,
        "<lambda>.<locals>.<lambda>: * and ** do not say what to give; name the parameters",
    ),
    Mistake(
        "a tool with two schemas",
        lambda server: server.tool("t", {"inputSchema": {}}, input_schema={})(lambda arguments: {}),
        wellhead.UsageError,
        'the definition has "inputSchema" already; leave out input_schema=',
    ),
    Mistake(
        "a prompt without a name",
        lambda server: server.prompt(lambda a: a),
        wellhead.UsageError,
        '<lambda>.<locals>.<lambda>: it has no name; write @server.prompt("its_name")',
    ),
    Mistake(
        "a prompt with a hint that is no text",
        lambda server: server.prompt("p")(takes_a_server),
        wellhead.UsageError,
        'takes_a_server: the parameter "server": a text is no Server; '
        "annotate it str, int, float, bool, a date, a UUID, a Path, an enum or a Literal, "
        "or give a definition to take the arguments as a dict",
    ),
    Mistake(
        "a prompt with * ",
        lambda server: server.prompt("p")(lambda *a: a),
        wellhead.UsageError,
        "<lambda>.<locals>.<lambda>: * and ** do not say what to give; name the parameters",
    ),
    Mistake(
        "a prompt with two titles",
        lambda server: server.prompt("p", {"title": "a"}, title="b")(lambda arguments: {}),
        wellhead.UsageError,
        'the definition has "title" already; leave out title=',
    ),
    Mistake(
        "a completer of no argument",
        lambda server: server.prompt("p", complete={"toppic": ["a"]})(lambda topic: topic),
        wellhead.UsageError,
        'complete= has "toppic", which is no parameter (there is: topic)',
    ),
    Mistake(
        "a member that prompts do not have",
        lambda server: server.prompt("p", titel="a"),
        TypeError,
        "prompt() got an unexpected keyword argument 'titel'; did you mean 'title'?",
    ),
    Mistake(
        "method without parentheses",
        lambda server: server.method(f),
        TypeError,
        'method needs the name of a method: write @server.method("notes/search")',
    ),
    Mistake(
        "text as a decorator",
        lambda server: server.text("a:b")(f),
        TypeError,
        "Server.text() missing 1 required positional argument: 'body'",
    ),
    Mistake(
        "authorize of no function",
        lambda server: server.authorize(3),
        wellhead.UsageError,
        "3: it is no function",
    ),
    Mistake(
        "on_publish of no function",
        lambda server: server.on_publish(3),
        wellhead.UsageError,
        "3: it is no function",
    ),
    Mistake(
        "on_publish of a function without a parameter",
        lambda server: server.on_publish()(f),
        wellhead.UsageError,
        "f: it takes (event)",
    ),
    Mistake(
        "on_publish of an async def",
        lambda server: server.on_publish(echo),
        wellhead.UsageError,
        "on_publish calls its function at once; make it a def",
    ),
    # Parameters.
    Mistake(
        "a variable of another name",
        lambda server: server.resource("a://{id}")(wrong_variable),
        wellhead.UsageError,
        'wrong_variable: the parameter "ident" is no variable of the template (there is: id); '
        "a parameter annotated wellhead.Call is given the call",
    ),
    *(
        Mistake(
            f"annotated {shown}",
            annotated(annotation),
            wellhead.UsageError,
            f'annotated.<locals>.f: "id" cannot be made {shown}: '
            "annotate it str, int, float, bool, bytes, a date, a UUID, a Path, an enum or a Literal",
        )
        for annotation, shown in [
            (dict, "dict"),
            (list[str], "list[str]"),
            (int | str, "int | str"),
            (Literal[None], "typing.Literal[None]"),
            (Empty, "Empty"),
            (wellhead.Server, "Server"),
        ]
    ),
    Mistake(
        "keywords of any name",
        lambda server: server.resource("a://{id}")(lambda **kw: "x"),
        wellhead.UsageError,
        "<lambda>.<locals>.<lambda>: * and ** do not say what to give; name the parameters",
    ),
    Mistake(
        "an annotation that names nothing",
        lambda server: server.resource("a://{x}")(unresolvable),
        wellhead.UsageError,
        'unresolvable: the annotation "Missing" of "x" cannot be resolved (name \'Missing\' is not defined); '
        "it is needed at run time",
    ),
    Mistake(
        "a list without limit",
        lambda server: server.list(lambda after: wellhead.Page([])),
        wellhead.UsageError,
        "<lambda>.<locals>.<lambda>: it takes (after, limit), and a wellhead.Call if it wants one",
    ),
    Mistake(
        "a tool with typed parameters",
        lambda server: server.tool("t", {})(lambda a, b: a + b),
        wellhead.UsageError,
        "<lambda>.<locals>.<lambda>: it takes (arguments), and a wellhead.Call if it wants one",
    ),
    Mistake(
        "a verifier without a token",
        lambda server: server.asgi(verify=lambda: True),
        wellhead.UsageError,
        "<lambda>.<locals>.<lambda>: it takes (token), and a wellhead.Call if it wants one",
    ),
    Mistake(
        "an observer without a parameter",
        lambda server: wellhead.Server("s", "1", observe=lambda: None),  # type: ignore[arg-type,misc]
        wellhead.UsageError,
        "<lambda>.<locals>.<lambda>: it takes (observed)",
    ),
    Mistake(
        "thread=True of an async def",
        lambda server: server.resource("a:b", thread=True)(later),
        wellhead.UsageError,
        "later: thread=True is for a def; an async def runs on the event loop",
    ),
]


@each(MISTAKES)
def test_a_mistake_raises_its_error(mistake: Mistake) -> None:
    mistake.is_refused()


@pytest.mark.parametrize("decorate", [lambda server: server.on_publish, lambda server: server.on_publish()])
def test_on_publish_may_be_written_with_and_without_parentheses(decorate: Any) -> None:
    published: list[str] = []

    def publish(event: str) -> None:
        published.append(event)

    with wellhead.Server("s", "1") as server:
        assert decorate(server)(publish) is publish
        server.notify_updated("a:b")
    assert len(published) == 1


@pytest.mark.parametrize(
    ("uri", "warnings"),
    [
        ("m://e/:id/rows", ['"m://e/:id/rows" is a fixed URI; a variable is written {id} and not :id']),
        ("m://e/:id", ['"m://e/:id" is a fixed URI; a variable is written {id} and not :id']),
        ("m://e/a:b", []),
        ("m://e/{id}/:end", []),
    ],
)
def test_a_variable_written_as_in_web_frameworks_is_a_warning(
    uri: str, warnings: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with wellhead.Server("s", "1") as server:
        server.resource(uri)(lambda: "x")
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("WARNING", warning) for warning in warnings
    ]
