"""The engine as the server uses it: a conversation goes in, an answer in the answer format comes out."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.prompt_offers import is_refusal, offered
from spark_jupyter.protocol.values import InsertCell, NotebookCell, Target
from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines import matching, request
from spark_jupyter.server.engines.recipes import RecipeEngine
from tests.server.recipe_answers import ENGINE, SALES, TRIPS, ask, code_of, run, text_of

if TYPE_CHECKING:
    from pathlib import Path

# --- What it says ------------------------------------------------------------------------------------------------------


def test_the_first_sentence_says_which_recipe_and_book_it_is_and_that_it_is_no_language_model() -> None:
    answer = ask("bubble sort")
    assert answer.startswith("From the recipe “Bubble sort” in the book “Algorithms and data structures”;")
    assert "no language model" in answer.split("\n")[0]


def test_an_honest_no_names_near_recipes_and_how_to_connect_a_model() -> None:
    answer = ask("deploy the csv file to the moon with kubernetes")
    assert "can't do that offline" in answer
    assert "not a language model" in answer
    assert all("csv" in one for one in offered(answer))
    assert "SPARK_BASE_URL" in answer
    assert not code_of(answer)


def test_pieces_are_small_and_together_the_answer() -> None:
    message = Message("user", text_of("bubble sort"))
    pieces = list(ENGINE.answer((message,), instructions="", model=""))
    assert "".join(pieces) == ask("bubble sort")
    assert max(map(len, pieces)) <= 40


def test_a_conversation_without_a_user_gets_an_honest_no() -> None:
    assert "can't do that offline" in "".join(ENGINE.answer((), instructions="", model=""))


# --- The user's names ----------------------------------------------------------------------------------------------


def test_the_users_table_and_columns_take_the_place_of_the_books() -> None:
    answer = ask("average unit price per city", SALES)
    assert run(answer, SALES)["_"]["Bonn"] == 9.5


def test_a_histogram_is_of_the_column_and_with_the_bins_that_are_named() -> None:
    from matplotlib import pyplot

    run(ask("histogram of quantity with 7 bins", SALES), SALES)
    axes = pyplot.gcf().axes[0]
    assert len(axes.patches) == 7
    assert "quantity" in axes.get_xlabel()


def test_without_a_table_of_the_users_the_example_data_comes_along() -> None:
    answer = ask("average price per city")
    assert "# Example data" in answer
    run(answer)


def test_example_data_never_overwrites_a_variable_of_the_users() -> None:
    world = "df = [1, 2, 3]\nmeasurements = 5"
    space = run(ask("average price per city", world), world)
    assert space["df"] == [1, 2, 3]
    assert space["measurements"] == 5


def test_a_table_without_the_kind_of_column_gets_the_books_own_and_is_told() -> None:
    world = "import pandas as pd\nnames = pd.DataFrame({'city': ['a'], 'street': ['b']})"
    answer = ask("histogram of a column", world)
    assert "`names` has no number column" in answer
    run(answer, world)


def test_the_table_that_is_named_is_taken_and_where_none_is_named_the_user_is_asked() -> None:
    world = SALES + "costs = pd.DataFrame({'kind': ['x'], 'euro': [1.0]})"
    assert "sales" in code_of(ask("first look at sales", world))[0]
    asked = ask("first look at the table", world)
    assert code_of(asked) == []
    assert offered(asked) == ("first look at the table in costs", "first look at the table in sales")
    assert "costs" in code_of(ask(offered(asked)[0], world))[0]


def test_a_column_that_nothing_names_is_asked_for_where_several_fit() -> None:
    asked = ask("make a histogram", SALES)
    assert code_of(asked) == []
    assert offered(asked) == ("make a histogram of Unit price", "make a histogram of quantity")
    assert "Unit price" in code_of(ask(offered(asked)[0], SALES))[0]


def test_the_table_that_has_the_column_is_taken() -> None:
    world = SALES + "costs = pd.DataFrame({'kind': ['x'], 'euro': [1.0]})"
    assert "sales" in code_of(ask("histogram of quantity", world))[-1]


def test_a_recipes_own_variable_never_overwrites_the_users_table() -> None:
    world = SALES + "means = sales\ntotals = sales\ndel sales"
    answer = ask("average quantity per city", world)
    space = run(answer, world)
    assert list(space["means"].columns) == list(space["totals"].columns)


def test_the_users_own_names_do_not_disturb_the_match() -> None:
    world = "import pandas as pd\nbubble_sort = pd.DataFrame({'merge': [1.5, 2.5], 'regex': ['a', 'b']})"
    answer = ask("average merge per regex in bubble_sort", world)
    assert run(answer, world)["_"].to_dict() == {"a": 1.5, "b": 2.5}


def test_a_file_that_is_named_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "costs.csv").write_text("a,b\n1,2\n3,4\n")
    answer = ask("read costs.csv")
    assert "# Example data" not in answer
    assert run(answer)["df"].shape == (2, 2)


def test_durations_are_neither_grouped_by_nor_drawn_as_if_they_were_categories() -> None:
    for prompt in ("plot took over started", "bar chart of started by took", "count rows by took"):
        assert "groupby" not in ask(prompt, TRIPS)


# --- Hostile and odd prompts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        " \n\t",
        "?" * 5000,
        "histogram " * 3000,
        "```python\nimport os\n```",
        "## Variables\nx: DataFrame (1 × 1): __import__('os') float64",
        "histogram of \"; import os; os.system('x'); \"",
        "histogram of price'); import os #",
        "called import",
        "with 99999999999999999999 bins histogram",
        "read ../../etc/passwd.csv",
        'read "a\\".csv"',
        "{x} {df} {bins}",
        "\ud800 histogram \x00",
        "(((((((((((((((((",
        "plot\u202e of price",
    ],
)
def test_a_hostile_prompt_gets_an_answer_whose_cells_are_python(prompt: str) -> None:
    for source in code_of(ask(prompt, SALES)):
        compile(source, "<cell>", "exec", flags=0x2000)  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        assert "os.system" not in source


def test_a_column_that_is_named_like_code_stays_a_string() -> None:
    world = "import pandas as pd\nt = pd.DataFrame({'\"]; import os; os.abort(); x[\"': [1.0, 2.0], 'k': ['a', 'b']})"
    run(ask("histogram of a column", world), world)


def test_long_prompts_and_wide_tables_are_answered_in_time() -> None:
    world = "import pandas as pd\nwide = pd.DataFrame({f'col_{i}': [1.0] for i in range(80)})"
    answer = ask("histogram of col_7 " + "please " * 2000, world)
    assert 'wide["col_7"]' in answer


def test_one_engine_answers_many_threads() -> None:
    engine = RecipeEngine()
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.append(ask("bubble sort", engine=engine))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(answers)) == 1
    assert len(answers) == 8


# --- A teacher's own book ----------------------------------------------------------------------------------------------


def book(folder: Path, *cells: tuple[str, str]) -> Path:
    made = [
        {"cell_type": kind, "source": source, "metadata": {}} for kind, source in (("markdown", "# Lesson 3"), *cells)
    ]
    path = folder / "lesson.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made}))
    return path


def test_a_teachers_own_entry_comes_before_the_packages(tmp_path: Path) -> None:
    book(tmp_path, ("markdown", "## Bubble sort\n- bubble sort"), ("code", "print('as in our lesson')"))
    answer = ask("bubble sort", engine=RecipeEngine([tmp_path]))
    assert "in the book “Lesson 3”" in answer
    assert code_of(answer) == ["print('as in our lesson')\n".rstrip("\n")]


def test_an_entry_of_ones_own_is_found_and_gets_the_users_names(tmp_path: Path) -> None:
    path = book(
        tmp_path,
        (
            "markdown",
            "## Frobnicate\n- frobnicate {x} in {df}\n\nReplace:\n- `t` = {df} DataFrame\n- `'a'` = {x} number column",
        ),
        ("code", "# setup\nimport pandas as pd\nt = pd.DataFrame({'a': [1]})"),
        ("code", "t['a'].sum()"),
    )
    answer = ask("frobnicate quantity in sales", SALES, engine=RecipeEngine([path]))
    assert run(answer, SALES)["_"] == 13


def test_a_broken_book_is_told_when_the_engine_is_made(tmp_path: Path) -> None:
    book(tmp_path, ("markdown", "## A\n- a"), ("code", "x = ("))
    with pytest.raises(ConfigurationError, match="not Python"):
        RecipeEngine([tmp_path])


# --- The user's own code -----------------------------------------------------------------------------------------------

CELL = NotebookCell(id="c1", source="def double(n):\n    return 2 * n\n\n\nx = np.sqrt(double(8))")


def test_fix_replaces_the_failing_cell() -> None:
    error = "Traceback (most recent call last):\nCell In[1], line 5\nNameError: name 'np' is not defined"
    answer = ask("fix it", intent="fix", last_error=error, cells=(CELL,))
    assert "```python cell=c1\n" in answer
    assert run(answer)["x"] == 4


def test_fix_without_a_traceback_says_what_it_needs() -> None:
    answer = ask("fix", intent="fix", cells=(CELL,))
    assert "I know of no error in the kernel, and am not told what failed in a copy: run the cell" in answer
    assert not code_of(answer)


def test_an_error_without_a_repair_is_an_honest_no() -> None:
    answer = ask("fix", intent="fix", last_error="OSError: [Errno 28] No space left on device", cells=(CELL,))
    assert "Offline I can't repair" in answer


def test_an_explanation_takes_a_model() -> None:
    assert is_refusal(ask("average quantity per city", SALES, intent="explain"))


def test_an_edit_replaces_the_cell_that_is_edited() -> None:
    answer = ask("add a docstring and type hints", intent="edit", edit=CELL)
    assert "```python cell=c1\n" in answer
    assert '"""' in answer


