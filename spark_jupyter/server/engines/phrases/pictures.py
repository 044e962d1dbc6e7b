"""Plots in a sentence: the kind, the axes and what they look like. Pure."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES, NUMBERED
from spark_jupyter.server.engines.phrases.finish import COLOURS, Finish
from spark_jupyter.server.engines.phrases.model import Expr, Picture, col, lit, names
from spark_jupyter.server.engines.phrases.moments import COMPARED
from spark_jupyter.server.engines.phrases.vocabulary import NOISE

if TYPE_CHECKING:
    from spark_jupyter.server.engines.query.tables import Source

_KINDS = vocabulary.mapping("pictures_kinds")
_SAID = {"div": "per", "mul": "times", "sub": "minus", "add": "plus"}
_LEADS_ON = ("of", "for", "showing", "with", ":", "from", "comparing", "that shows", "to show", "to compare", "that compares",
             "showing the", "displaying", "which shows", "with the")  # fmt: skip
_LINES_PER = vocabulary.listed("picture_lines_per")
_COLOURED = vocabulary.listed("picture_coloured")
_LIKED = ("simple", "nice", "pretty", "quick", "basic", "clean", "single", "plain", "proper")


_OVER = ("against", "vs", "vs.", "versus", "over", "as a function of", "as function of", "depending on")
_TIMELY = re.compile(
    r"(?:^|_)(?:time|minutes?|mins?|seconds?|secs?|hours?|days?|weeks?|years?|t)(?:_|$)", re.IGNORECASE
)


def _called(made: Expr) -> str:
    """The name of a column that is calculated for a picture."""
    return f"_{_SAID[made.op]}_".join(names(made))


class Pictures(Finish):
    """Reads what is to be drawn."""

    def __init__(self, prompt: str, source: Source) -> None:
        super().__init__(prompt, source)
        self.kinds: list[str] = []
        """The kinds of plot that are said, one after the other."""
        self.rates: dict[str, Expr] = {}
        """Columns that are one amount over another."""

    def picture(self) -> bool:
        """A plot, or a detail of one."""
        return bool(self.tried(self._kind) or self.tried(self._of_correlations) or self.tried(self._detail))

    def _drawn(self) -> Picture:
        if self.plan.picture is None:
            self.plan.picture = Picture()
        return self.plan.picture

    def _kind(self) -> bool:
        options = {}
        self.skip(_LIKED)
        while (said := self.word("horizontal", "stacked", "grouped", "overlaid", "overlapping", "overlay")) is not None:
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
        self.word(*_LEADS_ON)
        return True

    def _of_correlations(self) -> bool:
        """ "the correlation matrix of all numeric columns as a heat map": a heat map shows nothing else."""
        if not {"heatmap", "heat"} & {one.text for one in self.tokens}:
            return False
        self.skip(ARTICLES)
        if not self.word(
            "correlation matrix", "correlations", "correlation coefficients", "correlation", "corr matrix"
        ):
            return False
        self.skip(
            (
                "of",
                "between",
                "for",
                "among",
                "in",
                "numeric",
                "numerical",
                "number",
                "columns",
                "variables",
                "features",
                *ARTICLES,
            )
        )
        return True

    def _detail(self) -> bool:
        self.skip(
            (
                "with",
                "and",
                ",",
                "use",
                "add",
                "make",
                "it",
                "including",
                "plus",
                "on",
                "give",
                "have",
                "having",
                "set",
                "using",
                "also",
            )
        )
        return any(
            self.tried(read) for read in (self._title, self._bins, self.finish, self._colour, self._look, self._axes)
        )

    def _title(self) -> bool:
        if not self.word("title", "titled", "the title", "a title"):
            return False
        self.skip(("it", "=", ":", "is", "of"))
        said = self.kind("q")
        if said is None and not (self.ends() or self.peek().text in ("and", "with", "save", "in")):
            return False
        if said is not None or self.plan.picture is not None:
            self._drawn().options["title"] = said.value if said is not None else ""
        return said is not None or self.plan.picture is not None

    def _bins(self) -> bool:
        named = self.word("number of bins", "bins", "bin count", "bin number", "nbins", "n_bins")
        self.skip(("=", ":", "of", "to", "is") if named else ())
        number = self.kind("n")
        if number is None or not (
            named or self.word("bins", "bin", "buckets", "classes", "equal bins", "equally wide bins")
        ):
            return False
        self._drawn().options["bins"] = number.value
        return True

    def _colour(self) -> bool:
        if self.word(*_LINES_PER):
            name = self.column()
            picture = self.plan.picture
            if name is None or picture is None:
                return False
            picture.kind = picture.kind or "line"
            if self.plan.keys and self.plan.measures:
                self.plan.keys.append(col(name))
            else:
                picture.colour = name
            return True
        if self.word(*_COLOURED):
            self.skip(("by", "=", "per", ":", *ARTICLES))
            name = self.column()
            if name is not None:
                self._drawn().colour = name
                return True
        self.skip(("in", "a", "the", "colour", "color", "coloured", "colored"))
        colour = self.of(COLOURS)
        if colour is not None and self.plan.picture is not None:
            if self.plan.picture.options.get("color", colour) != colour:
                return False  # "one in blue and the other in red": of each a colour
            self.word("colour", "color", "line", "bars", "markers", "points", "dots", "bar", "lines", "boxes")
            self._drawn().options["color"] = str(colour)
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
        ahead = self.peek().kind == "c" and self.peek(1).text in _OVER and self._kind_follows()
        if (self.plan.picture is None and not ahead) or self.plan.measures:
            return False
        self.skip(("of", "for", *ARTICLES))
        if self.word("columns", "numeric columns", "three columns", "two columns", "four columns", "columns together"):
            self._drawn().y += [
                one.name for one in self.columns.values() if one.kind == "number" and one.holds != "index"
            ]
            return True
        first = self.peek()
        numbered = (
            first.kind == "c" and NUMBERED.search(first.value) is not None and NUMBERED.search(first.text) is None
        )
        if (first.kind == "t" or numbered) and self.peek(1).kind == "c":
            self.at += 1  # "customer ages"
        formula = self.tried(self._formula)
        found = [_called(formula)] if formula is not None else self.numbers()
        if not found and self.picture_texts():
            return True
        if not found:
            return False
        along = ""
        if self.word(*_OVER):
            along = self._along() or ""
            if not along:
                return False
        elif len(found) == 1:
            self.tried(partial(self._bounded, found[0]))
        if formula is not None:
            self._made_for_picture(found[0], formula)
        picture = self._drawn()
        picture.x = along or picture.x
        if along and self.peek(-1).text == "time" and not any(self.kinds) and not picture.kind:
            picture.kind = "line"
        picture.y += found
        return True

    def _kind_follows(self) -> bool:
        """Whether a kind of picture is named later: "a vs b as a scatter plot"."""
        words = {one.text for one in self.tokens[self.at :]}
        return bool(
            words
            & {kind.split()[0] for kind in _KINDS} - {"distribution", "density", "densities", "kernel", "time", "box"}
        )

    def _along(self) -> str | None:
        """What the picture runs along: a column, or the dates; "time" may be a number of minutes."""
        self.skip(ARTICLES)
        if not self.word("time", "date", "the date", "the dates", "dates", "days"):
            return self.column()
        if self.dates:
            return self.dates[0]
        timely = [name for name, one in self.columns.items() if one.kind == "number" and _TIMELY.search(name)]
        return timely[0] if len(timely) == 1 else None

    def _made_for_picture(self, name: str, made: Expr) -> None:
        """ "clicks / impressions": a column of its own."""
        self.plan.derived.append((name, made))
        self.made[name.lower()] = name
        if made.op == "div":
            self.rates[name] = made

    def _formula(self) -> Expr | None:
        """Two columns with a sign between them. "a over b" is none: that is what it is drawn against."""
        if self.peek(1).text not in ("/", "*", "-", "+", "divided", "minus", "times", "plus"):
            return None
        made = self.expression()
        return (
            made
            if made is not None
            and made.op in _SAID
            and all(isinstance(one, Expr) and one.op == "col" for one in made.args)
            else None
        )

    def _bounded(self, name: str) -> bool:
        """ "histogram of age between 20 and 60": a condition on what is drawn."""
        place = self.at
        if not (self.word("between", "from") or self.of(COMPARED)) or self.peek().kind != "n":
            return False
        ranged = self.tokens[place].text == "from"
        self.at = place + ranged
        low = self.kind("n") if ranged else None
        if low is not None:
            high = self.kind("n") if self.word("to", "until", "up to") else None
            if high is None:
                return False
            self.plan.where.append(
                Expr("and", (Expr("ge", (col(name), lit(low.value))), Expr("le", (col(name), lit(high.value)))))
            )
            return True
        self.at = place - 1
        found = self.predicate() if self.peek().kind == "c" else None
        if found is None or (names(found) and set(names(found)) != {name}):
            return False
        self.plan.where.append(found)
        return True

    def picture_texts(self) -> bool:
        """A column of texts that is counted: "bar chart of city"."""
        name = self.column("text", "bool") if self.plan.picture and self.plan.picture.kind in ("bar", "pie") else None
        if name is None or self.plan.keys:
            return False
        self.plan.columns.append(name)
        return True

    def details(self) -> bool:
        """Whether all that is here are details of a picture, and where it is saved."""
        while self.peek().kind != "e":
            if not (self.tried(self.picture) or self.tried(self.saving)):
                if self.peek().kind not in "ws" or self.peek().text not in NOISE:
                    return False
                self.at += 1
        return not any(self.kinds)

    def saving(self) -> bool:
        """Where it is saved; read by :class:`~.reader.Reader`."""
        return False
