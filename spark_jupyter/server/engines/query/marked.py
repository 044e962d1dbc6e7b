"""A prompt with its names and values marked, so that rules are patterns over ``⟨c0⟩ above ⟨n0⟩``. Pure.

``⟨c…⟩`` is a column, ``⟨v…⟩`` a value that the table is known to have, ``⟨t…⟩`` a table, ``⟨n…⟩`` a number, ``⟨d…⟩`` a
date, ``⟨q…⟩`` a text in quotes, ``⟨f…⟩`` a file. A rule takes out what it has understood; what is left over at the end was not.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import marks, words
from spark_jupyter.server.engines.query import lexicon

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spark_jupyter.server.engines.namespace import Column

C, N, D, Q, F, T, V = (rf"⟨{letter}\d+⟩" for letter in "cndqftv")
"""Patterns of one mark."""
CS = rf"{C}(?:\s*(?:,\s*and|,|and|&|\+)\s*(?:the\s+)?{C})*"
"""Pattern of some columns."""
WORD = rf"(?!(?:{lexicon.NO_VALUE})\b)[A-Za-zÀ-ÿ][\wÀ-ÿ.'-]*"
VALUE = rf"(?:⟨[ndqv]\d+⟩|{WORD})"
"""Pattern of a value: marked, or a word that is none of the language's own."""
VALUES = (
    rf"{VALUE}(?:(?:\s*,\s*(?:or\s+|and\s+)?|\s+(?:or|and)\s+){VALUE}(?!\s+(?:is|are|above|below|over|under|>|<|=)))*"
)

_ALSO_WORDS = frozenset([
    "no", "not", "yes", "none", "all", "any", "one", "in", "on", "is", "it", "new", "first", "last", "a", "an", "of", "by", "to",
])  # fmt: skip
"""Values that are words of the language itself: taken for such only where something says that they are."""
_ALSO_NAMES = frozenset(
    ["per", "max", "min", "may", "will", "mark", "dates", "jan", "mean", "sum", "best", "art", "sort", "bill", "rank"]
)
"""Names and words both: taken for such only as they are spelt, and not at the very beginning."""
_DATE = re.compile(r"\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}\.\d{1,2}\.\d{4}\b|\b\d{1,2}/\d{1,2}/\d{4}\b")
_MONTHS = "|".join(sorted(lexicon.MONTHS, key=len, reverse=True))
_SPELT = re.compile(
    rf"\b(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<m>{_MONTHS})\.?,?\s+(?P<y>\d{{4}})\b"
    rf"|\b(?P<m2>{_MONTHS})\s+(?:the\s+)?(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y2>\d{{4}})\b",
    re.IGNORECASE,
)
"""A date with its month in letters."""
_SHORT_SPELT = re.compile(
    rf"\b(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<m>{_MONTHS})\b(?!\s+\d)", re.IGNORECASE
)
"""The same without a year: it is marked as --11-01."""
_NUMBER = re.compile(r"(?<![\w.⟨])-?\d+(?:[.,]\d{3})*(?:\.\d+)?(?=[\s,;:)%?!]|\.?$|[a-z%])")
_RANGE = re.compile(r"(?<![\w.-])(\d+(?:\.\d+)?)\s*(?:\.\.+|…)\s*(\d+(?:\.\d+)?)(?![\w-])")
_ANY_CASE = re.compile(
    r"\bignor\w+\s+(?:the\s+)?case\b|\bcase[- ]?insensitive|\bregardless\s+of\s+case\b", re.IGNORECASE
)
_SPANNED = re.compile(r"(?<![\w.$€£⟨-])(\d{1,3})\s?[-–]\s?(\d{1,3})(?=[\s,;:.)?]|$)")
"""Such as 18-40; 2024-01 is none."""
_TIMES = re.compile(r"(?<![\w.-])(\d+)\s*[x×]\s*(\d+)(?![\w-])")
_SHARES = re.compile(r"(?<![\w.-])(\d+)\s*[/:]\s*(\d+)(?=\s*(?:%|train|split|test))")
_TITLE = re.compile(
    r"\b[Tt]itled?(?!\s+[Cc]ase\b)\s*(?:(?:it|is|of|called)\b|=|:)?\s+(?P<title>[A-Z](?:(?! and | with )[^;,⟨])*)"
)
_TOKEN = re.compile(r"⟨[a-z]\d+⟩|[^\W\d_][\w]*(?:'s)?")


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    """``re`` keeps 512 patterns, which is fewer than there are rules."""
    return re.compile(pattern, re.IGNORECASE)


