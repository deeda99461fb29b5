"""The arguments that a callback needs, found out once, at registration."""

from __future__ import annotations

import sys
import types

from wellhead import _core
from wellhead._errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from inspect import Parameter
    from typing import Any, TypeAlias

    _Convert: TypeAlias = Callable[[Any], Any]
    _Resolve: TypeAlias = Callable[[Any, str, Any], Any]  # function, parameter, annotation
    _Argument: TypeAlias = tuple[str, int, Any, bool, _Convert | None]
    _Plan: TypeAlias = tuple[list[_Argument], bool, str | None, str | None, dict[str, "Values"]]
    _Positional: TypeAlias = tuple[Callable[..., Any], bool, str | None, int]
    _Parameter: TypeAlias = tuple[str, Any, Any, bool]  # name, annotation, default, keyword_only

# The numbers are those of `Kind` in arguments.rs.
CALL, URI, STR, INT, BYTES, LIST, MAYBE_LIST = range(7)
SCALARS = {str: STR, int: INT, bytes: BYTES}

COROUTINE = 0x80  # inspect.CO_COROUTINE
VARARGS = 0x04 | 0x08  # inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
MISSING = object()


def plan(function: Any, variables: list[tuple[str, bool, bool]], uri: bool) -> _Plan:
    """Returns (parameters, is_async, name, description, completers) of a callback that reads.

    `variables` are the template's: (name, optional, list). `uri`: a parameter `uri` is the URI that was asked for.
    The completers are those of variables whose type has few values.
    """
    known = {name: (optional, is_list) for name, optional, is_list in variables}
    parameters = []
    completers = {}
    for name, annotation, default, keyword_only in signature(function):
        kind, default, convert, choices = parameter(function, name, annotation, default, known, uri)
        if kind is not None:
            parameters.append((name, kind, default, keyword_only, convert))
        if choices is not None:
            completers[name] = choices
    own = getattr(function, "__name__", None)
    return parameters, is_async(function), None if own == "<lambda>" else own, description(function), completers


def parameter(
    function: Any, name: str, annotation: Any, default: Any, known: dict[str, tuple[bool, bool]], uri: bool
) -> tuple[int | None, Any, _Convert | None, Values | None]:
    """Returns (kind, default, convert, completer) of one parameter. The kind is None if the parameter keeps
    its default.
    """
    if is_call(annotation):
        return CALL, None, None, None
    annotation, default, make = noted(annotation, default)
    if uri and name == "uri":
        if bare(annotation) not in (MISSING, str) or is_guarded(annotation):
            raise refusal(function, f'the parameter "uri" is a str, not {show(annotation)}')
        return URI, None, None, None
    if name not in known:
        if default is not MISSING and make is None:
            return None, None, None, None
        choice = ", ".join(known) or ("uri" if uri else "none")
        raise refusal(
            function,
            f'the parameter "{name}" is no variable of the template (there is: {choice}); '
            "a parameter annotated wellhead.Call is given the call",
        )
    optional, is_list = known[name]
    wanted, may_be_none = without_none(annotation)
    simple = bare(wanted)
    guarded = is_guarded(wanted)
    if is_list:
        kind = MAYBE_LIST if may_be_none or default is not MISSING else LIST
        plain = simple is MISSING or simple is list or is_list_of_str(simple)
    else:
        kind = STR if guarded else SCALARS.get(simple, STR)
        plain = simple is MISSING or simple in SCALARS
    plain = plain and not guarded
    convert, choices = (None, None) if plain else converter(function, name, wanted, is_list)
    if is_field(default):
        raise refusal(function, f'"{name}" has a default_factory, which is for tools and prompts; give it a default')
    if default is MISSING:
        default = None
        if optional and kind != LIST and annotation is not MISSING and not may_be_none:
            raise refusal(
                function,
                f'"{name}" may be absent from the URI: annotate it {show(annotation)} | None, or give it a default',
            )
    return kind, default, convert, choices


def converter(function: Any, name: str, wanted: Any, is_list: bool) -> tuple[_Convert, Values | None]:
    """Returns the function that makes the value of a variable from its text or texts, and the completer of its
    type.
    """
    from wellhead._schema import Unsupported
    from wellhead._texts import variable

    simple = bare(wanted)
    try:
        if not is_list or (getattr(simple, "__origin__", None) is list and len(simple.__args__) == 1):
            return variable(wanted, is_list)
    except Unsupported as e:
        if is_guarded(wanted):
            raise refusal(function, f'"{name}" cannot be made {show(wanted)} ({e}); check it in the function') from e
    if is_list:
        raise refusal(function, f'"{name}" is exploded: annotate it list[str], not {show(wanted)}')
    what = "str, int, float, bool, bytes, a date, a UUID, a Path, an enum or a Literal"
    raise refusal(function, f'"{name}" cannot be made {show(wanted)}: annotate it {what}')


