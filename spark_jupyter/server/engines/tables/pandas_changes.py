"""Changes of tables as pandas code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.tables.pandas_terms import (
    Unwritable,
    condition,
    conditions,
    converted,
    expression,
    labels,
    number,
    text,
)  # fmt: skip
from spark_jupyter.server.engines.tables.rule_helpers import MISSING
from spark_jupyter.server.engines.tables.table_plan import Change, Plan, Ref, Test

if TYPE_CHECKING:
    from collections.abc import Callable

_CASES = {"lower": "lower", "upper": "upper", "title": "title", "strip": "strip"}
_FILLERS = frozenset({"ffill", "bfill"})


def write(plan: Plan, free: Callable[[str], str]) -> list[str]:
    """The lines that change a table, and show it."""
    change = plan.change
    assert change is not None
    if change.kind == "join":
        name = free("merged")
        how = f', how="{change.how}"' if change.how != "inner" else ""
        return [f"{name} = {plan.table}.merge({change.other}, on={change.columns[0].column.source}{how})", name]
    return [*_WRITERS[change.kind](plan, change), plan.table]


def _new(plan: Plan, change: Change) -> list[str]:
    value = change.value
    source = conditions(plan.table, value) if isinstance(value, tuple) else expression(plan.table, value)  # type: ignore[arg-type]
    return [f"{plan.table}[{text(change.names[0])}] = {source}"]


def _rowwise(plan: Plan, change: Change) -> list[str]:
    return [f"{plan.table}[{text(change.names[0])}] = {plan.table}[{labels(change.columns)}].{change.how}(axis=1)"]


def _rename(plan: Plan, change: Change) -> list[str]:
    pairs = zip(change.columns, change.names, strict=True)
    named = ", ".join(f"{ref.column.source}: {text(name)}" for ref, name in pairs)
    return [f"{plan.table} = {plan.table}.rename(columns={{{named}}})"]


def _filter(plan: Plan, _change: Change) -> list[str]:
    only = plan.tests[0] if len(plan.tests) == 1 else None
    if isinstance(only, Test):
        kept = condition(plan.table, Test(only.left, only.op, only.right, not only.negated))
    else:
        kept = f"~({conditions(plan.table, plan.tests)})"
    return [f"{plan.table} = {plan.table}[{kept}]"]


def _subset(method: str) -> Callable[[Plan, Change], list[str]]:
    def write_subset(plan: Plan, change: Change) -> list[str]:
        subset = f"subset={labels(change.columns)}" if change.columns else ""
        return [f"{plan.table} = {plan.table}.{method}({subset})"]

    return write_subset


def _fill(plan: Plan, change: Change) -> list[str]:
    if not change.columns:
        if change.how in _FILLERS:
            return [f"{plan.table} = {plan.table}.{change.how}()"]
        raise Unwritable
    return [line for ref in change.columns for line in _fill_column(plan.table, ref, change)]


def _fill_column(table: str, ref: Ref, change: Change) -> list[str]:
    one = f"{table}[{ref.column.source}]"
    if change.how in _FILLERS:
        return [f"{one} = {one}.{change.how}()"]
    if change.how and ref.column.kind != "number" and change.how != "mode":
        raise Unwritable
    if change.by is not None:
        value = f'{table}.groupby({change.by.column.source})[{ref.column.source}].transform("{change.how}")'
    elif change.how == "mode":
        value = f"{one}.mode()[0]"
    elif change.how:
        value = f"{one}.{change.how}()"
    else:
        fits = ref.column.kind == ("text" if isinstance(change.value, str) else "number")
        if not fits or not isinstance(change.value, str | float):
            raise Unwritable
        value = number(change.value)
    return [f"{one} = {one}.fillna({value})"]


def _convert(plan: Plan, change: Change) -> list[str]:
    return [f"{plan.table}[{ref.column.source}] = {_converted(plan.table, ref, change.how)}" for ref in change.columns]


def _converted(table: str, ref: Ref, how: str) -> str:
    source, held = f"{table}[{ref.column.source}]", ref.column
    if how.startswith("date"):
        return converted(source, "dates, day first" if "day first" in f"{how} {held.holds}" else "dates")
    if how == "category":
        return f'{source}.astype("category")'
    if how == "text":
        return f"{source}.astype(str)"
    if held.kind == "text":
        source = converted(source, held.holds if held.holds.startswith("numbers") else "numbers")
    elif held.kind != "number":
        raise Unwritable
    if how == "integer":
        return f'{source}.round().astype("Int64")'
    return source if held.kind == "text" else f"{source}.astype(float)"


def _replace(plan: Plan, change: Change) -> list[str]:
    lines = []
    for ref in change.columns:
        one = f"{plan.table}[{ref.column.source}]"
        if not isinstance(change.value, str | float) or change.new is None:
            raise Unwritable
        old = number(change.value)
        if change.new == MISSING:
            lines.append(f"{one} = {one}.mask({one} == {old})")
        elif isinstance(change.new, float) == isinstance(change.value, float):
            lines.append(f"{one} = {one}.replace({old}, {number(change.new)})")
        else:
            raise Unwritable
    return lines


def _text(plan: Plan, change: Change) -> list[str]:
    sources = (f"{plan.table}[{ref.column.source}]" for ref in change.columns)
    return [f"{one} = {one}.str.{_CASES[change.how]}()" for one in sources]


def _round(plan: Plan, change: Change) -> list[str]:
    sources = (f"{plan.table}[{ref.column.source}]" for ref in change.columns)
    return [f"{one} = {one}.round({number(change.value)})" for one in sources]  # type: ignore[arg-type]


def _names(plan: Plan, change: Change) -> list[str]:
    case, *snake = change.how.split()
    underscores = '.str.replace(" ", "_")' if snake else ""
    return [f"{plan.table}.columns = {plan.table}.columns.str.strip().str.{case}(){underscores}"]


def _bring(plan: Plan, change: Change) -> list[str]:
    key = change.columns[0].column.source
    columns = ", ".join([key, *map(text, change.names)])
    return [
        f'{plan.table} = {plan.table}.merge({change.other}[[{columns}]], on={key}, how="left", validate="many_to_one")'
    ]


_WRITERS: dict[str, Callable[[Plan, Change], list[str]]] = {
    "new": _new,
    "rowwise": _rowwise,
    "rename": _rename,
    "drop": lambda plan, change: [f"{plan.table} = {plan.table}.drop(columns={labels(change.columns)})"],
    "filter": _filter,
    "dropna": _subset("dropna"),
    "unique": _subset("drop_duplicates"),
    "fill": _fill,
    "convert": _convert,
    "replace": _replace,
    "text": _text,
    "round": _round,
    "names": _names,
    "bring": _bring,
}
