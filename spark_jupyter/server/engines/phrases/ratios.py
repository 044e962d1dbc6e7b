"""What is divided or put together across columns: "cost per conversion for each campaign", "(amount * weight)". Pure."""

from __future__ import annotations

import re

from msgspec import structs

from spark_jupyter.server.engines.phrases.cursor import LostError
from spark_jupyter.server.engines.phrases.model import Expr, Measure, col
from spark_jupyter.server.engines.phrases.results import Results
from spark_jupyter.server.engines.phrases.tokens import END, Token
from spark_jupyter.server.engines.rewrite import quoted

_AMOUNTS = re.compile(
    r"clicks|conversions|impressions|units|qty|quantity|weight|visits|views|guests|orders|items|hours|minutes|km|kg|beds|seats"
)


class Ratios(Results):
    """Reads what is calculated across columns."""

    def _ratio(self) -> None:
        """ "cost per conversion for each campaign": of the sums, where rows are no groups by an amount."""
        plan = self.plan
        if len(plan.keys) != 2 or len(plan.measures) > 1 or any(one.op != "col" for one in plan.keys):
            return
        below, group = (str(one.args[0]) for one in plan.keys)
        known = self.columns.get(below)
        one_of = any(
            name == below and f"{self.marked.said.get(mark, '').lower()}s" == below.lower()
            for mark, name in self.marked.values.items()
        )
        if known is None or self.kind_of(known) != "number" or not (one_of or _AMOUNTS.search(below.lower())):
            return
        if one_of and self.other:
            raise LostError  # of a table that has one row for each: its sum would count them again and again
        above = plan.measures[0].what if plan.measures else None
        listed = [str(above.args[0])] if above is not None and above.op == "col" else plan.columns
        if len(listed) != 1 or (plan.measures and plan.measures[0].how not in ("sum", "mean")):
            return
        plan.measures = [Measure(how="ratio", what=Expr("div", (col(listed[0]), col(below))))]
        plan.keys, plan.columns = [col(group)], []

    def _counted_apart(self) -> None:
        """ "how many benign and malignant cases": of each how many."""
        plan = self.plan
        apart = re.search(r"number of\s+(?:the\s+)?⟨v\d+⟩\s+and\s+⟨v\d+⟩", self.marked.text)
        alone = len(plan.where) == 1 and not plan.keys and [one.how for one in plan.measures] == ["size"]
        if apart and alone and plan.where[0].op == "isin" and isinstance(plan.where[0].args[0], Expr):
            plan.keys.append(plan.where[0].args[0])

    def _rated(self) -> None:
        """ "ctr by channel", "which channel has the best ctr": of the sums of each group, where no mean of the rows is asked for."""
        plan = self.plan
        if plan.each or not (plan.keys or plan.measures):
            return
        listed = [*plan.columns, *(plan.picture.y if plan.picture is not None else [])]
        hows = ("sum", "max", "min") if plan.order and plan.keys else ("sum",)
        summed = [
            str(one.what.args[0]) for one in plan.measures if one.how in hows and one.what and one.what.op == "col"
        ]
        named = [one for one in (listed if not plan.measures else summed) if one in self.rates]
        if len(named) != 1 or len(plan.measures or named) != 1 or (plan.measures and listed):
            return
        if plan.picture is not None:
            plan.picture.y = [one for one in plan.picture.y if one != named[0]]
        plan.columns = [one for one in plan.columns if one != named[0]]
        plan.measures = [Measure(how="ratio", what=self.rates[named[0]])]
        if plan.share:
            plan.share, plan.scale = False, "100 * "
        plan.derived = [one for one in plan.derived if one[0] != named[0]]
        plan.order = [structs.replace(one, what=None) if one.what == col(named[0]) else one for one in plan.order]

    def _across(self) -> None:
        """ "average of maths and german for every pupil": across the columns, where each row has a name of its own."""
        plan = self.plan
        hows = {one.how for one in plan.measures}
        key = str(plan.keys[0].args[0]) if len(plan.keys) == 1 and plan.keys[0].op == "col" else ""
        listed = [str(one.what.args[0]) for one in plan.measures if one.what is not None and one.what.op == "col"]
        if (
            not key
            or not self._unique_key(key)
            or len(listed) < 2
            or len(listed) != len(plan.measures)
            or len(hows) != 1
            or not hows <= {"mean", "sum", "max", "min"}
        ):
            return
        plan.ask = f"{{r}}.set_index({quoted(key)})[[{', '.join(map(quoted, listed))}]].{hows.pop()}(axis=1)"
        plan.keys, plan.measures = [], []
        if len(plan.order) == 1 and plan.order[0].what is None:
            plan.ask += f".sort_values(ascending={not plan.order.pop().descending})"

    def _parenthesis(self) -> Expr | None:
        """ "total weight per hall (amount * weight)": the formula is taken out, and told where its name is."""
        for place, token in enumerate(self.tokens):
            if (
                token.text != "("
                or place == 0
                or self.tokens[place - 1].text in ("=", "of", "*", "/", "+", "-", "where")
            ):
                continue
            self.at = place + 1
            found = self.expression()
            closes = self.peek().text == ")"
            end, self.at = self.at, 0
            if found is not None and found.op not in ("col", "lit") and closes:
                del self.tokens[place : end + 1]
                self._named_by_a_column(place)
                return found
        return None

    def _named_by_a_column(self, end: int) -> None:
        """ "conversion rate (conversions / clicks)": one name, though the first word of it is a column's."""
        first, last = self.tokens[end - 2 : end] if end > 1 else (END, END)
        if first.kind == "c" and last.kind == "w" and last.text in ("rate", "ratio", "share", "index"):
            self.tokens[end - 2 : end] = [Token("w", f"{first.text}_{last.text}".replace(" ", "_"))]