_SMALL = frozenset(["to", "from", "by", "of", "in", "on", "at", "for", "and", "or", "is", "as", "with"])


def _unless_verb(said: str, column: str | None) -> str | None:
    """ "join the plan onto visits" is not about a column ``joined``."""
    if said.lower() in _SMALL and column is not None:  # "add it to people", beside a column ``to``
        return None
    verb = said.lower() in ("join", "merge", "sort", "group", "plot", "count", "filter", "order", "rank", "drop")
    return None if column is not None and verb and column.lower() != said.lower() else column


def _singulars(name: str) -> list[str]:
    """How one of several may be called."""
    if not name.endswith("s"):
        return []
    more = [name.removesuffix("es")] if re.search(r"(?:ch|sh|x|ss)es$", name) else []
    return [name.removesuffix("s"), *more, *([f"{name[:-3]}y"] if name.endswith("ies") else [])]


@lru_cache(maxsize=4096)
def _unlike_words(name: str) -> str:
    """The pattern of a column's name that is more than words: "Income ($)", or "Quiz 1", be it of ``quiz_1``; empty of any other."""
    whole = re.escape(name.strip()) if re.search(r"[^\w\s'-]", name) else ""
    name = re.sub(r"\s*[(\[][^()\[\]]*[)\]]\s*$", "", name)  # "quiz 1" of "Quiz 1 (/20)"
    parts = re.findall(r"[^\W\d_]+|\d+", name)
    numbered = len(parts) > 1 and len(parts[0]) > 1 and parts[-1].isdigit() and re.search(r"[\s_]\d+$", name)
    spelt = r"(?<![\w.])" + r"[\s_]?".join(map(re.escape, parts)) + r"(?![\w.])" if numbered else ""
    return "|".join(filter(None, (whole, spelt)))


@lru_cache(maxsize=4096)
def _mended(word: str) -> str | None:
    return words.corrected(word, lexicon.VOCABULARY)


def _spelt(found: re.Match[str]) -> str:
    day, month, year = (found[one] or found[f"{one}2"] for one in "dmy")
    return f"{year}-{lexicon.MONTHS[month.lower()]:02}-{int(day):02}"


