"""Resolution of a plan's open parts, and plans changed by a follow-up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from spark_jupyter.server.engines.tables.rule_helpers import ANY_DATE, is_amount, is_date, is_number
from spark_jupyter.server.engines.tables.table_plan import Measure, Order, Plan, Ref, Test, Unmatched, override, refs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_jupyter.server.engines.namespace import Variable
    from spark_jupyter.server.engines.tables.lexicon import Schema
    from spark_jupyter.server.engines.tables.rule_helpers import Names

_WHOLE = frozenset({"describe", "columns", "types", "shape", "info", "missing", "nunique", "duplicates", "duplicated"})
"""Questions about a table as it is: they go with no groups, measures or pictures."""
_USUAL = {"sum": "ADDED", "mean": "LEVEL"}
"""The usual measure of a column whose name has a word of the grammar's terminal."""


def complete(plan: Plan, names: Names) -> list[Plan]:
    """The whole plans that ``plan`` may be; none where it can't be carried out."""
    found, schema = [], names.schema
    for table in _tables(plan, schema):
        named = structs.replace(plan, table=table.name)
        for dated in _dated(named, table):
            for measured in _measured(dated, names):
                if (one := _keyed(_drawn(_counted(measured)), schema)) is not None and all(_rules(one)):
                    found.append(one)
    return found


def _tables(plan: Plan, schema: Schema) -> list[Variable]:
    """The tables that a plan may be about: the one that it names, that of its columns, or else any."""
    own = {ref.table for ref in refs(plan) if ref.table}
    if plan.table:
        own.add(plan.table)
    if len(own) > 1:
        return []
    return [table for table in schema.tables.values() if not own or table.name in own]


def _dated(plan: Plan, table: Variable) -> list[Plan]:
    """The plan with a column of dates where it means one without naming it: each that the table has."""
    parts = {ref.part for ref in refs(plan) if ref.column == ANY_DATE}
    if not parts:
        return [plan]
    if any(column.name.lower() in parts for column in table.columns):
        return []  # that column is meant
    dates = [ref for column in table.columns if is_date(ref := Ref(table.name, column))]
    return [_replaced(plan, one) for one in dates]


def by_days(plan: Plan) -> Plan:
    """The plan with the days of a date where it groups by the date as it is, which may have a time."""
    groups = (structs.replace(ref, part=ref.part or "day") if is_date(ref) else ref for ref in plan.groups)
    return structs.replace(plan, groups=tuple(groups))


def _replaced(value: Any, date: Ref) -> Any:
    if isinstance(value, Ref):
        return Ref(date.table, date.column, value.part) if value.column == ANY_DATE else value
    if isinstance(value, tuple):
        return tuple(_replaced(one, date) for one in value)
    if isinstance(value, Struct):
        return structs.replace(
            value, **{name: _replaced(getattr(value, name), date) for name in value.__struct_fields__}
        )
    return value


def _measured(plan: Plan, names: Names) -> list[Plan]:
    """The plan with measures for groups of numbers of which nothing is said: sums or means; of many names both are possible."""
    open_groups = plan.groups and plan.columns and not plan.measures and plan.look == "" and plan.picture != "box"
    if plan.picture in ("line", "plot") and plan.groups and (is_date(plan.groups[0]) or is_number(plan.groups[0])):
        return [plan]  # a line over a column needs no measure
    if not open_groups or not all(map(is_number, plan.columns)):
        return [plan]
    kinds = {how for how, kind in _USUAL.items() if all(names.has_word(ref, kind) for ref in plan.columns)}
    hows = ("nunique",) if not any(map(is_amount, plan.columns)) else kinds if len(kinds) == 1 else ("sum", "mean")
    measures = (tuple(Measure(how, ref) for ref in plan.columns) for how in hows)
    return [structs.replace(plan, columns=(), measures=one) for one in measures]


