"""Time limit for the next piece of an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from spark_jupyter.connection.connection_options import Options
from spark_jupyter.exceptions import Stalled
from spark_jupyter.providers.base import ModelEvent, TextDelta


class Patience:
    """Patience with one request, from now on. Whatever arrives renews it, a comment or a ping too, but only text renews it for ever."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._time = asyncio.get_running_loop().time
        self._until = self._time() + options.longest_silence
        self.has_text = False

    def left(self) -> float:
        """Seconds that the next piece may take. Raises :class:`~spark_jupyter.exceptions.Stalled` where too long nothing but signs of
        life have come."""
        if self._time() > self._until:
            raise Stalled(
                f"For {self._options.longest_silence:.3g} s the provider has sent signs of life and no text.",
                remedy="What had arrived is kept. Ask again, or choose another model with %spark model NAME.",
            )
        return self._options.patience if self.has_text else self._options.first_patience

    def receive(self, events: Iterable[ModelEvent]) -> None:
        if any(isinstance(event, TextDelta) for event in events):
            self.has_text = True
            self._until = self._time() + self._options.longest_silence
