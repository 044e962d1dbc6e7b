"""Steers and follow-ups: what a request changes of the answer before it, and what it leaves."""

from __future__ import annotations

import re
from typing import Any

from spark_jupyter.prompting.conversation import Answer, Conversation, Note
from spark_jupyter.prompting.request_text import messages
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.providers.base import Message
from tests.server.recipe_answers import ENGINE, SALES, TRIPS, ask, code_of, question_of, run, text_of


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
    assert "Offline I don't understand “use polars”" in answer
    assert code_of(answer) == code_of(ask("average quantity per city", SALES))


def test_what_is_not_understood_is_told_and_nothing_changes() -> None:
    answer = steer("average quantity per city", "make it funkier")
    assert "Offline I don't understand “funkier”" in answer
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


def test_a_request_about_another_table_changes_no_cell_that_waits() -> None:
    world = f"{SALES}\n{TRIPS}"
    said = ask("count values of city in sales", world)
    cell = NotebookCell(id="t1-1", source=code_of(said)[-1])
    before = (Message("user", text_of("count values of city in sales", world)), Message("assistant", said))
    after = Message("user", text_of("plot took over started in trips", world, cells=(cell,), proposed=("t1-1",)))
    assert "cell=" not in "".join(ENGINE.answer((*before, after), instructions="", model=""))