def _counted(plan: Plan) -> Plan:
    """Rows of groups are counted: "orders per country"."""
    only_rows = plan.look == "rows" and not plan.columns and not plan.measures and plan.change is None
    if only_rows and plan.groups and plan.limit is None:
        plan = structs.replace(plan, measures=(Measure("count"),))
    of_rows = not plan.groups and [one.how for one in plan.measures] in (["min"], ["max"])  # "rows with the best price"
    plan = structs.replace(plan, look="") if plan.measures and plan.look == "rows" and not of_rows else plan
    order, limit = plan.order, plan.limit
    if limit is not None and limit.end in ("largest", "smallest"):
        if order is None and plan.groups:
            order = Order((), limit.end == "largest")
        if order is not None:
            order = structs.replace(order, descending=limit.end == "largest") if not order.descending else order
            plan = structs.replace(plan, order=order, limit=structs.replace(limit, end="first"))
    if order is not None and not order.keys and not plan.groups and len(plan.columns) == 1:
        plan = structs.replace(plan, order=structs.replace(order, keys=plan.columns))
    return plan


def _drawn(plan: Plan) -> Plan:
    """The kind of picture, where the prompt only asks for one."""
    if plan.picture in ("bar", "pie", "plot") and not plan.measures and plan.look == "":
        texts = [ref for ref in plan.columns if not is_number(ref) and not is_date(ref)]
        if len(plan.columns) == 1 == len(texts):
            plan = structs.replace(plan, groups=(*plan.groups, *plan.columns), columns=(), measures=(Measure("count"),))
    if plan.picture == "plot" and plan.measures and plan.groups:
        dated = plan.groups[0].part or is_date(plan.groups[0])
        plan = structs.replace(plan, picture="line" if dated else "bar")
    return plan


def _keyed(plan: Plan, schema: Schema) -> Plan | None:
    """The plan with the shared key of two tables, where it joins them; None where they share none, or several, or where a new column
    would take the place of another."""
    change = plan.change
    if change is not None and change.kind in ("new", "rowwise", "rename"):
        return None if any(schema.tables[plan.table].column(name) for name in change.names) else plan
    if change is None or change.kind not in ("join", "bring", "unmatched"):
        return plan
    left, right = schema.tables[plan.table], schema.tables[change.other]
    shared = [one.name for one in left.columns if right.column(one.name) is not None]
    given = change.names if change.kind == "join" else (str(change.value),) if change.value else ()
    keys = [name for name in shared if not given or name in given]
    if len(keys) != 1:
        return None
    one, other = left.column(keys[0]), right.column(keys[0])
    if one is None or other is None or one.kind != other.kind:
        return None
    if change.kind == "bring" and (keys[0] in change.names or any(left.column(name) for name in change.names)):
        return None
    if change.kind == "unmatched":
        test = Unmatched(Ref(left.name, one), Ref(right.name, other))
        return structs.replace(plan, change=None, tests=(*plan.tests, test))
    return structs.replace(plan, change=structs.replace(change, columns=(Ref(left.name, one),)))


def _rules(plan: Plan) -> Iterator[bool]:
    """The conditions under which the parts of a plan go together."""
    styles = {name for name, _ in plan.styles} - {"index"}
    yield not styles or bool(plan.picture)
    yield plan.picture != "plot"  # no kind that shows this is known
    # Durations, intervals and lists are looked at and counted; to group or draw by one is a guess.
    yield not (plan.picture or plan.groups) or all(ref.column.kind != "other" for ref in refs(plan))
    if plan.change is not None:
        yield not (plan.groups or plan.measures or plan.picture or plan.order or plan.limit or plan.columns)
        yield plan.change.kind == "filter" or not plan.tests
    elif plan.look in _WHOLE:
        yield not (plan.groups or plan.measures or plan.picture or plan.order or plan.limit or plan.percent)
    yield from _table_rules(plan)
    yield from _picture_rules(plan)


