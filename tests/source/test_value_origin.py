"""The line above on which a literal is written that a statement uses."""

from __future__ import annotations

import pytest

from spark_jupyter.source.value_origin import origin_line

_LIST = 'numeric = ["tenure", "Charges"]\nfig = 1\nfor ax, col in zip([1], numeric):\n    print(col)\nx = df[numeric]\n'


@pytest.mark.parametrize(
    ("source", "line", "literal", "found"),
    [
        (_LIST, 4, "Charges", 1),
        (_LIST, 5, "Charges", 1),
        (_LIST, 5, "other", 0),
        ('x = df["Charges"]\n', 1, "Charges", 0),
        ('a = "k"\nb = [a]\nc = df[b]\n', 3, "k", 1),
        ('unused = "k"\nc = df[b]\n', 2, "k", 0),
        ('a = "k"\nc = df[a\n', 2, "k", 0),
        ("%pip install x\ncols = ['k']\ndf[cols]\n", 3, "k", 2),
    ],
)
def test_the_nearest_statement_that_writes_the_literal_is_found(source, line, literal, found):
    assert origin_line(source, line, literal) == found
