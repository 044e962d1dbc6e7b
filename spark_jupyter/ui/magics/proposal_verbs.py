"""Verbs that decide on proposals, try them and take them back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.proposal_messages import Accept, ChooseAttempt, Reject, Revert
from spark_jupyter.protocol.trial_messages import Try
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.magics.proposal_choice import chosen, pending, place, run_proposal, without_left_out
from spark_jupyter.ui.magics.verb_table import verb
from spark_jupyter.ui.text import words
from spark_jupyter.working_folder import working_folder

if TYPE_CHECKING:
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine


@verb("accept the proposals, or proposal N", "number")
def accept(pair: Pair, line: MagicLine) -> None:
    """Accept the proposals; what a panel accepted and could not place becomes the next input."""
    if pair.unplaced and not pending(pair):
        proposals, pair.unplaced = pair.unplaced, []
    else:
        proposals = chosen(pair, line)
        if line.number is None and not line.options.yes:
            proposals = without_left_out(proposals)
        pair.say(*(Accept(cell_id=proposal.cell_id, confirmed=line.options.yes) for proposal in proposals))
    place(pair, proposals)


@verb("reject the proposals, or proposal N", "number")
def reject(pair: Pair, line: MagicLine) -> None:
    """Reject the proposals, and say which where no client shows it."""
    rejected = chosen(pair, line)
    pair.say(*(Reject(cell_id=proposal.cell_id) for proposal in rejected))
    if pair.hub.writer is None:
        for proposal in rejected:
            print(printable(f"Rejected: {words.first_line(proposal.source)}"))


@verb("show what the proposals change", "number")
def diff(pair: Pair, line: MagicLine) -> None:
    """Print the proposals as unified diffs."""
    from spark_jupyter.protocol.hunks import unified_diff

    for proposal in chosen(pair, line):
        print(printable(unified_diff(proposal.base, proposal.source, name=words.name_of(proposal))), end="")


@verb("accept and run the next proposal, or proposal N", "number")
def run(pair: Pair, line: MagicLine) -> None:
    for proposal in chosen(pair, line, first=True):
        for said in words.before_run(proposal):
            print(said)
        run_proposal(pair, proposal, confirmed=line.options.yes)


@verb("review the notebook: stale, out of order, risky; --run: run it from the top in a copy", "options")
def review(pair: Pair, line: MagicLine) -> None:
    """Print a review of the cells that ran in this shell. Ctrl-C ends a run from the top; what it found is shown."""

    from spark_jupyter.protocol.review_messages import Reviewed
    from spark_jupyter.review.notebook_review import from_the_top, restart_of, runnable
    from spark_jupyter.ui.text.review_text import review_lines

    cells = pair.shell.cells()
    remarks = pair.review(cells)
    reviewed = Reviewed(remarks=tuple(remarks))
    if line.options.run:
        code, folder, named = runnable(cells), str(working_folder()), pair.trials.named.paths()
        restart = restart_of(code, folder=folder, allow=line.options.allow, named=named)
        reviewed = from_the_top(cells, code, remarks, restart=restart)
    print("\n".join(review_lines(reviewed, cells)))


@verb("run a proposal in a copy of the kernel: %spark try [N] [--allow files,network,shell,read]", "number")
def try_(pair: Pair, line: MagicLine) -> None:
    """Run a proposal in a sandbox, and show what it did there."""
    for proposal in chosen(pair, line, first=True):
        command = Try(cell_id=proposal.cell_id, allow=line.options.allow)
        following = pair.engine.follow_try(command.cell_id)
        with pair.trials.waiting():
            result = following.wait(lambda command=command: pair.engine.say(command)).result  # type: ignore[misc]
        assert result is not None  # or it would wait on
        if pair.shell.kernel is None:
            print("\n".join([*words.trial_lines(result), words.kept_text([result])]))
        else:
            from spark_jupyter.ui.turn_output import show_trial

            show_trial(result)


@verb("list the last attempts, or propose attempt N instead", "number")
def attempts(pair: Pair, line: MagicLine) -> None:
    """List the attempts of the last race; with a number, choose that one."""
    known = pair.engine.read(lambda session: session.history.attempts)
    if not known:
        raise SessionError("There were no attempts yet.", remedy='Start one: %spark --attempts 3 --check "…" PROMPT')
    turn_id = known[-1].turn_id
    if line.number is not None:
        pair.say(ChooseAttempt(turn_id=turn_id, index=line.number - 1))
    now = pair.engine.read(lambda session: session.history.attempts)
    print("\n".join(words.attempts_lines([one for one in now if one.turn_id == turn_id])))


@verb("take back the last turn with its cells", "nothing")
def revert(pair: Pair, line: MagicLine) -> None:
    """Revert the last turn."""
    turns = pair.engine.read(lambda session: session.turns)
    if not turns:
        raise SessionError("There is no turn to revert.", remedy="Ask first: %spark PROMPT")
    pair.say(Revert(turn_id=turns[-1].id))


@verb("restore the variables that the last cell changed", "number")
def undo(pair: Pair, line: MagicLine) -> None:
    """Restore the variables from the checkpoint before the last run."""
    from spark_jupyter.sandbox.checkpoints.undo import undo as undo_run
    from spark_jupyter.sandbox.checkpoints.undo import undone_lines

    if line.number is not None:
        raise SessionError("Only the last run can be undone.", remedy="%spark undo")
    undone = undo_run(pair.shell.interactive, pair.checkpoints, partly=line.options.yes, report=print)
    print(printable("\n".join(undone_lines(undone))))


@verb("run the cells below an edit in a copy, and show what it would change there", "number")
def rerun(pair: Pair, line: MagicLine) -> None:
    """Prove an edit on the cells below it."""
    from spark_jupyter.session.actions import TryProposal

    for proposal in chosen(pair, line, first=True):
        action = TryProposal(
            turn_id=proposal.turn_id,
            cell_id=proposal.cell_id,
            source=proposal.source,
            source_hash="",
            allow=(),
            base=proposal.base,
        )
        print("\n".join(words.rerun_lines(pair.trials.rerun(action))))
