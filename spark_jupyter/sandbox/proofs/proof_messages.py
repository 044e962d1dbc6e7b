"""Questions and answers by which two copies are compared."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from spark_jupyter.sandbox.values.float_extraction import MOST_FLOATS

MOST_ROWS = 1_000_000
"""Rows whose marks are sent: 8 bytes each."""

Mark = Annotated[bytes, Meta(max_length=8)]
Text = Annotated[str, Meta(max_length=500)]
_Few = Meta(max_length=200)


class Question(Struct, frozen=True, kw_only=True):
    """Question to a copy after its cells have run. One more is its class with that of its answer, both in the unions at the end of their
    file, and what :mod:`spark_jupyter.sandbox.copy.inspector` says to it."""


class Answer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Answer to a question."""


class Describe(Question, frozen=True, kw_only=True, tag=True):
    """Ask for descriptions of variables. ``column`` is one that is to be told under another name: its own, and that. ``parts``: also of
    what is in each."""

    names: tuple[str, ...] | None = None
    beside: tuple[str, ...] = ()
    column: tuple[str, str] | None = None
    parts: bool = True


class Node(Struct, frozen=True, kw_only=True):
    """A part of a variable, as Python writes it (``sales['total']``). ``rows``: they can be asked for."""

    path: Text
    mark: Mark
    words: Text
    rows: bool = False


class Value(Struct, frozen=True, kw_only=True):
    """A variable. Its ``nodes`` come in the order of its parts, the whole first. ``opaque`` is what in it can't be told, ``partly``: not
    all of it was looked at."""

    name: Text
    mark: Mark
    kind: Text
    nodes: Annotated[tuple[Node, ...], _Few]
    opaque: Annotated[tuple[Text, ...], _Few] = ()
    partly: bool = False


class Written(Struct, frozen=True, kw_only=True):
    """A file that would be written."""

    name: Text
    mark: Mark
    size: int


class Described(Answer, frozen=True, kw_only=True, tag=True):
    """The variables; paths that are one object; what no variable holds; files. ``touched`` are the names that were looked at, those too
    that are gone; ``memory`` is how many bytes the copy had grown by at its peak, before it was asked."""

    values: Annotated[tuple[Value, ...], Meta(max_length=50_000)]
    aliases: Annotated[tuple[tuple[Text, ...], ...], Meta(max_length=50_000)] = ()
    state: Annotated[tuple[tuple[Text, Mark], ...], _Few] = ()
    files: Annotated[tuple[Written, ...], Meta(max_length=2_000)] = ()
    touched: Annotated[tuple[Text, ...], Meta(max_length=50_000)] = ()
    memory: Annotated[int, Meta(ge=0)] = 0


class Rows(Question, frozen=True, kw_only=True, tag=True):
    """Ask for the digests of the rows at this path."""

    path: str


class RowMarks(Answer, frozen=True, kw_only=True, tag=True):
    """A mark for each row; None where there are too many."""

    path: Text
    marks: Annotated[bytes, Meta(max_length=8 * MOST_ROWS)] | None


class TellNumbers(Question, frozen=True, kw_only=True, tag=True):
    """Ask for the floating-point numbers in these variables."""

    names: tuple[str, ...]


class Numbers(Struct, frozen=True, kw_only=True):
    """A variable as its ``floats``, in the order of its parts, and a ``mark`` of all the rest; None where not all of it was looked at."""

    name: Text
    mark: Mark
    floats: Annotated[bytes, Meta(max_length=8 * MOST_FLOATS)] | None


class NumbersTold(Answer, frozen=True, kw_only=True, tag=True):
    """The numbers of each; a variable is left out where all of them are too many."""

    values: Annotated[tuple[Numbers, ...], _Few]


class Show(Question, frozen=True, kw_only=True, tag=True):
    """Ask for the content of a row."""

    path: str
    row: int


class Shown(Answer, frozen=True, kw_only=True, tag=True):
    """Label and content of a row."""

    path: Text
    place: Text
    words: Text


Asked = Describe | Rows | TellNumbers | Show
Answered = Described | RowMarks | NumbersTold | Shown
