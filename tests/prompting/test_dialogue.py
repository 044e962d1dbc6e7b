"""Conversations stay within the window, and tell nothing twice."""

from __future__ import annotations

import itertools

from spark_jupyter.prompting.budget import CELLS_SHARE, INPUT_SHARE, MOST_HISTORY, estimate_tokens, message_tokens
from spark_jupyter.prompting.conversation import Answer, Block
from spark_jupyter.prompting.dialogue import Dialogue
from spark_jupyter.prompting.request_text import messages
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import CellId, Image, NotebookCell, ProposalState, Target
from spark_jupyter.providers.base import Message, ModelRequest
from spark_jupyter.redaction.redactor import Redactor

WINDOW = 10_000
TURNS = itertools.count()


def notebook(count: int) -> tuple[NotebookCell, ...]:
    return tuple(
        NotebookCell(id=f"c{n}", source=f"value_{n} = [{', '.join(map(str, range(150)))}]") for n in range(count)
    )


def asked(dialogue: Dialogue, cells: tuple[NotebookCell, ...], **options: object) -> tuple[Message, ...]:
    prompt = Prompt(turn_id="t", text="plot value_3", cells=cells, **options)  # type: ignore[arg-type]
    conversation = dialogue.begin(prompt, Surroundings())
    dialogue.remember(f"t{next(TURNS)}", conversation.question, "```python\nplot(value_3)\n```\n")
    return messages(conversation)


def size(conversation: tuple[Message, ...]) -> int:
    return sum(estimate_tokens(message.text) for message in conversation)


def test_a_large_notebook_stays_within_the_window_and_what_the_prompt_names_is_there() -> None:
    dialogue = Dialogue(Redactor(), window=WINDOW)
    first = asked(dialogue, notebook(300))
    assert WINDOW * CELLS_SHARE * 0.8 < size(first) <= WINDOW * INPUT_SHARE
    assert "value_3 =" in first[-1].text
    assert "value_299 =" in first[-1].text
    second = asked(dialogue, notebook(300))
    assert second[:1] == first, "what shows a whole window's cells can still be gone on from"
    for _ in range(5):
        assert size(asked(dialogue, notebook(300))) <= WINDOW * INPUT_SHARE


def test_the_second_turn_says_only_what_is_new() -> None:
    dialogue = Dialogue(Redactor(), window=WINDOW)
    first = asked(dialogue, notebook(10))
    second = asked(dialogue, (*notebook(10), NotebookCell(id="new", source="fresh = 1")))
    assert second[:1] == first, "so that a provider who keeps it needs only the rest"
    assert "fresh = 1" in second[-1].text
    assert size(second[-1:]) < size(first) / 5


def test_the_edited_cell_goes_along_whatever_its_size() -> None:
    dialogue = Dialogue(Redactor(), window=WINDOW)
    large = NotebookCell(id="large", source="x = 1\n" * 20_000)
    assert large.source in asked(dialogue, (large, *notebook(3)), target=Target(edit="large"))[-1].text


def test_a_provider_that_counts_more_tokens_is_sent_less() -> None:
    dialogue = Dialogue(Redactor(), window=WINDOW)
    before = asked(dialogue, notebook(300))
    for _ in range(20):
        dialogue.learn(ModelRequest(model="m", instructions="", input=before), reported=2 * size(before))
    assert size(asked(Dialogue(Redactor(), window=WINDOW), notebook(300))) == size(before)
    assert size(asked(dialogue, notebook(300))) < size(before) * 0.6


def test_what_was_asked_of_spark_is_in_no_prompt_but_the_cell_that_is_edited() -> None:
    cells = tuple(
        NotebookCell(id=f"c{n}", source=source)
        for n, source in enumerate(
            ["x = 1", "%spark plot it", "%%pair -m a\nload it", "  %%spark edit\ny = 2", "%sparkle"]
        )
    )
    told = asked(Dialogue(Redactor()), cells, target=Target(after="c1"))[-1].text
    assert "x = 1" in told
    assert "%sparkle" in told
    assert "plot it" not in told
    assert "load it" not in told
    edit = asked(Dialogue(Redactor()), cells, target=Target(edit="c3"))[-1].text
    assert "y = 2" in edit


def test_lines_of_a_cell_that_ask_spark_are_in_no_prompt() -> None:
    source = "x = 1\n%spark plot it\n  %pair explain\ny = 2\ntext = '''\n%spark is quoted\n'''"
    told = asked(Dialogue(Redactor()), (NotebookCell(id="c", source=source),))[-1].text
    assert "x = 1\ny = 2\n" in told
    assert "%spark is quoted" in told
    assert "plot it" not in told
    assert "explain" not in told


def test_that_we_are_loaded_is_in_no_prompt_for_a_weak_model_writes_about_what_it_sees() -> None:
    loads = (
        "%load_ext spark_jupyter",
        "%load_ext autoreload\n%reload_ext spark_jupyter\nx = 1",
        "# y\n%load_ext other",
    )
    cells = tuple(NotebookCell(id=f"c{n}", source=source) for n, source in enumerate(loads))
    told = asked(Dialogue(Redactor()), cells, target=Target(after="c0"))[-1].text
    assert "spark_jupyter" not in told
    assert "c0" not in told
    assert "%load_ext autoreload\nx = 1" in told
    assert "%load_ext other" in told


