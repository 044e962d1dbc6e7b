"""Sentences of one shape: a template that the whole prompt has to fit, and what makes code of what stands in its places. Pure.

A template is words, with ``(a|b)`` one of these, ``[a|b]`` one of these or nothing, and places: ``{c:x}`` a column, ``{cs:x}`` some
columns, ``{v:x}`` a value that the table has, ``{n:x}`` a number, ``{t:x}`` a table or variable, ``{q:x}`` a text in quotes, ``{f:x}`` a
file, ``{w:x}`` a word, ``{name:x}`` a word or a name and ``{rest:x}`` any words at all, which the maker has to understand itself;
``{by:x}`` is what rows are grouped by ("per ticker", "of each team"), ``{sup:x}`` a superlative, ``{add:x}`` and ``{new:x}`` say before
and behind what is made that it becomes a column, maybe its name; ``(a|b:X)`` is remembered as ``x``. Articles, commas and politeness are
not written: they are taken out of the prompt. As every word has to have its place, nothing that is asked is dropped.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.phrases.emit import Emitter, UnknownError
from spark_jupyter.server.engines.phrases.model import names
from spark_jupyter.server.engines.phrases.reader import Reader
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
SUPERLATIVES = {
    **dict.fromkeys(("highest", "largest", "biggest", "greatest", "most", "maximum", "max", "best", "longest", "top", "latest", "newest",
                     "heaviest", "tallest"), "max"),
    **dict.fromkeys(("lowest", "smallest", "fewest", "least", "minimum", "min", "worst", "shortest", "earliest", "oldest", "lightest"),
                    "min"),
}  # fmt: skip
"""Words for the one that comes first, and by what it does."""
_ONE = r"(?:⟨[qcwtv]\d+⟩|[^\W\d_⟨][\w'’-]*) "
_FRESH = r"(?:(?:new|extra|another|separate|own|additional|one|derived) )*"
_ADD = (
    rf"(?:(?:add|create|make|insert|append|build|derive) {_FRESH}(?:columns? |field )?(?:(?:called |named )?(?P<NAME>(?:{_ONE}){{1,3}}?))??"
    r"(?:(?:with|for|of|showing|holding|containing|that (?:has|contains|shows|holds|is|says|gives)|which is|=|as|from|to|giving) )?)"
)
_NEW = (
    rf"(?:(?:and (?:put|store|save|write|add|call) (?:it|that|them|result) )?(?:as|in|into|to|with|and) {_FRESH}"
    rf"(?:(?:column|field) (?:called |named )?(?P<NAME>(?:{_ONE}){{1,3}}?)??|(?:called |named )(?P<NAME>(?:{_ONE}){{1,3}}?))"
    rf"|as (?P<NAME>{_ONE})|(?:and )?(?:called|named|call (?:it|that|column)|name it) (?P<NAME>(?:{_ONE}){{1,3}}?))"
)
_NO_NAME = frozenset([
    "percent", "percentage", "fraction", "number", "numbers", "text", "table", "list", "dict", "rows", "columns", "index", "days", "months",
    "years", "hours", "degrees", "total", "order", "date", "place", "general", "both", "all", "it", "them", "that", "each", "every",
])  # fmt: skip
"""Behind "as" and "in" they say how, and name nothing."""
_PLACES = {
    "c": r"⟨c\d+⟩ ", "d": r"⟨d\d+⟩ ", "cs": r"⟨c\d+⟩ (?:(?:and |& )*⟨c\d+⟩ )*", "v": r"⟨v\d+⟩ ",
    "n": r"⟨n\d+⟩ ", "t": r"⟨t\d+⟩ ", "q": r"⟨q\d+⟩ ",
    "f": r"⟨f\d+⟩ ", "w": r"[^\W\d_⟨][\w'’-]* ", "rest": r"(?:\S+ )*?", "any": r"(?:⟨[vqnd]\d+⟩ |[^\W\d_⟨][\w'’-]* )",
    "name": r"(?:⟨[tc]\d+⟩ |[^\W\d_⟨][\w'’-]* )", "ts": r"⟨t\d+⟩ (?:(?:and |& )*⟨t\d+⟩ )*",
    "num": rf"(?:⟨n\d+⟩ |{' |'.join(words.NUMERALS)} )", "unit": r"(?:km |kilometers |kilometres |miles )",
    "by": r"(?:(?:(?:per|by|for|in|of|within|across|inside|grouped by|group by|and|over) )?(?:each |every )|"
          r"(?:per|by|for|within|inside|grouped by|group by|separately per|of|in) (?:all |single |individual |same |different )*)"
          r"⟨c\d+⟩ (?:(?:and |& )*⟨c\d+⟩ )*(?:separately |group )?",
    "span": r"(?:day|days|week|weeks|month|months|row|rows|periods?|points?|games?|match|matches|year|years|date|dates|⟨c\d+⟩) ",
    "sup": rf"(?:{'|'.join(SUPERLATIVES)}) ", "add": _ADD, "new": _NEW,
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
            first, *parts = _PLACES[place[1]].split("(?P<NAME>")
            inner = "".join(f"(?P<{place[2]}_{number}>{part}" for number, part in enumerate(parts))
            made += f"(?P<{place[2]}>{first}{inner})"
        elif one[0] in "([":
            named = _NAMED.search(one[1:-1])
            inside = one[1 : -1 - len(named[0])] if named else one[1:-1]
            several = "|".join(_source(choice) for choice in _parts(inside, "|"))
            made += f"({'?P<' + named[1].lower() + '>' if named else '?:'}{several}){'?' if one[0] == '[' else ''}"
        else:
            made += f"{re.escape(one)} "
    return made


def _once_each(pattern: str) -> str:
    """The expression where a place that a template has twice is ``x`` and ``x__2``."""
    seen: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        seen[found[1]] = seen.get(found[1], 0) + 1
        return found[0] if seen[found[1]] == 1 else f"(?P<{found[1]}__{seen[found[1]]}>"

    return re.sub(r"\(\?P<(\w+)>", numbered, pattern)


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
            if said[0].lower() in _NO_NAME or any(one.lower() in _CONNECTS for one in said):
                raise UnknownError
            known = self.by_name.get(self.word(group))
            return known.name if known else re.sub(r"\W+", "_", "_".join(said)).strip("_")
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
        for lead in ("rows where", "rows with", "rows"):
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


@lru_cache(maxsize=2048)
def _compiled(template: str) -> re.Pattern[str]:
    return re.compile(_once_each(_source(template)), re.IGNORECASE)


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
    body = "\n".join([*said.before, code]).rstrip()
    head = sorted(line for name, line in _IMPORTS.items() if re.search(rf"(?<![\w.]){name}\b[.(]", body))
    return Made("\n".join([*head, *([""] if head else []), body]), tuple(said.says))


_CONNECTS = frozenset(["with", "for", "of", "showing", "=", "as", "from", "to", "the", "per", "by"])
_IMPORTS = {
    "re": "import re", "np": "import numpy as np", "pd": "import pandas as pd", "plt": "import matplotlib.pyplot as plt",
    "stats": "from scipy import stats", "Counter": "from collections import Counter", "statistics": "import statistics",
    "json": "import json", "Path": "from pathlib import Path",
}  # fmt: skip
