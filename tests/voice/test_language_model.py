"""The language model: a true distribution, in which what was said often is likely."""

from __future__ import annotations

import pytest

from spark_jupyter.voice.language_model import trigram_model

SENTENCES = [line.split() for line in ("plot the price", "plot the price", "plot the region", "sort by price")]


def probabilities(model: str) -> tuple[dict[tuple[str, ...], float], dict[tuple[str, ...], float]]:
    """Probabilities and weights of an ARPA file."""
    known, weights, size = {}, {}, 0
    for line in model.splitlines():
        if line.endswith("-grams:"):
            size = int(line[1])
        elif size and line and not line.startswith("\\"):
            fields = line.split()
            known[tuple(fields[1 : size + 1])] = 10 ** float(fields[0])
            weights[tuple(fields[1 : size + 1])] = 10 ** float(fields[size + 1]) if len(fields) > size + 1 else 1.0
    return known, weights


def likely(gram: tuple[str, ...], known, weights) -> float:
    if gram in known:
        return known[gram]
    return weights.get(gram[:-1], 1.0) * likely(gram[1:], known, weights)


@pytest.mark.parametrize(
    "history", [(), ("plot",), ("<s>", "plot"), ("plot", "the"), ("never", "seen"), ("sort", "by")]
)
def test_what_may_follow_has_a_probability_of_one_in_all(history):
    known, weights = probabilities(trigram_model(SENTENCES, {"hello": 1.0, "price": 3.0}))
    words = [gram[0] for gram in known if len(gram) == 1 and gram != ("<s>",)]
    assert sum(likely((*history, word), known, weights) for word in words) == pytest.approx(1, abs=0.01)


def test_what_was_said_more_often_is_more_likely():
    known, weights = probabilities(trigram_model(SENTENCES, {"hello": 1.0}))
    follow = [likely(("plot", "the", word), known, weights) for word in ("price", "region", "hello")]
    assert follow == sorted(follow, reverse=True)
    assert follow[2] > 0
