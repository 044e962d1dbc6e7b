"""Sentences of one shape: a template that the whole prompt has to fit, and what makes code of what stands in its places. Pure.

A template is words, with ``(a|b)`` one of these, ``[a|b]`` one of these or nothing, and places: ``{c:x}`` a column, ``{cs:x}`` some
columns, ``{v:x}`` a value that the table has, ``{n:x}`` a number, ``{t:x}`` a table or variable, ``{q:x}`` a text in quotes, ``{f:x}`` a
file, ``{w:x}`` a word, ``{name:x}`` a word or a name and ``{rest:x}`` any words at all, which the maker has to understand itself;
``(a|b:X)`` is remembered as ``x``. Articles, commas and politeness are
not written: they are taken out of the prompt. As every word has to have its place, nothing that is asked is dropped.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines.phrases.emit import Emitter, UnknownError
from spark_jupyter.server.engines.phrases.reader import Reader
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
_PLACES = {
    "c": r"⟨c\d+⟩ ", "cs": r"⟨c\d+⟩ (?:(?:and |& )*⟨c\d+⟩ )*", "v": r"⟨v\d+⟩ ", "n": r"⟨n\d+⟩ ", "t": r"⟨t\d+⟩ ", "q": r"⟨q\d+⟩ ",
    "f": r"⟨f\d+⟩ ", "w": r"[^\W\d_⟨][\w'’-]* ", "rest": r"(?:\S+ )*?", "any": r"(?:⟨[vqnd]\d+⟩ |[^\W\d_⟨][\w'’-]* )",
    "name": r"(?:⟨[tc]\d+⟩ |[^\W\d_⟨][\w'’-]* )", "ts": r"⟨t\d+⟩ (?:(?:and |& )*⟨t\d+⟩ )*",
    "num": r"(?:⟨n\d+⟩ |one |two |three |five )", "unit": r"(?:km |kilometers |kilometres |miles )",
}  # fmt: skip
_PLACE = re.compile(r"\{(\w+):(\w+)\}")
_NAMED = re.compile(r":([A-Z]+)$")


def _parts(text: str, sign: str) -> list[str]:
    """The text cut at a sign that stands in no bracket."""
    found, depth, start = [], 0, 0
    for place, one in enumerate(text):
        depth += (one in "([") - (one in ")]")
        if one == sign and depth == 0:
            found.append(text[start:place])
            start = place + 1
    return [*found, text[start:]]


def _source(template: str) -> str:
    """A template as a regular expression over words that each have a space behind."""
    made = ""
    for one in filter(None, _parts(template, " ")):
        place = _PLACE.fullmatch(one)
        if place is not None:
            made += f"(?P<{place[2]}>{_PLACES[place[1]]})"
        elif one[0] in "([":
            named = _NAMED.search(one[1:-1])
            inside = one[1 : -1 - len(named[0])] if named else one[1:-1]
            several = "|".join(_source(choice) for choice in _parts(inside, "|"))
            made += f"({'?P<' + named[1].lower() + '>' if named else '?:'}{several}){'?' if one[0] == '[' else ''}"
        else:
            made += f"{re.escape(one)} "
    return made


class Said:
    """A prompt of a shape: what stands in its places, and of which table."""

    def __init__(self, found: re.Match[str], marked: Marked, namespace: Namespace, source: Source | None) -> None:
        self.found, self.marked, self.namespace, self.source = found, marked, namespace, source
        self.by_name: dict[str, Column] = {one.name: one for one in source.columns} if source else {}
        self.says: list[str] = []
        self.before: list[str] = []
        """Lines that come first."""

    def has(self, group: str) -> bool:
        """Whether something stands in the place."""
        return group in self.found.re.groupindex and bool(self.found[group])

    def word(self, group: str) -> str:
        """What stands there, or what its mark stands for."""
        return self.marked.value(self.found[group].strip()) if self.has(group) else ""

    def number(self, group: str) -> str:
        """A number, be it in letters."""
        return {"one": "1", "two": "2", "three": "3", "five": "5"}.get(self.word(group).lower(), self.word(group))

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


@lru_cache(maxsize=512)
def _compiled(template: str) -> re.Pattern[str]:
    return re.compile(_source(template), re.IGNORECASE)


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
                found = _compiled(template).fullmatch(text)
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
    body = "\n".join([*said.before, code])
    head = sorted(line for name, line in _IMPORTS.items() if re.search(rf"(?<![\w.]){name}\b[.(]", body))
    return Made("\n".join([*head, *([""] if head else []), body]), tuple(said.says))


_IMPORTS = {
    "re": "import re", "np": "import numpy as np", "pd": "import pandas as pd", "plt": "import matplotlib.pyplot as plt",
    "stats": "from scipy import stats", "Counter": "from collections import Counter", "statistics": "import statistics",
    "json": "import json", "Path": "from pathlib import Path",
}  # fmt: skip