class Marked:
    """A prompt that is being understood. ``text`` is what is left of it."""

    def __init__(self, prompt: str, *, tables: Sequence[str], columns: Sequence[Column], assume: bool = True) -> None:
        first = _first(prompt, tuple(tables), tuple(columns), assume)
        for name, value in vars(first).items():  # rules take out of the text and add marks: each has its own
            setattr(self, name, value.copy() if isinstance(value, (dict, set, list)) else value)

    def _mark_all(self, prompt: str, tables: Sequence[str], columns: Sequence[Column], *, assume: bool) -> None:
        self.prompt = prompt
        self.values: dict[str, str] = {}
        self.said: dict[str, str] = {}
        """How the prompt has what is marked."""
        self.assumes = assume
        self.ignores_case = _ANY_CASE.search(prompt) is not None
        self.typed: dict[str, str] = {}
        """How the prompt has a value."""
        self.holders: dict[str, tuple[str, ...]] = {}
        """The columns that have a value."""
        own = frozenset(word.lower() for one in columns for word in re.findall(r"[A-Za-zÀ-ÿ]+", one.name))
        text = lexicon.translated(" ".join(prompt.replace("’", "'").split()), own)
        text = _SPANNED.sub(
            lambda found: f"{found[1]} to {found[2]}" if int(found[1]) < int(found[2]) else found[0], text
        )
        text = _SHARES.sub(r"\1 / \2", text)
        text = _RANGE.sub(r"\1 to \2", _TIMES.sub(r"\1 x \2", text))
        text = _TITLE.sub(lambda found: f"title {self._mark('q', found['title'].strip())}", text)
        text = marks.QUOTED.sub(
            lambda found: self._quoted(next(one for one in found.groups() if one is not None)), text
        )
        for one in sorted(columns, key=lambda one: -len(one.name)):
            pattern = _unlike_words(one.name)
            while pattern and (found := re.search(pattern, text, re.IGNORECASE)):
                mark = self._mark("c", one.name)
                self.said[mark.strip()] = found[0]
                text = text[: found.start()] + mark + text[found.end() :]
        text = marks.FILE.sub(lambda found: self._mark("f", found[0]), text)
        text = _SPELT.sub(lambda found: self._mark("d", _spelt(found)), text)
        text = _SHORT_SPELT.sub(self._yearless, text)
        text = _DATE.sub(lambda found: self._mark("d", found[0]), text)
        text = _NUMBER.sub(lambda found: self._mark("n", found[0].replace(",", "")), text)
        text = self._mark_tables(text, tables, columns)
        names_ = [one.name for one in columns]
        text = self._mark_values(text, columns)
        self.served: set[str] = set()
        """Words that only told which of several columns is meant."""
        self.assumed: list[tuple[str, str]] = []
        """The columns that were taken for a word that is not their own, and the word."""
        text = self._mark_columns(self._spread(self._corrected(text, names_), names_), tables, columns)
        self.text = self._without_holders(text)

    def _yearless(self, found: re.Match[str]) -> str:
        mark = self._mark("d", f"--{lexicon.MONTHS[found['m'].lower()]:02}-{int(found['d']):02}")
        self.said[mark.strip()] = found[0]
        return mark

    def _quoted(self, said: str) -> str:
        return self._mark("f" if marks.is_file(said) else "q", said)

    def _mark(self, kind: str, value: str) -> str:
        key = f"⟨{kind}{len(self.values)}⟩"
        self.values[key] = value
        return f" {key} "

    def _mark_tables(self, text: str, tables: Sequence[str], columns: Sequence[Column]) -> str:
        split = [names.spaced(one.name).split() for one in columns]
        for name in sorted(tables, key=len, reverse=True):
            stem = words.stem(name.lower())
            led = {" ".join(own[:-1]) for own in split if len(own) > 1 and words.stem(own[-1]) == stem}
            unless = "".join(rf"(?<!\b{re.escape(one)} )" for one in led)  # "night shifts" of a column of ``shifts``
            text = re.sub(
                rf"{unless}(?<![\w⟨])@?{re.escape(name)}(?![\w⟩])",
                lambda _, name=name: self._mark("t", name),
                text,
                flags=re.I if len(name) > 3 else 0,
            )
        return text

    def _mark_values(self, text: str, columns: Sequence[Column]) -> str:
        """Values that the prompt has, the longest first; what is a column's whole name is that rather."""
        own = {names.plain(one.name) for one in columns}
        held: dict[str, list[str]] = {}
        for one in columns:
            for value in one.values:
                held.setdefault(value, []).append(one.name)

        for value in sorted(held, key=len, reverse=True):
            shouted = value.isupper() and len(value) < 5
            if names.plain(value) in own and not shouted:
                continue
            self.values[key := f"⟨v{len(self.values)}⟩"] = value
            self.holders[key] = tuple(held[value])
            if value.lower() in _ALSO_WORDS and not shouted:  # "shipped is no", but: "no qty"
                holding = "|".join(re.escape(name) for name in held[value])
                pattern = rf"(?P<is>(?:=|\b(?:is|are|was|equals?|says?|{holding}))\s+)(?P<value>{value})\b"
                found = re.search(pattern, text, flags=re.IGNORECASE)
                if found is not None:
                    self.typed[key] = found["value"]
                    text = re.sub(pattern, rf"\g<is> {key} ", text, flags=re.IGNORECASE)
                continue
            plural = "e?s" if re.search(r"(?:s|x|z|ch|sh|o)$", value, re.IGNORECASE) else "s"  # "times" is not Tim's
            pattern = rf"(?<![\w⟨]){re.escape(' '.join(value.split()))}(?:{plural})?(?:'s?)?(?![\w⟩-])"
            as_spelt = shouted or (value.lower() in _ALSO_NAMES and not value.islower())
            if as_spelt and not shouted:
                pattern = rf"(?<!^){pattern}"
            found = re.search(pattern, text, flags=0 if as_spelt else re.IGNORECASE)
            if found is not None:
                self.typed[key] = found[0]
                text = re.sub(pattern, f" {key} ", text, flags=0 if as_spelt else re.IGNORECASE)
        return text

    def _spread(self, text: str, columns: Sequence[str]) -> str:
        """ "start and end station" as "start station and end station", where both are columns."""
        known = {names.plain(one) for one in columns}

        def spread(found: re.Match[str]) -> str:
            first, second = f"{found[1]} {found[4]}", f"{found[3]} {found[4]}"
            both = names.plain(first) in known and names.plain(second) in known
            return f"{first} {found[2]} {second}" if both else found[0]

        def both(found: re.Match[str]) -> str:
            first, second = f"{found[1]}{found[2]}{found[3]}", f"{found[1]}{found[2]}{found[5]}"
            whole = {names.plain(first), names.plain(second)} <= known and names.plain(found[5]) not in known
            whole = whole and names.plain(first) != names.plain(second)
            return f"{first} {found[4]} {second}" if whole else found[0]

        text = re.sub(r"\b([A-Za-z]+)([ _])(\w+) (and|or|vs|versus|minus) (\w+)\b", both, text)
        return re.sub(r"\b(\w+) (and|or|vs|versus|to|by|equals?|is) (\w+) (\w+)\b", spread, text)

    def _told_apart(self, said: str, columns: Sequence[str], everything: set[str]) -> str | None:
        """The column of which ``said`` is a part, of several the one whose other words are in the prompt too."""
        found = lexicon.parts_of(said, columns)
        own = set(names.plain(said).split())
        if len(found) > 1:
            found = [one for one in found if (set(names.plain(one).split()) - own) & everything]
            if len(found) == 1:
                self.served |= (set(names.plain(found[0]).split()) - own) & everything
        return found[0] if len(found) == 1 else None

    def _meant(self, said: str, columns: Sequence[Column]) -> str | None:
        """The one column that a common word speaks of which is not its name: "revenue" of ``fare``."""
        found = lexicon.spoken_of(said, columns) if not said.endswith("ed") else None
        if found is not None:
            self.assumed.append((found, said))
        return found

    def _mark_columns(self, text: str, tables: Sequence[str], table: Sequence[Column]) -> str:
        columns = [one.name for one in table]
        everything = set(names.plain(re.sub(r"⟨\w+⟩", " ", text)).split())
        by_plain: dict[tuple[str, ...], str] = {}
        for column in columns:
            by_plain.setdefault(tuple(names.plain(column).split()), column)
        text = self._sweep(
            text, lambda said: _unless_verb(said, by_plain.get(tuple(names.plain(said).split()))), longest=4
        )
        text = self._sweep(text, lambda said: self._told_apart(said, columns, everything), longest=2)
        if self.assumes:
            text = self._sweep(text, lambda said: self._meant(said, table), longest=1)
        singular: dict[str, str] = {}
        for name in tables if columns else ():
            singular |= dict.fromkeys(_singulars(name.lower()), name)
        return self._sweep(text, lambda said: singular.get(said.lower()), longest=1, kind="t")

    def _sweep(self, text: str, find: Callable[[str], str | None], *, longest: int, kind: str = "c") -> str:
        """Mark what ``find`` knows, the longest runs of words first. A name such as ``a_b`` is one word."""
        for length in range(longest, 0, -1):
            at, out = 0, ""
            found = list(_TOKEN.finditer(text))
            for start in range(len(found) - length + 1):
                run = found[start : start + length]
                said = text[run[0].start() : run[-1].end()]
                if run[0].start() < at or "⟨" in said or not re.fullmatch(r"[\w'/ -]+", said):
                    continue
                name = find(said.removesuffix("'s"))
                if name is not None:
                    mark = self._mark(kind, name)
                    self.said[mark.strip()] = said
                    out += text[at : run[0].start()] + mark
                    at = run[-1].end()
            text = out + text[at:]
        return text

    def _corrected(self, text: str, columns: Sequence[str]) -> str:
        """Typing mistakes in the words of the language itself taken out; names are none of them."""
        known = {word for column in columns for word in names.plain(column).split()}

        def mend(found: re.Match[str]) -> str:
            word = found[0].lower()
            plural = word.removesuffix("s") in lexicon.VOCABULARY or f"{word}s" in lexicon.VOCABULARY
            spelt = plural or word in lexicon.VOCABULARY or word in lexicon.WELL_SPELT
            if spelt or words.stem(word) in known or not found[0][1:].islower():
                return found[0]
            return _mended(word) or found[0]

        return re.sub(r"(?<![⟨\w])[A-Za-z]{5,}(?!\w)", mend, text)

    def _without_holders(self, text: str) -> str:
        """ "casual riders" of a column ``rider``: the value alone."""

        def shorter(found: re.Match[str]) -> str:
            return found["v"] if self.values[found["c"]] in self.holders[found["v"]] else found[0]

        return re.sub(rf"(?P<v>{V})\s+(?P<c>{C})", shorter, text)

    # --- taking out what is understood --------------------------------------------------------------------------------

    def find(self, pattern: str) -> re.Match[str] | None:
        """The first place where the pattern is, which is left."""
        return _compiled(pattern).search(self.text)

    def take(self, pattern: str) -> re.Match[str] | None:
        """The first place where the pattern is, and it is taken out."""
        found = self.find(pattern)
        if found is not None:
            self.text = f"{self.text[: found.start()]} ; {self.text[found.end() :]}"
        return found

    def again(self, column: str) -> None:
        """What was taken last is now spoken of as this column, which it makes: "cumulative rain over time as a line"."""
        self.text = self.text.replace(" ; ", self._mark("c", column), 1)

    def value(self, mark: str) -> str:
        """What a mark stands for, or the word itself."""
        return self.values.get(mark.strip(), mark.strip())

    def names(self, part: str | None) -> list[str]:
        """The columns in a part of the text, in order."""
        return [self.values[key] for key in re.findall(C, part or "")]

    def names_of(self, part: str, kind: str) -> list[str]:
        """What the marks of a kind in a part of the text stand for, in order."""
        return [self.values[key] for key in re.findall(rf"⟨{kind}\d+⟩", part)]

    def left(self) -> list[str]:
        """The words that no rule has understood and that say something, and marks of values and columns."""
        rest = re.sub(T, " ", self.text)
        found = re.findall(r"⟨[a-z]\d+⟩|[^\W\d_][\w'-]*", rest)
        kept = [one for one in found if one.startswith("⟨") or not self._says_nothing(one.lower())]
        return [self.said[one] if self.value(one).startswith("--") else self.value(one) for one in kept]

    def _says_nothing(self, word: str) -> bool:
        return word in lexicon.NOISE or words.stem(word) in self.served


@lru_cache(maxsize=128)
def _first(prompt: str, tables: tuple[str, ...], columns: tuple[Column, ...], assume: bool) -> Marked:
    """The prompt as it is marked once, for the dozens of rules that begin from it."""
    marked = Marked.__new__(Marked)
    marked._mark_all(prompt, tables, columns, assume=assume)
    return marked
