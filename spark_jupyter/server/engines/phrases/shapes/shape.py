"""Sentences of one shape: a template that the whole prompt has to fit, and what makes code of what stands in its places. Pure.

``template.py`` says what a template is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.phrases.emit import Emitter, UnknownError
from spark_jupyter.server.engines.phrases.model import names
from spark_jupyter.server.engines.phrases.reader import Reader
from spark_jupyter.server.engines.phrases.shapes.template import SUPERLATIVES, compiled
from spark_jupyter.server.engines.query.lexicon import summary
from spark_jupyter.server.engines.query.sources import number_of
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spark_jupyter.server.engines.namespace import Column, Namespace, Variable
    from spark_jupyter.server.engines.query.marked import Marked
    from spark_jupyter.server.engines.query.tables import Source

_ARTICLES = frozenset(["the", "a", "an", "my", "our", "your", "this", "these", "those", "its", "their"])
_NOTHING = frozenset(",;:!?.\"'()[]`")
_TOKEN = re.compile(r"⟨\w+⟩|[^\W\d_][\w'’-]*|\d+|\S")
_FIRST = re.compile(
    r"^(?:(?:please|pls|hey|hi|hello|ok|okay|now|just|can you|could you|would you|can we|can i|help me|let's|lets|let us|i'd like to"
    r"|i would like to|i want to|i want you to|i need to|i want|i need|i'd like|we need|we want|also|so|well|quickly) )+",
    re.IGNORECASE,
)
_LAST = re.compile(r"(?:(?:please|pls|thanks|thank you|for me|now|then) )+$", re.IGNORECASE)
_SHOW = re.compile(
    r"^(?:(?:show|give|tell|get|display|print|calculate|compute|find|determine|report|list|see|know|what "
    r"is|what's|whats|what are|what was"
    r"|do|run|perform|carry out|make) (?:me |us |out )*)+",
    re.IGNORECASE,
)
_NO_NAME = frozenset([
    "percent", "percentage", "fraction", "number", "numbers", "text", "table", "list", "dict", "rows", "columns", "index", "days", "months",
    "years", "hours", "degrees", "total", "order", "date", "place", "general", "both", "all", "it", "them", "that", "each", "every",
])  # fmt: skip
"""Behind "as" and "in" they say how, and name nothing."""


def _standing(found: re.Match[str]) -> dict[str | int, str]:
    """What stands in the places, whichever of those with the same name it is in; 0 is the whole."""
    held: dict[str | int, str] = defaultdict(str, {0: found[0]})
    for name, text in found.groupdict().items():
        held[name.partition("__")[0]] = held[name.partition("__")[0]] or text or ""
    return held


class Said:
    """A prompt of a shape: what stands in its places, and of which table."""

    def __init__(self, found: re.Match[str], marked: Marked, namespace: Namespace, source: Source | None) -> None:
        self.found, self.marked, self.namespace, self.source = _standing(found), marked, namespace, source
        self.by_name: dict[str, Column] = {one.name: one for one in source.columns} if source else {}
        self.says: list[str] = []
        self.before: list[str] = []
        """Lines that come first."""

    def has(self, group: str) -> bool:
        """Whether something stands in the place."""
        return bool(self.found.get(group))

    def word(self, group: str) -> str:
        """What stands there, or what its mark stands for."""
        return self.marked.value(self.found[group].strip()) if self.has(group) else ""

    def quoted(self, mark: str) -> str:
        """What a mark stands for as it was said: a text in its quotes."""
        plain = self.marked.said.get(mark, self.marked.value(mark))
        return f'"{plain}"' if mark[1] == "q" else plain

    def number(self, group: str) -> str:
        """A number, be it in letters."""
        return words.digits(self.word(group))

    def how(self, group: str = "how") -> str:
        """What pandas calls the summary that is said there: "average" is ``mean``; empty where nothing is said."""
        return summary(self.word(group))

    def first(self, group: str) -> str:
        """``max`` or ``min``, as the superlative says."""
        return SUPERLATIVES[self.word(group).lower()]

    def new(self, default: str, *groups: str) -> str:
        """What the column is to be called that is made, as one of the places says. Raises :class:`UnknownError` where that is no name."""
        named = [
            group for one in groups or ("add", "new", "newer") for group in (f"{one}_{number}" for number in range(4))
        ]
        for group in named:
            if not self.has(group):
                continue
            said = [self.marked.said.get(one, self.marked.value(one)) for one in self.found[group].split()]
            said = said[:-1] if len(said) > 1 and said[-1].lower() == "column" else said
            if said[0].lower() in _NO_NAME or any(one.lower() in CONNECTS for one in said):
                raise UnknownError
            known = self.by_name.get(self.word(group))
            made = re.sub(r"\W+", "_", "_".join(said)).strip("_")
            whole = known is not None and re.sub(r"\W|_", "", known.name.lower()) == made.replace("_", "").lower()
            return known.name if known and whole else made  # a new "cost" is no ``unit_cost``
        return default if default not in self.by_name else f"{default}_new"

    def date(self, column: Column) -> str:
        """The column of dates as source; where they are texts they become dates first. Raises :class:`UnknownError` where it has none."""
        if column.holds == "index":
            return f"{self.table}.index"
        name = f"{self.table}[{quoted(column.name)}]"
        if column.holds.startswith("dates"):
            more = ", dayfirst=True" if "day first" in column.holds else ""
            self.first_do(f"{name} = pd.to_datetime({name}{more})")
        elif column.kind != "date":
            raise UnknownError
        return name

    def dates(self) -> Column:
        """The only column of dates. Raises :class:`UnknownError` where there is none, or more than one."""
        found = [one for one in self.by_name.values() if one.kind == "date" or one.holds.startswith("dates")]
        if len(found) != 1:
            raise UnknownError
        return found[0]

    def ready(self, group: str) -> str:
        """The name, as source, of a column of numbers, which texts become first. Raises :class:`UnknownError` where it has none."""
        column = self.numeric(group)
        name = f"{self.table}[{quoted(column.name)}]"
        if column.holds.startswith("numbers"):
            self.first_do(f"{name} = {self.of(column)}")
        return quoted(column.name)

    def first_do(self, line: str) -> None:
        """A line that comes first, once."""
        if line not in self.before:
            self.before.append(line)

    def keys(self, group: str) -> str:
        """What rows are grouped by, as source. Raises :class:`UnknownError` where those are measures."""
        found = self.columns(group)
        if not found or any(one.dtype.startswith("float") or one.holds.startswith("numbers") for one in found):
            raise UnknownError
        listed = ", ".join(quoted(one.name) for one in found)
        return listed if len(found) == 1 else f"[{listed}]"

    def condition(self, group: str) -> str:
        """A condition in this place as a mask over the table. Raises :class:`UnknownError` where it is not understood."""
        reader = self._conditions(self.plainly(self.found[group]))
        plan = reader.plan
        emit = Emitter(self.by_name, polars=False)
        for one in self.by_name.values():
            if one.name in reader.dates and any(one.name in names(part) for part in plan.where):
                self.date(one)
            if one.holds.startswith("numbers") and any(one.name in names(part) for part in plan.where):
                self.first_do(f"{self.table}[{quoted(one.name)}] = {self.of(one)}")
        masks = [emit.source(one, self.table) for one in plan.where]
        return masks[0] if len(masks) == 1 else " & ".join(f"({one})" for one in masks)

    def _conditions(self, said: str) -> Reader:
        assert self.source is not None
        for lead in ("rows where", "rows with", "rows", self.table):
            reader = Reader(f"{lead} {said}", self.source)
            left, plan = reader.read(), reader.plan
            other = (
                plan.keys
                or plan.measures
                or plan.order
                or plan.columns
                or plan.picture
                or plan.derived
                or plan.limit
                or plan.ask
            )
            if plan.where and not left and not other:
                return reader
        raise UnknownError

    def plainly(self, text: str) -> str:
        """A part of the prompt as it was said."""
        said = re.sub(r"⟨\w+⟩", lambda one: self.marked.said.get(one[0], self.marked.value(one[0])), text)
        return said.strip()

    def column(self, group: str) -> Column:
        """The column. Raises :class:`UnknownError` where the table has none such."""
        found = self.by_name.get(self.word(group))
        if found is None or found.holds == "index":
            raise UnknownError
        return found

    def columns(self, group: str) -> list[Column]:
        """Some columns."""
        return [self.by_name[name] for name in self.marked.names(self.found[group])]

    def numeric(self, group: str) -> Column:
        """A column of numbers, be it as text. Raises :class:`UnknownError` where it is none."""
        found = self.column(group)
        if found.kind != "number" and not found.holds.startswith("numbers"):
            raise UnknownError
        return found

    def variable(self, group: str) -> Variable:
        """The variable. Raises :class:`UnknownError` where there is none."""
        found = self.namespace.get(self.word(group))
        if found is None:
            raise UnknownError
        return found

    @property
    def table(self) -> str:
        """The table's name."""
        assert self.source is not None
        return self.source.name

    def of(self, column: Column, rows: str = "") -> str:
        """The column's values as source, as numbers where they are such as text."""
        plain = f"{rows or self.table}[{quoted(column.name)}]"
        if not column.holds.startswith("numbers"):
            return plain
        return number_of(plain, comma=column.holds == "numbers, decimal comma")

    def rows(self, group: str) -> str:
        """The rows that a condition in this place chooses, as source. Raises :class:`UnknownError` where it is not understood."""
        if not self.has(group):
            return self.table
        assert self.source is not None
        said = re.sub(r"⟨\w+⟩", lambda one: self.marked.said.get(one[0], self.marked.value(one[0])), self.found[group])
        reader = Reader(f"rows {said}", self.source)
        left, plan = reader.read(), reader.plan
        if left or not plan.where or plan.keys or plan.measures or plan.order or plan.columns or plan.picture:
            raise UnknownError
        emit = Emitter(self.by_name, polars=False)
        masks = [emit.source(one, self.table) for one in plan.where]
        mask = masks[0] if len(masks) == 1 else " & ".join(f"({one})" for one in masks)
        self.before.append(f"{(name := self.free('chosen'))} = {self.table}[{mask}]")
        return name

    def free(self, name: str) -> str:
        """The name, or one like it that is nobody's."""
        number, found = 1, name
        while found in self.namespace.names:
            number += 1
            found = f"{name}_{number}"
        return found


