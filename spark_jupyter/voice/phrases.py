"""Phrases that people say to this package, with the names of their notebook."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files

from spark_jupyter.server.engines.library import own_entries

Words = list[str]

_EACH = 12
"""Sentences of a phrase with slots; one without slots counts as often."""
_OF_RECIPES = 2
"""The same for phrasings of the recipe books, of which there are many more."""
_SLOT = re.compile(r"\{(\w+)\}")
_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "fifteen"),
    *("twenty", "thirty", "fifty", "one hundred", "five hundred", "a thousand"),
)
_SLOTS_OF_NUMBERS = frozenset(
    {"n", "number", "numbers", "limit", "size", "start", "high", "low", "amount", "k", "bins"}
)


def phrases(names: Sequence[str], tables: Sequence[str]) -> Iterator[Words]:
    """Sentences as words in lower case: those of ``phrases.txt`` and of the recipe books. ``names`` and ``tables`` are spoken ones; where
    there are none, "column" and "table" stand for them."""
    chance = random.Random(0)
    fills = _Fills(chance, list(names) or ["column"], list(tables) or ["table"])
    own = files("spark_jupyter.voice").joinpath("phrases.txt").read_text(encoding="utf-8").splitlines()
    for times, lines in ((_EACH, own), (_OF_RECIPES, _recipe_phrasings())):
        for line in lines:
            for _ in range(times):
                yield re.findall(r"[a-z']+", _SLOT.sub(fills, line).lower())


class _Fills:
    """What stands in a slot, by chance."""

    def __init__(self, chance: random.Random, names: Sequence[str], tables: Sequence[str]) -> None:
        self._chance = chance
        self._names = names
        self._tables = tables

    def __call__(self, slot: re.Match[str]) -> str:
        kind = slot[1]
        if kind == "year":
            return self._chance.choice(("two thousand {}", "twenty {}")).format(self._chance.choice(_YEARS))
        if kind in _WORDS:
            return self._chance.choice(_WORDS[kind])
        if kind in _SLOTS_OF_NUMBERS:
            return self._chance.choice(_NUMBERS)
        return self._chance.choice(self._tables if kind in ("table", "df") else self._names)


_WORDS = {
    "measure": ("average", "mean", "median", "total", "highest", "lowest", "largest", "smallest", "most", "sum of"),
    "by": ("by", "per", "for each", "in each", "of each", "from each"),
    "than": ("over", "under", "above", "below", "more than", "less than", "at least", "at most"),
    "period": ("per day", "per week", "per month", "per year", "by day", "by month", "by year", "each month"),
    "show": ("show", "show me", "give me", "list"),
    "drop": ("drop", "remove", "delete"),
    "plot": ("plot", "draw", "make", "show"),
}
"""What people say in a slot of this name in ``phrases.txt``."""
SAME = {word: slot for slot in ("show", "drop", "plot") for word in _WORDS[slot]}
"""Words by the slot in which any of them means the same."""
_YEARS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    *("twenty", *(f"twenty {one}" for one in ("one", "two", "three", "four", "five", "six", "seven"))),
)


def _recipe_phrasings() -> Iterator[str]:
    for indexed in own_entries():
        yield from indexed.entry.phrasings
        for variant in indexed.entry.variants:
            yield from variant.phrases
