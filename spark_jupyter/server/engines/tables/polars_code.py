"""Plans as polars code of a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.tables.pandas_pictures import SHOW, measured_label, said, style
from spark_jupyter.server.engines.tables.pandas_terms import Unwritable, arithmetic, is_texts, labels, number, text
from spark_jupyter.server.engines.tables.rule_helpers import MISSING
from spark_jupyter.server.engines.tables.table_plan import (
    AnyOf,
    Change,
    Expression,
    Measure,
    Plan,
    Ref,
    Statistic,
    Test,
    Unmatched,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable

_PARTS = {
    "": "",
    "month": '.dt.truncate("1mo")',
    "week": '.dt.truncate("1w")',
    "quarter": '.dt.truncate("1q")',
    "day": ".dt.date()",
    "year": ".dt.year()",
    "hour": ".dt.hour()",
    "weekday": '.dt.strftime("%A")',
    "dayofweek": ".dt.weekday()",
}
_CASES = {"lower": "to_lowercase", "upper": "to_uppercase", "title": "to_titlecase", "strip": "strip_chars"}
_TYPES = {"text": "pl.String", "category": "pl.Categorical", "number": "pl.Float64", "integer": "pl.Int64"}
_WRITERS = {"csv": "write_csv", "json": "write_json", "parquet": "write_parquet", "xlsx": "write_excel"}


def write(plan: Plan, free: Callable[[str], str]) -> list[str]:
    """The lines of code that carry out a plan, without imports. ``free`` gives a name that the user has not taken.

    Raises:
        Unwritable: for what there is no code for.
    """
    change = plan.change
    if change is not None and change.kind == "join":
        name, how = free("merged"), "full" if change.how == "outer" else change.how
        return [f'{name} = {plan.table}.join({change.other}, on={labels(change.columns)}, how="{how}")', name]
    if change is not None and change.kind != "test":
        return [f"{plan.table} = {plan.table}.{_CHANGES[change.kind](plan, change)}", plan.table]
    if plan.picture:
        return _drawn(plan, free)
    if plan.path:
        kind = plan.path.rpartition(".")[2].lower()
        if kind not in _WRITERS or plan.look not in ("", "rows") or (plan.measures and not plan.groups):
            raise Unwritable
        return [f"{_result(plan)}.{_WRITERS[kind]}({text(plan.path)})"]
    return [_result(plan)]


def _column(ref: Ref) -> str:
    source, holds = f"pl.col({ref.column.source})", ref.column.holds
    if is_texts(ref):
        if holds.startswith("dates"):
            raise Unwritable
        kept = "[^\\d,-]" if "comma" in holds else "[^\\d.-]"
        source += f'.str.replace_all(r"{kept}", "")'
        source += ('.str.replace(",", ".")' if "comma" in holds else "") + ".cast(pl.Float64, strict=False)"
    return source + _PARTS[ref.part]


def _expression(value: Expression) -> str:
    return arithmetic(value, _column, "({} - {}).dt.total_days()")


def _condition(test: Test | AnyOf | Unmatched) -> str:
    if isinstance(test, AnyOf):
        return " | ".join(f"({_condition(one)})" for one in test.tests)
    if isinstance(test, Unmatched):
        raise Unwritable
    if test.negated and test.op == "missing":
        return f"{_column(test.left)}.is_not_null()"
    return f"~({_mask(test)})" if test.negated else _mask(test)


def _mask(test: Test) -> str:
    left, right = _column(test.left), test.right
    if test.op == "missing":
        return f"{left}.is_null()"
    if test.op == "true":
        return _flag(test.left, left)
    if test.op == "contains":
        return f"{left}.str.to_lowercase().str.contains({text(str(right[0]))}, literal=True)"
    if test.op in ("starts", "ends"):
        return f"{left}.str.{test.op}_with({text(str(right[0]))})"
    if test.left.part == "month":
        left = left.replace(_PARTS["month"], ".dt.month()")
    if test.left.part == "dayofweek":
        right = tuple(int(str(one)) + 1 for one in right)
    values = [_value(test.left, one) for one in right]
    if test.op == "between":
        closed = ', closed="left"' if isinstance(right[0], str) else ""
        return f"{left}.is_between({values[0]}, {values[1]}{closed})"
    if test.op == "in" and len(values) > 1:
        return f"{left}.is_in([{', '.join(values)}])"
    return f"{left} {'==' if test.op == 'in' else test.op} {values[0]}"


def _flag(ref: Ref, left: str) -> str:
    if ref.column.kind == "bool":
        return left
    if ref.column.flag:
        return f"{left} == 1"
    return f"{left}.is_in([{', '.join(map(text, ref.column.spellings[0]))}])"


def _value(ref: Ref, value: object) -> str:
    if isinstance(value, Ref):
        return _column(value)
    if isinstance(value, Statistic):
        return f"{_column(value.of)}.{value.how}()"
    if isinstance(value, str) and ref.column.kind == "date":
        return "pl.date({}, {}, {})".format(*map(int, value.split("-")))
    return number(value)  # type: ignore[arg-type]


def _rows(plan: Plan) -> str:
    conditions = [_condition(one) for one in plan.tests if not isinstance(one, Unmatched)]
    rows = plan.table + (f".filter({', '.join(conditions)})" if conditions else "")
    for one in plan.tests:
        if isinstance(one, Unmatched):
            rows += f'.join({one.other.table}, on={one.key.column.source}, how="anti")'
    return rows


def _ordered(plan: Plan, source: str, keys: tuple[str, ...]) -> str:
    if keys:
        descending = ", descending=True" if plan.order is not None and plan.order.descending else ""
        nulls = ", nulls_last=True" if plan.order is not None and plan.order.keys else ""
        source += f".sort({', '.join(keys)}{descending}{nulls})"
    if plan.limit is not None:
        source += {
            "first": f".head({plan.limit.count})",
            "last": f".tail({plan.limit.count})",
            "random": f".sample({plan.limit.count})",
        }[plan.limit.end]
    return source


def _result(plan: Plan) -> str:
    rows = _rows(plan)
    if plan.look in _LOOKS:
        return _LOOKS[plan.look](plan, rows)
    if plan.groups:
        return _grouped(plan, rows)
    if plan.measures:
        if len(plan.measures) == 1 and plan.measures[0].of is None:
            return f"{rows}.height"
        made = [_measure(one, alias=len(plan.measures) > 1) for one in plan.measures]
        made = [f"{one}.round({plan.decimals})" for one in made] if plan.decimals is not None else made
        return f"{rows}.select({', '.join(made)})" + (".item()" if len(made) == 1 else "")
    keys = tuple(_column(key) for key in plan.order.keys if isinstance(key, Ref)) if plan.order else ()
    if plan.order is not None and len(keys) < len(plan.order.keys):
        raise Unwritable
    selected = f".select({', '.join(ref.column.source for ref in plan.columns)})" if plan.columns else ""
    return _ordered(plan, rows, keys) + selected


def _measure(measure: Measure, *, alias: bool) -> str:
    name = _name(measure)
    if measure.of is None:
        return 'pl.len().alias("count")'
    if measure.how == "mode":
        raise Unwritable
    how = {"nunique": "n_unique()", "missing": "null_count()", "quantile": f'quantile({measure.at}, "linear")'}.get(
        measure.how, f"{measure.how}()"
    )
    value = _expression(measure.of)
    value = value if isinstance(measure.of, Ref) else f"({value})"
    return f"{value}.{how}" + (f".alias({text(name)})" if alias or not isinstance(measure.of, Ref) else "")


def _name(measure: Measure) -> str:
    if measure.of is None:
        return "count"
    return f"{measure.how}_{measure.of.column.name}" if isinstance(measure.of, Ref) else measure.how


def _shown(plan: Plan) -> str:
    """The name of the only measure's column."""
    (measure,) = plan.measures
    if plan.percent:
        return "percent"
    return measure.of.column.name if isinstance(measure.of, Ref) else _name(measure)


