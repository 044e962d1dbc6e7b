"""The verbs ``%spark suggestions`` and ``%spark draft``: what comes while somebody types."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, get_args

from msgspec import structs

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.completion_messages import Mode
from spark_jupyter.protocol.draft_messages import SwitchDrafts
from spark_jupyter.protocol.provider_messages import UseProvider
from spark_jupyter.providers.profile import GGUF, refuse_other_file
from spark_jupyter.ui.magics.verb_table import verb

if TYPE_CHECKING:
    from spark_jupyter.engine.engine import Engine
    from spark_jupyter.engine.provider_choice import SuggestionSource
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine

_WHEN: dict[Mode, str] = {
    "on": "Suggestions are on: they come while you type",
    "ask": "Suggestions come when you press a key for one",
    "off": "Suggestions are off. Switch them on: %spark suggestions on",
}


@verb(
    "on, off or ask (only when you press a key); or who makes them: model NAME, provider NAME, FILE.gguf", "suggestions"
)
def suggestions(pair: Pair, line: MagicLine) -> None:
    """Change suggestions, and say how they are set."""
    print(change(pair.engine, line.text, model_folder=pair.model_folder))


@verb(
    "on: draft the code for what you type, for at most so many US dollars a day; off: stop",
    "budget",
)
def draft(pair: Pair, line: MagicLine) -> None:
    """Switch draft mode, and say how it is."""
    word, _, sum_ = line.text.partition(" ")
    budget = float(sum_.strip(" $")) if sum_ else None
    mode = pair.engine.drafts(SwitchDrafts(on=word == "on", budget=budget) if word else None)
    if not mode.on:
        print("Draft mode is off. Switch it on: %spark draft on")
        return
    typed = "comments and %spark prompts" if pair.shell.kernel is None else "Markdown and comments"
    print(
        f"Draft mode is on: the code for what you type in {typed} stands below it. "
        f"A provider that costs is asked for at most ${mode.budget:.2f} a day. "
        f"Today: {mode.requests} requests, ${mode.spent:.2f}."
    )


def change(engine: Engine, text: str, *, model_folder: str = "") -> str:
    """Apply the words behind ``%spark suggestions``; returns a sentence that says how suggestions are set now.

    A model file is also looked up in ``model_folder``. Raises :class:`~spark_jupyter.exceptions.ConfigurationError` for an unknown
    provider or a missing file.
    """
    first, _, name = text.partition(" ")
    if first == "model":
        refuse_other_file(name.strip())
    by = _maker(name.strip(), model_folder) if first == "provider" or name.strip().endswith(GGUF) else None

    def here(sources: SuggestionSource) -> str:
        if first in get_args(Mode):
            sources.mode = first  # type: ignore[assignment]  # one of the three
        elif by is not None:
            sources.use(by)
        elif first == "model":
            sources.use(structs.replace(sources.by, model=name.strip()))
        said = _WHEN[sources.mode]
        return f"{said}." if sources.mode == "off" else f"{said}, from {sources.words}."

    return engine.suggest(here)


def _maker(name: str, model_folder: str) -> UseProvider:
    """A profile, or a model file that runs on this machine."""
    from jupyter_core.paths import jupyter_config_path

    from spark_jupyter.providers.profiles import folder_of_models, load_profiles

    if name.endswith(GGUF):
        from spark_jupyter.connection.discovery import model_file

        file = model_file(name, folder_of_models(model_folder, os.environ))
        if not file.is_file():
            raise ConfigurationError(
                f"There is no file {name}.", remedy="Give its path, or its name in your folder of models."
            )
        return UseProvider(model=str(file))
    known = load_profiles(jupyter_config_path()) if name else {}
    if name and name not in known:
        raise ConfigurationError(
            f"There is no profile {name!r}.", remedy=f"Give the path of a {GGUF} file, or one of: {', '.join(known)}."
        )
    return UseProvider(profile=name)
