"""Tools whose functions have their arguments by name, with type hints."""

from __future__ import annotations

import re
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

from wellhead import _core, _parameters, _schema
from wellhead._errors import ToolError, UsageError
from wellhead._notes import without_notes
from wellhead._parameters import MISSING, refusal
from wellhead._results import Audio, Image, Result, result
from wellhead._schema import Field, Hints, Mismatch, Unsupported

if typing.TYPE_CHECKING:
    from collections.abc import Awaitable
    from concurrent.futures import Future
    from typing import TypeAlias

    _Json: TypeAlias = Any
    _Object: TypeAlias = dict[str, Any]
    _Given: TypeAlias = dict[str, Any]  # what was given to `Server.tool`, by name


#: The names of members in a definition, by the keywords of `Server.tool` that have other names.
MEMBERS = {"input_schema": "inputSchema", "output_schema": "outputSchema", "meta": "_meta"}


def plan(
    function: Any, name: str | None, definition: _Object | None, given: _Given
) -> tuple[str, _Object, Any, _Object]:
    """Returns (name, definition, function of the arguments, completers) of a tool, which has no completers."""
    name = named(function, name, "tool")
    members = merged(definition, given)
    if definition is None and "input_schema" not in given:
        function = typed(function, name, members)
    return name, members, function, {}


def named(function: Any, name: str | None, decorator: str) -> str:
    """Returns the given name, or that of the function. Raises UsageError if there is none."""
    if name is None:
        name = getattr(function, "__name__", None)
        if name is None or name == "<lambda>":
            raise refusal(function, f'it has no name; write @server.{decorator}("its_name")')
    return name


def merged(definition: _Object | None, given: _Given) -> _Object:
    """Returns the members of a definition together with those that keywords name."""
    members = dict(definition or {})
    for keyword, value in given.items():
        member = MEMBERS.get(keyword, keyword)
        if member in members:
            why = f'the definition has "{member}" already; leave out {keyword}='
            raise UsageError(why, "invalid_argument")
        members[member] = value
    return members


def typed(function: Any, name: str, members: _Object) -> Any:
    """Returns a function that takes the arguments as a dict and calls `function`. Adds the name, description
    and schemas of `function` to `members`.
    """
    hints = Hints()
    fields: dict[str, Field] = {}
    call_name = None
    description, texts = documented(_parameters.description(function))
    resolved = type_hints(function)
    for parameter, annotation, default, _ in _parameters.signature(function):
        if _parameters.is_call(annotation):
            call_name = parameter
            continue
        hint = resolved.get(parameter, Any if annotation is MISSING else annotation)
        try:
            found = _schema.field(hints, hint, default)
        except Unsupported as e:
            raise refusal(
                function, f'the parameter "{parameter}": {e}; give input_schema= to take the arguments as a dict'
            ) from e
        if parameter in texts:
            found.hint = found.hint.with_default_text(texts[parameter])
        fields[parameter] = found
    if description is not None:
        members.setdefault("description", description)
    members["inputSchema"] = hints.whole({**_schema.object_schema(fields), "additionalProperties": False})
    if "outputSchema" not in members:
        schema = output_schema(function)
        if schema is not None:
            members["outputSchema"] = schema
    structured = "outputSchema" in members
    return caller(function, name, call_name, keywords(name, fields), lambda value: result(value, structured))


def output_schema(function: Any) -> _Object | None:
    """Returns the schema of a function's return type. Returns None for texts and content blocks, and without a
    return type.
    """
    known = type_hints(function)
    annotation = known["return"] if "return" in known else bare_return(function)
    plain, _ = without_notes(annotation)
    if plain in (str, types.NoneType, Any, object) or is_content(plain):
        return None
    hints = Hints("serialization")
    try:
        schema = hints.read(annotation).schema
    except Unsupported:
        return None  # what it returns is looked at when it is there
    reference = schema.get("$ref", "").removeprefix("#/$defs/")
    if reference in hints.definitions and schema.keys() == {"$ref"}:
        root = hints.definitions[reference]
        if f'"#/$defs/{reference}"' not in str(hints.definitions).replace("'", '"'):
            del hints.definitions[reference]  # a root that says what it is, for clients that follow no references there
            return hints.whole(root)
        schema = {"type": root.get("type", "object"), **schema}  # it contains itself
    return hints.whole(schema) if schema else None


def bare_return(function: Any) -> Any:
    """Returns the return type of a function whose type hints have unknown names."""
    import inspect

    function = inspect.unwrap(function)
    annotation = _parameters.annotations_of(_parameters.with_code(function)).get("return", Any)
    return _parameters.resolved(function, "return", annotation)


