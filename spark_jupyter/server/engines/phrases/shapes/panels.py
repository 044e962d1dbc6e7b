"""Several pictures in one figure: one for each column, every pair of columns, two that are said one after the other. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.cursor import NUMBERED
from spark_jupyter.server.engines.phrases.draw import Drawer
from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.reader import Reader
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column


def _numeric(said: Said) -> list[Column]:
    """The columns that are named, else all of numbers. Raises :class:`UnknownError` where one has none."""
    if said.has("t") and said.word("t") != said.table:
        raise UnknownError
    left_out = said.columns("not") if said.has("not") else []
    if said.has("x"):
        found = said.columns("x")
        if any(one.kind != "number" or one.holds for one in found):
            raise UnknownError
    else:
        found = [one for one in said.by_name.values() if one.kind == "number" and not one.holds]
        found = [one for one in found if not NUMBERED.search(one.name) and one not in left_out]
    if len(found) < 2:
        raise UnknownError
    return found


def _of(said: Said) -> str:
    return f"{said.table}[[{', '.join(quoted(one.name) for one in _numeric(said))}]]"


def _histograms(said: Said) -> str:
    bins = f"bins={said.number('n')}, " if said.has("n") else "bins=20, "
    return f"{_of(said)}.hist({bins}figsize=(10, 8))\nplt.tight_layout()\nplt.show()"


def _boxes(said: Said) -> str:
    """A box for each column, each with a scale of its own."""
    count = len(_numeric(said))
    wide = min(count, 4)
    grid = f"({-(-count // wide)}, {wide})"
    return f"{_of(said)}.plot.box(subplots=True, layout={grid}, figsize=(10, {3 * -(-count // wide)}))\nplt.tight_layout()\nplt.show()"


def _lines(said: Said) -> str:
    x = said.column("d") if said.has("d") else said.dates()
    if x.holds:
        raise UnknownError
    listed = f"[{', '.join(quoted(one.name) for one in _numeric(said))}]"
    ordered = f"{said.table}.sort_values({quoted(x.name)})"
    return (
        f"{ordered}.plot(x={quoted(x.name)}, y={listed}, subplots=True, figsize=(9, 8))\nplt.tight_layout()\nplt.show()"
    )


def _pairs(said: Said) -> str:
    if said.has("g"):
        group = said.column("g")
        if group.dtype.startswith("float") or group.kind == "date":
            raise UnknownError
        said.before.append("import seaborn as sns\n")
        names = [one.name for one in _numeric(said) if one != group]
        return f"sns.pairplot({said.table}, vars=[{', '.join(map(quoted, names))}], hue={quoted(group.name)}, height=2)\nplt.show()"
    return f"pd.plotting.scatter_matrix({_of(said)}, figsize=(9, 9))\nplt.show()"


def _beside(said: Said) -> str:
    """Two pictures that are said one after the other, side by side or below each other."""
    assert said.source is not None
    below = any(one in said.found[0] for one in ("below", "under", "on top"))
    shape = "2, 1, figsize=(7, 9)" if below else "1, 2, figsize=(12, 5)"
    lines = [f"fig, axes = plt.subplots({shape})"]
    for place, group in enumerate(("one", "two")):
        lines += _drawn_into(said, said.found[group], f"axes[{place}]")
    return "\n".join([*lines, "plt.tight_layout()", "plt.show()"])


def _drawn_into(said: Said, words: str, axes: str) -> list[str]:
    """The lines of one picture, drawn into axes that are there. Raises :class:`UnknownError` where they can't be."""
    assert said.source is not None
    reader = Reader(re.sub(r"⟨\w+⟩", lambda one: said.quoted(one[0]), words), said.source)
    left, plan = reader.read(), reader.plan
    if (
        left
        or plan.picture is None
        or not any(reader.kinds)
        or plan.save
        or plan.derived
        or plan.steps
        or plan.settings
    ):
        raise UnknownError
    body = Drawer(plan, said.source, reader.dates, said.namespace.names).source()
    kept = [line for line in body.split("\n") if line and not line.startswith("import ") and line != "plt.show()"]
    made = []
    for line in kept:
        if re.search(r"plt\.(?!subplots\(\)$)|subplots=True|fig\.", line):
            raise UnknownError  # it is said of the figure, and not of one of the pictures
        if line == "fig, ax = plt.subplots()":
            made.append(f"ax = {axes}")
        else:
            made.append(
                re.sub(
                    r"^(ax = .*\.plot(?:\.\w+)?\()(\)?)",
                    lambda at: f"{at[1]}ax={axes}{'' if at[2] else ', '}{at[2]}",
                    line,
                )
            )
    return made


