"""Curves through numbers in a row, what lies between them, how well predictions agree with them. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.amounts import pair, variable
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import kind
from spark_jupyter.server.engines.rewrite import quoted

_DEGREES = {
    "quadratic": "2",
    "parabola": "2",
    "cubic": "3",
    "second": "2",
    "third": "3",
    "fourth": "4",
    "2nd": "2",
    "3rd": "3",
}


def _fitted(said: Said) -> str:
    """A polynomial through points, drawn with them where that is asked for."""
    y, x = variable(said, "y"), variable(said, "x")
    degree = (
        said.number("n")
        if said.has("n")
        else _DEGREES.get(said.found["kind"].strip().lower().split()[0], "1")
        if said.has("kind")
        else "1"
    )
    if x == y or not 1 <= int(degree) <= 9 or (degree == "1" and not said.has("plot")):
        raise UnknownError  # a line alone: amounts.py tells more of it
    fit = said.free("fit")
    said.before.append(f"{fit} = np.polyfit({x}, {y}, {degree})")
    if not said.has("plot"):
        said.says.append("The coefficients, that of the highest power first.")
        return fit
    said.before += [
        f'print("coefficients:", {fit})',
        f"points = np.linspace(min({x}), max({x}), 200)",
        "fig, ax = plt.subplots()",
        f"ax.scatter({x}, {y}, label={quoted(y)})",
        f'ax.plot(points, np.polyval({fit}, points), color="tab:red", label="fit")',
        f"ax.set_xlabel({quoted(x)})",
        f"ax.set_ylabel({quoted(y)})",
        "ax.legend()",
    ]
    return "plt.show()"


def _between(said: Said) -> str:
    y, x = variable(said, "y"), variable(said, "x")
    if x == y:
        raise UnknownError
    said.says.append(f"`{x}` has to rise from value to value.")
    return f"np.interp({said.number('n')}, {x}, {y})"


def _smoothed(said: Said) -> str:
    x, number = variable(said, "x"), said.number("n")
    smooth = said.free("smooth")
    said.before += [
        f'{smooth} = np.convolve({x}, np.ones({number}) / {number}, mode="same")',
        "fig, ax = plt.subplots()",
        f"ax.plot({x}, alpha=0.5, label={quoted(x)})",
        f'ax.plot({smooth}, label="moving average of {number}")',
        "ax.legend()",
    ]
    return "plt.show()"


def _decaying(said: Said) -> str:
    """An exponential through points, with what it comes to in the end."""
    x, y = pair(said, "x", "y")
    said.before += [
        "from scipy.optimize import curve_fit\n",
        "def exponential(x, start, rate, end):\n    return end + start * np.exp(-rate * x)\n",
        f"x, y = np.asarray({x}, dtype=float), np.asarray({y}, dtype=float)",
        "first = (y[0] - y[-1], 1 / np.mean(x), y[-1])",
        "found, covariance = curve_fit(exponential, x, y, p0=first)",
        'print(dict(zip(("start", "rate", "end"), found)))',
    ]
    said.says.append("The curve is end + start * exp(-rate * x).")
    if not said.has("plot"):
        return "found"
    said.before += [
        "points = np.linspace(x.min(), x.max(), 200)",
        "fig, ax = plt.subplots()",
        "ax.scatter(x, y)",
        'ax.plot(points, exponential(points, *found), color="tab:red")',
    ]
    return "plt.show()"


_METRICS = {
    "accuracy": "accuracy_score", "precision": "precision_score", "recall": "recall_score", "f1": "f1_score", "mse": "mean_squared_error",
    "mean squared error": "mean_squared_error", "mae": "mean_absolute_error", "mean absolute error": "mean_absolute_error",
    "r2": "r2_score", "r squared": "r2_score", "rmse": "root_mean_squared_error", "root mean squared error": "root_mean_squared_error",
    "confusion matrix": "confusion_matrix", "classification report": "classification_report",
}  # fmt: skip
_IS_GUESS = ("pred", "guess", "hat", "estimate", "forecast")


def _measured(said: Said) -> str:
    """How well predictions agree with what is true."""
    both = [said.word("x"), said.word("y")]
    if any(
        kind(said.variable(one)) not in ("numbers", "texts", "array") and said.variable(one).type != "Series"
        for one in "xy"
    ):
        raise UnknownError
    guessed = [one for one in both if any(part in one.lower() for part in _IS_GUESS)]
    if len(guessed) != 1:
        raise UnknownError
    true = next(one for one in both if one not in guessed)
    word = said.found["how"].strip().lower().removesuffix(" score")
    name = _METRICS[word.replace("r 2", "r2").replace("r²", "r2").replace("f 1", "f1")]
    said.before.append(f"from sklearn.metrics import {name}\n")
    call = f"{name}({true}, {guessed[0]})"
    return f"print({call})" if name == "classification_report" else call


_AGAINST = "(over|vs|versus|against|as function of|on|by)"
_CURVE = "(line|straight line|linear|linear regression|linear fit|regression line|quadratic|parabola|cubic:KIND)"
_POLY = "[polynomial|curve|function|fit|line|regression]"
_PLOT = (
    "and (plot|draw|show plot of|visualize|plot both|plot result:PLOT) [(it|fit|line|curve|both|result|them|that)] "
    "[(together|along) with [points|data|data points]]"
)
_METRIC = f"({'|'.join(_METRICS)}|r2 score|accuracy score|f1 score|precision score|recall score:HOW)"
_DECAYS = (
    f"(fit|put) exponential [decay|curve|function|fit|{{t:d}}] (to|through|for) {{t:y}} {_AGAINST} {{t:x}} [{_PLOT}]",
    f"exponential [decay|{{t:d}}] fit (of|to|for|through) {{t:y}} {_AGAINST} {{t:x}} [{_PLOT}]",
)

SHAPES = (
    Shape((
        f"(fit|put|draw) {_CURVE} {_POLY} (to|through|for|of) {{t:y}} {_AGAINST} {{t:x}} [{_PLOT}]",
        (f"(fit|put|draw) [polynomial] [(of|with)] [degree] {{n:n}} [degree|. degree|th degree|nd degree|rd degree|order] {_POLY} "
         f"(to|through|for|of) {{t:y}} {_AGAINST} {{t:x}} [{_PLOT}]"),
        f"fit polynomial of (degree|order) {{n:n}} (to|through|for) {{t:y}} {_AGAINST} {{t:x}} [{_PLOT}]",
        f"fit (second|third|fourth|2nd|3rd:KIND) (degree|order) polynomial (to|through|for) {{t:y}} {_AGAINST} {{t:x}} [{_PLOT}]",
        f"(polyfit|polynomial fit) [of|with] (degree|order) {{n:n}} (of|for|on|to) {{t:y}} {_AGAINST} {{t:x}} [{_PLOT}]",
        f"{_CURVE} fit (to|of|through|for) {{t:y}} {_AGAINST} {{t:x}} {_PLOT}",
    ), _fitted, "things"),
    Shape((
        "interpolate {t:y} (at|for|when) {t:x} [=|is|of] {n:n}",
        "(interpolated value of|value of) {t:y} (at|for|when) {t:x} [=|is] {n:n}",
    ), _between, "things"),
    Shape((
        (f"{_METRIC} [score] (of|for|between|with|from|on|using) {{t:x}} (and|vs|versus|compared to|compared "
         f"with|against|given|with|to|on|,) {{t:y}}"),
        f"{_METRIC} {{t:x}} (and|vs|versus|against) {{t:y}}",
        f"(compare|evaluate) {{t:x}} (and|with|to|vs|against) {{t:y}} (with|using|by) {_METRIC}",
    ), _measured, "things"),
    Shape((
        ("(smooth|smoothen|filter) {t:x} (with|using|by) (moving average|rolling mean|running mean|moving mean) [of|over|with window] "
         "{n:n} [points|values|samples|point|window] and (plot|draw|show) [both|it|them|result] [together]"),
        ("(plot|draw) {t:x} (and|with|together with) [its|own] {n:n} [-] [point|points|value|sample] (moving average|rolling "
         "mean|running mean)"),
        ("(plot|draw) {t:x} (and|with|together with) [its|own] (moving average|rolling mean|running mean) (of|over|with window) {n:n} "
         "[points|values]"),
    ), _smoothed, "things"),
    Shape(_DECAYS, _decaying, "things"),
    Shape(tuple(one.replace("{t:y}", "{c:y}").replace("{t:x}", "{c:x}") for one in _DECAYS), _decaying),
)  # fmt: skip
"""What is fitted, and measured."""
