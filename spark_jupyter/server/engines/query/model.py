"""What a sentence asks of a table. Values only: ``read.py`` makes a :class:`Query` of words, ``write.py`` code of it. Pure."""

from __future__ import annotations

from msgspec import Struct


class Condition(Struct, frozen=True, kw_only=True):
    """``column`` compared with ``values``, which are Python source. ``column`` None: any column of text may hold the value.

    ``op`` is ``== != > >= < <=``, ``in``, ``between``, ``contains``, ``starts``, ``ends``, ``missing``, ``present`` or
    ``within`` (a month or a day, as a text such as ``2024-01``), ``month``, ``hours`` or ``year`` with a comparison.
    """

    column: str | None
    op: str
    values: tuple[str, ...] = ()
    negated: bool = False


class Key(Struct, frozen=True, kw_only=True):
    """What rows are grouped by: a column, or the ``period`` (``M``, ``Y``, ``weekday`` …) of a column of dates."""

    column: str
    period: str = ""


class Measure(Struct, frozen=True, kw_only=True):
    """What is calculated: a summary such as ``mean``, of a column or (``size``) of the rows."""

    how: str
    column: str | None = None


class Order(Struct, frozen=True, kw_only=True):
    """What rows are sorted by; ``column`` None: by what was calculated."""

    column: str | None
    descending: bool = False


class Plot(Struct, frozen=True, kw_only=True):
    """A picture: ``kind`` is what pandas calls it, or ``heatmap``."""

    kind: str
    x: str | None = None
    y: tuple[str, ...] = ()
    colour: str | None = None
    title: str = ""
    bins: int | None = None
    errors: bool = False
    fitted: bool = False
    subplots: bool = False
    horizontal: bool = False
    stacked: bool = False


class Change(Struct, frozen=True, kw_only=True):
    """A change of the table: ``lines`` of code in which ``{t}`` is the table, ``shows`` what to look at afterwards,
    ``columns`` what it makes, and ``says`` a sentence about a choice that was made. ``asks``: the table stays as it is, and a
    question is asked of it, or of the rows that conditions leave."""

    lines: tuple[str, ...]
    shows: str = "{t}"
    columns: tuple[str, ...] = ()
    says: str = ""
    imports: tuple[str, ...] = ()
    asks: bool = False


class Query(Struct, kw_only=True):
    """Everything that was understood. It grows while a sentence is read."""

    table: str
    other: str = ""
    on: tuple[str, ...] = ()
    join: str = "inner"
    file: str = ""
    changes: list[Change] = []
    conditions: list[Condition] = []
    either: bool = False
    keys: list[Key] = []
    across: Key | None = None
    measures: list[Measure] = []
    share: bool = False
    scale: str = ""
    having: str = ""
    order: list[Order] = []
    limit: int | None = None
    each: bool = False
    columns: list[str] = []
    plot: Plot | None = None
    save: str = ""
    function: bool = False
    parameter: str = ""
    count: bool = False
    dates: list[str] = []
    numbers: list[str] = []
    polars: bool = False
    records: bool = False
    indexed: bool = False
    """Whether it speaks of the index of dates, which is made a column first."""
    says: list[str] = []

    @property
    def asks(self) -> bool:
        """Whether it asks for anything at all."""
        parts = (self.changes, self.conditions, self.keys, self.measures, self.order, self.columns)
        return any(parts) or bool(self.limit or self.plot or self.count or self.save or self.other or self.file)