def noted(annotation: Any, default: Any) -> tuple[Any, Any, Callable[[], Any] | None]:
    """Returns (annotation, default, make) of a parameter.

    A default that is a `Field(…)` of pydantic is a note in `Annotated`, and may have a default of its own, which
    `make` returns. With a `default_factory`, `default` stays the `Field`, since each call has a value of its own.
    """
    if not is_field(default):
        return annotation, default, None
    from functools import partial
    from typing import Annotated, Any

    annotation = Annotated[Any if annotation is MISSING else annotation, default]
    if default.is_required():
        return annotation, MISSING, None
    make = partial(default.get_default, call_default_factory=True)
    return annotation, make() if default.default_factory is None else default, make


def is_field(default: Any) -> bool:
    """Returns whether a default is a `Field(…)` of pydantic."""
    pydantic = sys.modules.get("pydantic.fields")  # a value of its making proves that it was imported
    return pydantic is not None and isinstance(default, pydantic.FieldInfo)


def without_none(annotation: Any) -> tuple[Any, bool]:
    """Returns (X, True) for `X | None`, and (annotation, False) for another annotation. X has the notes in the
    `Annotated` of both.
    """
    union = bare(annotation)
    if isinstance(union, types.UnionType) or is_typing_union(union):
        rest = [one for one in union.__args__ if one is not type(None)]
        if len(rest) == 1 and len(rest) < len(union.__args__):
            return (rest[0] if union is annotation else with_notes_of(annotation, rest[0])), True
    return annotation, False


def is_call(annotation: Any) -> bool:
    """Returns whether a parameter is given the call."""
    return bare(without_none(annotation)[0]) is _core.Call


def with_notes_of(annotation: Any, hint: Any) -> Any:
    """Returns a hint with the notes in the `Annotated` of an annotation."""
    from typing import Annotated

    from wellhead._notes import without_notes

    notes = without_notes(annotation)[1]
    parts = (hint, *notes)
    return Annotated[parts] if notes else hint


def is_guarded(annotation: Any) -> bool:
    """Returns whether notes in `Annotated` restrict or change the values, or the items of a list."""
    plain = bare(annotation)
    if plain is not annotation:
        from wellhead._notes import guards, without_notes

        if guards(without_notes(annotation)[1]):
            return True
    return getattr(plain, "__origin__", None) is list and any(map(is_guarded, plain.__args__))


def bare(annotation: Any) -> Any:
    """Returns X for `Annotated[X, …]`, a `NewType` of X and an alias of X."""
    while True:
        if hasattr(annotation, "__metadata__"):
            annotation = annotation.__origin__
        elif hasattr(annotation, "__supertype__"):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        else:
            return annotation


def is_list_of_str(annotation: Any) -> bool:
    arguments = getattr(annotation, "__args__", ())
    return getattr(annotation, "__origin__", None) is list and [bare(one) for one in arguments] == [str]


def is_typing_union(annotation: Any) -> bool:
    typing = sys.modules.get("typing")  # an annotation of its making proves that it was imported
    return typing is not None and getattr(annotation, "__origin__", None) is typing.Union


def signature(function: Any) -> list[_Parameter]:
    """Returns (name, annotation, default, keyword_only) of each parameter of a function."""
    found = fixed_signature(function)
    if found is None:
        raise refusal(function, "* and ** do not say what to give; name the parameters")
    return found


def fixed_signature(
    function: Any, resolve: _Resolve | None = None, assumed: list[_Parameter] | None = None
) -> list[_Parameter] | None:
    """Returns what `signature` does, or None for a function with a parameter * or **.

    resolve: Used in place of `resolved` for annotations.
    assumed: The parameters of a function of C whose signature cannot be read. If None, it is refused.
    """
    if not isinstance(function, types.FunctionType) or hasattr(function, "__wrapped__"):
        return from_inspect(function, resolve, assumed)
    code = function.__code__
    if code.co_flags & VARARGS:
        return None
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    defaults = function.__defaults__ or ()
    first_default = code.co_argcount - len(defaults)
    keyword_defaults = function.__kwdefaults__ or {}
    annotations = annotations_of(function)
    found = []
    for at, name in enumerate(names):
        keyword_only = at >= code.co_argcount
        if keyword_only:
            default = keyword_defaults.get(name, MISSING)
        else:
            default = defaults[at - first_default] if at >= first_default else MISSING
        annotation = annotations.get(name, MISSING)
        found.append((name, (resolve or resolved)(function, name, annotation), default, keyword_only))
    return found


