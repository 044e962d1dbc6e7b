"""Timeline: the kernel's moments as clients see them, and returns to one.

Turns are heard of on the engine's thread; a return runs on the thread that runs cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spark_jupyter.prompting.dialogue import Heard
from spark_jupyter.protocol.messages import Event, TurnStarted
from spark_jupyter.protocol.moment_messages import (
    CameBack,
    MomentInfo,
    MomentPreview,
    MomentsChanged,
    VariablesKept,
)
from spark_jupyter.protocol.proposal_messages import ProposalChanged
from spark_jupyter.protocol.values import TurnId

if TYPE_CHECKING:
    from spark_jupyter.engine.engine import Engine
    from spark_jupyter.sandbox import Checkpoints
    from spark_jupyter.sandbox.checkpoints.moments import Changes, Moment

_MOST_FILES = 20
"""Files that a preview names of each kind."""


class Timeline:
    """The moments of one kernel."""

    def __init__(self, checkpoints: Checkpoints, engine: Engine) -> None:
        self._checkpoints = checkpoints
        self._engine = engine
        checkpoints.conversation = engine.heard
        checkpoints.changed = self._publish

    def receive(self, event: Event) -> None:
        """Take in what the session says: a turn that was accepted has a moment before it."""
        match event:
            case TurnStarted(turn=turn) if turn.outcome is None:
                self._checkpoints.begin_turn(turn.id, turn.prompt, steers=turn.steers or "")
            case ProposalChanged(proposal=proposal) if proposal.state == "accepted":
                self._checkpoints.add_turn(proposal.turn_id)
            case _:
                pass

    def turns(self, moment: Moment) -> tuple[int, int]:
        """Numbers of the turns that a return takes from the model's memory, and of those that it brings back."""
        now = self._engine.heard().turns
        then = moment.conversation.turns if isinstance(moment.conversation, Heard) else now
        return len(now - then), len(then - now)

    def left(self, moment: Moment) -> tuple[int, ...]:
        """The numbers of the runs that a return leaves."""
        return tuple(run.number for run in self._checkpoints.runs if run not in moment.runs)

    def publish_preview(self, moment: Moment, changes: Changes) -> None:
        """Tell the pages what a return would change."""
        gone, back = self.turns(moment)
        lost = variables_kept(moment) == "lost"
        preview = MomentPreview(
            moment_id=moment.id,
            variables=variables_kept(moment),
            back=changes.back,
            gone=changes.gone,
            parts=changes.parts,
            stays=changes.as_it_is,
            files=changes.files,
            files_back=changes.files_back[:_MOST_FILES],
            files_gone=changes.files_gone[:_MOST_FILES],
            turns_gone=gone,
            turns_back=back,
            left=() if lost else self.left(moment),
            why=moment.why_lost if lost else "",
        )
        self._engine.publish(preview)

    def go(self, moment: Moment, left: Moment) -> None:
        """The variables are as they were: so be the conversation, and the notebook's cells where a page shows it."""
        lost = variables_kept(moment) == "lost"
        runs = () if lost else self.left(moment)
        if isinstance(heard := moment.conversation, Heard):
            self._engine.read(lambda session: session.dialogue.resume(heard))
        if lost:
            self._publish()
        else:
            self._checkpoints.came_back(moment)
        self._engine.publish(
            CameBack(moment_id=moment.id, left_id=left.id, variables=variables_kept(moment), left=runs)
        )

    def _publish(self) -> None:
        now = self._engine.heard().turns
        self._engine.publish(MomentsChanged(moments=tuple(_info(one, now) for one in self._checkpoints.moments)))


@contextmanager
def restoration(shell: Any, checkpoints: Checkpoints, moment: Moment) -> Iterator[Any]:
    """A return that is ready, with its ``changes`` and ``apply``; nothing is to be done where nothing has run since."""
    from spark_jupyter.sandbox.checkpoints.moments import Unchanged

    if moment.unchanged:
        yield Unchanged()
        return
    from spark_jupyter.sandbox.checkpoints.restoration import prepared  # where there are no checkpoints it can't be

    with prepared(shell, checkpoints, moment, partly=True, report=print) as ready:
        yield ready


def variables_kept(moment: Moment) -> VariablesKept:
    return "same" if moment.unchanged else "kept" if moment.alive else "lost"


def _info(moment: Moment, now: set[TurnId]) -> MomentInfo:
    then = moment.conversation.turns if moment.name and isinstance(moment.conversation, Heard) else set()
    return MomentInfo(
        id=moment.id,
        at=moment.at,
        number=moment.number,
        turn_id=moment.turn_id,
        name=moment.name,
        line=moment.line,
        variables=variables_kept(moment),
        why="" if moment.unchanged else moment.why_lost,
        brings=tuple(sorted(then - now)),
    )
