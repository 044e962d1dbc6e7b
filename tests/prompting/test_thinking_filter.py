"""Thinking in an answer's text: neither a note nor a cell."""

from __future__ import annotations

import pytest

from spark_jupyter.prompting.answer_items import Note, NotesTakenBack
from spark_jupyter.prompting.thinking_filter import TakenBack, ThinkingFilter, without_thinking
from tests.prompting.streams import cells, decode, decoder
from tests.proportion import assert_in_proportion

ANSWER = "Here it is.\n\n```python\ntotal = 1\nprint(total)\n```\n"
DRAFT = "Perhaps so:\n\n```python\nimport os\nos.system('echo first')\n```\n\nNo, simpler.\n"
THOUGHT = {
    "think": f"<think>\n{DRAFT}</think>\n\n{ANSWER}",
    "thinking": f"<thinking>\n{DRAFT}</thinking>\n{ANSWER}",
    "thought": f"<thought>\n{DRAFT}</thought>\n{ANSWER}",
    "reasoning, in capitals": f"<Reasoning>\n{DRAFT}</REASONING>\n{ANSWER}",
    "with an attribute": f'<think duration="3">\n{DRAFT}</think>\n{ANSWER}',
    "in brackets": f"[THINK]{DRAFT}[/THINK]{ANSWER}",
    "in triangles": f"◁think▷{DRAFT}◁/think▷{ANSWER}",
    "with a prefix": f"<seed:think>{DRAFT}</seed:think>{ANSWER}",
    "in one line": f"<think>short</think>{ANSWER}",
    "empty": f"<think>\n\n</think>\n\n{ANSWER}",
    "no beginning": f"{DRAFT}</think>\n\n{ANSWER}",
    "no beginning, at a line's end": f"Let me see.</think>\n{ANSWER}",
    "no beginning, in a fence": f"Maybe\n```python\nx = 1\n</think>\n{ANSWER}",
    "an open fence inside": f"<think>\nMaybe\n```python\nx = 1\n</think>\n{ANSWER}",
    "harmony": f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
    "harmony with two thoughts": (
        f"<|channel|>analysis<|message|>one<|end|><|start|>assistant<|channel|>commentary<|message|>{DRAFT}<|end|>"
        f"<|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>"
    ),
    "harmony without tokens": f"analysisDraft:\n{DRAFT}assistantfinal{ANSWER}",
    "Cohere": f"<|START_THINKING|>{DRAFT}<|END_THINKING|><|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>",
    "OpenThinker": f"<|begin_of_thought|>\n{DRAFT}<|end_of_thought|>\n<|begin_of_solution|>\n{ANSWER}<|end_of_solution|>",
    "Apertus": f"<|inner_prefix|>{DRAFT}<|inner_suffix|>{ANSWER}",
    "Solar": f"<|think|>{DRAFT}<|end|><|begin|>assistant<|content|>{ANSWER}<|end|>",
    "Gemma 4": f"<|channel>thought\n{DRAFT}<channel|>{ANSWER}<turn|>",
    "MedGemma": f"<unused94>thought\n{DRAFT}<unused95>{ANSWER}",
    "MiniMax": f"<mm:think>{DRAFT}</mm:think>\n{ANSWER}",
    "scratchpad": f"<scratchpad>\n{DRAFT}</scratchpad>\n{ANSWER}",
    "harmony with a type": f"<|channel|>analysis<|message|>{DRAFT}<|end|><|channel|>final <|constrain|>text<|message|>{ANSWER}",
    "between two parts": f"Here it is.\n<think>\n{DRAFT}</think>\n\n```python\ntotal = 1\nprint(total)\n```\n",
}


def read(text: str, size: int) -> tuple[str, list[list[str]]]:
    """The notes and the cells of an answer that comes in pieces of this size."""
    items = decode(decoder(), [text[at : at + size] for at in range(0, len(text), size)])
    notes: list[str] = []
    for item in items:
        if isinstance(item, NotesTakenBack):
            notes = []
        elif isinstance(item, Note):
            notes.append(item.text)
    return "".join(notes).strip(), [cell[1:] for cell in cells(items)]


@pytest.mark.parametrize("kind", THOUGHT)
def test_what_a_model_thinks_is_neither_a_note_nor_a_cell(kind: str) -> None:
    right = read(ANSWER, 10_000)
    for size in (1, 2, 3, 7, 64, 10_000):
        assert read(THOUGHT[kind], size) == right, size


def test_a_tag_around_the_answer_is_none_of_it() -> None:
    for size in (1, 3, 10_000):
        assert read(f"<think>\n{DRAFT}</think>\n<answer>\n{ANSWER}</answer>", size) == read(ANSWER, size)


@pytest.mark.parametrize(
    "text",
    [
        "```python\nTAG = '<think>'\nprint(TAG)\n```\n",
        '```python\nPROMPT = """\n<think>\nplan\n</think>\n"""\n```\n',
        "The tags `<think>` and `</think>` are dropped.\n",
        "Write </think> where the thinking ends.\n",
        "a < b and c <d> e\n",
        "the list [T, U] and x[T] or a[\n",
        "<reason> is no tag, nor is <thinker>\n",
        "```python\nrows[TAG] = [/THINK]\n[THINK]\n```\n",
        "analysis of the data:\n\n```python\nx = 1\n```\n",
        "analysis",
        "",
    ],
)
def test_tags_that_are_only_spoken_of_stay(text: str) -> None:
    for size in (1, 3, 10_000):
        made = ThinkingFilter()
        found = [
            piece for at in range(0, len(text), size) for piece in made.decode(text[at : at + size])
        ] + made.flush()
        assert "".join(map(str, found)) == text


def test_an_answer_that_only_thinks_says_so() -> None:
    assert read(f"<think>\n{DRAFT}", 5) == ("The model ended while it was thinking. Prompt again.", [])


def test_thinking_without_a_beginning_takes_the_edit_of_a_cell_back() -> None:
    answer = {"target": {"edit": "a"}, "known": {"a": "x = 1"}}
    text = "```python\nx = 2\n```\n</think>\n```python\nx = 3\n```\n"
    assert cells(decode(decoder(answer), [text])) == [["a", "edit", "code", "x = 3"]]


def test_a_whole_answer_is_told_without_its_thinking() -> None:
    for text in THOUGHT.values():
        assert "first" not in without_thinking(text)
        assert "total = 1" in without_thinking(text)


def test_what_is_taken_back_is_told_once() -> None:
    assert ThinkingFilter().decode("a\n</think>\nb") == [TakenBack(), "b"]


@pytest.mark.parametrize("unit", ["<", "[T", "<think ", "◁", "<|channel|>"])
def test_what_may_become_a_tag_and_never_does_is_read_in_proportion_to_its_length(unit: str) -> None:
    assert_in_proportion(lambda length: without_thinking("x" + unit * (length // len(unit))), 20_000)
