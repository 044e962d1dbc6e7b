"""What a prompt names and an answer leaves aside is said; what it uses is not."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.offers import is_refusal
from spark_jupyter.server.engines import namespace as names
from spark_jupyter.server.engines import request
from spark_jupyter.server.engines.recipes import RecipeEngine
from spark_jupyter.server.engines.unused import unused

SPACE = names.read("A: ndarray (3, 3)\nrate: float\nsales: DataFrame (8×2): price float64, unit_cost float64")


@pytest.mark.parametrize(
    ("prompt", "code", "left"),
    [
        ("1000 rolls of a dice", "roll(100)", ["1000"]),
        ("days between 2024-01-15 and 2024-03-01", "date(2024, 1, 15) - date.today()", ["2024-03-01"]),
        ("birthday 24.12.2025", "date(2025, 12, 24)", []),
        ("95% of the rows", "quantile(0.95)", []),
        ("replace 'a' by 'b'", 'replace("a", "")', ["b"]),
        ("rows of costs.csv", "read('data.csv')", ["costs.csv"]),
        ("solve with A and rate", "solve(A)", ["rate"]),
        ("model of price by unit cost", 'sales["price"]', ["unit_cost"]),
        ("a table of sales", "sales.head()", []),
    ],
)
def test_what_is_named_and_not_in_the_code_is_left(prompt: str, code: str, left: list[str]) -> None:
    assert unused(prompt, code, SPACE) == left


def test_an_answer_from_a_book_that_does_not_use_a_value_is_a_no_that_says_which() -> None:
    answer = RecipeEngine().reply(request.Request(text="draw the parabola y = x^2 - 4x + 1 from -2 to 77"))
    assert not answer.cells
    assert is_refusal(answer.notes)
    assert "“77”" in answer.notes


@pytest.mark.parametrize(
    "prompt", ["a fibonaci function", "read a jsno file", "linear regresion of price on unit cost"]
)
def test_a_typing_mistake_that_chose_the_recipe_is_not_left_out(prompt: str) -> None:
    assert RecipeEngine().reply(request.Request(text=prompt, namespace=SPACE)).cells
