"""Parts of a request that count for its fingerprint."""

from __future__ import annotations

import pytest

from spark_jupyter.providers.base import Message
from spark_jupyter.recordings.fingerprint import NEAR, ask_of, fingerprint, likeness, shared


def asked(request: str, *, variables: str = "sales: DataFrame (3 × 1)", more: str = ""):
    text = f"## Cells\n### id=a code\n```python\nx = 1\n```\n\n## Variables\n{variables}\n\n{more}## Request\n{request}"
    return ask_of([Message("user", text)])


SAME = asked("Plot `sales` for 2024-01-02.")


@pytest.mark.parametrize(
    "other",
    [
        asked("plot  `sales` for 2024-01-02"),
        asked("Plot `df` for 2024-01-02.", variables="df: DataFrame (9 × 2)"),
        asked("Plot `sales` for 2025-11-30."),
        asked("plot `sales` for 2024-01-02?"),
        asked("Plot `sales` for 2024-01-02.", more="## Last error\nTraceback\nKeyError: 'x'\n\n"),
        asked("Plot `sales` for 2024-01-02.", more="## Versions\npandas 3.1\n\n"),
    ],
    ids=[
        "spaces and capitals",
        "a renamed variable",
        "another date",
        "another end",
        "an error nobody asks about",
        "versions",
    ],
)
def test_what_does_not_matter_does_not_count(other):
    assert fingerprint(other[0]) == fingerprint(SAME[0])


@pytest.mark.parametrize(
    "other",
    [
        asked("Plot `sales` for 2024-01-02 in red."),
        asked("Plot `orders` for 2024-01-02."),
        asked("Plot `sales` for 2024-01-02.", more="## Edit cell b\n```python\ny = 1\n```\n\n"),
        asked("Plot `sales` for 2024-01-02.\n\n## Steer\nin red"),
        asked("Plot `sales` for 2024-01-02.\n\n## Intent\nexplain: in words"),
    ],
    ids=["another word", "a name that is no variable", "another cell", "a steer", "an intent"],
)
def test_what_matters_counts(other):
    assert fingerprint(other[0]) != fingerprint(SAME[0])


def test_an_edit_counts_with_its_names_in_their_places():
    edit = "## Edit cell b\n```python\n{0} = {0}.dropna()\n```\n\n"
    one = asked("Sort it", more=edit.format("sales"))[0]
    renamed = asked("Sort it", variables="df: DataFrame", more=edit.format("df"))[0]
    other = asked("Sort it", more=edit.format("sales").replace("dropna", "head"))[0]
    assert fingerprint(one) == fingerprint(renamed) != fingerprint(other)
    assert one.values == ("sales",)


def test_the_kind_of_an_error_counts_where_it_is_to_be_repaired():
    texts = [f"## Last error\nTraceback\n{kind}: 1\n\n" for kind in ("KeyError", "pandas.errors.ParserError")]
    asks = [asked("Fix it\n\n## Intent\nfix: it", more=text)[0] for text in texts]
    assert [ask.error for ask in asks] == ["KeyError", "ParserError"]
    assert fingerprint(asks[0]) != fingerprint(asks[1])


def test_a_request_is_near_one_in_other_words_and_not_one_of_another_kind():
    assert likeness(asked("please plot `sales` for 2024-01-02")[0], SAME[0]) >= NEAR
    assert likeness(asked("What is a decorator?")[0], SAME[0]) < NEAR
    assert likeness(asked("Plot `sales` for 2024-01-02.\n\n## Steer\nin red")[0], SAME[0]) == 0


def test_notebooks_are_as_near_as_the_cells_that_they_share():
    assert shared({"a": "1", "b": "2"}, {"c": "1"}) == 0.5
    assert shared({}, {}) == 1.0
    assert list(SAME[1]) == ["a"]
