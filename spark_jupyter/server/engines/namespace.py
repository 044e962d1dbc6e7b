"""Variables of the user, read from the lines of a request."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Literal

from msgspec import Struct, structs

from spark_jupyter.source.python_parser import parse_python

ColumnKind = Literal["number", "bool", "date", "text", "other"]

_LINE = re.compile(r"^`?(?P<name>[^\W\d]\w*)`?\s*:\s*(?P<type>[A-Za-z_][\w.]*)\s*(?P<rest>.*)$")
_SHAPE = re.compile(r"^\((?P<rows>[\d_,]+)\s*[×x,]\s*(?P<width>\d+)\)(?::\s?)?")
_INDEX = re.compile(r"^, index (?P<name>.+?) of dates(?::\s?)?")
_LABEL = r"(?P<name>\"(?:[^\"\\]|\\.)*\"|.+?)"
_DTYPE = r"(?P<dtype>[A-Za-z]\w*(?:\[[^\]]*\])?(?:\([^)]*\))?)"
_COLUMN = re.compile(rf"{_LABEL} {_DTYPE}(?:, |$)")
_PROFILED = re.compile(rf"{_LABEL} {_DTYPE}(?:, (?P<facts>.*))?$")
_WORDS = re.compile(r"words of the request in (?P<names>\w+(?:, \w+)*): (?P<found>.+)$")
_FOUND = re.compile(rf"{_LABEL} (?P<note>(?:has|in it) .*)$")
_RANGE = re.compile(r"(?:^|, )(?P<low>-?[\d.e+-]+)(?: … (?P<high>-?[\d.e+-]+))?$")
_DISTINCT = re.compile(r"(\d[\d,]*) distinct")
_NEARLY = 0.9
_CATEGORIES = re.compile(r"\d distinct: (?P<values>.+)$")
_COPIES = frozenset({"copy", "sort_values", "sort_index", "reset_index"})
_READ = re.compile(r"(?m)^(\w+) = \w+\.read_\w+\([\"']([^\"']+)[\"']")
_RECORDS = re.compile(r"^\(\d+\) of dict: (?P<keys>.+)$")
_HELD = re.compile(
    r"(?P<dtype>str|object|string|category|String)\((?P<note>(?:has|in it|dates|mixed|numbers|truth|names)\b[^)]*)\)$"
)
_NOTED = re.compile(r"(?P<dtype>[a-z]+\d+)\((?P<notes>(?:(?:gaps|0 or 1|0 to 1)(?:, |(?=\))))+)\)$")
_VALUE = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_MORE = re.compile(r",?\s*(…|\.\.\.)[^,]*$")
_NUMBER = re.compile(r"u?int|float|complex|decimal|double", re.IGNORECASE)
_DATE = re.compile(r"date|period|timestamp", re.IGNORECASE)
_TEXT = re.compile(r"str|object|category|categorical|enum|utf8|$", re.IGNORECASE)


class Column(Struct, frozen=True):
    name: str
    dtype: str = ""
    holds: str = ""
    """The meaning of its texts: ``dates``, ``dates, day first``, ``mixed dates: FORMATS``, ``numbers`` …; empty where they are texts."""
    values: tuple[str, ...] = ()
    """Those of its values that the prompt has."""
    categories: tuple[str, ...] = ()
    """All of its values, where they are few texts."""
    gaps: bool = False
    """True if some of its numbers are known to be missing."""
    flag: bool = False
    """True if its numbers are known to be 0 and 1 alone."""
    fraction: bool = False
    """True if its numbers are known to be parts of one: "10 %" is 0.1 there."""
    repeats: bool = False
    """True if some of its values are known to be there several times."""
    own: bool = False
    """True if nearly each row is known to have a value of its own."""
    doubled: bool = False
    """True if the table's index has its name too: pandas takes the name for neither."""
    is_text: bool = True
    """True if the label is a text. Of another one, such as a number or a pair, ``name`` is its Python source."""

    @property
    def kind(self) -> ColumnKind:
        """``number``, ``bool``, ``date``, ``text`` or ``other``, such as durations, intervals and lists, by its dtype."""
        if self.dtype.lower().startswith("bool"):
            return "bool"
        if _NUMBER.match(self.dtype):
            return "number"
        if _DATE.match(self.dtype):
            return "date"
        return "text" if _TEXT.match(self.dtype) else "other"

    @property
    def truth(self) -> tuple[str, str] | None:
        """Its texts for yes and no, where it has no others."""
        yes, no = self.spellings
        return (yes[0], no[0]) if yes else None

    @property
    def spellings(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """All the ways in which its texts say yes, and no; of a column that says something else none."""
        if not self.holds.startswith("truth"):
            return (), ()
        yes, several, no = self.holds.partition(" or ")
        found = re.findall(r"'([^']*)'", yes)
        return (tuple(found), tuple(re.findall(r"'([^']*)'", no))) if several else (tuple(found[:1]), tuple(found[1:]))

    @property
    def source(self) -> str:
        """Its label in Python."""
        if not self.is_text:
            return self.name
        return '"' + self.name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


class Variable(Struct, frozen=True, kw_only=True):
    """A variable of the user's. ``details`` is what its line says after the type."""

    name: str
    type: str
    details: str = ""
    columns: tuple[Column, ...] = ()
    polars: bool = False
    index: tuple[Column, ...] = ()
    """The index of a table, where it is one of dates."""
    file: str = ""
    """The name of the file that a table was read from, where people may call the table by it."""

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)

    def is_a(self, kind: str) -> bool:
        """True if it is of a book's ``kind`` (see :data:`.book.VARIABLE_KINDS`)."""
        kinds = {
            "array": {"ndarray"},
            "list": {"list", "tuple"},
            "set": {"set", "frozenset"},
            "text variable": {"str"},
            "number variable": {"int", "float"},
        }
        if kind in ("number list", "text list"):
            of_text = bool(re.search(r"\bof (?:str|dict|list|tuple)\b", self.details))
            return self.type in kinds["list"] and (of_text == (kind == "text list") or " of " not in self.details)
        return kind == "variable" or self.type in kinds.get(kind, {kind})


