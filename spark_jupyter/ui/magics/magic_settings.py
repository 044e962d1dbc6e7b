"""Settings of ``%config SparkMagics``, and the session that they start."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import structs

from spark_jupyter.engine.provider_choice import SuggestionSource, Wish
from spark_jupyter.protocol.completion_messages import Mode
from spark_jupyter.protocol.deep_messages import ChooseDeep, DeepLimits
from spark_jupyter.protocol.provider_messages import Configure, UseProvider
from spark_jupyter.providers.profiles import CONFIGURED, Settings
from spark_jupyter.ui.magics.turn_verbs import note_failure
from spark_jupyter.ui.pair import Pair

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    from spark_jupyter.ui.magics.spark_magics import SparkMagics

_AS_IT_IS = tuple(
    "rehearse repair withhold checkpoints warn_cost stop_cost person_cost refine refine_budget conversations rules".split()
)
"""Settings that are fields of :class:`Configure`, too."""
_WHEN_LOADED = ["name", "profile", "base_url", "model", "model_folder", "dialect", "reality"]


def start_pair(magics: SparkMagics, shell: InteractiveShell) -> Pair:
    """Start a session with these settings, which later changes of them reach."""
    own = _kernel_settings(magics)
    pair = Pair(
        shell,
        settings=_provider_settings(magics),
        own=own,
        effort=magics.effort or None,
        reality=magics.reality,
        suggest=_suggestion_wish(magics),
    )
    pair.preferences = magics
    pair.trials.sample_rows = magics.sample_rows
    _keep_files(pair, magics.back_files)
    pair.engine.configure(Configure(refine=own.refine, refine_budget=own.refine_budget))
    pair.shell.on_failure = lambda failure: note_failure(pair, failure)
    _follow_settings(magics, pair, shell.config)
    return pair


def _keep_files(pair: Pair, wanted: bool) -> None:
    pair.checkpoints.keep_files(str(pair.folder) if wanted else "")


def _provider_settings(magics: SparkMagics) -> Settings:
    return Settings(
        profile=magics.profile,
        base_url=magics.base_url,
        model=magics.model,
        dialect=magics.dialect,
        model_folder=magics.model_folder,
        fallback=magics.fallback,
        source=CONFIGURED,
    )


def _suggestion_wish(magics: SparkMagics) -> Wish:
    """When suggestions come, and who makes them."""
    by = UseProvider(
        profile=magics.suggest_profile,
        base_url=magics.suggest_base_url,
        model=magics.suggest_model,
        key_env=magics.suggest_key_env,
    )
    return Wish(mode=magics.suggestions, by=by)  # type: ignore[arg-type]  # one of the three


def _kernel_settings(magics: SparkMagics) -> Configure:
    """The kernel's settings, which count wherever a browser's settings are silent."""
    return Configure(
        **{name: getattr(magics, name) for name in _AS_IT_IS},
        warn_only=(),
        suggest=_suggestion_wish(magics).by,
        deep=ChooseDeep(
            model=magics.deep_model,
            profile=magics.deep_profile,
            effort=magics.deep_effort,  # type: ignore[arg-type]  # one of the five
            budget=_deep_budget(magics),
        ),
        fallback=magics.fallback or None,
    )


def _deep_budget(magics: SparkMagics) -> DeepLimits:
    return DeepLimits(
        seconds=magics.deep_minutes * 60 or None,
        tokens=magics.deep_tokens or None,
        dollars=magics.deep_dollars or None,
    )


def _follow_settings(magics: SparkMagics, pair: Pair, config: Config) -> None:
    """Apply each change from now on. A setting that is read only at ``%load_ext`` is stored in ``config``, and a sentence says so."""
    engine = pair.engine

    def on(names: list[str], do: Callable[[str, Any], object]) -> None:
        magics.observe(lambda change: do(change.name, change.new), names)

    def suggest(name: str, mode: Mode) -> None:
        def switch(sources: SuggestionSource) -> None:
            sources.mode = mode

        engine.suggest(switch)

    def suggest_by(name: str, value: str) -> None:
        changed = {name.removeprefix("suggest_"): value}
        engine.configure(Configure(suggest=engine.suggest(lambda sources: structs.replace(sources.by, **changed))))

    def keep(name: str, value: object) -> None:
        config.SparkMagics[name] = value
        print(f"{name} takes effect after %reload_ext spark_jupyter, which ends this session.")

    on(["back_files"], lambda name, back: _keep_files(pair, back))
    on(["sample_rows"], lambda name, rows: setattr(pair.trials, name, rows))
    on(["effort"], lambda name, effort: engine.set_effort(effort or None))
    on([*_AS_IT_IS, "fallback"], lambda name, value: engine.configure(Configure(**{name: value})))
    on(["suggestions"], suggest)
    on(["suggest_profile", "suggest_base_url", "suggest_model", "suggest_key_env"], suggest_by)
    on(
        ["deep_model", "deep_profile", "deep_effort"],
        lambda name, value: engine.configure(Configure(deep=ChooseDeep(**{name.removeprefix("deep_"): value}))),
    )
    on(
        ["deep_minutes", "deep_tokens", "deep_dollars"],
        lambda name, value: engine.configure(Configure(deep=ChooseDeep(budget=_deep_budget(magics)))),
    )
    on(_WHEN_LOADED, keep)
