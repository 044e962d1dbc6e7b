"""Blocks of a whole text, in time that its length allows."""

from __future__ import annotations

from spark_jupyter.prompting.fences import fenced

TEXT = "Here:\n```python cell=a\nx = 1\n```  \nand\n~~~~\n```\n~~~\n~~~~\n```\nnever closed\x0c```\n"


def test_blocks_that_close_are_found_where_they_stand():
    first, second = fenced(TEXT)
    assert (first.fence, first.info, first.source) == ("```", "python cell=a", "x = 1\n")
    assert TEXT[first.start : first.end] == "```python cell=a\nx = 1\n```  "
    assert (second.fence, second.source) == ("~~~~", "```\n~~~\n")
    assert fenced("") == fenced("```\nx") == []


def test_openings_that_never_close_are_each_read_once():
    lines = 20_000  # as many as an answer may have
    assert fenced("".join(f"```a{number}\n" for number in range(lines))) == []
    assert len(fenced("```\nx\n```\n" * lines)) == lines
