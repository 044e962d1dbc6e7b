"""Plots in a sentence: the kind, the axes and what they look like. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.finish import Finish
from spark_jupyter.server.engines.phrases.model import Picture

if TYPE_CHECKING:
    from spark_jupyter.server.engines.query.tables import Source

_KINDS = vocabulary.mapping("pictures_kinds")
COLOURS = ("red", "blue", "green", "orange", "purple", "black", "grey", "gray", "pink", "brown", "teal")


class Pictures(Finish):
    """Reads what is to be drawn."""

    def __init__(self, prompt: str, source: Source) -> None:
        super().__init__(prompt, source)
        self.kinds: list[str] = []
        """The kinds of plot that are said, one after the other."""

    def picture(self) -> bool:
        """A plot, or a detail of one."""
        return bool(self.tried(self._kind) or self.tried(self._detail))

    def _drawn(self) -> Picture:
        if self.plan.picture is None:
            self.plan.picture = Picture()
        return self.plan.picture

    def _kind(self) -> bool:
        options = {}
        while (said := self.word("horizontal", "stacked", "grouped")) is not None:
            options[said] = "True"
        kind = self.of(_KINDS)
        if kind is None:
            verb = self.word("plot", "draw", "chart", "visualise", "visualize", "graph", "figure")
            if verb is None or self.plan.picture is not None:
                return verb is not None
            self._drawn()
            self.kinds.append("")
            return True
        if kind in ("hist",) and self.peek(-1).text == "distribution" and not self.word("of"):
            drawn = {one.text for one in self.tokens} & {"box", "boxplot", "boxplots", "violin", "histogram", "hist"}
            return bool(drawn) or self.plan.picture is not None
        picture = self._drawn()
        picture.kind = picture.kind or str(kind)
        self.kinds.append(str(kind))
        picture.options.update(options)
        self.word("plot", "chart", "graph", "diagram")
        self.word("of", "for", "showing", "with", ":", "from")
        return True

    def _detail(self) -> bool:
        self.skip(("with", "and", ",", "use", "add", "make", "it", "including", "plus"))
        return any(
            self.tried(read) for read in (self._title, self._bins, self.finish, self._colour, self._look, self._axes)
        )

    def _title(self) -> bool:
        if not self.word("title", "titled", "the title", "a title"):
            return False
        self.skip(("it", "=", ":", "is", "of"))
        said = self.kind("q")
        if said is None:
            return False
        self._drawn().options["title"] = said.value
        return True

    def _bins(self) -> bool:
        number = self.kind("n")
        if number is None or not self.word("bins", "bin", "buckets", "classes"):
            return False
        self._drawn().options["bins"] = number.value
        return True

    def _colour(self) -> bool:
        if self.word(
            "one line per", "a line per", "one line for each", "separate line per", "one colour per", "one curve per"
        ):
            name = self.column()
            if name is not None and self.plan.picture is not None:
                self.plan.picture.colour = name
                return True
            return False
        if self.word(
            "coloured by",
            "colored by",
            "colour by",
            "color by",
            "coloured",
            "colored",
            "hue",
            "split by",
            "colour per",
            "coloured per",
            "colored per",
            "split per",
        ):
            self.skip(("by", "=", "per", *ARTICLES))
            name = self.column()
            if name is not None:
                self._drawn().colour = name
                return True
        self.skip(("in", "a", "the", "colour", "color", "coloured", "colored"))
        colour = self.word(*COLOURS)
        if colour is not None and self.plan.picture is not None:
            self.word("colour", "color", "line", "bars", "markers", "points", "dots")
            self._drawn().options["color"] = colour
            return True
        return False

    def _look(self) -> bool:
        if self.plan.picture is None:
            return False
        self.skip(("a", "an", "the", "as"))
        said = self.of(vocabulary.mapping("look"))  # fmt: skip
        if said is None:
            return False
        if said == "trend":
            self._drawn().trend = True
        elif said == "labels":
            self.skip(("the", "axes", "axis", "both"))
            self._drawn().labels = True
        else:
            self._drawn().options[str(said)] = "True"
        return True

    def _axes(self) -> bool:
        """ "a against b", "a over time", "a and b by hour": the columns of a picture."""
        if self.plan.picture is None or self.plan.measures:
            return False
        self.skip(("of", "for", *ARTICLES))
        if self.word("columns", "numeric columns", "three columns", "two columns", "four columns", "columns together"):
            self._drawn().y += [
                one.name for one in self.columns.values() if one.kind == "number" and one.holds != "index"
            ]
            return True
        found = self.numbers()
        if not found and self.picture_texts():
            return True
        if not found:
            return False
        picture = self._drawn()
        if self.word("against", "vs", "vs.", "versus", "over", "as a function of", "as function of", "depending on"):
            self.skip(ARTICLES)
            if self.word("time", "date", "the date", "the dates", "dates", "days") and self.dates:
                picture.x = self.dates[0]
            else:
                other = self.column()
                if other is None:
                    return False
                picture.x = other
        picture.y += found
        return True

    def picture_texts(self) -> bool:
        """A column of texts that is counted: "bar chart of city"."""
        name = self.column("text", "bool") if self.plan.picture and self.plan.picture.kind in ("bar", "pie") else None
        if name is None or self.plan.keys:
            return False
        self.plan.columns.append(name)
        return True
