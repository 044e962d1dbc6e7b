"""Choice of the proposals that a magic line means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.proposal_messages import Accept, Run
from spark_jupyter.ui.shell import joined
from spark_jupyter.ui.text import words

if TYPE_CHECKING:
    from spark_jupyter.protocol.messages import TurnEnded
    from spark_jupyter.protocol.values import Proposal
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine


def pending(pair: Pair) -> list[Proposal]:
    """The undecided proposals of the last turn that has any."""
    proposals = pair.engine.read(lambda session: session.store.current)
    waiting = [proposal for proposal in proposals if proposal.state in ("ready", "blocked")]
    return [proposal for proposal in waiting if proposal.turn_id == waiting[-1].turn_id]


def pending_of(pair: Pair, turn_id: str) -> list[Proposal]:
    return [proposal for proposal in pending(pair) if proposal.turn_id == turn_id]


def chosen(pair: Pair, line: MagicLine, *, first: bool = False) -> list[Proposal]:
    """The proposals that a line means: number N, else all undecided ones (``first``: the first of them).

    Raises :class:`~spark_jupyter.exceptions.SessionError` where there is none.
    """
    waiting = pending(pair)
    if not waiting:
        raise SessionError("There is no open proposal.", remedy="Ask for one: %spark PROMPT")
    if line.number is None:
        return waiting[:1] if first else waiting
    if not 1 <= line.number <= len(waiting):
        only = "There is only one." if len(waiting) == 1 else f"Choose from 1 to {len(waiting)}."
        raise SessionError(f"There is no proposal {line.number}.", remedy=only)
    return [waiting[line.number - 1]]


def without_left_out(proposals: list[Proposal]) -> list[Proposal]:
    """Those that are accepted together; prints which are left out, and how to accept them."""
    if said := words.left_out(proposals):
        print(said)
    return [proposal for proposal in proposals if proposal.may_run == "freely"]


def place(pair: Pair, accepted: list[Proposal]) -> None:
    """Make accepted proposals the next input where no client writes the notebook."""
    if accepted and pair.hub.writer is None:
        kept = pair.engine.read(lambda session: [session.restored_source(proposal) for proposal in accepted])
        pair.shell.set_next_input(joined(kept))


def run_proposal(pair: Pair, proposal: Proposal, *, confirmed: bool) -> None:
    """Accept a proposal and run it, here where no client writes the notebook."""
    pair.say(Run(cell_id=proposal.cell_id, confirmed=confirmed))
    if pair.hub.writer is None:
        pair.shell.run(pair.engine.read(lambda session: session.restored_source(proposal)))


def settle(pair: Pair, line: MagicLine, ended: TurnEnded) -> None:
    """Do what ``--accept`` and ``--run`` ask for at the end of a turn."""
    confirmed, run = line.options.yes, line.options.run
    if ended.none_passed and not confirmed:
        print(words.NONE_PASSED)
        return
    proposals = pending_of(pair, ended.turn_id)
    if not run and not confirmed:
        proposals = without_left_out(proposals)
    for proposal in proposals:
        if run and proposal.cell_type == "code":
            run_proposal(pair, proposal, confirmed=confirmed)
        else:
            pair.say(Accept(cell_id=proposal.cell_id, confirmed=confirmed))
    if not run:
        place(pair, proposals)
