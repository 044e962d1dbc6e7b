"""Pictures as pandas and matplotlib code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.tables.pandas_terms import Unwritable, column, is_texts, labels, text
from spark_jupyter.server.engines.tables.table_plan import Plan, Ref

if TYPE_CHECKING:
    from collections.abc import Callable

SHOW = "plt.show()"


def write(plan: Plan, rows: str, result: Callable[[], str]) -> list[str]:
    """The lines that draw ``rows``, or the ``result`` of their groups."""
    if plan.picture in ("bar", "barh", "pie") or (plan.picture == "line" and plan.look != "raw"):
        return [*_measured(plan, result()), SHOW]
    return [*_RAW[plan.picture](plan, rows), SHOW]


def style(plan: Plan, name: str) -> str | int | Ref | None:
    """A style that was asked for."""
    return dict(plan.styles).get(name)


def said(ref: Ref) -> str:
    """A column or a part of a date, as an axis says it."""
    return ref.part or ref.column.name


def measured_label(plan: Plan) -> str:
    """What the numbers of the groups are."""
    if plan.percent:
        return f"Percent of {plan.table}"
    if plan.look == "crosstab" or plan.measures[0].of is None:
        return f"Number of {plan.table}"
    of = {said(one.of) if isinstance(one.of, Ref) else "" for one in plan.measures}
    hows = {one.how for one in plan.measures}
    return f"{' and '.join(sorted(hows)).capitalize()} {next(iter(of))}".strip() if len(of) == 1 else "Value"


def _arguments(plan: Plan, *more: str) -> str:
    made = list(more)
    if title := style(plan, "title"):
        made.append(f"title={text(str(title))}")
    if (colour := style(plan, "color")) and plan.picture != "pie":
        made.append(f"color={text(str(colour))}")
    if style(plan, "log"):
        made.append("logx=True" if plan.picture == "barh" else "logy=True")
    return ", ".join(made)


def _measured(plan: Plan, source: str) -> list[str]:
    if source.endswith(" * 100"):
        source = f"({source})"
    kind = "barh" if plan.picture == "bar" and style(plan, "horizontal") else plan.picture
    two = len(plan.groups) == 2 and plan.look != "crosstab"
    if len(plan.groups) > 2 or (two and len(plan.measures) > 1):
        raise Unwritable
    if two:
        source += ".unstack()"
    if kind == "pie":
        arguments = _arguments(plan, 'autopct="%.1f%%"', 'ylabel=""')
        return [f"{source}.plot.pie({arguments})"]
    across, along = text(said(plan.groups[0])), text(measured_label(plan))
    if kind == "barh":
        across, along = along, across
    stacked = ["stacked=True"] if style(plan, "stacked") else []
    if (two or len(plan.measures) > 1) and style(plan, "color"):
        raise Unwritable
    return [f"{source}.plot.{kind}({_arguments(plan, *stacked, f'xlabel={across}', f'ylabel={along}')})"]


def _histogram(plan: Plan, rows: str) -> list[str]:
    bins = style(plan, "bins")
    more = [f"bins={bins}"] if bins else []
    if len(plan.columns) == 1:
        ref = plan.columns[0]
        return [f"{column(rows, ref)}.plot.hist({_arguments(plan, *more, f'xlabel={text(said(ref))}')})"]
    if any(map(is_texts, plan.columns)):
        raise Unwritable
    return [f"{rows}[{labels(plan.columns)}].plot.hist({_arguments(plan, *more, 'alpha=0.5')})"]


def _box(plan: Plan, rows: str) -> list[str]:
    if any(map(is_texts, plan.columns)) or style(plan, "color"):
        raise Unwritable
    if not plan.groups:
        vertical = ["vert=False"] if style(plan, "horizontal") else []
        return [f"{rows}[{labels(plan.columns)}].plot.box({_arguments(plan, *vertical)})"]
    if len(plan.groups) > 1 or plan.groups[0].part or len(plan.columns) > 1 or style(plan, "horizontal"):
        raise Unwritable
    ref, group = plan.columns[0], plan.groups[0]
    title = text(str(style(plan, "title") or f"{said(ref)} by {said(group)}"))
    return [
        f"{rows}.boxplot(column={ref.column.source}, by={group.column.source})",
        'plt.suptitle("")',
        f"plt.title({title})",
        f"plt.ylabel({text(said(ref))})",
    ]


def _scatter(plan: Plan, rows: str) -> list[str]:
    x, y = plan.columns
    if is_texts(x) or is_texts(y):
        raise Unwritable
    hue = style(plan, "hue")
    if not isinstance(hue, Ref):
        return [f"{rows}.plot.scatter({_arguments(plan, f'x={x.column.source}', f'y={y.column.source}')})"]
    if hue.column.kind == "number" and not hue.column.flag:
        mapped = _arguments(
            plan, f"x={x.column.source}", f"y={y.column.source}", f"c={hue.column.source}", 'colormap="viridis"'
        )
        return [f"{rows}.plot.scatter({mapped})"]
    lines = [
        f"for name, group in {rows}.groupby({hue.column.source}):",
        f"    plt.scatter(group[{x.column.source}], group[{y.column.source}], label=name)",
        f"plt.xlabel({text(said(x))})",
        f"plt.ylabel({text(said(y))})",
        f"plt.legend(title={text(said(hue))})",
    ]
    title = style(plan, "title")
    return [*lines, f"plt.title({text(str(title))})"] if title else lines


def _line(plan: Plan, rows: str) -> list[str]:
    x = plan.groups[0]
    if x.part or any(map(is_texts, plan.columns)):
        raise Unwritable
    y = plan.columns[0].column.source if len(plan.columns) == 1 else labels(plan.columns)
    label = [f"ylabel={text(said(plan.columns[0]))}"] if len(plan.columns) == 1 else []
    if is_texts(x):
        converted = column(rows, x)
        rows = f"{rows}.assign(date={converted})"
        arguments = _arguments(plan, 'x="date"', f"y={y}", *label)
        return [f'{rows}.sort_values("date").plot({arguments})']
    return [f"{rows}.sort_values({x.column.source}).plot({_arguments(plan, f'x={x.column.source}', f'y={y}', *label)})"]


_RAW: dict[str, Callable[[Plan, str], list[str]]] = {
    "hist": _histogram,
    "box": _box,
    "scatter": _scatter,
    "line": _line,
}