def test_the_cells_around_the_cell_that_asks_are_the_near_ones() -> None:
    cells = notebook(300)
    cells = (*cells[:50], NotebookCell(id="asks", source="%spark plot it"), *cells[50:])
    told = asked(Dialogue(Redactor(), window=WINDOW), cells, target=Target(after="asks"))[-1].text
    assert "value_49 =" in told


def turn(dialogue: Dialogue, number: int, answer: str) -> tuple[Message, ...]:
    """The messages of a turn that is answered so."""
    conversation = dialogue.begin(Prompt(turn_id=f"t{number}", text=f"do step {number}"), Surroundings())
    dialogue.remember(f"t{number}", conversation.question, answer)
    return messages(conversation)


def test_a_corrected_answer_goes_along_as_if_it_had_been_written_at_once() -> None:
    dialogue = Dialogue(Redactor())
    begun = dialogue.begin(Prompt(turn_id="t1", text="plot it"), Surroundings())
    cut = Answer((Block(cell_id="t1-1", source="import os\n", open=True),))
    steered = dialogue.redirect(begun, answer=cut, instruction="in red")
    corrected = dialogue.redirect(steered, answer=cut, instruction="The check says: no.", corrects=True)
    assert "## Steer\nin red\n\nThe check says: no.\n" in messages(corrected)[-1].text
    dialogue.remember("t1", corrected.question, Answer((Block(cell_id="t1-1", source="import os\nplot()"),)))
    first, answer, _ = turn(dialogue, 2, "ok")
    assert first.text == "## Request\nplot it\n\n## Steer\nin red"
    assert answer.text == "```python\nimport os\nplot()\n```\n"


def test_a_new_conversation_has_nothing_of_the_one_before() -> None:
    dialogue = Dialogue(Redactor(), window=1_000)
    for number in range(30):
        turn(dialogue, number, "words " * 20)
    assert dialogue.folded
    dialogue.forget()
    assert dialogue.folded == 0
    assert turn(dialogue, 99, "ok") == (Message("user", "## Request\ndo step 99"),)


def test_another_provider_is_told_what_was_decided_and_not_what_the_one_before_said() -> None:
    states: dict[str, dict[CellId, ProposalState]] = {"t1": {"t1-1": "accepted"}}
    dialogue = Dialogue(Redactor(), decided=lambda turn_id: states.get(turn_id, {}))
    dialogue.talk_to("one")
    turn(dialogue, 1, "Sure, happy to help!\n\n```python\nx = 1\n```\n")
    turn(dialogue, 2, "I can't do that.")
    dialogue.talk_to("one")
    assert len(turn(dialogue, 3, "ok")) == 5, "it is still the same one"
    dialogue.talk_to("two")
    (told,) = turn(dialogue, 4, "ok")
    assert told.text.startswith("## Earlier\n- do step 1 → cell t1-1 kept\n- do step 2\n- do step 3\n")
    for said in ("Sure", "can't", "x = 1"):
        assert said not in told.text


def test_no_conversation_grows_without_bound_however_large_the_window_is() -> None:
    dialogue = Dialogue(Redactor(), window=2_000_000)
    sizes = [size(turn(dialogue, number, "word " * 2_000)) for number in range(60)]
    assert max(sizes) < MOST_HISTORY * 1.3
    assert dialogue.folded


def test_what_a_copy_showed_goes_along_once() -> None:
    dialogue = Dialogue(Redactor(), tried=lambda: ("t1-1: raised KeyError in line 2",))
    first = turn(dialogue, 1, "ok")
    second = turn(dialogue, 2, "ok")
    assert "## Tried in a copy of the kernel\nt1-1: raised KeyError in line 2\n" in first[0].text
    assert "## Tried" not in second[-1].text


def test_images_go_along_once_and_are_counted() -> None:
    figure = Image(media_type="image/png", data="aGVsbG8=", width=1500, height=700, name="figure")
    talk = Dialogue(Redactor())
    begun = talk.begin(Prompt(turn_id="t1", text="why is it empty?", images=(figure,)), Surroundings())
    (message,) = messages(begun)
    assert message.images == (figure,)
    assert "## Images\nfigure" in message.text
    talk.remember("t1", begun.question, "Because.")
    first, _, second = messages(talk.begin(Prompt(turn_id="t2", text="and now?"), Surroundings()))
    assert first == message  # what is cached stays as it was
    assert second.images == ()
    assert message_tokens(message) >= figure.tokens == 1_400


def with_rules(dialogue: Dialogue, rules: str) -> str:
    conversation = dialogue.begin(Prompt(turn_id="t", text="plot it"), Surroundings(rules=rules))
    dialogue.remember(f"t{next(TURNS)}", conversation.question, "Done.")
    return messages(conversation)[-1].text


def test_rules_come_first_and_are_told_once_until_they_change() -> None:
    dialogue = Dialogue(Redactor(), window=WINDOW)
    assert with_rules(dialogue, "Use polars.").startswith("## Project rules\nUse polars.\n\n")
    assert "polars" not in with_rules(dialogue, "Use polars.")
    assert "Use pandas." in with_rules(dialogue, "Use pandas.")
    assert "## Project rules\nNone any more." in with_rules(dialogue, "")
    assert "Project rules" not in with_rules(dialogue, "")


def test_rules_leave_room_for_the_rest_and_no_credential_goes_along() -> None:
    dialogue = Dialogue(Redactor(), window=WINDOW)
    told = with_rules(dialogue, "token = ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8\n" + "Use polars.\n" * 5_000)
    assert estimate_tokens(told) < WINDOW / 6
    assert "ghp_A1b2" not in told