def type_hints(function: Any) -> _Object:
    """Returns a function's type hints with names in quotes resolved, such as `list["Point"]`. Empty if a name
    is unknown.
    """
    import inspect

    function = _parameters.with_code(inspect.unwrap(_parameters.without_partial(function)))
    hinted = function
    try:
        if sys.version_info < (3, 11):  # it would add None to the type of a parameter whose default is None
            hinted = types.SimpleNamespace(__annotations__=function.__annotations__, __wrapped__=function)
        return typing.get_type_hints(hinted, localns=_parameters.closure(function), include_extras=True)
    except (NameError, TypeError, SyntaxError, AttributeError):
        return {}


def is_content(hint: Any) -> bool:
    if isinstance(hint, type) and issubclass(hint, (Result, Image, Audio)):
        return True
    return any(is_content(without_notes(one)[0]) for one in getattr(hint, "__args__", ()))


def keywords(name: str, fields: dict[str, Field]) -> Callable[[_Object], _Object]:
    """Makes the function that converts the arguments of a tool."""
    converted = {one: field.hint.convert for one, field in fields.items() if field.hint.convert is not None}
    made = {one: field.make for one, field in fields.items() if field.make is not None}

    def convert(arguments: _Object) -> _Object:  # all of them are parameters: the schema allows no others
        for one, converter in converted.items():
            if one in arguments:
                try:
                    arguments[one] = converter(arguments[one])
                except Mismatch as e:
                    raise ToolError(f"Invalid arguments for tool {name}:\n- {path(one, *e.path)}: {e.why}") from e
        for one, make in made.items():
            if one not in arguments:
                arguments[one] = make()
        return arguments

    return convert


def caller(
    function: Any,
    name: str,
    call_name: str | None,
    keywords: Callable[[_Object], _Object],
    result: Callable[[Any], _Object],
) -> Any:
    """Makes the function that takes the arguments as a dict, of one that takes them by name."""
    run: Callable[..., Any]
    if _parameters.is_async(function):
        if call_name is None:

            async def run(arguments: dict) -> Any:  # type: ignore[type-arg]
                return result(await function(**keywords(arguments)))
        else:

            async def run(arguments: dict, call: _core.Call) -> Any:  # type: ignore[type-arg]
                return result(await function(**keywords(arguments), **{call_name: call}))
    elif call_name is None:

        def run(arguments: dict) -> Any:  # type: ignore[type-arg]
            return finished(function(**keywords(arguments)), result)
    else:

        def run(arguments: dict, call: _core.Call) -> Any:  # type: ignore[type-arg]
            return finished(function(**keywords(arguments), **{call_name: call}), result)

    run.__name__ = run.__qualname__ = name
    return run


def finished(value: Any, result: Callable[[Any], _Object]) -> Any:
    """Returns the result for the value that a `def` returned. If that is a coroutine or a future, returns one
    of the result.
    """
    if hasattr(value, "__await__"):
        return awaited(value, result)
    if hasattr(value, "add_done_callback") and hasattr(value, "result"):
        return chained(value, result)
    return result(value)


async def awaited(value: Awaitable[Any], result: Callable[[Any], _Object]) -> _Object:
    return result(await value)


def chained(future: Future[Any], result: Callable[[Any], _Object]) -> Future[_Object]:
    from concurrent.futures import Future

    answer: Future[_Object] = Future()

    def done(future: Future[Any]) -> None:
        try:
            answer.set_result(result(future.result()))
        except BaseException as e:
            answer.set_exception(e)

    future.add_done_callback(done)
    return answer


def path(*steps: str | int) -> str:
    """Returns the path to a value as the core writes it, such as `edits[0].text`."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif re.fullmatch(r"[A-Za-z_]\w*", step, re.ASCII):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text


def documented(text: str | None) -> tuple[str | None, dict[str, str]]:
    """Returns the description in a docstring, and by parameter the text of its `Args:` or `:param …:`."""
    if text is None:
        return None, {}
    kept: list[str] = []
    said: dict[str, str] = {}
    inside = False
    name = None
    for line in text.split("\n"):
        if found := re.fullmatch(r":param (?:[^:]* )?\*{0,2}(\w+):\s*(.*)", line.strip()):
            name = found[1]
            said[name] = found[2]
        elif re.fullmatch(r"(Args|Arguments|Parameters):", line.strip()):
            inside, name = True, None
        elif inside and (found := re.fullmatch(r"\s+(\w+)\s*(?:\([^)]*\))?:\s*(.*)", line)):
            name = found[1]
            said[name] = found[2]
        elif line[:1] == " " and name is not None and line.strip():
            said[name] = f"{said[name]} {line.strip()}".strip()
        elif not line.strip():
            name = None if not inside else name
            kept.append("")
        else:
            inside, name = False, None
            kept.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip() or None, said
