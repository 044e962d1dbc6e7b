"""Plans as pandas code of a few lines."""

from __future__ import annotations

from collections.abc import Callable

from spark_jupyter.server.engines.tables import pandas_changes, pandas_pictures
from spark_jupyter.server.engines.tables.pandas_terms import (
    TEMPLATES,
    Unwritable,
    aggregated,
    column,
    is_texts,
    key,
    labels,
    number,
    selected,
    series,
    sort_arguments,
    text,
)  # fmt: skip
from spark_jupyter.server.engines.tables.table_plan import Measure, Plan, Ref

_WRITERS = {"csv": "to_csv", "xlsx": "to_excel", "json": "to_json", "parquet": "to_parquet"}
_ENDS = {"first": "head", "last": "tail", "random": "sample"}
_LOOKS = TEMPLATES["pandas"]["looks"]


def write(plan: Plan, free: Callable[[str], str]) -> list[str]:
    """The lines of code that carry out a plan, without imports. ``free`` gives a name that the user has not taken.

    Raises :class:`Unwritable` for what there is no code for."""
    if plan.change is not None:
        return pandas_changes.write(plan, free)
    lines, frame, rows = [], plan.table, selected(plan.table, plan.tests)
    if plan.tests and _often(plan):
        frame = free("selected")
        lines, rows = [f"{frame} = {rows}"], frame
    if plan.picture:
        return [*lines, *pandas_pictures.write(plan, rows, lambda: _result(plan, rows))]
    return [*lines, _saved(plan, _result(plan, rows)) if plan.path else _result(plan, rows)]


def _often(plan: Plan) -> bool:
    """True if the code speaks of the rows more than once."""
    computed = any(
        not isinstance(one.of, Ref) or is_texts(one.of) or one.how == "missing" for one in plan.measures if one.of
    )
    several = len(plan.measures) > 1 and len({one.of for one in plan.measures}) > 1 and not plan.groups
    cut = any(ref.part or is_texts(ref) or ref.column.doubled for ref in plan.groups)
    hue = plan.picture == "scatter" and "hue" in dict(plan.styles)
    return computed or several or cut or hue or plan.look in ("crosstab", "duplicates", "correlation")


def _result(plan: Plan, rows: str) -> str:
    """The expression that gives what is asked."""
    if plan.look in _LOOKS:
        return _LOOKS[plan.look].format(rows=rows, of=rows + _chosen(plan)) + _rounded(plan)
    if plan.look == "correlation":
        return _correlated(plan, rows)
    if plan.look in ("crosstab", "pivot"):
        return _pivoted(plan, rows)
    if plan.groups:
        return _finished(plan, _grouped(plan, rows))
    return _numbers(plan, rows) if plan.measures else _rows(plan, rows)


def _chosen(plan: Plan) -> str:
    if not plan.columns:
        return ""
    return f"[{plan.columns[0].column.source if len(plan.columns) == 1 else labels(plan.columns)}]"


def _rounded(plan: Plan) -> str:
    return f".round({plan.decimals})" if plan.decimals is not None else ""


def _scalar(plan: Plan, source: str) -> str:
    return f"round({source}, {plan.decimals})" if plan.decimals is not None else source


def _rows(plan: Plan, rows: str) -> str:
    limit, order = plan.limit, plan.order
    if order is not None:
        key = order.keys[0] if len(order.keys) == 1 else None
        ranked = isinstance(key, Ref) and key.column.kind in ("number", "date")
        if isinstance(key, Ref) and ranked and limit is not None and limit.end == "first":
            rows = f"{rows}.{'nlargest' if order.descending else 'nsmallest'}({limit.count}, {key.column.source})"
            limit = None
        else:
            rows = f"{rows}.sort_values({sort_arguments(order)})"
    if limit is not None:
        rows += f".{_ENDS[limit.end]}({limit.count})"
    return rows + _chosen(plan)


def _numbers(plan: Plan, rows: str) -> str:
    """Numbers of all rows."""
    columns = tuple(one.of for one in plan.measures if isinstance(one.of, Ref) and not is_texts(one.of))
    plain, hows = len(columns) == len(plan.measures), {one.how for one in plan.measures}
    if len(plan.measures) == 1:
        return _scalar(plan, _number(plan.measures[0], rows))
    if plain and len(hows) == 1 and len(set(columns)) == len(columns):
        source = aggregated(f"{rows}[{labels(columns)}]", plan.measures[0])
    elif plain and len(set(columns)) == 1 and not hows & {"mode", "missing"}:
        source = f"{rows}[{columns[0].column.source}].agg([{', '.join(text(one.how) for one in plan.measures)}])"
    else:
        made = ", ".join(f"{text(_said(one))}: {_number(one, rows)}" for one in plan.measures)
        source = f"pd.Series({{{made}}})"
    return source + _rounded(plan)


def _number(measure: Measure, rows: str) -> str:
    return f"len({rows})" if measure.of is None else aggregated(series(rows, measure.of), measure)


def _said(measure: Measure) -> str:
    if measure.of is None:
        return "count"
    return f"{measure.how} of {measure.of.column.name}" if isinstance(measure.of, Ref) else measure.how


def _keys(plan: Plan, frame: str, *, plain: bool = True) -> str:
    """The arguments of ``groupby``: names of columns, or series where dates are cut to months, or where the caller needs them."""
    made = [key(frame, ref) if plain else column(frame, ref) for ref in plan.groups]
    return made[0] if len(made) == 1 else f"[{', '.join(made)}]"


