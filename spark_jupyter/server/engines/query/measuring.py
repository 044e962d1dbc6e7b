"""What is calculated of the rows: shares, summaries of columns, counts, and in which unit. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.query import cleaning, lexicon
from spark_jupyter.server.engines.query.grouping import AGGREGATE, Grouping
from spark_jupyter.server.engines.query.marked import CS, WORD, C, T
from spark_jupyter.server.engines.query.model import Key, Measure


class Measuring(Grouping):
    """Takes out of a marked prompt what is to be calculated, into a query."""

    def _questions(self) -> None:
        share = self._take(
            r"\b(?:as\s+)?(?:the\s+)?(?:share|percentage|percent|proportion|fraction|part)s?\b(?:\s+of)?(?:\s+"
            r"(?:the\s+)?(?:each|every))?(?:\s+(?:the\s+)?(?!⟨)\w+(?=\s*(?:[(;]|\b(?:is|are|was|were|that|by|from|who)\b)))?"
        )
        if share:
            self.query.share = True
            self._take(r"\bin\s+percent\b|\bpercent\b")
            whole = self._take(rf"(?:\b(?:of|in)\s+)?(?:the\s+)?(?:total|sum|whole|overall|all)\s+(?P<c>{C})")
            if whole:
                self.query.measures.append(Measure(how="sum", column=self.marked.value(whole["c"])))
            key = self.marked.find(rf"(?P<c>{C})")
            name = self.marked.value(key["c"]) if key else ""
            if not self.query.keys and self.kinds.get(name) in ("text", "bool") and name not in self.dates:
                self._take(C)
                self.query.keys.append(Key(column=name))

    def _measures(self) -> None:
        hows = rf"(?:{AGGREGATE})(?:\s*(?:,|and|&)\s*(?:the\s+)?(?:{AGGREGATE}))*"
        apart = r"(?:\s+(?:value\s+)?(?:of|in|for))?(?:\s+(?:the|all|my|different|distinct|unique))*\s+"
        while found := self._take(rf"(?:\b(?:average|mean|the)\s+)*(?P<c>{C})\s+rates?\b(?!\s+of)"):
            name = self.marked.value(found["c"])
            if self.kinds.get(name) not in ("number", "bool"):
                self.marked.text += " rate"
                break
            self.query.measures.append(Measure(how="mean", column=name))
        patterns = (
            rf"\b(?P<how>{hows}){apart}(?P<c>{CS})(?!\s*(?:is|are)\b(?!\s+there))",
            rf"(?P<c>{C})\s+(?P<how>{hows})\b(?!\s+of)",
        )
        for pattern in patterns:
            while found := self._take(pattern):
                for how in re.findall(AGGREGATE, found["how"], re.IGNORECASE):
                    self._measure(
                        lexicon.AGGREGATES[how.lower()],
                        self.marked.names(found["c"]),
                        re.search("distinct|unique|different", found[0], re.IGNORECASE) is not None,
                    )
        if found := self._take(rf"\b(?:number|count)\b(?:\s+(?:of|the|all|rows|entries|there|are|{T}|{WORD}))*"):
            self.query.measures.append(Measure(how="size"))
        if (
            self.query.keys
            and not self.query.measures
            and not self.query.each
            and (found := self._take(rf"(?:\bthe\s+)?(?P<c>{C})(?=\s*(?:;|$))"))
        ):
            name = self.marked.value(found["c"])
            if self.kinds.get(name) == "number":
                self.query.measures.append(Measure(how="sum", column=name))
                self.query.says.append(f"I took the sum of `{name}`.")
            else:
                if (
                    self.options.get("stacked") and len(self.query.keys) == 1
                ):  # "stacked bars of satisfaction by age group"
                    self.query.keys.append(Key(column=name))
                self.query.measures.append(Measure(how="size"))

        self._scale()

    def _scale(self) -> None:
        """ "total minutes per member in hours"."""
        found = self.marked.find(
            r"\bin\s+(?P<unit>hours|minutes|days|kg|km|tons|tonnes|thousands?|millions?)\b(?!\s*⟨)"
        )
        column = next((one.column for one in self.query.measures if one.column), None)
        if found is None or column is None or not self.query.keys:
            return
        unit = found["unit"].lower().rstrip("s")
        told = {"thousand": " / 1000", "million": " / 1_000_000"}.get(unit, "") or cleaning.factor(
            column, found["unit"].lower()
        )
        if told:
            self._take(re.escape(found[0]))
            self.query.scale = told

    def _floats(self) -> list[str]:
        return [one.name for one in self.columns if one.dtype.lower().startswith(("float", "decimal"))]

    def _measure(self, how: str, columns: list[str], distinct: bool) -> None:
        for column in columns:
            if (
                how == "size"
                and (distinct or self.query.keys)
                and column not in [key.column for key in self.query.keys]
            ):
                self.query.measures.append(
                    Measure(how="nunique" if distinct else "size", column=column if distinct else None)
                )
            elif how == "size" and column in {one.column for one in self.query.conditions}:
                self.query.measures.append(Measure(how="size"))  # "number of comments that mention slow"
            elif how == "size" and column in self._floats():
                self.marked.text += f" {column} contradiction"  # nobody counts amounts: "number of rainy days" is not that of distinct rain
            elif how == "size" and not self.marked.find(r"\b(?:plot|chart|graph|draw|histogram|distribution)\b"):
                self.query.measures.append(Measure(how="nunique", column=column))
            elif how == "size":
                if column not in [key.column for key in self.query.keys]:
                    self.query.keys.append(Key(column=column))
                self.query.measures.append(Measure(how="size"))
            elif how not in ("nunique",) and self.kinds.get(column) == "text" and column not in self.dates:
                if how in ("min", "max"):
                    self.query.measures.append(Measure(how=how, column=column))
                else:
                    self.query.numbers.append(column)
                    self.query.measures.append(Measure(how=how, column=column))
            else:
                self.query.measures.append(Measure(how=how, column=column))