class Shape(Struct, frozen=True):
    """Templates, and what makes the code of a prompt that has one of them; it gives None where that is nothing."""

    templates: tuple[str, ...]
    make: Callable[[Said], str | None]
    kinds: str = "table"
    """Whether it is about a ``table``, about the ``rows`` of one or of a list of records, about ``things`` such as lists, or ``loose``:
    about nothing that is there."""


class Made(Struct, frozen=True):
    """Code, and what is to be said about it."""

    code: str
    says: tuple[str, ...] = ()


def texts(marked: Marked) -> list[str]:
    """The prompt as templates see it, with the words that only ask for something to be shown and without them."""
    kept = []
    tokens = _TOKEN.findall(marked.text)
    for place, one in enumerate(tokens):
        if one.startswith("⟨t") and marked.said.get(one, "").lower() == "test":
            one = "test"  # of a table ``tests``: rather the word
        if one in _NOTHING or (one.lower() in _ARTICLES and not (one.isupper() and place)):
            continue
        beside = (tokens[place - 1] if place else "", tokens[place + 1] if place + 1 < len(tokens) else "")
        if one.lower() in ("column", "columns") and any(near.startswith("⟨c") for near in beside):
            continue
        if one.lower() in _SORTS and any(near.startswith("⟨t") for near in beside):
            continue
        kept.append(one)
    text = _LAST.sub("", _FIRST.sub("", "".join(f"{one} " for one in kept)))
    shorter = _SHOW.sub("", text)
    return [text] if shorter == text else [text, shorter]


