"""The engine as the server uses it: a conversation goes in, an answer in the answer format comes out."""

from __future__ import annotations

import json
import re
import threading
from typing import TYPE_CHECKING, Any

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.conversation import Answer, Conversation, Note, Question
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.prompting.request_text import messages, question_text
from spark_jupyter.protocol.prompt_offers import is_refusal, offered
from spark_jupyter.protocol.values import InsertCell, NotebookCell, Target
from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines import matching, request
from spark_jupyter.server.engines.recipes import RecipeEngine

if TYPE_CHECKING:
    from pathlib import Path

ENGINE = RecipeEngine()

SALES = """
import pandas as pd
sales = pd.DataFrame({
    "Order Date": pd.to_datetime(["2024-01-03", "2024-01-20", "2024-02-02", "2024-03-14"]),
    "city": ["Bonn", "Ulm", "Bonn", "Kiel"],
    "Unit price": [10.0, 12.5, 9.0, 30.0],
    "quantity": [1, 2, 9, 1],
})
"""


def question_of(prompt: str, world: str = "", **parts: Any) -> Question:
    space: dict[str, Any] = {}
    exec(world, space)
    users = {name: value for name, value in space.items() if not name.startswith("__")}
    return Question(request=prompt, variables=describe(gather(users), budget_tokens=4000), **parts)


def text_of(prompt: str, world: str = "", **parts: Any) -> str:
    return question_text(question_of(prompt, world, **parts))


def ask(prompt: str, world: str = "", *, engine: RecipeEngine = ENGINE, **parts: Any) -> str:
    message = Message("user", text_of(prompt, world, **parts))
    return "".join(engine.answer((message,), instructions="", model="recipe-book"))


def code_of(answer: str) -> list[str]:
    return re.findall(r"(?ms)^```python[^\n]*\n(.*?)\n?^```$", answer)


def run(answer: str, world: str = "") -> dict[str, Any]:
    """Run the answer's cells as a notebook would; ``_`` is the last expression's value."""
    import ast

    import matplotlib

    matplotlib.use("Agg")
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(world, space)
    for source in code_of(answer):
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<cell>", "exec"), space)
        if isinstance(last, ast.Expr):
            space["_"] = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)
    return space


# --- What it says ------------------------------------------------------------------------------------------------------


def test_the_first_sentence_says_which_recipe_and_book_it_is_and_that_it_is_no_language_model() -> None:
    answer = ask("bubble sort")
    assert answer.startswith("From the recipe “Bubble sort” in the book “Algorithms and data structures”;")
    assert "no language model" in answer.split("\n")[0]


def test_an_honest_no_names_near_recipes_and_how_to_connect_a_model() -> None:
    answer = ask("deploy the csv file to the moon with kubernetes")
    assert "can't do that offline" in answer
    assert "not a language model" in answer
    assert len(re.findall(r"(?m)^- ", answer)) == 3
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

    pyplot.close("all")
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


# --- Steering ----------------------------------------------------------------------------------------------------------


def steered(prompt: str, *instructions: str, world: str = SALES, so_far: str = "") -> tuple[Message, ...]:
    """A conversation in which an answer is redirected."""
    question = question_of(prompt, world, steers=instructions, answer=Answer((Note(so_far),)))
    return messages(Conversation(question))


def steer(prompt: str, *instructions: str, world: str = SALES, so_far: str = "") -> str:
    conversation = steered(prompt, *instructions, world=world, so_far=so_far)
    return "".join(ENGINE.answer(conversation, instructions="", model=""))


def test_a_number_is_changed_by_a_steer() -> None:
    assert "bins=50" in steer("histogram of quantity", "with 50 bins")


def test_a_column_is_changed_by_a_steer_and_by_a_later_one_again() -> None:
    assert '["quantity"]' in steer("histogram of unit price", "use quantity")
    assert '["Unit price"]' in steer("histogram of unit price", "use quantity", "no, use the unit price")


def test_a_variant_is_chosen_by_a_steer() -> None:
    answer = steer("histogram of quantity", "log scale")
    assert "logy=True" in code_of(answer)[-1]


def test_another_recipe_is_chosen_by_a_steer_and_keeps_the_columns() -> None:
    answer = steer("histogram of quantity", "no wait, make a box plot instead")
    assert "Box plot" in answer
    assert '"quantity"' in answer


def test_descending_turns_a_sort_round() -> None:
    answer = steer("sort sales by quantity", "descending")
    assert next(iter(run(answer, SALES)["_"]["quantity"])) == 9


def test_a_library_without_a_variant_is_told_and_nothing_changes() -> None:
    answer = steer("average quantity per city", "use polars")
    assert "I don't know how to do “use polars”" in answer
    assert code_of(answer) == code_of(ask("average quantity per city", SALES))


def test_what_is_not_understood_is_told_and_nothing_changes() -> None:
    answer = steer("average quantity per city", "make it funkier")
    assert "I don't know how" in answer
    assert code_of(answer) == code_of(ask("average quantity per city", SALES))


