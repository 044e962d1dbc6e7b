"""Bands of numbers that a sentence names: "under 60, 60 to 79 and 80 plus", "small (<500), medium (500 to 2000)", "A from 85". Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.model import Expr, Measure, col, lit
from spark_jupyter.server.engines.phrases.questions import Questions
from spark_jupyter.server.engines.rewrite import quoted

_LOWER = ("from", ">=", "at least", "over", "above", ">", "more than", "older than")
_UPPER = ("under", "below", "<", "less than", "up to", "<=", "at most", "younger than")
_REST = ("else", "otherwise", "below", "rest", "the rest", "the others", "everything else")


class Bands(Questions):
    """Reads bands."""

    def banded(self) -> bool:
        """A column of the bands in which another column's numbers are."""
        self.skip(("please", "and", ","))
        if not self.word(
            "label", "make", "put", "bin", "cut", "group", "classify", "categorise", "categorize", "grade", "give", "split", "sort", "add",
            "create", "divide",
        ):  # fmt: skip
            return False
        self.skip((*ARTICLES, "into", "letter", "new", "column", "of", "for"))
        name, called = self._what()
        if name is None:
            return False
        if self.word("as", "into", "in", ":", ",", "with"):
            self.skip((":", "either"))
        bands = self._bands()
        if len(bands) < 2:
            return False
        if self.word("in a new column", "as new column", "in a column", "in new column", "as a new column"):
            self.word("called", "named")
            token = self.kind("wqcv")
            called = token.value if token is not None else called
        column = col(name)
        source = [(label, low, high) for label, low, high in bands]
        self.plan.banded.append((called, column, source))
        self.made[called.lower()] = called
        if self.tried(self._each_counted):
            self.plan.keys.append(col(called))
            self.plan.measures.append(Measure(how="size"))
        return True

    def _what(self) -> tuple[str | None, str]:
        """The column whose numbers are meant, and the name for the new one."""
        name = self.tried(lambda: self.column("number"))
        if name is not None:
            if self.word("groups", "group", "bands", "classes", "bins", "categories", "ranges"):
                self.skip((":", "of"))
            return name, f"{name}_group"
        if self.word("groups", "bands", "grades", "grade", "categories"):
            self.skip(("for", "of", "by"))
            name = self.column("number")
            return name, "grade" if self.peek(-3).text.startswith("grade") else f"{name}_group"
        if self.is_noun(self.peek()) or self.peek().kind == "t":
            self.at += 1
            self.word("by")
            name = self.tried(lambda: self.column("number")) or self.amount()
            return name, f"{name}_group"
        return None, ""

    def _bands(self) -> list[tuple[str, str, str]]:
        found: list[tuple[str, str, str]] = []
        while True:
            before = self.at
            if found and not self.word(", and", ",", "and", ";"):
                return found
            one = self.tried(self._band)
            if one is None:
                self.at = before
                return found
            found.append(one)

    def _band(self) -> tuple[str, str, str] | None:
        """Its label, and the sources of where it begins and ends, so far as they are said."""
        label = ""
        begins = self.peek(1).text in (*_LOWER, *_UPPER, "(", "is", "for", "at", "else", "more", "=")
        if self.peek().kind in "wqv" and begins and self.peek().text not in (*_LOWER, *_UPPER):
            token = self.kind("wqv")
            label = token.value if token else ""
            self.skip(("is", "for", "="))
        bracket = self.word("(") is not None
        found = self._limits()
        if found is None or (bracket and not self.word(")")):
            return None
        said, low, high = found
        self.skip(
            ("points", "years", "kg", "cm", "km", "euros", "marks", "percent", "%", "and", "up", "on")
            if self.peek().text != "and"
            else ()
        )
        if not label and self.peek().text in ("is", "=", "as") and self.peek(1).kind in "wq":
            self.at += 1
            token = self.kind("wq")
            label = token.value if token else ""
        return label or said, low, high

    def _limits(self) -> tuple[str, str, str] | None:
        number = self.kind("n")
        if number is not None:
            if self.word("to", "-", "and", "until", "up to"):
                second = self.kind("n")
                return (f"{number.value} to {second.value}", number.value, f"<={second.value}") if second else None
            if self.word("or more", "and more", "or over", "+", "or older"):
                return f"{number.value}+", number.value, ""
            return None
        said = self.word(*_LOWER)
        if said is not None:
            number = self.kind("n")
            if number is None:
                return None
            above = said in ("over", "above", ">", "more than", "older than")
            return (f"over {number.value}", f">{number.value}", "") if above else (f"{number.value}+", number.value, "")
        said = self.word(*_UPPER)
        if said is not None and (number := self.kind("n")) is not None:
            closed = said in ("up to", "<=", "at most")
            return f"{'up to' if closed else 'under'} {number.value}", "", f"{'<=' if closed else ''}{number.value}"
        return ("rest", "", "") if said == "below" or self.word(*_REST) else None

    def _each_counted(self) -> bool:
        self.skip((",", "and", "then"))
        if not self.word("count", "number of", "how many"):
            return False
        self.skip(("the", "number", "of", "are"))
        self.at += self.is_noun(self.peek()) or self.peek().kind in "tc"
        return (
            self.word(
                "in each", "per group", "of each", "each", "per", "there are in each", "in every group", "in each group"
            )
            is not None
        )


def conditions(bands: list[tuple[str, str, str]], column: Expr) -> list[tuple[str, Expr]]:
    """The label of each band with the condition of its own, the bands in between being told by where the others begin."""
    made = []
    for label, low, high in bands:
        parts = []
        if low:
            parts.append(Expr("gt" if low.startswith(">") else "ge", (column, lit(low.lstrip(">")))))
        if high:
            parts.append(Expr("le" if high.startswith("<=") else "lt", (column, lit(high.lstrip("<=")))))
        whole = (
            Expr("notna", (column,))
            if not parts
            else parts[0]
            if len(parts) == 1
            else Expr("and", (parts[0], parts[1]))
        )
        made.append((quoted(label), whole))
    return made
