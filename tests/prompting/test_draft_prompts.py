"""Prompts for drafts: what is told to the model, and what of its answer is taken."""

from __future__ import annotations

from msgspec import structs

from spark_jupyter.prompting.draft_prompts import below, draft_prompt, line_below, taken
from spark_jupyter.protocol.draft_messages import BeginDraft
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell

ABOVE = NotebookCell(id="a", source="x = 1")
BELOW = NotebookCell(id="z", source="y = 2")


def asked(kind: str, source: str, words: str) -> BeginDraft:
    """A draft for the last lines of the cell between two others."""
    cell = NotebookCell(id="c", cell_type="markdown" if kind == "markdown" else "code", source=source)
    lines = words.count("\n") + 1
    return BeginDraft(draft_id="d", cell_id="c", kind=kind, words=words, lines=lines, cells=(ABOVE, cell, BELOW))


def test_while_words_grow_only_the_text_of_the_prompt_changes():
    for kind, head in (("markdown", "# Prices\n\n"), ("comment", "z = 3\n# ")):
        shorter, longer = (
            draft_prompt(asked(kind, head + words, head.rpartition("\n")[2] + words))
            for words in ("Plot the price", "Plot the price of each")
        )
        assert structs.replace(shorter, text="") == structs.replace(longer, text="")
        assert longer.text == "Plot the price of each"
        assert longer.intent == "draft"


def test_what_stands_above_the_words_in_their_cell_is_context_and_the_words_are_not():
    assert [cell.id for cell in draft_prompt(asked("markdown", "Plot", "Plot")).cells] == ["a", "z"]
    told = draft_prompt(asked("comment", "z = 3\n# plot", "# plot"))
    assert [cell.source for cell in told.cells] == ["x = 1", "z = 3", "y = 2"]
    assert told.target.after == "c"


def test_of_a_function_what_stands_there_already_is_left_out():
    head = 'def f(x):\n    """One more."""'
    one = asked("function", head, head)
    assert below(one, f"import math\n\n{head}\n    return x + 1") == "    import math\n    return x + 1"
    assert below(one, "def f(x):\n    return x + 1") == "    return x + 1"
    assert below(one, "g = 1") == "g = 1"


def test_what_a_function_needs_that_was_written_above_it_begins_its_body():
    head = 'def f(x):\n    """Sine."""'
    above = "from __future__ import annotations\nfrom math import (\n    pi,\n)\n\nHALF = pi / 2\n\n"
    source = f"{above}\n{head}\n    return x * HALF\n"
    one = asked("function", head, head)
    drafted = below(one, source)
    assert drafted.split("\n") == [
        "    from math import (",
        "        pi,",
        "    )",
        "",
        "    HALF = pi / 2",
        "    return x * HALF",
        "",
    ]
    line = source.split("\n").index("    return x * HALF") + 1
    assert drafted.split("\n")[line_below(one, source, line) - 1] == "    return x * HALF"


def test_the_cells_of_a_draft_are_taken_one_below_the_other():
    one = asked("markdown", "Plot", "Plot")
    blocks = taken(one, Prompt(turn_id="t", text="Plot", cells=one.cells, takes="d"), ["b = 1", "c = 2"]).blocks
    assert [(block.cell_id, block.after, block.source) for block in blocks] == [
        ("t-1", "c", "b = 1"),
        ("t-2", "t-1", "c = 2"),
    ]