class Namespace(Struct, frozen=True):
    """The user's variables, the most recent first. ``fleeting`` are names that a loop leaves behind, ``files`` previews of files."""

    variables: tuple[Variable, ...] = ()
    fleeting: frozenset[str] = frozenset()
    files: str = ""

    def get(self, name: str) -> Variable | None:
        """The variable of exactly this name."""
        return next((variable for variable in self.variables if variable.name == name), None)

    def of_kind(self, kind: str) -> list[Variable]:
        """Those that are what a book calls ``kind``, the most recent first."""
        return [variable for variable in self.variables if variable.is_a(kind)]

    def without(self, source: str) -> Namespace:
        """The namespace without the variables that a cell makes itself: "and sort it" is not about those."""
        made = {
            target.id
            for tree in _trees([source])
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
            and target.id not in {one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)}
        }
        return structs.replace(self, variables=tuple(one for one in self.variables if one.name not in made))

    @property
    def names(self) -> frozenset[str]:
        return frozenset(variable.name for variable in self.variables)


def read(lines: str, cells: Sequence[str] = (), files: str = "") -> Namespace:
    """The namespace that the section's ``lines`` describe, with the columns that ``cells`` give its tables."""
    told = [variable for entry in _entries(lines) if (variable := _variable(entry)) is not None]
    told = [_with_found(one, lines) for one in told]
    trees = list(_trees(cells))
    given = list(_given(trees))
    read_from = {name: PurePath(path).stem for source in cells for name, path in _READ.findall(source)}
    variables = [
        _with_columns(variable, [column for name, column in given if name == variable.name]) for variable in told
    ]
    tables = {one.name for one in variables if one.type == "DataFrame"}
    if tables <= read_from.keys():  # one that is made from another may be meant, too
        variables = [structs.replace(one, file=read_from.get(one.name, "")) for one in variables]
    return Namespace(tuple(variables), frozenset(_fleeting(trees)) - {name for name, _ in given}, files)


def _entries(lines: str) -> list[list[str]]:
    """The lines of each variable: those that are indented belong to the one above."""
    entries: list[list[str]] = []
    for line in lines.splitlines():
        if line.startswith("  ") and entries:
            entries[-1].append(line.strip())
        else:
            entries.append([line.strip("-* \t")])
    return entries


def _with_found(variable: Variable, lines: str) -> Variable:
    """The variable with what is told of the prompt's words in its columns."""
    told = next(
        (one for one in map(_WORDS.match, lines.splitlines()) if one and variable.name in one["names"].split(", ")),
        None,
    )
    if told is None:
        return variable
    notes = {_unquoted(one["name"]): one["note"] for one in map(_FOUND.match, told["found"].split("; ")) if one}
    columns = tuple(_noted(column, notes.get(column.name, "")) for column in variable.columns)
    return structs.replace(variable, columns=columns)


def _noted(column: Column, note: str) -> Column:
    if note.startswith("has "):
        return structs.replace(column, values=tuple(one[0] or one[1] for one in _VALUE.findall(note)))
    return structs.replace(column, holds=note) if note else column


def _unquoted(label: str) -> str:
    return str(ast.literal_eval(label)) if label.startswith('"') else label


def _is_text(label: str) -> bool:
    """Return whether a label, as it is told, is a text: in quotes, or a plain word."""
    return label.startswith('"') or (label.isidentifier() and label not in ("None", "True", "False"))


def _is_writable(label: str) -> bool:
    """False for a label that Python can't read without what the user imported, such as a period's."""
    try:
        return _is_text(label) or ast.literal_eval(label) is not ...
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False