def from_inspect(function: Any, resolve: _Resolve | None, assumed: list[_Parameter] | None) -> list[_Parameter] | None:
    """Returns the parameters of any callable, as `fixed_signature` does."""
    import inspect

    if not callable(function):
        raise refusal(function, "it is no function")
    try:
        parameters = inspect_parameters(function)
    except (TypeError, ValueError) as e:
        if assumed is not None:
            return assumed
        raise refusal(function, f"its signature cannot be read ({e}); wrap it in a def") from e
    found = []
    for one in parameters:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            return None
        annotation = MISSING if one.annotation is one.empty else one.annotation
        default = MISSING if one.default is one.empty else one.default
        annotation = (resolve or resolved)(inspect.unwrap(function), one.name, annotation)
        found.append((one.name, annotation, default, one.kind == one.KEYWORD_ONLY))
    return found


def annotations_of(function: Any) -> dict[str, Any]:
    """Returns the annotations of a function. From Python 3.14 on, one with an unknown name is its text."""
    try:
        return getattr(function, "__annotations__", {})
    except NameError:
        if sys.version_info >= (3, 14):
            from annotationlib import Format, get_annotations

            texts = get_annotations(function, format=Format.STRING)
            found = get_annotations(function, format=Format.FORWARDREF)
            return {name: texts[name] if has_unknown(one) else one for name, one in found.items()}
        raise


def inspect_parameters(function: Any) -> list[Parameter]:
    """Returns the parameters of any callable, with annotations as `annotations_of` has them."""
    import inspect

    try:
        return list(inspect.signature(function).parameters.values())
    except NameError:
        if sys.version_info >= (3, 14):
            from annotationlib import Format

            texts = inspect.signature(function, annotation_format=Format.STRING).parameters
            found = inspect.signature(function, annotation_format=Format.FORWARDREF).parameters
            return [texts[name] if has_unknown(one.annotation) else one for name, one in found.items()]
        raise


def has_unknown(annotation: Any) -> bool:
    """Returns whether an annotation has a `ForwardRef`, which stands for an unknown name from Python 3.14 on."""
    parts = (*getattr(annotation, "__args__", ()), *getattr(annotation, "__metadata__", ()))
    return type(annotation).__name__ == "ForwardRef" or any(map(has_unknown, parts))


def resolved(function: Any, name: str, annotation: Any) -> Any:
    """Returns the type that a string annotation names; another annotation unchanged."""
    if not isinstance(annotation, str):
        return annotation
    function = with_code(function)
    try:
        return eval(annotation, function.__globals__, closure(function))
    except Exception as e:
        raise refusal(
            function,
            f'the annotation "{annotation}" of "{name}" cannot be resolved ({e}); it is needed at run time',
        ) from e


def resolved_call(function: Any, name: str, annotation: Any) -> Any:
    """Returns what `resolved` does, or `MISSING` if the annotation has an unknown name and is not about a `Call`."""
    try:
        return resolved(function, name, annotation)
    except UsageError:
        import re

        if re.search(r"\bCall\b", annotation):
            raise
        return MISSING


def with_code(function: Any) -> Any:
    """Returns the function of a partial, of a method, or of an instance with `__call__`."""
    function = without_partial(function)
    function = getattr(function, "__func__", function)
    return function if hasattr(function, "__code__") else type(function).__call__


def without_partial(function: Any) -> Any:
    """Returns the function of a `functools.partial`. Another object may have a `func` that it wraps differently."""
    functools = sys.modules.get("functools")  # a partial proves that it was imported
    while functools is not None and isinstance(function, functools.partial):
        function = function.func
    return function


def closure(function: Any) -> dict[str, Any]:
    """Returns the variables that a function has from the functions around it, by name."""
    return dict(zip(function.__code__.co_freevars, map(contents, function.__closure__ or ()), strict=False))


def contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def listing(given: Any) -> _Positional:
    """Returns the plan of a list callback: a function (after, limit), or the items themselves."""
    if callable(given):
        return positional(given, ("after", "limit"), 2, True)
    return Items(given), False, None, 2


def completer(given: Any) -> _Positional:
    """Returns the plan of a completer: a function (value) or (value, others), or the values themselves."""
    if isinstance(given, Values):
        return given, False, None, 1
    if callable(given):
        return positional(given, ("value", "others"), 1, True)
    return Values(given), False, None, 1


