"""Ranking of recipes for a prompt, by the words of their phrasings.

The weights are TF-IDF, and the order of words counts a little. The user's own names, numbers, files and quoted texts are set apart
first: they never count against a recipe. Whether a recipe leaves a word of the prompt aside is decided in :mod:`.coverage`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from msgspec import Struct
from rapidfuzz.distance import LCSseq

from spark_jupyter.server.engines import literals, slots, word_forms
from spark_jupyter.server.engines.book import Entry  # msgspec reads the annotation
from spark_jupyter.server.engines.namespace import Namespace

THRESHOLD = 0.65
"""A recipe that scores less is not what was asked for. Set on tests/server/prompts/people.jsonl."""

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,]\d+)?(?![\w])%?")
_CALLED = re.compile(r"\b(?:called|named)\s+[A-Za-z_]\w*", re.IGNORECASE)
_SLOT = re.compile(r"\{\w+\}")
_LEAST = 2.4
"""The least weight of all words shared with a phrasing: "plot" alone is no request."""
_RELATED = 0.15
"""Weight of a word that another phrasing of the same recipe has."""
_FILLED = 0.2
"""Weight of a word in the place of a slot."""
_LAID = 24
"""So many of the best phrasings are laid along the prompt word by word."""
_WORTH_LAYING = 0.2
_UNFILLED = 0.04
"""Cost of a slot that stays empty although the prompt names something."""
_OTHER_THING = 0.7
"""Factor of the score where recipe and prompt are about different things, or the recipe does more than is asked."""


class Match(Struct, frozen=True):
    """An entry and how well it fits, from 0 to 1."""

    entry: Entry
    score: float


class IndexedEntry(Struct, frozen=True, array_like=True):
    """An entry with the canonical words of each of its phrasings and its title, and of its variants, labels and choices."""

    entry: Entry
    phrases: tuple[tuple[str, ...], ...]
    related: tuple[str, ...]


class Query(Struct, frozen=True):
    """A prompt in canonical words: those that a recipe must account for, in order, and those of the user's own names (``optional``).

    ``names`` counts the names, files, dates and quoted texts in it."""

    required: tuple[str, ...]
    optional: frozenset[str]
    order: tuple[str, ...]
    names: int


class _Pattern(Struct, frozen=True):
    entry: int
    text: str
    words: tuple[str, ...]
    weight: float
    slots: int


def indexed(entry: Entry) -> IndexedEntry:
    phrases = tuple(tuple(phrasing_words(text)) for text in (*entry.phrasings, entry.title))
    texts = [phrase for variant in entry.variants for phrase in (variant.title, *variant.phrases)]
    for replacement in entry.replacements:
        texts += [*replacement.labels, replacement.slot]
        texts += [text for choice in replacement.choices for text in (choice.value, *choice.words)]
    return IndexedEntry(entry, phrases, tuple(sorted({word for text in texts for word in word_forms.content(text)})))


def phrasing_words(text: str) -> list[str]:
    """The canonical words of a phrasing, without its slots."""
    # A slot is a number to the patterns that look for one behind "over" or "less than".
    return [word for word in word_forms.content(_SLOT.sub(" 0 ", text)) if word != "0"]


class Matcher:
    """Ranks entries; of equal ones the first wins."""

    def __init__(self, found: Sequence[IndexedEntry]) -> None:
        self.entries = [one.entry for one in found]
        self._around = [frozenset(one.related).union(*one.phrases) for one in found]
        counts = Counter(word for one in found for word in frozenset().union(*one.phrases))
        total = len(found)
        self._unknown = math.log(1 + total) if found else 1.0
        self._idf = {
            word: math.log(1 + total / count) * (0.2 if word in word_forms.WEAK else 1)
            for word, count in counts.items()
        }
        self._patterns = [
            self._pattern(number, text, phrase)
            for number, one in enumerate(found)
            for text, phrase in zip((*one.entry.phrasings, one.entry.title), one.phrases, strict=True)
        ]
        self._by_word: dict[str, list[int]] = {}
        for index, pattern in enumerate(self._patterns):
            for word in set(pattern.words):
                self._by_word.setdefault(word, []).append(index)

    def _pattern(self, number: int, text: str, phrase: tuple[str, ...]) -> _Pattern:
        return _Pattern(number, text, phrase, sum(self._idf[word] for word in set(phrase)), text.count("{"))

    def rank(self, prompt: str, namespace: Namespace, *, limit: int = 3) -> list[Match]:
        """The best entries, the best first. Equal ones keep the books' order, so that the user's own books win."""
        query = self.query(prompt, namespace)
        known = [word for word in (*query.required, *query.optional) if word in self._by_word]
        candidates = {index for word in known for index in self._by_word[word]}
        scored = sorted(((self._score(query, self._patterns[index]), index) for index in candidates), reverse=True)
        tokens = slots.tokens_of(prompt)
        best: dict[int, float] = {}
        for place, (score, index) in enumerate(scored):
            pattern = self._patterns[index]
            if place < _LAID and pattern.slots and score > _WORTH_LAYING:
                _, found = slots.align(tokens, pattern.text)
                filled = frozenset(word for _, text in found for word in word_forms.content(text))
                score = max(score, self._score(query, pattern, filled))
            if score > best.get(pattern.entry, 0.0):
                best[pattern.entry] = score
        ranked = sorted(best.items(), key=lambda item: (-round(item[1], 3), item[0]))
        return [Match(self.entries[number], score) for number, score in ranked[:limit]]

    def _score(self, query: Query, pattern: _Pattern, filled: frozenset[str] = frozenset()) -> float:
        """The score of the pattern, 0 to 1. ``filled`` are the words of the prompt in its slots."""
        have = set(pattern.words)
        asked = {*query.required, *(query.optional & have)}
        said = {word for word in have & {*query.required} if word not in word_forms.WEAK}
        whole = have <= asked and (
            len(have) > 1 or bool(pattern.slots and query.names and not have <= word_forms.GENERAL)
        )
        shared = sum(self._idf[word] for word in asked & have)
        if not said or (said <= word_forms.MODIFIERS and not whole) or (shared < _LEAST and not whole):
            return 0.0  # names and manners alone ask for nothing
        if len(have) == 1 and not query.names:
            filled = frozenset()  # one word does not say enough to take all others as what is meant by slots
        extra = sum(self._extra(word, pattern, filled) for word in {*query.required} - have)
        dice = 2 * shared / (2 * shared + extra + pattern.weight - shared)
        order = LCSseq.normalized_similarity(query.order, pattern.words) if pattern.words else 0.0
        unfilled = max(0, pattern.slots - max(query.names, 1)) if query.names else 0
        score = 0.85 * dice + 0.15 * order - _UNFILLED * unfilled
        more = have & word_forms.OPERATIONS - asked  # what nobody has asked for
        plots = "plot" in have - asked and not have & word_forms.OPERATIONS & asked
        if more or plots or self._is_for_another(query, pattern, have, filled):
            score *= _OTHER_THING
        return score

    def _extra(self, word: str, pattern: _Pattern, filled: frozenset[str]) -> float:
        """Weight of a word of the prompt that the pattern does not have."""
        weight = self._idf.get(word, self._unknown)
        if word in self._around[pattern.entry] or word in word_forms.MODIFIERS:
            return weight * _RELATED
        return weight * _FILLED if word in filled else weight

    def _is_for_another(self, query: Query, pattern: _Pattern, have: set[str], filled: frozenset[str]) -> bool:
        """True if the prompt names a thing or an action that the entry never speaks of, and the pattern another one."""
        said = {*query.required} - filled
        things = (said & word_forms.PLAIN_THINGS) - have and (have & word_forms.PLAIN_THINGS) - said - query.optional
        return bool(things) or any(
            (said & kind) - self._around[pattern.entry] and (have & kind) - said - query.optional
            for kind in (word_forms.THINGS, word_forms.ACTIONS)
        )

    def query(self, prompt: str, namespace: Namespace) -> Query:
        """The words of ``prompt``, with the user's own names set apart and typing mistakes corrected."""
        own, text, names = _take_out(prompt, namespace)
        split = word_forms.split(_NUMBER.sub(" ", word_forms.joined(text)))
        order = [self._known_form(word) for word in split if not word_forms.is_stop(word)]
        order = [word for word in order if len(word) > 2 or word in self._idf]  # "hw do i"
        required = tuple(word for word in order if not word.isdigit())
        optional = frozenset(word_forms.canonical(word) for word in own if not word_forms.is_stop(word))
        return Query(required, optional - set(required), tuple(order), names)

    def _known_form(self, word: str) -> str:
        form = word_forms.canonical(word)
        if form in self._by_word or form.isdigit() or len(word) < 4:
            return form
        near = word_forms.corrected(word_forms.stem(word), self._spellings)
        return word_forms.canonical(near) if near else form

    @cached_property
    def _spellings(self) -> list[str]:
        return sorted(
            {stem for stem in word_forms.KNOWN if word_forms.canonical(stem) in self._by_word} | set(self._by_word)
        )


