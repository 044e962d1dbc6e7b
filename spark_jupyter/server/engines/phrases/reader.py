"""A prompt about a table → a :class:`Plan`, or the words that nothing was made of. Pure.

It goes through the prompt from left to right. At each place the longest of its phrases is taken; a word that is in none and is no
mere politeness ends it: an answer to the rest of the sentence would be one to another question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES, ROWS
from spark_jupyter.server.engines.phrases.model import Expr, Measure, Plan, col, names
from spark_jupyter.server.engines.phrases.ratios import Ratios
from spark_jupyter.server.engines.phrases.vocabulary import HOWS, NOISE
from spark_jupyter.server.engines.query import lexicon

if TYPE_CHECKING:
    from collections.abc import Callable

_ASKS = words.ACTIONS | words.THINGS | words.MODIFIERS
_OTHERS = ("vs the others", "vs others", "vs the rest", "versus the others", "versus the rest", "against the others", "and the others",
           "compared to the others", "vs non", "vs not")  # fmt: skip

_MAKING = frozenset(
    (
        "a",
        "an",
        "the",
        "add",
        "new",
        "extra",
        "column",
        "make",
        "create",
        "calculate",
        "compute",
        "called",
        "named",
        "need",
        "want",
    )
)
"""Words before the name of what a formula makes."""


def _way(one: Expr) -> str:
    """How a condition compares: "is" and "is one of" alike."""
    return "eq" if one.op == "isin" else one.op


def _parts(one: Expr) -> list[Expr]:
    """The conditions of which all have to hold."""
    return [part for arg in one.args if isinstance(arg, Expr) for part in _parts(arg)] if one.op == "and" else [one]


class Reader(Ratios):
    """Reads the whole prompt."""

    def read(self) -> list[str]:
        """The plan is made; the words of which nothing was made."""
        left = []
        self.formula = self._parenthesis()
        older = self._parts()
        while self.peek().kind != "e":
            before = self._parts()
            if self._chunk():
                older = before
            elif self.word("instead", "rather"):
                self._replaced(older)
            else:
                token = self.peek()
                self.at += 1
                if token.text not in NOISE or token.kind not in "ws":
                    left.append(token.text if token.kind in "ws" else token.value)
        plan = self.plan
        if self.named_before and len(left) == 1 and left[0].isalpha():
            left = []
        if self.formula is not None:
            left = self._formula_named(left, self.formula)
        if (
            plan.keys
            and self.noun
            and not (plan.measures or plan.columns or plan.each or plan.step or plan.part or plan.picture)
        ):
            plan.measures.append(Measure(how="size"))
        if (
            plan.part and plan.keys and not plan.where and not plan.measures
        ):  # "percentage of respondents per age_group"
            plan.part, plan.share = False, True
            plan.measures.append(Measure(how="size"))
        self._counted_apart()
        self._rated()
        self._ratio()
        self._across()
        self.summed_as_usual()
        self.in_order()
        self.once_each()
        plan.exploded = [name for name in self.listed if any(one == col(name) for one in plan.keys)]
        return left

    def _formula_named(self, left: list[str], formula: Expr) -> list[str]:
        """ "ctr (clicks / impressions) by channel": what is left over is what the formula is called."""
        plan = self.plan
        left = left[next((at for at, one in enumerate(left) if one not in _MAKING), 0) :]
        if not (0 < len(left) <= 3 and all(one.replace("_", "").isalpha() for one in left)) or (
            plan.measures and plan.measures[0].what is not None
        ):
            return [*left, "formula"]
        name = "_".join(left)
        self._new(name, formula)
        if plan.picture is None and plan.keys and not (plan.measures or plan.columns):
            plan.columns = [name]
        if plan.picture is not None and not (plan.picture.y or plan.measures):
            plan.picture.y = [name]
        if formula.op == "div" and all(isinstance(one, Expr) and one.op == "col" for one in formula.args):
            self.rates[name] = formula
        return []

    def _parts(self) -> tuple[list[Any], ...]:
        """What there is of each part of the plan that a later phrase may take the place of."""
        plan = self.plan
        return ([*plan.keys], [*plan.measures], [*plan.order], [*plan.columns], [*plan.where])

    def _replaced(self, older: tuple[list[Any], ...]) -> None:
        """ "… instead": what the last phrase brought stands in the place of what there was of its kind; of conditions, of those that
        compare the same in the same way."""
        plan = self.plan
        *parts, conditions = older
        lists: tuple[list[Any], ...] = (plan.keys, plan.measures, plan.order, plan.columns)
        for now, then in zip(lists, parts, strict=True):
            if len(now) > len(then):
                now[:] = [one for one in now if not any(one is old for old in then)]
        fresh = [part for one in plan.where if not any(one is old for old in conditions) for part in _parts(one)]
        alike = {(_way(one), tuple(names(one))) for one in fresh}
        kept = [part for one in conditions for part in _parts(one) if (_way(part), tuple(names(part))) not in alike]
        plan.where = [*kept, *fresh]
        if plan.picture is not None and any(self.kinds):
            plan.picture.kind = next(one for one in reversed(self.kinds) if one)

    def _chunk(self) -> bool:
        reads: tuple[Callable[[], bool], ...] = (
            self._then, self.ignored, self._result, self.grown, self.saving, self._round, self.join, self._step_first, self.clean,
            self.banded, self._asked, self.picture, self._derive, self._stepwise, self._ordered,
            self._share, self._top, self._which, self._extreme, self._counted, self._measured, self._reordered,
            self._grouped, self._having, self._removed, self._absent, self._where, self._over_time, self._dated_noun,
            self._listed_columns, self._noun, self._strange_noun,
        )  # fmt: skip
        return any(self.tried(read) for read in reads)

    def saving(self) -> bool:
        """ "save it as a.csv"."""
        if self.plan.save and self.word("without the index", "without index", "no index", "with no index"):
            return True
        if not self.word("save", "export", "write", "store", "dump"):
            return False
        while self.peek().kind not in "fe":
            if not (self.peek().text in NOISE or self.is_noun(self.peek())):
                break
            self.at += 1
        file = self.kind("f")
        if file is None:
            # "save pupils with … to absent.csv": the file comes later
            place = next((n for n in range(self.at, len(self.tokens)) if self.tokens[n].kind == "f"), None)
            if place is None:
                return False
            file = self.tokens[place]
            start = place - 1 if self.tokens[place - 1].text in ("to", "as", "in", "into") else place
            del self.tokens[start : place + 1]
        self.plan.save = file.value
        return True

    def _round(self) -> bool:
        if not self.word("rounded", "round"):
            return False
        self.skip(("it", "them", "to", "result", "the", "results"))
        number = self.kind("n")
        if number is None and not self.word("whole numbers", "whole", "integers", "full numbers", "full"):
            return False
        self.skip(("decimal", "decimals", "digits", "places", "numbers", "whole", "digit", "place"))
        self.plan.round = int(number.value) if number else 0
        return True

    def _then(self) -> bool:
        """ "…, then the average", "and the mean of it": a summary of what was calculated."""
        if not self.plan.measures or not self.plan.keys:
            return False
        self.skip((",", "and", ";"))
        said = self.word("then", "afterwards", "finally") is not None
        self.skip(("show", "take", "give", "calculate", *ARTICLES))
        how = self.of(HOWS)
        if how is None or self.plan.then:
            return False
        if self.word("of it", "of them", "of those", "of these", "of that", "over all", "overall") is None and not said:
            return False
        while not self.ends():
            if (
                self.word("of", "across", "per")
                or self.peek().kind in "ct"
                or self.is_noun(self.peek())
                or self.peek().text in HOWS
                or self.peek().text in ARTICLES
            ):
                self.at += self.peek(-1).text not in ("of", "across", "per")
            else:
                return False
        self.plan.then = str(how)
        return True

    def _removed(self) -> bool:
        """ "drop rows where rent is missing"."""
        if not self.word("drop", "remove", "delete", "exclude", "filter out", "discard", "throw out"):
            return False
        self.skip((*ARTICLES, "with"))
        if self.is_noun(self.peek()):
            self.at += 1
        elif self.peek(-1).text != "with":
            return False
        found = self.predicate()
        if found is None:
            return False
        flipped = {
            "isna": "notna",
            "notna": "isna",
            "gt": "le",
            "ge": "lt",
            "lt": "ge",
            "le": "gt",
            "eq": "ne",
            "ne": "eq",
        }
        self.plan.where.append(Expr(flipped[found.op], found.args) if found.op in flipped else Expr("not", (found,)))
        return True

    def _absent(self) -> bool:
        """ "items that were never sold", where the other table tells which were."""
        if not self.absent or not self.word("never", "without", "not in", "no", "not", "nobody", "missing from"):
            return False
        self.skip((*ARTICLES, "any", "in", "been"))
        if (self.peek().kind == "w" and self.peek().text.endswith("ed")) or self.peek().text in (
            "sold",
            "bought",
            "made",
            "used",
            "played",
            "in",
        ):
            self.at += 1
        self.skip(("anything", "any", "at", "all", "yet", "ever", "by", "anyone"))
        self.absent_read = self.plan.joins = True
        return True

    def _where(self) -> bool:
        self.skip((",", "and", "but"))
        found = self.predicate()
        if found is None:
            return False
        if self.peek().kind == "c" and any(one.what == col(self.peek().value) for one in self.plan.measures):
            self.at += 1  # "only sick days", of a sum of days
        if (
            (self.is_noun(self.peek()) and self.peek().text != "them")
            or self.peek(1).text in ("vs", "versus")
            or (found.op in ("col", "eq", "not") and self.plural_of_key())
        ):
            self.at += 1
        self.tried(self._done_so)
        if found.op in ("eq", "col", "not") and self.plan.measures and self.word(*_OTHERS):
            self.plan.keys.append(col(names(found)[0]))
            return True
        self.plan.where.append(found)
        return True

    def _done_so(self) -> bool:
        """Past "were caught" at the end of a condition: "lakes where pike were caught"."""
        if not self.word("were", "was", "is", "are", "has been", "have been", "had been", "got"):
            return False
        token = self.peek()
        self.at += 1
        done = token.text in vocabulary.some("leads") or token.text.endswith("ed")
        return token.kind == "w" and done and token.text not in lexicon.VOCABULARY and self.ends()

    def _listed_columns(self) -> bool:
        """ "only name and score": the columns that are wanted."""
        if self.peek().kind == "c" and self.peek(-1).text in ("with", "mit", "that", "where", "without", "ohne"):
            return False
        self.skip((",", "only", "just", "and", "show", *ARTICLES, "of", "their", "columns", "column"))
        found: list[str] = []
        while True:
            before = self.at
            if found and not self.word(", and", ",", "and", "&"):
                break
            self.skip(ARTICLES)
            name = self.column()
            if name is None:
                self.at = before
                break
            found.append(name)
        if not found or self.peek().kind in "vnq" or self.columns.get(found[-1], None) is None:
            return False
        self.word("columns", "column")
        if self.plan.measures and len(found) == 1 and self.says_whose(self.peek(-1)):
            return True  # "average age of patients that are alive"
        self.plan.columns += found
        return True

    def _dated_noun(self) -> bool:
        """ "postings per month" of a column ``posted``."""
        token = self.peek()
        if token.kind != "c" or token.value not in self.dates:
            return False
        done = (
            token.text.endswith(("ed", "sold", "bought", "sent")) and self.peek(1).kind in "tv"
        )  # "admitted patients"
        led = (
            "per",
            "by",
            "with",
            "in",
            "from",
            "where",
            "that",
            "on",
            "during",
            "not",
            "after",
            "before",
            "between",
            "which",
            "of",
        )
        rows = words.stem(token.text) in map(words.stem, ROWS) and token.text != token.value.lower()  # "observations"
        if not done and not (rows and self.peek(1).text in led) and self.peek(1).text not in ("per", "by"):
            return False
        self.at += 1
        self.noun = True
        return True

    def _strange_noun(self) -> bool:
        """ "fish longer than 30 cm": a word of which nothing is known, at the very beginning and before a condition, is the rows."""
        token, after = self.peek(), self.peek(1).text
        first = all(one.text in NOISE for one in self.tokens[: self.at])
        known = token.text in lexicon.VOCABULARY or words.is_stop(token.text) or words.canonical(token.text) in _ASKS
        if token.kind != "w" or not first or known or words.stem(token.text) in words.KNOWN or len(token.text) < 4:
            return False
        led = after in (
            "with",
            "that",
            "where",
            "from",
            "who",
            "whose",
            "older",
            "younger",
            "caught",
        ) or after.endswith("er")
        self.at += 1
        found = led and self.tried(self.predicate) is not None
        self.at = self.tokens.index(token) + 1
        self.strange_rows = self.strange_rows or found
        return found

    def _noun(self) -> bool:
        if self.peek().kind == "t":
            self.at += 1
            self.noun = True
            return True
        if not self.is_noun(self.peek()) or (
            self.peek().text not in ROWS and self.marked.text.count(self.peek().text) > 1
        ):
            return False
        if self.peek().text == "order" and self.peek(-1).text in ("the", "in"):
            return False
        if self.peek(-1).text == "in" and self.peek().text not in ROWS:
            return False  # "the average weight in pounds"
        if self.peek().text not in ROWS and self.peek(1).text in ("in", "of"):
            ahead = 3 if self.peek(2).text in ARTICLES else 2
            if self.peek(ahead).kind == "c" and self.peek(ahead + 1).kind == "e" and self.plan == Plan():
                return False  # "the peaks in the intensity"
        said = self.peek().text
        # "submissions", of ``submitted``
        dated = len(said) > 6 and any(name.lower().startswith(said[:5]) for name in self.dates)
        self.noun = self.noun or said in ROWS or dated
        self.at += 1
        return True
