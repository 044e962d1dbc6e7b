"""Verbs that start, continue, steer and cancel turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.exceptions import ConfigurationError, SessionError, SparkError, TurnOver
from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.constants import CONTINUE, FIX_PROPOSAL, GO_ON, NEXT_HINT, WHY
from spark_jupyter.protocol.messages import Cancel, Steer
from spark_jupyter.protocol.proposal_messages import Reject
from spark_jupyter.protocol.values import NotebookCell, Target
from spark_jupyter.ui.magics.proposal_choice import pending, pending_of
from spark_jupyter.ui.magics.turn_runner import place_of, prompt_with, start
from spark_jupyter.ui.magics.verb_table import verb
from spark_jupyter.ui.text import words
from spark_jupyter.ui.text.magic_line import MagicLine, two_texts

if TYPE_CHECKING:
    from spark_jupyter.protocol.trial_messages import TrialResult
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.shell import Failure


def prompt(pair: Pair, line: MagicLine) -> None:
    """Ask with the whole text of the line and its cell. Which cell a follow-up changes is the model's choice, by its id."""
    text = line.text_and_cell
    if not text:
        raise ConfigurationError("%spark needs a prompt or a command.", remedy="See %spark?")
    prompt_with(pair, line, text, place_of(pair, line))


@verb('"PROMPT" "OTHER PROMPT", or --models a,b PROMPT: try both in copies, compare them by value, keep one', "two")
def both(pair: Pair, line: MagicLine) -> None:
    """Have two answers written and compared."""
    wish, texts = line.options.attempts, two_texts(line.text)
    if (len(wish.models) == 2) == (len(texts) == 2) or wish.count > 1 or wish.until_green or wish.allow:
        raise ConfigurationError(
            "both takes two prompts, or one prompt and two models, and no other option of attempts.",
            remedy='For example %spark both "plot by month" "plot by region"',
        )
    text, other = texts if texts else (line.text, "")
    wish = structs.replace(wish, compare=True, other=other)
    line = structs.replace(line, options=structs.replace(line.options, attempts=wish))
    prompt_with(pair, line, text, place_of(pair, line))


@verb("repeat the last prompt; its open proposals are rejected", "nothing")
def again(pair: Pair, line: MagicLine) -> None:
    """Send the last prompt once more."""
    last = pair.engine.read(lambda session: session.history.last_prompt)
    if last is None:
        raise SessionError("There was no prompt yet.", remedy="Ask for something: %spark PROMPT")
    edited = next((cell for cell in last.cells if cell.id == last.target.edit), None)
    pair.say(*(Reject(cell_id=proposal.cell_id) for proposal in pending_of(pair, last.turn_id)))
    if last.attempts.compare:
        line = structs.replace(line, options=structs.replace(line.options, attempts=last.attempts))
    prompt_with(pair, line, last.text, last.target, intent=last.intent, edited=edited)


@verb("continue the last answer where it was cut off or stopped", "nothing")
def continue_(pair: Pair, line: MagicLine) -> None:
    """Continue an answer that was cut for its length, or a cell whose writing was stopped."""
    turn_id = pair.engine.read(lambda session: session.history.resumable)
    if turn_id is not None:
        start(pair, line, Steer(turn_id=new_turn_id(), steers=turn_id, text=GO_ON))
        return
    stopped = next((proposal for proposal in pending(pair) if proposal.unfinished), None)
    if stopped is None:
        raise SessionError("There is no unfinished answer.", remedy="Ask for what is missing: %spark PROMPT")
    cell = NotebookCell(id=stopped.cell_id, source=stopped.source)
    prompt_with(pair, line, CONTINUE, Target(edit=cell.id), intent="edit", edited=cell)


@verb("with %%: propose an edit of the code in this cell", "cell")
def edit(pair: Pair, line: MagicLine) -> None:
    """Edit the code below the magic, as a diff on this cell."""
    cell_id = pair.shell.cell_id or "this-cell"
    this = NotebookCell(id=cell_id, source=line.cell.rstrip("\n"))
    prompt_with(pair, line, line.text, Target(edit=cell_id), intent="edit", edited=this)


