"""What a picture looks like beside its kind and its axes: labels and limits of axes, values on bars, lines at a value, a moving average,
the highest point marked, as it is read; ``finished.py`` writes it. Pure.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.preds import Predicates

if TYPE_CHECKING:
    from spark_jupyter.server.engines.phrases.model import Picture

_ON_BARS = vocabulary.listed("picture_values_on_bars")
_TURNED = vocabulary.listed("picture_labels_turned")
_AXIS = {
    f"{said}": side
    for side in "xy"
    for said in (
        f"{side} axis label", f"{side}-axis label", f"{side} label", f"{side}label", f"{side} axis labelled", f"{side} axis labeled",
        f"{side} axis called", f"{side} axis named", f"label the {side} axis", f"label {side} axis", f"label the {side}-axis",
        f"name the {side} axis", f"call the {side} axis", f"{side} axis title", f"{side}-axis labelled", f"{side} axis",
        f"{side}-axis", f"label on the {side} axis", f"label for the {side} axis",
    )
}  # fmt: skip
_LIMITS = {
    said: side
    for side in "xy"
    for said in (
        f"{side} axis from", f"{side} axis between", f"{side}-axis from", f"{side} limits", f"{side} limit", f"{side}lim", f"{side} from",
        f"{side} axis starting at", f"{side} axis limits", f"{side} axis range", f"limit the {side} axis to", f"{side} axis limited to",
        f"{side} axis start at", f"{side} axis starts at", f"start the {side} axis at", f"let the {side} axis start at",
        f"{side}-axis between", f"{side} axis", f"{side}-axis", f"limit the {side}-axis to", f"limit {side} axis to", f"limit {side} to",
        f"limit the {side} axis", f"limit {side} axis", f"{side} range", f"{side}-limits", f"{side}-axis limits", f"{side}-range",
        f"{side}-axis range", f"range of the {side} axis", f"{side}-axis starting at", f"start the {side}-axis at", f"{side} between",
        f"zoom in on {side}", f"{side} axis going from", f"{side} axis only from", f"limits of the {side} axis", f"limits of {side}",
    )
}  # fmt: skip
_MARKED = {
    said: end
    for end, words in (("max", ("highest", "largest", "maximum", "peak", "max", "best")), ("min", ("lowest", "smallest", "minimum", "min")))
    for word in words
    for said in (
        f"mark the {word} point", f"mark the {word}", f"annotate the {word} point", f"annotate the {word}", f"highlight the {word} point",
        f"mark the {word} value", f"annotate the {word} value", f"label the {word} point", f"mark {word}", f"annotate {word}",
        f"highlight the {word}", f"the {word} point marked", f"{word} marked", f"annotation at the {word}", f"the {word} value marked",
    )
}  # fmt: skip
_AT = vocabulary.listed("picture_line_at")
_SIZES = vocabulary.listed("picture_sizes")
_ROLLED = vocabulary.listed("picture_rolled")
_ROLLED_NOISE = vocabulary.some("picture_rolled_noise")
_SHADES = ("red", "blue", "green", "orange", "black", "grey", "gray")
_STEPS = vocabulary.listed("picture_steps")
_EDGES = vocabulary.listed("picture_edges")
_STYLES = vocabulary.mapping("styles")
_STYLES_LED = vocabulary.some("picture_styles_led")
_SIGNS = vocabulary.mapping("signs")
_FIGURES = vocabulary.mapping("figures")
COLOURS = vocabulary.mapping("colours")
"""Colours as matplotlib has them."""


class Finish(Predicates):
    """Reads how a picture is finished."""

    def finish(self) -> bool:
        """A detail of a picture that is there."""
        picture = self.plan.picture
        if picture is None:
            return False
        self.skip(("a", "an", "the", "as", "its", "their", "put", "show", "write", "set"))
        reads = (
            self._values_on_bars,
            self._labels_turned,
            self._axis_limited,
            self._axis_labelled,
            self._point_marked,
            self._average_rolled,
            self._line_at,
            self._line_styled,
            self._edged,
            self._signed_points,
            self._figure_sized,
            self._seen_through,
            self._sized_by,
            self._own_line,
        )
        return any(self.tried(partial(read, picture)) for read in reads)

    def _values_on_bars(self, picture: Picture) -> bool:
        if not self.word(*_ON_BARS) and not (
            picture.kind == "heatmap"
            and self.word("numbers", "the numbers", "values", "the values", "coefficients", "labels")
        ):
            return False
        picture.options["values"] = "True"
        return True

    def _labels_turned(self, picture: Picture) -> bool:
        if not self.word(*_TURNED):
            return False
        self.skip(("by", "at", "to", "about"))
        number = self.kind("n")
        self.skip(("degrees", "degree", "°"))
        picture.options["turned"] = number.value if number else "45"
        return True

    def _axis_labelled(self, picture: Picture) -> bool:
        side = self.of(_AXIS)
        if side is None:
            return False
        self.skip(("=", ":", "is", "as", "with", "should", "be", "say", "to", "labelled", "called"))
        said = self.kind("q")
        if said is None:
            return False
        picture.options[f"{side}label"] = said.value
        return True

    def _axis_limited(self, picture: Picture) -> bool:
        side = self.of(_LIMITS)
        if side is None:
            return False
        starts = "start" in self.peek(-1).text or "start" in self.peek(-2).text or self.peek(-1).text == "at"
        self.skip(("from", ":", "=", "of", "between"))
        low = self.kind("n")
        self.skip(("to", "and", "-", ","))
        high = self.kind("n") if not starts else None
        if low is None or (high is None and not starts):
            return False
        picture.options[f"{side}lim"] = f"{low.value}, {high.value}" if high else low.value
        return True

    def _point_marked(self, picture: Picture) -> bool:
        end = self.of(_MARKED)
        if end is None:
            return False
        self.kind("c")
        self.skip(("with", "an", "a", "arrow", "annotation", "text", "in", "the", "plot", "chart", "dot", "red"))
        picture.options["mark"] = str(end)
        return True

    def _average_rolled(self, picture: Picture) -> bool:
        number = self.kind("n")
        if number is not None:
            self.skip(("-",))
            step = self.kind("tcw") if self.peek().text.rstrip("s") in {one.rstrip("s") for one in _STEPS} else None
            if step is None and self.peek().kind == "t":
                self.at += 1
        if not self.word(*_ROLLED):
            return False
        if number is None:
            self.skip(("of", "over", "with", "window", "a"))
            number = self.kind("n")
            if number is None:
                return False
            self.skip((*_STEPS, *ARTICLES))
        self.skip(_ROLLED_NOISE)
        picture.options["rolled"] = number.value
        return True

    def _line_at(self, picture: Picture) -> bool:
        said = self.word(*_AT)
        if said is None:
            return False
        self.skip(ARTICLES)
        number = self.kind("n")
        how = None if number else self.word("mean", "average", "median")
        if number is None and how is None:
            return False
        self.skip(("value", "with", "a", "by", "as", "using"))
        if (self.peek().value or self.peek().text).lower() in (
            *_SHADES,
            "dashed",
            "vertical",
            "horizontal",
        ) and self.peek(1).text in ("line", "dashed"):
            self.at += 1  # "with a red line": no value of a table
        self.skip(("dashed", "vertical", "line"))
        value = number.value if number else "mean" if how == "average" else str(how)
        picture.options["upright" if "vertical" in said else "level"] = value
        return True

    def _sized_by(self, picture: Picture) -> bool:
        if not self.word(*_SIZES):
            # "point size by revenue" where the table has a column ``size``
            self.skip(("point", "marker", "dot", "bubble"))
            if not (self.peek().text in ("size", "sizes") and self.peek(1).text in ("by", "from")):
                return False
            self.at += 2
        self.skip(ARTICLES)
        name = self.column("number")
        if name is None:
            return False
        picture.options["size"] = name
        return True

    def _own_line(self, picture: Picture) -> bool:
        """ "for each drink as its own line": that is what a colour for each makes."""
        lines = self.word(
            "own line",
            "separate line",
            "one line",
            "separate lines",
            "own curve",
            "single line",
            "different line",
            "lines",
        )
        if lines is None or not (self.plan.keys or picture.colour):
            return False
        picture.kind = picture.kind or "line"
        return True

    def _line_styled(self, picture: Picture) -> bool:
        """ "as a dashed line"."""
        style = self.of(_STYLES)
        if style is None:
            return False
        self.skip(_STYLES_LED)
        picture.options["style"] = str(style)
        return True

    def _edged(self, picture: Picture) -> bool:
        """ "black edges", "edge color white"."""
        colour = self.of(COLOURS)
        if not self.word(*_EDGES):
            return False
        self.skip(("=", ":", "in", "is"))
        colour = colour or self.of(COLOURS)
        picture.options["edges"] = str(colour or "black")
        return True

    def _signed_points(self, picture: Picture) -> bool:
        """ "with red crosses"."""
        colour = self.of(COLOURS)
        self.skip(("as",))
        sign = self.of(_SIGNS)
        if sign is None:
            return False
        picture.options["marker"] = str(sign)
        if colour is not None:
            picture.options["color"] = str(colour)
        self.skip(("as", "markers", "points"))
        return True

    def _figure_sized(self, picture: Picture) -> bool:
        """ "figure size 12 by 4", "make it bigger"."""
        size = self.of(_FIGURES)
        if size is not None:
            picture.options["figure"] = str(size)
            return True
        if not self.word("figure size", "fig size", "figsize", "plot size", "chart size", "size"):
            return False
        self.skip(("=", ":", "of", "(", "is", "to"))
        wide = self.kind("n")
        self.skip(("x", "by", ",", "*", "×", "and"))
        high = self.kind("n")
        self.skip((")", "inches", "inch"))
        if wide is None or high is None or not all(1 <= float(one.value) <= 60 for one in (wide, high)):
            return False
        picture.options["figure"] = f"{wide.value}, {high.value}"
        return True

    def _seen_through(self, picture: Picture) -> bool:
        """ "transparent points", "alpha 0.5"."""
        share = "0.5"
        if self.word("alpha", "opacity", "transparency"):
            self.skip(("=", ":", "of"))
            number = self.kind("n")
            if number is None or not 0 < float(number.value) <= 1:
                return False
            share = number.value
        elif not self.word("transparent", "semi-transparent", "semitransparent", "see-through", "half transparent"):
            return False
        self.skip(("points", "dots", "markers", "bars"))
        picture.options["alpha"] = share
        return True
