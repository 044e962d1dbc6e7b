"""A place in the tokens of a prompt, and what can be read there. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.model import Plan
from spark_jupyter.server.engines.phrases.tokens import END, Token, tokens
from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.query.conditions import Conditions
from spark_jupyter.server.engines.query.marked import Marked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.query.tables import Source

Found = TypeVar("Found")
ARTICLES = vocabulary.some("articles")


MOST_STEPS = 60_000
"""So many places are looked at for a phrase, else a prompt is given up: a sentence takes some thousand."""
LONGEST = 80
"""A prompt of more tokens is none of this grammar's sentences."""


NUMBERED = re.compile(r"(?:(?:^|[\W_])(?:id|no|nr|number|code)|(?-i:(?<=[a-z])I[dD]))\W*$", re.IGNORECASE)
"""The name of a column that only names its rows: nobody asks for the largest of them, where not by that name."""

_PERSONS = vocabulary.some("persons")
_ONE_ROW = re.compile(r"first|last|top|expensive|recent|\w{2,}est")
"""Before a noun they say that one row of a table is meant."""

_PLURAL = re.compile(r"(?<!s)(?<!si)(?<!ic)s$")
"""Such as "matches"; "skewness", "kurtosis" and "statistics" are none."""
SEXES = vocabulary.mapping("sexes")
SEX_NAMES = ("sex", "gender", "geschlecht")


class LostError(Exception):
    """Too many ways to read a prompt: it is none of this grammar's sentences."""


@lru_cache(maxsize=1024)
def runs(choices: tuple[str, ...]) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Runs of words by the first of them, those of most words first."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for choice in sorted(choices, key=lambda one: -one.count(" ")):
        parts = tuple(choice.split())
        found.setdefault(parts[0], []).append((parts, choice))
    return found


