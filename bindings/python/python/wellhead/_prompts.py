"""Prompts whose functions have their arguments by name, with type hints."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any

from wellhead import _notes, _parameters
from wellhead._errors import MethodError, UsageError
from wellhead._parameters import MISSING, refusal
from wellhead._results import prompt_result
from wellhead._schema import Mismatch, Unsupported
from wellhead._texts import reader
from wellhead._tools import caller, documented, merged, named, type_hints

if typing.TYPE_CHECKING:
    from typing import TypeAlias

    _Object: TypeAlias = dict[str, Any]

INVALID_PARAMS = -32602  # JSON-RPC 2.0 section 5.1


def plan(
    function: Any, name: str | None, definition: _Object | None, given: _Object, complete: _Object | None
) -> tuple[str, _Object, Any, _Object]:
    """Returns (name, definition, function of the arguments, completers) of a prompt."""
    name = named(function, name, "prompt")
    members = merged(definition, given)
    if definition is not None:
        return name, members, function, complete or {}
    prompt = Prompt(function, name)
    for argument in complete or {}:
        if argument not in prompt.readers:
            known = ", ".join(prompt.readers) or "none"
            why = f'complete= has "{argument}", which is no parameter (there is: {known})'
            raise UsageError(why, "invalid_argument")
    if prompt.description is not None:
        members.setdefault("description", prompt.description)
    if prompt.arguments:
        members["arguments"] = prompt.arguments
    run = caller(function, name, prompt.call_name, prompt.keywords, prompt_result)
    return name, members, run, complete or {}


class Prompt:
    """The parameters of a function as the arguments of a prompt."""

    def __init__(self, function: Any, name: str) -> None:
        self.name = name
        self.call_name: str | None = None
        self.arguments: list[_Object] = []
        self.readers: dict[str, Callable[[str], Any]] = {}
        self.required: list[str] = []
        self.absent: dict[str, Callable[[], Any]] = {}
        self.description, texts = documented(_parameters.description(function))
        hints = type_hints(function)
        for parameter, annotation, default, _ in _parameters.signature(function):
            if _parameters.is_call(annotation):
                self.call_name = parameter
                continue
            hint, default, make = _parameters.noted(hints.get(parameter, annotation), default)
            wanted, may_be_none = _parameters.without_none(hint)
            try:
                untyped = _parameters.bare(wanted) in (MISSING, Any)
                read, choices = reader(_parameters.with_notes_of(wanted, str) if untyped else wanted)
            except Unsupported as e:
                what = "annotate it str, int, float, bool, a date, a UUID, a Path, an enum or a Literal"
                other = "or give a definition to take the arguments as a dict"
                raise refusal(function, f'the parameter "{parameter}": {e}; {what}, {other}') from e
            self.readers[parameter] = read
            argument = {"name": parameter, **description(hint)}
            if choices is not None:
                argument["values"] = list(choices.values)
            if parameter in texts:
                argument.setdefault("description", texts[parameter])
            if make is not None:
                self.absent[parameter] = make
            elif default is MISSING and may_be_none:
                self.absent[parameter] = lambda: None
            elif default is MISSING:
                self.required.append(parameter)
                argument["required"] = True
            self.arguments.append(argument)

    def keywords(self, given: _Object) -> _Object:
        missing = [argument for argument in self.required if argument not in given]
        if missing:
            raise MethodError(INVALID_PARAMS, f"Missing required arguments: {', '.join(missing)}", {"missing": missing})
        values = {argument: make() for argument, make in self.absent.items() if argument not in given}
        wrong: dict[str, str] = {}
        for argument, read in self.readers.items():
            if argument in given:
                try:
                    values[argument] = read(string(given[argument]))
                except Mismatch as e:
                    wrong[argument] = f"{argument}: {e.why}"
        if wrong:
            why = f"Invalid arguments for prompt {self.name}: {'; '.join(wrong.values())}"
            raise MethodError(INVALID_PARAMS, why, {"invalid": list(wrong)})
        return values


def string(value: Any) -> str:
    if not isinstance(value, str):
        raise Mismatch("must be a string")
    return value


def description(hint: Any) -> _Object:
    """Returns the title and the description in the `Annotated` of a hint, or in that of the X of `X | None`."""
    plain, notes = _notes.without_notes(hint)
    for one in getattr(plain, "__args__", ()):
        notes += _notes.without_notes(one)[1]
    said = _notes.descriptions(notes)
    return {member: said[member] for member in ("title", "description") if member in said}