def _table_rules(plan: Plan) -> Iterator[bool]:
    grouped = bool(plan.groups)
    yield not grouped or bool(plan.measures) or plan.look in ("crosstab", "raw") or plan.picture == "box"
    yield plan.look != "pivot" or (len(plan.groups) == 2 and len(plan.measures) == 1)
    yield not (plan.measures and (plan.columns or plan.look == "rows"))
    yield len(set(plan.groups)) == len(plan.groups) and len(plan.groups) <= 3
    yield all(isinstance(one.of, Ref) is False or one.of not in plan.groups for one in plan.measures)
    yield not plan.percent or (grouped and [one.how for one in plan.measures] == ["count"])
    if plan.order is not None:
        yield bool(plan.order.keys) or (grouped and len(plan.measures) == 1)
        yield not grouped or not plan.order.keys or all(key in plan.groups for key in plan.order.keys)
        yield grouped or not plan.measures
    if plan.limit is not None:
        yield plan.limit.end in ("first", "last", "random")
        yield grouped or not plan.measures
        yield not grouped or (plan.order is not None and len(plan.groups) == 1)  # "top 3 per city" is no top 3 of pairs
    yield plan.decimals is None or bool(plan.measures) or plan.look in ("describe", "correlation")
    yield all(one.left.table == plan.table for one in plan.tests if isinstance(one, Test))


def _picture_rules(plan: Plan) -> Iterator[bool]:
    styles = dict(plan.styles)
    measured = bool(plan.groups and plan.measures) or plan.look == "crosstab"
    if plan.picture in ("bar", "barh", "pie"):
        yield measured
        yield plan.picture != "pie" or len(plan.groups) == 1
    if plan.picture == "line":
        yield measured or plan.look == "raw"
    if plan.picture == "hist":
        yield bool(plan.columns) and not plan.groups
    if plan.picture == "box":
        yield bool(plan.columns) and not plan.measures and all(map(is_number, plan.columns))
    if plan.picture == "scatter":
        yield len(plan.columns) == 2 and not plan.groups
    yield "bins" not in styles or plan.picture == "hist"
    yield "hue" not in styles or plan.picture == "scatter"
    yield "stacked" not in styles or (plan.picture == "bar" and len(plan.groups) == 2)
    yield "horizontal" not in styles or plan.picture in ("bar", "box")
    yield not plan.path or (plan.change is None and not plan.picture)


def amended(before: Plan, new: Plan, end: str, names: Names) -> list[Plan]:
    """The plans that ``before`` may become by ``new``, which replaces what both speak of; ``end`` may be ``too`` or ``instead``."""
    if before.change is not None or new.change is not None or (new.table and new.table != before.table):
        return []
    changed = _with_columns(before, new) if new.look == "instead" else _with_parts(before, new, end)
    return complete(changed, names) if changed is not None else []


def _with_columns(before: Plan, new: Plan) -> Plan | None:
    """The same for other columns."""
    rest = override(before, structs.replace(new, columns=(), look=""))
    if before.measures and all(one.of is not None for one in before.measures):
        hows = dict.fromkeys(one.how for one in before.measures)
        return structs.replace(rest, measures=tuple(Measure(how, ref) for ref in new.columns for how in hows))
    if before.measures and before.groups and len(new.columns) == len(before.groups) == 1:
        return structs.replace(rest, groups=new.columns)
    if before.columns and len(new.columns) == len(before.columns):
        return structs.replace(rest, columns=new.columns)
    return None


def _with_parts(before: Plan, new: Plan, end: str) -> Plan | None:
    added = {
        name: (*getattr(before, name), *getattr(new, name)) for name in ("groups", "measures") if getattr(new, name)
    }
    changed = override(before, structs.replace(new, look=""))
    if end == "too" or (new.measures and end != "instead" and before.groups):
        changed = structs.replace(changed, **added)
    if new.order is not None and not new.order.keys and before.order is not None and before.order.keys:
        changed = structs.replace(changed, order=Order(before.order.keys, new.order.descending))
    if new.measures and before.look == "rows" and not before.columns:
        changed = structs.replace(changed, look="", order=None)
    return changed
