"""What is known where a completion is wanted: the notebook's cells as the front end last told them, and the kernel's tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from spark_jupyter.engine.kernel import Kernel
from spark_jupyter.engine.link import Link
from spark_jupyter.redaction.redactor import Redactor

if TYPE_CHECKING:
    from spark_jupyter.completions.situation import Situation

_MOST_NAMES = 12
_MOST_CHARACTERS = 1_200
_MOST_COLUMNS = 40


class Situations:
    """Reads the kernel for completions, also while a cell runs. ``withholds``: whether credentials are kept from what a link leads to."""

    def __init__(self, kernel: Kernel, redactor: Redactor, withholds: Callable[[Link], bool]) -> None:
        self._kernel = kernel
        self._redactor = redactor
        self._withholds = withholds

    def told(self, situation: Situation, link: Link) -> Situation:
        """The same with the tables named nearby, as the model behind a link may know it: without credentials."""
        from spark_jupyter.completions.situation import hidden
        from spark_jupyter.redaction.namespace_secrets import held_in

        told = situation.with_tables(self._tables(situation))
        return hidden(told, self._redactor, known=held_in(self._kernel.namespace())) if self._withholds(link) else told

    def _tables(self, situation: Situation) -> str:
        """The variables that are named nearby, tables first, one a line."""
        from spark_jupyter.completions.cell_context import words_near
        from spark_jupyter.prompting.variables import variable

        namespace = self._kernel.namespace()
        missing = object()
        values = ((name, namespace.get(name, missing)) for name in sorted(words_near(situation)))
        known = [variable(name, value) for name, value in values if value is not missing and not name.startswith("_")]
        shown = sorted((one for one in known if one.rank <= _WORTH_TELLING), key=lambda one: (one.rank, one.name))
        lines: list[str] = []
        for one in shown[:_MOST_NAMES]:
            line = one.line(columns=_MOST_COLUMNS)
            if sum(map(len, lines)) + len(line) <= _MOST_CHARACTERS:
                lines.append(line)
        return "\n".join(lines)


_WORTH_TELLING = 2
"""Tables, arrays and other values; what functions and modules are called says enough of them."""
