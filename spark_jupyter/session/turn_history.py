"""All turns of a session, present and past."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import structs

from spark_jupyter.protocol.constants import MOST_KEPT_TURNS, MOST_TOLD_TURNS
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.proposal_messages import AttemptChanged
from spark_jupyter.protocol.values import Turn
from spark_jupyter.session.live_turn import LiveTurn
from spark_jupyter.session.proposal_store import ProposalStore


class TurnHistory:
    """Turns by id, oldest first. Of turns that ended long ago, or in another kernel's life, only the value is kept."""

    def __init__(self) -> None:
        self._past: dict[str, Turn] = {}
        self._turns: dict[str, LiveTurn] = {}

    def __iter__(self) -> Iterator[LiveTurn]:
        """The live turns, which are kept as more than a value. Turns may be added during iteration."""
        return iter(tuple(self._turns.values()))

    def __contains__(self, turn_id: str) -> bool:
        return turn_id in self._turns or turn_id in self._past

    def get(self, turn_id: str) -> LiveTurn | None:
        """The live turn of this id; None where only its value is kept."""
        return self._turns.get(turn_id)

    def add(self, turn: LiveTurn) -> None:
        self._turns[turn.value.id] = turn

    def restore(self, values: Sequence[Turn]) -> None:
        """Add turns that ended in another kernel's life."""
        self._past.update({value.id: value for value in values})

    def retire(self, store: ProposalStore) -> tuple[str, ...]:
        """Keep only the value of turns that ended long ago, since each holds the whole notebook of its time. Older ones are forgotten,
        unless they have undecided proposals.

        Returns:
            The ids of the forgotten turns.
        """
        ended = [turn_id for turn_id, turn in self._turns.items() if not turn.live]
        for turn_id in ended[:-MOST_KEPT_TURNS]:
            self._past[turn_id] = self._turns.pop(turn_id).value
        if len(self._past) <= MOST_TOLD_TURNS:
            return ()
        forgotten = tuple(store.forget(tuple(self._past)[:-MOST_TOLD_TURNS]))
        for turn_id in forgotten:
            del self._past[turn_id]
        return forgotten

    @property
    def values(self) -> tuple[Turn, ...]:
        return (*self._past.values(), *(turn.value for turn in self._turns.values()))

    @property
    def streaming(self) -> tuple[str, ...]:
        """The ids of the turns that have not ended."""
        return tuple(id_ for id_, turn in self._turns.items() if turn.live)

    @property
    def last(self) -> LiveTurn | None:
        """The youngest turn; None before the first."""
        return next(reversed(self._turns.values()), None)

    @property
    def last_prompt(self) -> Prompt | None:
        """The last prompt with the instructions that steered it since; None before the first turn."""
        last = turn = self.last
        steers: list[str] = []
        while turn is not None and turn.value.steers is not None:
            steers.insert(0, turn.value.prompt)
            turn = self._turns.get(turn.value.steers)
        return None if last is None else structs.replace(last.prompt, text="\n".join([last.prompt.text, *steers]))

    @property
    def resumable(self) -> str | None:
        """The id of the last turn where a steer would continue it; None where it was not cut for its length."""
        last = self.last
        return last.value.id if last is not None and last.may_go_on else None

    @property
    def attempts(self) -> tuple[AttemptChanged, ...]:
        return tuple(state for turn in self if turn.race is not None for state in turn.race.states)

    @property
    def withheld(self) -> tuple[str, ...]:
        """The names of what was withheld from prompts; never the secrets."""
        return tuple(dict.fromkeys(name for turn in self for name in turn.value.withheld))
