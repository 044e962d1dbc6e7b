"""What rows are grouped by in a sentence: "per region", "monthly", "weekdays vs weekends", "men vs women". Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.model import Expr, Measure, col, names
from spark_jupyter.server.engines.phrases.shares import Shares
from spark_jupyter.server.engines.phrases.vocabulary import BY, HOWS

_APART = ("between", "across", "among", "for both", "for all", "of both", "for the two", "in both")
"""Before the groups of a picture."""


class Groups(Shares):
    """Reads groups."""

    compares = False
    """Whether groups are to be compared."""

    def _grouped(self) -> bool:
        self.skip((",", "and"))
        period = self.of(
            {
                "daily": "D",
                "weekly": "W",
                "monthly": "M",
                "quarterly": "Q",
                "yearly": "Y",
                "annual": "Y",
                "annually": "Y",
                "hourly": "hour",
            }
        )
        if period is not None:
            key = self._period(str(period), None)
            if key is not None and key not in self.plan.keys:
                self.plan.keys.append(key)
            return key is not None
        if self.word("compare"):
            self.skip(ARTICLES)
            key = self.tried(self.key)
            if key is None or key.op != "ge":
                self.at -= key is not None
                self.compares = key is None
                return self.compares or self._drawn_in_boxes()
            self.plan.keys.append(key)
            return True
        said = self.word(*BY) or (self.word(*_APART) if self.plan.picture is not None else None)
        if said is not None:
            self.skip((*ARTICLES, "different", "various", "individual", "respective"))
            self.at += (
                2 if self.peek().text == "number" and self.peek(1).text == "of" and self.peek(2).kind == "c" else 0
            )
        if said is None and self.plan.measures and (halves := self.tried(self._halves_of_weeks)) is not None:
            self.plan.keys.append(halves)
            return True
        if said is None:
            return bool(self.tried(self._sexes))
        if said == "by" and (self.tried(self._ranked_by) or self.tried(self._done_by)):
            return True
        found = self.keys()
        new = [one for one in found if one not in self.plan.keys]
        self.plan.within += len(new) if self._has_first_groups() else 0
        self.plan.keys += new
        self.word("group", "groups")
        return bool(found)

    def _halves_of_weeks(self) -> Expr | None:
        """ "on weekdays vs weekends"."""
        self.skip(("on", "for", "of", "between", *ARTICLES))
        if self.peek().text not in ("weekdays", "weekends", "weekday", "weekend"):
            return None
        key = self.key()
        return key if key is not None and key.op == "ge" else None

    def _has_first_groups(self) -> bool:
        """Whether the first groups by an amount are wanted: "best selling product", "top 2 products"."""
        plan = self.plan
        return bool(plan.limit and plan.keys and plan.measures) and [one.what for one in plan.order] == [None]

    def _done_by(self) -> bool:
        """ "card payments by members" of a column ``member`` of yes and no: those of them alone, where nothing is summed up."""
        plan, said = self.plan, self.peek()
        other = plan.measures or plan.order or plan.limit or plan.columns or plan.share or plan.part or plan.picture
        name = self.column() if not other and self.compares is False else None
        plural = name is not None and said.text.endswith("s") and not name.lower().endswith("s")
        found = self.yes(name) if name and plural else None
        if found is None:
            return False
        plan.where.append(found)
        return True

    def _ranked_by(self) -> bool:
        """ "top 2 products per region by quantity": by its sum, not by how many rows there are."""
        if not self._has_first_groups() or [one.what for one in self.plan.measures] != [None]:
            return False
        how = self.of(HOWS) or "sum"
        self.skip(("of", "the"))
        name = self.column("number")
        if name is None or self._unique_key(name):
            return False
        self.plan.measures = [Measure(how=str(how), what=col(name))]
        return True

    def _sexes(self) -> bool:
        """ "for men vs women", "north vs south"."""
        self.word("for", "of", "between", "compare", "in")
        if self.plan.measures and (both := self.tried(self._both_ways)) is not None:
            self.plan.keys.append(both)
            return True
        first = self._sexed() or self._valued()
        if first is not None and first.op == "isin" and self.compares and self.plan.measures:
            self.plan.keys.append(col(names(first)[0]))
            self.plan.where.append(first)
            return True
        if first is None or not self.word("vs", "vs.", "versus", "and", "compared to", "against", "to"):
            return False
        self.skip(("in", "for"))
        second = self._sexed() or self._valued()
        if second is None or not (self.plan.measures or self._drawn_in_boxes()):
            return False
        sexed = first.op == "call"
        name = first.args[1] if sexed else first.args[0]
        assert isinstance(name, Expr)
        self.plan.keys.append(name)
        if not sexed:
            self.plan.where.append(Expr("or", (first, second)))
        return True

    def _drawn_in_boxes(self) -> bool:
        """Whether groups are asked to be drawn beside each other."""
        return any(one.text in ("boxplot", "boxplots", "box", "violin") for one in self.tokens)

    def _both_ways(self) -> Expr | None:
        """ "landlocked and not landlocked countries"."""
        first = self._truth()
        if first is None or not self.word("and", "vs", "versus", "or", "against"):
            return None
        name = names(first)[0]
        if not self.word("not", "non") or self.column() != name:
            return None
        self.at += self.is_noun(self.peek())
        return col(name)
