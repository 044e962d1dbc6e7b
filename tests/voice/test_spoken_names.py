"""Names in what was heard."""

from __future__ import annotations

import pytest

from spark_jupyter.voice.spoken_names import MOST_NAMES, spoken, spoken_names, written

NAMES = spoken_names(["orders", "Unit Price", "order_date", "CustomerID", "qty", "Région"])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("unit_price", "unit price"),
        ("Unit Price", "unit price"),
        ("UnitPrice", "unit price"),
        ("CustomerID", "customer id"),
        ("HTTPServer", "http server"),
        ("x1", "x"),
        ("%", ""),
        ("単価", ""),
    ],
)
def test_a_name_is_spoken_as_its_words(name, words):
    assert spoken(name) == words


@pytest.mark.parametrize(
    ("heard", "text"),
    [
        ("average unit price by region", "average Unit Price by region"),
        ("average unit prize by customer id", "average Unit Price by CustomerID"),
        ("only two thousand twenty four", "only 2024"),
        ("only in twenty twenty four", "only in 2024"),
        ("orders since nineteen ninety nine", "orders since 1999"),
        ("the first twenty orders", "the first 20 orders"),
        ("sort by q. t. y.", "sort by qty"),
        ("which one is it", "which one is it"),
        ("the order of the date", "the order of the date"),
        ("", ""),
    ],
)
def test_a_transcript_is_written_as_a_person_types(heard, text):
    assert written(heard, NAMES) == text


def test_of_many_names_the_first_count():
    names = spoken_names([f"column {chr(97 + one % 26)}{chr(97 + one // 26)}" for one in range(2 * MOST_NAMES)])
    assert len(names) == MOST_NAMES
