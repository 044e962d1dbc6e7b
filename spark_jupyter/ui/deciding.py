"""The magics that decide on what is proposed, look at it and take it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.messages import Accept, ChooseAttempt, Command, Reject, Revert, Run, TurnEnded
from spark_jupyter.protocol.trial_messages import Try
from spark_jupyter.protocol.values import Proposal
from spark_jupyter.session.actions import TryProposal
from spark_jupyter.source.hidden_characters import printable
from spark_jupyter.ui.shell import joined
from spark_jupyter.ui.text import words
from spark_jupyter.ui.text.magic_line import MagicLine
from spark_jupyter.ui.verbs import verb

if TYPE_CHECKING:
    from spark_jupyter.ui.pair import Pair


class Deciding:
    """The verbs of proposals."""

    pair: Pair
    shell: Any

    @verb("keep the proposals, or proposal N", "number")
    def _do_accept(self, line: MagicLine) -> None:
        if self.pair.unplaced and not self._pending():
            proposals, self.pair.unplaced = self.pair.unplaced, []
        else:
            proposals = self._chosen(line)
            if line.number is None and not line.options.yes:
                proposals = self._without_left_out(proposals)
            self._say(*(Accept(cell_id=proposal.cell_id, confirmed=line.options.yes) for proposal in proposals))
        self._place(proposals)

    def _without_left_out(self, proposals: list[Proposal]) -> list[Proposal]:
        """What is accepted with all others; says what is not, and how to accept it all the same."""
        if said := words.left_out(proposals):
            print(said)
        return [proposal for proposal in proposals if proposal.may_run == "freely"]

    def _place(self, accepted: list[Proposal]) -> None:
        """Where no front end writes cells, what is accepted becomes the next input."""
        if accepted and self.pair.hub.writer is None:
            kept = self.pair.engine.read(lambda session: [session.restored_source(proposal) for proposal in accepted])
            self.pair.shell.set_next_input(joined(kept))

    def _keep_typed(self, unsent: str) -> None:
        """What was typed too late for a turn stands at the next prompt."""
        if unsent:
            self.pair.shell.set_next_input(unsent)

    @verb("discard the proposals, or proposal N", "number")
    def _do_reject(self, line: MagicLine) -> None:
        rejected = self._chosen(line)
        self._say(*(Reject(cell_id=proposal.cell_id) for proposal in rejected))
        if self.pair.hub.writer is None:  # a front end that has the cells shows it
            for proposal in rejected:
                print(printable(f"Rejected: {words.first_line(proposal.source)}"))

    @verb("show what the proposals change", "number")
    def _do_diff(self, line: MagicLine) -> None:
        from spark_jupyter.protocol.hunks import unified_diff

        for proposal in self._chosen(line):
            print(printable(unified_diff(proposal.base, proposal.source, name=words.name_of(proposal))), end="")

    @verb("accept and run the next proposal, or proposal N", "number")
    def _do_run(self, line: MagicLine) -> None:
        for proposal in self._chosen(line, first=True):
            for said in words.before_run(proposal):
                print(said)
            self._run(proposal, confirmed=line.options.yes)

    @verb("say what is stale, out of order or found in the notebook; --run: what fails from its top", "options")
    def _do_review(self, line: MagicLine) -> None:
        from spark_jupyter.ui.review import review

        review(self.pair, run=line.options.run, allow=line.options.allow)

    @verb("run a proposal in a copy of the kernel: %spark try [N] [--allow files,network,shell,read]", "number")
    def _do_try(self, line: MagicLine) -> None:
        for proposal in self._chosen(line, first=True):
            self._try(Try(cell_id=proposal.cell_id, allow=line.options.allow))

    def _try(self, command: Try) -> None:
        following = self.pair.engine.follow_try(command.cell_id)
        with self.pair.trials.waiting():
            result = following.wait(lambda: self.pair.engine.say(command)).result
        assert result is not None  # or it would wait on
        if self.pair.shell.kernel is None:
            print("\n".join([*words.trial_lines(result), words.what_was_kept([result])]))
            return
        from spark_jupyter.ui.turn_output import show_trial

        show_trial(result)

    @verb("list the last race's attempts, or propose attempt N instead", "number")
    def _do_attempts(self, line: MagicLine) -> None:
        attempts = self.pair.engine.read(lambda session: session.history.attempts)
        if not attempts:
            raise SessionError("There was no race yet.", remedy='Ask for one: %spark --attempts 3 --check "…" PROMPT')
        turn_id = attempts[-1].turn_id
        if line.number is not None:
            self._say(ChooseAttempt(turn_id=turn_id, index=line.number - 1))
        standing = self.pair.engine.read(lambda session: session.history.attempts)
        print("\n".join(words.attempts_lines([one for one in standing if one.turn_id == turn_id])))

    @verb("take back the last turn, cells and all", "nothing")
    def _do_revert(self, line: MagicLine) -> None:
        turns = self.pair.engine.read(lambda session: session.turns)
        if not turns:
            raise SessionError("There is no turn to take back.")
        self._say(Revert(turn_id=turns[-1].id))

    @verb("bring back the variables that the last cell changed, as they were before it ran", "number")
    def _do_undo(self, line: MagicLine) -> None:
        from spark_jupyter.sandbox.checkpoints.undo import undo, undone_lines

        if line.number is not None:
            raise SessionError("Only the last run can be undone.", remedy="%spark undo")
        undone = undo(self.shell, self.pair.checkpoints, partly=line.options.yes)
        print(printable("\n".join(undone_lines(undone))))

    @verb("run the cells below that read what an edit changes, in a copy, and say what would change there", "number")
    def _do_rerun(self, line: MagicLine) -> None:
        for proposal in self._chosen(line, first=True):
            action = TryProposal(
                turn_id=proposal.turn_id,
                cell_id=proposal.cell_id,
                source=proposal.source,
                source_hash="",
                allow=(),
                base=proposal.base,
            )
            proof = self.pair.trials.rerun(action)
            print("\n".join(words.rerun_lines(proof)))

    def _settle(self, ended: TurnEnded, *, run: bool, confirmed: bool) -> None:
        """What ``--accept`` and ``--run`` asked for."""
        if ended.none_passed and not confirmed:
            print(words.NONE_PASSED)
            return
        proposals = [proposal for proposal in self._pending() if proposal.turn_id == ended.turn_id]
        if not run and not confirmed:
            proposals = self._without_left_out(proposals)
        for proposal in proposals:
            if run and proposal.cell_type == "code":
                self._run(proposal, confirmed=confirmed)
            else:
                self._say(Accept(cell_id=proposal.cell_id, confirmed=confirmed))
        if not run:
            self._place(proposals)

    def _run(self, proposal: Proposal, *, confirmed: bool) -> None:
        self._say(Run(cell_id=proposal.cell_id, confirmed=confirmed))
        if self.pair.hub.writer is None:
            self.pair.shell.run(self.pair.engine.read(lambda session: session.restored_source(proposal)))

    def _pending(self) -> list[Proposal]:
        """The proposals of the last turn that has any which wait."""
        proposals = self.pair.engine.read(lambda session: session.store.current)
        waiting = [proposal for proposal in proposals if proposal.state in ("ready", "blocked")]
        return [proposal for proposal in waiting if proposal.turn_id == waiting[-1].turn_id]

    def _chosen(self, line: MagicLine, *, first: bool = False) -> list[Proposal]:
        """The proposals that a command means: number N, else all that wait (``first``: the first of them)."""
        pending = self._pending()
        if not pending:
            raise SessionError("No proposal waits for your word.", remedy="Ask for one: %spark PROMPT")
        if line.number is None:
            return pending[:1] if first else pending
        if not 1 <= line.number <= len(pending):
            raise SessionError(
                f"There is no proposal {line.number}.",
                remedy=f"{len(pending)} {'waits' if len(pending) == 1 else 'wait'}.",
            )
        return [pending[line.number - 1]]

    def _say(self, *commands: Command) -> None:
        """Submit, and raise what the session objects to."""
        for command in commands:
            self.pair.engine.say(command)