_HIST = "(histogram|histograms|distribution|distributions|hist)"
_BOX = "(boxplot|boxplots|box plots|box plot)"
_ALL = "[all|every|each|per|both|these] [numeric|numerical|number] (columns|variables|features|column|variable|feature|numbers)"
_OF_T = "[(of|in|from) {t:t}]"
_BUT = "[(except|but|but not|except for|without|apart from|excluding) {cs:not}]"
_ONE = (
    "[in|on|as] [one|same|single|own|separate|different|its own|grid of|subplots] "
    "[figure|plot|picture|go|subplots|grid|subplot|panels|plots]"
)
_BINS = "[with {n:n} bins]"
_PAIR = "(pairplot|pair plot|scatter matrix|scatterplot matrix|scatter plot matrix|pairs plot|pairwise scatter plots|pairwise scatterplots)"
_HUE = "(coloured by|colored by|color by|colour by|hue|hue =|with hue|with colour by|with color by|by|split by)"
_SIDE = "(side by side|next to each other|beside each other|below each other|under each other|on top of each other)"
_TWO = "(two|2|both) (plots|subplots|charts|pictures|panels|graphs)"

SHAPES = (
    Shape((
        f"[plot|draw|show|make|create] {_HIST} (of|for) {_ALL} {_OF_T} {_BUT} {_BINS} {_ONE}",
        (f"[plot|draw|show|make|create] (histogram|histograms|distributions) (of|for) {{cs:x}} {_BINS} (in|as|on) (subplots|separate "
         "plots|separate subplots|different subplots|separate panels|one figure|grid|own subplots|separate histograms)"),
        f"(plot|draw|show) [me] [all] distributions {_OF_T} {_ONE}",
    ), _histograms),
    Shape((
        f"[plot|draw|show|make|create] {_BOX} (of|for) {_ALL} {_OF_T} {_BUT} {_ONE}",
        (f"[plot|draw|show|make|create] {_BOX} (of|for) {{cs:x}} (in|as|on) (subplots|separate plots|separate subplots|different "
         "subplots|separate panels)"),
    ), _boxes),
    Shape((
        (f"(plot|draw|line plot of|line plots of) {_ALL} {_OF_T} {_BUT} (over|against|by) ({{c:d}}|time|date) (in|as|on) "
         "(subplots|separate plots|separate subplots|separate panels|own subplots)"),
    ), _lines),
    Shape((
        f"[plot|draw|show|make|create] {_PAIR} [(of|for) ({_ALL}|{{cs:x}})] {_OF_T} [{_HUE} {{c:g}}]",
        f"[plot|draw|show|make|create] {_PAIR} (of|for) {{t:t}} [{_HUE} {{c:g}}]",
        (f"[plot|draw] (all|every|per) (pair|pairs) of [numeric] (columns|variables|features) {_OF_T} (against each other|as scatter "
         f"plots|as scatter plot) [{{_HUE}} {{c:g}}]"),
    ), _pairs),
    Shape((
        f"[plot|draw|show|make|create] [{_TWO}] {_SIDE} {{rest:one}} and {{rest:two}}",
        f"[plot|draw|show|make|create] {{rest:one}} and {{rest:two}} {_SIDE}",
        f"[plot|draw|show|make|create] {{rest:one}} and {{rest:two}} (in|as|with|on) (two|2) (subplots|panels|plots|axes) [{_SIDE}]",
        f"[plot|draw|show|make|create] [figure with] {_TWO} [{_SIDE}] [with|of|showing|one with] {{rest:one}} and {{rest:two}}",
    ), _beside),
)  # fmt: skip
"""What is drawn in several panels."""
