"""What the model is told stays within its window, and is not told twice."""

from __future__ import annotations

import itertools

from spark_jupyter.prompting.budget import CELLS_SHARE, INPUT_SHARE, estimate_tokens
from spark_jupyter.prompting.dialogue import Dialogue
from spark_jupyter.prompting.request_text import messages
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell, Target
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
