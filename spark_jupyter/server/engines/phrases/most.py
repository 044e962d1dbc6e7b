"""Which group has the most in a sentence: "which company has the highest y", "what sells best", "most common z". Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES, ROWS
from spark_jupyter.server.engines.phrases.deriving import Deriving
from spark_jupyter.server.engines.phrases.model import Expr, Measure, Order, col
from spark_jupyter.server.engines.phrases.vocabulary import HOWS, MOST, WHICH_VERBS

_EARNS = (
    "sold",
    "made",
    "earned",
    "spent",
    "brought",
    "paid",
    "sells",
    "makes",
    "earns",
    "spends",
    "pays",
    "sell",
    "earn",
)
_PERSONS = vocabulary.some("persons")
_SELLS = ("sold", "sells", "sell")
_GOES_ON = frozenset(
    (
        "in",
        "on",
        "during",
        "at",
        "by",
        "per",
        "for",
        "since",
        "between",
        "after",
        "before",
        "among",
        "from",
        "and",
        "to",
    )
)
_PRODUCT = re.compile(
    r"item|product|article|artikel|sku|film|movie|song|game|menu|dish|drink|book|flavou?r|model|title|brand|meal|toy|plant",
    re.IGNORECASE,
)


class Most(Deriving):
    """Reads the groups with the most."""

    several = False
    """Whether "the most common" are asked for in the plural: all of them, in order."""

    def _which(self) -> bool:
        """ "which company has the highest average x", "company with the most y", "most common z"."""
        if self.tried(self._common):
            return True
        self.skip(("in", "at", "on"))
        asked = self.word("which", "what", "who")
        key = self.tried(self._doer) if asked == "who" else self.key()
        if key is None and asked is None:
            return False
        self.at += key is None and self.is_noun(self.peek())
        means = self._verbs(key)
        said = self.peek(-1).text
        if key is None and said in _SELLS:
            key = self._product()
        self.skip(ARTICLES)
        subject = self.tried(self.expression) if self.peek().kind in "ct" else None
        self.skip(("is", "was", "were", "on", "the"))
        most = self.of(MOST)
        if most is None or self.peek().text in ("share", "percentage", "proportion", "rate"):
            return False
        if self.word("often", "frequently", "common", "times", "frequent"):
            return key is not None and self._most_group(key, Measure(how="size"), most == "most")
        how, what = ("", subject) if subject is not None else self._of_which()
        means = means or self.word("on average", "in average") is not None
        if what is None and not how and said in _EARNS and (earned := self._earned(key, said)):
            how, what = how or "sum", col(earned)
        elif (what is not None and what.op == "lit") or (what is None and not self._rows_noun()):
            return False
        if key is None or (what is not None and not how and not means and self._names_rows(key)):
            if what is None:
                return False
            self.plan.order.insert(0, Order(what=what, descending=most == "most"))
            self.plan.limit = 1
            return True
        return self._most_group(
            key, Measure(how="mean" if means else how or self._usual_how(what), what=what), most == "most"
        )

    def _doer(self) -> Expr | None:
        """Behind "who": the one column of persons, who each may have done it several times: "worked the most overtime"."""
        token = self.peek()
        found = [
            name
            for name, one in self.columns.items()
            if one.kind == "text" and f"{name.lower().rstrip('s')}s" in _PERSONS
        ]
        done = token.text.endswith("ed") or token.text in (
            *_SELLS,
            *_EARNS,
            "bought",
            "did",
            "took",
            "ran",
            "won",
            "drove",
        )
        if not done or len(found) != 1 or self._unique_key(found[0]):
            return None
        self.at += 1
        return col(found[0])

    def _earned(self, key: Expr | None, verb: str) -> str | None:
        """What there was the most of behind "sells best": pieces of a product, else money."""
        if not (self.ends() or self.peek().text in _GOES_ON):
            return None
        product = key is not None and key.op == "col" and _PRODUCT.search(str(key.args[0])) is not None
        sold = self.quantity() if product and verb in _SELLS else None
        return sold or self.amount()

    def _passive(self) -> bool:
        """Whether "seen" of "was seen most often" follows."""
        token, after = self.peek(), self.peek(1).text
        done = token.kind == "w" and (token.text.endswith("ed") or token.text in vocabulary.some("leads"))
        return done and self.peek(-1).text in ("was", "were", "is", "are", "been") and after in ("the", "most", "least")

    def _product(self) -> Expr | None:
        """The one column of what is sold: "what sells best"."""
        found = [name for name, one in self.columns.items() if one.kind == "text" and _PRODUCT.search(name)]
        return col(found[0]) if len(found) == 1 else None

    def _verbs(self, key: Expr | None) -> bool:
        """Past verbs; whether "average" is among them."""
        means = False
        while self.peek().text in WHICH_VERBS or self._passive():
            means = means or self.peek().text == "average"
            self.at += 1
        return means

    def _of_which(self) -> tuple[str, Expr | None]:
        """What there is the most of, and how it is summed up."""
        how = self.of(HOWS) or ""
        self.word("of", "in", "for") if how else self.word("of")
        if self.word("number of"):
            return "size", None
        across = self.tried(self.numbers) if how in ("sum", "mean") else []
        if across and len(across) > 1:
            return "", self.across(str(how), across)
        if across:
            return str(how), col(across[0])
        return str(how), self.expression()

    def _rows_noun(self) -> bool:
        if self.peek().kind != "t" and self.peek().text not in ROWS:
            return False
        self.at += 1
        return True

    def _names_rows(self, key: Expr) -> bool:
        return key.op == "col" and self._unique_key(str(key.args[0]))

    def _usual_how(self, what: Expr | None) -> str:
        """How what nobody says how to sum up is: amounts are added, prices are not."""
        if what is None:
            return "size"
        if self._amount_like(what):
            return "max"
        self.plan.says.append("“Most” is by the sum.")
        return "sum"

    def _amount_like(self, what: Expr) -> bool:
        """Whether adding it up makes no sense: prices, scores, temperatures."""
        return (
            what.op == "col"
            and re.search(
                r"price|preis|rate|rating|score|age|temp|mark|height|pct|percent|miete", str(what.args[0]).lower()
            )
            is not None
        )

    def _unique_key(self, name: str) -> bool:
        return (
            re.search(r"name|^id$|_id$|title|pupil|student|player|straße|street|subject|titel", name.lower())
            is not None
        )

    def _most_group(self, key: Expr, measure: Measure, most: bool) -> bool:
        self.plan.keys.append(key)
        self.plan.measures.append(measure)
        self.plan.order = [Order(what=None, descending=most)]
        self.plan.limit = 1
        return True

    def _common(self) -> bool:
        self.skip((*ARTICLES, "which", "what", "is"))
        ahead = self.tried(self._key_ahead)
        said = self.word(
            "most common",
            "most frequent",
            "most popular",
            "best selling",
            "best-selling",
            "top selling",
            "bestselling",
            "commonest",
            "busiest",
            "most used",
            "least common",
            "rarest",
            "least frequent",
        )
        if said is None:
            return False
        key = ahead or self.key()
        if key is None:
            return False
        name = str(key.args[0]) if key.op == "col" else ""
        self.several = name != "" and self.peek(-1).text != name and self.peek(-1).text.endswith("s")
        self.skip(("value", "values", "in", "of"))
        if "selling" in said:
            sold = self._sold()
            if sold is not None:
                return self._most_group(key, Measure(how="sum", what=col(sold)), most=True)
        return self._most_group(key, Measure(how="size"), not said.startswith(("least", "rarest")))

    def _key_ahead(self) -> Expr | None:
        """ "which hour is the" busiest."""
        key = self.key()
        if key is None or not self.word("is", "was", "are", "were"):
            return None
        self.skip(ARTICLES)
        return key

    def _sold(self) -> str | None:
        """What was sold, by which column it is said, else by the one of quantities."""
        if self.word("by"):
            self.skip(("the", "total"))
            return self.column("number")
        return self.quantity()
