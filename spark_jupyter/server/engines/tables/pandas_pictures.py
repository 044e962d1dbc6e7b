"""Pictures as pandas and matplotlib code."""

from __future__ import annotations

from collections.abc import Callable

from spark_jupyter.server.engines.tables.pandas_terms import Unwritable, column, is_texts, key, labels, text
from spark_jupyter.server.engines.tables.table_plan import Plan, Ref


def write(plan: Plan, rows: str, result: Callable[[], str]) -> list[str]:
    """The lines that draw ``rows``, or the ``result`` of their groups."""
    measured = plan.picture in ("bar", "barh", "pie") or (plan.picture == "line" and plan.look != "raw")
    if not measured and plan.picture != "hist" and any(map(is_texts, (*plan.columns, *plan.groups))):
        raise Unwritable
    return [*(_measured(plan, result()) if measured else _RAW[plan.picture](plan, rows)), "plt.show()"]


def _said(ref: Ref) -> str:
    return ref.part or ref.column.name


def _label(plan: Plan) -> str:
    """The label of the axis of numbers."""
    hows = {one.how for one in plan.measures}
    if plan.look == "crosstab" or plan.measures[0].how in ("count", "share"):
        return f"{'Percent' if plan.percent or 'share' in hows else 'Number'} of {plan.table}"
    of = {_said(one.of) if isinstance(one.of, Ref) else "" for one in plan.measures}
    said = " and ".join(sorted(hows)).replace("nunique", "number of").replace("sum", "total").capitalize()
    return f"{said} {next(iter(of))}".strip() if len(of) == 1 else "Value"


def _arguments(plan: Plan, *more: str) -> str:
    styles, made = dict(plan.styles), list(more)
    if "title" in styles:
        made.append(f"title={text(str(styles['title']))}")
    if "color" in styles:
        made.append(f"color={text(str(styles['color']))}")
    if "log" in styles:
        made.append("logx=True" if plan.picture == "barh" else "logy=True")
    return ", ".join(made)


def _measured(plan: Plan, source: str) -> list[str]:
    styles = dict(plan.styles)
    source = f"({source})" if source.endswith(" * 100") else source
    kind = "barh" if plan.picture == "bar" and "horizontal" in styles else plan.picture
    two = len(plan.groups) == 2 and plan.look != "crosstab"
    several = two or len(plan.measures) > 1
    if len(plan.groups) > 2 or (two and len(plan.measures) > 1) or ("color" in styles and (several or kind == "pie")):
        raise Unwritable
    source += ".unstack()" if two else ""
    if kind == "pie":
        arguments = _arguments(plan, 'autopct="%.1f%%"', 'ylabel=""')
    else:
        across, along = text(_said(plan.groups[0])), text(_label(plan))
        across, along = (along, across) if kind == "barh" else (across, along)
        stacked = ["stacked=True"] if "stacked" in styles else []
        arguments = _arguments(plan, *stacked, f"xlabel={across}", f"ylabel={along}")
    return [f"{source}.plot.{kind}({arguments})"]


def _histogram(plan: Plan, rows: str) -> list[str]:
    if len(plan.columns) > 1:
        raise Unwritable
    bins = [f"bins={value}" for name, value in plan.styles if name == "bins"]
    arguments = _arguments(plan, *bins, f"xlabel={text(_said(plan.columns[0]))}")
    return [f"{column(rows, plan.columns[0])}.plot.hist({arguments})"]


def _box(plan: Plan, rows: str) -> list[str]:
    if not plan.groups:
        return [f"{rows}[{labels(plan.columns)}].plot.box({_arguments(plan)})"]
    ref, group = plan.columns[0], plan.groups[0]
    several = len(plan.groups) > 1 or len(plan.columns) > 1
    if several or group.part or group.column.doubled or set(dict(plan.styles)) - {"title"}:
        raise Unwritable
    title = dict(plan.styles).get("title", f"{_said(ref)} by {_said(group)}")
    drawn = f"{rows}.boxplot(column={ref.column.source}, by={group.column.source})"
    return [drawn, 'plt.suptitle("")', f"plt.title({text(str(title))})", f"plt.ylabel({text(_said(ref))})"]


def _scatter(plan: Plan, rows: str) -> list[str]:
    x, y = (ref.column.source for ref in plan.columns)
    hue = dict(plan.styles).get("hue")
    if not isinstance(hue, Ref):
        return [f"{rows}.plot.scatter({_arguments(plan, f'x={x}', f'y={y}')})"]
    if hue.column.kind == "number" and not hue.column.flag:
        shaded = _arguments(plan, f"x={x}", f"y={y}", f"c={hue.column.source}", 'colormap="viridis"')
        return [f"{rows}.plot.scatter({shaded})"]
    title = dict(plan.styles).get("title")
    return [
        f"for name, group in {rows}.groupby({key(rows, hue)}):",
        f"    plt.scatter(group[{x}], group[{y}], label=name)",
        *(f"plt.{axis}label({name})" for axis, name in (("x", x), ("y", y))),
        f"plt.legend(title={hue.column.source})",
        *([f"plt.title({text(str(title))})"] if title else []),
    ]


def _line(plan: Plan, rows: str) -> list[str]:
    x = plan.groups[0]
    if x.part:
        raise Unwritable
    y = plan.columns[0].column.source if len(plan.columns) == 1 else labels(plan.columns)
    label = [f"ylabel={y}"] if len(plan.columns) == 1 else []
    return [f"{rows}.sort_values({x.column.source}).plot({_arguments(plan, f'x={x.column.source}', f'y={y}', *label)})"]


_RAW: dict[str, Callable[[Plan, str], list[str]]] = {
    "hist": _histogram,
    "box": _box,
    "scatter": _scatter,
    "line": _line,
}
