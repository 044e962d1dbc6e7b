"""Changes of tables as pandas code."""

from __future__ import annotations

from collections.abc import Callable

from spark_jupyter.server.engines.tables.pandas_terms import (
    Unwritable,
    condition,
    conditions,
    converted,
    expression,
    key,
    labels,
    number,
    text,
)  # fmt: skip
from spark_jupyter.server.engines.tables.rule_helpers import ANY_DATE, MISSING
from spark_jupyter.server.engines.tables.table_plan import Change, Plan, Ref, Test


def write(plan: Plan, free: Callable[[str], str]) -> list[str]:
    """The lines that change a table, and show it."""
    change, table = plan.change, plan.table
    assert change is not None
    if change.kind == "join":
        name = free("merged")
        how = f', how="{change.how}"' if change.how != "inner" else ""
        return [f"{name} = {table}.merge({change.other}, on={change.columns[0].column.source}{how})", name]
    if change.kind in _COLUMNS:
        sources = [(f"{table}[{ref.column.source}]", ref) for ref in change.columns]
        sources = sources or [(table, Ref(table, ANY_DATE))] * (change.kind == "replace")
        if not sources:
            raise Unwritable
        return [*(f"{one} = {_COLUMNS[change.kind](one, ref, change)}" for one, ref in sources), table]
    if change.kind == "names":
        case, *snake = change.how.split()
        underscores = '.str.replace(" ", "_")' if snake else ""
        return [f"{table}.columns = {table}.columns.str.strip().str.{case}(){underscores}", table]
    if change.kind in ("new", "rowwise"):
        return [f"{table}[{text(change.names[0])}] = {_new(table, change)}", table]
    return [f"{table} = {table}{_TABLES[change.kind](plan, change)}", table]


def _new(table: str, change: Change) -> str:
    if change.kind == "rowwise":
        return f"{table}[{labels(change.columns)}].{change.how}(axis=1)"
    value = change.value
    return conditions(table, value) if isinstance(value, tuple) else expression(table, value)  # type: ignore[arg-type]


def _kept(plan: Plan, _change: Change) -> str:
    """The rows that are left when those which the plan describes are dropped."""
    only = plan.tests[0]
    if len(plan.tests) == 1 and isinstance(only, Test):
        return f"[{condition(plan.table, Test(only.left, only.op, only.right, not only.negated))}]"
    return f"[~({conditions(plan.table, plan.tests)})]"


def _renamed(_plan: Plan, change: Change) -> str:
    pairs = zip(change.columns, change.names, strict=True)
    return f".rename(columns={{{', '.join(f'{ref.column.source}: {text(name)}' for ref, name in pairs)}}})"


def _brought(_plan: Plan, change: Change) -> str:
    key = change.columns[0].column.source
    columns = ", ".join([key, *map(text, change.names)])
    return f'.merge({change.other}[[{columns}]], on={key}, how="left", validate="many_to_one")'


def _filled(one: str, ref: Ref, change: Change) -> str:
    if change.how == "mode":
        value = f"{one}.mode()[0]"
    elif ref.column.kind != ("text" if isinstance(change.value, str) else "number"):
        raise Unwritable
    elif change.by is not None:
        table = one.partition("[")[0]
        value = f'{table}.groupby({key(table, change.by)})[{ref.column.source}].transform("{change.how}")'
    else:
        value = f"{one}.{change.how}()" if change.how else number(change.value)  # type: ignore[arg-type]
    return f"{one}.fillna({value})"


def _converted(one: str, ref: Ref, change: Change) -> str:
    how, column = change.how, ref.column
    if how.startswith("date"):
        if column.holds.startswith("mixed dates"):
            return converted(one, column.holds)
        return converted(one, "dates, day first" if "day first" in how + column.holds else "dates")
    if column.kind == "text":
        one = converted(one, column.holds if column.holds.startswith("numbers") else "numbers")
    elif column.kind != "number":
        raise Unwritable
    return one if column.kind == "text" else f"{one}.astype(float)"


def _replaced(one: str, _ref: Ref, change: Change) -> str:
    old = number(change.value)  # type: ignore[arg-type]
    if change.new == MISSING:
        return f"{one}.mask({one} == {old})"
    if change.new is None or isinstance(change.new, float) is not isinstance(change.value, float):
        raise Unwritable
    return f"{one}.replace({old}, {number(change.new)})"


_COLUMNS: dict[str, Callable[[str, Ref, Change], str]] = {
    "fill": _filled,
    "convert": _converted,
    "replace": _replaced,
    "scale": lambda one, _ref, change: f"{one} * {number(change.value)}",  # type: ignore[arg-type]
}
_TABLES: dict[str, Callable[[Plan, Change], str]] = {
    "rename": _renamed,
    "drop": lambda _plan, change: f".drop(columns={labels(change.columns)})",
    "filter": _kept,
    "dropna": lambda _plan, change: f".dropna({f'subset={labels(change.columns)}' if change.columns else ''})",
    "unique": lambda _plan, change: f".drop_duplicates({f'subset={labels(change.columns)}' if change.columns else ''})",
    "bring": _brought,
}