def _grouped(plan: Plan, rows: str) -> str:
    keys = [f'{_column(ref)}.alias("{ref.part}")' if ref.part else ref.column.source for ref in plan.groups]
    names = tuple(text(ref.part) if ref.part else ref.column.source for ref in plan.groups)
    measures = ", ".join(_measure(one, alias=len(plan.measures) > 1) for one in plan.measures)
    source = f"{rows}.group_by({', '.join(keys)}).agg({measures})"
    if plan.percent:
        share = '(pl.col("count") / pl.col("count").sum() * 100).alias("percent")'
        source += f".select({', '.join(names)}, {share})"
    if plan.having is not None:
        source += f'.filter(pl.col("count") {plan.having[0]} {number(plan.having[1])})'
    if plan.decimals is not None:
        source += f".with_columns(pl.exclude({', '.join(names)}).round({plan.decimals}))"
    by_value = plan.order is not None and not plan.order.keys
    return _ordered(plan, source, (text(_shown(plan)),) if by_value else names)


def _pivoted(plan: Plan, rows: str) -> str:
    index, columns = plan.groups
    measure = plan.measures[0] if plan.measures else Measure("count")
    if (
        index.part
        or columns.part
        or (measure.of is not None and (not isinstance(measure.of, Ref) or is_texts(measure.of)))
    ):
        raise Unwritable
    of, how = (measure.of, measure.how) if isinstance(measure.of, Ref) else (index, "len")
    places = f"on={columns.column.source}, index={index.column.source}, values={of.column.source}"
    source = f'{rows}.pivot({places}, aggregate_function="{how}", sort_columns=True).sort({index.column.source})'
    return f"{source}.fill_null(0)" if how == "len" else source