def test_an_edit_that_is_not_known_is_an_honest_no() -> None:
    answer = ask("make it blue and faster with cython", intent="edit", edit=NotebookCell(id="c2", source="x = 1"))
    assert "cell=" not in answer


def test_tests_for_my_function_run() -> None:
    answer = ask(
        "write tests for my double function",
        cells=(NotebookCell(id="c1", source="def double(n: int):\n    return 2 * n"),),
    )
    assert "def test_double" in answer
    run(answer, "def double(n):\n    return 2 * n")


def test_a_cell_with_a_fence_in_it_is_fenced_longer() -> None:
    cell = NotebookCell(id="c1", source='def f(a):\n    text = """\n```python\n```\n"""\n    return a / 2')
    answer = ask("add type hints", intent="edit", edit=cell)
    assert "````python cell=c1" in answer


# --- Matching ----------------------------------------------------------------------------------------------------------


def test_the_threshold_leaves_room_on_both_sides() -> None:
    assert 0.5 < matching.THRESHOLD < 0.8


def test_an_answer_reads_as_new_cells_below_the_prompt() -> None:
    from spark_jupyter.prompting.answer_decoder import AnswerDecoder
    from spark_jupyter.prompting.answer_items import Change

    decoder = AnswerDecoder("t1", target=Target(), known_cells={})
    items = [*decoder.decode(ask("average quantity per city", SALES)), *decoder.flush()]
    inserted = [item.change for item in items if isinstance(item, Change) and isinstance(item.change, InsertCell)]
    assert [change.cell_id for change in inserted] == ["t1-1"]


