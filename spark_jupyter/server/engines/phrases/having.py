"""Groups of which something has to hold: "cities with more than one job", "sites with an average ph above 7". Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.cursor import ARTICLES, NUMBERED
from spark_jupyter.server.engines.phrases.model import Measure, col
from spark_jupyter.server.engines.phrases.summaries import Summaries
from spark_jupyter.server.engines.phrases.vocabulary import HOWS, mapping, some
from spark_jupyter.server.engines.rewrite import quoted

_COUNTED = mapping("counted")
"""How many a group has to have, by its sign: "more than", "at least"."""
_COMPARED = {**_COUNTED, "above": ">", "below": "<", "higher than": ">", "lower than": "<", "greater than": ">", "exceeding": ">",
             "exceeds": ">", "larger than": ">", "smaller than": "<", ">": ">", "<": "<", ">=": ">=", "<=": "<=",
             "bigger than": ">", "longer than": ">", "shorter than": "<"}  # fmt: skip
_SPENT = ("spent", "spend", "spends", "paid", "earned", "made", "brought", "cost")
_DID = some("having_done")
_TIMES = ("times", "row", "rows", "entry", "entries", "record", "records", "occurrences")


class Having(Summaries):
    """Reads conditions about groups."""

    def _having(self) -> bool:
        """ "cities with more than one job", "customers who ordered more than 3 times"."""
        self.skip((*ARTICLES, "which", "what"))
        name = self.column("text") or self._numbering()
        if name is None:
            return False
        verb = self._led_in()
        if verb is None:
            return False
        made = self.tried(lambda: self._of_sums(verb)) or self.tried(self._of_summaries) or self.tried(self._of_rows)
        if made is None or (self.plan.measures and self.plan.measures != [made[0]]):
            return False
        self.plan.keys.append(col(name))
        self.plan.measures = [made[0]]
        self.plan.having = made[1]
        return True

    def how_many_have(self) -> bool:
        """ "how many patients came more than once": how many such groups there are."""
        if self.plan.measures or self.plan.keys or not self.word("number of"):
            return False
        name = self.column("text")
        verb = self.peek().text
        if name is None or not (self._led_in() is not None or (verb in _DID and self.kind("w"))):
            return False
        found = self.tried(self._of_rows)
        if found is None or not self.ends():
            return False
        self.plan.ask = f"({{r}}.groupby({quoted(name)}).size() {' '.join(found[1])}).sum()"
        return True

    def _numbering(self) -> str | None:
        """A column that numbers what has several rows: "patients" of ``patient_id``, where it is not the table's own."""
        name = self.column("number")
        own = name == next(iter(self.columns), None)
        return name if name and not own and NUMBERED.search(name) else None

    def _led_in(self) -> str | None:
        """Past "with", or "who ordered"; the verb, if there is one."""
        if self.word("with", "that have", "which have", "have", "having", "who have", "that appear", "appearing", "that occur", "where",
                     "whose", "for which", "that had", "who had", "in which"):  # fmt: skip
            return ""
        bare = self.peek(1).text in (
            "more",
            "at",
            "over",
            "less",
            "fewer",
            "exactly",
            "only",
        )  # "patients examined more than twice"
        if not self.word("who", "that", "which") and not (bare and self.peek().kind == "w"):
            return None
        self.skip(("have", "has"))
        token = self.peek()
        if token.kind in "wc" and (token.text.endswith("ed") or token.text in (*_SPENT, *_DID)):
            self.at += 1
            return token.text
        return None

    def _of_sums(self, verb: str) -> tuple[Measure, tuple[str, str]] | None:
        """ "campaigns with more than 1000 clicks in total", "who spent more than 200"."""
        sign = self.of(_COUNTED)
        self.skip(("$", "€", "£"))
        number = self.kind("n") if sign else None
        if number is None:
            return None
        self.skip(("$", "€", "£", "euro", "euros", "dollars"))
        spent = self.amount() if verb in _SPENT and (self.ends() or self.peek().text == "in") else None
        what = spent or self.column("number") or self.measured_in()
        if what is None or not (self.word("in total", "altogether", "overall", "in sum", "total") or spent):
            return None
        return Measure(how="sum", what=col(what)), (str(sign), number.value)

    def _of_summaries(self) -> tuple[Measure, tuple[str, str]] | None:
        """ "sites with an average nitrate above 6", "stores where the total amount exceeds 500"."""
        self.skip(ARTICLES)
        how = self.of(HOWS)
        self.skip(("of", "the"))
        what = self.expression() if how else None
        counts = how is None and self.word("number of", "count of") is not None
        self.at += counts and self.is_noun(self.peek())
        if what is None and not counts:
            return None
        self.skip(some("is"))
        sign = self.of(_COMPARED)
        self.skip(("$", "€", "£"))
        number = self.kind("n") if sign else None
        if number is None or (what is not None and (what.op == "lit" or self.peek().kind == "c")):
            return None
        self.skip(some("units"))
        measure = Measure(how="size") if counts else Measure(how=str(how), what=what)
        return measure, (str(sign), number.value)

    def _of_rows(self) -> tuple[Measure, tuple[str, str]] | None:
        """Behind "cities with": "more than one job", "at least 3 times"."""
        sign = self.of(_COUNTED)
        number = self._number() if sign else None
        once = {"once": "1", "twice": "2"}.get(self.peek().text) if sign and number is None else None
        if once is not None:
            self.at += 1
            return Measure(how="size"), (str(sign), once)
        if number is None or (self.peek().kind == "w" and self.peek().text in some("units") - some("rows")):
            return None
        if not (
            self.word(*_TIMES) or self.is_noun(self.peek()) or (self.peek().kind == "w" and self.peek(1).kind == "e")
        ):
            return None
        self.at += self.peek().kind != "e" and self.peek(-1).text not in _TIMES
        return Measure(how="size"), (str(sign), str(number))
