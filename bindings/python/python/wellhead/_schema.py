"""JSON Schema of type hints, and the values that the hints promise.

Imported when the first tool with type hints is registered.
"""

from __future__ import annotations

import base64
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import re
import types
import typing
import uuid
from collections.abc import Callable, Mapping, Set
from typing import Any

from wellhead._json import fault
from wellhead._notes import descriptions, guards, is_of_pydantic, is_written, without_notes
from wellhead._parameters import MISSING, noted

if typing.TYPE_CHECKING:
    from typing import TypeAlias

    _Json: TypeAlias = Any
    _Schema: TypeAlias = dict[str, Any]

#: The Python types whose values JSON has unchanged, and their names in JSON Schema.
PLAIN = {str: "string", bool: "boolean", types.NoneType: "null"}
#: The Python types whose values are texts in JSON: the `format` in JSON Schema, and the function that reads the text.
TEXTS: dict[type, tuple[str | None, Callable[[str], Any]]] = {
    uuid.UUID: ("uuid", uuid.UUID),
    datetime.datetime: ("date-time", lambda text: datetime.datetime.fromisoformat(with_offset(text))),
    datetime.date: ("date", datetime.date.fromisoformat),
    datetime.time: ("time", lambda text: datetime.time.fromisoformat(with_offset(text))),
    pathlib.Path: (None, pathlib.Path),
    decimal.Decimal: ("decimal", decimal.Decimal),
}
#: The Python types of JSON values, by the names of their types in JSON Schema.
JSON_TYPES: dict[str, Any] = {
    "string": str,
    "boolean": bool,
    "null": types.NoneType,
    "array": list,
    "object": dict,
    "integer": (int, float),
    "number": (int, float),
}
LISTS: dict[Any, Callable[[Any], Any]] = {
    list: list,
    set: set,
    frozenset: frozenset,
    collections.abc.Sequence: list,
    collections.abc.MutableSequence: list,
    collections.abc.Iterable: list,
    collections.abc.Collection: list,
    collections.abc.Set: set,
}
MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)


class Unsupported(TypeError):
    """Raised for a type hint that has no JSON Schema."""


class Mismatch(ValueError):
    """Raised for a value that does not have the type. `path`: the names and indexes that lead to it, outermost
    first.
    """

    def __init__(self, why: str, *path: str | int) -> None:
        super().__init__(why)
        self.why = why
        self.path = path

    def inside(self, step: str | int) -> Mismatch:
        return Mismatch(self.why, step, *self.path)


@dataclasses.dataclass
class Hint:
    """The meaning of a type hint: its JSON Schema, a check of JSON values, and the conversion to the Python
    value.
    """

    schema: _Schema
    fits: Callable[[_Json], bool] = lambda _: True
    #: The function that makes the Python value; None if the value stays as JSON has it.
    convert: Callable[[_Json], Any] | None = None
    #: The members that an object keeps; None if it keeps all.
    names: Set[str] | None = None
    #: Whether pydantic checks or changes the values, or parts of them, by notes in `Annotated`.
    is_checked: bool = False

    def with_default_text(self, text: str) -> Hint:
        """Returns the hint with a description unless it has one. A class's hint is shared, and stays as it is."""
        return dataclasses.replace(self, schema={"description": text, **self.schema})

    def value(self, given: _Json) -> Any:
        return given if self.convert is None else self.convert(given)

    def kept(self, given: _Json) -> int:
        """Returns how many members of an object the Python value has; 0 for other JSON."""
        if not isinstance(given, dict):
            return 0
        return len(given) if self.names is None else len(self.names & given.keys())


