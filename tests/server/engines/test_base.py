"""Splitting text into token-like pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.server.engines.base import count_tokens, tokens

CODE = '''import pandas as pd

def mean_by_species(frame: pd.DataFrame) -> pd.Series:
    """The mean bill length of each species."""
    return frame.groupby("species")["bill_length_mm"].mean().sort_values(ascending=False)
'''


@given(st.text())
def test_joined_pieces_are_the_text_again_and_none_is_empty(text: str) -> None:
    pieces = list(tokens(text))
    assert "".join(pieces) == text
    assert all(pieces)


def test_pieces_of_code_are_about_as_long_as_tokens() -> None:
    pieces = list(tokens(CODE * 10))
    assert 3 <= len(CODE * 10) / len(pieces) <= 5


def test_a_long_run_of_one_character_is_split_in_linear_time() -> None:
    for character in " \t\n_x=":
        assert sum(map(len, tokens(character * 200_000))) == 200_000


def test_the_estimate_counts_a_quarter_of_the_characters_and_four_for_each_text() -> None:
    assert count_tokens([]) == 0
    assert count_tokens(["", "12345"]) == 4 + 4 + 2