def _grouped(plan: Plan, rows: str) -> str:
    """Measures of each group, not yet sorted."""
    first, *others = plan.measures
    observed = ", observed=True" if any(ref.column.dtype.lower() == "category" for ref in plan.groups) else ""
    groups = f"{rows}.groupby({_keys(plan, rows)}{observed})"
    by_series = f".groupby({_keys(plan, rows, plain=False)}{observed})"
    if not others and first.of is None:
        simple = len(plan.groups) == 1 and not plan.groups[0].part and not is_texts(plan.groups[0])
        return _value_counts(plan, rows) if simple else f"{groups}.size()"
    hows, columns = [one.how for one in plan.measures], tuple(dict.fromkeys(one.of for one in plan.measures))
    refs = tuple(ref for ref in columns if isinstance(ref, Ref) and not is_texts(ref))
    if "mode" in hows or (others and "missing" in hows):
        raise Unwritable
    if hows == ["missing"] and refs:
        return f"{rows}[{refs[0].column.source}].isna(){by_series}.sum()"
    if len(columns) == 1 and columns[0] is not None:
        source = f"{groups}[{refs[0].column.source}]" if refs else series(rows, columns[0]) + by_series
        return f"{source}.agg([{', '.join(map(text, hows))}])" if others else aggregated(source, first)
    if len(refs) + (None in columns) < len(columns):
        raise Unwritable
    if len(set(hows)) == 1:
        return aggregated(f"{groups}[{labels(refs)}]", first)
    return f"{groups}.agg({', '.join(_named(one, refs[0]) for one in plan.measures)})"


def _named(measure: Measure, any_ref: Ref) -> str:
    """A named aggregation."""
    ref = measure.of if isinstance(measure.of, Ref) else any_ref
    name, how = ("count", "size") if measure.of is None else (f"{measure.how}_{ref.column.name}", measure.how)
    if not name.isidentifier():
        raise Unwritable
    return f'{name}=({ref.column.source}, "{how}")'


def _value_counts(plan: Plan, rows: str) -> str:
    rising = plan.order is not None and not plan.order.keys and not plan.order.descending
    arguments = ", ".join(["normalize=True"] * plan.percent + ["ascending=True"] * rising)
    return f"{rows}[{plan.groups[0].column.source}].value_counts({arguments})"


def _finished(plan: Plan, source: str) -> str:
    """A result of groups in its order, cut and rounded."""
    order, limit = plan.order, plan.limit
    counted = ".value_counts(" in source
    if source.endswith(" * 100") and (order or limit or plan.decimals is not None):
        source = f"({source})"
    if plan.percent and not counted:
        source += ".pipe(lambda counts: counts / counts.sum() * 100)"
    if order is not None and order.keys:
        source += f".sort_index({'ascending=False' if order.descending else ''})"
    elif order is not None and not counted and limit is not None and limit.end == "first":
        source += f".{'nlargest' if order.descending else 'nsmallest'}({limit.count})"
        limit = None
    elif order is not None and not counted:
        source += f".sort_values({'ascending=False' if order.descending else ''})"
    elif order is None and [ref.part for ref in plan.groups] == ["weekday"] and len(plan.measures) == 1:
        source += ".sort_index(key=lambda days: days.map(list(calendar.day_name).index))"
    if limit is not None:
        source += f".{_ENDS[limit.end]}({limit.count})"
    if plan.having is not None:
        source += f".loc[lambda counts: counts {plan.having[0]} {number(plan.having[1])}]"
    if plan.percent and counted:
        source = f"({source} * 100)" if plan.decimals is not None else f"{source} * 100"
    return source + _rounded(plan)


def _correlated(plan: Plan, rows: str) -> str:
    if len(plan.columns) == 2:
        return _scalar(plan, f"{column(rows, plan.columns[0])}.corr({column(rows, plan.columns[1])})")
    if any(map(is_texts, plan.columns)):
        raise Unwritable
    return (f"{rows}{_chosen(plan)}.corr()" if plan.columns else f"{rows}.corr(numeric_only=True)") + _rounded(plan)


def _pivoted(plan: Plan, rows: str) -> str:
    of = plan.measures[0].of if plan.measures else None
    if of is None:
        return f"pd.crosstab({', '.join(column(rows, ref) for ref in plan.groups)})"
    if not isinstance(of, Ref) or any(ref.part or is_texts(ref) or ref.column.doubled for ref in (of, *plan.groups)):
        raise Unwritable
    index, columns = (ref.column.source for ref in plan.groups)
    arguments = f'index={index}, columns={columns}, values={of.column.source}, aggfunc="{plan.measures[0].how}"'
    return f"{rows}.pivot_table({arguments}){_rounded(plan)}"


def _saved(plan: Plan, source: str) -> str:
    kind = plan.path.rpartition(".")[2].lower()
    is_table = (plan.groups or not plan.measures) and plan.look in ("", "rows", "found") and len(plan.columns) != 1
    if kind not in _WRITERS or not is_table:
        raise Unwritable
    index = ", index=False" if kind in ("csv", "xlsx") and not plan.groups else ""
    return f"{source}.{_WRITERS[kind]}({text(plan.path)}{index})"