_SORTS = frozenset(["table", "dataframe", "df", "frame", "list", "dict", "dictionary", "variable", "array", "tuple"])


def fitting(shapes: Sequence[Shape], marked: Marked, namespace: Namespace, source: Source | None) -> Made | None:
    """What the first shape that the prompt has makes of it; None where it has none."""
    for text in texts(marked):
        for shape in shapes:
            for template in shape.templates:
                found = compiled(template).fullmatch(text)
                made = _made(shape, found, marked, namespace, source) if found is not None else None
                if made is not None:
                    return made
    return None


def _made(
    shape: Shape, found: re.Match[str], marked: Marked, namespace: Namespace, source: Source | None
) -> Made | None:
    said = Said(found, marked, namespace, source)
    try:
        code = shape.make(said)
    except UnknownError:
        return None
    if code is None:
        return None
    body = "\n".join([*said.before, code]).rstrip()
    head = sorted(line for name, line in _IMPORTS.items() if re.search(rf"(?<![\w.]){name}\b[.(]", body))
    return Made("\n".join([*head, *([""] if head else []), body]), tuple(said.says))


CONNECTS = frozenset(["with", "for", "of", "showing", "=", "as", "from", "to", "the", "per", "by"])
_IMPORTS = {
    "re": "import re", "np": "import numpy as np", "pd": "import pandas as pd", "plt": "import matplotlib.pyplot as plt",
    "stats": "from scipy import stats", "Counter": "from collections import Counter", "statistics": "import statistics",
    "json": "import json", "Path": "from pathlib import Path",
}  # fmt: skip
