"""A prompt as a session takes it: with the attempts that it gets, and with cells that are in memory once. Pure."""

from __future__ import annotations

from msgspec import structs

from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.session.answer_checks import asserts_in


class Asked:
    """Knows the cells that went along with the last prompt."""

    def __init__(self) -> None:
        self._notebook: tuple[NotebookCell, ...] = ()

    def take(self, command: Prompt, *, attempts: int, tries: bool) -> Prompt:
        """The prompt that is answered. ``attempts`` are those of one that can be checked and does not say how many, ``tries``: its answer
        may be tried by itself."""
        return self._sharing(_attempting(command, attempts, tries=tries))

    def _sharing(self, command: Prompt) -> Prompt:
        """The prompt, whose cells are those of the prompt before where they are equal: forty notebooks in memory cost little more than
        one."""
        known = {cell.id: cell for cell in self._notebook}
        self._notebook = tuple(known[cell.id] if known.get(cell.id) == cell else cell for cell in command.cells)
        return structs.replace(command, cells=self._notebook)


def _attempting(command: Prompt, attempts: int, *, tries: bool) -> Prompt:
    """The prompt, with more attempts than one where the model is a weak one, and there is something to judge them by."""
    wish = command.attempts
    says = wish.count > 1 or wish.models or wish.until_green or command.intent == "explain"
    if attempts == 1 or says or not (wish.checks or (tries and asserts_in(command.text))):
        return command
    return structs.replace(command, attempts=structs.replace(wish, count=attempts))
