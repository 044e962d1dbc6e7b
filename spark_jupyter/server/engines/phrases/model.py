"""What a sentence about a table means: expressions over its columns, and a :class:`Plan` of what is done with them. Values only. Pure."""

from __future__ import annotations

from msgspec import Struct


class Expr(Struct, frozen=True):
    """An operation on ``args``; ``col`` has a column's name, ``lit`` Python source, ``now`` the table's rows themselves."""

    op: str
    args: tuple[Expr | str, ...] = ()


def col(name: str) -> Expr:
    """A column."""
    return Expr("col", (name,))


def lit(source: str) -> Expr:
    """A value as Python source."""
    return Expr("lit", (source,))


def names(one: Expr) -> list[str]:
    """The columns that an expression reads."""
    if one.op == "col":
        return [str(one.args[0])]
    return [name for arg in one.args if isinstance(arg, Expr) for name in names(arg)]


class Measure(Struct, frozen=True, kw_only=True):
    """A summary ``how`` of ``what`` (None: of the rows), and what it is to be called."""

    how: str
    what: Expr | None = None
    name: str = ""


class Order(Struct, frozen=True, kw_only=True):
    """What comes first; ``what`` None: by what was calculated."""

    what: Expr | None
    descending: bool


class Picture(Struct, kw_only=True):
    """A plot and its details."""

    kind: str = ""
    x: str | None = None
    y: list[str] = []
    colour: str | None = None
    options: dict[str, str] = {}
    labels: bool = False
    trend: bool = False


class Plan(Struct, kw_only=True):
    """All that a prompt asks of one table. It grows while the prompt is read."""

    derived: list[tuple[str, Expr]] = []
    where: list[Expr] = []
    keys: list[Expr] = []
    measures: list[Measure] = []
    order: list[Order] = []
    limit: int | None = None
    within: int = 0
    """The last so many keys are groups, in each of which the first ones are wanted: "best selling product in each region"."""
    each: bool = False
    which: bool = False
    having: tuple[str, str] | None = None
    columns: list[str] = []
    share: bool = False
    part: bool = False
    scale: str = ""
    then: str = ""
    calendar: bool = False
    """Whether weekdays are wanted in their order."""
    ranked: bool = False
    """Whether each group is to have its rank."""
    round: int | None = None
    step: tuple[str, Expr, str] | None = None
    """What goes from row to row: ``cumsum``, ``diff`` …, of what, and its argument."""
    steps: list[str] = []
    """Lines that change the table ``{t}`` before anything else."""
    ask: str = ""
    """An expression about the rows ``{r}`` that is the whole answer."""
    settings: list[tuple[str, Expr, str]] = []
    """Which column is set where to what."""
    banded: list[tuple[str, Expr, list[tuple[str, str, str]]]] = []
    """New columns of bands: the name, of which column, and each band's label and where it begins and ends."""
    joins: bool = False
    join: str = ""
    """How the other table is joined, and"""
    brings: list[str] = []
    """what of it alone is brought."""
    exploded: list[str] = []
    picture: Picture | None = None
    save: str = ""
    says: list[str] = []

    @property
    def asks(self) -> bool:
        """Whether there is anything to be done."""
        return bool(
            self.derived
            or self.where
            or self.keys
            or self.measures
            or self.order
            or self.columns
            or self.picture
            or self.step
            or self.having
            or self.steps
            or self.settings
            or self.joins
            or self.banded
            or self.ask
        )