def positional(function: Any, names: tuple[str, ...], required: int, may_want_call: bool) -> _Positional:
    """Returns (function, is_async, call, count) of a callback that takes these arguments by position, under
    any names.

    `call` is the name of the parameter that is given the call. `count` is how many of the arguments it takes: at least
    `required`, and more if it has parameters for them without a default.
    """
    assumed = [(name, MISSING, MISSING, False) for name in names[:required]]
    parameters = fixed_signature(function, resolved_call, assumed)
    if parameters is None:
        return function, is_async(function), None, len(names)  # * takes anything
    call = next((name for name, annotation, _, _ in parameters if is_call(annotation)), None)
    needed = [name for name, _, default, _ in parameters if default is MISSING and name != call]
    first: list[str] = []
    for name, _, default, keyword_only in parameters[: len(names)]:
        if keyword_only or name == call or (len(first) >= required and default is not MISSING):
            break
        first.append(name)
    if len(first) < required or not set(needed) <= set(first) or (call is not None and not may_want_call):
        takes = ", ".join(names[:required]) + "".join(f"[, {name}]" for name in names[required:])
        also = ", and a wellhead.Call if it wants one" if may_want_call else ""
        raise refusal(function, f"it takes ({takes}){also}")
    return function, is_async(function), call, len(first)


class Items:
    """A list callback for items that the application gave all at once, in their order."""

    def __init__(self, items: Iterable[_core.Resource]) -> None:
        if isinstance(items, str) or not hasattr(items, "__iter__"):
            what = "a function (after, limit), or a list of wellhead.Resource"
            raise UsageError(f"list must be {what}, not {type(items).__name__}", "invalid_argument")
        self.items = tuple(items)
        self.places: dict[str, int] = {}
        for place, item in enumerate(self.items, 1):
            if not isinstance(item, _core.Resource):
                raise UsageError(f"list= holds wellhead.Resource items, not {type(item).__name__}", "invalid_argument")
            if self.places.setdefault(item.key, place) != place:
                raise UsageError(f'list= holds the key "{item.key}" twice', "duplicate")

    def __call__(self, after: str | None, limit: int) -> _core.Page:
        start = 0 if after is None else self.place(after)
        return _core.Page(self.items[start : start + limit], more=start + limit < len(self.items))

    def place(self, after: str) -> int:
        known = self.places.get(after)
        if known is not None:
            return known
        # A cursor of another process, whose items were others: go on with the first greater key.
        key = after.encode()
        later = (place for place, item in enumerate(self.items) if item.key.encode() > key)
        return next(later, len(self.items))


class Values:
    """A completer for values that the application gave all at once."""

    def __init__(self, values: Iterable[str]) -> None:
        what = "a dict of functions (value), or of lists of str"
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise UsageError(f"complete must be {what}, not of {type(values).__name__}", "invalid_argument")
        self.values = tuple(values)
        for value in self.values:
            if not isinstance(value, str):
                raise UsageError(f"complete must be {what}, not of lists of {type(value).__name__}", "invalid_argument")

    def __call__(self, typed: str) -> list[str]:
        return [value for value in self.values if value.startswith(typed)]


def in_pool(function: Any) -> Callable[..., Any]:
    """Returns a function that runs `function` in the pool of threads."""
    if is_async(function):
        raise refusal(function, "thread=True is for a def; an async def runs on the event loop")
    from contextvars import copy_context

    from wellhead._threads import submit_call

    def call(*args: Any, **kwargs: Any) -> Any:
        return submit_call(copy_context().run, function, *args, **kwargs)

    call.pooled = function  # type: ignore[attr-defined] # for functions around it
    return call


def is_async(function: Any) -> bool:
    code = getattr(with_code(function), "__code__", None)
    if code is not None and code.co_flags & COROUTINE:
        return True
    inspect = sys.modules.get("inspect")  # a function that it marked as one proves that it was imported
    return inspect is not None and bool(inspect.iscoroutinefunction(function))


def description(function: Any) -> str | None:
    doc = getattr(function, "__doc__", None) if hasattr(function, "__name__") else None
    if doc is None:
        return None
    if "\n" in doc:
        import inspect

        doc = inspect.cleandoc(doc)
    return doc.strip() or None


def refusal(function: Any, why: str) -> UsageError:
    name = getattr(function, "__qualname__", None) or repr(function)
    return UsageError(f"{name}: {why}", "invalid_argument")


def show(annotation: Any) -> str:
    is_bare = isinstance(annotation, type) and not hasattr(annotation, "__args__")  # `list[str]` in Python 3.10
    return annotation.__name__ if is_bare else str(annotation)