@verb("propose a fix of what failed last, a cell or a Try, tried in a copy of the kernel")
def fix(pair: Pair, line: MagicLine) -> None:
    """Fix what failed last: a cell, or an open proposal in a copy."""
    failure = pair.shell.last_failure
    tried = next(
        (one for one in reversed(_failed_tries(pair)) if failure is None or one not in pair.failed_before), None
    )
    if tried is not None:
        source = next(
            one.source
            for one in pair.engine.read(lambda session: session.store.current)
            if one.cell_id == tried.cell_id
        )
        cell = NotebookCell(id=tried.cell_id, source=source)
        prompt_with(pair, line, line.text or FIX_PROPOSAL, Target(edit=cell.id), intent="fix", edited=cell)
    elif failure is not None:
        fix_failure(pair, line, failure)
    else:
        raise SessionError("No cell has failed yet.", remedy="Run the cell that fails, then %spark fix.")


def _failed_tries(pair: Pair) -> tuple[TrialResult, ...]:
    """The failed Tries of open proposals, oldest first."""
    results = pair.engine.read(lambda session: session.store.trial_results)
    return tuple(result for result in results if result.error)


def fix_failure(pair: Pair, line: MagicLine, failure: Failure) -> None:
    """Ask for a fix of this failure."""
    failed = NotebookCell(id=failure.cell_id, source=failure.source)
    prompt_with(pair, line, line.text or "Fix the error.", Target(edit=failed.id), intent="fix", edited=failed)


def note_failure(pair: Pair, failure: Failure) -> None:
    """Remember which Tries had failed before a cell did, and fix the cell where ``%spark live`` is on."""
    pair.failed_before = _failed_tries(pair)
    _fix_unasked(pair, failure)


def _fix_unasked(pair: Pair, failure: Failure) -> None:
    """Ask for a fix after a failure where ``%spark live`` is on; never while a turn streams."""
    if not pair.preferences.live or pair.engine.read(lambda session: session.streaming):
        return
    print(words.LIVE_FIX)
    try:
        fix_failure(pair, MagicLine(verb="fix"), failure)
    except SparkError as error:
        print(words.problem_line(error.message, error.remedy))
    except KeyboardInterrupt:  # the interrupt was of the fix, which says so; the cell that failed has its traceback
        pass


@verb("explain the cell that ran last, or the code that follows")
def explain(pair: Pair, line: MagicLine) -> None:
    source = line.text or pair.shell.last_source
    if not source:
        raise SessionError("There is nothing to explain yet.", remedy="Run a cell first, or give the code.")
    cell = NotebookCell(id="explained", source=source)
    prompt_with(pair, line, "Explain this code.", Target(after=pair.shell.cell_id), intent="explain", edited=cell)


@verb("a hint on a question; without words the next one on the last question")
def hint(pair: Pair, line: MagicLine) -> None:
    """Ask for a hint, a step at a time."""
    prompt_with(pair, line, line.text_and_cell or NEXT_HINT, place_of(pair, line), intent="hints")


@verb("run the checks of the cell that failed last in a copy, and explain the first difference", "nothing")
def why(pair: Pair, line: MagicLine) -> None:
    """Explain why a check fails, without the solution."""
    failure = pair.shell.last_failure
    inputs = {} if failure is None or pair.hub.writer else {cell.source: cell.id for cell in pair.shell.cells()}
    about = inputs.get(failure.source, failure.cell_id) if failure else pair.shell.cell_id
    prompt_with(pair, line, WHY, Target(after=about), intent="hints")


@verb("redirect the turn that streams: %spark steer use polars")
def steer(pair: Pair, line: MagicLine) -> None:
    """Steer the turn that streams; where it has ended, ask as a new prompt."""
    turns = pair.engine.read(lambda session: session.streaming or [turn.id for turn in session.turns])
    if not turns:
        raise SessionError("There is no turn to steer.", remedy="Ask first: %spark PROMPT")
    try:
        pair.say(Steer(turn_id=new_turn_id(), steers=turns[-1], text=line.text))
    except TurnOver:
        print("The answer has already ended. Sent as a new prompt.")
        prompt(pair, line)


@verb("stop the turn that streams, or a Try; what was written stays", "nothing")
def cancel(pair: Pair, line: MagicLine) -> None:
    """Cancel what streams or is tried."""
    if not pair.engine.read(lambda session: session.streaming or session.trying):
        raise SessionError("Nothing is running, so there is nothing to cancel.")
    pair.say(Cancel())
