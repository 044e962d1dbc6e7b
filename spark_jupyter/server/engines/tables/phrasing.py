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
)

if TYPE_CHECKING:
    from collections.abc import Iterable

_LOOKS = {
    "columns": "column names of {table}",
    "types": "types of {table}",
    "shape": "shape of {table}",
    "info": "info about {table}",
    "missing": "missing values per column in {table}",
    "nunique": "how many unique values per column in {table}",
    "duplicates": "duplicated rows in {table}",
    "duplicated": "how many duplicated rows in {table}",
}
_TEXT_OPS = {"contains": "contains", "starts": "starts with", "ends": "ends with"}
_PICTURES = {"bar": "bar chart", "barh": "horizontal bar chart", "line": "line chart", "pie": "pie chart"}
_RAW = {"hist": "histogram", "box": "boxplot"}


def say(plan: Plan) -> str:
    """The plan as a prompt; empty for a change, which its code says best."""
    if plan.change is not None and plan.change.kind != "test":
        return ""
    parts = [f"save {_asked(plan)}" if plan.path else _asked(plan), *_modifiers(plan)]
    if plan.path:
        parts.append(f"to {plan.path}")
    return " ".join(part for part in parts if part)


def _asked(plan: Plan) -> str:
    """The head: what is asked for."""
    if plan.look in ("describe", "unique"):
        return f"{plan.look} {_names(plan.columns) or plan.table}"
    if plan.look == "types" and plan.columns:
        return f"types of {_names(plan.columns)}"
    if plan.look in _LOOKS:
        return _LOOKS[plan.look].format(table=plan.table)
    if plan.look == "correlation":
        return f"correlation between {_names(plan.columns)}" if plan.columns else f"correlation of {plan.table}"
    if plan.look == "crosstab":
        return f"crosstab of {_key(plan.groups[0])} and {_key(plan.groups[1])}"
    if plan.look == "share" and plan.change is not None:
        return f"percentage of {plan.table} {' and '.join(map(_test, plan.change.value))}"  # type: ignore[arg-type]
    return _asked_of_groups(plan)


def _asked_of_groups(plan: Plan) -> str:
    if plan.picture in _RAW:
        return f"{_RAW[plan.picture]} of {_names(plan.columns)}"
    if plan.picture == "scatter":
        return f"scatter plot of {_names(plan.columns)}"
    if plan.look == "raw":
        return f"line plot of {_names(plan.columns)} against {_key(plan.groups[0])}"
    if plan.having is not None:
        op, number = plan.having
        return f"{_key(plan.groups[0])} with {op} {number:g} {plan.table}"
    if plan.look == "pivot":
        return f"pivot of {' and '.join(_measure(one, plan.table) for one in plan.measures)}"
    if plan.measures:
        return " and ".join(_measure(one, plan.table) for one in plan.measures)
    return f"{_names(plan.columns)} of {plan.table}" if plan.columns else f"show {plan.table}"


def _measure(measure: Measure, table: str) -> str:
    if measure.of is None:
        return f"number of {table}"
    of = _expression(measure.of)
    if measure.how == "missing":
        return f"missing {of}"
    if measure.how == "nunique":
        return f"number of different {of}"
    how = f"{measure.at * 100:g}th percentile" if measure.how == "quantile" else measure.how
    return f"{how} of {f'({of})' if isinstance(measure.of, Formula) else of}"


def _modifiers(plan: Plan) -> Iterable[str]:
    measured = plan.measures and all(one.of is not None for one in plan.measures)
    if (
        measured
        or plan.picture in (*_RAW, "scatter")
        or plan.look in ("crosstab", "raw", "unique")
        or (plan.columns and plan.look)
    ):
        yield f"in {plan.table}"
    yield from _conditions(plan)
    if plan.groups and plan.look not in ("crosstab", "raw") and plan.having is None:
        yield _groups(plan)
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


def _groups(plan: Plan) -> str:
    if plan.look == "pivot":
        return f"with {_key(plan.groups[0])} as rows and {_key(plan.groups[1])} as columns"
    return f"for each {' and '.join(map(_key, plan.groups))}"


def _conditions(plan: Plan) -> Iterable[str]:
    for one in plan.tests:
        if isinstance(one, AnyOf):
            yield f"where {' or '.join(map(_test, one.tests))}"
        elif isinstance(one, Unmatched):
            yield f"not in {one.other.table}"
        elif one.negated and one.op not in ("missing", "true"):
            yield f"where not {_test(Test(one.left, one.op, one.right))}"
        else:
            yield f"where {_test(one)}"


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


def _key(ref: Ref) -> str:
    return f"{ref.part} of `{ref.column.name}`" if ref.part else f"`{ref.column.name}`"


def _names(refs: Iterable[Ref]) -> str:
    return " and ".join(map(_key, refs))


def _expression(value: Expression, inside: bool = False) -> str:
    if isinstance(value, Ref):
        return _key(value)
    if isinstance(value, Formula):
        source = f"{_expression(value.left, True)} {value.op} {_expression(value.right, True)}"
        if value.op == "days":
            source = f"days between {_expression(value.right)} and {_expression(value.left)}"
        return f"({source})" if inside else source
    return f"{value:g}"


def _value(value: object) -> str:
    if isinstance(value, Ref):
        return _key(value)
    if isinstance(value, Statistic):
        return "average"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"


def _test(test: Test) -> str:
    name, right = f"`{test.left.column.name}`", test.right
    if test.op == "missing":
        return f"{name} is {'present' if test.negated else 'missing'}"
    if test.op == "true":
        return f"{name} is {'false' if test.negated else 'true'}"
    if test.op in _TEXT_OPS:
        return f"{name} {_TEXT_OPS[test.op]} {_value(right[0])}"
    if test.left.part:
        names = calendar.month_name if test.left.part == "month" else calendar.day_name
        return f"{name} in {' or '.join(names[int(str(one))].lower() for one in right)}"
    if test.op == "between" and isinstance(right[0], str):
        return f"{name} {_range(str(right[0]), str(right[1]))}"
    if test.op == "between":
        return f"{name} between {_value(right[0])} and {_value(right[1])}"
    if test.op == "in":
        return f"{name} is {' or '.join(map(_value, right))}"
    if isinstance(right[0], str):
        return f"{name} {'since' if test.op == '>=' else 'before'} {right[0]}"
    if test.op == "==":
        return f"{name} and {_value(right[0])} are the same"
    return f"{name} {test.op} {_value(right[0])}"


def _range(start: str, end: str) -> str:
    for length in (10, 7, 4):
        if period(start[:length]) == (start, end):
            return f"in {start[:length]}"
    last = dt.date.fromisoformat(end) - dt.timedelta(days=1)
    return f"between {start} and {last.isoformat()}"