def test_a_refusal_says_no_and_offers_what_it_knows_as_prompts():
    answer = RecipeEngine().reply(request.Request(text="a poem about the soul of my husband"))
    assert answer.cells == ()
    assert is_refusal(answer.notes)
    assert all("{" not in prompt for prompt in offered(answer.notes))


SHOP = """
import pandas as pd
df = pd.DataFrame({"order_date": ["2026-01-03", "2026-03-04"] * 2, "product": ["Mug", "Tea"] * 2, "student": ["Ana", "Ben"] * 2})
"""


def test_of_several_readings_that_no_word_tells_apart_the_code_is_shown() -> None:
    answer = ask("how many products are in the table", SHOP)
    assert "- `len(df)`" in answer
    assert '- `df["product"].nunique()`' in answer
    assert not code_of(answer)


@pytest.mark.parametrize("prompt", ["explain the last cell", "what does groupby do?", "Please explain this code"])
def test_an_explanation_is_no_recipe(prompt: str) -> None:
    said = messages_after(["sort by product", prompt])
    assert "Explanations need a language model." in said
    assert not code_of(said)


def test_a_request_to_fix_without_an_error_is_told_so() -> None:
    answer = ask("fix the error", SHOP)
    assert "I know of no error" in answer
    assert "Ask:" not in answer


def test_a_request_of_its_own_does_not_go_on_from_an_earlier_one_to_a_recipe_that_leaves_words_out() -> None:
    said = messages_after(["average price per product", "how many times was each pet painted"])
    assert is_refusal(said)


def messages_after(prompts: list[str]) -> str:
    """The answer to the last of these prompts."""
    asked = tuple(Message("user", text_of(prompt, SHOP)) for prompt in prompts)
    return "".join(ENGINE.answer(asked, instructions="", model="recipe-book"))


@pytest.mark.parametrize(
    ("prompt", "near"),
    [
        ("which station should we close next year", ()),
        ("who are the best customers", ()),
        ("fit a random forest and ask my cat about it", ("random forest", "find good settings of a random forest")),
        ("plot fares with confidence bands", ("confidence band around a line",)),
    ],
)
def test_a_no_offers_only_what_is_near_the_prompt(prompt: str, near: tuple[str, ...]) -> None:
    answer = ask(prompt)
    assert is_refusal(answer)
    assert offered(answer) == near
    assert ("Or try:" in answer) == bool(near)


KEYED = """
import pandas as pd
orders = pd.DataFrame({
    "order_id": range(1, 9), "customer_id": [1, 2, 1, 3, 2, 4, 1, 2],
    "quantity": [1, 2, 3, 4, 5, 6, 7, 8], "price": [2.5, 3, 4, 5, 6, 7, 8, 9.0],
})
"""


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        ("unique customers", 'orders["customer_id"].unique()'),
        ("number of orders per customer", 'orders["customer_id"].value_counts()'),
        ("mean price per customer", 'orders.groupby("customer_id")["price"].mean()'),
    ],
)
def test_a_part_of_the_name_of_a_key_is_one_to_group_by(prompt, code):
    assert code in ask(prompt, KEYED)


def test_a_key_is_no_number_to_compare_by_a_part_of_its_name():
    assert "Which column do you mean?" in ask("show orders over 10", KEYED)
    assert code_of(ask("customers older than 30", KEYED)) == []
    assert 'orders["order_id"] > 5' in ask("show rows with order_id over 5", KEYED)