def _take_out(prompt: str, namespace: Namespace) -> tuple[list[str], str, int]:
    """The words of names, files and quoted texts in ``prompt``; the prompt without them; and how many there were."""
    own: list[str] = []
    count = 0

    def take(match: re.Match[str], *kinds: str) -> str:
        nonlocal count
        count += 1
        own.extend([*kinds, *word_forms.split(match[0])])
        return " "

    text = literals.displays_out(prompt)
    text = literals.FILE.sub(lambda match: take(match, "file", match[0].rpartition(".")[2].lower()), text)
    text = literals.DATE.sub(lambda match: take(match, "date"), text)
    text = literals.QUOTED.sub(take, text)
    text = _CALLED.sub(take, text)
    for name in _names(namespace):
        plural = "?" if len(name) > 4 and name.endswith("s") else "(?:s|es)?"  # an order is one of the orders
        flags = re.IGNORECASE if len(name) > 3 else 0
        text = re.sub(rf"(?<!\w){re.escape(name)}{plural}(?!\w)", take, text, flags=flags)
    own.extend(_kinds(prompt, namespace, own))
    return own, text, count


def _kinds(prompt: str, namespace: Namespace, own: Iterable[str]) -> Iterable[str]:
    """The words for what the named variables and columns are: a recipe that is for a list may be asked for by a list's name."""
    named = [one for one in namespace.variables if re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", prompt)]
    kinds = {"DataFrame": "table", "tuple": "list", "list": "list", "dict": "dict", "set": "set"}
    yield from (kinds[one.type] for one in named if one.type in kinds)
    dated = {word for one in namespace.variables for column in one.columns if column.kind == "date"
             for word in word_forms.split(column.name)}  # fmt: skip
    if dated & {*own}:
        yield "date"


def _names(namespace: Namespace) -> list[str]:
    """The names in the user's namespace that may stand in a prompt, the longest first."""
    names = {variable.name for variable in namespace.variables if variable.type != "module"}
    for variable in namespace.variables:
        for column in variable.columns:
            parts = column.name.split("_")
            names.update((column.name, " ".join(parts)))
            if len(parts) > 2:  # "bill length" for bill_length_mm
                names.update((" ".join(parts[:-1]), " ".join(parts[1:])))
    return sorted((name for name in names if len(name) > 1 or name.isalnum()), key=len, reverse=True)
