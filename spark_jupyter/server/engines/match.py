"""Find the entry that a prompt asks for, or none: TF-IDF weights over the phrasings, and the order of the words. Pure.

A wrong recipe is worse than an honest no. So what a prompt says beyond a phrasing counts against it, in particular
words that no book knows; the user's own names, numbers, files and quoted texts never do.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct
from rapidfuzz.distance import LCSseq

from spark_jupyter.server.engines import literals, marks, slots, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spark_jupyter.server.engines.book import Entry
    from spark_jupyter.server.engines.namespace import Namespace

THRESHOLD = 0.65
"""A match below this is none. Set on tests/server/prompts; ``benchmarks/recipes.py`` shows what it costs."""

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,]\d+)?(?![\w])%?")
_CALLED = re.compile(r"\b(?:called|named)\s+[A-Za-z_]\w*", re.IGNORECASE)
_SLOT = re.compile(r"\{\w+\}")


_ABSORBED = 0.4
"""What an unknown word weighs where a slot may take it in; half of that where nothing is known of the user's names."""
_LEAST = 2.4
"""What the words shared with a phrasing must weigh together: "plot" alone is no request."""
_FILLED = 0.2
"""What a word weighs that stands where the phrasing has a slot, if the user's names are not known."""
_LAID = 24
"""So many of the best phrasings are laid along the prompt word by word."""
_WORTH_LAYING = 0.35
_UNFILLED = 0.04
"""What a slot costs for which the prompt names nothing, although it names something."""
_OTHER_THING = 0.7
"""What becomes of the score where the prompt is about a list and the entry about a string."""
_DATE = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b")


class Match(Struct, frozen=True):
    """An entry and how well it fits, from 0 to 1."""

    entry: Entry
    score: float


class Query(Struct, frozen=True):
    """A prompt as the matcher sees it: words that a fitting phrasing should have, and words that it may have.
    ``names`` counts the user's names in it; ``at_home`` says that tables of the user's are known."""

    required: tuple[str, ...]
    optional: frozenset[str]
    order: tuple[str, ...]
    names: int
    at_home: bool = False


class _Pattern(Struct, frozen=True):
    entry: int
    text: str
    words: tuple[str, ...]
    weight: float
    slots: int
    free: int


