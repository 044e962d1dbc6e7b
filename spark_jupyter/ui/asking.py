"""The magics that begin a turn, wait for it, steer it and stop it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from traitlets import Bool, HasTraits

from spark_jupyter.exceptions import SessionError, TurnOver
from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.constants import CONTINUE, GO_ON
from spark_jupyter.protocol.messages import Cancel, Prompt, Reject, Steer, TurnEnded
from spark_jupyter.protocol.values import Intent, NotebookCell, Target
from spark_jupyter.refactoring.intent import read
from spark_jupyter.ui.deciding import Deciding
from spark_jupyter.ui.shell import Failure
from spark_jupyter.ui.text import words
from spark_jupyter.ui.text.deep_text import handed_text
from spark_jupyter.ui.text.magic_line import MagicLine
from spark_jupyter.ui.verbs import verb

if TYPE_CHECKING:
    from spark_jupyter.engine.link import Link


class Asking(Deciding, HasTraits):
    """The verbs of turns."""

    wait = Bool(False, help="Whether %%spark waits for the end of its turn, in a notebook too.").tag(config=True)
    _noticed: Link | None = None

    def _do_prompt(self, line: MagicLine) -> None:
        self._ask(line, line.text)

    def _ask(self, line: MagicLine, text: str) -> None:
        """Ask for an answer below this cell, or for a change of the whole notebook where the text names one that needs no model.

        Which cell a follow-up changes is the model's choice, by its id."""
        if read(text) is not None:
            self._ask_notebook(line, text, intent="generate")
            return
        self._prompt(line, text, Target(after=line.options.after or self.pair.shell.cell_id))

    def _ask_notebook(self, line: MagicLine, text: str, *, intent: Intent) -> None:
        self._prompt(line, text, Target(after=line.options.after or self.pair.shell.cell_id), intent=intent)

    @verb("ask the last prompt once more: what it proposed and still waits is rejected", "nothing")
    def _do_again(self, line: MagicLine) -> None:
        prompt = self.pair.engine.read(lambda session: session.history.last_prompt)
        if prompt is None:
            raise SessionError("There was no prompt yet.", remedy="Ask for something: %spark PROMPT")
        waiting = [proposal for proposal in self._pending() if proposal.turn_id == prompt.turn_id]
        edited = next((cell for cell in prompt.cells if cell.id == prompt.target.edit), None)
        self._say(*(Reject(cell_id=proposal.cell_id) for proposal in waiting))
        self._prompt(line, prompt.text, prompt.target, intent=prompt.intent, edited=edited)

    @verb("have the model go on where its last answer was cut for its length, or its cell was stopped", "nothing")
    def _do_continue(self, line: MagicLine) -> None:
        turn_id = self.pair.engine.read(lambda session: session.history.resumable)
        if turn_id is not None:
            self._start(line, Steer(turn_id=new_turn_id(), steers=turn_id, text=GO_ON))
            return
        stopped = next((proposal for proposal in self._pending() if proposal.unfinished), None)
        if stopped is None:
            raise SessionError(
                "The last answer was not cut off, or was decided on.", remedy="Ask for what is missing: %spark PROMPT"
            )
        cell = NotebookCell(id=stopped.cell_id, source=stopped.source)
        self._prompt(line, CONTINUE, Target(edit=cell.id), intent="edit", edited=cell)

    @verb("with %%: propose an edit of the code in this cell", "cell")
    def _do_edit(self, line: MagicLine, cell: str) -> None:
        cell_id = self.pair.shell.cell_id or "this-cell"
        this = NotebookCell(id=cell_id, source=cell.rstrip("\n"))
        self._prompt(line, line.text, Target(edit=cell_id), intent="edit", edited=this)

    @verb("propose an edit of the cell that failed last, already tried in a copy: it runs now, or still fails")
    def _do_fix(self, line: MagicLine) -> None:
        failure = self.pair.shell.last_failure
        if failure is None:
            raise SessionError("No cell has failed yet.", remedy="Run the cell that fails, then %spark fix.")
        self._fix(line, failure)

    def _fix(self, line: MagicLine, failure: Failure) -> None:
        failed = NotebookCell(id=failure.cell_id, source=failure.source)
        self._prompt(line, line.text or "Fix the error.", Target(edit=failed.id), intent="fix", edited=failed)

    @verb("explain the cell that ran last, or the text that follows")
    def _do_explain(self, line: MagicLine) -> None:
        source = line.text or self.pair.shell.last_source
        if not source:
            raise SessionError("There is nothing to explain yet.", remedy="Run a cell first, or give the code.")
        cell = NotebookCell(id="explained", source=source)
        self._prompt(line, "Explain this code.", Target(after=self.pair.shell.cell_id), intent="explain", edited=cell)

    def _prompt(
        self,
        line: MagicLine,
        text: str,
        target: Target,
        *,
        intent: Intent = "generate",
        edited: NotebookCell | None = None,
    ) -> None:
        cells = self.pair.shell.cells()
        if edited is not None:
            cells = (*(cell for cell in cells if cell.id != edited.id), edited)
        prompt = Prompt(
            turn_id=new_turn_id(),
            text=text,
            target=target,
            cells=cells,
            active=None if edited is None else edited.id,
            model=line.options.model,
            intent=intent,
            attempts=line.options.attempts,
        )
        self._start(line, prompt)

    def _start(self, line: MagicLine, command: Prompt | Steer) -> None:
        """Begin a turn, and wait for it where that is wanted."""
        self._say_notice()
        if not self._waits(line):
            self._begin(command)
            return
        ended = self._follow(command, offer=not line.options.accept)
        if ended.outcome == "completed" and line.options.accept:
            self._settle(ended, run=line.options.run, confirmed=line.options.yes)

    def _say_notice(self) -> None:
        """What is to be known about the provider is said once, before the first turn after it was chosen."""
        link = self.pair.engine.link
        if link is not None and link.notice and link is not self._noticed:
            self._noticed = link
            print(link.notice)

    def _waits(self, line: MagicLine) -> bool:
        if line.options.wait is not None:
            return line.options.wait
        return self.wait or self.pair.shell.waits or line.options.accept

    def _begin(self, command: Prompt | Steer) -> None:
        """Let the turn run in the engine's thread. Where no front end writes its cells, its output is shown here."""
        if self._hand_over(command):
            return
        if self.pair.hub.writer is None:
            from spark_jupyter.ui.turn_output import show_turn

            show_turn(self.pair.engine, command.turn_id)
        self.pair.engine.submit(command)

    def _hand_over(self, command: Prompt | Steer) -> bool:
        """Have a prompt about the whole notebook said by the front end that has it. False for others, and where none has."""
        if isinstance(command, Steer):
            return False
        about_all = command.intent == "refactor" or read(command.text) is not None
        return about_all and self.pair.hub.request_prompt(command)

    def _follow(self, command: Prompt | Steer, *, offer: bool) -> TurnEnded:
        """Show the turn until it has ended: in a notebook as its output, in a terminal as it is written. ``offer``: say what can be
        said to its proposals."""
        with self.pair.trials.waiting():
            ended = self._shown_until_ended(command)
        if isinstance(command, Prompt) and command.attempts.races and ended.outcome != "failed":
            print("%spark attempts lists them, %spark attempts N proposes another")
        if (reason := self.pair.view.handed.get(ended.turn_id)) is not None:
            print(handed_text(reason))
        mine = [proposal for proposal in self._pending() if proposal.turn_id == ended.turn_id]
        if offer and ended.outcome != "failed" and mine and not self.pair.shell.kernel:
            for stopped in [proposal for proposal in mine if proposal.unfinished]:
                print(stopped.unfinished)
            print(" · ".join(words.what_to_say(mine)))
        return ended

    def _shown_until_ended(self, command: Prompt | Steer) -> TurnEnded:
        def begin() -> None:
            if not self._hand_over(command):
                self.pair.engine.say(command)

        if self.pair.shell.kernel is not None:
            from spark_jupyter.ui.turn_output import follow_turn

            placed = self.pair.hub.writer is not None
            return follow_turn(self.pair.engine, command.turn_id, begin, placed=placed)
        from spark_jupyter.ui.terminal import TerminalFront, TerminalView

        front = TerminalFront(self.pair.engine, TerminalView(sys.stdout), new_turn_id=new_turn_id)
        ended = front.follow(command.turn_id, begin)
        self._keep_typed(front.unsent)
        return ended

    @verb("redirect the turn that streams: %spark steer use polars")
    def _do_steer(self, line: MagicLine) -> None:
        turns = self.pair.engine.read(lambda session: session.streaming or [turn.id for turn in session.turns])
        if not turns:
            raise SessionError("Nothing was asked yet, so nothing can be steered.", remedy="Ask: %spark PROMPT")
        try:
            self._say(Steer(turn_id=new_turn_id(), steers=turns[-1], text=line.text))
        except TurnOver:
            print("The answer had ended: it is asked as a prompt.")
            self._ask(line, line.text)

    @verb("stop the turn that streams; what was written stays. Ends a Try, too", "nothing")
    def _do_cancel(self, line: MagicLine) -> None:
        if not self.pair.engine.read(lambda session: session.streaming or session.trying):
            raise SessionError("Nothing streams and nothing is tried, so there is nothing to cancel.")
        self._say(Cancel())
