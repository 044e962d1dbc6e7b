"""All turns of a session, under way and past, and what can be read off them together. Pure.

What happens to one of them is :mod:`spark_jupyter.session.live_turn`'s; which of them something concerns, the session's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import structs

from spark_jupyter.protocol.constants import MOST_KEPT_TURNS, MOST_TOLD_TURNS
from spark_jupyter.protocol.messages import AttemptChanged, Prompt
from spark_jupyter.protocol.values import Turn
from spark_jupyter.session.live_turn import LiveTurn
from spark_jupyter.session.proposal_store import ProposalStore


class TurnHistory:
    """Turns by id, oldest first. Of those that ended before this kernel's life, or long ago, only the value is kept."""

    def __init__(self) -> None:
        self._past: dict[str, Turn] = {}
        self._turns: dict[str, LiveTurn] = {}

    def __iter__(self) -> Iterator[LiveTurn]:
        """Those of which more than the value is kept. Turns may be added meanwhile."""
        return iter(tuple(self._turns.values()))

    def __contains__(self, turn_id: str) -> bool:
        return turn_id in self._turns or turn_id in self._past

    def get(self, turn_id: str) -> LiveTurn | None:
        """A turn of which more than the value is kept; else None."""
        return self._turns.get(turn_id)

    def add(self, turn: LiveTurn) -> None:
        """A turn begins."""
        self._turns[turn.value.id] = turn

    def restore(self, values: Sequence[Turn]) -> None:
        """Turns that ended in another kernel's life."""
        self._past.update({value.id: value for value in values})

    def retire(self, store: ProposalStore) -> tuple[str, ...]:
        """Of turns that ended long ago keep the value only: each has the whole notebook with it, as it was then. Those before them are
        forgotten, but for what nobody has decided on.

        Returns:
            The ids of the forgotten ones.
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
        """Every turn that is known still."""
        return (*self._past.values(), *(turn.value for turn in self._turns.values()))

    @property
    def streaming(self) -> tuple[str, ...]:
        """The ids of the turns that have not ended."""
        return tuple(id_ for id_, turn in self._turns.items() if turn.live)

    @property
    def last(self) -> LiveTurn | None:
        """The one that began last; None before the first."""
        return next(reversed(self._turns.values()), None)

    @property
    def last_prompt(self) -> Prompt | None:
        """What was asked last, with the words that steered it since; None before the first turn."""
        last = turn = self.last
        steers: list[str] = []
        while turn is not None and turn.value.steers is not None:
            steers.insert(0, turn.value.prompt)
            turn = self._turns.get(turn.value.steers)
        return None if last is None else structs.replace(last.prompt, text="\n".join([last.prompt.text, *steers]))

    @property
    def resumable(self) -> str | None:
        """The last turn, where a steer of it would have it written on; None where it was not cut for its length."""
        last = self.last
        return last.value.id if last is not None and last.may_go_on else None

    @property
    def attempts(self) -> tuple[AttemptChanged, ...]:
        """How the attempts of every race stand."""
        return tuple(standing for turn in self if turn.race is not None for standing in turn.race.standings)

    @property
    def withheld(self) -> tuple[str, ...]:
        """What was kept from prompts, by name; never the secret itself."""
        return tuple(dict.fromkeys(name for turn in self for name in turn.value.withheld))
