"""What ``%config SparkMagics`` changes while Spark is loaded: most of it counts at once, the rest when it is loaded anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import structs

from spark_jupyter.engine.provider_choice import SuggestionSource
from spark_jupyter.protocol.completion_messages import Mode
from spark_jupyter.protocol.deep_messages import ChooseDeep
from spark_jupyter.protocol.provider_messages import Configure

if TYPE_CHECKING:
    from traitlets.config import Config

    from spark_jupyter.ui.deepening import DeepWorks
    from spark_jupyter.ui.pair import Pair

_WHEN_LOADED = ["name", "profile", "base_url", "model", "model_folder", "dialect", "reality"]


def follow_configuration(magics: DeepWorks, pair: Pair, config: Config) -> None:
    """Have what is configured from now on count. What is read only when Spark loads is put into ``config`` for then, and that is said."""
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
        print(f"{name} counts after %reload_ext spark_jupyter, which ends this session.")

    on(["effort"], lambda name, effort: engine.set_effort(effort or None))
    as_it_is = ["rehearse", "checkpoints", "withhold", "warn_cost", "stop_cost", "fallback", "refine", "refine_budget"]
    on(as_it_is, lambda name, value: engine.configure(Configure(**{name: value})))
    on(["suggestions"], suggest)
    on(["suggest_profile", "suggest_base_url", "suggest_model", "suggest_key_env"], suggest_by)
    on(
        ["deep_model", "deep_profile", "deep_effort"],
        lambda name, value: engine.configure(Configure(deep=ChooseDeep(**{name.removeprefix("deep_"): value}))),
    )
    on(
        ["deep_minutes", "deep_tokens", "deep_dollars"],
        lambda name, value: engine.configure(Configure(deep=ChooseDeep(budget=magics.deep_budget))),
    )
    on(_WHEN_LOADED, keep)
