"""Make the browser's side of the wire from ``values.py``, ``messages.py``, ``message_frames.py`` and ``constants.py`` in
``spark_jupyter/protocol``.

Writes ``labextension/schema/messages.v2.json`` (JSON Schema 2020-12), and in ``labextension/src`` ``messages.ts`` (TypeScript
types, one interface a Struct, unions discriminated by ``type``, and what a field that is left out stands for),
``messageShapes.ts`` (the fields of events, to check them by) and ``constants.ts`` (limits, allow-lists and names). With
``--check`` nothing is written and the exit code is 1 where a file on disk differs from what would be written.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import itertools
import json
import sys
import types
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec

from spark_jupyter.protocol import constants, messages
from spark_jupyter.protocol import message_frames as frames
from spark_jupyter.protocol import values as wire_values

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = Path("labextension/schema") / f"messages.v{wire_values.PROTOCOL_VERSION}.json"
TYPES = Path("labextension/src/messages.ts")
SHAPES = Path("labextension/src/messageShapes.ts")
CONSTANTS = Path("labextension/src/constants.ts")

Schema = Mapping[str, Any]
"""A JSON Schema as a parsed object."""

HEADER = """\
// Generated from spark_jupyter/protocol/{source} by scripts/codegen.py.
// Do not edit: change {what} there and run `make codegen`.
"""
DEFAULTS = """\
/** The fields of a Struct that may be left out, each with what it then stands for. */
type Defaults<T> = {{ readonly [K in keyof T as object extends Pick<T, K> ? K : never]-?: T[K] }};

/** By Struct: what a field that a message leaves out stands for. */
export const DEFAULTS: {{
{types}
}} = {{
{values}
}};
"""


def components() -> dict[str, Schema]:
    """The schema of every Struct that a frame can hold, by name, in a stable order."""
    _, found = msgspec.json.schema_components([frames.EventFrame, frames.CommandFrame], ref_template="#/$defs/{name}")
    return {name: _dedented(found[name]) for name in sorted(found)}


def _dedented(schema: Schema) -> Schema:
    """With a docstring as Python 3.13 stores it: earlier ones keep its indentation, and the files must not differ."""
    if "description" not in schema:
        return schema
    return {**schema, "description": inspect.cleandoc(str(schema["description"]))}


def schema_text() -> str:
    """The JSON Schema document: a frame of either direction."""
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"spark_jupyter messages, protocol version {wire_values.PROTOCOL_VERSION}",
        "anyOf": [{"$ref": "#/$defs/EventFrame"}, {"$ref": "#/$defs/CommandFrame"}],
        "$defs": components(),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _named() -> dict[str, object]:
    """What stands in the modules of messages, by name."""
    return {**vars(wire_values), **vars(messages)}


def literals() -> dict[str, tuple[str, ...]]:
    """The named string enumerations, by name."""
    return {
        name: get_args(value)
        for name, value in _named().items()
        if get_origin(value) is Literal and not name.startswith("_")
    }


def unions() -> dict[str, list[str]]:
    """The named unions of Structs (``Event``, ``Command``, ``CellChange``): names of the members."""
    return {
        name: [member.__name__ for member in get_args(value)]
        for name, value in _named().items()
        if isinstance(value, types.UnionType) and all(isinstance(m, type) for m in get_args(value))
    }


def types_text() -> str:
    """The TypeScript module."""
    parts = [HEADER.format(source="messages.py", what="the Structs")]
    parts += [f"export const PROTOCOL_VERSION = {wire_values.PROTOCOL_VERSION};\n"]
    for name, values in literals().items():
        parts.append(f"export type {name} = {' | '.join(map(_quote, values))};\n")
    for name, schema in components().items():
        parts.append("\n".join(_interface(name, schema)) + "\n")
    for name, members in unions().items():
        body = "\n".join(f"  | {member}" for member in members)
        parts.append(f"export type {name} =\n{body};\n")
    parts.append(defaults_text())
    return "\n".join(parts)


def defaults_text() -> str:
    """The table of defaults, as in the schema."""
    found = {name: dict(_defaults(schema)) for name, schema in components().items()}
    some = {name: defaults for name, defaults in found.items() if defaults}
    return DEFAULTS.format(
        types="\n".join(f"  readonly {name}: Defaults<{name}>;" for name in some),
        values=",\n".join(f"  {name}: {_literal(defaults)}" for name, defaults in some.items()),
    )


def shapes_text() -> str:
    """The module of shapes: the fields of each Struct that an event can hold."""
    _, found = msgspec.json.schema_components([frames.EventFrame], ref_template="#/$defs/{name}")
    lines = [f"  {name}: {_literal(_fields(found[name]))}" for name in sorted(found) if name != "EventFrame"]
    said = "/** Kind of a field: s, n, b and 0 as in JSON, the name of a Struct, or of what it is made. */"
    kind = "export type Shape = string | readonly ['[]' | '{}', Shape] | readonly ['|' | '=', ...Shape[]];"
    body = "export const SHAPES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {"
    events = f"export const EVENTS: readonly string[] = {_literal(unions()['Event'])};"
    header = HEADER.format(source="messages.py", what="the Structs")
    return "\n".join([header, said, kind, "", body, ",\n".join(lines), "};", "", events, ""])


def _fields(schema: Schema) -> dict[str, object]:
    """Shapes by field; the name of one that may be left out ends with a question mark."""
    required = schema.get("required", [])
    return {f"{name}{'' if name in required else '?'}": _shape(field) for name, field in schema["properties"].items()}


def _shape(schema: Schema) -> object:
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in schema:
        return ["|", *map(_shape, schema["anyOf"])]
    if "enum" in schema:
        return ["=", *schema["enum"]]
    kind = schema["type"]
    if kind == "array":
        return ["[]", _shape(schema["items"])]
    return ["{}", _shape(schema["additionalProperties"])] if kind == "object" else _KINDS[kind]


_KINDS = {"string": "s", "integer": "n", "number": "n", "boolean": "b", "null": "0"}


def _defaults(schema: Schema) -> Iterator[tuple[str, object]]:
    for field, field_schema in schema["properties"].items():
        if "default" in field_schema:
            yield field, field_schema["default"]


def constants_text() -> str:
    """The module of constants, with what is said of each."""
    parts = [HEADER.format(source="constants.py", what="the values")]
    for name, comment in _documented(inspect.getsource(constants)):
        value = getattr(constants, name)
        fixed = " as const" if isinstance(value, tuple | dict) else ""
        parts.append("\n".join([*_comment(comment), f"export const {name} = {_literal(value)}{fixed};\n"]))
    return "\n".join(parts)


def _documented(source: str) -> Iterator[tuple[str, str]]:
    """Every constant of a module, and the text below it."""
    body = ast.parse(source).body
    for statement, following in itertools.pairwise(body):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(comment))):
                yield name, comment


def _literal(value: object) -> str:
    """A value as TypeScript."""
    match value:
        case str():
            return _quote(value)
        case tuple() | list():
            return f"[{', '.join(map(_literal, value))}]"
        case dict():
            inside = ", ".join(f"{_key(key)}: {_literal(each)}" for key, each in value.items())
            return f"{{ {inside} }}" if inside else "{}"
        case _:
            return json.dumps(value)


def _key(name: str) -> str:
    return name if name.isidentifier() else _quote(name)


def _interface(name: str, schema: Schema) -> Iterator[str]:
    yield from _comment(str(schema.get("description", "")))
    yield f"export interface {name} {{"
    required = schema.get("required", [])
    for field, field_schema in schema["properties"].items():
        # The tag is always on the wire, though msgspec lists it first and as required already.
        optional = "" if field in required else "?"
        yield f"  readonly {field}{optional}: {_type(field_schema)};"
    yield "}"


def _type(schema: Schema) -> str:
    """The TypeScript type of a field's schema. Raises :class:`NotImplementedError` on a shape it does not know."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in schema:
        return _union([_type(option) for option in schema["anyOf"]])
    if "enum" in schema:
        return _enumeration(schema["enum"])
    return _plain(schema)


