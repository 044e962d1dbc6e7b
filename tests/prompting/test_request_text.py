"""The model's input: what a conversation becomes when it is sent."""

from __future__ import annotations

import pytest
from msgspec import structs

from spark_jupyter.prompting.conversation import Answer, Block, Conversation, Exchange, Note, Question
from spark_jupyter.prompting.corrections import correction
from spark_jupyter.prompting.instructions import instructions
from spark_jupyter.prompting.request_text import (
    answer_so_far,
    messages,
    prediction,
    question,
    question_text,
)
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import Finding, NotebookCell, Target
from spark_jupyter.providers.base import Message

CELLS = (
    NotebookCell(id="a", source="import os", outputs="1"),
    NotebookCell(id="m", cell_type="markdown", source="# Title"),
    NotebookCell(id="b", source="1 / 0", error="ZeroDivisionError: division by zero"),
)


def user_text(prompt: Prompt, **more: str) -> str:
    asked = question(prompt, surroundings=Surroundings(**more), cells=prompt.cells)
    return question_text(asked)


def test_a_request_alone_is_one_section() -> None:
    assert user_text(Prompt(turn_id="t", text="plot it")) == "## Request\nplot it"


def test_a_request_has_the_layout_that_the_engines_read() -> None:
    prompt = Prompt(turn_id="t", text="mend it", target=Target(edit="b"), cells=CELLS, intent="fix")
    assert user_text(prompt, variables="x: int", last_error="E: v", mentioned="@x: 3") == (
        "## Request\nmend it\n\n"
        "## Intent\nfix\n\n"
        "## Variables\nx: int\n\n"
        "## Last error\nE: v\n\n"
        "## Mentioned\n@x: 3\n\n"
        "## Cells\n"
        "### id=a code\n```python\nimport os\n```\n```output\n1\n```\n"
        "### id=m markdown\n```markdown\n# Title\n```\n\n"
        "## Edit cell b\n```python\n1 / 0\n```\n```error\nZeroDivisionError: division by zero\n```"
    )


def test_the_exchanges_before_come_first() -> None:
    before = Exchange(Question(request="before"), "answer")
    made = messages(Conversation(Question(request="now"), (before,)))
    assert made == (
        Message("user", "## Request\nbefore"),
        Message("assistant", "answer"),
        Message("user", "## Request\nnow"),
    )


# --- The answer so far -------------------------------------------------------------------------------------------------

OPEN = Block(cell_id="t-1", source="x = 1\ny = ", open=True)


def test_a_steer_keeps_the_request_and_shows_the_answer_up_to_its_last_whole_line() -> None:
    asked = question(
        Prompt(turn_id="t", text="plot", cells=CELLS), surroundings=Surroundings(variables="x: int"), cells=CELLS
    )
    text = question_text(structs.replace(asked, steers=("log scale",), answer=Answer((Note("Here:\n"), OPEN))))
    assert text.startswith(question_text(asked)), "what the model has read stays in front, where its cache finds it"
    assert text.endswith("\n\n## Steer\nlog scale\n\n## Answer so far\nHere:\n\n```python\nx = 1\n")


def test_every_steer_stands_behind_the_request_oldest_first() -> None:
    text = question_text(Question(request="plot", steers=("log scale", "in red")))
    assert text == "## Request\nplot\n\n## Steer\nlog scale\n\nin red"


def test_the_instructions_of_every_intent_begin_alike() -> None:
    plain = instructions(Prompt(turn_id="t", text="x"))
    for intent in ("edit", "fix", "explain"):
        assert instructions(Prompt(turn_id="t", text="x", intent=intent)).startswith(plain)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([], ""),
        ([Note("half a line")], ""),
        ([Note("Words.\nand half")], "Words.\n"),
        ([OPEN], "```python\nx = 1\n"),
        ([Block(cell_id="a", source="x = 1")], "```python\nx = 1\n```\n"),
        ([Block(cell_id="a", source="y", kind="edit"), OPEN], "```python cell=a\ny\n```\n\n```python\nx = 1\n"),
        ([Block(cell_id="a", source="# T", cell_type="markdown"), Note("Done.\n")], "```markdown\n# T\n```\n\nDone.\n"),
        ([Block(cell_id="a", source="s = '```'\n", open=True)], "````python\ns = '```'\n"),
    ],
)
def test_the_answer_so_far_is_what_stands_up_to_its_last_whole_line(parts: list[Note | Block], text: str) -> None:
    assert answer_so_far(Answer(tuple(parts))) == text


