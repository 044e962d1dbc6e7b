"""Which of several front ends are still there. Pure.

A page that crashes or is closed with its socket says nothing, and the kernel hears nothing of it. So where there are several, they are
asked now and then, and one that stays silent while another answers is taken for gone. No clock is needed for that: while the
kernel is held up, or commands wait for a running cell, nobody answers and nobody is missed.
"""

from __future__ import annotations

from collections.abc import Iterable

MISSED = 3
"""So many questions in a row, each answered by somebody else."""


class Presence:
    """Counts the questions that each front end left unanswered."""

    def __init__(self) -> None:
        self._asked: frozenset[str] = frozenset()
        self._answered: set[str] = set()
        self._missed: dict[str, int] = {}

    def ask(self, clients: Iterable[str]) -> None:
        """These are asked now. What was asked before is settled with that."""
        if self._answered:
            for client in self._asked - self._answered:
                self._missed[client] = self._missed.get(client, 0) + 1
        self._asked = frozenset(clients)
        self._answered.clear()
        self._missed = {client: missed for client, missed in self._missed.items() if client in self._asked}

    def answered(self, client: str) -> None:
        """This one has said something: it is there, whatever it missed."""
        self._answered.add(client)
        self._missed.pop(client, None)

    def is_silent(self, client: str) -> bool:
        """Whether it is to be taken for gone, until it says something."""
        return self._missed.get(client, 0) >= MISSED
