"""Shares in a sentence: "share of rows that …", "percentage of women who survived", "churn rate". Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.firsts import Firsts
from spark_jupyter.server.engines.phrases.model import Expr, Measure, col, lit
from spark_jupyter.server.engines.rewrite import quoted


class Shares(Firsts):
    """Reads shares and rates."""

    def _share(self) -> bool:
        """ "share of rows that …", "percentage of x per y", "in percent", "churn rate"."""
        self.skip((*ARTICLES, "what", "as", "a", "in", "as a"))
        if self.word("row percent", "percent per row"):
            return False
        said = self.word(
            "share of",
            "percentage of",
            "percent of",
            "proportion of",
            "fraction of",
            "part of",
            "share",
            "percentage",
            "percent",
            "percentages",
            "%",
            "rate of",
            "prozent",
            "anteil",
        )
        if said is None:
            return self._rate()
        self.skip((*ARTICLES, "total", "of", "overall"))
        if not said.endswith("of") and self.tried(self._part_that_is):
            return True
        name = self.tried(lambda: self.column("number"))
        if name is not None:
            if self.peek(-2).text not in ("total", "the", "of") and self._zero_one(name):
                self.plan.measures.append(Measure(how="mean", what=col(name)))
                self.plan.scale = "100 * "
                return True
            if not self.plan.measures:
                self.plan.measures.append(Measure(how="sum", what=col(name)))
            self.plan.share = True
            self.skip(("is", "comes", "from", "are", "does", "make", "up", "goes", "to", "in"))
            self.plan.keys += [one for one in self._after_share() if one not in self.plan.keys]
            return True
        if said.endswith("of"):
            if self.tried(self._part_of_some) or self.tried(self._parts_of_values):
                return True
            named = self.peek().kind == "c" and self.peek(1).text in (
                "who",
                "that",
                "which",
                "whose",
                "with",
                "without",
            )
            self.at += named or self.is_noun(self.peek())
            self.plan.part = True
            return True
        averages = self.plan.measures and all(one.how in ("mean", "median", "min", "max") for one in self.plan.measures)
        if averages:
            self.plan.scale = "100 * "
            return said.startswith(("percent", "%", "prozent"))
        self.plan.share = True
        return True

    def _parts_of_values(self) -> bool:
        """ "share of breakfast, lunch and dinner": each one's part of all rows."""
        holders = self.marked.holders.get(self.peek().mark, ()) if self.peek().kind == "v" else ()
        found = self.values(holders[0]) if len(holders) == 1 else []
        said = {one.text for one in self.tokens[self.at - 2 : self.at]}
        if len(found) < 2 or "or" in said or not (self.ends() or self.peek().text in ("in", "as")) or self.plan.where:
            return False
        listed = ", ".join(found)
        self.plan.ask = f"100 * {{r}}[{quoted(holders[0])}].value_counts(normalize=True)[[{listed}]]"
        return True

    def _part_that_is(self) -> bool:
        """ "percentage admitted by complaint": of a column of yes and no."""
        name = self.column()
        found = self.yes(name) if name else None
        if found is None or self.peek().kind in "vnq" or self.plan.measures:
            return False
        self.at += self.is_noun(self.peek())
        self.plan.measures.append(Measure(how="mean", what=found))
        self.plan.scale = "100 * "
        return True

    def _after_share(self) -> list[Expr]:
        return (
            self.tried(lambda: self.keys() if self.word("per", "by", "each", "every", "in each", "of each") else None)
            or []
        )

    def _part_of_some(self) -> bool:
        """ "percentage of women who survived", "of orders in March were late": of those alone that the first condition is about."""
        self.at += self.is_noun(self.peek())
        some = self.tried(self._atom) if self.peek().text not in ("who", "that", "which") else None
        linked = self.word("who", "that", "which") is not None
        linked = self.word("are", "is", "was", "were", "have", "has", "had", "did") is not None or linked
        verb = self.peek().kind == "c" and self.peek().text.endswith("ed")
        what = self.tried(self._atom) if some is not None and (linked or verb) else None
        if some is None or what is None:
            return False
        self.plan.where.append(some)
        self.plan.measures.append(Measure(how="mean", what=what))
        self.plan.scale = "100 * "
        return True

    def _zero_one(self, name: str) -> bool:
        known = self.columns.get(name)
        return (known is not None and known.flag) or re.search(
            r"ed$|^is_|^has_|flag|target|label", name.lower()
        ) is not None

    def _rate(self) -> bool:
        table = self.kind("t") if self.peek(1).text in ("rate", "rates") else None
        name = (
            next((one for one in self.columns if one.lower().startswith(table.value.lower().rstrip("se"))), None)
            if table
            else self.column()
        )
        name = name or self._akin()
        known = self.columns.get(name) if name else None
        if known is None or not self.word("rate", "rates", "quote"):
            return False
        if known.kind == "bool" or (known.kind == "number" and self._zero_one(known.name)):
            self.plan.measures.append(Measure(how="mean", what=col(known.name)))
            return True
        if known.truth:
            self.plan.measures.append(
                Measure(how="mean", what=Expr("eq", (col(known.name), lit(quoted(known.truth[0])))))
            )
            return True
        return False

    def _akin(self) -> str | None:
        """The column of yes and no that a noun is akin to: "readmission" of ``readmitted``."""
        said = self.peek().text
        if self.peek().kind != "w" or len(said) < 7 or self.peek(1).text not in ("rate", "rates"):
            return None
        found = [
            name
            for name, one in self.columns.items()
            if name.lower()[:6] == said[:6] and (one.truth or one.kind == "bool" or self._zero_one(name))
        ]
        if len(found) != 1:
            return None
        self.at += 1
        return found[0]
