"""Trigram language model with absolute discounting, in ARPA's format."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

Gram = tuple[str, ...]

_DISCOUNT = 0.6
"""Taken from the count of what was seen, for what was not (Ney, Essen and Kneser 1994)."""
_ORDER = 3


def trigram_model(sentences: Iterable[Sequence[str]], common: Mapping[str, float], *, common_share: float = 0.2) -> str:
    """The model of ``sentences``, each a sequence of words.

    ``common`` has the probabilities of words that any sentence may hold; they share ``common_share`` of the unigrams.
    """
    counts = _counted(sentences)
    probabilities: list[dict[Gram, float]] = [_unigrams(counts[0], common, common_share)]
    backoffs: list[dict[Gram, float]] = []
    for grams in counts[1:]:
        known, weights = _discounted(grams, probabilities, backoffs)
        probabilities.append(known)
        backoffs.append(weights)
    return "\n".join(_lines(probabilities, [*backoffs, {}])) + "\n"


def _counted(sentences: Iterable[Sequence[str]]) -> list[Counter[Gram]]:
    counts: list[Counter[Gram]] = [Counter() for _ in range(_ORDER)]
    for sentence in sentences:
        words = ("<s>", *sentence, "</s>")
        for size, grams in enumerate(counts, 1):
            grams.update(words[start : start + size] for start in range(len(words) - size + 1))
    return counts


def _unigrams(counts: Counter[Gram], common: Mapping[str, float], share: float) -> dict[Gram, float]:
    total = sum(count for gram, count in counts.items() if gram != ("<s>",))
    everywhere = sum(common.values())
    known = {gram: (1 - share) * count / total for gram, count in counts.items() if gram != ("<s>",)}
    for word, probability in common.items():
        known[word,] = known.get((word,), 0.0) + share * probability / everywhere
    return known | {("<s>",): 0.0}  # no sentence begins within another


def _discounted(
    grams: Counter[Gram], shorter: Sequence[Mapping[Gram, float]], backoffs: Sequence[Mapping[Gram, float]]
) -> tuple[dict[Gram, float], dict[Gram, float]]:
    """Probabilities of these grams, and for each history the weight of the shorter grams."""
    following: defaultdict[Gram, list[tuple[Gram, int]]] = defaultdict(list)
    for gram, count in grams.items():
        following[gram[:-1]].append((gram, count))
    known: dict[Gram, float] = {}
    weights: dict[Gram, float] = {}
    for history, seen in following.items():
        total = sum(count for _, count in seen)
        known |= {gram: (count - _DISCOUNT) / total for gram, count in seen}
        covered = sum(_probability(gram[1:], shorter, backoffs) for gram, _ in seen)
        weights[history] = _DISCOUNT * len(seen) / total / max(1 - covered, 1e-6)
    return known, weights


def _probability(gram: Gram, known: Sequence[Mapping[Gram, float]], backoffs: Sequence[Mapping[Gram, float]]) -> float:
    exact = known[len(gram) - 1].get(gram)
    if exact is not None:
        return exact
    return backoffs[len(gram) - 2].get(gram[:-1], 1.0) * _probability(gram[1:], known, backoffs)


def _lines(probabilities: Sequence[Mapping[Gram, float]], backoffs: Sequence[Mapping[Gram, float]]) -> Iterator[str]:
    yield "\\data\\"
    for size, known in enumerate(probabilities, 1):
        yield f"ngram {size}={len(known)}"
    for size, (known, weights) in enumerate(zip(probabilities, backoffs, strict=True), 1):
        yield f"\n\\{size}-grams:"
        for gram, probability in sorted(known.items()):
            weight = f" {_log(weights.get(gram, 1.0))}" if size < _ORDER else ""
            yield f"{_log(probability)} {' '.join(gram)}{weight}"
    yield "\n\\end\\"


def _log(value: float) -> str:
    return f"{math.log10(value):.4f}" if value > 0 else "-99"
