"""Pictures of lists and dictionaries. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.finished import around, look, of_numbers_along
from spark_jupyter.server.engines.phrases.model import Picture, Plan
from spark_jupyter.server.engines.phrases.reader import Reader
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import flat, kind, of_numbers, size
from spark_jupyter.server.engines.query.tables import Source
from spark_jupyter.server.engines.rewrite import quoted

_WORDS = {
    "bar": ("bar", "column"),
    "barh": ("horizontal",),
    "hist": ("hist", "distribution"),
    "pie": ("pie",),
    "scatter": ("scatter", "dots", "points"),
}


def _kind(said: Said) -> str:
    words = said.found["kind"].lower() if said.has("kind") else ""
    found = [name for name, told in _WORDS.items() if any(one in words for one in told)]
    return "barh" if "barh" in found else found[0] if found else "line"


_AROUND = frozenset(["title", "grid", "legend", "labels", "label", "markers", "bins", "color", "colour"])
"""What a variable may be called, and is meant otherwise behind a picture."""


def _numbers(said: Said, group: str) -> str:
    one = said.variable(group)
    if kind(one) != "numbers" and not (kind(one) == "array" and flat(one)):
        raise UnknownError
    return one.name


def _drawn(said: Said) -> str:
    """The lines of a picture with what is said about its colour, title and axes."""
    picture, file = details(said)
    how, own = _kind(said), said.variable("y")
    if picture.options.get("title") == "":
        picture.options["title"] = f"{own.name} over {said.word('x')}" if said.has("x") else own.name
    lines = ["fig, ax = plt.subplots()"]
    if kind(own) == "dict":
        if not of_numbers(own) or said.has("x") or how in ("hist", "scatter"):
            raise UnknownError
        x, y = f"list({own.name})", f"list({own.name}.values())"
    else:
        gaps = how == "line" and own.details.endswith("of float, NoneType")  # None is a gap in a line
        y = own.name if gaps else _numbers(said, "y")
        x = _other(said, y, how) if said.has("x") else f"range(len({y}))"
    lines += [_call(said, how, x, y, picture.options), *_named(said, how, y, picture)]
    if picture.trend:
        if how not in ("line", "scatter") or not said.has("x"):
            raise UnknownError
        lines += [
            f"slope, intercept = np.polyfit({x}, {y}, 1)",
            f'ax.plot({x}, slope * np.asarray({x}) + intercept, color="tab:red")',
        ]
    if kind(own) == "dict" and {"level", "upright"} & picture.options.keys():
        raise UnknownError
    lines += of_numbers_along(picture.options, how, x, y)
    lines += around(picture, file, legend=False)
    return "\n".join([*lines, "plt.show()"])


def _call(said: Said, how: str, x: str, y: str, options: dict[str, str]) -> str:
    """The line that draws."""
    if {"horizontal", "stacked", "subplots", "size", "legend"} & options.keys() or (
        "bins" in options and how != "hist"
    ):
        raise UnknownError
    more = "".join(f", {one}" for one in look(options, "bar" if how == "barh" else how))
    more += f", color={quoted(options['color'])}" if "color" in options else ""
    if how == "pie":
        if more or (kind(said.variable("y")) != "dict" and not said.has("x")):
            raise UnknownError
        return f'ax.pie({y}, labels={x}, autopct="%.1f%%")'
    if how == "hist":
        if said.has("x"):
            raise UnknownError
        bins = f", bins={options['bins']}" if "bins" in options else ""
        return f"ax.hist({y}{bins}{more})"
    return f"ax.{'plot' if how == 'line' else how}({x}, {y}{more})"


def details(said: Said) -> tuple[Picture, str]:
    """What is said about a picture behind its kind and its axes, and the file to save it in. Raises :class:`UnknownError` where a word
    of it is not understood, or asks for more than that."""
    if not said.has("more"):
        return Picture(), ""
    if any(said.plainly(mark).lower() not in _AROUND for mark in re.findall(r"⟨[tcv]\d+⟩", said.found["more"])):
        raise UnknownError
    text = re.sub(r"⟨\w+⟩", lambda one: said.quoted(one[0]), said.found["more"])
    reader = Reader(f"plot {text}", Source(name="", columns=()))
    if not reader.details() or reader.plan.picture is None:
        raise UnknownError
    picture, plan = reader.plan.picture, reader.plan
    if plan != Plan(picture=picture, save=plan.save):
        raise UnknownError
    return picture, plan.save


def _other(said: Said, y: str, how: str) -> str:
    """What the numbers are drawn over, or named by."""
    one, own = said.variable("x"), said.variable("y")
    if one.name == y or (size(one) and size(own) and size(one) != size(own)):
        raise UnknownError
    return one.name if kind(one) == "texts" and how not in ("scatter", "hist") else _numbers(said, "x")


def _named(said: Said, how: str, y: str, picture: Picture) -> list[str]:
    """The labels of the axes: those that are told, else the names of what is drawn."""
    own = {} if how in ("pie", "hist") or kind(said.variable("y")) == "dict" else {"y": y, "x": said.word("x")}
    own = {"y": own.get("x", ""), "x": own.get("y", "")} if how == "barh" else own
    if picture.labels and not own.get("x"):
        own |= {"x": y, "y": "number"} if how == "hist" else {"x": "number"}
    told = {side: picture.options.get(f"{side}label", own.get(side, "")) for side in "yx"}
    return [f"ax.set_{side}label({quoted(text)})" for side, text in told.items() if text]


def _several(said: Said) -> str:
    """Some rows of numbers as lines in one picture; two as points, the second over the first."""
    picture, file = details(said)
    picture.options.pop("legend", "")
    how, own = _kind(said), [said.namespace.get(name) for name in said.marked.names_of(said.found["ys"], "t")]
    rows = [one for one in own if one is not None and (kind(one) == "numbers" or (kind(one) == "array" and flat(one)))]
    if len(rows) < 2 or len(rows) != len(own) or len({size(one) for one in rows}) > 1 or picture.trend:
        raise UnknownError
    names = [one.name for one in rows]
    if how == "scatter":
        if len(names) != 2:
            raise UnknownError
        lines = [
            _call(said, how, names[0], names[1], picture.options),
            f"ax.set_xlabel({quoted(names[0])})",
            f"ax.set_ylabel({quoted(names[1])})",
        ]
    elif how == "line" and "color" not in picture.options:
        lines = [
            f"{_call(said, how, f'range(len({name}))', name, picture.options)[:-1]}, label={quoted(name)})"
            for name in names
        ]
        lines.append("ax.legend()")
    else:
        raise UnknownError
    if picture.options.get("title") == "":
        picture.options["title"] = " and ".join(names)
    if {"level", "upright", "values"} & picture.options.keys():
        raise UnknownError
    labels = [
        f"ax.set_{side}label({quoted(picture.options[f'{side}label'])})"
        for side in "xy"
        if f"{side}label" in picture.options
    ]
    lines += [*labels, *of_numbers_along(picture.options, how, "", ""), *around(picture, file, legend=False)]
    return "\n".join(["fig, ax = plt.subplots()", *lines, "plt.show()"])


def _boxes(said: Said) -> str:
    """Two lists of numbers as boxes side by side."""
    one, other = _numbers(said, "y"), _numbers(said, "x")
    if one == other:
        raise UnknownError
    return f"fig, ax = plt.subplots()\nax.boxplot([{one}, {other}])\nax.set_xticks([1, 2], [{quoted(one)}, {quoted(other)}])\nplt.show()"


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
        f"{_DRAW} {{t:y}} (as|in|with) {_KINDS} {{rest:more}}",
        f"{_DRAW} {{t:y}} (as|in) {_KINDS} (with|and|use|using) {{t:x}} {_BELOW} {{rest:more}}",
        f"{_DRAW} {{t:y}} (as|in) {_KINDS} (per|by|over|against|for|for each|vs|labelled with|labeled with) {{t:x}} {{rest:more}}",
        f"{_DRAW} {{t:y}} (over|against|vs|versus|by) {{t:x}} (as|in) {_KINDS} {{rest:more}}",
        f"{_DRAW} {_KINDS} of {{t:y}} {{rest:more}}",
        (f"{_DRAW} {_KINDS} of {{t:y}} (per|by|over|against|for|for each|vs|versus|labelled with|labeled with) {{t:x}} {{rest:more}}"),
        f"{_DRAW} {_KINDS} of {{t:y}} (with|and|use|using) {{t:x}} {_BELOW} {{rest:more}}",
        f"{_DRAW} {_KINDS} (with|of) {{t:x}} on x [axis|-axis] and {{t:y}} on y [axis|-axis] {{rest:more}}",
        "(scatter|scatter plot:KIND) {t:y} (against|vs|versus|over) {t:x} {rest:more}",
        f"{_DRAW} {_KINDS} [of] {{t:y}} (against|vs|versus|over) {{t:x}} {{rest:more}}",
        "(plot|draw|chart|graph) {t:y} (over|against|vs|versus|by|as function of) {t:x} {rest:more}",
        "(plot|draw|chart|graph) {t:x} on x [axis|-axis] and {t:y} on y [axis|-axis] {rest:more}",
        "(plot|draw|chart|graph) {t:y} {rest:more}",
    ), _drawn, "things"),
    Shape((
        "(plot|draw|chart|graph) {ts:ys} [in (one|same|single) (plot|chart|figure)|together] {rest:more}",
        f"{_DRAW} {_KINDS} (of|with|for) {{ts:ys}} [in (one|same|single) (plot|chart|figure)|together] {{rest:more}}",
        "(scatter|scatter plot:KIND) {ts:ys} {rest:more}",
    ), _several, "things"),
    Shape((
        (f"{_DRAW} (box plot|boxplot|boxplots|box plots) of {{t:y}} (and|vs|against|next to|beside) {{t:x}} [side by side|next to "
        f"each other|in one plot]"),
    ), _boxes, "things"),
)  # fmt: skip
"""What is drawn of a list."""