# --- Cells that the model knows ------------------------------------------------------------------------------------------


def conversation_of(*notebooks: tuple[NotebookCell, ...]) -> Conversation:
    """A conversation with a turn for each state of the notebook."""
    made = Conversation(Question(request=""))
    earlier: tuple[Exchange, ...] = ()
    for cells in notebooks:
        asked = question(Prompt(turn_id="t", text="go on"), surroundings=Surroundings(), cells=cells, earlier=earlier)
        made = Conversation(asked, earlier)
        earlier = (*earlier, Exchange(asked, "done"))
    return made


LOADED = NotebookCell(id="load", source="### id=x code as before\nx = 1  # a line that looks like a heading")
PLOT, REDONE = NotebookCell(id="plot", source="draw(x)"), NotebookCell(id="plot", source="draw(x, y)")


def test_a_cell_is_shown_once_and_again_when_it_has_changed() -> None:
    first, _, second, _, third = messages(conversation_of((LOADED, PLOT), (LOADED, REDONE), (REDONE, LOADED)))
    assert first.text.count("x = 1") == 1
    assert "### id=load code as before\n### id=plot code\n" in second.text
    assert "x = 1" not in second.text
    assert third.text == "## Request\ngo on\n\n## Cells\n### id=plot code as before\n### id=load code as before"


def test_a_cell_whose_output_has_changed_is_shown_again() -> None:
    ran = structs.replace(PLOT, outputs="a picture")
    assert "a picture" in messages(conversation_of((PLOT,), (ran,)))[-1].text


# --- Instructions, prediction, history, corrections --------------------------------------------------------------------


@pytest.mark.parametrize("intent", ["generate", "edit", "fix", "explain"])
def test_the_instructions_tell_the_format_that_the_decoder_reads(intent: str) -> None:
    text = instructions(Prompt(turn_id="t", text="x", intent=intent))  # type: ignore[arg-type]
    for part in ("```python", "cell=ID", "```markdown", "```python continue", "notes"):
        assert part in text
    assert len(text) < 2_600, "instructions are sent with every request"


def test_each_intent_asks_for_something_else() -> None:
    made = {
        instructions(Prompt(turn_id="t", text="x", intent=intent)) for intent in ("generate", "edit", "fix", "explain")
    }
    assert len(made) == 4


def test_the_edited_cell_is_what_the_answer_will_repeat() -> None:
    for target, repeated in ((Target(edit="a"), "import os"), (Target(after="a"), None), (Target(edit="nope"), None)):
        prompt = Prompt(turn_id="t", text="x", target=target, cells=CELLS)
        assert prediction(question(prompt, surroundings=Surroundings(), cells=CELLS)) == repeated


def test_a_correction_names_the_rule_the_reason_and_the_remedy() -> None:
    findings = [
        Finding(rule="eval", severity="block", line=2, message="eval runs any text.", remedy="Use ast.literal_eval."),
        Finding(rule="unknown-name", severity="block", line=2, message="There is no dff.", remedy="Use df."),
    ]
    text = correction(findings, "x = eval('```')\n")
    for part in (
        "eval: eval runs any text. Use ast.literal_eval.",
        "unknown-name",
        "Use df.",
        "````python\nx = eval('```')\n````",
    ):
        assert part in text
    assert "```python continue" in text


def test_a_correction_without_a_line_still_says_why() -> None:
    text = correction([Finding(rule="r", severity="block", line=1, message="Why.")], "")
    assert "- r: Why.\n" in text
    assert "taken out" not in text


def test_what_the_user_calls_this_cell_is_named_where_it_is_sent() -> None:
    prompt = Prompt(turn_id="t", text="explain this cell", cells=CELLS, intent="explain", active="a")
    assert "\n\n## Active cell\na" in user_text(prompt)
    assert "## Active cell" not in user_text(structs.replace(prompt, active="gone"))