class Hints:
    """The type hints of one schema. Classes with fields are definitions (`$defs`), so that they may contain
    themselves.
    """

    def __init__(self, mode: str = "validation") -> None:
        """mode: `serialization` for the schema of what a function returns, which pydantic's models tell apart."""
        self.mode = mode
        self.definitions: dict[str, _Schema] = {}
        self.classes: dict[Any, tuple[str, Hint]] = {}

    def whole(self, schema: _Schema) -> _Schema:
        """Returns a schema with the definitions that it needs."""
        return {**schema, "$defs": self.definitions} if self.definitions else schema

    def read(self, hint: Any) -> Hint:
        hint, notes = without_notes(hint)
        found = self.bare(hint)
        if hint is bytes and self.mode == "validation" and (format_ := encoding(notes)) is not None:
            member = "contentEncoding" if format_ in ("base64", "base64url") else "format"
            found = Hint({"type": "string", member: format_}, found.fits)  # the note decodes the text
        return annotated(hint, found, notes) if notes else found

    def bare(self, hint: Any) -> Hint:
        if hint is Any or hint is object or isinstance(hint, typing.TypeVar):
            return Hint({})
        if hint is None:
            hint = types.NoneType
        origin = typing.get_origin(hint)
        if is_union(hint):
            return self.union([self.read(one) for one in alternatives(hint)])
        if origin is typing.Literal:
            return choice(list(hint.__args__))
        if getattr(origin, "_name", None) in ("Required", "NotRequired", "ReadOnly"):  # of typing or typing_extensions
            return self.read(hint.__args__[0])
        if (origin or hint) in LISTS:
            return self.list(LISTS[origin or hint], *typing.get_args(hint))
        if (origin or hint) is tuple:
            return self.tuple(typing.get_args(hint))
        if (origin or hint) in MAPPINGS:
            return self.mapping(*typing.get_args(hint))
        if isinstance(origin or hint, type):
            return self.of_class(hint, origin or hint)
        raise Unsupported(f"there is no JSON Schema for {show(hint)}")

    def of_class(self, hint: Any, cls: type) -> Hint:
        if cls in PLAIN:
            return Hint({"type": PLAIN[cls]}, lambda value: type(value) is cls)
        if cls is int:
            return Hint({"type": "integer"}, is_integer, whole)  # 3.0 is an integer, too
        if cls is float:
            return Hint({"type": "number"}, lambda value: type(value) in (int, float), float)
        if cls in (bytes, bytearray):
            return Hint(
                {"type": "string", "contentEncoding": "base64"},
                lambda value: isinstance(value, str),
                lambda value: cls(decoded(value)),
            )
        if issubclass(cls, enum.Enum):
            return choice(list(cls))
        if cls in TEXTS:
            format_, read = TEXTS[cls]
            schema: _Schema = {"type": "string"} if format_ is None else {"type": "string", "format": format_}
            return Hint(schema, lambda value: isinstance(value, str), lambda value: parsed(read, value, cls))
        if callable(getattr(cls, "model_json_schema", None)):
            return self.model(cls)
        if dataclasses.is_dataclass(cls) or typing.is_typeddict(cls):
            return self.with_fields(cls)
        raise Unsupported(f"there is no JSON Schema for {show(hint)}")

    def union(self, hints: list[Hint]) -> Hint:
        def convert(value: _Json) -> Any:
            failed = None
            for hint in sorted(hints, key=lambda hint: -hint.kept(value)):  # in their order if they keep as many
                if hint.fits(value):
                    try:
                        return hint.value(value)
                    except Mismatch as e:
                        failed = failed or e
            raise failed or Mismatch("is of none of the types that it may have")

        kinds = [hint.schema.get("type") for hint in hints]
        if all(isinstance(kind, str) and len(hint.schema) == 1 for kind, hint in zip(kinds, hints, strict=True)):
            schema: _Schema = {"type": kinds}
        else:
            schema = {"anyOf": [hint.schema for hint in hints]}
        plain = all(hint.convert is None for hint in hints)
        return Hint(
            schema,
            lambda value: any(hint.fits(value) for hint in hints),
            None if plain else convert,
            is_checked=any(hint.is_checked for hint in hints),
        )

    def list(self, make: Callable[[Any], Any], item: Any = Any) -> Hint:
        hint = self.read(item)
        schema: _Schema = {"type": "array", "items": hint.schema}
        if make in (set, frozenset):
            schema["uniqueItems"] = True
            if getattr(typing.get_origin(item) or item, "__hash__", None) is None:
                raise Unsupported(f"a set cannot hold {show(item)}, which has no hash; use list")

        def convert(value: list[_Json]) -> Any:
            items = each(hint, value)
            try:
                return make(items)
            except TypeError as e:  # a list or an object where a set may hold anything
                raise Mismatch("must hold neither lists nor objects") from e

        plain = make is list and hint.convert is None
        return Hint(
            schema,
            lambda value: isinstance(value, list) and all(map(hint.fits, value)),
            None if plain else convert,
            is_checked=hint.is_checked,
        )

    def tuple(self, items: tuple[Any, ...]) -> Hint:
        if len(items) == 2 and items[1] is ...:
            return self.list(tuple, items[0])
        if not items:
            return self.list(tuple)
        hints = [self.read(item) for item in items]
        count = len(hints)
        schema = {"type": "array", "prefixItems": [hint.schema for hint in hints], "minItems": count, "maxItems": count}

        def fits(value: _Json) -> bool:
            return (
                isinstance(value, list)
                and len(value) == count
                and all(h.fits(v) for h, v in zip(hints, value, strict=True))
            )

        def convert(value: list[_Json]) -> tuple[Any, ...]:
            return tuple(inside(at, hint, one) for at, (hint, one) in enumerate(zip(hints, value, strict=True)))

        return Hint(schema, fits, convert, is_checked=any(hint.is_checked for hint in hints))

    def mapping(self, key: Any = str, item: Any = Any) -> Hint:
        if without_notes(key)[0] is not str:
            raise Unsupported(f"the keys of a JSON object are str, not {show(key)}")
        names, hint = self.read(key), self.read(item)
        schema: _Schema = {"type": "object"}
        if key is not str:
            schema["propertyNames"] = names.schema
        if hint.schema:
            schema["additionalProperties"] = hint.schema

        def convert(value: dict[str, _Json]) -> dict[str, Any]:
            return {inside(name, names, name): inside(name, hint, one) for name, one in value.items()}

        def fits(value: _Json) -> bool:
            return isinstance(value, dict) and all(map(hint.fits, value.values()))

        plain = names.convert is None and hint.convert is None
        return Hint(schema, fits, None if plain else convert, is_checked=names.is_checked or hint.is_checked)

    def model(self, cls: Any) -> Hint:
        """Returns the hint of a class that makes its own schema, as pydantic's do."""
        if cls in self.classes:
            return self.classes[cls][1]

        def convert(value: _Json) -> Any:
            return validated(cls.model_validate, value)

        schema = self.schema_of_model(cls)
        name = schema["$ref"].removeprefix("#/$defs/") if schema.keys() == {"$ref"} else None
        if name is None:  # else it contains itself, and is a definition already
            name = self.defined(cls)
            self.definitions[name] = schema
        definition = self.definitions[name]
        hint = Hint({"$ref": f"#/$defs/{name}"}, lambda value: may_be(definition, value), convert, members(definition))
        self.classes[cls] = (name, hint)
        return hint

    def schema_of_model(self, cls: Any) -> _Schema:
        """Returns the schema of a model, and adds the definitions of the classes in it. If one of their names
        stands for another class already, all of them get a number.
        """
        number = 1
        while True:
            suffix = "" if number == 1 else str(number)
            schema = dict(cls.model_json_schema(ref_template=f"#/$defs/{{model}}{suffix}", mode=self.mode))
            inner = {f"{name}{suffix}": definition for name, definition in schema.pop("$defs", {}).items()}
            if all(self.definitions.get(name, definition) == definition for name, definition in inner.items()):
                self.definitions.update(inner)
                return schema
            number += 1

    def with_fields(self, cls: Any) -> Hint:
        """Returns the hint of a dataclass or a `TypedDict`."""
        if cls in self.classes:
            return self.classes[cls][1]
        name = self.defined(cls)
        fields: dict[str, Field] = {}

        def fits(value: _Json) -> bool:
            if not isinstance(value, dict) or not all(one in value for one, field in fields.items() if field.required):
                return False
            return all(field.hint.fits(value[one]) for one, field in fields.items() if one in value)

        def convert(value: dict[str, _Json]) -> Any:
            known = {one: inside(one, field.hint, value[one]) for one, field in fields.items() if one in value}
            return validated(lambda members: cls(**members), known)

        hint = Hint({"$ref": f"#/$defs/{name}"}, fits, convert, fields.keys())
        self.classes[cls] = (name, hint)
        self.definitions[name] = {}
        fields.update(fields_of(self, cls))
        hint.is_checked = any(field.hint.is_checked for field in fields.values())
        self.definitions[name] = object_schema(fields, doc_of(cls))
        return hint

    def defined(self, cls: Any) -> str:
        """Returns a name for a class that no other class of this schema has."""
        if cls in self.classes:
            return self.classes[cls][0]
        plain = re.sub(r"\W", "_", cls.__name__)
        taken = {name for name, _ in self.classes.values()} | set(self.definitions)
        return (
            plain if plain not in taken else next(f"{plain}{n}" for n in range(2, 10_000) if f"{plain}{n}" not in taken)
        )


