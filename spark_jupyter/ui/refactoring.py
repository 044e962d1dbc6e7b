"""``%spark rename``, ``extract``, ``inline``, ``function`` and ``move``: changes of the whole notebook, which no model is asked for."""

from __future__ import annotations

from spark_jupyter.refactoring.intent import in_words
from spark_jupyter.ui.asking import Asking
from spark_jupyter.ui.text.magic_line import MagicLine
from spark_jupyter.ui.verbs import verb


class Refactorings(Asking):
    """The verbs. Where what stands behind one is the beginning of a sentence, the line is a prompt as any other."""

    @verb("rename a variable, function or column in all cells: rename df sales, rename df.price cost")
    def _do_rename(self, line: MagicLine) -> None:
        self._refactor("rename", line)

    @verb("extract EXPRESSION [in cell N] as NAME; extract lines A-B of cell N as a function NAME")
    def _do_extract(self, line: MagicLine) -> None:
        self._refactor("extract", line)

    @verb("put what a variable is made of in its places: inline rate")
    def _do_inline(self, line: MagicLine) -> None:
        self._refactor("inline", line)

    @verb("make a function of the cell above, or of another: function NAME [[lines A-B of] cell N]")
    def _do_function(self, line: MagicLine) -> None:
        self._refactor("function", line)

    @verb("move functions to a file beside the notebook: move f, g to helpers.py")
    def _do_move(self, line: MagicLine) -> None:
        self._refactor("move", line)

    @verb("have the cell above, or another one, do the same faster, proven on your data: refine [cell N]")
    def _do_refine(self, line: MagicLine) -> None:
        self._refactor("refine", line)

    def _refactor(self, name: str, line: MagicLine) -> None:
        text = in_words(name, line.text)
        if text is None:
            self._ask(line, f"{name} {line.text}".strip())
        else:
            self._ask_notebook(line, text, intent="refactor")