def test_an_answer_that_only_goes_on_goes_on() -> None:
    whole = ask("histogram of quantity", SALES)
    cut = whole[: whole.index("sales[")]
    answer = steer("histogram of quantity", "with 50 bins", so_far=cut)
    block = re.search(r"(?s)```python continue\n(.*?)```", answer)
    assert block is not None
    begun = code_of(whole)[0][: code_of(whole)[0].index("sales[")]
    assert begun.split() + block[1].split() == code_of(steer("histogram of quantity", "with 50 bins"))[0].split()


def test_an_answer_that_is_different_above_begins_again() -> None:
    whole = ask("histogram of quantity", SALES)
    cut = whole[: whole.index("plt.show")]
    assert "continue" not in steer("histogram of quantity", "with 50 bins", so_far=cut)


def test_a_follow_up_goes_on_from_the_request_before_it() -> None:
    before = Message("user", text_of("histogram of quantity", SALES))
    said = Message("assistant", ask("histogram of quantity", SALES))
    after = Message("user", text_of("and now with 50 bins", SALES))
    answer = "".join(ENGINE.answer((before, said, after), instructions="", model=""))
    assert "bins=50" in answer
    assert '"quantity"' in answer


def test_a_follow_up_changes_the_cell_that_waits_and_no_other() -> None:
    said = ask("histogram of quantity", SALES)
    cell = NotebookCell(id="t1-1", source=code_of(said)[-1])
    before = (Message("user", text_of("histogram of quantity", SALES)), Message("assistant", said))

    def follow(prompt: str, **parts: Any) -> str:
        after = Message("user", text_of(prompt, SALES, cells=(cell,), **parts))
        return "".join(ENGINE.answer((*before, after), instructions="", model=""))

    assert "```python cell=t1-1\n" in follow("and now with 50 bins", proposed=("t1-1",))
    assert "cell=" not in follow("and now with 50 bins"), "it was decided on"
    assert "cell=" not in follow("average quantity per city", proposed=("t1-1",)), "a request of its own"


TRIPS = """
import pandas as pd
days = pd.date_range("2024-01-01", periods=3)
trips = pd.DataFrame({"started": days, "took": pd.to_timedelta([1, 2, 3], "D")})
"""


def test_a_request_about_another_table_changes_no_cell_that_waits() -> None:
    world = f"{SALES}\n{TRIPS}"
    said = ask("count values of city in sales", world)
    cell = NotebookCell(id="t1-1", source=code_of(said)[-1])
    before = (Message("user", text_of("count values of city in sales", world)), Message("assistant", said))
    after = Message("user", text_of("plot took over started in trips", world, cells=(cell,), proposed=("t1-1",)))
    assert "cell=" not in "".join(ENGINE.answer((*before, after), instructions="", model=""))


def test_durations_are_neither_grouped_by_nor_drawn_as_if_they_were_categories() -> None:
    for prompt in ("plot took over started", "bar chart of started by took", "count rows by took"):
        assert "groupby" not in ask(prompt, TRIPS)


# --- The user's own code -----------------------------------------------------------------------------------------------

CELL = NotebookCell(id="c1", source="def double(n):\n    return 2 * n\n\n\nx = np.sqrt(double(8))")


def test_fix_replaces_the_failing_cell() -> None:
    error = "Traceback (most recent call last):\nCell In[1], line 5\nNameError: name 'np' is not defined"
    answer = ask("fix it", intent="fix", last_error=error, cells=(CELL,))
    assert "```python cell=c1\n" in answer
    assert run(answer)["x"] == 4


def test_fix_without_a_traceback_says_what_it_needs() -> None:
    answer = ask("fix", intent="fix", cells=(CELL,))
    assert "There is no error to repair" in answer
    assert not code_of(answer)


def test_an_error_without_a_repair_is_an_honest_no() -> None:
    answer = ask("fix", intent="fix", last_error="OSError: [Errno 28] No space left on device", cells=(CELL,))
    assert "no repair" in answer


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
    answer = ask("how many students are in the table", SHOP)
    assert "- `len(df)`" in answer
    assert '- `df["student"].nunique()`' in answer
    assert not code_of(answer)


@pytest.mark.parametrize("prompt", ["explain the last cell", "what does groupby do?", "Please explain this code"])
def test_an_explanation_is_no_recipe(prompt: str) -> None:
    said = messages_after(["sort by product", prompt])
    assert "Explanations need a language model." in said
    assert not code_of(said)


def test_a_request_to_fix_without_an_error_is_told_so() -> None:
    answer = ask("fix the error", SHOP)
    assert "There is no error to repair" in answer
    assert "Ask:" not in answer


def test_a_request_of_its_own_does_not_go_on_from_an_earlier_one_to_a_recipe_that_leaves_words_out() -> None:
    said = messages_after(["average price per product", "how many times was each pet painted"])
    assert is_refusal(said)


def messages_after(prompts: list[str]) -> str:
    """The answer to the last of these prompts."""
    asked = tuple(Message("user", text_of(prompt, SHOP)) for prompt in prompts)
    return "".join(ENGINE.answer(asked, instructions="", model="recipe-book"))
