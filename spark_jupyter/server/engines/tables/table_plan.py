"""Meanings of questions about tables, as frozen values."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct, structs

from spark_jupyter.server.engines.namespace import Column


class Ref(Struct, frozen=True):
    """A column of a table, or a ``part`` of its dates: ``month``, ``weekday`` …"""

    table: str
    column: Column
    part: str = ""


class Formula(Struct, frozen=True):
    """Arithmetic over columns and numbers; ``op`` is one of ``+ - * /``, or ``days`` from the right date to the left."""

    op: str
    left: Expression
    right: Expression


Expression = Ref | Formula | float


class Test(Struct, frozen=True):
    """A condition on a row. ``op`` is a comparison of Python's, or ``in``, ``between``, ``part``, ``contains``, ``starts``, ``ends``,
    ``missing`` or ``true``; dates are ISO texts, and a range of dates is ``[from, to)``."""

    __test__ = False

    left: Ref
    op: str
    right: tuple[float | str | bool, ...] = ()
    negated: bool = False


class AnyOf(Struct, frozen=True):
    """A row has to fulfil one of these."""

    tests: tuple[Test, ...]


class Unmatched(Struct, frozen=True):
    """A row whose ``key`` is in no row of the other table."""

    key: Ref
    other: Ref


class Measure(Struct, frozen=True):
    """A number of each group: ``count`` of rows, ``mean``, ``sum`` … of an expression, or the ``share`` of rows that fulfil a test."""

    how: str
    of: Expression | Test | None = None


class Order(Struct, frozen=True):
    """The order of rows or groups; without keys by the value that is shown."""

    keys: tuple[Expression, ...] = ()
    descending: bool = False


class Limit(Struct, frozen=True):
    """So many rows from an end: ``first``, ``last``, ``random``, ``largest`` or ``smallest``."""

    count: int
    end: str


class Change(Struct, frozen=True, kw_only=True):
    """A change of a table.

    ``new`` and ``rowwise`` have the name of the column, ``rename`` all names, ``fill`` a value or a statistic ``how`` (of each group
    of ``by``), ``convert`` says ``how``, ``replace`` has an old value and a ``new`` one, ``scale`` a factor; ``join``, ``bring`` and
    ``unmatched`` have an ``other`` table. ``filter`` drops the rows of the plan's tests."""

    kind: str
    columns: tuple[Ref, ...] = ()
    names: tuple[str, ...] = ()
    value: Expression | str | tuple[Test | AnyOf, ...] | None = None
    new: float | str | None = None
    how: str = ""
    by: Ref | None = None
    other: str = ""


class Plan(Struct, frozen=True, kw_only=True):
    """A question about a table, or a change of it."""

    table: str = ""
    tests: tuple[Test | AnyOf | Unmatched, ...] = ()
    groups: tuple[Ref, ...] = ()
    measures: tuple[Measure, ...] = ()
    columns: tuple[Ref, ...] = ()
    look: str = ""
    order: Order | None = None
    limit: Limit | None = None
    having: tuple[str, float] | None = None
    """A comparison that the measure of a group has to fulfil."""
    percent: bool = False
    decimals: int | None = None
    picture: str = ""
    styles: tuple[tuple[str, str | int | Ref], ...] = ()
    change: Change | None = None
    path: str = ""
    """A file that the result is written to."""


_Value = TypeVar("_Value")
_LISTS = ("tests", "groups", "measures", "columns", "styles")
_DEFAULT = Plan()


def merge(one: Plan, other: Plan) -> Plan | None:
    """Both at once; None where they contradict each other."""
    changes: dict[str, object] = {}
    for name in Plan.__struct_fields__:
        new, old, unset = getattr(other, name), getattr(one, name), getattr(_DEFAULT, name)
        if new in (unset, old):
            continue
        if name in _LISTS:
            changes[name] = old + tuple(each for each in new if each not in old)
        elif old == unset or (name == "picture" and old == "plot"):
            changes[name] = new
        elif name == "picture" and new == "plot":
            continue
        else:
            return None
    return structs.replace(one, **changes) if changes else one


def override(before: Plan, new: Plan) -> Plan:
    """The plan before with what the new one sets in place of its own; conditions and styles come on top."""
    changes: dict[str, object] = {}
    for name in Plan.__struct_fields__:
        value = getattr(new, name)
        if value == getattr(_DEFAULT, name):
            continue
        if name == "tests":
            value = before.tests + tuple(one for one in value if one not in before.tests)
        elif name == "styles":
            named = {key for key, _ in value}
            value = (*(one for one in before.styles if one[0] not in named), *value)
        changes[name] = value
    return structs.replace(before, **changes)


def refs(value: object) -> tuple[Ref, ...]:
    """All columns that a plan or a part of one speaks of, in their order."""
    if isinstance(value, Ref):
        return (value,)
    if isinstance(value, tuple):
        return tuple(ref for one in value for ref in refs(one))
    if isinstance(value, Struct):
        return tuple(ref for name in value.__struct_fields__ for ref in refs(getattr(value, name)))
    return ()
