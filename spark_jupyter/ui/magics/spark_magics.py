"""The settings of ``%config SparkMagics``, and the callables behind ``%spark`` and ``%%spark``.

Loaded with the extension: what needs the session is imported at the first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.core.error import UsageError
from IPython.core.magic import Magics, magics_class
from traitlets import Bool, Enum, Float, Int, Unicode

from spark_jupyter.exceptions import SparkError, limit_reached

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.ui.pair import Pair

EFFORTS = ["", "minimal", "low", "medium", "high"]


class SparkMagic:
    """The callable behind a magic. Its help is made when somebody reads it."""

    def __init__(self, pair: Callable[[], Pair]) -> None:
        self._pair = pair

    @property
    def pair(self) -> Pair:
        """The session; it is made now if it was not yet."""
        return self._pair()

    def __call__(self, line: str, cell: str | None = None) -> None:
        """Do what the line says; UsageError, which IPython shows without a traceback, says why it can't be done."""
        try:
            from spark_jupyter.ui.magics.verbs import find

            do, parsed = find(line, cell)
            do(self.pair, parsed)
        except SparkError as error:
            raise UsageError(str(error)) from None
        except (OSError, MemoryError, RuntimeError) as error:
            if (limit := limit_reached(error)) is None:
                raise
            raise UsageError(str(limit)) from None

    @property
    def __doc__(self) -> str:  # type: ignore[override]  # IPython shows it for %spark?
        from spark_jupyter.ui.magics.verbs import full_help

        return full_help()


@magics_class
class SparkMagics(Magics):
    """Settings of spark_jupyter."""

    name = Unicode("spark", help="The name of the magics. %pair and %%pair always work, too.").tag(config=True)
    wait = Bool(False, help="Wait for the end of each turn, in a notebook too.").tag(config=True)
    live = Bool(False, help="Propose a fix after every exception: %spark live on.").tag(config=True)

    profile = Unicode("", help="The provider's profile: openai, ollama, … or one of your own.").tag(config=True)
    base_url = Unicode("", help="Where the model is served, e.g. http://localhost:8000/v1.").tag(config=True)
    model = Unicode("", help="The model, where it is not the provider's default.").tag(config=True)
    model_folder = Unicode("", help="Where %spark model FILE.gguf looks for a name; or SPARK_MODELS.").tag(config=True)
    dialect = Unicode("", help="The wire format, where it can't be told: responses-websocket, chat, …").tag(config=True)
    fallback = Unicode("", help="The profile to ask where the provider can't answer.").tag(config=True)
    effort = Unicode("", help="How much a reasoning model may think: low, medium, high, …").tag(config=True)

    warn_cost = Float(0.0, help="US dollars a day above which a message says what was spent.").tag(config=True)
    stop_cost = Float(0.0, help="US dollars a day after which only free models are asked.").tag(config=True)
    person_cost = Float(0.0, help="The same for each person whom the Jupyter server knows.").tag(config=True)

    reality = Bool(True, help="Correct the model where it uses what does not exist in this kernel.").tag(config=True)
    rehearse = Enum(
        ["stream", "ready", "off"],
        "stream",
        help="Run new cells in a copy of the kernel: while they are written, which corrects what fails; when they are complete; never.",
    ).tag(config=True)
    repair = Enum(
        ["on", "off"],
        "on",
        help="Have the model repair a new cell that failed in its copy, at most twice; not with the embedded server.",
    ).tag(config=True)
    sample_rows = Int(
        0, min=0, help="Rows of each lazy frame (polars, DuckDB, Ibis, Dask) that a cell is tried with; 0: all."
    ).tag(config=True)
    checkpoints = Enum(
        ["auto", "on", "off"],
        "auto",
        help="Keep checkpoints of the kernel from before the last cells: where that costs little; before every cell; never.",
    ).tag(config=True)
    back_files = Bool(
        False, help="Have files that cells wrote below the working folder come back, too, with %spark back and undo."
    ).tag(config=True)
    refine = Enum(
        ["on", "off"],
        "on",
        help="Look for faster versions of slow cells in idle time, and offer those that are proven on your data.",
    ).tag(config=True)
    refine_budget = Float(
        0.0, help="US dollars a day that a model may cost for that; 0: only rules, and models that cost nothing."
    ).tag(config=True)
    withhold = Enum(
        ["always", "remote"],
        "always",
        help="Replace credentials in prompts by placeholders: always, or only where the model is not on this machine.",
    ).tag(config=True)

    conversations = Enum(
        ["on", "off"], "on", help="Keep conversations beside Jupyter's data, so that they can be opened again."
    ).tag(config=True)

    rules = Enum(["on", "off"], "on", help="Send the project's AGENTS.md files along with prompts.").tag(config=True)

    suggestions = Enum(
        ["on", "ask", "off"], "on", help="Suggestions while you type: on, off, or ask: only when you press a key."
    ).tag(config=True)
    suggest_profile = Unicode(
        "", help="The profile of another provider for suggestions: mistral-fim, …; empty: the same as for prompts."
    ).tag(config=True)
    suggest_base_url = Unicode("", help="Where it is served, where no profile says so.").tag(config=True)
    suggest_model = Unicode("", help="The model for suggestions, there or at the provider of the prompts.").tag(
        config=True
    )
    suggest_key_env = Unicode("", help="The environment variable of its key, where no profile names one.").tag(
        config=True
    )

    deep_model = Unicode("", help="The model for deep work; empty: the provider's default.").tag(config=True)
    deep_profile = Unicode("", help="The profile of another provider for deep work.").tag(config=True)
    deep_effort = Enum(EFFORTS, "", help="How long the model of deep work may think.").tag(config=True)
    deep_minutes = Float(
        0.0, min=0.0, max=1440.0, help="Minutes that a deep work may take; 0: as the profile says, else 15."
    ).tag(config=True)
    deep_tokens = Int(
        0, min=0, help="Tokens that a deep work may use, in and out; 0: as the profile says, else 400,000."
    ).tag(config=True)
    deep_dollars = Float(
        0.0, min=0.0, help="US dollars that a deep work may cost; 0: as the profile says, else no limit."
    ).tag(config=True)
