"""Instructions on our format for a small model (the grammar that enforces it is in test_gguf.py)."""

from __future__ import annotations

from spark_jupyter.prompting.instructions import INSTRUCTIONS
from spark_jupyter.server.engines.llama import briefly


def test_of_our_instructions_only_the_format_is_said_in_fewer_words() -> None:
    brief = briefly(INSTRUCTIONS)
    assert len(brief) < len(INSTRUCTIONS) / 2
    assert "```python" in brief


def test_somebody_elses_instructions_stay_as_they_are() -> None:
    assert briefly("You are a poet.") == "You are a poet."
