"""Plans in words that the grammar reads back as the same plan."""

from __future__ import annotations

import calendar
import datetime as dt
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.tables.rule_helpers import period
from spark_jupyter.server.engines.tables.table_plan import (
    AnyOf,
    Expression,
    Formula,
    Measure,
    Plan,
    Ref,
    Statistic,
    Test,
    Unmatched,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterable

_HEADS = {
    "columns": "column names of {table}",
    "types": "types of {of}",
    "shape": "shape of {table}",
    "info": "info about {table}",
    "missing": "missing values per column in {table}",
    "nunique": "how many unique values per column in {table}",
    "duplicates": "duplicated rows in {table}",
    "duplicated": "how many duplicated rows in {table}",
    "describe": "describe {of}",
    "unique": "unique {of}",
    "correlation": "correlation of {of}",
    "crosstab": "crosstab of {groups}",
    "raw": "line plot of {of} against {groups}",
    "hist": "histogram of {of}",
    "box": "boxplot of {of}",
    "scatter": "scatter plot of {of}",
}
_STYLES = {
    "color": "in {}",
    "title": 'with the title "{}"',
    "bins": "with {} bins",
    "horizontal": "horizontal",
    "stacked": "stacked",
    "hue": "colored by {}",
    "log": "on a log scale",
    "index": "without index",
}
_OPS = {"contains": "contains", "starts": "starts with", "ends": "ends with"}
_PICTURES = {"bar": "bar chart", "barh": "horizontal bar chart", "line": "line chart", "pie": "pie chart"}


def say(plan: Plan) -> str:
    """The plan as a prompt; empty for a change, which its code says best."""
    if plan.change is not None and plan.change.kind != "test":
        return ""
    path = f"to {plan.path}" if plan.path else ""
    return " ".join(part for part in ("save" if path else "", _asked(plan), *_modifiers(plan), path) if part)


def _asked(plan: Plan) -> str:
    """What is asked for, and of which table."""
    head = _HEADS.get(plan.look) or _HEADS.get(plan.picture)
    inside = f" in {plan.table}"
    if head is not None:
        named = inside if plan.columns or plan.look == "crosstab" else ""
        return head.format(table=plan.table, of=_names(plan.columns) or plan.table, groups=_names(plan.groups)) + named
    if plan.look == "share" and plan.change is not None:
        return f"percentage of {plan.table} {' and '.join(map(_test, plan.change.value))}"  # type: ignore[arg-type]
    if plan.having is not None:
        return f"{_key(plan.groups[0])} with {plan.having[0]} {plan.having[1]:g} {plan.table}"
    if plan.measures:
        counted = any(one.of is None for one in plan.measures)
        measures = " and ".join(_measure(one, plan.table) for one in plan.measures)
        return ("pivot of " if plan.look == "pivot" else "") + measures + ("" if counted else inside)
    return f"{_names(plan.columns)} of {plan.table}" if plan.columns else f"show {plan.table}"


def _measure(measure: Measure, table: str) -> str:
    if measure.of is None:
        return f"number of {table}"
    of, how = _expression(measure.of), measure.how
    if how in ("missing", "nunique"):
        return f"missing {of}" if how == "missing" else f"number of different {of}"
    how = f"{measure.at * 100:g}th percentile" if how == "quantile" else how
    return f"{how} of {f'({of})' if isinstance(measure.of, Formula) else of}"


def _modifiers(plan: Plan) -> Iterable[str]:
    yield from map(_condition, plan.tests)
    if plan.look == "pivot":
        yield f"with {_key(plan.groups[0])} as rows and {_key(plan.groups[1])} as columns"
    elif plan.groups and plan.look not in ("crosstab", "raw") and plan.having is None:
        yield f"for each {_names(plan.groups)}"
    if plan.order is not None:
        keys = " and ".join(map(_expression, plan.order.keys))
        yield f"sorted{f' by {keys}' if keys else ''} {'descending' if plan.order.descending else 'ascending'}"
    if plan.limit is not None:
        yield f"{plan.limit.end} {plan.limit.count}"
    if plan.percent:
        yield "in percent"
    if plan.decimals is not None:
        yield f"rounded to {plan.decimals} decimals"
    if plan.picture in _PICTURES and plan.look != "raw":
        yield f"as a {_PICTURES[plan.picture]}"
    for name, value in plan.styles:
        yield _STYLES[name].format(_key(value) if isinstance(value, Ref) else value)


def _condition(test: Test | AnyOf | Unmatched) -> str:
    if isinstance(test, AnyOf):
        return f"where {' or '.join(map(_test, test.tests))}"
    if isinstance(test, Unmatched):
        return f"not in {test.other.table}"
    if test.negated and test.op not in ("missing", "true"):
        return f"where not {_test(Test(test.left, test.op, test.right))}"
    return f"where {_test(test)}"


def _key(ref: Ref) -> str:
    return f"{ref.part} of `{ref.column.name}`" if ref.part else f"`{ref.column.name}`"


def _names(refs: Iterable[Ref]) -> str:
    return " and ".join(map(_key, refs))


def _expression(value: Expression, inside: bool = False) -> str:
    if isinstance(value, Ref):
        return _key(value)
    if not isinstance(value, Formula):
        return f"{value:g}"
    source = f"{_expression(value.left, True)} {value.op} {_expression(value.right, True)}"
    return f"({source})" if inside else source


def _value(value: object) -> str:
    if isinstance(value, Ref | Statistic):
        return _key(value) if isinstance(value, Ref) else "average"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"


def _test(test: Test) -> str:
    name, right = f"`{test.left.column.name}`", test.right
    if test.op in ("missing", "true"):
        return (
            f"{name} is {'not ' * test.negated}missing"
            if test.op == "missing"
            else f"{name} is {'false' if test.negated else 'true'}"
        )
    if test.left.part:
        names = calendar.month_name if test.left.part == "month" else calendar.day_name
        return f"{name} in {' or '.join(names[int(str(one))].lower() for one in right)}"
    if test.op == "between":
        dated = isinstance(right[0], str)
        return f"{name} {_range(*map(str, right)) if dated else f'between {_value(right[0])} and {_value(right[1])}'}"
    if test.op == "in":
        return f"{name} is {' or '.join(map(_value, right))}"
    if isinstance(right[0], str) and test.op not in _OPS:
        return f"{name} {'since' if test.op == '>=' else 'before'} {right[0]}"
    return (
        f"{name} and {_value(right[0])} are the same"
        if test.op == "=="
        else f"{name} {_OPS.get(test.op, test.op)} {_value(right[0])}"
    )


def _range(start: str, end: str) -> str:
    for length in (10, 7, 4):
        if period(start[:length]) == (start, end):
            return f"in {start[:length]}"
    return f"between {start} and {dt.date.fromisoformat(end) - dt.timedelta(days=1)}"
