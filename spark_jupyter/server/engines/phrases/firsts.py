"""Which comes first in a sentence: "sorted by x", "top 3", "which company has the highest y", "oldest runner in each club". Pure."""

from __future__ import annotations

import re

from msgspec import structs

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.model import Expr, Measure, Order, col
from spark_jupyter.server.engines.phrases.most import Most
from spark_jupyter.server.engines.phrases.vocabulary import ASC, DESC, FALLING, HOWS, MOST, NUMBERS

_SORTED = vocabulary.listed("sorted_by")
_MONDAY = vocabulary.listed("monday_first")
RESULT = ("size", "value", "values", "count", "counts", "number", "amount", "frequency", "result", "height", "that")
"""Words for what a summary gives."""


class Firsts(Most):
    """Reads orders, and the rows or groups with the most."""

    place = -1
    """Where the order begins that is read now."""
    ordered = -1
    """Where the last order ended."""
    wayless = 0
    """Where the last order ended, if it was said without a way."""

    def _ordered(self) -> bool:
        self.place = self.at
        self.skip((",", "and", "then", "("))
        if self.plan.keys and self.plan.keys[-1].args[1:] == ("weekday",) and self.word(*_MONDAY):
            self.plan.calendar = True
            return True
        if (
            self.plan.order and self.wayless == self.place and (way := self._way()) is not None
        ):  # "sorted by date, newest first"
            self.plan.order[-1] = structs.replace(self.plan.order[-1], descending=way)
            return True
        led = self._order_led()
        what = None
        if led:
            how = self.of(HOWS) if self.plan.measures or self.plan.keys else None
            sized = self.word(*RESULT) if self.plan.measures or self.plan.keys else None
            what = None if how or sized else self._sort_key()
        way = self._way()
        if not led and way is None:
            return False
        timely = not led and self.dates and re.match(r"newest|latest|oldest|earliest|most recent", self.peek(-2).text)
        if timely and not (self.plan.keys or self.plan.measures or self.plan.order) and not self.hinted("old"):
            what = col(self.dates[0])
            way = self.peek(-2).text in ("newest", "latest")
        elif what is None and way is not None and not (self.plan.keys or self.plan.measures or self.plan.order):
            meant = self.hinted(self.peek(-2).text)  # "cheapest first"
            what = col(meant) if meant is not None and self.peek(-1).text == "first" else None
        if what is None and self.plan.derived and not (self.plan.keys or self.plan.measures):
            what = col(self.plan.derived[-1][0])
        self.wayless = self.at if way is None else 0
        if way is None and what is None:
            way = True  # a summary: the most first
        if self.word(")"):
            pass
        if what is not None and self.plan.keys and what not in self.plan.keys:
            what = None if any(one.what == what for one in self.plan.measures) else what
        self.plan.order.append(Order(what=what, descending=bool(way)))
        self.ordered = self.at
        return True

    def _order_led(self) -> bool:
        """Past "sort them by", or what leads in a further column to sort by: "and", "then by"."""
        led = self.word(*_SORTED)
        if led is None and self.plan.order and self.at > self.place:  # "sort by a, then by b"
            goes_on = self.peek(-1).text == "then" or self.place == self.ordered  # "sort by brand and qty"
            led = self.word("by") or ("then" if goes_on and self.peek().kind == "c" else None)
        if led is None:
            return False
        self.skip(("them", "it", "from", *ARTICLES))
        self.at += self.is_noun(self.peek())
        self.skip(("by", "nach", "per", "on", "it", "that", *ARTICLES))
        return True

    def _reordered(self) -> bool:
        """ "top 3 by x; by y instead"."""
        plan = self.plan
        if not (plan.limit and plan.order) or plan.keys or plan.measures or not self.word("by"):
            return False
        what = self.expression()
        if what is None or what.op == "lit" or self.word("instead") is None:
            return False
        plan.order = [Order(what=what, descending=plan.order[0].descending)]
        return True

    def _sort_key(self) -> Expr | None:
        name = self.tried(self.column)
        if name is not None and self.peek().text not in ("*", "/", "times", "divided", "minus", "plus"):
            return col(name)
        self.at -= name is not None
        if self.dates and self.word("date", "time", "the date", "day"):
            return col(self.dates[0])
        return self.expression()

    def _way(self) -> bool | None:
        self.skip(("in", "from", "the", "with"))
        if self.word(*DESC):
            return True
        if self.word(*ASC):
            self.word("order")
            return False
        token = self.peek()
        if token.kind == "w" and re.fullmatch(r"\w+est", token.text) and self.peek(1).text == "first":
            self.at += 2
            return FALLING.search(token.text) is None
        return None

    def _top(self) -> bool:
        """ "top 3 by x", "3 cheapest", "the 5 rows with the highest x", "first 10 rows"."""
        self.skip(ARTICLES)
        way = self._adjective()
        number = self._number()
        if number is None:
            return False
        if self.tried(lambda: self._top_selling(number, way)):
            return True
        way = way or self._adjective() or self._most_behind()
        if way is None:
            return False
        said, falls = way
        entity = self._entity()
        if said in ("first", "last"):
            self.plan.limit = number
            if said == "last":
                self.plan.order = [Order(what=one.what, descending=not one.descending) for one in self.plan.order] or []
                return bool(self.plan.order)
            return True
        what, how = self._of_what(said)
        if what is None and entity is None:
            return self._limited(number, falls)
        self.plan.limit = number
        keys = self._per() if what is not None and not how else []
        if keys and not self.plan.measures:
            self._of_each(keys, entity, Order(what=what, descending=falls))
            return True
        if entity is not None and what is not None and (how or self._repeats(entity)):
            self.plan.keys.append(col(entity))
            self.plan.measures.append(Measure(how=how or "sum", what=what))
            if not how:
                self.plan.says.append(f"By the sum of `{what.args[0]}`.")
            what = None
        elif entity is not None and what is None:
            self.plan.keys.append(col(entity))
            self.plan.measures.append(Measure(how="size"))
        self.plan.order.insert(0, Order(what=what, descending=falls))
        return True

    def _most_behind(self) -> tuple[str, bool] | None:
        """ "rows with the highest"."""
        noun = self.is_noun(self.peek()) or self.peek().kind == "c"
        self.at += noun
        self.skip(("with", *ARTICLES))
        most = self.of(MOST) if noun and self.peek(-1).text in ("the", "with") else None
        return (str(most), most == "most") if most is not None else None

    def _top_selling(self, number: int, way: tuple[str, bool] | None) -> bool:
        """ "top 3 selling items", "5 best-selling products in each store"."""
        said = self.word("best-selling", "bestselling", "top-selling", "best selling", "top selling", "worst selling")
        if said is None and (way is None or not self.word("selling", "sold")):
            return False
        falls = way[1] if way is not None else not self.peek(-2).text.startswith("worst")
        key = self.tried(self.key)
        sold = self._sold() if key is not None else None
        if key is None or sold is None:
            return False
        self._most_group(key, Measure(how="sum", what=col(sold)), falls)
        self.plan.limit = number
        return True

    def _of_each(self, keys: list[Expr], entity: str | None, order: Order) -> None:
        """The first rows of each group, or the first groups in it: "top 3 products by revenue in each region"."""
        if entity is not None and self._repeats(entity):
            self.plan.keys.append(col(entity))
            self.plan.within = len(keys)
            self.plan.measures.append(Measure(how="sum", what=order.what))
            order = Order(what=None, descending=order.descending)
        else:
            self.plan.each = True
        self.plan.keys += keys
        self.plan.order.insert(0, order)

    def _limited(self, number: int, falls: bool) -> bool:
        if not (self.plan.measures or self.plan.order):
            return False
        self.plan.limit = number
        if not self.plan.order:
            self.plan.order.append(Order(what=None, descending=falls))
        return True

    def _repeats(self, name: str) -> bool:
        return (
            self.columns[name].kind == "text"
            and not re.search(r"name|title|id$|nr$", name.lower())
            and any(
                key in name.lower()
                for key in (
                    "item",
                    "product",
                    "customer",
                    "category",
                    "artist",
                    "region",
                    "country",
                    "city",
                    "team",
                    "club",
                    "company",
                    "campaign",
                    "channel",
                    "carrier",
                    "brand",
                    "store",
                    "shop",
                    "branch",
                    "driver",
                    "genre",
                )
            )
        )

    def _number(self) -> int | None:
        if (number := self.kind("n")) is not None:
            return int(float(number.value)) if re.fullmatch(r"\d+", number.value) else None
        said = self.word(*NUMBERS)
        return NUMBERS[said] if said else None

    def _adjective(self) -> tuple[str, bool] | None:
        """ "top", "cheapest", "most expensive", and whether the largest come first."""
        if self.word("most expensive", "priciest", "dearest"):
            return "expensive", True
        token = self.peek()
        if token.kind != "w" or not (
            re.fullmatch(r"\w{2,}est", token.text)
            or token.text in ("top", "best", "bottom", "worst", "first", "last", "most", "latest")
        ):
            return None
        self.at += 1
        return token.text, not (token.text == "bottom" or FALLING.search(token.text))

    def _entity(self) -> str | None:
        """What the first ones are: a column, which is told, or a noun for the rows."""
        name = self.tried(lambda: self.column("text")) or self.tried(self._numbered_entity)
        if name is not None:
            return name
        if self.is_noun(self.peek()):
            self.at += 1
        return None

    def _numbered_entity(self) -> str | None:
        """ "top 3 Item No. by quantity": what has a number for a name."""
        name = self.column("number")
        numbered = name is not None and re.search(r"(?:^|[\W_])(?:no|nr|id|number|code)\W*$", name.lower())
        return name if numbered and self.peek().text in ("by", "with") else None

    def _of_what(self, said: str) -> tuple[Expr | None, str]:
        """By what they are the first: "by revenue", "with the highest average x", else what the adjective speaks of."""
        before = self.at
        lead = self.word("by", "with", "in", "according to", "of", "on", "per")
        if lead:
            self.skip(ARTICLES)
            self.of(MOST)
            how = self.of(HOWS) or ""
            self.word("of")
            what = self.expression()
            if what is not None and what.op != "lit" and not (lead == "with" and self._says_yes(what)):
                return what, str(how)
        self.at = before
        name = self.hinted("expensive" if said == "expensive" else said)
        if name is not None and not (said.startswith("old") and re.search(r"year|jahr|built", name.lower())):
            return col(name), ""
        what = self.tried(self.expression)
        return (what, "") if what is not None and what.op != "lit" else (None, "")

    def _says_yes(self, what: Expr) -> bool:
        """Whether it is a column of yes and no: "the 5 cheapest flats with a balcony"."""
        known = self.columns.get(str(what.args[0])) if what.op == "col" else None
        return known is not None and (known.kind == "bool" or known.flag)

    def _extreme(self) -> bool:
        """ "oldest runner in each club", "best pupil of each class in german", "most expensive article", "row with the highest x"."""
        self.skip((*ARTICLES, "which", "what", "who", "is", "was"))
        noun_first = self.is_noun(self.peek())
        self.at += noun_first
        if noun_first and not self.word("with", "that has", "has", "having", "who has", "with the", "that have"):
            return False
        self.skip(ARTICLES)
        way = self._adjective()
        if way is None:
            return False
        said, falls = way
        entity = self.tried(lambda: self.column("text"))
        noun = entity is None and self.is_noun(self.peek())
        singular = not noun and entity is None and self._singular()
        self.at += bool(noun or singular)
        what = None
        if entity is None and not noun and not singular:
            what = self.expression()
            if what is None or what.op == "lit":
                return False
            if self.is_noun(self.peek()) and self.peek(1).text not in ("of",):
                self.at += 1
                noun = True
            if not noun_first and not noun:
                return False
        return self._extreme_of(said, what, entity, falls=falls, noun=noun)

    def _singular(self) -> bool:
        """Whether a word for one row follows: "oldest runner in each club"."""
        token, after = self.peek(), self.peek(1).text
        measures = token.text in ("share", "percentage", "proportion", "number", "amount", "part", "rate", "fraction")
        return (
            token.kind == "w" and not measures and (after in ("per", "in", "of", "by", "each") or self.is_noun(token))
        )

    def _extreme_of(self, said: str, what: Expr | None, entity: str | None, *, falls: bool, noun: bool) -> bool:
        """The first row, or that of each group, by what is said, meant or summed up."""
        if what is None and self.peek().text == "by" and self.kind_ahead() == "number":
            self.at += 1
            what = self.expression()
        keys = self._per()
        if what is None:
            what, _ = self._of_what(said)
        keys = keys or self._per()
        aged = self._aged(said) if what is None else None
        if aged is not None:
            what, falls = aged, said in ("newest", "latest", "youngest")
        if what is None and keys:
            what = self._meant_of(said, noun=noun)
        if what is None:
            return False
        if not keys and entity is not None and self._summed(entity, what):
            return self._most_group(col(entity), Measure(how="sum", what=what), falls)
        self.plan.keys += keys
        self.plan.each = bool(keys)
        self.plan.order.insert(0, Order(what=what, descending=falls))
        self.plan.limit = None if keys else 1
        return True

    def _aged(self, said: str) -> Expr | None:
        """The year, or the date, by which something is the oldest, where no column tells its age."""
        if said not in ("oldest", "newest") or self.hinted("young"):
            return None
        years = [
            name
            for name, one in self.columns.items()
            if one.kind == "number" and re.search(r"year|jahr|built", name.lower())
        ]
        return col(years[0]) if len(years) == 1 else col(self.dates[0]) if len(self.dates) == 1 else None

    def _meant_of(self, said: str, *, noun: bool) -> Expr | None:
        """What "the largest order", or "the first one", of each group goes by."""
        if noun and said in ("largest", "biggest", "highest", "smallest", "lowest"):
            amount = self.amount()
            return col(amount) if amount else None
        timely = said in ("first", "last", "earliest", "latest", "newest") and self.dates
        return col(self.dates[0]) if timely else None

    def _summed(self, entity: str, what: Expr) -> bool:
        """Whether the first of an entity is the one with the largest sum, which is said then."""
        summed = what.op == "col" and not self._amount_like(what) and self._repeats(entity)
        if summed:
            self.plan.says.append(f"By the sum of `{what.args[0]}`.")
        return summed

    def kind_ahead(self) -> str:
        """What the column behind the next word holds."""
        known = self.columns.get(self.peek(1).value) if self.peek(1).kind == "c" else None
        return self.kind_of(known) if known is not None else ""

    def _per(self) -> list[Expr]:
        found = self.tried(
            lambda: (
                self.keys()
                if self.word("per", "by", "of each", "in each", "for each", "each", "within each", "pro", "je")
                else None
            )
        )
        return found or []