@dataclasses.dataclass
class Field:
    """A parameter of a function, or a field of a class."""

    hint: Hint
    required: bool
    #: The default as JSON; `ABSENT` if there is none, or none that JSON can have.
    default: _Json = dataclasses.field(default_factory=lambda: ABSENT)
    #: Makes the value of an absent argument; None if the function does that itself.
    make: Callable[[], Any] | None = None


ABSENT: Any = MISSING


def field(hints: Hints, hint: Any, default: Any = ABSENT) -> Field:
    """Makes the field of a type hint. `default`: `ABSENT` if a value is required."""
    hint, default, make = noted(hint, default)
    found = hints.read(hint)
    if default is ABSENT:
        return Field(found, True)
    if found.is_checked:
        return Field(found, False, make=make)  # pydantic does not check defaults either
    try:
        written = encoded(default)
    except TypeError:
        return Field(found, False, make=make)
    if not found.fits(written):
        return Field(found, False, make=make)  # such as `= None` of an `int`
    if fault(written):
        raise Unsupported(f"JSON does not have its default, {default!r}")
    return Field(found, False, written, make)


def object_schema(fields: Mapping[str, Field], description: str | None = None) -> _Schema:
    schema: _Schema = {"type": "object"}
    if description is not None:
        schema["description"] = description
    properties = {}
    for name, one in fields.items():
        properties[name] = one.hint.schema if one.default is ABSENT else {**one.hint.schema, "default": one.default}
    schema["properties"] = properties
    required = [name for name, one in fields.items() if one.required]
    if required:
        schema["required"] = required
    return schema


