"""Pictures of a table that are one sentence: a column with its moving average, two columns with an axis each. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.emit import UnknownError
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
        f"{_PLOT} {{c:y}} {_OVER} (and|with|together with|plus) [own] {{n:n}} [-] [{{t:t}}|{{w:w}}] {_ROLL} [line|on top] {_IN_ONE}",
        f"{_PLOT} {{c:y}} (and|with|together with|plus) [own] {{n:n}} [-] [{{t:t}}|{{w:w}}] {_ROLL} {_OVER} {_IN_ONE}",
        (f"{_PLOT.replace('[', '(').replace(']', ')')} {{n:n}} [-] [{{t:t}}|{{w:w}}] {_ROLL} of {{c:y}} {_OVER} [on top of "
        f"(it|daily values|raw values|values|{{c:z}}|raw data|original)]"),
        f"{_PLOT} {{c:y}} {_OVER} (and|with|plus) [own] {_ROLL} (of|over|with window of|with window) {{n:n}} [{{w:w}}] {_IN_ONE}",
    ), _smoothed),
    Shape((
        f"{_PLOT} {{c:y}} and {{c:z}} {_OVER} {_AXES}",
        f"{_PLOT} {{c:y}} and {{c:z}} {_AXES} {_OVER}",
    ), _two_axes),
)  # fmt: skip
"""What is asked to be drawn."""
