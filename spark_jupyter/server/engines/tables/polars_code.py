"""Questions about rows, groups and measures as polars code."""

from __future__ import annotations

from collections.abc import Callable

from spark_jupyter.server.engines.tables.pandas_terms import (
    TEMPLATES,
    Unwritable,
    arithmetic,
    is_texts,
    labels,
    number,
    text,
)
from spark_jupyter.server.engines.tables.table_plan import AnyOf, Measure, Plan, Ref, Test, Unmatched

_PARTS, _LOOKS = TEMPLATES["polars"]["parts"], TEMPLATES["polars"]["looks"]
_METHODS = {"nunique": "n_unique", "missing": "null_count"}


def write(plan: Plan, _free: Callable[[str], str]) -> list[str]:
    """The line of code that carries out a plan, without imports.

    Raises :class:`Unwritable` for what there is no code for: pictures, and most changes."""
    change = plan.change
    if change is not None and change.kind == "new":
        value = change.value
        tests = value if isinstance(value, tuple) else ()
        made = " & ".join(f"({_condition(one)})" for one in tests) or _expression(value)  # type: ignore[arg-type]
        return [f"{plan.table} = {plan.table}.with_columns(({made}).alias({text(change.names[0])}))", plan.table]
    if any((plan.percent, plan.having, change, plan.picture, plan.path)):
        raise Unwritable
    if plan.look not in ("", "rows", "found", *_LOOKS):
        raise Unwritable
    return [_result(plan, _rows(plan))]


def _column(ref: Ref) -> str:
    if is_texts(ref):
        raise Unwritable
    return f"pl.col({ref.column.source})" + (_PARTS[ref.part] if ref.part else "")


def _expression(value: Ref) -> str:
    return arithmetic(value, _column, "({} - {}).dt.total_days()")


def _condition(test: Test | AnyOf | Unmatched) -> str:
    if isinstance(test, AnyOf):
        return " | ".join(f"({_condition(one)})" for one in test.tests)
    if isinstance(test, Unmatched):
        raise Unwritable
    return f"~({_mask(test)})" if test.negated else _mask(test)


def _mask(test: Test) -> str:
    left, right = _column(test.left), test.right
    if test.op == "missing":
        return f"{left}.is_null()"
    if test.op == "true" and test.left.column.kind == "bool":
        return left
    if test.op == "true":
        spellings = ", ".join(map(text, test.left.column.spellings[0]))
        return f"{left} == 1" if test.left.column.flag else f"{left}.is_in([{spellings}])"
    if test.op == "contains":
        return f"{left}.str.to_lowercase().str.contains({text(str(right[0]))}, literal=True)"
    if test.op in ("starts", "ends"):
        return f"{left}.str.{test.op}_with({text(str(right[0]))})"
    if test.left.part == "month":
        left = left.replace(_PARTS["month"], ".dt.month()")
    values = [_value(test.left, one) for one in right]
    if test.op == "between":
        closed = ', closed="left"' if isinstance(right[0], str) else ""
        return f"{left}.is_between({values[0]}, {values[1]}{closed})"
    if test.op == "in" and len(values) > 1:
        return f"{left}.is_in([{', '.join(values)}])"
    return f"{left} {'==' if test.op == 'in' else test.op} {values[0]}"


def _value(ref: Ref, value: object) -> str:
    if isinstance(value, str) and ref.column.kind == "date":
        return "pl.date({}, {}, {})".format(*map(int, value.split("-")))
    return number(value)  # type: ignore[arg-type]


def _rows(plan: Plan) -> str:
    kept = ", ".join(map(_condition, plan.tests))
    return plan.table + (f".filter({kept})" if kept else "")


def _ordered(plan: Plan, source: str, keys: tuple[str, ...]) -> str:
    if keys:
        descending = ", descending=True" if plan.order is not None and plan.order.descending else ""
        source += f".sort({', '.join(keys)}{descending}, nulls_last=True)"
    ends = {"first": "head", "last": "tail", "random": "sample"}
    return source + (f".{ends[plan.limit.end]}({plan.limit.count})" if plan.limit is not None else "")


def _result(plan: Plan, rows: str) -> str:
    selected = f".select({labels(plan.columns)})" if plan.columns else ""
    if plan.look in _LOOKS:
        return _LOOKS[plan.look].format(rows=rows, selected=rows + selected)
    if plan.groups:
        return _grouped(plan, rows)
    if plan.measures:
        if len(plan.measures) == 1 and plan.measures[0].of is None:
            return f"{rows}.height"
        rounded = f".round({plan.decimals})" if plan.decimals is not None else ""
        made = [_measure(one, alias=len(plan.measures) > 1) + rounded for one in plan.measures]
        return f"{rows}.select({', '.join(made)})" + (".item()" if len(made) == 1 else "")
    keys = plan.order.keys if plan.order else ()
    if not all(isinstance(key, Ref) for key in keys):
        raise Unwritable
    return _ordered(plan, rows, tuple(map(_column, keys))) + selected  # type: ignore[arg-type]


def _measure(measure: Measure, *, alias: bool) -> str:
    if measure.of is None:
        return 'pl.len().alias("count")'
    if measure.how == "mode":
        raise Unwritable
    if isinstance(measure.of, Test):
        return f"(({_condition(measure.of)}).fill_null(False).mean() * 100).alias({text(measure.how)})"
    plain = isinstance(measure.of, Ref)
    value = _expression(measure.of)  # type: ignore[arg-type]
    how = f"{_METHODS.get(measure.how, measure.how)}()"
    named = f".alias({text(_name(measure))})" if alias or not plain else ""
    return f"{value if plain else f'({value})'}.{how}{named}"


def _name(measure: Measure) -> str:
    return f"{measure.how}_{measure.of.column.name}" if isinstance(measure.of, Ref) else measure.how


def _grouped(plan: Plan, rows: str) -> str:
    keys = ", ".join(f'{_column(ref)}.alias("{ref.part}")' if ref.part else ref.column.source for ref in plan.groups)
    names = tuple(text(ref.part) if ref.part else ref.column.source for ref in plan.groups)
    first = plan.measures[0]
    shown = first.of.column.name if isinstance(first.of, Ref) else _name(first)
    made = ", ".join(_measure(one, alias=len(plan.measures) > 1) for one in plan.measures)
    source = f"{rows}.group_by({keys}).agg({made})"
    if plan.decimals is not None:
        source += f".with_columns(pl.exclude({', '.join(names)}).round({plan.decimals}))"
    return _ordered(plan, source, (text(shown),) if plan.order is not None and not plan.order.keys else names)