def _correlation(plan: Plan, rows: str) -> str:
    if len(plan.columns) != 2:
        raise Unwritable
    return f"{rows}.select(pl.corr({', '.join(map(_column, plan.columns))})).item()"


def _selected(plan: Plan, rows: str) -> str:
    return rows + (f".select({labels(plan.columns)})" if plan.columns else "")


_LOOKS: dict[str, Callable[[Plan, str], str]] = {
    "describe": lambda plan, rows: f"{_selected(plan, rows)}.describe()",
    "columns": lambda _plan, rows: f"{rows}.columns",
    "types": lambda plan, rows: f"{_selected(plan, rows)}.schema",
    "shape": lambda _plan, rows: f"{rows}.shape",
    "missing": lambda plan, rows: f"{_selected(plan, rows)}.null_count()",
    "unique": lambda plan, rows: f"{rows}[{plan.columns[0].column.source}].unique()",
    "nunique": lambda _plan, rows: f"{rows}.select(pl.all().n_unique())",
    "duplicates": lambda plan, _rows: f"{plan.table}.filter({plan.table}.is_duplicated())",
    "duplicated": lambda plan, _rows: f"{plan.table}.height - {plan.table}.n_unique()",
    "correlation": _correlation,
    "share": lambda plan, rows: f"{rows}.select(({_condition(plan.change.value[0])}).mean() * 100).item()",  # type: ignore[union-attr,index,arg-type]
    "pivot": _pivoted,
    "crosstab": _pivoted,
}


def _with(expressions: list[str]) -> str:
    return f"with_columns({', '.join(expressions)})"


def _new(_plan: Plan, change: Change) -> str:
    value = change.value
    tests = value if isinstance(value, tuple) else ()
    source = " & ".join(f"({_condition(one)})" for one in tests) or _expression(value)  # type: ignore[arg-type]
    return _with([f"({source}).alias({text(change.names[0])})"])


def _filled(ref: Ref, change: Change) -> str:
    one = f"pl.col({ref.column.source})"
    if change.how in ("ffill", "bfill"):
        return f'{one}.fill_null(strategy="{"forward" if change.how == "ffill" else "backward"}")'
    if change.how == "mode" or is_texts(ref) or isinstance(change.value, str) is not (ref.column.kind == "text"):
        raise Unwritable
    value = f"{one}.{change.how}()" if change.how else number(change.value)  # type: ignore[arg-type]
    return f"{one}.fill_null({value}{f'.over({change.by.column.source})' if change.by else ''})"


def _fill(_plan: Plan, change: Change) -> str:
    return _with([_filled(ref, change) for ref in change.columns] or [_filled_all(change)])


def _filled_all(_change: Change) -> str:
    raise Unwritable


def _converted(ref: Ref, how: str) -> str:
    if how not in _TYPES or (ref.column.kind == "text" and how in ("number", "integer") and not is_texts(ref)):
        raise Unwritable
    return f"{_column(ref)}.cast({_TYPES[how]})"


def _replaced(ref: Ref, change: Change) -> str:
    new = "None" if change.new == MISSING else number(change.new)  # type: ignore[arg-type]
    return f"pl.col({ref.column.source}).replace({number(change.value)}, {new})"  # type: ignore[arg-type]