def _plain(schema: Schema) -> str:
    match schema.get("type"):
        case "string":
            return "string"
        case "integer" | "number":
            return "number"
        case "boolean":
            return "boolean"
        case "null":
            return "null"
        case "array":
            item = _type(schema["items"])
            return f"readonly {item}[]" if item.isidentifier() else f"readonly ({item})[]"
        case "object" if "additionalProperties" in schema:
            return f"Readonly<Record<string, {_type(schema['additionalProperties'])}>>"
        case other:
            raise NotImplementedError(f"no TypeScript for a schema of type {other!r}: {schema}")


def _union(options: list[str]) -> str:
    for name, members in unions().items():
        if set(members) == set(options):
            return name
    return " | ".join([o for o in options if o != "null"] + [o for o in options if o == "null"])


def _enumeration(values: list[str]) -> str:
    for name, members in literals().items():
        if set(members) == set(values):
            return name
    return " | ".join(map(_quote, values))


def _comment(text: str) -> Iterator[str]:
    lines = text.replace("*/", "* /").splitlines()
    if lines:
        yield "/**"
        yield from (f" * {line}".rstrip() for line in lines)
        yield " */"


def _quote(value: str) -> str:
    return "'" + "".join(map(_seen, value.replace("\\", "\\\\").replace("'", "\\'"))) + "'"


_FORMLESS = frozenset({"Cc", "Cf", "Cn", "Mn", "Me", "Zl", "Zp"})


def _seen(character: str) -> str:
    """A character as it stands in a file that a person reads: what has no form of its own, or ends a line, by its number."""
    return f"\\u{{{ord(character):x}}}" if unicodedata.category(character) in _FORMLESS else character


def outputs() -> dict[Path, str]:
    """What each generated file should hold, by its path below the repository's root."""
    return {SCHEMA: schema_text(), TYPES: types_text(), SHAPES: shapes_text(), CONSTANTS: constants_text()}


def main(argv: list[str] | None = None, *, root: Path = ROOT) -> int:
    """Write the files, or with ``--check`` compare them. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is out of date")
    options = parser.parse_args(argv)
    stale = [path for path, text in outputs().items() if _read(root / path) != text]
    if options.check:
        for path in stale:
            print(f"{path} is out of date: run `make codegen`", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(outputs()[path], encoding="utf-8")
        print(f"wrote {path}")
    return 0


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
