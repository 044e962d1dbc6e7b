"""What counts of what is configured: the kernel's own configuration, and above it what the user's settings in a browser say."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import structs

from spark_jupyter.engine.answerers import Answerers
from spark_jupyter.engine.beside import Beside
from spark_jupyter.engine.checks import Checks
from spark_jupyter.engine.copies import Copies
from spark_jupyter.engine.spending import Spending
from spark_jupyter.protocol.deep_messages import ChooseDeep
from spark_jupyter.protocol.messages import Event, Problem
from spark_jupyter.protocol.provider_messages import Configure, UseProvider
from spark_jupyter.session.guard import Guard
from spark_jupyter.user_config import unknown_rules

NAMES = tuple(field.name for field in msgspec.structs.fields(Configure))
Do = Mapping[str, Callable[[Any], object]]
"""For each field of a ``Configure`` what makes a value of it count; None: as if nobody had said
it."""


USUAL = Configure(rehearse="off", withhold="always", deep=ChooseDeep())


def with_the_usual(own: Configure) -> Configure:
    """A kernel's configuration with what counts where it says nothing."""
    return structs.replace(USUAL, **{name: value for name in NAMES if (value := getattr(own, name)) is not None})


def what_counts(
    answerers: Answerers,
    beside: Beside,
    *,
    copies: Copies,
    guard: Guard,
    checks: Checks,
    spending: Spending | None,
    spawn: Callable[[Coroutine[Any, Any, None]], object],
    send: Callable[[Sequence[Event]], object],
) -> Do:
    """What makes each part of a configuration count in an engine with these parts."""
    choices, refinements = answerers.choices, beside.refinements

    def limit(*, warn: float | None = None, stop: float | None = None) -> None:
        if spending is not None:
            spending.limit(warn=warn, stop=stop)

    def soften(rules: tuple[str, ...] | None) -> None:
        guard.soften(rules or ())
        if rules and (error := unknown_rules(rules, said="the setting that it may only warn")) is not None:
            send([Problem.of(error)])

    return {
        "rehearse": copies.use,
        "withhold": lambda when: answerers.standing.trust(local=when == "remote"),
        "warn_only": soften,
        "checkpoints": lambda mode: mode and checks.set_checkpoints and checks.set_checkpoints(mode),
        "suggest": lambda by: beside.sources.use(by or UseProvider()),
        "deep": lambda wish: spawn(choices.take(wish or ChooseDeep())),
        "fallback": lambda profile: spawn(choices.fall_back_to(profile)),
        "warn_cost": lambda most: limit(warn=most or 0.0),
        "stop_cost": lambda most: limit(stop=most or 0.0),
        "refine": lambda mode: refinements.configure(Configure(refine=mode)),
        "refine_budget": lambda most: refinements.configure(Configure(refine_budget=most or 0.0)),
    }


class Configuring:
    """Has it count. ``own`` is the kernel's configuration as it begins, which counts already. Only used on the engine's loop."""

    def __init__(self, own: Configure, do: Do) -> None:
        self._own = own
        self._said = Configure()
        self._do = do

    def own_says(self, news: Configure) -> None:
        """The kernel's own configuration has changed: that counts from now on. None: as it is."""
        changed = {name: value for name in NAMES if (value := getattr(news, name)) is not None}
        for name, value in changed.items():
            new = _above(value, getattr(self._own, name))
            self._own = structs.replace(self._own, **{name: new})
            self._do[name](value)

    def settings_say(self, wish: Configure) -> None:
        """All that the user's settings say now. What they say as before is left alone: something else may have been chosen since. Of what
        they no longer speak, the kernel's own configuration counts again."""
        before, self._said = self._said, wish
        for name in NAMES:
            said, own = getattr(wish, name), getattr(self._own, name)
            if said != getattr(before, name):
                self._do[name](_above(said, own))


def _above(said: object, own: object) -> object:
    """What counts of a value that is said above another one; of who does deep work each part for itself."""
    if isinstance(said, ChooseDeep) and isinstance(own, ChooseDeep):
        parts = {name: value for name, value in structs.asdict(said).items() if value is not None}
        return structs.replace(own, **parts)
    return own if said is None else said
