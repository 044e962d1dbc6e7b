"""GBNF grammar that holds a small model to the answer format.

A weak model that is held to it (the grammar as llama.cpp describes it) writes one block, closes it, and nothing after it; free, it
fills the rest with repetitions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.prompting.instructions import INSTRUCTIONS

if TYPE_CHECKING:
    from spark_jupyter.server.engines.request import Request

_LINES = r"""
line ::= [^`\n] [^\n]* "\n" | "\n"
"""


def grammar_for(asked: Request) -> str:
    """The grammar for the answer to a request; empty where prose is asked for, or an answer goes on."""
    if asked.so_far or asked.intent == "explain":
        return ""
    place = "" if asked.edit is None else f" cell={asked.edit.id}"
    return f'root ::= "```python{place}\\n" line+ "```\\n"{_LINES}'


_BRIEF = """\
You write Python for a Jupyter notebook. Answer with one ```python block: only code that runs as it stands. Use the
variables that are there. Import what you use. No text outside the block.
"""


def briefly(instructions: str) -> str:
    """The instructions for a model that the grammar holds, shorter by what it need not know; somebody else's stay as they are."""
    return _BRIEF if instructions == INSTRUCTIONS else instructions