def _names(_plan: Plan, change: Change) -> str:
    case, *snake = change.how.split()
    underscores = '.replace(" ", "_")' if snake else ""
    return f"rename(lambda name: name.strip().{case}(){underscores})"


def _bring(_plan: Plan, change: Change) -> str:
    key = change.columns[0].column.source
    columns = ", ".join([key, *map(text, change.names)])
    return f'join({change.other}.select({columns}), on={key}, how="left", validate="m:1")'


_CHANGES: dict[str, Callable[[Plan, Change], str]] = {
    "new": _new,
    "rowwise": lambda _plan, change: _with(
        [f"pl.{change.how}_horizontal({labels(change.columns)}).alias({text(change.names[0])})"]
    ),
    "rename": lambda _plan, change: (
        "rename({"
        + ", ".join(
            f"{ref.column.source}: {text(name)}" for ref, name in zip(change.columns, change.names, strict=True)
        )
        + "})"
    ),
    "drop": lambda _plan, change: f"drop({labels(change.columns)})",
    "filter": lambda plan, _change: (
        f"filter(~({' & '.join(f'({_condition(one)})' for one in plan.tests)}).fill_null(False))"
    ),
    "dropna": lambda _plan, change: f"drop_nulls({labels(change.columns) if change.columns else ''})",
    "unique": lambda _plan, change: (
        f"unique({labels(change.columns) + ', ' if change.columns else ''}maintain_order=True)"
    ),
    "fill": _fill,
    "convert": lambda _plan, change: _with([_converted(ref, change.how) for ref in change.columns]),
    "replace": lambda _plan, change: _with([_replaced(ref, change) for ref in change.columns]),
    "text": lambda _plan, change: _with(
        [f"pl.col({ref.column.source}).str.{_CASES[change.how]}()" for ref in change.columns]
    ),
    "round": lambda _plan, change: _with([f"{_column(ref)}.round({change.value:.0f})" for ref in change.columns]),
    "names": _names,
    "bring": _bring,
}


def _drawn(plan: Plan, free: Callable[[str], str]) -> list[str]:
    """Pictures with matplotlib: polars has none of its own."""
    if set(dict(plan.styles)) - {"color", "title", "bins", "horizontal"}:
        raise Unwritable
    arguments = [f"{name}={value!r}".replace("'", '"') for name in ("bins", "color") if (value := style(plan, name))]
    if plan.picture in ("hist", "scatter"):
        name, source = plan.table, _rows(plan)
        columns = [f"{source}[{ref.column.source}]" for ref in plan.columns]
        if any(map(is_texts, plan.columns)) or (plan.picture == "hist" and len(columns) > 1):
            raise Unwritable
        along = "Number" if plan.picture == "hist" else said(plan.columns[1])
        lines = [f"plt.{plan.picture}({', '.join([*columns, *arguments])})"]
        return [*lines, *_titled(plan, said(plan.columns[0]), along), SHOW]
    if plan.picture == "box" or len(plan.groups) != 1 or (plan.look != "raw" and len(plan.measures) != 1):
        raise Unwritable
    key, name = plan.groups[0], free("drawn")
    raw = plan.look == "raw"
    source = f"{_rows(plan)}.sort({key.column.source})" if raw else _result(plan)
    if is_texts(key) or (raw and len(plan.columns) > 1):
        raise Unwritable
    x, y = (f"{name}[{text(one)}]" for one in (said(key), plan.columns[0].column.name if raw else _shown(plan)))
    kind = "barh" if plan.picture == "bar" and style(plan, "horizontal") else plan.picture
    drawn = (
        f'pie({y}, labels={x}, autopct="%.1f%%")'
        if kind == "pie"
        else f"{'plot' if kind == 'line' else kind}({', '.join([x, y, *arguments])})"
    )
    across, along = said(key), said(plan.columns[0]) if raw else measured_label(plan)
    across, along = (along, across) if kind == "barh" else (across, along)
    return [f"{name} = {source}", f"plt.{drawn}", *([] if kind == "pie" else _titled(plan, across, along)), SHOW]


def _titled(plan: Plan, across: str, along: str) -> list[str]:
    title = style(plan, "title")
    return [
        f"plt.xlabel({text(across)})",
        f"plt.ylabel({text(along)})",
        *([f"plt.title({text(str(title))})"] if title else []),
    ]