class Matcher:
    """Ranks the entries of some books. Building it takes some tens of milliseconds for 200 entries."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        texts = [[phrasing_words(text) for text in (*entry.phrasings, entry.title)] for entry in entries]
        self._around = [_surroundings(entry, lists) for entry, lists in zip(entries, texts, strict=True)]
        kinds = ("text", "value", "new column", "number")
        self._open = [frozenset(one.slot for one in entry.replacements if one.kind in kinds) for entry in entries]
        counts = Counter(word for lists in texts for word in {word for one in lists for word in one})
        self._total = len(entries)
        self._idf = {word: self._weight(word, count) for word, count in counts.items()}
        self._unknown = math.log(1 + self._total) if entries else 1.0
        self._patterns = [
            self._pattern(number, entry, text, one)
            for number, (entry, lists) in enumerate(zip(entries, texts, strict=True))
            for text, one in zip((*entry.phrasings, entry.title), lists, strict=True)
        ]
        self._by_word: dict[str, list[int]] = {}
        for index, pattern in enumerate(self._patterns):
            for word in set(pattern.words):
                self._by_word.setdefault(word, []).append(index)

    def _pattern(self, number: int, entry: Entry, text: str, one: list[str]) -> _Pattern:
        slots_ = [slot[1:-1] for slot in _SLOT.findall(text)]
        files = {
            one.slot for one in entry.replacements if one.kind in ("file", "new file")
        }  # a file's slot shows by its form
        free = sum(slot not in files for slot in slots_)
        return _Pattern(number, text, tuple(one), sum(self._idf[word] for word in set(one)), len(slots_), free)

    def _weight(self, word: str, count: int) -> float:
        weight = math.log(1 + self._total / count)
        return weight * 0.2 if words.is_weak(word) else weight

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
            if place < _LAID and pattern.slots and score > _WORTH_LAYING and {*pattern.words} <= {*query.order, *known}:
                filled, taken = _filled(tokens, pattern.text, self._open[pattern.entry])
                score = max(score, self._score(query, pattern, filled=filled, taken=taken))
            if score > best.get(pattern.entry, 0.0):
                best[pattern.entry] = score
        ranked = sorted(best.items(), key=lambda item: (-round(item[1], 3), item[0]))
        return [Match(self.entries[number], score) for number, score in ranked[:limit]]

    def _score(
        self,
        query: Query,
        pattern: _Pattern,
        *,
        filled: frozenset[str] = frozenset(),
        taken: frozenset[str] = frozenset(),
    ) -> float:
        """How well the pattern fits. ``filled`` are the words in its slots, ``taken`` those in slots for any text."""
        have = set(pattern.words)
        asked = {*query.required, *(query.optional & have)}
        if (
            len(have) == 1 and not query.names
        ):  # one word does not say enough to take all others as what is meant by slots
            filled = taken = frozenset()
        shared = sum(self._idf[word] for word in asked & have)
        extra = self._extra(query, pattern, have, filled, taken)
        said = {word for word in have & {*query.required} if not words.is_weak(word)}
        whole = have <= asked and (len(have) > 1 or bool(pattern.slots and query.names and not have <= words.GENERAL))
        manners = said <= words.MODIFIERS and not whole
        if not said or manners:  # names and manners alone ask for nothing
            return 0.0
        if shared < _LEAST and not whole:
            return 0.0
        dice = 2 * shared / (2 * shared + extra + pattern.weight - shared) if shared else 0.0
        order = LCSseq.normalized_similarity(query.order, pattern.words) if pattern.words else 0.0
        unfilled = max(0, pattern.slots - max(query.names, 1)) if query.names else 0
        score = 0.85 * dice + 0.15 * order - _UNFILLED * unfilled
        return score * _OTHER_THING if self._is_for_another(query, pattern, have, filled | taken) else score

    def _is_for_another(self, query: Query, pattern: _Pattern, have: set[str], filled: frozenset[str]) -> bool:
        """Whether the prompt names a thing or an action that the entry never speaks of, and the pattern another one."""
        said = {*query.required} - filled
        return any(
            (said & kind) - self._around[pattern.entry] and (have & kind) - said - query.optional
            for kind in (words.THINGS, words.ACTIONS)
        )

    def _extra(
        self, query: Query, pattern: _Pattern, have: set[str], filled: frozenset[str], taken: frozenset[str]
    ) -> float:
        """The weight of what the prompt says and the pattern does not. Slots take in words that would be names."""
        free = max(0, pattern.free - query.names) * 2
        total = 0.0
        for word in sorted({*query.required} - have, key=lambda one: self._idf.get(one, self._unknown), reverse=True):
            known = self._idf.get(word)
            weight = known if known is not None else self._unknown
            if word in self._around[pattern.entry] or word in words.MODIFIERS:
                weight *= 0.15
            elif word in words.ALIEN:
                weight *= 2
            elif word in taken:
                weight *= _FILLED / 2
            elif word in filled and not (query.at_home and query.names):
                weight *= _FILLED
            elif free and known is None:
                free -= 1
                weight *= _ABSORBED if query.at_home else _ABSORBED / 2
            elif words.is_weak(word):
                weight *= 0.5
            total += weight
        return total

    def query(self, prompt: str, namespace: Namespace) -> Query:
        """What ``prompt`` asks, with the user's own names set apart and typing mistakes corrected."""
        own, text, names = _take_out(prompt, namespace)
        split = words.split(_NUMBER.sub(" ", words.joined(text)))
        order = [self._known_form(word) for word in split if not words.is_stop(word)]
        order = [word for word in order if len(word) > 2 or word in self._idf or word in words.ALIEN]  # "hw do i"
        required = [word for word in order if not word.isdigit()]
        optional = frozenset(words.canonical(word) for word in own if not words.is_stop(word))
        at_home = bool(namespace.of_kind("DataFrame"))
        return Query(tuple(required), optional - set(required), tuple(order), names, at_home)

    def _known_form(self, word: str) -> str:
        form = words.canonical(word)
        if form in self._by_word or form.isdigit() or len(word) < 4:
            return form
        near = words.corrected(words.stem(word), self._spellings())
        return words.canonical(near) if near else form

    def _spellings(self) -> list[str]:
        if not hasattr(self, "_spelled"):
            known = {stem for stem in words.KNOWN if words.canonical(stem) in self._by_word}
            self._spelled = sorted(known | set(self._by_word))
        return self._spelled


