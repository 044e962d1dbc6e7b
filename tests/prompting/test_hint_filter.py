"""Steps of hints: the text that each lets through, and the place of the cut."""

from __future__ import annotations

import pytest

from spark_jupyter.prompting.hint_filter import IDEA, LEFT_OUT, QUESTION, SIGNATURE, SKELETON, WHOLE, HintFilter

KNOWN = "def mean(xs):\n    ...\n\nassert mean([1, 2, 3]) == 2"
WHOLE_CODE = "```python\ndef mean(xs):\n    return sum(xs) / len(xs)\n```\n"
SKELETON_CODE = "```\ndef mean(xs):\n    total = ___\n    return total / ___\n```\n"
FITS = [
    (QUESTION, "What should `mean([])` give?\n"),
    (QUESTION, "Good start. If you add up all of xs, what is still missing for a mean?"),
    (QUESTION, "What is f(3) if f doubles its value(s)?\n"),
    (IDEA, "A mean is a total divided by a count. Both come from `xs`.\nNote: think of an empty list, too.\n"),
    (IDEA, "for each value in the list, think of what changes\n"),
    (SIGNATURE, "Look up `sum(iterable, /, start=0)` and `len(obj)`.\n"),
    (SIGNATURE, "It is pandas' `DataFrame.merge(right, how='inner', on=None)`.\n\n```\ndef mean(xs) -> float:\n```\n"),
    (SIGNATURE, "You need `*`, `/` and `+`, a loop (`for value in values:`, `else:`), and `return`.\n"),
    (SKELETON, f"Fill the gaps:\n\n{SKELETON_CODE}"),
    (SKELETON, "~~~python\ntotal = 0\nfor x in xs:\n    # your code\n~~~\nThen divide."),
    (WHOLE, f"{WHOLE_CODE}It works because a mean is a total by a count.\n"),
]
GIVES_MORE = [
    (QUESTION, "What is missing?\nYou must divide by the number of values.\n"),
    (QUESTION, "One. Two. Three. Four sentences. Then what?\n"),
    (QUESTION, "Do you know `sum(xs)`?\n"),
    (QUESTION, WHOLE_CODE),
    (IDEA, "Use sum() and len().\n"),
    (IDEA, "Take statistics.fmean(xs).\n"),
    (IDEA, "It is `total = sum(xs)`.\n"),
    (IDEA, "return sum(xs) / len(xs)\n"),
    (IDEA, "~~~\nsum\n~~~\n"),
    (SIGNATURE, WHOLE_CODE),
    (SIGNATURE, "Write `average = sum(xs) / len(xs)`.\n"),
    (SIGNATURE, "    total = sum(xs)\n"),
    (SIGNATURE, "`for value in sorted(xs)[:3]:` and `return total`\n"),
    (SKELETON, WHOLE_CODE),
    (SKELETON, "```\ndef mean(xs):\n    return sum(xs) / len(xs)"),
    (SKELETON, "average = sum(xs) / len(xs)\n"),
]


def shown(step, text, size):
    hint = HintFilter(step, KNOWN)
    parts = [hint.decode(text[at : at + size]) for at in range(0, len(text), size)]
    return "".join(parts) + hint.flush(), hint.is_cut


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(("step", "text"), FITS)
def test_what_fits_its_step_is_shown_as_it_is(step, text, size):
    assert shown(step, text, size) == (text, False)


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(("step", "text"), GIVES_MORE)
def test_what_gives_more_than_its_step_is_cut_there(step, text, size):
    said, is_cut = shown(step, text, size)
    assert is_cut
    assert said.endswith(LEFT_OUT)
    assert "len(xs)" not in said


def test_nothing_follows_a_cut():
    said, _ = shown(IDEA, f"Think of a total.\n{WHOLE_CODE}So much for that.\n", 3)
    assert said == f"Think of a total.\n{LEFT_OUT}"
