"""Plans as pandas code of a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.server.engines.tables import pandas_changes, pandas_pictures
from spark_jupyter.server.engines.tables.pandas_terms import (
    Unwritable,
    aggregated,
    column,
    conditions,
    is_texts,
    labels,
    number,
    selected,
    series,
    sort_arguments,
    text,
)  # fmt: skip
from spark_jupyter.server.engines.tables.table_plan import Formula, Measure, Plan, Ref

if TYPE_CHECKING:
    from collections.abc import Callable

WRITERS = {"csv": "to_csv", "tsv": "to_csv", "xlsx": "to_excel", "json": "to_json", "parquet": "to_parquet"}
_BY_WEEKDAY = ".sort_index(key=lambda days: days.map(list(calendar.day_name).index))"


def write(plan: Plan, free: Callable[[str], str]) -> list[str]:
    """The lines of code that carry out a plan, without imports. ``free`` gives a name that the user has not taken.

    Raises:
        Unwritable: for what there is no code for.
    """
    if plan.change is not None and plan.change.kind != "test":
        return pandas_changes.write(plan, free)
    lines, frame = _frame(plan, free)
    tests = () if lines else plan.tests
    if plan.picture:
        return [*lines, *pandas_pictures.write(plan, selected(frame, tests), lambda: result(plan, frame, tests))]
    source = result(plan, frame, tests)
    return [*lines, _saved(plan, source) if plan.path else source]


def _frame(plan: Plan, free: Callable[[str], str]) -> tuple[list[str], str]:
    """A line that names the rows which are meant, where the code speaks of them more than once; and the name of the frame."""
    computed = any(
        isinstance(one.of, Formula) or (isinstance(one.of, Ref) and is_texts(one.of)) for one in plan.measures
    )
    several = sum(one.how == "count" for one in plan.measures) + len({one.of for one in plan.measures if one.of}) > 1
    often = computed or any(ref.part or is_texts(ref) for ref in plan.groups) or (several and not plan.groups)
    often = often or any(one.how == "missing" for one in plan.measures)
    often = (
        often
        or plan.look in ("crosstab", "share", "duplicates")
        or (plan.look == "correlation" and len(plan.columns) == 2)
    )
    often = often or (plan.picture == "scatter" and any(name == "hue" for name, _ in plan.styles))
    if not plan.tests or not often:
        return [], plan.table
    name = free("selected")
    return [f"{name} = {selected(plan.table, plan.tests)}"], name


def result(plan: Plan, frame: str, tests: tuple) -> str:  # type: ignore[type-arg]
    """The expression that gives what is asked."""
    rows = selected(frame, tests)
    if plan.look in _LOOKS:
        return _LOOKS[plan.look](plan, rows, frame)
    if plan.groups:
        return _finished(plan, _grouped(plan, rows))
    if plan.measures:
        return _numbers(plan, rows)
    return _rows(plan, rows)


def _rows(plan: Plan, rows: str) -> str:
    limit, order = plan.limit, plan.order
    if order is not None:
        key = order.keys[0] if len(order.keys) == 1 else None
        direct = isinstance(key, Ref) and not key.part and key.column.kind in ("number", "date")
        if limit is not None and limit.end == "first" and direct and isinstance(key, Ref):
            rows = f"{rows}.{'nlargest' if order.descending else 'nsmallest'}({limit.count}, {key.column.source})"
            limit = None
        else:
            rows = f"{rows}.sort_values({sort_arguments(order)})"
    if limit is not None:
        ends = {"first": f"head({limit.count})", "last": f"tail({limit.count})", "random": f"sample({limit.count})"}
        rows = f"{rows}.{ends[limit.end]}"
    if plan.columns:
        rows += f"[{plan.columns[0].column.source if len(plan.columns) == 1 else labels(plan.columns)}]"
    return rows


def _numbers(plan: Plan, rows: str) -> str:
    """Numbers of all rows."""
    columns = tuple(one.of for one in plan.measures if isinstance(one.of, Ref))
    plain = len(columns) == len(plan.measures) and not any(map(is_texts, columns))
    hows = {one.how for one in plan.measures}
    if len(plan.measures) == 1:
        source = _number(plan.measures[0], rows)
        return f"round({source}, {plan.decimals})" if plan.decimals is not None else source
    if plain and len(hows) == 1 and len(set(columns)) == len(columns):
        source = aggregated(f"{rows}[{labels(columns)}]", plan.measures[0])
    elif plain and len(set(columns)) == 1 and not hows & {"quantile", "mode"}:
        source = f"{rows}[{columns[0].column.source}].agg([{', '.join(text(one.how) for one in plan.measures)}])"
    else:
        made = ", ".join(f"{text(said(one))}: {_number(one, rows)}" for one in plan.measures)
        source = f"pd.Series({{{made}}})"
    return source + _rounded(plan)


def _number(measure: Measure, rows: str) -> str:
    if measure.of is None:
        return f"len({rows})"
    if measure.how == "missing":
        return f"{series(rows, measure.of)}.isna().sum()"
    return aggregated(series(rows, measure.of), measure)


def said(measure: Measure) -> str:
    """What a measure is called in a result: ``mean of price``."""
    if measure.of is None:
        return "count"
    return f"{measure.how} of {measure.of.column.name}" if isinstance(measure.of, Ref) else measure.how


def _rounded(plan: Plan) -> str:
    return f".round({plan.decimals})" if plan.decimals is not None else ""


def keys(plan: Plan, frame: str, *, plain: bool = True) -> str:
    """What ``groupby`` groups by: names of columns, or series where dates are cut to months, or where the caller needs them."""
    made = [column(frame, ref) if ref.part or is_texts(ref) or not plain else ref.column.source for ref in plan.groups]
    return made[0] if len(made) == 1 else f"[{', '.join(made)}]"


def _grouped(plan: Plan, rows: str) -> str:
    """Measures of each group, not yet sorted."""
    first, *others = plan.measures
    observed = ", observed=True" if any(ref.column.dtype.lower() == "category" for ref in plan.groups) else ""
    groups = f"{rows}.groupby({keys(plan, rows)}{observed})"
    if not others and first.of is None:
        simple = len(plan.groups) == 1 and not plan.groups[0].part and not is_texts(plan.groups[0])
        if simple:
            return _value_counts(plan, rows)
        return f"{groups}.size()"
    if any(one.how == "mode" for one in plan.measures):
        raise Unwritable
    columns = tuple(dict.fromkeys(one.of for one in plan.measures))
    if any(one.how == "missing" for one in plan.measures):
        if others or not isinstance(first.of, Ref):
            raise Unwritable
        return f"{rows}[{first.of.column.source}].isna().groupby({keys(plan, rows, plain=False)}{observed}).sum()"
    if len(columns) == 1 and columns[0] is not None:
        if isinstance(columns[0], Ref) and not is_texts(columns[0]):
            source = f"{groups}[{columns[0].column.source}]"
        else:
            source = f"{series(rows, columns[0])}.groupby({keys(plan, rows, plain=False)}{observed})"
        return _aggregates(source, plan.measures)
    refs = tuple(ref for ref in columns if isinstance(ref, Ref) and not is_texts(ref))
    if len(refs) + (None in columns) < len(columns):
        raise Unwritable
    if len({one.how for one in plan.measures}) == 1:
        return aggregated(f"{groups}[{labels(refs)}]", first)
    return f"{groups}.agg({_named(plan, refs)})"


def _aggregates(source: str, measures: tuple[Measure, ...]) -> str:
    if len(measures) == 1:
        return aggregated(source, measures[0])
    if any(one.how == "quantile" for one in measures):
        raise Unwritable
    return f"{source}.agg([{', '.join(text(one.how) for one in measures)}])"


def _named(plan: Plan, refs: tuple[Ref, ...]) -> str:
    """Named aggregations."""
    made = []
    for one in plan.measures:
        ref = one.of if isinstance(one.of, Ref) else refs[0]
        name = "count" if one.of is None else f"{one.how}_{ref.column.name}"
        how = "size" if one.of is None else one.how
        if not name.isidentifier() or how == "quantile":
            raise Unwritable
        made.append(f'{name}=({ref.column.source}, "{how}")')
    return ", ".join(made)


def _value_counts(plan: Plan, rows: str) -> str:
    arguments = []
    if plan.percent:
        arguments.append("normalize=True")
    if plan.order is not None and not plan.order.keys and not plan.order.descending:
        arguments.append("ascending=True")
    counts = f"{rows}[{plan.groups[0].column.source}].value_counts({', '.join(arguments)})"
    return f"{counts} * 100" if plan.percent and plan.limit is None else counts


def _finished(plan: Plan, source: str) -> str:
    """A result of groups in its order, cut and rounded."""
    order, limit = plan.order, plan.limit
    counted = ".value_counts(" in source
    if plan.percent and not counted:
        source = f"{source}.pipe(lambda counts: counts / counts.sum() * 100)"
    if order is not None and order.keys:
        source += f".sort_index({'ascending=False' if order.descending else ''})"
    elif order is not None and not counted:
        largest = limit is not None and limit.end == "first"
        if largest and limit is not None:
            source += f".{'nlargest' if order.descending else 'nsmallest'}({limit.count})"
            limit = None
        else:
            source += f".sort_values({'ascending=False' if order.descending else ''})"
    elif order is None and len(plan.groups) == 1 and plan.groups[0].part == "weekday" and len(plan.measures) == 1:
        source += _BY_WEEKDAY
    if limit is not None:
        source += f".{'head' if limit.end == 'first' else 'tail'}({limit.count})"
        if plan.percent and counted:
            source += " * 100"
    if plan.having is not None:
        source += f".loc[lambda counts: counts {plan.having[0]} {number(plan.having[1])}]"
    if plan.decimals is not None:
        source = f"({source})" if source.endswith(" * 100") else source
        source += _rounded(plan)
    return source


def _described(plan: Plan, rows: str, _frame: str) -> str:
    return f"{_rows(structs.replace(plan, look=''), rows)}.describe(){_rounded(plan)}"


def _correlated(plan: Plan, rows: str, _frame: str) -> str:
    if len(plan.columns) == 2:
        source = f"{column(rows, plan.columns[0])}.corr({column(rows, plan.columns[1])})"
        return f"round({source}, {plan.decimals})" if plan.decimals is not None else source
    if any(map(is_texts, plan.columns)):
        raise Unwritable
    return (f"{rows}[{labels(plan.columns)}].corr()" if plan.columns else f"{rows}.corr(numeric_only=True)") + _rounded(
        plan
    )


def _shared(plan: Plan, rows: str, _frame: str) -> str:
    change = plan.change
    assert change is not None
    source = f"({conditions(rows, change.value)}).mean() * 100"  # type: ignore[arg-type]
    return f"round({source}, {plan.decimals})" if plan.decimals is not None else source


def _pivoted(plan: Plan, rows: str, _frame: str) -> str:
    (measure,) = plan.measures
    if any(ref.part or is_texts(ref) for ref in plan.groups):
        raise Unwritable
    index, columns = (ref.column.source for ref in plan.groups)
    if measure.of is None:
        return f"pd.crosstab({column(rows, plan.groups[0])}, {column(rows, plan.groups[1])})"
    if (
        not isinstance(measure.of, Ref)
        or is_texts(measure.of)
        or measure.how not in ("mean", "sum", "median", "min", "max")
    ):
        raise Unwritable
    arguments = f'index={index}, columns={columns}, values={measure.of.column.source}, aggfunc="{measure.how}"'
    return f"{rows}.pivot_table({arguments}){_rounded(plan)}"


def _of_columns(plan: Plan, rows: str) -> str:
    if not plan.columns:
        return rows
    return f"{rows}[{plan.columns[0].column.source if len(plan.columns) == 1 else labels(plan.columns)}]"


_LOOKS: dict[str, Callable[[Plan, str, str], str]] = {
    "describe": _described,
    "columns": lambda _plan, _rows, frame: f"list({frame}.columns)",
    "types": lambda plan, rows, _frame: _of_columns(plan, rows) + (".dtype" if len(plan.columns) == 1 else ".dtypes"),
    "shape": lambda _plan, rows, _frame: f"{rows}.shape",
    "info": lambda _plan, rows, _frame: f"{rows}.info()",
    "missing": lambda plan, rows, _frame: f"{_of_columns(plan, rows)}.isna().sum()",
    "unique": lambda plan, rows, _frame: f"{_of_columns(plan, rows)}.unique()",
    "nunique": lambda _plan, rows, _frame: f"{rows}.nunique()",
    "duplicates": lambda _plan, rows, _frame: f"{rows}[{rows}.duplicated(keep=False)]",
    "duplicated": lambda _plan, rows, _frame: f"{rows}.duplicated().sum()",
    "correlation": _correlated,
    "share": _shared,
    "pivot": _pivoted,
    "crosstab": lambda plan, rows, _frame: (
        f"pd.crosstab({column(rows, plan.groups[0])}, {column(rows, plan.groups[1])})"
    ),
}


def _saved(plan: Plan, source: str) -> str:
    kind = plan.path.rpartition(".")[2].lower()
    arguments = [text(plan.path)]
    if kind == "tsv":
        arguments.append('sep="\\t"')
    grouped = bool(plan.groups) and not plan.columns
    if kind in ("csv", "tsv", "xlsx") and not grouped:
        arguments.append("index=False")
    if (plan.measures and not plan.groups) or plan.look not in ("", "rows"):
        raise Unwritable
    if len(plan.columns) == 1 and not plan.groups:
        source = source.removesuffix(f"[{plan.columns[0].column.source}]") + f"[[{plan.columns[0].column.source}]]"
    return f"{source}.{WRITERS[kind]}({', '.join(arguments)})"
