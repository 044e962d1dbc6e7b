"""A state machine by a table: an answer is one, and a deep work. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class Machine:
    """What happens to it is looked up by the phase in which it is: the table says the next phase, and what is done then, each by the method
    ``_do_STEP``. What the table does not have changes nothing."""

    _transitions: ClassVar[Mapping[tuple[Any, Any], tuple[Any, tuple[str, ...]]]]
    phase: Any

    def _step(self, received: object, at: float) -> None:
        transition = self._transitions.get((self.phase, received))
        if transition is None:
            return
        self.phase, steps = transition
        for step in steps:
            getattr(self, f"_do_{step}")(at)
