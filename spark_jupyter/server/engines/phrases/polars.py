"""A :class:`Plan` about a polars table → polars' own code, for what is asked most; what is not known here has no code. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import Emitter, UnknownError
from spark_jupyter.server.engines.phrases.model import Expr, Measure, Plan, names
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.query.tables import Source

_HOWS = {"mean", "median", "sum", "min", "max", "std", "var"}


def written(plan: Plan, source: Source, dates: list[str]) -> str:
    """The cell. Raises :class:`UnknownError` where something of the plan is not known here."""
    other = (
        plan.picture
        or plan.step
        or plan.each
        or plan.having
        or plan.part
        or plan.within
        or plan.steps
        or plan.settings
        or plan.joins
        or plan.banded
        or plan.ask
        or plan.exploded
        or plan.save
        or plan.then
    )
    columns = {one.name: one for one in source.columns}
    used = [
        name
        for one in (
            *plan.where,
            *plan.keys,
            *(each.what for each in plan.measures),
            *(each.what for each in plan.order),
        )
        if one
        for name in names(one)
    ]
    if (
        other
        or source.other
        or source.file
        or any(
            name in columns and (columns[name].holds or (name in dates and columns[name].kind == "text"))
            for name in used
        )
    ):
        raise UnknownError
    emit = Emitter(columns, polars=True)

    def of(one: Expr) -> str:
        return emit.source(one, source.name)

    lines = []
    if plan.derived:
        made = ", ".join(f"({of(what)}).alias({quoted(name)})" for name, what in plan.derived)
        lines.append(f"{source.name} = {source.name}.with_columns({made})")
    result = source.name
    if plan.where:
        result += f".filter({', '.join(of(one) for one in plan.where)})"
    if plan.measures and not plan.keys:
        result = _whole(plan, result, of)
    elif plan.measures:
        result = _grouped(plan, result, of)
    else:
        result += _sorted(plan, None)
        result += f".select({', '.join(map(quoted, plan.columns))})" if plan.columns else ""
        result += f".head({plan.limit})" if plan.limit else ""
    body = "\n".join([*lines, result])
    return f"import polars as pl\n\n{body}" if re.search(r"\bpl\.", body) else body


def _measure(one: Measure, of) -> tuple[str, str]:  # type: ignore[no-untyped-def]
    if one.how == "size":
        return "pl.len()", "number"
    if one.what is None or (one.how not in _HOWS and one.how != "nunique"):
        raise UnknownError
    text = of(one.what)
    how = "n_unique" if one.how == "nunique" else one.how
    return f"{text if one.what.op == 'col' else f'({text})'}.{how}()", f"{one.how}_{'_'.join(names(one.what))}"


def _whole(plan: Plan, rows: str, of) -> str:  # type: ignore[no-untyped-def]
    if plan.order or plan.limit or plan.share or plan.scale:
        raise UnknownError
    if all(one.how == "size" for one in plan.measures):
        return f"{rows}.height"
    parts = [f"{made}.alias({quoted(label)})" for made, label in (_measure(one, of) for one in plan.measures)]
    return f"{rows}.select({', '.join(parts)}){'.item()' if len(parts) == 1 else ''}"


def _grouped(plan: Plan, rows: str, of) -> str:  # type: ignore[no-untyped-def]
    if plan.share or plan.columns:
        raise UnknownError
    keys = ", ".join(quoted(str(one.args[0])) if one.op == "col" else of(one) for one in plan.keys)
    made = [_measure(one, of) for one in plan.measures]
    plain = [str(one.what.args[0]) if one.what is not None and one.what.op == "col" else "" for one in plan.measures]
    made = [
        (text, name if name and plain.count(name) == 1 else label)
        for (text, label), name in zip(made, plain, strict=True)
    ]
    rounded = f".round({plan.round})" if plan.round is not None else ""
    parts = [
        f"{text}{rounded}" if label == name else f"{text}{rounded}.alias({quoted(label)})"
        for (text, label), name in zip(made, plain, strict=True)
    ]
    result = f"{rows}.group_by({keys}).agg({', '.join(parts)})"
    result += _sorted(plan, made[0][1]) or f".sort({quoted(str(names(plan.keys[0])[0]))})"
    return f"{result}.head({plan.limit})" if plan.limit else result


def _sorted(plan: Plan, measured: str | None) -> str:
    if not plan.order:
        return ""
    if len(plan.order) > 1:
        raise UnknownError
    one = plan.order[0]
    name = (
        measured
        if one.what is None or (measured and one.what not in plan.keys)
        else str(one.what.args[0])
        if one.what.op == "col"
        else None
    )
    if name is None:
        raise UnknownError
    return f".sort({quoted(name)}{', descending=True, nulls_last=True' if one.descending else ''})"
