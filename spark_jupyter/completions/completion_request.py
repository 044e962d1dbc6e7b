"""Request to a model for a completion at the cursor.

What stays the same from key to key comes first, so that a provider's cache finds it: the instruction, the cells, then what the names
stand for, then the cell itself. A provider that fills in the middle takes the same in its own way (:class:`Infill`).
"""

from __future__ import annotations

from spark_jupyter.completions import cell_context
from spark_jupyter.completions.situation import Situation
from spark_jupyter.providers.base import Infill, Message, ModelRequest, Priority

MOST_OUTPUT = 240
"""Tokens of an answer: a block of some 12 lines, and what a model may think before. What is left of one that was dropped is read to its
end, so it has to be small."""

EFFORT = "low"
"""Reasoning allowed before a completion: all of it must fit into a small answer."""

VARIED = 0.9
"""The temperature where another suggestion is wanted than those that were shown."""

CURSOR = "<|cursor|>"

_INSTRUCTIONS = f"""\
You complete the cell of a Jupyter notebook in which the user types. Answer with the text that belongs at {CURSOR}, and with nothing
else: no fence, no explanation, nothing again of what stands before or behind the cursor. Go on exactly where the text before it ends:
in the middle of a word, a line or a block. Write what the user most likely types next: the rest of the line, or the statement or block
that it begins; at most 12 lines. Use only names, columns and files that are there. Where nothing is missing, answer with nothing.
"""


def request(situation: Situation, *, model: str) -> ModelRequest:
    nearby = cell_context.nearby(situation)
    return ModelRequest(
        model=model,
        instructions=_INSTRUCTIONS,
        input=(Message("user", _text(situation, nearby)),),
        max_output_tokens=MOST_OUTPUT,
        temperature=VARIED if situation.other_than else None,
        effort=EFFORT,
        priority=Priority.COMPLETION,
        infill=_infill(situation, nearby),
    )


def _text(situation: Situation, nearby: cell_context.Nearby) -> str:
    kind = "" if situation.cell_type == "code" else f" ({situation.cell_type})"
    sections = [
        _section("Cells above", nearby.above),
        _section("Tables and variables", situation.tables),
        _section("Defined elsewhere", nearby.defined),
        _section("Suggested here already; write another one", "\n".join(f"- {text}" for text in situation.other_than)),
        _section(f"This cell{kind}", f"{nearby.before}{CURSOR}{nearby.after}"),
    ]
    return "\n\n".join(section for section in sections if section)


def _section(title: str, text: str) -> str:
    return f"## {title}\n{text}" if text.strip("\n") else ""


def _infill(situation: Situation, nearby: cell_context.Nearby) -> Infill:
    names = "".join(f"# {line}\n" for line in situation.tables.splitlines())
    parts = [nearby.above, nearby.defined, names.rstrip("\n")]
    return Infill(
        context="\n\n".join(part for part in parts if part),
        prefix=nearby.before,
        suffix=nearby.after,
    )
