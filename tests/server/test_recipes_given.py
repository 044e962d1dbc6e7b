"""Values in the prompt itself (lists, texts, numbers, compared values) go into the answer, and only there."""

from __future__ import annotations

import pytest

from spark_jupyter.prompting.corrections import correction
from spark_jupyter.protocol.prompt_offers import is_refusal
from spark_jupyter.protocol.values import Finding
from spark_jupyter.server.engines import literals, request
from tests.server.recipe_answers import ENGINE, SALES, ask, code_of, run
from tests.server.test_recipes_steering import steer, steered

TWO = """
import pandas as pd
customers = pd.DataFrame({"customer_id": [1, 2, 3], "name": ["Ada", "Bob", "Cy"]})
orders = pd.DataFrame({"order_id": [10, 11, 12], "customer_id": [1, 1, 3], "amount": [5.0, 7.5, 2.0]})
"""

# --- Literals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "out"),
    [
        ("sort [3, 1, 2]", "[1, 2, 3]"),
        ("remove duplicates from [1, 2, 2, 3, 1]", "[1, 2, 3]"),
        ("flatten [[1, 2], [3]]", "[1, 2, 3]"),
        ("sum of the list [4, 5]", "9"),
        ("reverse the string 'hello'", "olleh"),
        ("gcd of 48 and 36", "12"),
        ("is 91 a prime number", "False"),
        ("area of a circle with radius 2", "12.57"),
        ("factorial of 6", "720"),
    ],
)
def test_what_the_prompt_gives_is_what_the_answer_works_on(
    prompt: str, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(ask(prompt))
    assert out in capsys.readouterr().out


def test_a_list_in_the_prompt_overwrites_no_variable_of_the_users() -> None:
    world = "values = 'precious'"
    space = run(ask("sort [3, 1, 2]", world), world)
    assert space["values"] == "precious"
    assert space["ordered"] == [1, 2, 3]


def test_a_list_that_is_no_constant_is_left_alone() -> None:
    answer = ask("sort the list [__import__('os').getcwd()]")
    assert "__import__" not in "".join(code_of(answer))


@pytest.mark.parametrize("text", ["[" * 3000, "[(", "{1: }", "[1, 2", "(((1)))", "[f(1)]", "]["])
def test_brackets_of_any_sort_are_no_list(text: str) -> None:
    assert literals.of_kind("list", text) is None
    assert literals.displays_out(text) == text


def test_numbers_stand_for_themselves_only_outside_of_lists_dates_files_and_quotes() -> None:
    assert literals.numbers("7 of [1, 2] on 2024-01-02 in a1.csv and '3' at 2.5 or 8%") == ["7", "2.5"]


def test_a_recipe_for_numbers_takes_no_list_of_texts() -> None:
    world = "words = ['tea', 'cocoa']"
    answer = ask("average of my list", world)
    assert "words" not in "".join(code_of(answer))
    run(answer, world)


# --- Compared values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "rows"),
    [
        ("rows with quantity over 1", 2),
        ("rows where quantity is at least 2", 2),
        ("rows with quantity >= 2", 2),
        ("quantity under 2", 2),
        ("only rows where city is Bonn", 2),
        ("rows where quantity is 9", 1),
        ("delete rows where city is Bonn", 2),
        ("delete rows with unit price over 20", 3),
        ("unit price over 9.5 and quantity under 2", 2),
        ("rows on or after 2024-02-02", 2),
        ("cheaper than 11", 2),
    ],
)
def test_a_comparison_keeps_just_the_rows_that_were_meant(prompt: str, rows: int) -> None:
    assert len(run(ask(prompt, SALES), SALES)["_"]) == rows


def test_a_value_of_a_number_column_is_a_number_and_of_a_text_column_a_text() -> None:
    assert "== 9]" in code_of(ask("rows where quantity is 9", SALES))[-1]
    assert '== "Bonn"]' in code_of(ask("only rows where city is Bonn", SALES))[-1]


