"""Pictures of a table that are one sentence: a column with its moving average, two columns with an axis each. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.amounts import HOWS
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted


def _along(said: Said) -> str:
    """What the picture runs along: the column that is named, else the only one of dates. Raises :class:`UnknownError` without one."""
    if said.has("x"):
        return said.column("x").name
    dates = [one.name for one in said.by_name.values() if one.kind == "date" and one.holds != "index"]
    if len(dates) != 1:
        raise UnknownError
    return dates[0]


def _smoothed(said: Said) -> str:
    y, x, number = said.numeric("y"), _along(said), said.number("n")
    if y.name == x or y.holds or not number.isdigit() or int(number) < 2:
        raise UnknownError
    drawn, of = said.free("drawn"), f"[{quoted(y.name)}]"
    return "\n".join(
        [
            f"{drawn} = {said.table}.sort_values({quoted(x)})",
            "fig, ax = plt.subplots()",
            f"ax.plot({drawn}[{quoted(x)}], {drawn}{of}, label={quoted(y.name)})",
            f'ax.plot({drawn}[{quoted(x)}], {drawn}{of}.rolling({number}).mean(), label="moving average of {number}")',
            f"ax.set_xlabel({quoted(x)})",
            f"ax.set_ylabel({quoted(y.name)})",
            "ax.legend()",
            "plt.show()",
        ]
    )


def _two_axes(said: Said) -> str:
    one, other, x = said.numeric("y"), said.numeric("z"), _along(said)
    if len({one.name, other.name, x}) < 3 or one.holds or other.holds:
        raise UnknownError
    drawn = said.free("drawn")
    return "\n".join(
        [
            f"{drawn} = {said.table}.sort_values({quoted(x)})",
            "fig, left = plt.subplots()",
            f'left.plot({drawn}[{quoted(x)}], {drawn}[{quoted(one.name)}], color="tab:blue")',
            f'left.set_ylabel({quoted(one.name)}, color="tab:blue")',
            f"left.set_xlabel({quoted(x)})",
            "right = left.twinx()",
            f'right.plot({drawn}[{quoted(x)}], {drawn}[{quoted(other.name)}], color="tab:red")',
            f'right.set_ylabel({quoted(other.name)}, color="tab:red")',
            "plt.show()",
        ]
    )


def _pivoted(said: Said) -> str:
    """A heat map of what each pair of two groups has."""
    of, one, other = said.numeric("y"), said.column("g"), said.column("h")
    how = HOWS.get(said.found["how"].strip().lower(), "") if said.has("how") else "mean"
    if len({of.name, one.name, other.name}) < 3 or of.holds or how not in ("mean", "median", "sum", "max", "min"):
        raise UnknownError
    name = said.free("means" if how == "mean" else "pairs")
    return "\n".join(
        [
            (
                f"{name} = {said.table}.pivot_table(index={quoted(one.name)}, columns={quoted(other.name)}, values={quoted(of.name)}, "
                f"aggfunc={quoted(how)})"
            ),
            "fig, ax = plt.subplots()",
            f'image = ax.imshow({name}, cmap="viridis")',
            f"ax.set_xticks(range({name}.shape[1]), {name}.columns, rotation=45)",
            f"ax.set_yticks(range({name}.shape[0]), {name}.index)",
            f"ax.set_xlabel({quoted(other.name)})",
            f"ax.set_ylabel({quoted(one.name)})",
            f'fig.colorbar(image, label="{how} of {of.name}")',
            "plt.show()",
        ]
    )


def _heated(said: Said) -> str:
    """The correlations of some columns as a heat map."""
    columns = said.columns("x")
    if len(columns) < 2 or any(one.kind != "number" or one.holds for one in columns):
        raise UnknownError
    name, listed = said.free("correlations"), ", ".join(quoted(one.name) for one in columns)
    return "\n".join(
        [
            f"{name} = {said.table}[[{listed}]].corr()",
            "fig, ax = plt.subplots()",
            f'image = ax.imshow({name}, cmap="coolwarm", vmin=-1, vmax=1)',
            f"ax.set_xticks(range(len({name})), {name}.columns, rotation=45)",
            f"ax.set_yticks(range(len({name})), {name}.columns)",
            "fig.colorbar(image)",
            "plt.show()",
        ]
    )


def _apart(said: Said) -> str:
    """A histogram of each group in a picture of its own."""
    of, group = said.numeric("y"), said.column("g")
    if of.holds or of == group or group.dtype.startswith("float"):
        raise UnknownError
    bins = said.number("n") if said.has("n") else "20"
    return (
        f"{said.table}.hist(column={quoted(of.name)}, by={quoted(group.name)}, bins={bins}, sharex=True, figsize=(9, 6))\n"
        f"plt.suptitle({quoted(of.name)})\nplt.show()"
    )


def _with_errors(said: Said) -> str:
    """The mean of each group, with how it varies, or how sure it is."""
    of, group = said.numeric("y"), said.column("g")
    if of.holds or of == group or group.kind == "date":
        raise UnknownError
    error = "sem" if said.has("error") else "std"
    kind = "line(" if group.dtype.startswith("float") else "bar("
    name = said.free("means")
    said.says.append(
        f"The bars show {'the standard error of the mean' if error == 'sem' else 'one standard deviation'}."
    )
    return "\n".join(
        [
            f'{name} = {said.table}.groupby({quoted(group.name)})[{quoted(of.name)}].agg(["mean", "{error}"])',
            f'ax = {name}["mean"].plot.{kind}yerr={name}["{error}"], capsize=4)',
            f"ax.set_ylabel({quoted(f'mean of {of.name}')})",
            "plt.show()",
        ]
    )


_HEAT = "(heatmap|heat map)"
_APART = "(in|on|with|as) [separate|own|different|one] (subplots|plots|panels|subplot|facets|small multiples)"
_PLOT = "[plot|draw|line plot of|line chart of|line plot|line chart|chart]"
_OVER = "[(over|against|by|vs) ({c:x}|time|dates|date)]"
_IN_ONE = "[(in|on) (one|same|single) (plot|figure|chart|graph|picture|axes)|together]"
_ROLL = "(moving average|rolling mean|rolling average|running mean|moving mean|running average)"
_AXES = (
    "(with two y axes|with two axes|with separate y axes|with second y axis|on two y axes|with own y axis each|with two "
    "y-axes|with twin axes|on twin axes|with secondary axis|with secondary y axis|on second y axis|on secondary axis|with "
    "different y axes|on separate y axes|with two different y axes)"
)

SHAPES = (
    Shape((
        (f"{_PLOT} {{c:y}} {_OVER} (and|with|together with|plus) [own] {{n:n}} [-] [{{t:t}}|{{c:d}}|{{w:w}}] {_ROLL} [line|on top] "
         f"{_IN_ONE}"),
        f"{_PLOT} {{c:y}} (and|with|together with|plus) [own] {{n:n}} [-] [{{t:t}}|{{c:d}}|{{w:w}}] {_ROLL} {_OVER} {_IN_ONE}",
        (f"{_PLOT.replace('[', '(').replace(']', ')')} {{n:n}} [-] [{{t:t}}|{{c:d}}|{{w:w}}] {_ROLL} of {{c:y}} {_OVER} [on top of "
         f"(it|daily values|raw values|values|{{c:z}}|raw data|original)]"),
        f"{_PLOT} {{c:y}} {_OVER} (and|with|plus) [own] {_ROLL} (of|over|with window of|with window) {{n:n}} [{{w:w}}] {_IN_ONE}",
    ), _smoothed),
    Shape((
        f"{_PLOT} {{c:y}} and {{c:z}} {_OVER} {_AXES}",
        f"{_PLOT} {{c:y}} and {{c:z}} {_AXES} {_OVER}",
    ), _two_axes),
    Shape((
        (f"{_HEAT} of [(mean|average|avg|median|total|sum|max|maximum|min|minimum:HOW)] [of] {{c:y}} (by|per|for|over) {{c:g}} "
         f"(and|by|x|vs|per) {{c:h}}"),
    ), _pivoted),
    Shape((
        f"(correlation matrix|correlations|correlation) (of|between|for) {{cs:x}} (as|in) {_HEAT}",
        f"{_HEAT} of [correlation|correlations|correlation matrix] [of|between] {{cs:x}}",
    ), _heated),
    Shape((
        f"(histogram|histograms|distribution) of {{c:y}} (per|by|for|for each) {{c:g}} {_APART} [with {{n:n}} bins]",
        f"(histogram|histograms) of {{c:y}} with {{n:n}} bins (per|by|for|for each) {{c:g}} {_APART}",
        "(one|separate) (histogram|histograms) of {c:y} (per|for each) {c:g}",
    ), _apart),
    Shape((
        ("[plot|draw|show|bar chart of|bar plot of|bars of|line plot of] [mean|average|avg] [of] {c:y} (per|by|for|of|for each|of "
         "each) {c:g} [as (bar chart|bars|bar plot|line)] with [standard deviation|std] [standard error|standard errors|sem:ERROR] "
         "[as] (error bars|errorbars) [(showing|of|for) [standard deviation|std|sd]]"),
    ), _with_errors),
)  # fmt: skip
"""What is asked to be drawn."""
