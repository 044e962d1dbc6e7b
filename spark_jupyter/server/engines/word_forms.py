"""Comparable forms of words: case, plurals, endings, synonyms, typing mistakes.

The word lists are small and made for what people ask of a notebook; they are data, and a test guards them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from rapidfuzz.distance import OSA

DATA = tomllib.loads((Path(__file__).with_name("word_forms.toml")).read_text(encoding="utf-8"))
_COMPOUNDS: dict[str, str] = DATA["compounds"]
_IRREGULAR: dict[str, str] = DATA["irregular"]
_PHRASES = [(re.compile(pattern), words) for pattern, words in DATA["phrases"]]

_TOKEN = re.compile(r"[\w+#%]+")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without its ending: ``plots``, ``plotted`` and ``plotting`` become ``plot``. Crude, and fair."""
    if word in _IRREGULAR:
        word = _IRREGULAR[word]
    if len(word) <= 3 or not word.isalpha():
        return word
    word = re.sub(r"iz(e|es|ed|ing|ation|er)$", r"is\1", word)
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif re.search(r"(ss|x|ch|sh|z)es$", word):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending, least in (("ations", 4), ("ation", 4), ("ated", 4), ("ating", 4), ("ate", 4), ("ing", 3), ("ed", 3)):
        if word.endswith(ending) and len(word) - len(ending) >= least:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


_CANONICAL = {stem(word): stem(name) for name, others in DATA["synonyms"].items() for word in (name, *others.split())}
_STOP = frozenset(DATA["stop"].split())
_STOP_STEMS = _STOP | frozenset(map(stem, _STOP))


def _canonical_set(name: str) -> frozenset[str]:
    return frozenset(canonical(word) for word in DATA[name].split())


def joined(text: str) -> str:
    """``text`` in lower case, with phrases such as "get rid of" taken to one word."""
    text = text.lower().replace("’", "'").replace("'", "").replace("-", " ")
    for pattern, words in _PHRASES:
        text = pattern.sub(words, text)
    return text


def split(text: str) -> list[str]:
    """The lower-case words of ``text``, phrases and compounds taken to what they mean (``heatmap``: ``heat map``)."""
    found = []
    for token in _TOKEN.findall(joined(text)):
        for part in token.split("_") if not token.isidentifier() or "_" in token else [token]:
            if part:
                found.extend(_COMPOUNDS.get(part, part).split())
    return found


def canonical(word: str) -> str:
    """The stem that stands for the word and its synonyms."""
    short = stem(word)
    return _CANONICAL.get(short, short)


WEAK = _canonical_set("weak")
"""Words that say little (canonical)."""
MODIFIERS = _canonical_set("modifiers")
"""Words that say how rather than what (canonical)."""
GENERAL = _canonical_set("general")
"""Words that name no column in particular (canonical)."""
THINGS = _canonical_set("things")
"""Things that recipes are for (canonical)."""
PLAIN_THINGS = _canonical_set("plain_things")
"""Values of Python that are no tables (canonical)."""
TABULAR = _canonical_set("tabular")
"""Words for tables and their parts (canonical)."""
ACTIONS = _canonical_set("actions")
"""Actions of recipes (canonical)."""
OPERATIONS = ACTIONS | _canonical_set("pictures")
"""Actions and pictures of recipes (canonical); none is wanted that is not asked for."""
FILLER = _canonical_set("filler")
"""Words that may be passed over (canonical)."""
NO_MATTER = WEAK | MODIFIERS | GENERAL | FILLER
"""Words by which no recipe is offered (canonical)."""
GOING_ON = frozenset(
    canonical(word) for text in (*DATA["follow_up"], *DATA["pointing"]) for word in text.split() if word != "only"
)
"""Words that say no more than that a request goes on (canonical); "only" asks for a choice of rows."""
LIBRARIES = frozenset(DATA["libraries"].split())
"""Names of packages."""
HINTS = {stem(word): frozenset(map(stem, names.split())) for word, names in DATA["hints"].items()}
"""Stems of words, and the stems that a column which they speak of may have in its name."""
KNOWN = frozenset(_CANONICAL)
"""The stems of all words that have synonyms."""


def is_stop(word: str) -> bool:
    """True if the word says nothing about the request."""
    return word in _STOP_STEMS


def goes_on(text: str) -> bool:
    """True if a request reads as if it went on from the answer before it."""
    said = re.findall(r"[a-z']+", text.lower())
    begins = {" ".join(said[:1]), " ".join(said[:2])}
    return bool(begins & {*DATA["follow_up"]}) or bool({*said} & {*DATA["pointing"]})


def points_back(text: str) -> bool:
    """True if a request speaks of the answer before it by a pronoun."""
    return bool({*re.findall(r"[a-z']+", text.lower())} & {*DATA["pronouns"]})


def is_fragment(text: str) -> bool:
    """True if a request means nothing without the answer before it."""
    said = re.findall(r"[a-z']+", text.lower())
    leads = bool(said) and said[0] in DATA["leading"]
    begins = bool({" ".join(said[:1]), " ".join(said[:2])} & {*DATA["follow_up"]})
    return begins and (not leads or bool({*said} & {*DATA["pointing"]}))


def content(text: str) -> list[str]:
    """The canonical words of ``text`` that say something, in order."""
    return [canonical(word) for word in split(text) if not is_stop(word)]


def corrected(word: str, vocabulary: Iterable[str]) -> str | None:
    """The word of ``vocabulary`` that ``word`` is a typing mistake for, or None.

    Letters swapped, left out or doubled count; a wrong one only in long words (a price is no prime)."""
    best: tuple[int, str] | None = None
    for other in vocabulary:
        begins_alike = word[:1] == other[:1] or word[:2] == other[1::-1]
        if not begins_alike or abs(len(other) - len(word)) > 2 or min(len(word), len(other)) < 4:
            continue
        distance = OSA.distance(word, other, score_cutoff=2)
        if distance <= 2 and (best is None or distance < best[0]) and _is_typo(word, other, distance):
            best = (distance, other)
    return best[1] if best else None


def _is_typo(word: str, other: str, distance: int) -> bool:
    longest, swapped = max(len(word), len(other)), sorted(word) == sorted(other)
    if distance == 1:
        return swapped or (len(word) != len(other) and longest >= 5) or longest >= 8
    return longest >= 8 and (swapped or longest >= 9)
