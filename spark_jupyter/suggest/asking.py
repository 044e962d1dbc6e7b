"""A situation → the request that a model gets. Pure.

What stays the same from key to key comes first, so that a provider's cache finds it: the instruction, the cells, the tables, then the
cell itself.
"""

from __future__ import annotations

from spark_jupyter.providers.base import Message, ModelRequest, Priority
from spark_jupyter.suggest.situation import Situation

MOST_OUTPUT = 160
"""Tokens of an answer: a block of some 15 lines. What is left of one that was dropped is read to its end, so it has to be small."""

CURSOR = "<|cursor|>"

_INSTRUCTIONS = f"""\
You complete the cell of a Jupyter notebook in which the user types. Answer with the text that belongs at {CURSOR}, and with nothing
else: no fence, no explanation, nothing again of what stands before or behind the cursor. Go on exactly where the text before it ends:
in the middle of a word, a line or a block. Write what the user most likely types next: the rest of the line, or the statement or block
that it begins; at most 12 lines. Use only names, columns and files that are there. Where nothing is missing, answer with nothing.
"""

_BEFORE = 6_000
_AFTER = 1_500
"""Characters of the cell itself, on either side of the cursor."""


def request(situation: Situation, *, model: str) -> ModelRequest:
    """The request for a completion."""
    return ModelRequest(
        model=model,
        instructions=_INSTRUCTIONS,
        input=(Message("user", _text(situation)),),
        max_output_tokens=MOST_OUTPUT,
        priority=Priority.COMPLETION,
    )


def _text(situation: Situation) -> str:
    cells = "\n\n".join(cell.source for cell in situation.above[-4:])
    others = "\n".join(f"- {text}" for text in situation.other_than)
    sections = [
        _section("Cells above", cells),
        _section("Tables", situation.tables),
        _section(f"Not these, which were suggested already, but another way at {CURSOR}", others),
        _section("This cell", f"{situation.before[-_BEFORE:]}{CURSOR}{situation.after[:_AFTER]}"),
    ]
    return "\n\n".join(section for section in sections if section)


def _section(title: str, text: str) -> str:
    return f"## {title}\n{text}" if text.strip("\n") else ""
