"""Cells that grow live."""

from __future__ import annotations

import pytest

from tests.browser.lab import code, program


@pytest.mark.parametrize("rate", [1000, 5000])
def test_two_thousand_tokens_arrive_character_for_character(notebook, model, rate: int) -> None:
    text = program(2000)
    book = notebook([code("x = 1")], model([{"answer": f"```python\n{text}\n```\n"}], rate=rate))
    book.prompt("write a lot")
    book.wait_state("streaming")
    book.wait_state("ready", timeout=60_000)
    assert book.sources() == ["x = 1", text]