def _filled(tokens: tuple[str, ...], phrasing: str, open_: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The (canonical) words that fill the slots of the phrasing, and those in its ``open_`` slots, which hold any text."""
    _, found = slots.lay(tokens, phrasing)
    filled = frozenset(word for _, text in found for word in words.content(text))
    return filled, frozenset(word for slot, text in found if slot in open_ for word in words.content(text))


def phrasing_words(text: str) -> list[str]:
    """The canonical words of a phrasing, without its slots."""
    # A slot is a number to the patterns that look for one behind "over" or "less than".
    return [word for word in words.content(_SLOT.sub(" 0 ", text)) if word != "0"]


def _surroundings(entry: Entry, lists: Iterable[Iterable[str]]) -> frozenset[str]:
    """Every word that belongs to the entry: of all its phrasings, variants, labels and choices."""
    texts = [phrase for variant in entry.variants for phrase in (variant.title, *variant.phrases)]
    for replacement in entry.replacements:
        texts += [*replacement.labels, replacement.slot]
        texts += [text for choice in replacement.choices for text in (choice.value, *choice.words)]
    return frozenset(word for one in lists for word in one) | {word for text in texts for word in words.content(text)}


def _take_out(prompt: str, namespace: Namespace) -> tuple[list[str], str, int]:
    """The words of names, files and quoted texts in ``prompt``; the prompt without them; and how many there were."""
    own: list[str] = []
    count = 0

    def take(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        own.extend(words.split(match[0]))
        return " "

    def take_file(match: re.Match[str]) -> str:
        own.extend(["file", match[0].rpartition(".")[2].lower()])
        return take(match)

    def take_date(match: re.Match[str]) -> str:
        own.append("date")
        return take(match)

    text = marks.FILE.sub(take_file, literals.displays_out(prompt))
    text = _DATE.sub(take_date, text)
    text = marks.QUOTED.sub(take, text)
    text = _CALLED.sub(take, text)
    for name in _names(namespace):
        plural = "?" if len(name) > 4 and name.endswith("s") else "(?:s|es)?"  # an order is one of the orders
        flags = re.IGNORECASE if len(name) > 3 else 0
        text = re.sub(rf"(?<!\w){re.escape(name)}{plural}(?!\w)", take, text, flags=flags)
    if any(re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", prompt) for one in namespace.of_kind("DataFrame")):
        own.append("table")
    for one in namespace.variables:
        if one.type in ("list", "tuple", "dict", "set") and re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", prompt):
            own.append({"tuple": "list"}.get(one.type, one.type))
    dated = [column for one in namespace.variables for column in one.columns if column.kind == "date"]
    if any(word in own for column in dated for word in words.split(column.name)):
        own.append("date")
    return own, text, count


def _names(namespace: Namespace) -> list[str]:
    """The names in the user's namespace that may stand in a prompt, the longest first."""
    names = {variable.name for variable in namespace.variables if variable.type != "module"}
    for variable in namespace.variables:
        names.update(column.name for column in variable.columns)
        for column in variable.columns:
            parts = column.name.split("_")
            names.add(" ".join(parts))
            if len(parts) > 2:  # "bill length" for bill_length_mm
                names.update((" ".join(parts[:-1]), " ".join(parts[1:])))
    return sorted((name for name in names if len(name) > 1 or name.isalnum()), key=len, reverse=True)
