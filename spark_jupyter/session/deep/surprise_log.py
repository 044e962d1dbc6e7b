"""Surprises of a deep work that its model was told.

A surprise is no failure: the task may want it. So the model is told of each surprise once, and thinks about a step once more at most; its
first answer counts where it finds nothing better. A person sees every surprise beside its cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spark_jupyter.protocol.trial_messages import TrialResult


class SurpriseLog:
    """The surprises of one work that its model was told."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()

    def news(self, surprised: Iterable[tuple[str, Sequence[str]]]) -> str:
        """The sentences that the model was not told yet, as one text; empty where there are none."""
        new = [(cell_id, said) for cell_id, each in surprised for said in each if (cell_id, said) not in self._known]
        self._known.update(new)
        return "\n".join(f"Cell {cell_id}: {said}" for cell_id, said in new)


def for_a_person(results: Iterable[TrialResult]) -> str:
    """All surprises of these results in one line, for a person: they speak of the user's data."""
    return " ".join(dict.fromkeys(one.message for result in results for one in result.surprises))
