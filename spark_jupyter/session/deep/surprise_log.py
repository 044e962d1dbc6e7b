"""What surprises in what a deep work has run, and what its model is told of that. Pure.

What surprises is no failure: the task may want it so. So the model is told of each surprise once, and a step once only, and what it
wrote first counts where it finds nothing better. A person sees each one beside the cell in the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spark_jupyter.protocol.trial_messages import TrialResult


class SurpriseLog:
    """Of one work: what its model was told."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()

    def news(self, surprised: Iterable[tuple[str, Sequence[str]]]) -> str:
        """What the model has not been told yet of these cells, in our own words; empty where there is nothing."""
        new = [(cell_id, said) for cell_id, each in surprised for said in each if (cell_id, said) not in self._told]
        self._told.update(new)
        return "\n".join(f"Cell {cell_id}: {said}" for cell_id, said in new)


def for_a_person(results: Iterable[TrialResult]) -> str:
    """The same in a line: it speaks of the user's own data."""
    return " ".join(dict.fromkeys(one.message for result in results for one in result.surprises))
