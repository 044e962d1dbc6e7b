"""Verbs for refactorings of the whole notebook, which need no model.

Where the words behind a verb are no refactoring, the line is a prompt like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.refactoring.intent import in_words
from spark_jupyter.ui.magics.turn_runner import place_of, prompt_with
from spark_jupyter.ui.magics.turn_verbs import prompt
from spark_jupyter.ui.magics.verb_table import verb

if TYPE_CHECKING:
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine


@verb("rename a variable, function or column in all cells: rename df sales, rename df.price cost")
def rename(pair: Pair, line: MagicLine) -> None:
    _refactor(pair, line)


@verb("extract EXPRESSION [in cell N] as NAME; extract lines A-B of cell N as a function NAME")
def extract(pair: Pair, line: MagicLine) -> None:
    """Extract a variable or a function."""
    _refactor(pair, line)


@verb("replace a variable by its expression: inline rate")
def inline(pair: Pair, line: MagicLine) -> None:
    _refactor(pair, line)


@verb("make a function of the cell above, or of another: function NAME [[lines A-B of] cell N]")
def function(pair: Pair, line: MagicLine) -> None:
    """Make a function of a cell."""
    _refactor(pair, line)


@verb("move functions to a file beside the notebook: move f, g to helpers.py")
def move(pair: Pair, line: MagicLine) -> None:
    """Move functions to a file."""
    _refactor(pair, line)


@verb("make the cell above, or cell N, faster; the result is proven on your data: refine [cell N]")
def refine(pair: Pair, line: MagicLine) -> None:
    """Make a cell faster."""
    _refactor(pair, line)


def _refactor(pair: Pair, line: MagicLine) -> None:
    text = in_words(line.verb, line.text)
    if text is None:
        prompt(pair, line.as_prompt())
    else:
        prompt_with(pair, line, text, place_of(pair, line), intent="refactor")
