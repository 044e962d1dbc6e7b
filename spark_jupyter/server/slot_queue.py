"""Queue for the slots of a model, first come first served."""

from __future__ import annotations

import threading
from collections.abc import Generator
from typing import TypeVar

from spark_jupyter.providers.base import PromptProgress

LOOK = 0.05
"""Seconds between two looks at the queue."""
AGAIN = 200
"""Looks after which a request is told its place once more: clients give up after a minute in which nothing comes."""
Piece = TypeVar("Piece")


class SlotQueue:
    """Requests that share ``slots``, each in a thread of its own."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._places: list[object] = []
        self._lock = threading.Lock()

    def after(
        self, pieces: Generator[Piece, None, None], stopped: threading.Event
    ) -> Generator[Piece | PromptProgress | str, None, None]:
        """The pieces of an answer once there is a slot for it, which is given back behind them. While it waits: how many requests come
        first, when that changes and now and then, else an empty text. Nothing comes of one that is ``stopped`` meanwhile."""
        place, told, looks = object(), 0, 0
        with self._lock:
            self._places.append(place)
        try:
            while ahead := self._ahead(place):
                if stopped.wait(LOOK):
                    return
                yield PromptProgress(total=0, waiting=ahead) if ahead != told or looks % AGAIN == 0 else ""
                told, looks = ahead, looks + 1
            yield from pieces
        finally:
            with self._lock:
                self._places.remove(place)

    def _ahead(self, place: object) -> int:
        """Number of requests that must end before this one begins; 0: it has a slot."""
        with self._lock:
            return max(0, self._places.index(place) - self._slots + 1)
