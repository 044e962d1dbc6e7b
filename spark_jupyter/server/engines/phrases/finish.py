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
            self._sized_by,
            self._own_line,
        )
        return any(self.tried(partial(read, picture)) for read in reads)

    def _values_on_bars(self, picture: Picture) -> bool:
        if not self.word(*_ON_BARS):
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
        return lines is not None and bool(self.plan.keys or picture.colour)