def _profiled(line: str, rows: int) -> Column | None:
    """A column of which a line of its own tells, of a table with so many rows."""
    match = _PROFILED.match(line)
    if match is None or not _is_writable(match["name"]):
        return None
    column, facts = _column(match["name"], match["dtype"]), match["facts"] or ""
    told = _RANGE.search(facts)
    low, high = (told["low"], told["high"] or told["low"]) if told else ("", "")
    two = column.kind == "number" and "2 distinct" in facts and (low, high) == ("0", "1")
    within = column.dtype.lower().startswith("float") and low != "" and float(low) >= 0 and float(high) <= 1
    known, several = _CATEGORIES.search(facts), _DISTINCT.search(facts)
    return structs.replace(
        column,
        gaps=column.kind == "number" and " missing" in facts,
        flag=two,
        fraction=within and not two,
        repeats=several is not None,
        own=int(several[1].replace(",", "")) > _NEARLY * rows if several else "unique" in facts,
        categories=tuple(one[0] or one[1] for one in _VALUE.findall(known["values"])) if known else (),
    )


def _variable(lines: Sequence[str]) -> Variable | None:
    match = _LINE.match(lines[0])
    if not match:
        return None
    rest = match["rest"]
    if match["type"].rpartition(".")[2].endswith("DataFrame"):
        shape = _SHAPE.match(rest)
        listed = _MORE.sub("", rest[shape.end() :] if shape else rest.lstrip(": "))
        dated = _INDEX.match(listed)
        index = (Column(dated["name"], "datetime64[ns]", holds="index"),) if dated else ()
        listed = listed[dated.end() :] if dated else listed
        columns = tuple(
            _column(one["name"], one["dtype"]) for one in _COLUMN.finditer(listed) if _is_writable(one["name"])
        )
        rows = int(re.sub(r"\D", "", shape["rows"])) if shape else 0
        columns = tuple(filter(None, (_profiled(line, rows) for line in lines[1:]))) or columns
        told = re.match(r"[^:]*, index ([^:]*)", rest)
        levels = re.findall(r"\w+", told[1]) if told else ()
        columns = tuple(structs.replace(one, doubled=one.name in levels) for one in columns)
        polars = match["type"].startswith("polars")
        return Variable(name=match["name"], type="DataFrame", details=rest, columns=columns, polars=polars, index=index)
    records = _RECORDS.match(rest)
    keys = _COLUMN.finditer(records["keys"]) if records else ()
    columns = tuple(_column(one["name"], one["dtype"]) for one in keys)
    return Variable(name=match["name"], type=match["type"].rpartition(".")[2], details=rest, columns=columns)


def _column(label: str, dtype: str) -> Column:
    return structs.replace(_read_column(_unquoted(label), dtype), is_text=_is_text(label))


def _read_column(name: str, dtype: str) -> Column:
    if noted := _NOTED.match(dtype):
        notes = noted["notes"].split(", ")
        return Column(name, noted["dtype"], gaps="gaps" in notes, flag="0 or 1" in notes, fraction="0 to 1" in notes)
    found = _HELD.match(dtype)
    if found is None:
        return Column(name, dtype)
    if not found["note"].startswith("has "):
        return Column(name, found["dtype"], holds=found["note"])
    return Column(name, found["dtype"], values=tuple(one[0] or one[1] for one in _VALUE.findall(found["note"])))


# --- What cells do to variables ---------------------------------------------------------------------------------------


def _trees(cells: Iterable[str]) -> Iterable[ast.Module]:
    for source in cells:
        with suppress(SyntaxError, ValueError):
            yield parse_python(re.sub(r"(?m)^\s*[%!].*$", "", source))


def _fleeting(trees: Iterable[ast.Module]) -> Iterable[str]:
    """The names that loops give, and those of copies of a table, also in another order."""
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.For):
            yield from (one.id for one in ast.walk(node.target) if isinstance(one, ast.Name))
        elif isinstance(node, ast.Assign):
            source = node.value
            while isinstance(source, ast.Call) and getattr(source.func, "attr", "") in _COPIES:
                source = source.func.value  # type: ignore[attr-defined]
            if source is not node.value and isinstance(source, ast.Name):
                yield from (one.id for one in node.targets if isinstance(one, ast.Name) and one.id != source.id)


def _given(trees: Iterable[ast.Module]) -> Iterable[tuple[str, Column]]:
    """The columns that cells give to tables, ``sales["revenue"] = …``, with the table's name: the kernel may not have run them yet."""
    for node in (node for tree in trees for node in tree.body):
        match node:
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(column)))], value=value
            ):
                arithmetic = isinstance(value, ast.BinOp) and not isinstance(value.op, ast.Add | ast.Mod)
                yield name, Column(column, "float64" if arithmetic else "")


def _with_columns(variable: Variable, columns: Sequence[Column]) -> Variable:
    """A table with the columns that it will have, too."""
    fresh = [column for column in columns if variable.column(column.name) is None]
    if variable.type != "DataFrame" or not variable.columns or not fresh:
        return variable
    return structs.replace(variable, columns=(*variable.columns, *dict.fromkeys(fresh)))
