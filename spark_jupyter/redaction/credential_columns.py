"""Columns of credentials in printed tables.

Tables are those of pandas, polars, SQL clients, Markdown and CSV. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from spark_jupyter.redaction.credential_values import is_value
from spark_jupyter.redaction.placeholders import is_word
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.source.credential_names import WORDS, Kind, kind_of

_MOST_CELLS = 60
_RULE = re.compile(r"[\s|+\-=:┌┐└┘├┤┬┴┼─│╞╪╡═┆╭╮╰╯]*$")
_TYPES = re.compile(
    r"(?:u?int|float|complex)\d{1,3}$|(?:object|category|bool|boolean|string|str|datetime64.*|Utf8|String|NaN|NaT|None|null|---|<NA>|…|\.\.\.)$"
)
_BARS = re.compile(r"[|│┆]")
_SPACED = re.compile(r"\S+(?: \S+){0,5}")
_NAME_OF_SERIES = re.compile(r"^Name: (?P<name>[^,\n]{1,80}), (?:Length: \d+, )?dtype: (?:object|string|str)", re.M)
_ROW = re.compile(
    r"^(?:\d{1,9}[ \t]{1,9})?(?P<name>[\w.\-]{2,40}+)[ \t]{2,80}(?:(?:str|bytes|SecretStr)[ \t]{2,80})?(?P<value>\S{4,200})[ \t]*$",
    re.M,
)
_ROW_OF_SERIES = re.compile(r"^\S{1,40}[ \t]{1,200}(?P<value>\S(?:[^\n]{0,200}\S)?)[ \t]*$")


class _Column(Struct, frozen=True):
    """A column: the number of the field, or the range of its heading."""

    kind: Kind
    divider: str
    number: int
    start: int = 0
    end: int = 0


def in_tables(text: str) -> Iterator[Secret]:
    """Values below a heading that names a credential, or beside one in a row."""
    columns: list[_Column] = []
    earlier: list[tuple[int, int]] = []
    at = 0
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\n")
        if not bare.strip():
            columns = []
        elif not _RULE.match(bare) and not bare.startswith("dtype:"):
            columns = _headings(bare) or columns
            yield from _in_row(bare, at, columns)
        named = _NAME_OF_SERIES.match(bare)
        if named and (kind := kind_of(named["name"])):
            yield from _in_series(text, earlier, kind)
            earlier = []
        earlier = [*earlier[-_MOST_CELLS:], (at, at + len(bare))]
        at += len(line)
    if not _IS_SCHEMA.search(text):
        yield from _beside(text)


_IS_SCHEMA = re.compile(r"^dtype: int64$", re.M)
"""``df.isna().sum()``: a Series without a name, whose values are numbers. The types of ``df.dtypes`` are no values."""


def _fields(line: str, divider: str) -> Iterator[tuple[int, int]]:
    """Ranges of the fields of a row, without their blanks."""
    start = 0
    for part in _BARS.split(line) if divider == "|" else line.split(divider):
        lead = len(part) - len(part.lstrip(" \"'`"))
        yield start + lead, max(start + lead, start + len(part.rstrip(" \"'`")))
        start += len(part) + 1


def _divider(line: str) -> str:
    if _BARS.search(line):
        return "|"
    return next((char for char in "\t,;" if char in line), " ")


def _headings(line: str) -> list[_Column]:
    """Columns of credentials, if a line is a table's heading: words only, at least two, or one far to the right."""
    if (
        len(line) > 1_000
        or (len(line) > 40 and line.isalnum())
        or not line.replace("_", "").replace("-", "").translate(_DIVIDERS).replace(" ", "").isalnum()
    ):
        return []
    divider = _divider(line)
    if divider == " ":
        spans = [match.span() for match in re.finditer(r"\S+", line)]
        if len(spans) == 1 and line.islower() and kind_of(line) in ("PASSWORD", "API_KEY", "TOKEN"):
            return [_Column("TOKEN", divider, 0, *spans[0])]  # a column alone: its values must look like it
        if len(spans) < 2 and not line.startswith("  "):
            return []
        if "  " not in line.strip() and not line.startswith(" "):
            return []
    else:
        spans = list(_fields(line, divider))
    if len(spans) > _MOST_CELLS or (divider in ",;" and any(" " in line[start:end].strip() for start, end in spans)):
        return []
    if any(_TYPES.match(line[start:end]) for start, end in spans):
        return []
    found = []
    for number, (start, end) in enumerate(spans):
        kind = kind_of(line[start:end]) if start < end else None
        if kind and kind not in ("KEY", "SIGNATURE"):
            found.append(_Column(kind, divider, number, start, end))
    return found


_DIVIDERS = str.maketrans(dict.fromkeys("|│┆\t,;\"'`", " "))


def _in_row(line: str, at: int, columns: list[_Column]) -> Iterator[Secret]:
    for column in columns:
        span = _field(line, column)
        if span is None:
            continue
        value = line[slice(*span)]
        if (
            is_value(value, column.kind)
            and not _TYPES.match(value)
            and not is_word(value)
            and not kind_of(value)
            and (" " not in value or (column.divider != " " and _few_words(value)))
        ):
            yield Secret(at + span[0], at + span[1], column.kind, WORDS[column.kind])


def _few_words(value: str) -> bool:
    """True if a cell is a phrase and no description."""
    return len(value) <= 40 and value.count(" ") <= 3 and value == value.lower()


def _field(line: str, column: _Column) -> tuple[int, int] | None:
    """Range of a column's field in a row. pandas aligns values with the end of the heading."""
    if column.divider != " ":
        for number, span in enumerate(_fields(line, column.divider)):
            if number == column.number:
                return span
        return None
    for match in _SPACED.finditer(line) if "  " in line.strip() else ():
        if match.end() == column.end or match.start() == column.start:
            return match.span()
    words = [match.span() for match in re.finditer(r"\S+", line[:2_000])]
    aligned = [span for span in words if span[1] == column.end or span[0] == column.start]
    number = column.number + (1 if line[:1].isdigit() else 0)
    return aligned[0] if aligned else words[number] if number < len(words) <= _MOST_CELLS else None


def _in_series(text: str, rows: list[tuple[int, int]], kind: Kind) -> Iterator[Secret]:
    for start, end in rows:
        match = _ROW_OF_SERIES.match(text[start:end])
        if match and is_value(match["value"], kind) and not _TYPES.match(match["value"]):
            yield Secret(start + match.start("value"), start + match.end("value"), kind, WORDS[kind])


def _beside(text: str) -> Iterator[Secret]:
    """``password    chestnut``: a row that was printed as a Series."""
    for match in _ROW.finditer(text):
        kind, value = kind_of(match["name"]), match["value"]
        if (
            kind
            and is_value(value, kind)
            and not _TYPES.match(value)
            and not is_word(value)
            and not (value.isdigit() and kind != "PIN")
        ):
            yield Secret(*match.span("value"), kind, WORDS[kind])
