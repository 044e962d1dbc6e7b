"""Conditions about one column: its values, its gaps, its texts, yes and no. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES, SEXES
from spark_jupyter.server.engines.phrases.measures import converted
from spark_jupyter.server.engines.phrases.model import Expr, col, lit
from spark_jupyter.server.engines.phrases.values import Values
from spark_jupyter.server.engines.query.dates import iso
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.phrases.tokens import Token

_TRULY = ("true", "false", "yes", "no", "ja", "nein", "y", "n")
_IS = vocabulary.some("is")
_UNITS = vocabulary.some("units")
_WHEN = frozenset(("in", "on", "since", "before", "after", "during", "between", "until"))
_GOES_ON = frozenset(
    ["and", "or", "per", "by", "but", "sorted", "in", "for", "from", "where", "who", "that", "on", "at"]
)
_TOLD = (
    "measured",
    "recorded",
    "known",
    "given",
    "available",
    "entered",
    "reported",
    "noted",
    "date",
    "value",
    "yet",
    "at all",
)


class Atoms(Values):
    """Reads conditions about one column."""

    @staticmethod
    def _flip(one: Expr) -> Expr:
        return Expr({"notna": "isna", "isna": "notna", "ne": "eq"}[one.op], one.args)

    def value(self, name: str) -> str | None:
        """A value of the column, as source."""
        known = self.columns.get(name)
        kind = self.kind_of(known) if known else ""
        self.skip(("the", "a", "an", "$", "€", "£"))
        token = self.peek()
        if token.kind == "n" and kind in ("number", "bool", "", "text"):
            self.at += 1
            if known is not None and known.fraction and self.word("%", "percent"):
                return f"{float(token.value) / 100:g}"
            said = converted(token.value, self.peek().text, name) if kind == "number" else token.value
            self.skip(_UNITS)
            return said if kind != "text" else quoted(said)
        if token.kind == "d" and kind in ("date", "text"):
            self.at += 1
            return quoted(iso(token.value))
        if token.kind == "q":
            self.at += 1
            return quoted(token.value)
        if token.kind == "v" and name in self.marked.holders.get(token.mark, ()):
            self.at += 1
            return quoted(token.value)
        if kind == "bool" and token.text in ("true", "false", "yes", "no"):
            self.at += 1
            return "True" if token.text in ("true", "yes") else "False"
        if known is not None and known.flag and token.text in ("true", "false", "yes", "no"):
            self.at += 1
            return "1" if token.text in ("true", "yes") else "0"
        if known is not None and known.truth and token.text in _TRULY:
            self.at += 1
            return quoted(known.truth[0 if token.text in ("true", "yes", "ja", "y") else 1])
        return None

    def values(self, name: str) -> list[str]:
        """Values of a column, "a, b or c"."""
        found: list[str] = []
        while True:
            before = self.at
            if found and not self.word(", or", ", and", ",", "or", "and", "/", "oder", "nor"):
                return found
            self.skip(("in", "from"))
            one = self.value(name)
            if one is None:
                self.at = before
                return found
            found.append(one)

    def _listed(self) -> Expr | None:
        """ "city is Berlin or Hamburg", "when class = 7a"."""
        start = self.at
        name = self.column()
        if name is None:
            return None
        denied = False
        said = self.word(
            "is",
            "are",
            "was",
            "were",
            "=",
            "==",
            "equals",
            "in",
            "is in",
            "is either",
            "is one of",
            "equal to",
            "is equal to",
            "ist",
            "!=",
            "is not",
            "is not in",
            "are not",
            "not in",
            "was not",
            "not",
            "other than",
            "is no",
            "has",
            "of",
            "by",
            "starts with value",
            "with",
            "using",
            "via",
        )
        if said is not None:
            denied = "not" in said or said in ("!=", "other than", "is no")
            if not denied and said in ("has", "of", "by") and self.peek().kind not in "vqn":
                return None
            if said in ("with", "using", "via") and not (
                self.peek().kind == "v" and self._own_value(name, self.peek())
            ):
                return None
        self.skip(("exactly", "either", "equal", "to") if said else ())
        found = self.values(name)
        if not found or (said is None and self.peek(-1).kind not in "vq"):
            return None
        known = self.columns.get(name)
        led = self.tokens[start - 1].text if start else ""
        more = self.peek().text == "or" and self.peek(1).text in (
            "more",
            "less",
            "higher",
            "lower",
            "above",
            "below",
            "over",
        )
        told = (
            said == "of" and not more and led in ("a", "an", "with", "had", "have", "has", "having")
        )  # "had a rating of 4 or 5"
        if (
            known is not None
            and self.kind_of(known) == "number"
            and said in (None, "in", "of", "has", "by")
            and not told
        ):
            return None
        made = (
            Expr("eq", (col(name), lit(found[0]))) if len(found) == 1 else Expr("isin", (col(name), *map(lit, found)))
        )
        if denied:
            return Expr("ne", made.args) if len(found) == 1 else Expr("not", (made,))
        return made

    def _missing(self) -> Expr | None:
        self.skip(("have", "has", "had", "with") if self.peek(1).text in ("no", "missing") else ())
        if self.word("missing", "empty", "unknown", "no", "null"):
            self.skip(("values", "value", "in", "for", "the", "any"))
            counts = self.peek(-1).text == "no"
            name = self.column()
            told = self.word(*_TOLD) is not None
            number = name is not None and self.kind_of(self.columns[name]) == "number"
            if name is None or self.yes(name) is not None or (counts and number and not told):
                return None
            self.word("yet", "at all")
            return Expr("isna", (col(name),))
        name = self.column()
        if name is None:
            return None
        self.skip(("values", "value"))
        denied = self.word("is not", "are not", "isn't", "was not", "not") is not None
        if not denied:
            self.skip(_IS)
        if self.word("missing", "empty", "null", "nan", "unknown", "blank", "na", "none"):
            self.word("or empty", "or missing", "or null", "or nan", "or blank")
            if (lacks := self.tried(self._lacking)) is not None:
                name = lacks
            return Expr("notna" if denied else "isna", (col(name),))
        if self.word("known", "given", "present", "filled", "available"):
            return Expr("isna" if denied else "notna", (col(name),))
        return None

    def told(self) -> Expr | None:
        """ "orders with a coupon", "that have an email": where there is one."""
        led = self.peek(-1).text in ("a", "an") or self.word("any") is not None
        if not led or self.peek(-2).text not in ("with", "has", "have", "having"):
            return None
        self.skip(("known", "recorded", "valid"))
        name = self.column("text", "date")
        self.word(*_TOLD)
        follows = self.ends() or self.peek().text in (
            "and",
            "or",
            "per",
            "by",
            "but",
            "sorted",
            "in",
            "for",
            "from",
            "where",
            "who",
            "that",
            "on",
            "at",
        )
        return Expr("notna", (col(name),)) if name and follows and self.yes(name) is None else None

    def _lacking(self) -> str | None:
        """Behind "students are missing": what they lack, "a maths grade"."""
        if not self.word("a", "an", "the", "their"):
            return None
        name = self.column()
        self.word("value", "grade", "score", "date", "entry")
        if name is not None and self.peek().kind == "t":
            self.at += 1
        return name

    def undone(self) -> Expr | None:
        """ "who has not done the english test"."""
        said = self.word("not done", "not taken", "not take", "not written", "not handed in", "not filled in", "missed")
        self.skip(ARTICLES)
        name = self.column() if said else None
        told = self.word("test", "exam", "quiz", "homework") is not None
        return Expr("isna", (col(name),)) if name and self.yes(name) is None and (told or said != "missed") else None

    def _gap(self) -> Expr | None:
        """Behind "without": "a club", "any comment"."""
        self.skip(("a", "an", "any", "the", "missing"))
        name = self.column()
        self.word("date", "value")
        if name is None or self.peek().kind in "vnq" or (name in self.dates and self.peek().text in _WHEN):
            return None
        known = self.columns.get(name)
        whole = known is not None and known.dtype.lower().startswith(("int", "uint"))
        if known is not None and whole and known.holds != "index" and not known.flag:
            return Expr("ne", (col(name), lit("0")))  # "without overtime", where none is missing
        return self.yes(name) or Expr("notna", (col(name),))

    def yes(self, name: str) -> Expr | None:
        """That a column of yes and no says yes; None of any other."""
        known = self.columns.get(name)
        if known is None:
            return None
        if known.truth:
            return Expr("eq", (col(name), lit(quoted(known.truth[0]))))
        if known.kind == "bool":
            return col(name)
        return Expr("eq", (col(name), lit("1"))) if known.flag else None

    def _truth(self) -> Expr | None:
        """A column of yes and no: "remote jobs", "that are remote", "mit Balkon"."""
        denied = self.word("not", "non") is not None
        name = self.column()
        known = self.columns.get(name) if name else None
        if (
            name is None
            or known is None
            or (self.peek().text in ("is", "=", "in", "as", "and", "by", "per") and self._own_value(name, self.peek(1)))
        ):
            return None
        if known.truth:
            return Expr("eq", (col(name), lit(quoted(known.truth[1 if denied else 0]))))
        if self.at >= 2 and self.peek(-2).text in ("by", "per", "coloured"):
            return None
        if self.peek(-2).text == "of" and not (self.is_noun(self.peek()) or self.plural_of_key()):
            return None
        if known.flag:
            return Expr("eq", (col(name), lit("0" if denied else "1")))
        if known.kind != "bool":
            return None
        return Expr("not", (col(name),)) if denied else col(name)

    def _own_value(self, name: str, token: Token) -> bool:
        """Whether it may be a value of the column: "night shifts in ER" has none of its."""
        return token.kind in "qn" or (token.kind == "v" and name in self.marked.holders.get(token.mark, (name,)))

    def _valued(self) -> Expr | None:
        """Values that the table is known to have: "in Berlin", "Noa or Kim"."""
        token = self.peek()
        holders = self.marked.holders.get(token.mark, ()) if token.kind == "v" else ()
        if not holders:
            return self.tried(self._named_like_a_column)
        if len(holders) > 1:
            return self._in_any(token, holders)
        found = self.values(holders[0])
        if not found:
            return None
        return (
            Expr("eq", (col(holders[0]), lit(found[0])))
            if len(found) == 1
            else Expr("isin", (col(holders[0]), *map(lit, found)))
        )

    def _named_like_a_column(self) -> Expr | None:
        """ "the delivered ones" of a status, where there is a column ``delivered`` too."""
        token = self.peek()
        if token.kind != "c" or not (self.peek(1).text in ("ones", "rows") or self.is_noun(self.peek(1))):
            return None
        held = [
            (one.name, value) for one in self.columns.values() for value in one.values if value.lower() == token.text
        ]
        if len(held) != 1 or held[0][0] == token.value:
            return None
        self.at += 1
        return Expr("eq", (col(held[0][0]), lit(quoted(held[0][1]))))

    def _in_any(self, token: Token, holders: tuple[str, ...]) -> Expr:
        """A value of several columns: "games where Lions played, home or away"."""
        led = self.peek(-1).text
        self.at += 1
        value = lit(quoted(token.value))
        side = {
            "from": r"orig|from|start|depart|source|sender|home",
            "to": r"dest|^to$|_to$|end|arriv|target|receiv|away",
        }.get(led)
        of_side = [name for name in holders if side and re.search(side, name.lower())]
        if len(of_side) == 1:
            return Expr("eq", (col(of_side[0]), value))
        said: list[str] = []
        before = self.at
        self.skip(("played", "was", "were", "is", "are", "as", ",", "at", "in"))
        while (name := self.column()) is not None and name in holders:
            said.append(name)
            self.word("or", "and", ",")
        if not said:
            self.at = before
            self.skip(("played",))
        parts = [Expr("eq", (col(name), value)) for name in (said or holders)]
        made = parts[0]
        for one in parts[1:]:
            made = Expr("or", (made, one))
        return made

    def _sexed(self) -> Expr | None:
        """ "women" where a column tells the sex by a letter or a word."""
        sex = self.of(SEXES)
        name = next(
            (one.name for one in self.columns.values() if one.name.lower() in ("sex", "gender", "geschlecht")), None
        )
        if sex is None or name is None:
            return None
        firsts = '("f", "w")' if sex == "f" else '"m"'
        return Expr("call", (f"{{0}}.str.lower().str.startswith({firsts})", col(name)))
