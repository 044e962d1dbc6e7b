"""``%spark`` and ``%%spark``: a line becomes a command. What happens then is the session's; what is shown is the fronts'."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from IPython.core.error import UsageError
from IPython.core.magic import Magics, magics_class
from traitlets import Bool, Enum, Float, Unicode

from spark_jupyter.core.actions import TryProposal
from spark_jupyter.core.amending import goes_on, last_proposal
from spark_jupyter.exceptions import ConfigurationError, SessionError, SparkError
from spark_jupyter.fronts import suggesting
from spark_jupyter.fronts.configuring import follow_configuration
from spark_jupyter.fronts.deepening import DeepWorks
from spark_jupyter.fronts.pair import Pair
from spark_jupyter.fronts.refactoring import Refactorings
from spark_jupyter.fronts.shell import Failure, joined
from spark_jupyter.fronts.suggesting import SuggestionSettings
from spark_jupyter.fronts.text import options, words
from spark_jupyter.fronts.text.deep import handed_text
from spark_jupyter.fronts.text.options import MagicLine
from spark_jupyter.fronts.verbs import verb, verbs_of
from spark_jupyter.host.spending import Limits
from spark_jupyter.ids import new_turn_id
from spark_jupyter.providers.profile import GGUF
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.source.hidden import printable
from spark_jupyter.suggest.refactoring.words import read
from spark_jupyter.wire.constants import GO_ON
from spark_jupyter.wire.messages import (
    Accept,
    Cancel,
    ChooseAttempt,
    Command,
    Prompt,
    Reject,
    Revert,
    Run,
    SelectModel,
    Steer,
    Try,
    TurnEnded,
)
from spark_jupyter.wire.values import Intent, NotebookCell, Proposal, Target

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from spark_jupyter.host.link import Link


@magics_class
class SparkMagics(DeepWorks, Refactorings, SuggestionSettings, Magics):
    """The magics of spark_jupyter, and what can be configured about them."""

    name = Unicode("spark", help="The name of the magics. %pair and %%pair always work, too.").tag(config=True)
    profile = Unicode("", help="The provider's profile: openai, ollama, … or one of your own.").tag(config=True)
    base_url = Unicode("", help="Where the model is served, e.g. http://localhost:8000/v1.").tag(config=True)
    model = Unicode("", help="The model, where it is not the provider's default.").tag(config=True)
    model_folder = Unicode("", help="Where %spark model FILE.gguf looks for a name; or SPARK_MODELS.").tag(config=True)
    dialect = Unicode("", help="responses-websocket, chat, … (as in a profile), where it can't be told.").tag(
        config=True
    )
    fallback = Unicode("", help="The profile that is asked where the provider can't answer now.").tag(config=True)
    effort = Unicode("", help="How much a model that reasons may think: low, medium, high, …").tag(config=True)
    warn_cost = Float(0.0, help="US dollars of a day from which on it is said what was spent.").tag(config=True)
    stop_cost = Float(0.0, help="US dollars of a day after which nothing is asked that costs.").tag(config=True)
    reality = Bool(True, help="Steer the model when it uses what does not exist in this kernel.").tag(config=True)
    rehearse = Enum(
        ["stream", "ready", "off"],
        "stream",
        help="Run new cells in a copy of the kernel: while they are written, which corrects what does not run; when they are whole; never.",
    ).tag(config=True)
    checkpoints = Enum(
        ["auto", "on", "off"],
        "auto",
        help="Keep the kernel as it was before the last cells: where that costs little; before every cell; never.",
    ).tag(config=True)
    withhold = Enum(
        ["always", "remote"],
        "always",
        help="Replace credentials in prompts by placeholders: always, or only where the model is not on this machine.",
    ).tag(config=True)
    live = Bool(False, help="Whether a fix is proposed by itself after every exception: %spark live on.").tag(
        config=True
    )
    wait = Bool(False, help="Whether %%spark waits for the end of its turn, in a notebook too.").tag(config=True)

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell=shell)
        self.pair = Pair(
            shell,
            settings=Settings(
                profile=self.profile,
                base_url=self.base_url,
                model=self.model,
                dialect=self.dialect,
                model_folder=self.model_folder,
                fallback=self.fallback,
            ),
            effort=self.effort or None,
            limits=Limits(warn=self.warn_cost, stop=self.stop_cost),
            withhold=self.withhold,
            reality=self.reality,
            rehearse=self.rehearse,  # type: ignore[arg-type]  # one of the three
            checkpoints=self.checkpoints,  # type: ignore[arg-type]  # one of the three
            deep=self.deep_settings,
            suggest=self.suggestion_wish,
        )
        self.pair.shell.on_failure = self._failed
        follow_configuration(self, self.pair, shell.config)
        self._noticed: Link | None = None

    # --- the magics ----------------------------------------------------------------------------------------------------

    def line_magic(self, line: str) -> None:
        try:
            parsed = options.parse(line, VERBS)
            if parsed.verb == "prompt" and not parsed.text:
                raise ConfigurationError("%spark needs a prompt or a command.", remedy="See %spark?")
            getattr(self, f"_do_{parsed.verb}")(parsed)
        except SparkError as error:
            raise UsageError(str(error)) from None

    def cell_magic(self, line: str, cell: str) -> None:
        try:
            parsed = options.parse(line, VERBS, cell=True)
            if parsed.verb in ("edit", "deep", "deepen"):
                getattr(self, f"_do_{parsed.verb}")(parsed, cell)
            else:
                text = "\n".join(part for part in (parsed.text, cell.strip("\n")) if part)
                self._ask(parsed, text)
        except SparkError as error:
            raise UsageError(str(error)) from None

    # --- turns ---------------------------------------------------------------------------------------------------------

    def _do_prompt(self, line: MagicLine) -> None:
        self._ask(line, line.text)

    def _ask(self, line: MagicLine, text: str) -> None:
        """Ask for new cells; or, where the text goes on from the last answer, for a change of that answer's last cell; or for one of the
        whole notebook, where it names one that needs no model."""
        if read(text) is not None:
            self._ask_notebook(line, text, intent="generate")
            return
        last = None if line.options.new or line.options.after else self.pair.engine.read(last_proposal)
        if last is not None and goes_on(text):
            print(words.amends(last))
            amended = NotebookCell(id=last.cell_id, source=last.source)
            self._prompt(line, text, Target(edit=last.cell_id), intent="edit", edited=amended)
        else:
            self._prompt(line, text, Target(after=line.options.after or self.pair.shell.cell_id))

    def _ask_notebook(self, line: MagicLine, text: str, *, intent: Intent) -> None:
        self._prompt(line, text, Target(after=line.options.after or self.pair.shell.cell_id), intent=intent)

    @verb("ask the last prompt once more: what it proposed and still waits is rejected", "nothing")
    def _do_again(self, line: MagicLine) -> None:
        prompt = self.pair.engine.read(lambda session: session.last_prompt)
        if prompt is None:
            raise SessionError("There was no prompt yet.", remedy="Ask for something: %spark PROMPT")
        waiting = [proposal for proposal in self._pending() if proposal.turn_id == prompt.turn_id]
        edited = next((cell for cell in prompt.cells if cell.id == prompt.target.edit), None)
        self._say(*(Reject(cell_id=proposal.cell_id) for proposal in waiting))
        self._prompt(line, prompt.text, prompt.target, intent=prompt.intent, edited=edited)

    @verb("have the model go on where its last answer was cut for its length", "nothing")
    def _do_continue(self, line: MagicLine) -> None:
        turn_id = self.pair.engine.read(lambda session: session.resumable)
        if turn_id is None:
            raise SessionError(
                "The last answer was not cut for its length, or was decided on.",
                remedy="Ask for what is missing: %spark PROMPT",
            )
        self._start(line, Steer(turn_id=new_turn_id(), steers=turn_id, text=GO_ON))

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
            from spark_jupyter.fronts.display import show_turn

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
            print(" · ".join(words.what_to_say(mine)))
        return ended

    def _shown_until_ended(self, command: Prompt | Steer) -> TurnEnded:
        def begin() -> None:
            if not self._hand_over(command):
                self.pair.engine.say(command)

        if self.pair.shell.kernel is not None:
            from spark_jupyter.fronts.display import follow_turn

            placed = self.pair.hub.writer is not None
            return follow_turn(self.pair.engine, command.turn_id, begin, placed=placed)
        from spark_jupyter.fronts.terminal import TerminalFront, TerminalView

        front = TerminalFront(self.pair.engine, TerminalView(sys.stdout), new_turn_id=new_turn_id)
        return front.follow(command.turn_id, begin)

    @verb("redirect the turn that streams: %spark steer use polars")
    def _do_steer(self, line: MagicLine) -> None:
        streaming = self.pair.engine.read(lambda session: session.streaming)
        if not streaming:
            raise SessionError("Nothing streams, so nothing can be steered.", remedy="Send it as a prompt.")
        self._say(Steer(turn_id=new_turn_id(), steers=streaming[-1], text=line.text))

    @verb("stop the turn that streams; what was written stays. Ends a Try, too", "nothing")
    def _do_cancel(self, line: MagicLine) -> None:
        if not self.pair.engine.read(lambda session: session.streaming or session.trying):
            raise SessionError("Nothing streams and nothing is tried, so there is nothing to cancel.")
        self._say(Cancel())

    # --- proposals -----------------------------------------------------------------------------------------------------

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
            kept = self.pair.engine.read(lambda session: [session.kept(proposal) for proposal in accepted])
            self.pair.shell.set_next_input(joined(kept))

    @verb("discard the proposals, or proposal N", "number")
    def _do_reject(self, line: MagicLine) -> None:
        self._say(*(Reject(cell_id=proposal.cell_id) for proposal in self._chosen(line)))

    @verb("show what the proposals change", "number")
    def _do_diff(self, line: MagicLine) -> None:
        from spark_jupyter.wire.notebook import unified_diff

        for proposal in self._chosen(line):
            print(printable(unified_diff(proposal.base, proposal.source, name=proposal.cell_id)), end="")

    @verb("accept and run the next proposal, or proposal N", "number")
    def _do_run(self, line: MagicLine) -> None:
        for proposal in self._chosen(line, first=True):
            for said in words.before_run(proposal):
                print(said)
            self._run(proposal, confirmed=line.options.yes)

    @verb("say what is stale, out of order or found in the notebook; --run: what fails from its top", "options")
    def _do_review(self, line: MagicLine) -> None:
        from spark_jupyter.fronts.review import review

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
        from spark_jupyter.fronts.display import show_trial

        show_trial(result)

    @verb("list the last race's attempts, or propose attempt N instead", "number")
    def _do_attempts(self, line: MagicLine) -> None:
        attempts = self.pair.engine.read(lambda session: session.attempts)
        if not attempts:
            raise SessionError("There was no race yet.", remedy='Ask for one: %spark --attempts 3 --check "…" PROMPT')
        turn_id = attempts[-1].turn_id
        if line.number is not None:
            self._say(ChooseAttempt(turn_id=turn_id, index=line.number - 1))
        standing = self.pair.engine.read(lambda session: session.attempts)
        print("\n".join(words.attempts_lines([one for one in standing if one.turn_id == turn_id])))

    @verb("take back the last turn, cells and all", "nothing")
    def _do_revert(self, line: MagicLine) -> None:
        turns = self.pair.engine.read(lambda session: session.turns)
        if not turns:
            raise SessionError("There is no turn to take back.")
        self._say(Revert(turn_id=turns[-1].id))

    @verb("bring back the variables that the last cell changed, as they were before it ran", "number")
    def _do_undo(self, line: MagicLine) -> None:
        from spark_jupyter.trial.undo import undo, undone_lines

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
            self.pair.shell.run(self.pair.engine.read(lambda session: session.kept(proposal)))

    def _pending(self) -> list[Proposal]:
        """The proposals of the last turn that has any which wait."""
        proposals = self.pair.engine.read(lambda session: session.ledger.current)
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
            raise SessionError(f"There is no proposal {line.number}.", remedy=f"There are {len(pending)}.")
        return [pending[line.number - 1]]

    # --- the rest ------------------------------------------------------------------------------------------------------

    @verb(
        "say which model answers, or choose another: a NAME, or a FILE.gguf that is run here; --deep: for deep work",
        "word",
    )
    def _do_model(self, line: MagicLine) -> None:
        if line.options.deep:
            self._choose_deep(line.text)
            return
        if line.text.endswith(GGUF):
            print(self.pair.run_model(line.text))
            return
        if line.text:
            self._say(SelectModel(model=line.text))
        from spark_jupyter.fronts.text.status import model_text

        link = self.pair.engine.wait_until_connected(5)
        print(model_text(line.text or self.pair.engine.read(lambda session: session.model), link))

    @verb("say which provider answers, or choose another by its profile's name: ollama, openai, …", "word")
    def _do_provider(self, line: MagicLine) -> None:
        link = self.pair.engine.wait_until_connected(5) if not line.text else None
        print(self.pair.use(line.text) if line.text else link.banner if link else "Not connected yet.")

    @verb("on, off or ask (only by a key); model NAME, provider NAME or FILE.gguf: who makes them", "suggestions")
    def _do_suggestions(self, line: MagicLine) -> None:
        print(suggesting.change(self.pair.engine, line.text, model_folder=self.model_folder))

    @verb("list the provider's models", "nothing")
    def _do_models(self, line: MagicLine) -> None:
        from spark_jupyter.fronts.text.status import models_text

        print(models_text(self.pair.engine.models(), files=self.pair.model_files()))

    @verb("say what is connected, proposed, found and withheld", "nothing")
    def _do_status(self, line: MagicLine) -> None:
        from spark_jupyter.fronts.text.metering import spent_text
        from spark_jupyter.fronts.text.status import status_text

        pair = self.pair
        engine, why = pair.engine, pair.engine.hello().rehearsal_unavailable
        print(engine.read(lambda it: status_text(it, engine.link, silent_tools=pair.silent_tools, no_rehearsal=why)))
        print(spent_text(engine.read(lambda _: pair.spending.total())))
        print("\n".join(pair.checkpoints.status()))
        if self.live:
            print(words.LIVE_ON)

    @verb("show the panel made of widgets, where there is no JupyterLab extension", "nothing")
    def _do_panel(self, line: MagicLine) -> None:
        from IPython.display import display

        from spark_jupyter.fronts.widget import panel

        display(panel(self.pair))

    @verb(
        "on: propose a fix after every exception by itself; off (the default): only when you say %spark fix", "switch"
    )
    def _do_live(self, line: MagicLine) -> None:
        if line.text:
            self.live = line.text == "on"
        print(words.LIVE_ON if self.live else words.LIVE_OFF)

    def _failed(self, failure: Failure) -> None:
        """A cell failed. Where the user wants it, a fix is proposed by itself; a turn that streams is not disturbed."""
        if not self.live or self.pair.engine.read(lambda session: session.streaming):
            return
        print(words.LIVE_FIX)
        try:
            self._fix(MagicLine(verb="fix"), failure)
        except SparkError as error:
            print(words.problem_line(error.message, error.remedy))
        except KeyboardInterrupt:  # it was of the fix, which says so; the cell that failed has its traceback
            pass

    def _say(self, *commands: Command) -> None:
        """Submit, and raise what the session objects to."""
        for command in commands:
            self.pair.engine.say(command)


VERBS = verbs_of(SparkMagics, Refactorings, DeepWorks)
SparkMagics.line_magic.__doc__ = SparkMagics.cell_magic.__doc__ = options.help_text(VERBS)
