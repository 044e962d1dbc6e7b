"""Suggestions as a person sets them: what can be configured about them, and what ``%spark suggestions`` does."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, get_args

from jupyter_core.paths import jupyter_config_path
from msgspec import structs
from traitlets import Enum, HasTraits, Unicode

from spark_jupyter.engine.provider_choice import SuggestionSource, Wish
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.completion_messages import Mode
from spark_jupyter.protocol.provider_messages import UseProvider
from spark_jupyter.providers.profile import GGUF
from spark_jupyter.providers.profiles import folder_of_models, load_profiles

if TYPE_CHECKING:
    from spark_jupyter.engine.engine import Engine

_WHEN: dict[Mode, str] = {
    "on": "Suggestions are on: they come while you type",
    "ask": "Suggestions come when you ask for one with a key",
    "off": "Suggestions are off; %spark suggestions on switches them on",
}


class SuggestionSettings(HasTraits):
    """What can be configured about suggestions, in the user's configuration or by ``%config SparkMagics``."""

    suggestions = Enum(
        list(get_args(Mode)), "on", help="Suggestions while you type: on, off, or ask: only when a key asks for one."
    ).tag(config=True)
    suggest_profile = Unicode(
        "", help="The profile of the provider that makes suggestions, where it is another one: mistral-fim, …"
    ).tag(config=True)
    suggest_base_url = Unicode("", help="Where it is served, where no profile says so.").tag(config=True)
    suggest_model = Unicode("", help="The model for suggestions, there or at the provider of the prompts.").tag(
        config=True
    )
    suggest_key_env = Unicode("", help="The environment variable of its key, where no profile names one.").tag(
        config=True
    )

    @property
    def suggestion_wish(self) -> Wish:
        """All of that."""
        by = UseProvider(
            profile=self.suggest_profile,
            base_url=self.suggest_base_url,
            model=self.suggest_model,
            key_env=self.suggest_key_env,
        )
        return Wish(mode=self.suggestions, by=by)


def change(engine: Engine, text: str, *, model_folder: str = "") -> str:
    """Change what the words behind ``%spark suggestions`` say: when they come, or who makes them. Says how it is then. A model file is
    looked up in the folder, too.

    Raises :class:`~spark_jupyter.exceptions.ConfigurationError` for a provider that nobody knows, and a file that is not there."""
    first, _, name = text.partition(" ")
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
    """A profile, or a model in a file, that is run on this machine."""
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
