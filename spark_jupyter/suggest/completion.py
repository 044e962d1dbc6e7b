"""One completion in the making: a model's text in, what may be shown of it out. Pure."""

from __future__ import annotations

import re

from spark_jupyter.suggest.situation import Situation
from spark_jupyter.wire.suggesting import Mend


class Completion:
    """Takes in what a model says at a place. :attr:`shown` is what may be shown by now, with its :attr:`mends`."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        self._said = ""
        self.shown = ""
        self.mends: tuple[Mend, ...] = ()
        self.ended = False

    def receive_text(self, text: str) -> bool:
        """More of the answer. Whether there is something else to show."""
        self._said += text
        return self._show(_whole_tokens(self._said))

    def receive_end(self) -> bool:
        """The answer is whole. Whether there is something else to show."""
        self.ended = True
        return self._show(self._said)

    def _show(self, text: str) -> bool:
        changed = text != self.shown
        self.shown = text
        return changed


def _whole_tokens(text: str) -> str:
    """The text without a last word that may still go on."""
    return re.sub(r"\w+\Z", "", text)
