"""Pictures of lists and dictionaries. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.pictures import COLOURS
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import flat, kind, of_numbers, size
from spark_jupyter.server.engines.rewrite import quoted

_WORDS = {
    "bar": ("bar", "column"),
    "barh": ("horizontal",),
    "hist": ("hist", "distribution"),
    "pie": ("pie",),
    "scatter": ("scatter",),
}


def _kind(said: Said) -> str:
    words = said.found["kind"].lower() if said.has("kind") else ""
    found = [name for name, told in _WORDS.items() if any(one in words for one in told)]
    return "barh" if "barh" in found else found[0] if found else "line"


def _numbers(said: Said, group: str) -> str:
    one = said.variable(group)
    if kind(one) != "numbers" and not (kind(one) == "array" and flat(one)):
        raise UnknownError
    return one.name


def _drawn(said: Said) -> str:
    """The lines of a picture with what is said about its colour, title and axes."""
    how, own = _kind(said), said.variable("y")
    colour = f", color={quoted(said.word('colour').lower())}" if said.has("colour") else ""
    lines = ["fig, ax = plt.subplots()"]
    if kind(own) == "dict":
        if not of_numbers(own) or said.has("x") or how in ("hist", "scatter"):
            raise UnknownError
        x, y = f"list({own.name})", f"list({own.name}.values())"
    else:
        gaps = how == "line" and own.details.endswith("of float, NoneType")  # None is a gap in a line
        y = own.name if gaps else _numbers(said, "y")
        x = _other(said, y, how) if said.has("x") else f"range(len({y}))"
    if how == "pie":
        if colour or (kind(own) != "dict" and not said.has("x")):
            raise UnknownError
        lines.append(f'ax.pie({y}, labels={x}, autopct="%.1f%%")')
    elif how == "hist":
        if said.has("x"):
            raise UnknownError
        bins = f", bins={said.number('bins')}" if said.has("bins") else ""
        lines.append(f"ax.hist({y}{bins}{colour})")
    else:
        call = "plot" if how == "line" else how
        lines.append(f"ax.{call}({x}, {y}{colour})")
    if said.has("bins") and how != "hist":
        raise UnknownError
    if said.has("markers") and how != "line":
        raise UnknownError
    if said.has("markers"):
        lines[-1] = f'{lines[-1][:-1]}, marker="o")'
    lines += _named(said, how, y)
    lines += _finished(said, how, y)
    return "\n".join([*lines, "plt.show()"])


def _other(said: Said, y: str, how: str) -> str:
    """What the numbers are drawn over, or named by."""
    one, own = said.variable("x"), said.variable("y")
    if one.name == y or (size(one) and size(own) and size(one) != size(own)):
        raise UnknownError
    return one.name if kind(one) == "texts" and how not in ("scatter", "hist") else _numbers(said, "x")


def _named(said: Said, how: str, y: str) -> list[str]:
    lines = [f"ax.set_title({quoted(said.word('title'))})"] if said.has("title") else []
    if how in ("pie", "hist") or kind(said.variable("y")) == "dict":
        return lines
    side, other = ("x", "y") if how == "barh" else ("y", "x")
    lines.append(f"ax.set_{side}label({quoted(y)})")
    return [*lines, f"ax.set_{other}label({quoted(said.word('x'))})"] if said.has("x") else lines


def _finished(said: Said, how: str, y: str) -> list[str]:
    """Labels that are told, a line at the mean, and where it is saved."""
    lines = []
    if said.has("at"):
        value = "np.median" if said.found["at"].strip().lower() == "median" else "np.mean"
        if how not in ("line", "hist", "bar", "scatter") or kind(said.variable("y")) == "dict":
            raise UnknownError
        lines.append(f'ax.{"axvline" if how == "hist" else "axhline"}({value}({y}), color="tab:red", linestyle="--")')
    lines += [f"ax.set_{side}({quoted(said.word(side))})" for side in ("xlabel", "ylabel") if said.has(side)]
    if said.has("titled"):
        lines.append(f"ax.set_title({quoted(said.word('titled'))})")
    if said.has("file"):
        lines.append(f"fig.savefig({quoted(said.word('file'))})")
    return lines


def _boxes(said: Said) -> str:
    """Two lists of numbers as boxes side by side."""
    one, other = _numbers(said, "y"), _numbers(said, "x")
    if one == other:
        raise UnknownError
    return f"fig, ax = plt.subplots()\nax.boxplot([{one}, {other}])\nax.set_xticks([1, 2], [{quoted(one)}, {quoted(other)}])\nplt.show()"


_COLOUR = "(" + "|".join((*COLOURS, "yellow", "navy", "cyan", "magenta")) + ":COLOUR)"
_IN = f"[[and] [in|with|colour|color|make it|make them|use] {_COLOUR} [colour|color|bars|line|points|dots|markers]]"
_TITLE = "[[and] [with|add|give it] (title|titled|called|heading) {q:title}]"
_MORE = (
    "[and] [with] [(markers|marker|dots at points|points marked:MARKERS)] [and] [with|add] [(line|vertical line|dashed line) "
    "(at|for) (mean|average|"
    "median:AT)] [and] [with] [(x label|x-label|xlabel|x axis label|x-axis label|x axis) {q:xlabel}] [and] [(y "
    "label|y-label|ylabel|y axis label"
    "|y-axis label|y axis) {q:ylabel}] [(title|titled|with title) {q:titled}] [and] [save [it] (as|to) {f:file}]"
)
_BINS = "[with {n:bins} (bins|bars|classes|buckets)]"
_BELOW = (
    "(below|underneath|under them|under bars|as labels|on x axis|on x-axis|as x labels|as names|along "
    "bottom|at bottom|below bars|as x axis|on bottom|under it)"
)
_DRAW = "[plot|draw|make|show|create|chart|do]"
_KINDS = (
    "(bar chart|bar plot|bar graph|bars|column chart|line chart|line plot|line|line graph|curve|"
    "horizontal bar chart|horizontal bars|pie chart"
    "|pie|histogram|hist|scatter plot|scatter|barplot|lineplot|distribution|dots|points:KIND)"
)

SHAPES = (
    Shape((
        f"{_DRAW} {{t:y}} (as|in|with) {_KINDS} {_BINS} {_IN} {_TITLE} {_MORE}",
        f"{_DRAW} {{t:y}} (as|in) {_KINDS} (with|and|use|using) {{t:x}} {_BELOW} {_IN} {_TITLE} {_MORE}",
        f"{_DRAW} {{t:y}} (as|in) {_KINDS} (per|by|over|against|for|for each|vs|labelled with|labeled with) {{t:x}} {_IN} {_TITLE} {_MORE}",
        f"{_DRAW} {{t:y}} (over|against|vs|versus|by) {{t:x}} (as|in) {_KINDS} {_IN} {_TITLE} {_MORE}",
        f"{_DRAW} {_KINDS} of {{t:y}} {_BINS} {_IN} {_TITLE} {_MORE}",
        f"{_DRAW} {_KINDS} of {{t:y}} {_IN} {_BINS} {_TITLE} {_MORE}",
        (f"{_DRAW} {_KINDS} of {{t:y}} (per|by|over|against|for|for each|vs|versus|labelled with|labeled with) {{t:x}} {_IN} "
        f"{_TITLE} {_MORE}"),
        f"{_DRAW} {_KINDS} of {{t:y}} (with|and|use|using) {{t:x}} {_BELOW} {_IN} {_TITLE} {_MORE}",
        f"{_DRAW} {_KINDS} (with|of) {{t:x}} on x [axis|-axis] and {{t:y}} on y [axis|-axis] {_IN} {_TITLE} {_MORE}",
        f"(plot|draw|chart) {{t:y}} (over|against|vs|versus|by) {{t:x}} {_IN} {_TITLE} {_MORE}",
        f"(plot|draw|chart) {{t:y}} {_IN} {_TITLE} {_MORE}",
    ), _drawn, "things"),
    Shape((
        (f"{_DRAW} (box plot|boxplot|boxplots|box plots) of {{t:y}} (and|vs|against|next to|beside) {{t:x}} [side by side|next to "
        f"each other|in one plot]"),
    ), _boxes, "things"),
)  # fmt: skip
"""What is drawn of a list."""