def fields_of(hints: Hints, cls: Any) -> dict[str, Field]:
    known = typing.get_type_hints(cls, include_extras=True)
    if typing.is_typeddict(cls):
        return {name: Field(hints.read(hint), name in cls.__required_keys__) for name, hint in known.items()}
    found = {}
    for one in dataclasses.fields(cls):
        if not one.init:
            continue
        default = one.default
        if default is dataclasses.MISSING:
            default = ABSENT if one.default_factory is dataclasses.MISSING else one.default_factory()
        found[one.name] = field(hints, known[one.name], default)
    return found


def choice(values: list[Any]) -> Hint:
    """Returns the hint of one of these values, or of the members of an enum. An argument becomes the value
    that it equals.
    """
    written = [encoded(value) for value in values]
    kinds = {kind_of(value) for value in written}
    schema: _Schema = {"type": kinds.pop(), "enum": written} if len(kinds) == 1 else {"enum": written}

    def fits(value: _Json) -> bool:
        return any(same(value, one) for one in written)

    def convert(value: _Json) -> Any:
        return next(member for member, one in zip(values, written, strict=True) if same(value, one))

    return Hint(schema, fits, None if all(type(value) is str for value in values) else convert)


def same(one: _Json, other: _Json) -> bool:
    """Returns True if two values, no arrays or objects, are equal by JSON Schema: 1 equals 1.0, and true does
    not equal 1.
    """
    return isinstance(one, bool) is isinstance(other, bool) and one == other


def annotated(hint: Any, found: Hint, notes: list[Any]) -> Hint:
    """Returns what was found for a hint with the constraints and descriptions of its notes in `Annotated`.
    Raises `Unsupported` for a constraint that cannot be checked.
    """
    schema = {**found.schema, **descriptions(notes)}
    of = kinds(found.schema) if encoding(notes) is None else []  # a decoded value has other lengths than its text
    is_said = [is_written(part, of, schema) for part in guards(notes) if not isinstance(part, Mapping)]
    if all(is_said):
        return dataclasses.replace(found, schema=schema)
    check = checker(hint, [note for note in notes if not isinstance(note, Mapping)])
    return dataclasses.replace(found, schema=schema, convert=lambda value: check(found.value(value)), is_checked=True)


def encoding(notes: list[Any]) -> str | None:
    """Returns the format of the texts that a note of pydantic decodes, such as that of `Base64Bytes`; else None."""
    encoders = [note.encoder for note in notes if is_of_pydantic(note) and hasattr(note, "encoder")]
    return next((encoder.get_json_format() for encoder in encoders if hasattr(encoder, "get_json_format")), None)


def kinds(schema: _Schema) -> list[str]:
    """Returns the JSON types of the values that a schema allows, as far as it names them. The type of a text
    that stands for bytes is not among them.
    """
    if "anyOf" in schema:
        return [kind for one in schema["anyOf"] for kind in kinds(one) or ["unknown"]]
    kind = [] if "contentEncoding" in schema else schema.get("type", [])
    return [kind] if isinstance(kind, str) else kind


def checker(hint: Any, notes: list[Any]) -> Callable[[Any], Any]:
    """Returns the function with which pydantic checks and changes a value of a hint by the notes in `Annotated`.
    Raises `Unsupported` if it cannot.
    """
    found = guards(notes)
    unknown = [note for note in found if not is_of_pydantic(note)]
    try:
        if unknown:
            raise TypeError("pydantic does not know it")
        from pydantic import TypeAdapter

        parts = (hint, *notes)
        checked: Any = typing.Annotated[parts]
        validate = TypeAdapter(checked).validate_python
    except Exception as e:  # pydantic is absent, or refuses the notes
        what = ", ".join(map(repr, unknown or found))
        raise Unsupported(f"nothing can check {what} of {show(hint)} ({first_line(e)})") from e
    return lambda value: validated(validate, value)


