"""Any text: the grammar of tables answers or says nothing, and does not take long."""

from __future__ import annotations

import ast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spark_jupyter.protocol.prompt_offers import offered
from spark_jupyter.server.engines import namespace, tables
from spark_jupyter.server.engines.tables import forest

KNOWN = namespace.read(
    "sales: DataFrame (9 × 6): shop str(has 'Nord'), unit_price float64, quantity int64, sold_at datetime64[ns], paid bool, a str\n"
    "shops: DataFrame (3 × 2): shop str, staff int64"
)
FOREIGN = [
    "Nord",
    "sales",
    "shops",
    "shop",
    "unit price",
    "quantity",
    "sold_at",
    "paid",
    "a",
    "7",
    "2024",
    "2024-02",
    "12 %",
    '"x"',
    "zebra",
    "(",
    "*",
]
WORDS = st.deferred(lambda: st.sampled_from([" ".join(key) for key in sorted(forest.grammar().phrases)] + FOREIGN * 20))
"""Read when a test asks for it, as the grammar takes half a second."""
FEW = settings(max_examples=150)


def ask(text: str) -> None:
    answer = tables.answer(text, KNOWN)
    if answer is not None and answer.cells:
        ast.parse(answer.cells[0].source)
    elif answer is not None:  # it asks which is meant: with choices, or in words where no prompt says one of them alone
        assert (
            len(offered(answer.notes)) > 1
            or "Name the table and the column, and say what of it you want" in answer.notes
        )


@FEW
@given(st.text())
def test_any_text(text):
    ask(text)


@FEW
@given(st.lists(WORDS, max_size=9).map(" ".join))
@example("paid")
def test_any_words_of_the_grammar(text):
    ask(text)
    tables.amend("average quantity per shop", text, KNOWN)


@pytest.mark.parametrize("word", ["and", "per shop", "quantity > 3 and", "mean of", "sales", "(", "not", "1 +"])
def test_a_word_that_never_ends(word):
    assert tables.answer(f"{word} " * 200, KNOWN) is None or word
