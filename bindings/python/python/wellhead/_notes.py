"""The notes of type hints in `Annotated`: descriptions, and constraints of pydantic and `annotated_types`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    _Schema: TypeAlias = dict[str, Any]

NUMBERS = {
    "gt": "exclusiveMinimum",
    "ge": "minimum",
    "lt": "exclusiveMaximum",
    "le": "maximum",
    "multiple_of": "multipleOf",
}
#: The constraints of `annotated_types` and pydantic in `Annotated`, and their keywords in JSON Schema, by its types.
KEYWORDS = {
    "integer": NUMBERS,
    "number": NUMBERS,
    "string": {"pattern": "pattern", "min_length": "minLength", "max_length": "maxLength"},
    "array": {"min_length": "minItems", "max_length": "maxItems"},
    "object": {"min_length": "minProperties", "max_length": "maxProperties"},
}
#: In a fixed order, since schemas have it.
CONSTRAINTS = tuple(dict.fromkeys(name for keywords in KEYWORDS.values() for name in keywords))
#: Members of a schema, and the attributes of notes in `Annotated` that have their texts.
TEXT_MEMBERS = (("title", "title"), ("description", "description"), ("description", "documentation"))
#: The keywords of JSON Schema that restrict no value.
ANNOTATIONS = {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}


def without_notes(hint: Any) -> tuple[Any, list[Any]]:
    """Returns a hint without `Annotated`, `NewType` and aliases, and the notes in `Annotated`."""
    notes: list[Any] = []
    while True:
        if hasattr(hint, "__metadata__"):
            notes[:0] = hint.__metadata__
            hint = hint.__origin__
        elif hasattr(hint, "__supertype__"):
            hint = hint.__supertype__
        elif type(hint).__name__ == "TypeAliasType":
            hint = hint.__value__
        else:
            return hint, notes


def descriptions(notes: list[Any]) -> _Schema:
    """Returns the members of a schema that notes in `Annotated` give as they are."""
    schema: _Schema = {}
    for note in notes:
        if isinstance(note, str):
            schema["description"] = note
        elif isinstance(note, Mapping):
            schema.update(note)
        else:
            for member, name in TEXT_MEMBERS:
                if isinstance(text := getattr(note, name, None), str):
                    schema[member] = text
    return schema


def guards(notes: Iterable[Any]) -> list[Any]:
    """Returns those of the notes, and of their parts, that restrict or change values."""
    found: list[Any] = []
    for note in notes:
        if isinstance(note, Mapping):
            found += [note] if note.keys() - ANNOTATIONS else []
        elif hasattr(note, "__is_annotated_types_grouped_metadata__"):
            found += guards(note)
        elif isinstance(parts := getattr(note, "metadata", None), (list, tuple)):  # of pydantic's Field
            found += guards(parts)
        elif constraints(note) or is_of_pydantic(note):
            found.append(note)
    return found


def constraints(note: Any) -> dict[str, Any]:
    return {name: value for name in CONSTRAINTS if (value := getattr(note, name, None)) is not None}


def is_of_pydantic(note: Any) -> bool:
    """Returns whether pydantic knows what a note means. Others may be for another library."""
    package = type(note).__module__.partition(".")[0]
    return package in ("pydantic", "annotated_types") or hasattr(note, "__get_pydantic_core_schema__")


def is_written(note: Any, kinds: Iterable[str], schema: _Schema) -> bool:
    """Writes the constraints of a note into `schema`. Returns whether these say all that the note demands.

    kinds: The JSON types of the values that the note restricts.
    """
    demanded = constraints(note)
    others = vars(note).items() if is_of_pydantic(note) and hasattr(note, "__dict__") else ()
    is_whole = bool(demanded) and all(value is None or name in demanded for name, value in others)
    known = [KEYWORDS.get(kind, {}) for kind in kinds if kind != "null"]
    for name, value in demanded.items():
        value = getattr(value, "pattern", value)
        is_json = isinstance(value, (int, float, str))
        is_whole = is_whole and is_json and bool(known) and all(name in keywords for keywords in known)
        if is_json:
            schema.update({keywords[name]: value for keywords in known if name in keywords})
    return is_whole
