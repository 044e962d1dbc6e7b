"""Gaps that are filled and columns that are split: "fill missing x with the mean of its group", "split x into a and b". Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.mends import Mends
from spark_jupyter.server.engines.phrases.model import Expr, col
from spark_jupyter.server.engines.query.sources import number_of
from spark_jupyter.server.engines.rewrite import quoted

_FILLED = {"mean": "mean", "average": "mean", "median": "median", "max": "max", "min": "min"}
_SEPARATORS = {
    "space": " ", "spaces": " ", "comma": ",", "dash": "-", "hyphen": "-", "slash": "/", "semicolon": ";", "colon": ":", "underscore": "_",
}  # fmt: skip


class Filling(Mends):
    """Reads what is filled and what is split."""

    def _add(self, line: str) -> bool:
        self.plan.steps.append(line)
        return True

    def _filled(self) -> bool:
        """ "fill missing x with the mean of its group"."""
        treats = self.word("treat", "count", "take") is not None
        if not treats and not self.word("fill in", "fill", "replace", "impute", "fill up"):
            return False
        if treats and self.peek().text not in ("missing", "empty", "nan", "gaps"):
            return False
        self.skip(
            (
                *ARTICLES,
                "missing",
                "gaps",
                "values",
                "value",
                "in",
                "of",
                "empty",
                "nan",
                "nans",
                "holes",
                "for",
                "column",
            )
        )
        name = self.column()
        self.skip(("values", "value", "gaps", "column"))
        if not (self.word("as") if treats else self.word("with", "by", "using", "to")):
            return False
        if name is None:
            before = self.tokens[max(0, self.at - 6) : self.at]
            gaps = {one.text for one in before} & {"missing", "nan", "nans", "gaps", "empty", "holes"}
            name = next((one.value for one in reversed(before) if one.kind == "c"), None)
            value = self.kind("nq") if gaps else None
            if value is not None and name is not None:  # "x missing? replace with 0"
                filled = value.value if value.kind == "n" else quoted(value.value)
                self.plan.where = [one for one in self.plan.where if one != Expr("isna", (col(name),))]
                return self._add(f"{{t}}[{quoted(name)}] = {{t}}[{quoted(name)}].fillna({filled})")
            self._elsewhere()
            filled = value.value if value and value.kind == "n" else quoted(value.value) if value else ""
            return bool(filled) and self._add(f"{{t}} = {{t}}.fillna({filled})")
        self.skip((*ARTICLES, "linear", "previous"))
        column = f"{{t}}[{quoted(name)}]"
        if self.word("interpolation", "interpolating"):
            return self._add(f"{column} = {column}.interpolate()")
        if self.peek(-1).text == "previous" and self.word("value", "one", "values", "entry"):
            return self._add(f"{column} = {column}.ffill()")
        how = self.of(_FILLED)
        if how is None:
            value = self.kind("nq")
            if value is None and not self.word("unknown"):
                return False
            source = value.value if value and value.kind == "n" else quoted(value.value if value else "unknown")
            return self._add(f"{column} = {column}.fillna({source})")
        known = self.columns.get(name)
        if known is not None and known.holds.startswith("numbers"):
            self._add(f"{column} = {number_of(column, comma=known.holds == 'numbers, decimal comma')}")
        self.tried(lambda: self.column() == name or None)
        group = self.tried(self._of_group)
        if group is None:
            self.skip(("of", "the", "column", "value"))
            self.tried(lambda: self.column() == name or None)
            return self._add(f"{column} = {column}.fillna({column}.{how}())")
        return self._add(
            f'{column} = {column}.fillna({{t}}.groupby({quoted(group)})[{quoted(name)}].transform("{how}"))'
        )

    def _elsewhere(self) -> None:
        self.skip(("in", "everywhere", "the", "whole", "all", "columns", "table"))
        self.kind("t")

    def _of_group(self) -> str | None:
        if not self.word("of", "per", "within", "by", "for each", "in each", "in", "for"):
            return None
        self.skip((*ARTICLES, "same", "own"))
        name = self.column("text", "bool")
        self.word("group")
        return name

    def _parted(self) -> bool:
        """ "split x into a and b at the last space", "make a and b columns out of x"."""
        named: list[str] = []
        if self.word("make", "get", "create", "extract"):
            named = self._names()
            if len(named) != 2 or not self.word("columns out of", "columns from", "out of", "columns of"):
                return False
            name = self.column("text")
        elif self.word("split", "separate", "divide"):
            self.skip((*ARTICLES, "column"))
            name = self.column("text")
            self.skip(("column", "up"))
            if name is None or not self.word("into", "in"):
                return False
            self.skip((*ARTICLES, "two", "2", "new", "separate"))
            if self.peek().kind == "n" and self.peek().value == "2":
                self.at += 1
            self.word("columns", "parts")
            self.skip((":", "called", "named"))
            named = self._names() if not self.ends() and self.peek().text not in ("at", "by", "on") else []
            self.word("columns")
        else:
            return False
        if name is None:
            return False
        whole = self.word("as integers", "as ints", "as whole numbers", "as numbers") is not None
        silent = self.ends()
        found = self._separated()
        if found is None:
            return False
        sign, last = found
        parts = [re.sub(r"\W+", "_", one).strip("_") for one in re.split(r"\s*[/&]\s*|\s+and\s+", name)]
        named = named or (parts if len(parts) == 2 else [f"{parts[0]}_1", f"{parts[0]}_2"])
        if sign == " " and named and named[0].lower().startswith(("last", "sur", "family")):
            sign = ", "  # "Doe, Jane"
        if not sign or len(named) != 2:
            return False
        text = f"{{t}}[{quoted(name)}].str"
        if whole:
            parts_of = f'{text}.extract(r"(\\d+)\\D+(\\d+)").apply(pd.to_numeric)'
        elif (
            silent
            and not last
            and sign == " "
            and not any(re.search(r"name|first|last", one.lower()) for one in (*named, name))
        ):
            parts_of = (
                f'{text}.split(r"\\s*[/|;,:-]\\s*|\\s+", n=1, expand=True, regex=True)'  # whatever stands between
            )
        else:
            parts_of = f"{text}.{'rsplit' if last else 'split'}({quoted(sign)}, n=1, expand=True)"
        return self._add(f"{{t}}[[{', '.join(map(quoted, named))}]] = {parts_of}")

    def _separated(self) -> tuple[str, bool] | None:
        """By which sign it is split, and whether at the last."""
        last = False
        sign = " "
        if self.word("at", "by", "on", "using"):
            self.skip(ARTICLES)
            last = self.word("last") is not None
            said = self.kind("q")
            sign = said.value if said else self.of(_SEPARATORS) or ""
        elif self.peek(1).text in ("careful", "note", "but", "some"):
            self.skip((",", "careful", "note", "but", "that"))
            if not self.word("some"):
                return None
            last = True
            while self.peek().kind != "e":
                self.at += 1
        return sign, last

    def _names(self) -> list[str]:
        """New names: "first name and last name"."""
        found: list[str] = []
        words_: list[str] = []
        while self.peek().kind in "wcvq" and self.peek().text not in (
            "columns",
            "out",
            "at",
            "by",
            "on",
            "from",
            "using",
            "as",
        ):
            token = self.peek()
            self.at += 1
            if token.text == "and":
                found.append("_".join(words_))
                words_ = []
            elif token.text not in ("new", "columns", "the", "a"):
                words_.append(token.value if token.kind in "wq" else self.marked.said.get(token.mark, token.value))
        found.append("_".join(words_))
        if len(found) == 2 and found[0] in ("first", "last", "given") and found[1].endswith("_name"):
            found[0] += "_name"  # "first and last name"
        return found if all(found) else []
