"""``%spark`` and ``%%spark``: a line becomes a command. What happens then is the session's; what is shown is the fronts'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.core.error import UsageError
from IPython.core.magic import Magics, magics_class
from traitlets import Bool, Enum, Float, Unicode

from spark_jupyter.engine.link import known_profile
from spark_jupyter.exceptions import ConfigurationError, SparkError
from spark_jupyter.protocol.deep_messages import ChooseDeep
from spark_jupyter.protocol.provider_messages import Configure, SelectModel
from spark_jupyter.providers.profile import GGUF
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.ui import suggesting
from spark_jupyter.ui.asking import Asking
from spark_jupyter.ui.configuring import follow_configuration
from spark_jupyter.ui.deciding import Deciding
from spark_jupyter.ui.deepening import DeepWorks
from spark_jupyter.ui.pair import Pair
from spark_jupyter.ui.refactoring import Refactorings
from spark_jupyter.ui.shell import Failure
from spark_jupyter.ui.suggesting import SuggestionSettings
from spark_jupyter.ui.text import magic_line, words
from spark_jupyter.ui.text.magic_line import MagicLine
from spark_jupyter.ui.verbs import verb, verbs_of

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


@magics_class
class SparkMagics(Refactorings, DeepWorks, SuggestionSettings, Magics):
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
    refine = Enum(
        ["on", "off"],
        "on",
        help="Look for better texts of slow cells in idle time, and offer those that are proven on your data.",
    ).tag(config=True)
    refine_budget = Float(
        0.0, help="US dollars of a day that a model may cost for that; 0: only rules, and a model that costs nothing."
    ).tag(config=True)
    withhold = Enum(
        ["always", "remote"],
        "always",
        help="Replace credentials in prompts by placeholders: always, or only where the model is not on this machine.",
    ).tag(config=True)
    live = Bool(False, help="Whether a fix is proposed by itself after every exception: %spark live on.").tag(
        config=True
    )

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
            own=self._own,
            effort=self.effort or None,
            reality=self.reality,
            suggest=self.suggestion_wish,
        )
        self.pair.engine.configure(Configure(refine=self._own.refine, refine_budget=self.refine_budget))
        self.pair.shell.on_failure = self._failed
        follow_configuration(self, self.pair, shell.config)

    @property
    def _own(self) -> Configure:
        """What is configured here, and counts wherever a browser's settings say nothing."""
        return Configure(
            rehearse=self.rehearse,  # type: ignore[arg-type]  # one of the three
            withhold=self.withhold,  # type: ignore[arg-type]  # one of the two
            warn_only=(),
            checkpoints=self.checkpoints,  # type: ignore[arg-type]  # one of the three
            suggest=self.suggestion_wish.by,
            deep=self.deep_settings,
            fallback=self.fallback or None,
            warn_cost=self.warn_cost,
            stop_cost=self.stop_cost,
            refine=self.refine,  # type: ignore[arg-type]  # one of the two
            refine_budget=self.refine_budget,
        )

    # --- the magics ----------------------------------------------------------------------------------------------------

    def line_magic(self, line: str) -> None:
        try:
            parsed = magic_line.parse(line, VERBS)
            if parsed.verb == "prompt" and not parsed.text:
                raise ConfigurationError("%spark needs a prompt or a command.", remedy="See %spark?")
            getattr(self, f"_do_{parsed.verb}")(parsed)
        except SparkError as error:
            raise UsageError(str(error)) from None

    def cell_magic(self, line: str, cell: str) -> None:
        try:
            parsed = magic_line.parse(line, VERBS, cell=True)
            if parsed.verb in ("edit", "deep", "deepen"):
                getattr(self, f"_do_{parsed.verb}")(parsed, cell)
            else:
                text = "\n".join(part for part in (parsed.text, cell.strip("\n")) if part)
                self._ask(parsed, text)
        except SparkError as error:
            raise UsageError(str(error)) from None

    @verb(
        "say which model answers, or choose another: a NAME, or a FILE.gguf that is run here; --deep: for deep work, with --effort LEVEL",
        "word",
    )
    def _do_model(self, line: MagicLine) -> None:
        if line.options.deep:
            self._choose_deep(ChooseDeep(model=line.text or None, effort=line.options.effort))
            return
        if line.text.endswith(GGUF):
            print(self.pair.model_statement(line.text), flush=True)
            print(self.pair.run_model(line.text))
            return
        if line.text:
            self._say(SelectModel(model=line.text))
        from spark_jupyter.ui.text.status_text import model_text

        link = self.pair.engine.wait_until_connected(5)
        print(model_text(line.text or self.pair.engine.read(lambda session: session.model), link))

    @verb(
        "say which provider answers, or choose another by its profile's name: ollama, openai, …; --deep: for deep work",
        "word",
    )
    def _do_provider(self, line: MagicLine) -> None:
        if line.options.deep:
            self._choose_deep(ChooseDeep(profile=known_profile(line.text) if line.text else None))
            return
        link = self.pair.engine.wait_until_connected(5) if not line.text else None
        print(self.pair.use(line.text) if line.text else link.banner if link else "Not connected yet.")

    @verb("on, off or ask (only by a key); model NAME, provider NAME or FILE.gguf: who makes them", "suggestions")
    def _do_suggestions(self, line: MagicLine) -> None:
        print(suggesting.change(self.pair.engine, line.text, model_folder=self.model_folder))

    @verb("list the provider's models", "nothing")
    def _do_models(self, line: MagicLine) -> None:
        from spark_jupyter.ui.text.status_text import models_text

        print(models_text(self.pair.engine.models(), files=self.pair.model_files()))

    @verb("say what is connected, proposed, found and withheld", "nothing")
    def _do_status(self, line: MagicLine) -> None:
        from spark_jupyter.ui.text.meter_text import spent_text
        from spark_jupyter.ui.text.status_text import status_text

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

        from spark_jupyter.ui.widget import panel

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
        except KeyboardInterrupt:  # the interrupt was of the fix, which says so; the cell that failed has its traceback
            pass


VERBS = verbs_of(Asking, Deciding, SparkMagics, Refactorings, DeepWorks)
SparkMagics.line_magic.__doc__ = SparkMagics.cell_magic.__doc__ = magic_line.help_text(VERBS)
