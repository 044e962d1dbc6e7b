"""Configuration in force: the kernel's own, below a browser's settings."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs

from spark_jupyter.engine.background_work import BackgroundWork
from spark_jupyter.engine.kernel_access import CheckpointMode, Checks
from spark_jupyter.engine.provider_choice import Choices, Wish
from spark_jupyter.policy import Policy
from spark_jupyter.protocol.deep_messages import ChooseDeep
from spark_jupyter.protocol.provider_messages import Configure, UseProvider
from spark_jupyter.protocol.values import Person
from spark_jupyter.records.records import Records
from spark_jupyter.redaction.redactor import Redactor
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.rehearsal_feed import Rehearse
from spark_jupyter.session.session import Session
from spark_jupyter.user_config import unknown_rules

NAMES = tuple(field.name for field in msgspec.structs.fields(Configure))
USUAL = Configure(rehearse="off", withhold="always", deep=ChooseDeep())
"""A kernel's configuration where nobody says anything."""


def with_the_usual(own: Configure) -> Configure:
    """A kernel's configuration, with :data:`USUAL` where it says nothing."""
    return structs.replace(USUAL, **{name: value for name in NAMES if (value := getattr(own, name)) is not None})


class Configuration:
    """Applies what is configured to the parts of an engine. ``own`` is the kernel's configuration as it begins, which is applied already.
    ``records`` are kept beside Jupyter's data. Only used on the engine's loop."""

    def __init__(
        self,
        own: Configure,
        choices: Choices,
        background: BackgroundWork,
        guard: Guard,
        copies: CopyPolicy,
        records: Records,
    ) -> None:
        self.choices = choices
        self.copies = copies
        self._own = own
        self._said = Configure()
        self._guard = guard
        self._background = background
        self.records = records
        self._apply: Mapping[str, Callable[[Any], object]] = {
            "rehearse": copies.rehearse,
            "repair": choices.routing.repair,
            "withhold": lambda when: choices.routing.trust(local=when == "remote"),
            "warn_only": self._soften,
            "checkpoints": copies.keep_checkpoints,
            "suggest": lambda by: background.source.use(by or UseProvider()),
            "deep": lambda wish: choices.choose_deep(wish or ChooseDeep()),
            "fallback": choices.fall_back_to,
            "warn_cost": lambda most: self._limit(warn=most or 0.0),
            "stop_cost": lambda most: self._limit(stop=most or 0.0),
            "person_cost": lambda most: self._limit(person=most or 0.0),
            "refine": background.refinements.switch,
            "rules": self._switch_rules,
            "conversations": self._keep_conversations,
            "refine_budget": lambda most: background.refinements.allow(most or 0.0),
        }
        """For each field of a :class:`Configure` what applies a value of it; None: as if nobody had said it."""

    def apply_own(self, news: Configure) -> None:
        """The kernel's own configuration has changed, from now on. None leaves a value as it is."""
        changed = {name: value for name in NAMES if (value := getattr(news, name)) is not None}
        for name, value in changed.items():
            self._own = structs.replace(self._own, **{name: _above(value, getattr(self._own, name))})
            self._apply[name](value)

    def apply_settings(self, settings: Configure) -> None:
        """All that the user's settings say now. What they say as before is left alone: something else may have been chosen since. Of what
        they no longer speak, the kernel's own configuration counts again."""
        before, self._said = self._said, settings
        for name in NAMES:
            said, own = getattr(settings, name), getattr(self._own, name)
            if said != getattr(before, name):
                self._apply[name](_above(said, own))

    def refuse_over_limit(self, *, costs: bool, by: Person | None) -> None:
        """Raise :class:`~spark_jupyter.exceptions.SessionError` where nothing more may be spent today and a command ``costs``."""
        if self.records.spending is not None:
            self.records.spending.refuse(costs=costs, by=by)

    def _soften(self, rules: tuple[str, ...] | None) -> None:
        self._guard.soften(rules or ())
        if rules and (error := unknown_rules(rules, said="the setting that it may only warn")) is not None:
            self.choices.report(error)

    @property
    def rules_on(self) -> bool:
        return self._background.rules_on

    def _switch_rules(self, wish: str | None) -> None:
        self._background.rules_on = wish != "off"

    def _keep_conversations(self, wish: str | None) -> None:
        self.records.conversations.on = wish != "off"

    def _limit(self, **limits: float) -> None:
        if self.records.spending is not None:
            self.records.spending.limit(**limits)


def _above(said: object, own: object) -> object:
    """The value that counts of one that is said above another one; of the choice for deep work each part for itself."""
    if isinstance(said, ChooseDeep) and isinstance(own, ChooseDeep):
        parts = {name: value for name, value in structs.asdict(said).items() if value is not None}
        return structs.replace(own, **parts)
    return own if said is None else said


class CopyPolicy:
    """When copies of the kernel are made unasked. ``rehearse`` is when new cells are run in one while they are written. Only used on the
    engine's loop."""

    def __init__(self, checks: Checks, policy: Policy, *, rehearse: Rehearse) -> None:
        self._checks = checks
        self._refused = policy.refusal("rehearsal")
        self._rehearse: Rehearse = "off"
        self.rehearse(rehearse)

    def rehearse(self, mode: Rehearse) -> None:
        """Set the mode of rehearsal, from the next turn on."""
        self._rehearse = mode if self._checks.rehearse is not None else "off"

    def keep_checkpoints(self, mode: CheckpointMode | None) -> None:
        """From the next cell on; None changes nothing."""
        if mode is not None and self._checks.set_checkpoints is not None:
            self._checks.set_checkpoints(mode)

    @functools.cached_property
    def unavailable(self) -> str:
        """Why no answer is run in a copy by itself; empty where it is. Found out once: it may take some milliseconds."""
        if self._refused is not None:
            return self._refused.message
        return self._checks.try_unavailable or (self._checks.no_rehearsal() if self._checks.no_rehearsal else "")

    def allow(self, session: Session) -> None:
        """Have the session run by itself what it may."""
        tries = self._checks.try_proposal is not None and not self._checks.try_unavailable
        session.rehearse = "off" if self.unavailable else self._rehearse
        session.try_by_itself(tries and not self.unavailable)


class Options(Struct, frozen=True, kw_only=True):
    """Options of an engine. ``own`` is the kernel's configuration, which counts again of what the settings of a browser no longer say."""

    own: Configure = Configure()
    model: str = ""
    """The model of turns; empty: the provider's."""
    effort: str | None = None
    """Reasoning effort of the model; None: as its profile says."""
    suggest: Wish = Wish()
    """Provider and mode of suggestions."""
    notebook: str = ""
    """Path of the notebook; empty where there is none."""
    model_folder: str = ""
    """Folder from which model files are listed."""
    redactor: Redactor | None = None
    policy: Policy = Policy()
    """Limits that administrators have set."""
    log_folder: Path | None = None
    """Folder in which prompts are counted and logged; None: they are not."""
    clock: Callable[[], float] = time.time
    """Unix seconds."""
