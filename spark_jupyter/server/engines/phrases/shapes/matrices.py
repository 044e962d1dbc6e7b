"""Numbers in rows and columns, as an array or a list of lists, and two rows of numbers element by element; lists of lists. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.amounts import HOWS, variable
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import flat, kind, matrix, size

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Variable

_LISTS = {
    "sum": "sum({x})", "max": "max({x})", "min": "min({x})", "mean": "sum({x}) / len({x})", "size": "len({x})",
    "median": "statistics.median({x})", "std": "statistics.stdev({x})", "range": "max({x}) - min({x})",
}  # fmt: skip
_METHODS = frozenset(["sum", "max", "min", "mean", "std", "var"])
_SIGNS = {"subtract": "-", "take": "-", "deduct": "-", "minus": "-", "add": "+", "plus": "+", "multiply": "*", "times": "*", "divide": "/",
          "divided by": "/", "multiplied by": "*"}  # fmt: skip
_OPPOSITE = {"above": ">", "over": ">", "greater than": ">", "larger than": ">", "bigger than": ">", "more than": ">", "higher than": ">",
             ">": ">", ">=": ">=", "below": "<", "under": "<", "less than": "<", "smaller than": "<", "lower than": "<", "<": "<",
             "<=": "<=", "at least": ">=", "at most": "<="}  # fmt: skip


def nested(one: Variable) -> bool:
    """Whether it is a list of lists."""
    return kind(one) == "list" and one.details.partition(" of ")[2] in ("list", "tuple")


def _along(said: Said) -> str:
    """A summary of each row, or of each column."""
    how = HOWS.get(_single(said.found["how"].strip().lower()), "")
    ways = [said.found[one].strip().lower().rstrip("s") for one in ("way", "other") if said.has(one)]
    if len(ways) != len(set(ways)) or (said.has("y") and said.word("y") != said.word("x")):
        raise UnknownError
    *before, last = [_one_way(said.variable("x"), how, way) for way in ways]
    said.before += [f"print({one})" for one in before]
    return last


def _one_way(one: Variable, how: str, each: str) -> str:
    rows = each == "row"
    if matrix(one) and (how in _METHODS or how == "median"):
        axis = 1 if rows else 0
        if how == "median":
            return f"np.median({one.name}, axis={axis})"
        return f"{one.name}.{how}(axis={axis}{', ddof=1' if how in ('std', 'var') else ''})"
    if not nested(one) or how not in _LISTS:
        raise UnknownError
    return f"[{_LISTS[how].replace('{x}', each)} for {each} in {one.name if rows else f'zip(*{one.name})'}]"


def _single(word: str) -> str:
    return {"maxima": "max", "minima": "min", "averages": "mean", "avgs": "mean"}.get(
        word, word.rstrip("s") if len(word) > 3 else word
    )


def _turned(said: Said) -> str:
    one = said.variable("x")
    if matrix(one):
        return f"{one.name}.T"
    if not nested(one):
        raise UnknownError
    return f"[list(column) for column in zip(*{one.name})]"


def _diagonal(said: Said) -> str:
    one = said.variable("x")
    if matrix(one):
        return f"np.trace({one.name})" if said.has("sum") else f"np.diag({one.name})"
    if not nested(one):
        raise UnknownError
    taken = f"{one.name}[n][n] for n in range(len({one.name}))"
    return f"sum({taken})" if said.has("sum") else f"[{taken}]"


def _scaled(said: Said) -> str:
    """Each row or column divided by, or less, a summary of its own."""
    one, how = said.variable("x"), HOWS.get(_single(said.found["how"].strip().lower()), "")
    rows = said.found["way"].strip().lower().startswith("row")
    sign = _SIGNS[said.found["do"].strip().lower()]
    if matrix(one) and how in _METHODS:
        return f"{one.name} {sign} {one.name}.{how}(axis={1 if rows else 0}, keepdims=True)"
    if not nested(one) or not rows or how not in _LISTS:
        raise UnknownError
    return f"[[one {sign} ({_LISTS[how].replace('{x}', 'row')}) for one in row] for row in {one.name}]"


def _total(said: Said) -> str:
    one, how = said.variable("x"), HOWS.get(said.found["how"].strip().lower(), "")
    if not nested(one) or how not in ("sum", "max", "min", "mean", "size", "median"):
        raise UnknownError
    flat_ = f"[one for row in {one.name} for one in row]"
    if how in ("mean", "median"):
        return f"statistics.{how}({flat_})"
    return f"len({flat_})" if how == "size" else f"{how}({flat_[1:-1]})"


def _chosen(said: Said) -> str:
    one = said.variable("x")
    if not nested(one):
        raise UnknownError
    test = {"even": "one % 2 == 0", "odd": "one % 2 == 1", "positive": "one > 0", "negative": "one < 0"}
    if said.has("what"):
        asked = test[said.found["what"].strip().lower()]
    else:
        asked = f"one {_OPPOSITE[said.found['op'].strip().lower()]} {said.number('n')}"
    return f"[one for row in {one.name} for one in row if {asked}]"


def _line_of(said: Said) -> str:
    one = said.variable("x")
    place = {"first": "0", "second": "1", "third": "2", "fourth": "3", "last": "-1"}[
        said.found["place"].strip().lower()
    ]
    if not nested(one):
        raise UnknownError
    rows = said.found["way"].strip().lower().startswith("row")
    return f"{one.name}[{place}]" if rows else f"[row[{place}] for row in {one.name}]"


def _element_wise(said: Said) -> str:
    """Two rows of numbers, one by one."""
    x, y = variable(said, "x"), variable(said, "y")
    one, other = said.variable("x"), said.variable("y")
    lengths = {re.sub(r"\D", "", size(each) or each.details.rpartition("(")[2]) for each in (one, other)} - {""}
    if x == y or len(lengths) > 1:
        raise UnknownError
    sign = _SIGNS[said.found["do"].strip().lower()]
    if kind(one) == kind(other) == "numbers":
        made = f"[one {sign} other for one, other in zip({x}, {y})]"
    else:
        made = f"np.asarray({x}) {sign} {y}" if kind(one) == "numbers" else f"{x} {sign} {y}"
    return named(said, made)


def _how_many(said: Said) -> str:
    """How often a number stands in it."""
    one, word = said.variable("x"), said.found["what"].strip().lower() if said.has("what") else ""
    number = {"ones": "1", "zeros": "0", "zeroes": "0"}.get(word) or said.number("n")
    if kind(one) == "array":
        return f"int(({one.name} == {number}).sum())"
    if not nested(one) and kind(one) != "numbers":
        raise UnknownError
    return f"sum(row.count({number}) for row in {one.name})" if nested(one) else f"{one.name}.count({number})"


def _differ(said: Said) -> str:
    """The mean of the differences of two rows of numbers."""
    x, y = variable(said, "x"), variable(said, "y")
    if x == y:
        raise UnknownError
    return f"np.mean(np.asarray({y}) - np.asarray({x}))"


def named(said: Said, made: str) -> str:
    """The value, under the name that the prompt gives it."""
    if not said.has("name"):
        return made
    name = said.word("name")
    if not name.isidentifier() or name in said.namespace.names:
        raise UnknownError
    return f"{name} = {made}\n{name}"


def _replaced(said: Said) -> str:
    one, limit = said.variable("x"), said.number("n")
    sign = _OPPOSITE[said.found["op"].strip().lower()]
    to = (
        said.number("m")
        if said.has("m")
        else {"nan": "np.nan", "none": "None", "missing": "np.nan"}.get(said.word("to").lower(), limit)
    )
    if kind(one) == "numbers":
        to = "None" if to == "np.nan" else to
        return f"[{to} if one {sign} {limit} else one for one in {one.name}]"
    if kind(one) != "array":
        raise UnknownError
    return f"np.where({one.name} {sign} {limit}, {to}, {one.name})"


def _clipped(said: Said) -> str:
    one, low, high = said.variable("x"), said.number("n"), said.number("m")
    if kind(one) == "numbers":
        return f"[min(max(one, {low}), {high}) for one in {one.name}]"
    if kind(one) != "array":
        raise UnknownError
    return f"{one.name}.clip({low}, {high})"


def _curves(said: Said) -> str:
    """ "plot sin(t) and cos(t)": functions of one array."""
    found = re.findall(r"(sin|cos|tan|exp|sqrt|log|sine|cosine) (?:of )?(⟨t\d+⟩)", said.found["what"].lower())
    names = {said.marked.value(one) for _, one in found}
    one = said.namespace.get(next(iter(names), ""))
    rest = re.sub(r"(?:sin|cos|tan|exp|sqrt|log|sine|cosine) (?:of )?⟨t\d+⟩|\b(?:and|together|in "
        r"one|figure|same|plot|picture|with|legend|on|axes|axis)\b",
                  "", said.found["what"].lower())  # fmt: skip
    if len(names) != 1 or one is None or not (kind(one) == "array" and flat(one)) or rest.strip():
        raise UnknownError
    lines = ["fig, ax = plt.subplots()"]
    for how, _ in found:
        how = {"sine": "sin", "cosine": "cos"}.get(how, how)
        lines.append(f'ax.plot({one.name}, np.{how}({one.name}), label="{how}({one.name})")')
    return "\n".join([*lines, f'ax.set_xlabel("{one.name}")', "ax.legend()", "plt.show()"])


def _shown_as_image(said: Said) -> str:
    if not matrix(said.variable("x")):
        raise UnknownError
    grey = not said.has("kind") or said.found["kind"].strip().lower() not in ("color image", "heatmap", "heat map")
    colours = "gray" if grey else "viridis"
    shown = f'shown = ax.imshow({said.word("x")}, cmap="{colours}")'
    return "\n".join(["fig, ax = plt.subplots()", shown, "fig.colorbar(shown)", "plt.show()"])


def _corner(said: Said) -> str:
    if not matrix(said.variable("x")):
        raise UnknownError
    high, wide = said.number("n"), said.number("m")
    rows = f":{high}" if said.found["end"].strip().lower() in ("top", "upper") else f"-{high}:"
    columns = f":{wide}" if said.found["side"].strip().lower() == "left" else f"-{wide}:"
    return f"{said.word('x')}[{rows}, {columns}]"


def _cells(said: Said) -> str:
    if not matrix(said.variable("x")):
        raise UnknownError
    word = said.found["op"].strip().lower()
    op = _OPPOSITE.get(word, "<" if word.startswith(("dark", "cold")) else ">")
    return f"int(({said.word('x')} {op} {said.number('n')}).sum())"


_WAY = "(rows|row|columns|column:WAY)"
_HOW = (
    "(sum|sums|total|totals|mean|means|average|averages|avg|max|maximum|maxima|largest|highest|biggest|min|minimum|minima|smallest|lowest"
    "|median|medians|std|standard deviation|standard deviations|number|range|ranges:HOW)"
)
_EACH = "(per|each|every|all|by|along|over|across|for)"
_OP = (
    "(above|over|greater than|larger than|bigger than|more than|higher than|below|under|less than|smaller than|lower than|>|<|>=|<="
    "|at least|at most:OP)"
)
_NAME = "[and] [(to get|giving|which gives|call|name|save|store|called|named) [it|result|that|them] [as|in] {w:name}]"
_BITS = "[element by element|elementwise|element-wise|element wise|one by one|pairwise]"

SHAPES = (
    Shape((
        f"{_HOW} [of|for] {_EACH} {_WAY} (of|in) {{t:x}}",
        f"(row|rows|column|columns:WAY) {_HOW} (of|in|for) {{t:x}}",
        f"{_HOW} [of|for] {_EACH} (row|column:WAY) (of|in) {{t:x}} [and] [of|for] [per|each|every] (row|column:OTHER) [of] [{{t:y}}]",
        f"{_HOW} [of|for] {_EACH} (row|column:WAY) [and] [of|for] [per|each|every] (row|column:OTHER) (of|in) {{t:x}}",
        f"(row|column:WAY) - {_HOW} (of|in|for) {{t:x}}",
        f"{{t:x}} {_HOW} [of|for] {_EACH} {_WAY}",
        f"{_HOW} (of|in|for) {{t:x}} {_EACH} {_WAY}",
        "(sum|total:HOW) [up] [all] (rows|columns:WAY) (of|in) {t:x}",
    ), _along, "things"),
    Shape(("transpose [of] {t:x}", "{t:x} transposed", "swap rows and columns (of|in) {t:x}"), _turned, "things"),
    Shape(("[sum|total:SUM] [of] [main] diagonal (of|in) {t:x}", "trace of {t:x}"), _diagonal, "things"),
    Shape((
        (f"(divide:DO) [per|each|every|all] {_WAY} (of|in) {{t:x}} by [own] (sum|total|mean|max|maximum|average|std|standard "
         "deviation:HOW)"),
        ("(subtract:DO) (row|column:WAY) (mean|means|average|averages|minimum|min|max|maximum:HOW) from [per|each|every|(row|column) "
         "(of|in)] {t:x}"),
        "(subtract:DO) (mean|average|minimum|min|maximum|max:HOW) (of|per) [per|each|every] (row|column:WAY) from {t:x}",
    ), _scaled, "things"),
    Shape((
        ("(sum|total|max|maximum|largest|biggest|min|minimum|smallest|mean|average|number|median:HOW) (of|in) [all] "
         "[numbers|values|elements|entries|number|value|element] [of|in] {t:x}"),
    ), _total, "things"),
    Shape((
        "[all] (even|odd|positive|negative:WHAT) [numbers|values|elements|ones] (of|in|from) {t:x}",
        f"[all] [numbers|values|elements|ones] (of|in|from) {{t:x}} [that are|which are] {_OP} {{n:n}}",
    ), _chosen, "things"),
    Shape(("(first|second|third|fourth|last:PLACE) (row|column:WAY) (of|in|from) {t:x}",), _line_of, "things"),
    Shape((
        f"(subtract|take|deduct:DO) {{t:y}} [away] from {{t:x}} {_BITS} {_NAME}",
        f"(divide:DO) {{t:x}} by {{t:y}} {_BITS} {_NAME}",
        (f"(multiply:DO) {{t:x}} (by|with|and) {{t:y}} (element by element|elementwise|element-wise|element wise|one by one|pairwise) "
         f"{_NAME}"),
        f"(add:DO) {{t:x}} (and|to) {{t:y}} (element by element|elementwise|element-wise|element wise|one by one|pairwise) {_NAME}",
        f"{{t:x}} (minus|plus|times|divided by|multiplied by:DO) {{t:y}} {_BITS} {_NAME}",
    ), _element_wise, "things"),
    Shape((
        "(number of|count) [all] (ones|zeros|zeroes:WHAT) [are] [there] (in|of) {t:x}",
        "(number of|count) [values|elements|numbers] [that are] (equal to|=) {n:n} (in|of) {t:x}",
    ), _how_many, "things"),
    Shape(("(mean|average) difference (between|of) {t:x} (and|to) {t:y}",), _differ, "things"),
    Shape((
        (f"(replace|set|change|turn) [all] [values|numbers|everything|elements|entries|readings|those] [(of|in)] {{t:x}} [values] "
         f"[that are|which are] {_OP} {{n:n}} (with|by|to|into|as) ({{n:m}}|{{w:to}})"),
        (f"(replace|set|change) [all] [values|numbers|everything|elements] [that are|which are] {_OP} {{n:n}} (of|in) {{t:x}} "
         f"(with|by|to) ({{n:m}}|{{w:to}})"),
    ), _replaced, "things"),
    Shape(("(clip|limit|clamp|restrict) [values of] {t:x} (to|between|from) [range] {n:n} (to|and) {n:m}",), _clipped, "things"),
    Shape(("(plot|draw|graph) {rest:what}",), _curves, "things"),
    Shape((
        ("(show|plot|display|draw) {t:x} as [grayscale|greyscale|gray|grey|black and white] (image|picture|heatmap|heat map|color "
         "image:KIND)"),
        "imshow {t:x}", "(show|display) image {t:x}",
        "{t:x} as [grayscale|greyscale|gray|grey|black and white] (image|picture:KIND)",
    ), _shown_as_image, "things"),
    Shape((
        "(top|upper|bottom|lower:END) (left|right:SIDE) {n:n} x {n:m} [corner|block|part|elements|submatrix] (of|in|from) {t:x}",
        "(top|upper|bottom|lower:END) (left|right:SIDE) corner (of|in) {t:x} {n:n} x {n:m}",
    ), _corner, "things"),
    Shape((
        ("(number of|count|how many) (pixels|cells|values|entries|elements) (in|of) {t:x} [are|is|that are] (brighter than|darker "
         "than|hotter than|colder than|above|over|greater than|larger than|below|under|less than|smaller than|bigger than|higher "
         "than|lower than|>|<:OP) {n:n}"),
    ), _cells, "things"),
)  # fmt: skip
"""What is asked of rows and columns."""
