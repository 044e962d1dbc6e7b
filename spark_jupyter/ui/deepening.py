"""The magics of the deep gear: ``%spark deep``, ``%spark deepen``, and what can be configured about it."""

from __future__ import annotations

import sys
from collections.abc import Callable

from msgspec import structs
from traitlets import Enum, Float, HasTraits, Int, Unicode

from spark_jupyter.engine.follow import DeepChain
from spark_jupyter.exceptions import SessionError
from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.deep_messages import (
    BeginDeep,
    ChooseDeep,
    DeepLimits,
    DeepWork,
    DirectDeep,
    EditPlan,
    SteerDeep,
)
from spark_jupyter.protocol.values import Target
from spark_jupyter.session.deep import plan
from spark_jupyter.ui.deciding import Deciding
from spark_jupyter.ui.text import deep_text as words
from spark_jupyter.ui.text.magic_line import MagicLine
from spark_jupyter.ui.verbs import verb

DIRECTIONS = {"pause": "pause", "go on": "go-on", "resume": "go-on", "cancel": "cancel"}


class DeepWorks(Deciding, HasTraits):
    """The verbs and settings of deep work."""

    deep_model = Unicode("", help="Who does deep work, where it is not the provider's default: %spark deep.").tag(
        config=True
    )
    deep_profile = Unicode("", help="The profile of another provider for deep work.").tag(config=True)
    deep_effort = Enum(
        ["", "minimal", "low", "medium", "high"], "", help="How long the model of deep work may think."
    ).tag(config=True)

    deep_minutes = Float(
        0.0, min=0.0, max=1440.0, help="For how many minutes deep work may work; 0: as the profile says, else 15."
    ).tag(config=True)
    deep_tokens = Int(
        0, min=0, help="How many tokens a deep work may use, in and out; 0: as the profile says, else 400,000."
    ).tag(config=True)
    deep_dollars = Float(
        0.0, min=0.0, help="What a deep work may cost, in US dollars; 0: as the profile says, else no limit."
    ).tag(config=True)

    @property
    def deep_budget(self) -> DeepLimits:
        """What a deep work may use, as configured."""
        return DeepLimits(
            seconds=self.deep_minutes * 60 or None, tokens=self.deep_tokens or None, dollars=self.deep_dollars or None
        )

    @property
    def deep_settings(self) -> ChooseDeep:
        """Who does deep work, as configured."""
        return ChooseDeep(
            model=self.deep_model,
            profile=self.deep_profile,
            effort=self.deep_effort,  # type: ignore[arg-type]  # one of the five
            budget=self.deep_budget,
        )

    @verb("let a slower model work on it in the background; alone: how that stands", "task")
    def _do_deep(self, line: MagicLine, cell: str = "") -> None:
        text = line.text.strip()
        if text in DIRECTIONS and not cell:
            self._say(DirectDeep(work_id=self._work.id, what=DIRECTIONS[text]))  # type: ignore[arg-type]  # one of three
            print(words.deep_line(self._work))
        elif text == "plan":
            self._plan(cell)
        elif text == "wait" and not cell:
            self._wait_for_deep(line)
        elif text.startswith("steer ") and not cell:
            self._say(SteerDeep(work_id=self._work.id, text=text.removeprefix("steer ")))
            print(words.deep_line(self._work))
        elif text or cell.strip():
            task = "\n".join(part for part in (text, cell.strip("\n")) if part)
            self._begin_deep(line, BeginDeep(work_id=new_turn_id(), text=task))
        else:
            print("\n".join(words.deep_lines(self._work)))

    @verb("hand the last answer to the slower model, with a word of what is wrong with it", "task")
    def _do_deepen(self, line: MagicLine, cell: str = "") -> None:
        turns = self.pair.engine.read(lambda session: session.turns)
        done = [turn for turn in turns if turn.outcome == "completed"]
        if not done:
            raise SessionError("There is no answer yet.", remedy="Ask for one: %spark PROMPT, or %spark deep PROMPT")
        said = "\n".join(part for part in (line.text, cell.strip("\n")) if part)
        text = f"{done[-1].prompt}\n{said}" if said else ""
        self._begin_deep(line, BeginDeep(work_id=new_turn_id(), text=text, hands_up=done[-1].id))

    def _choose_deep(self, wish: ChooseDeep) -> None:
        """``%spark model --deep NAME`` and its like: another one does deep work from now on; where nothing is wished, say
        who does."""
        if wish != ChooseDeep():
            self.pair.engine.submit(wish)
        else:
            self.pair.engine.wait_until_connected(5)  # whose profile says who does
        print(words.gear_text(self.pair.engine.read(lambda session: self.pair.engine.hello()).deep))

    def _begin_deep(self, line: MagicLine, command: BeginDeep) -> None:
        options = line.options
        budget = self.pair.engine.hello().deep.budget
        changes = {"seconds": options.minutes and options.minutes * 60, "dollars": options.dollars}
        command = structs.replace(
            command,
            cells=self.pair.shell.cells(),
            target=Target(after=options.after or self.pair.shell.cell_id),
            checks=options.attempts.checks,
            ask_first=options.ask,
            budget=structs.replace(budget, **{name: value for name, value in changes.items() if value}),
        )
        if not options.wait:
            self._say(command)
            print(words.deep_line(self._work), "·", words.HOW)
            return
        self._follow_deep(line, command.work_id, lambda: self._say(command))

    def _wait_for_deep(self, line: MagicLine) -> None:
        """``%spark deep wait``: show it until it has ended, or waits for a word."""
        work = self._work
        if work.running:
            self._follow_deep(line, work.id, lambda: None)
        else:
            print(words.deep_line(work))

    def _follow_deep(self, line: MagicLine, work_id: str, begin: Callable[[], None]) -> None:
        """Show it until it has ended, or waits for a word; a typed line steers it, Ctrl-C cancels it."""
        from spark_jupyter.ui.terminal import TerminalFront, TerminalView

        front = TerminalFront(self.pair.engine, TerminalView(sys.stdout), new_turn_id=new_turn_id)
        self.pair.followed = work_id
        try:
            with self.pair.trials.waiting():
                ended = front.follow_chain(DeepChain(work_id), begin)
        finally:
            self.pair.followed = ""
        self._keep_typed(front.unsent)
        if ended is None:
            print(words.deep_line(self._work), "·", words.HOW)
        elif ended.outcome == "completed" and line.options.accept:
            self._settle(ended, run=line.options.run, confirmed=line.options.yes)

    def _plan(self, cell: str) -> None:
        """``%spark deep plan`` shows the plan; with a cell's text it is that from now on."""
        if cell.strip():
            new = plan.read(cell)
            steps = tuple(f"{'[alone] ' * step.fast}{step.text}" for step in new.steps)
            self._say(EditPlan(work_id=self._work.id, steps=steps, checks=new.checks))
        print(words.plan_text(plan.Plan(self._work.steps, self._work.checks)))

    @property
    def _work(self) -> DeepWork:
        """The last one."""
        works = self.pair.engine.read(lambda session: session.deep_works)
        if not works:
            raise SessionError("There is no deep work.", remedy="Begin one: %spark deep PROMPT")
        return works[-1]