# --- Two tables --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prompt", ["merge the two dataframes", "join orders and customers", "join customers and orders"]
)
def test_tables_are_joined_on_a_column_that_both_have(prompt: str) -> None:
    joined = run(ask(prompt, TWO), TWO)["_"]
    assert sorted(joined["amount"]) == [2.0, 5.0, 7.5]
    assert "name" in joined.columns


def test_which_have_none_asks_for_the_rows_without_a_partner() -> None:
    assert list(run(ask("which customers have no orders", TWO), TWO)["_"]["name"]) == ["Bob"]


# --- Rather no than wrong ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prompt", ["read yaml file", "read my mind", "convert pdf to text", "what is the meaning of life", "regex for cars"]
)
def test_half_a_match_with_a_related_word_gets_an_honest_no(prompt: str) -> None:
    assert "can't do that offline" in ask(prompt)
    assert not code_of(ask(prompt))


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("join some texts with a comma", "Elements of a list joined"),
        ("reverse my list", "Reverse a list"),
        ("count lines in a file", "Count lines and words of a file"),
        ("plot y = x**2", "Plot a function"),
    ],
)
def test_the_thing_and_the_action_that_are_named_choose_the_recipe(prompt: str, title: str) -> None:
    world = "numbers = [4, 8, 15]\nwords = ['pear', 'fig']"
    answer = ask(prompt, world)
    assert answer.startswith(f"From the recipe “{title}”")
    run(answer, world)


def test_a_file_of_another_kind_is_written_in_another_way() -> None:
    assert "sales.to_excel(" in ask("save sales to sales.xlsx", SALES)
    assert "sales.to_csv(" in ask("save sales to sales.csv", SALES)


def test_a_histogram_without_a_table_is_of_the_books_own_data() -> None:
    answer = ask("plot a histogram of the prices")
    assert "“Histogram of a column”" in answer
    assert "# Example data" in answer
    run(answer)


# --- The guardrail's correction ----------------------------------------------------------------------------------------

FINDING = Finding(
    rule="unsafe-eval",
    severity="block",
    line=2,
    column=0,
    message="eval runs anything.",
    remedy="Use ast.literal_eval, call it safe_value.",
)


@pytest.mark.parametrize("line", ["df.plot()", "", 'x = """\n\nuse a box plot instead\n\n"""'])
def test_a_correction_is_no_wish_and_the_recipe_says_honestly_that_it_stands(line: str) -> None:
    answer = steer("histogram of quantity", correction([FINDING], line))
    assert code_of(answer) == code_of(ask("histogram of quantity", SALES))
    assert answer.count("can't be written in another way") == 1


def test_a_correction_goes_on_with_what_stands() -> None:
    whole = ask("histogram of quantity", SALES)
    cut = whole[: whole.index("plt.show")]
    conversation = steered("histogram of quantity", correction([FINDING], "ax.hist(1)"), so_far=cut)
    assert "```python continue" in "".join(ENGINE.answer(conversation, instructions="", model=""))


def test_instructions_stand_apart_and_a_fenced_block_stays_whole() -> None:
    said = ["log scale", correction([FINDING], "a = 1\n\nb = 2"), "in red"]
    assert list(request.read(steered("histogram", *said, world="")).steers) == said


def test_a_recipe_without_a_function_does_not_answer_for_one() -> None:
    assert is_refusal(ask("function to convert grams to ounces"))


# --- The user's own names -----------------------------------------------------------------------------------------------

EXAM = """
import pandas as pd
sales = pd.DataFrame({"product": ["lamp", "desk"], "city": ["Bonn", "Ulm"], "passed": [True, False]})
products = ["lamp", "desk", "chair"]
"""


@pytest.mark.parametrize(
    "prompt",
    [
        "write a loop that prints the products",
        "for loop over products",
        "loop over the products and print them",
        "print the products one per line",
    ],
)
def test_a_list_may_be_named_like_a_column(prompt: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(ask(prompt, EXAM), EXAM)
    assert capsys.readouterr().out == "lamp\ndesk\nchair\n"


@pytest.mark.parametrize("prompt", ["who failed", "which weekday has the highest city", "longest sale"])
def test_a_question_about_the_users_data_is_not_answered_with_examples(prompt: str) -> None:
    assert code_of(ask(prompt, EXAM)) == []
