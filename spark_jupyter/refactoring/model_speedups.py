"""Faster text of a slow cell, by a model.

Nobody believes it: what it says runs in a confined copy first, and is offered only where it is proven there
(:mod:`spark_jupyter.sandbox.refinement_runner`).
"""

from __future__ import annotations

import ast

from spark_jupyter.prompting.fences import fenced
from spark_jupyter.providers.base import Message, ModelRequest, Priority
from spark_jupyter.redaction.placeholders import OURS
from spark_jupyter.source.python_parser import parse_python

WORDS = "as the model suggests"
MOST_SHOWN = 6_000
"""Longest cell, in characters, that is sent to the model."""
MOST_OUTPUT = 2_000
"""Most tokens of an answer."""

_INSTRUCTIONS = """\
A cell of a Jupyter notebook is slow. Write it anew so that it takes less than half the time and leaves exactly the same: the same
variables of the same types with the same values, the same output in the same order, the same files. It is run beside the old text to see
whether it does.
Use only libraries that the cell or its variables use already. Keep comments and names. Where you know nothing that is twice as fast, answer
NOTHING; else the whole cell in one block:

```python
total = df["price"].sum()
```
"""


def request(source: str, tables: str, *, seconds: float, model: str) -> ModelRequest | None:
    """Request for a faster version of a cell; ``tables`` describes the tables that it names, one a line. None for one that is too long."""
    if len(source) > MOST_SHOWN:
        return None
    known = f"\nThe kernel holds:\n{tables}\n" if tables else ""
    return ModelRequest(
        model=model,
        instructions=_INSTRUCTIONS,
        input=(Message("user", f"This took {seconds:.1f} s:\n\n```python\n{source}\n```\n{known}"),),
        max_output_tokens=MOST_OUTPUT,
        effort="low",
        priority=Priority.OFFER,
    )


def understood(said: str, source: str) -> str | None:
    """Parse the model's suggestion; None if it is none, is not plain Python, or is the old text."""
    blocks = [block.source for block in fenced(said) if block.info.strip() in ("", "python", "py")]
    if len(blocks) != 1 or OURS in blocks[0]:  # a secret that the model does not know
        return None
    text = blocks[0].rstrip("\n")
    try:
        same = ast.dump(parse_python(text)) == ast.dump(parse_python(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return None if same or not text.strip() else text