def may_be(schema: _Schema, value: _Json) -> bool:
    """Returns False for a value of a JSON type that a schema does not allow."""
    allowed = kinds(schema)
    return not allowed or any(isinstance(value, JSON_TYPES.get(kind, object)) for kind in allowed)


def members(schema: _Schema) -> Set[str] | None:
    """Returns the names of the members that an object of a model keeps; None if it keeps all."""
    properties = schema.get("properties")
    return None if properties is None or schema.get("additionalProperties") else properties.keys()


def is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)


def alternatives(hint: Any) -> list[Any]:
    """Returns the types of a union, and those of the unions that aliases in it name."""
    found = []
    for one in hint.__args__:
        plain, notes = without_notes(one)
        found += alternatives(plain) if is_union(plain) and not notes else [one]
    return found


def encoded(value: Any) -> _Json:
    """Converts a value to one that JSON has. Takes dataclasses, pydantic's models, enums, dates and the like,
    sets and tuples too.

    Raises TypeError for other values.
    """
    if value is None or (isinstance(value, (str, bool)) and not isinstance(value, enum.Enum)):
        return value
    if isinstance(value, enum.Enum):
        return encoded(value.value)
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, pathlib.PurePath, decimal.Decimal)):
        return str(value)
    if callable(dump := getattr(value, "model_dump", None)) and not isinstance(value, type):
        return dump(mode="json", by_alias=True)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: encoded(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        if any(not isinstance(name, str) for name in value):
            raise TypeError("the keys of a JSON object are str")
        return {name: encoded(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encoded(one) for one in value]
    raise TypeError(f"{type(value).__name__} is no JSON")


def each(hint: Hint, values: list[_Json]) -> list[Any]:
    return [inside(at, hint, value) for at, value in enumerate(values)]


def inside(step: str | int, hint: Hint, value: _Json) -> Any:
    try:
        return hint.value(value)
    except Mismatch as e:
        raise e.inside(step) from None


def parsed(read: Callable[[str], Any], text: str, cls: type) -> Any:
    try:
        return read(text)
    except (ValueError, ArithmeticError) as e:
        raise Mismatch(f"must be a {cls.__name__} (got {json.dumps(text[:64])})") from e


def decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as e:
        raise Mismatch("must be base64") from e


def validated(validate: Callable[[Any], Any], value: Any) -> Any:
    try:
        return validate(value)
    except ValueError as e:
        raise Mismatch(first_line(e)) from e
    except TypeError as e:
        refused, _, _ = str(e).partition(" to supplied value")
        if not refused.startswith("Unable to apply constraint"):
            raise  # of a function of the application
        raise Mismatch(f"has a type to which a constraint does not apply ({refused})") from e


def first_line(e: Exception) -> str:
    """Returns a line about the first wrong field that a model's error names."""
    errors = getattr(e, "errors", None)
    if callable(errors):
        first = errors()[0]
        where = ".".join(map(str, first.get("loc", ())))
        return f"{where}: {first.get('msg')}" if where else str(first.get("msg"))
    return str(e).split("\n", 1)[0]


def with_offset(text: str) -> str:
    """Returns a time in ISO 8601 with `+00:00` in place of `Z`, which Python 3.10 does not read."""
    return text[:-1] + "+00:00" if text.endswith(("Z", "z")) else text


def is_integer(value: _Json) -> bool:
    return type(value) is int or (type(value) is float and value.is_integer())


def whole(value: int | float) -> int:
    """Returns the `int`. A float as large as 2**53 may be rounded already."""
    if type(value) is float and abs(value) >= 2**53:
        raise Mismatch(f"is beyond 2^53, and must be written without a point and an exponent (got {value})")
    return int(value)


def kind_of(value: _Json) -> str:
    """Returns the `type` of JSON Schema for a value that `encoded` made."""
    if value is None:
        return "null"
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return next(kind for cls, kind in kinds.items() if isinstance(value, cls))


def doc_of(cls: Any) -> str | None:
    """Returns the docstring of a class, or None if Python wrote it."""
    doc = cls.__dict__.get("__doc__")
    by_python = f"{cls.__name__}("
    if not doc or (dataclasses.is_dataclass(cls) and doc.startswith(by_python)):
        return None
    import inspect

    return inspect.cleandoc(doc)


def show(hint: Any) -> str:
    is_bare = isinstance(hint, type) and not typing.get_args(hint)  # in Python 3.10 `list[str]` is a type, too
    return hint.__name__ if is_bare else str(hint)
