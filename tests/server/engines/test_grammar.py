"""What a small model is told of our format (the grammar that holds it is in test_gguf.py)."""

from __future__ import annotations

import pytest

from spark_jupyter.prompting import instructions
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import Intent
from spark_jupyter.server.engines.grammar import briefly


def test_of_our_instructions_only_the_format_is_said_in_fewer_words() -> None:
    usual = instructions.instructions(Prompt(turn_id="", text=""))
    brief = briefly(usual)
    assert len(brief) < len(usual) / 2
    assert "```python" in brief
    assert brief.endswith(usual.removeprefix(instructions.FORMAT))


@pytest.mark.parametrize("intent", ["edit", "fix"])
def test_what_an_intent_asks_for_stays(intent: Intent) -> None:
    usual = instructions.instructions(Prompt(turn_id="", text="", intent=intent))
    assert "block for that cell" in briefly(usual)


def test_somebody_elses_instructions_stay_as_they_are() -> None:
    assert briefly("You are a poet.") == "You are a poet."