class Cursor:
    """What is read, and how far. Whatever reads returns None (or False) and leaves the place where it was, if it finds nothing."""

    def __init__(self, prompt: str, source: Source) -> None:
        self.columns = {one.name: one for one in source.columns}
        self.marked = Marked(prompt, tables=source.names, columns=source.columns)
        self.tokens = self._as_rows(tokens(self.marked, {source.name, source.other}), source)
        self.at = 0
        self.steps = 0
        self.absent = source.absent
        self.other = "" if source.absent else source.other
        self.brings = {one.name for one in source.columns[source.own :]} if source.own else set()
        """The columns that only the other table has."""
        self.nouns = [name.lower() for name in (source.name, source.other) if name]
        self.plan = Plan()
        dates = Conditions(self.marked, source.columns).dates
        named = {one.value for one in self.tokens if one.kind == "c"}
        self.dates = sorted(dates, key=lambda name: name not in named)
        """The columns of dates, those first that the prompt names: "discharged per month"."""
        self.listed: set[str] = set()
        """Columns of texts of which each is a list, such as "python;sql"."""
        self.made: dict[str, str] = {}
        """Words of the prompt that are names of columns which it makes itself."""

    @staticmethod
    def _as_rows(found: list[Token], source: Source) -> list[Token]:
        """ "patients" of a table that begins with ``patient_id``, "the last rental" of ``rentals``: its rows."""
        first = source.columns[0].name if source.columns else ""
        if not NUMBERED.search(first):
            return found
        made = []
        for before, token in zip([END, *found], found, strict=False):
            numbered = token.kind == "c" and token.value == first and NUMBERED.search(token.text) is None
            plural = token.text.endswith("s")
            one = _ONE_ROW.fullmatch(before.text) is not None and source.name.lower().startswith(token.text[:-1])
            made.append(Token("t", token.text, source.name, token.mark) if numbered and (plural or one) else token)
        return made

    def peek(self, ahead: int = 0) -> Token:
        """The token so many further on."""
        place = self.at + ahead
        return self.tokens[place] if 0 <= place < len(self.tokens) else END

    def tried(self, read: Callable[[], Found | None]) -> Found | None:
        """What ``read`` finds; where that is nothing the place stays."""
        before = self.at
        self._step()
        found = read()
        if found is None or found is False:
            self.at = before
        return found

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise LostError

    def word(self, *choices: str) -> str | None:
        """One of these words or signs, or of these runs of words."""
        self._step()
        for parts, choice in runs(choices).get(self.peek().text, ()):
            ahead = [self.peek(number) for number in range(len(parts))]
            if all(token.text == part and token.kind in "ws" for token, part in zip(ahead, parts, strict=True)):
                self.at += len(parts)
                return choice
        return None

    def said(self, *choices: str) -> str | None:
        """One of these runs of words, be they names of the table's as well: "hour of the day" beside a column ``hours``."""
        self._step()
        for choice in choices:
            parts = choice.split()
            if [self.peek(number).text for number in range(len(parts))] == parts:
                self.at += len(parts)
                return choice
        return None

    def of(self, mapping: dict[str, Any]) -> Any:
        """What one of the mapping's words stands for."""
        found = self.word(*mapping)
        return mapping[found] if found is not None else None

    def skip(self, choices: Iterable[str]) -> None:
        """Past any of these words."""
        some = frozenset(choices)
        while self.peek().kind in "ws" and self.peek().text in some:
            self.at += 1

    def kind(self, kinds: str) -> Token | None:
        """A token of one of these kinds."""
        if self.peek().kind in kinds:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def column(self, *kinds: str) -> str | None:
        """A column, of one of these kinds if any are given."""
        token = self.peek()
        if token.kind == "w" and token.text in self.made:
            self.at += 1
            return self.made[token.text]
        if token.kind != "c":
            return None
        known = self.columns.get(token.value)
        if kinds and known is not None and self.kind_of(known) not in kinds:
            return None
        self.at += 1
        return token.value

    def kind_of(self, one: Column) -> str:
        """What the column holds, be it as text."""
        if one.name in self.dates:
            return "date"
        return "number" if one.holds.startswith("numbers") else one.kind

    def ends(self) -> bool:
        """Whether the sentence, or a part of it, ends here."""
        return self.peek().kind == "e" or self.peek().text in (",", ";", ".", "?", "!", ":", ")", "then")

    def hinted(self, word: str) -> str | None:
        """The column that an adjective speaks of."""
        listed = [one.name for one in self.columns.values() if self.kind_of(one) in ("number", "date")]
        return lexicon.hinted(word, listed)

    @staticmethod
    def says_whose(token: Token) -> bool:
        """Whether it is "patients" of a column ``PatientName``: those whose rows they are, not their names."""
        return (
            token.kind == "c" and token.text in _PERSONS and token.text.rstrip("s") != token.value.lower().rstrip("s")
        )

    def plural_of_key(self) -> bool:
        """Whether "patients" of a column ``patient`` follows: it says whose rows they are."""
        token = self.peek()
        return (
            token.kind == "c"
            and (token.text == f"{token.value.lower()}s" or self.says_whose(token))
            and self.peek(1).text not in ("is", "=", "are")
        )

    def is_noun(self, token: Token) -> bool:
        """Whether the word may be what the rows are: "runners", "matches"."""
        if token.kind == "t":
            return True
        if token.text in SEXES and any(name.lower() in SEX_NAMES for name in self.columns):
            return False
        if token.kind == "w" and len(token.text) > 4 and any(name.startswith(token.text) for name in self.nouns):
            return True
        if token.kind != "w" or token.text in lexicon.VOCABULARY - {"rides", "trips"} or words.is_stop(token.text):
            return token.text in ROWS
        stem = words.canonical(token.text)
        return token.text in ROWS or (
            (_PLURAL.search(token.text) is not None or token.text in ("people", "children", "women", "men"))
            and len(token.text) > 3
            and words.stem(token.text) not in AMOUNTS
            and stem not in words.ACTIONS | words.THINGS | words.MODIFIERS
            and words.stem(token.text) not in words.KNOWN
        )


AMOUNTS = words.AMOUNTS | frozenset(map(words.stem, vocabulary.listed("amounts")))
"""Words for what is measured, or done: never for the rows."""
ROWS = vocabulary.some("rows")
