"""Our answer format as a grammar (GBNF, as llama.cpp describes it): a weak model that is held to it writes one block, closes it, and
nothing after it. Where it was let to write more, it filled that with repetitions. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
