"""Amounts, be they a column of a table, an array or a list of numbers: several summaries at once, a line through points, what goes
together, what lies far from the mean. Tests of them are in ``comparing.py``. Pure.

A template is written once, with ``{x:…}`` for the amounts: ``of_both`` makes it one about columns and one about variables.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.holding import SIGN, sign
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import flat, kind
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

HOWS = {
    "mean": "mean", "average": "mean", "avg": "mean", "median": "median", "standard deviation": "std", "std": "std", "sd": "std",
    "stdev": "std", "std dev": "std", "variance": "var", "var": "var", "min": "min", "minimum": "min", "smallest": "min", "lowest": "min",
    "max": "max", "maximum": "max", "largest": "max", "biggest": "max", "highest": "max", "sum": "sum", "total": "sum", "range": "range",
    "standard error": "sem", "sem": "sem", "iqr": "iqr", "interquartile range": "iqr", "count": "size", "number": "size",
}  # fmt: skip
"""What is said of a summary, and its name."""
_MADE = {
    "mean": "np.mean({x})", "median": "np.median({x})", "std": "np.std({x}, ddof=1)", "var": "np.var({x}, ddof=1)", "min": "np.min({x})",
    "max": "np.max({x})", "sum": "np.sum({x})", "range": "np.max({x}) - np.min({x})", "sem": "stats.sem({x})", "iqr": "stats.iqr({x})",
    "size": "len({x})",
}  # fmt: skip
_SHOWN = frozenset(
    [
        "and",
        "with",
        "show",
        "print",
        "give",
        "report",
        "slope",
        "intercept",
        "r",
        "squared",
        "r2",
        "r²",
        "coefficients",
        "equation",
        "values",
        "r-squared",
        "calculate",
        "of",
        "fit",
        "line",
        "p",
        "value",
        "n",
        "get",
        "its",
        "what",
        "are",
        "p-value",
        "standard",
        "error",
        "number",
        "⟨n0⟩",
        "⟨n1⟩",
        "⟨n2⟩",
        "2",
    ]
)


def of_both(templates: tuple[str, ...], make: Callable[[Said], str | None]) -> tuple[Shape, Shape]:
    """The shape about columns and the one about variables."""
    return (
        Shape(tuple(one.replace("{x:", "{c:") for one in templates), make),
        Shape(tuple(one.replace("{x:", "{t:") for one in templates), make, "things"),
    )


def amounts(said: Said, group: str) -> str:
    """The numbers as source, those of a column without the missing ones. Raises :class:`UnknownError` where it are none."""
    if said.source is not None:
        return f"{said.of(said.numeric(group))}.dropna()"
    return variable(said, group)


def variable(said: Said, group: str) -> str:
    """The name of a variable of numbers in a row. Raises :class:`UnknownError` where it is none."""
    one = said.variable(group)
    if kind(one) != "numbers" and not (kind(one) == "array" and flat(one)):
        raise UnknownError
    return one.name


def reckoned(said: Said, group: str) -> str:
    """The same, with which can be reckoned as with an array."""
    if said.source is not None or kind(said.variable(group)) == "array":
        return amounts(said, group)
    return f"np.array({variable(said, group)})"


def pair(said: Said, first: str = "a", second: str = "b") -> tuple[str, str]:
    """Two of them, of the same rows. Raises :class:`UnknownError` where they are of different lengths or the same."""
    if said.word(first) == said.word(second):
        raise UnknownError
    if said.source is not None:
        one, other = said.numeric(first), said.numeric(second)
        known = said.free("known")
        if one.holds or other.holds:
            made = f"pd.DataFrame({{{quoted(one.name)}: {said.of(one)}, {quoted(other.name)}: {said.of(other)}}})"
        else:
            made = f"{said.table}[[{quoted(one.name)}, {quoted(other.name)}]]"
        said.before.append(f"{known} = {made}.dropna()")
        return f"{known}[{quoted(one.name)}]", f"{known}[{quoted(other.name)}]"
    both = [said.variable(group) for group in (first, second)]
    lengths = {_length(one.details) for one in both} - {""}
    if len(lengths) > 1:
        raise UnknownError
    return variable(said, first), variable(said, second)


def _length(details: str) -> str:
    found = re.search(r"\((\d+),?\)", details)
    return found[1] if found else ""


def _several(said: Said) -> str | None:
    """Several summaries at once, each under its name."""
    words = " ".join(one for one in said.found["hows"].lower().split() if one not in ("and", "&", "plus"))
    names: list[str] = []
    while words:
        found = next((one for one in sorted(HOWS, key=len, reverse=True) if (words + " ").startswith(f"{one} ")), None)
        if found is None:
            raise UnknownError
        names.append(HOWS[found])
        words = words[len(found) :].strip()
    if len(set(names)) < 2 or said.source is not None:
        raise UnknownError
    x = variable(said, "x")
    return "{" + ", ".join(f"{quoted(one)}: {_MADE[one].replace('{x}', x)}" for one in dict.fromkeys(names)) + "}"


def _far(said: Said) -> str:
    """Those that lie far from the mean."""
    values = said.free("values")
    said.before.append(f"{values} = {reckoned(said, 'x')}")
    return f"{values}[abs({values} - {values}.mean()) > {said.number('n')} * {values}.std(ddof=1)]"


def _scores(said: Said) -> str:
    values = said.free("values")
    said.before.append(f"{values} = {reckoned(said, 'x')}")
    return f"({values} - {values}.mean()) / {values}.std(ddof=1)"


def _tail(said: Said) -> None:
    """What is to be shown of a fit; all of it is. Raises :class:`UnknownError` where something else is said."""
    if said.has("tail") and not set(said.found["tail"].lower().split()) <= _SHOWN:
        raise UnknownError


def _line(said: Said) -> str:
    _tail(said)
    x, y = pair(said)
    fit = said.free("fit")
    said.before += [
        f"{fit} = stats.linregress({x}, {y})",
        f'print("slope:", {fit}.slope)',
        f'print("intercept:", {fit}.intercept)',
        f'print("r squared:", {fit}.rvalue ** 2)',
    ]
    return fit


def _from_line(said: Said) -> str | None:
    """What the line through the points gives: the x that belongs to a y, or the y at an x."""
    known = said.word("y")
    other = _other(said, known, said.word("z"))
    if other is None or (said.has("u") and not {said.word("u")} <= {known, other}):
        return None
    inverse = not said.has("forward") and not _is_cause(said, known, other)
    x, y = (other, known) if inverse else (known, other)
    if said.source is not None:
        table = said.free("known")
        said.before.append(f"{table} = {said.table}[[{quoted(x)}, {quoted(y)}]].dropna()")
        x, y = f"{table}[{quoted(x)}]", f"{table}[{quoted(y)}]"
    said.before.append(f"slope, intercept = np.polyfit({x}, {y}, 1)")
    number = said.number("n")
    return f"({number} - intercept) / slope" if inverse else f"slope * {number} + intercept"


_CAUSES = (
    "conc",
    "x",
    "time",
    "dose",
    "t",
    "amount",
    "standard",
    "year",
    "hour",
    "minute",
    "temp",
    "weight",
    "size",
    "area",
)


def _is_cause(said: Said, one: str, other: str) -> bool:
    """Whether the first of two is the x of a line: it is the one that begins like what people put there."""
    first, second = (any(name.lower().startswith(cause) for cause in _CAUSES) for name in (one, other))
    if first == second:
        raise UnknownError
    return first


def _other(said: Said, known: str, word: str) -> str | None:
    """The amounts that a word such as "concentration" speaks of beside those that are known."""
    if said.source is not None:
        names = [one.name for one in said.by_name.values() if one.kind == "number"]
    else:
        length = _length(said.variable("y").details)
        names = [
            one.name
            for one in said.namespace.variables
            if (kind(one) == "numbers" or (kind(one) == "array" and flat(one))) and _length(one.details) == length
        ]
    word = word.lower()
    found = [
        name
        for name in names
        if name != known and (name.lower() == word or (len(name) > 2 and word.startswith(name.lower().split("_")[0])))
    ]
    return found[0] if len(found) == 1 else None


def _drawn_line(said: Said) -> str:
    y, x = said.word("b"), said.word("a")
    first, second = pair(said)
    return "\n".join(
        [
            f"slope, intercept = np.polyfit({first}, {second}, 1)",
            "fig, ax = plt.subplots()",
            f"ax.scatter({first}, {second})",
            f"ends = np.array([min({first}), max({first})])",
            'ax.plot(ends, slope * ends + intercept, color="tab:red")',
            f"ax.set_xlabel({quoted(x)})",
            f"ax.set_ylabel({quoted(y)})",
            "plt.show()",
        ]
    )


def _sloped(said: Said) -> str:
    """The derivative of one along the other, or the area under it."""
    x, y = pair(said)
    return f"np.gradient({y}, {x})" if said.has("slope") else f"np.trapezoid({y}, {x})"


def _when(said: Said) -> str:
    """At what times, or places, something is above or below a limit."""
    x, length = variable(said, "x"), _length(said.variable("x").details)
    if said.has("z"):
        times = [variable(said, "z")]
    else:
        own = [one for one in said.namespace.variables if kind(one) == "array" and _length(one.details) == length]
        times = [one.name for one in own if one.name.lower() in ("t", "time", "times", "hours", "days", "x", "seconds")]
    if kind(said.variable("x")) != "array" or len(times) != 1 or times[0] == x:
        raise UnknownError
    return f"{times[0]}[{x} {sign(said.found['sign'])} {said.number('n')}]"


def _correlated(said: Said) -> str:
    x, y = pair(said)
    how = "spearmanr" if "spearman" in said.found[0].lower() else "pearsonr"
    said.before.append(f"result = stats.{how}({x}, {y})")
    said.before.append('print(f"r = {result.statistic:.3f}, p = {result.pvalue:.4g}")')
    return "result"


_SD = "(standard deviations|standard deviation|std|stds|sd|sds|sigma|sigmas|std devs)"
_FITTED = "(regression|straight|fitted|trend|calibration|linear|linear regression|best fit|best-fit|least squares)"
_OVER = "(over|against|vs|versus|vs.|by|on|as function of|as a function of|from|depending on)"
_P = "[(with|and|including) [its] (p value|p-value|p values|p-values)]"
_BY = "[(by|from|using|with|according to|on) [calibration|fitted|regression|straight|standard] (line|curve|fit|regression|calibration)]"
_VALUES = "[all] [values|numbers|elements|entries|points|ones|measurements|readings]"

SHAPES = (
    Shape(("{rest:hows} (of|for|in) {t:x}",), _several, "things"),
    Shape((
        f"[which] {{t:x}} {_VALUES} [that] [are|is|lie|lies] more than {{num:n}} {_SD} [away] (from|off) mean",
        (f"[which] {_VALUES} (of|in) {{t:x}} [that|which] [are|is|lie|lies] [more than|further than|farther than] {{num:n}} {_SD} "
        "[away] (from|off|above or below) mean"),
        f"(outliers|outlier) (of|in|from) {{t:x}} [with|by|defined as|that are] [more than|beyond] {{num:n}} {_SD} [away] [from mean]",
        f"(find|which) {{t:x}} (are|lie|is) [more than|beyond] {{num:n}} {_SD} [away] from mean",
    ), _far, "things"),
    Shape((
        "(z-scores|z scores|zscores|z-score|zscore|z - scores|z - score) (of|for) {t:x}",
        "(standardise|standardize) {t:x}",
    ), _scores, "things"),
    *of_both((
        f"(fit|put|draw) [straight|linear|regression|calibration] line (to|through|for|of) {{x:b}} {_OVER} {{x:a}} [{{rest:tail}}]",
        "(fit|put|draw) [straight|linear|regression|calibration] line (to|through|for|of) {x:a} and {x:b} [{rest:tail}]",
        "fit {x:b} = {w:m} [*|x|times] {x:a} + {w:n} [{rest:tail}]",
        f"(straight line|least squares fit|calibration line|straight line fit) (of|for|to|through) {{x:b}} {_OVER} {{x:a}} {{rest:tail}}",
        (f"[find] slope [and intercept] [and (r2|r squared|r-squared|r²|r 2)] [(of|for) {_FITTED} (line|fit)] (of|through|for) {{x:b}} "
         f"{_OVER} {{x:a}}"),
    ), _line),
    Shape((
        f"(fit|do|run) [simple] (linear|linear regression|regression) [model|fit] (to|for|of) {{t:b}} {_OVER} {{t:a}} {{rest:tail}}",
        f"[simple] (linear regression|regression|linear fit) (of|for) {{t:b}} {_OVER} {{t:a}} {{rest:tail}}",
        "regress {t:b} on {t:a} {rest:tail}",
    ), _line, "things"),
    *of_both((
        (f"(what|which) {{name:z}} (belongs to|corresponds to|belong to|gives|goes with|does|has|matches|leads to) {{x:y}} "
            f"(of|=|is) {{n:n}} "
        f"{_BY}"),
        f"(what|which) is {{name:z}} (at|for|of|when|where|with|if) {{x:y}} (of|=|is|value of) {{n:n}} {_BY}",
        (f"(what|which) {{name:z}} [do you|would you|do we|can I|would I|is] "
            f"(expect|expected|predict|predicted|estimated:FORWARD) (at|for|with|when) "
         f"{{x:y}} [is] [of|=] {{n:n}} {_BY}"),
        f"{{name:z}} (at|for|when|where|with|if) {{x:y}} (of|=|is|value of) {{n:n}} {_BY}",
    ), _from_line),
    *of_both((
        (f"(plot|draw|scatter|scatter plot|scatter plot of|plot of) {{x:b}} (over|against|vs|versus) {{x:a}} (with|and|together with) "
        f"[add] {_FITTED} [line|fit] [through (them|it|points)]"),
        f"(plot|draw|scatter plot|scatter plot of) {{x:a}} and {{x:b}} (with|and) [add] {_FITTED} (line|fit)",
    ), lambda said: _drawn_line(said) if said.source is None else None),
    Shape((
        "[first] (derivative|gradient:SLOPE) of {t:b} (with respect to|over|by|wrt|against) {t:a}",
        "(area under|area under curve of|integral of|integrate|area under curve) {t:b} (over|against|with respect to|by|wrt) {t:a}",
    ), _sloped, "things"),
    Shape((
        f"(when|at what times|at which times) (is|was|are) {{t:x}} {SIGN} {{n:n}}",
        f"(at which|at what|for which) {{t:z}} (is|was|are) {{t:x}} {SIGN} {{n:n}}",
    ), _when, "things"),
    Shape((
        (f"[pearson|pearson's|spearman|spearman's|rank] (correlation|correlation coefficient|r) (between|of) {{t:a}} (and|with|to) "
        f"{{t:b}} {_P}"),
        f"(are|is|do) {{t:a}} (and|with) {{t:b}} [linearly] (correlated|correlate|related) {_P}",
        f"(correlate|does {{t:c}} correlate) {{t:a}} (and|with) {{t:b}} {_P}",
        f"how [strongly|well|closely] (are|do|is) {{t:a}} (and|with) {{t:b}} (correlated|correlate|related) {_P}",
    ), _correlated, "things"),
)  # fmt: skip
"""What is asked of amounts."""
