"""Policy of a hub or a school, read from Jupyter's configuration.

``spark_jupyter/policy.toml`` in any of its folders counts, and the server's ``c.SparkPolicy.rules``. Of several each counts: one can
forbid, and never allow what another one forbids. The system's folders are read whatever the environment says. A file that can't be read,
or that says something unknown, forbids all that a policy can forbid.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from spark_jupyter.config_files import config_text
from spark_jupyter.exceptions import PolicyError, SparkError, why_unread
from spark_jupyter.protocol.constants import MOST_HINTS
from spark_jupyter.protocol.provider_messages import PolicyInfo
from spark_jupyter.protocol.values import PromptPolicy
from spark_jupyter.providers.addresses import base_url, is_loopback, key_address
from spark_jupyter.providers.profile import EMBEDDED, OWN, Profile
from spark_jupyter.typed_decoders import convert

FILE_NAME = "policy.toml"
VARIABLE = "SPARK_POLICY"
"""Rules as JSON: the server hands those of its configuration on to its kernels."""
_OF_SERVER = Path("c.SparkPolicy.rules")
_OF_SYSTEM = (
    "/usr/local/etc/jupyter",
    "/etc/jupyter",
    "/etc/xdg/jupyter",
    "/Library/Application Support/Jupyter",
)
Switch = Literal["agents", "auto_run", "rehearsal", "images", "attempts", "deep", "suggestions"]
SAID: Mapping[Switch, str] = {
    "agents": "Agents are",
    "auto_run": "Running cells without asking is",
    "rehearsal": "Trying cells unasked is",
    "images": "Images for models are",
    "attempts": "Several attempts are",
    "deep": "Deep work is",
    "suggestions": "Suggestions while you type are",
}


class Rules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules of one file. None: the file does not limit it. ``providers`` are names of profiles, ``models`` patterns such as ``gpt-5*``.
    ``daily_budget`` is in US dollars for a user and day. ``hints`` is the furthest step of a hint; ``offline`` allows recordings and
    recipes alone; where ``course_keys`` are given, only notebooks that one of them has signed get answers.
    ``prompt_limit`` is the number of prompts of a person in a notebook; ``log_prompts``: their text is kept. ``decided_by`` is named
    wherever something is refused."""

    decided_by: str = "the administrators of this Jupyter"
    providers: tuple[str, ...] | None = None
    base_urls: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    agents: bool = True
    auto_run: bool = True
    rehearsal: bool = True
    images: bool = True
    attempts: bool = True
    deep: bool = True
    suggestions: bool = True
    prompts: PromptPolicy = "on"
    hints: Annotated[int, Meta(ge=1, le=MOST_HINTS)] = MOST_HINTS
    offline: bool = False
    prompt_limit: Annotated[int, Meta(ge=1)] | None = None
    log_prompts: bool = False
    course_keys: tuple[str, ...] | None = None
    daily_budget: Annotated[float, Meta(ge=0)] | None = None
    conversation_days: Annotated[float, Meta(ge=0)] | None = None

    def allows_model(self, model: str) -> bool:
        return self.models is None or any(fnmatchcase(model, pattern) for pattern in self.models)


FORBIDS_ALL = Rules(
    providers=(),
    models=(),
    agents=False,
    auto_run=False,
    rehearsal=False,
    images=False,
    attempts=False,
    deep=False,
    suggestions=False,
    prompts="off",
    daily_budget=0,
)
"""Conversations stay: a misspelt word is no reason to delete them."""


class RuleFile(Struct, frozen=True, kw_only=True):
    """A file with its rules. ``places`` are the base URLs that they allow, those of the named providers included. ``fault`` says why they
    could not be read; then they forbid all."""

    path: Path
    rules: Rules
    places: tuple[str, ...] = ()
    fault: str = ""

    def allows_place(self, name: str, url: str, dialect: str) -> bool:
        """True if requests may go to ``url``, the address of the profile ``name``."""
        rules = self.rules
        if rules.providers is None and rules.base_urls is None:
            return True
        if name in (EMBEDDED, OWN):
            return name in (rules.providers or ()) and (not url or is_loopback(url))
        address = key_address(base_url(url, dialect)) if url else ""
        return any(key_address(base_url(place, dialect)) == address for place in self.places)

    def refusal(self, what: str) -> PolicyError:
        """Error that says what is not allowed, who decided that, and whom to ask."""
        if self.fault:
            return PolicyError(f"{what} not allowed: {self.fault}", remedy=f"Ask {self.rules.decided_by}.")
        if self.path.suffix == ".ipynb":
            return PolicyError(f"{what} not allowed by {self.rules.decided_by}.", remedy="This notebook says so.")
        return PolicyError(
            f"{what} not allowed by {self.rules.decided_by}.", remedy=f"Ask them. Their policy is {self.path}."
        )


class Policy(Struct, frozen=True):
    """What all files together allow. Without a file: everything."""

    files: tuple[RuleFile, ...] = ()

    def refusal(self, switch: Switch) -> PolicyError | None:
        """The error for a feature that is switched off; None where it is allowed."""
        return self._first(SAID[switch], lambda file: getattr(file.rules, switch))

    def refuse(self, switch: Switch) -> None:
        """Raise :class:`PolicyError` for what is switched off."""
        _raise(self.refusal(switch))

    @property
    def prompts_refusal(self) -> PolicyError | None:
        """Error of a prompt where none is allowed."""
        return self._first("Prompts are", lambda file: file.rules.prompts != "off")

    @property
    def hints_only(self) -> bool:
        """True if prompts may give hints alone."""
        return any(file.rules.prompts == "hints" for file in self.files)

    @property
    def prompt_limit(self) -> int | None:
        """Prompts that a person may send in a notebook; None: any number."""
        return min(
            (file.rules.prompt_limit for file in self.files if file.rules.prompt_limit is not None), default=None
        )

    @property
    def prompt_reader(self) -> str:
        """Who reads the log of prompts; empty where none is kept."""
        return next((file.rules.decided_by for file in self.files if file.rules.log_prompts), "")

    @property
    def course_keys(self) -> frozenset[str] | None:
        """Public keys, one of which must have signed a notebook; None: it need not be signed."""
        named = [frozenset(file.rules.course_keys) for file in self.files if file.rules.course_keys is not None]
        return frozenset.intersection(*named) if named else None

    def refuse_link(self, model: str, *, offline: bool, agent: bool) -> None:
        """Raise :class:`PolicyError` for a request to a provider or a model that is not allowed."""
        if agent:
            self.refuse("agents")
        if not offline:
            _raise(self._first("Models are", lambda file: not file.rules.offline))
            self.refuse_model(model)

    def refuse_place(self, name: str, url: str, dialect: str) -> None:
        """Raise :class:`PolicyError` where requests may not go to this address of a profile."""
        _raise(self._first(f"The provider {name} is", lambda file: file.allows_place(name, url, dialect)))

    def refuse_model(self, model: str) -> None:
        """Raise :class:`PolicyError` for a model that no pattern allows."""
        what = f"The model {model} is" if model else "A model without a name is"
        _raise(self._first(what, lambda file: file.rules.allows_model(model)))

    def refuse_agent(self, name: str) -> None:
        """Raise :class:`PolicyError` where agents are off, or providers, models or costs are limited: which model an agent asks, where and
        at what price, is its own."""
        self.refuse("agents")
        self.refuse_place(name, "", "chat")
        self.refuse_model("")
        what = "Agents, whose cost is not known here, are"
        _raise(self._first(what, lambda file: file.rules.daily_budget is None))

    def allows(self, profile: Profile, environ: Mapping[str, str]) -> bool:
        """True if a profile may be chosen."""
        url = environ.get(profile.url_env, "") or profile.base_url
        return all(file.allows_place(profile.name, url, profile.dialect) for file in self.files)

    @property
    def allows_model_files(self) -> bool:
        return self.allows(Profile(name=OWN), {})

    def allows_model(self, model: str) -> bool:
        return all(file.rules.allows_model(model) for file in self.files)

    def usual_model(self, model: str) -> str:
        """The model where nobody names one: ``model`` where that is allowed, else the first that is allowed by its whole name."""
        if self.allows_model(model):
            return model
        named = (each for file in self.files for each in file.rules.models or () if not set(each) & set("*?["))
        return next(filter(self.allows_model, named), model)

    def trusted_profiles(self) -> dict[str, Profile]:
        """The profiles of the package and of the administrators, without a user's own."""
        return _trusted_profiles(self.files[0].path) if self.files else {}

    def marked(self, profiles: Mapping[str, Profile], environ: Mapping[str, str]) -> dict[str, Profile]:
        """The profiles; those that are not allowed are marked, and never chosen by themselves."""
        return {
            name: profile if self.allows(profile, environ) else structs.replace(profile, only_named=True)
            for name, profile in profiles.items()
        }

    @property
    def info(self) -> PolicyInfo:
        refused: dict[str, PolicyError | None] = {switch: self.refusal(switch) for switch in SAID}
        refused["prompts"] = self.prompts_refusal
        return PolicyInfo(off={name: str(error) for name, error in refused.items() if error}, lines=self.lines)

    @property
    def allows_images(self) -> bool:
        return self.refusal("images") is None

    @property
    def limits_requests(self) -> bool:
        """True if a request can be refused, or is changed."""
        models = any(file.rules.models is not None for file in self.files)
        return models or not self.allows_images or self.daily_budget is not None

    @property
    def daily_budget(self) -> float | None:
        """US dollars that a user may spend in a day; None: no limit."""
        return _least(file.rules.daily_budget for file in self.files)

    @property
    def conversation_days(self) -> float | None:
        """Days for which conversations are kept; None: no limit, 0: none are kept."""
        return _least(file.rules.conversation_days for file in self.files)

    def refuse_spending(self, spent: float) -> None:
        """Raise :class:`PolicyError` where nothing more that costs may be asked today, after so many US dollars."""
        for file in self.files:
            limit = file.rules.daily_budget
            if limit is not None and spent >= limit:
                raise PolicyError(
                    f"The budget of ${limit:.2f} a day, set by {file.rules.decided_by}, is used up: ${spent:.2f} were spent.",
                    remedy="Wait until tomorrow, or choose a free model with %spark model.",
                )

    @property
    def lines(self) -> tuple[str, ...]:
        """Everything that is limited, a line for each file."""
        return tuple(f"{_summary(file)} ({file.rules.decided_by}, {file.path})" for file in self.files)

    def _first(self, what: str, allows: Callable[[RuleFile], bool]) -> PolicyError | None:
        return next((file.refusal(what) for file in self.files if not allows(file)), None)


def load_policy() -> Policy:
    """The policy in force. Raises nothing: a file that can't be read forbids all."""
    folders = map(Path, (*_system_folders(), *_user_folders()))
    files = [_read(folder / "spark_jupyter" / FILE_NAME) for folder in folders]
    if text := os.environ.get(VARIABLE):
        files.append(_rule_file(_OF_SERVER, json.loads, text))
    return Policy(tuple({file.path: file for file in files if file is not None}.values()))


def _system_folders() -> list[str]:
    """The configuration folders of the system and of this Python. No environment variable can remove them, though Jupyter lets
    ``XDG_CONFIG_DIRS`` do so."""
    from jupyter_core.paths import ENV_CONFIG_PATH, SYSTEM_CONFIG_PATH, use_platform_dirs

    chosen = os.name == "posix" and use_platform_dirs()
    return [*(_OF_SYSTEM if chosen else SYSTEM_CONFIG_PATH), *ENV_CONFIG_PATH]


def _user_folders() -> list[str]:
    from jupyter_core.paths import jupyter_config_path

    return jupyter_config_path()


def _read(path: Path) -> RuleFile | None:
    try:
        text = config_text(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        return _unreadable(path, error)
    return _rule_file(path, tomllib.loads, text)


def _rule_file(path: Path, parse: Callable[[str], object], text: str) -> RuleFile:
    try:
        rules = convert(parse(text), Rules)
        places = [base_url(url, "chat") for url in rules.base_urls or ()]
        if rules.providers:
            trusted = _trusted_profiles(path)
            places += [trusted[name].base_url for name in rules.providers if name in trusted]
    except (OSError, ValueError, SparkError) as error:
        return _unreadable(path, error)
    return RuleFile(path=path, rules=rules, places=tuple(filter(None, places)))


def _unreadable(path: Path, error: Exception) -> RuleFile:
    fault = f"the policy {path} can't be read ({why_unread(error)}), so it forbids everything."
    return RuleFile(path=path, rules=FORBIDS_ALL, fault=fault)


def _trusted_profiles(policy: Path) -> dict[str, Profile]:
    """The profiles of the package, of the system and beside a policy. A user's own are left out: they could give an allowed name another
    address, or a model another price."""
    from spark_jupyter.providers.profiles import load_profiles

    beside = [policy.parent.parent] if policy.is_absolute() else []
    return load_profiles([*_system_folders(), *beside], with_plugins=False)


def _raise(error: PolicyError | None) -> None:
    if error is not None:
        raise error


def _least(limits: Iterable[float | None]) -> float | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _summary(file: RuleFile) -> str:
    if file.fault:
        can_be_read = file.rules.providers is None
        return f"no prompts: {file.fault}" if can_be_read else "everything is forbidden: the file can't be read"
    rules = file.rules
    off = ", ".join(switch.replace("_", "-") for switch in SAID if not getattr(rules, switch))
    lists = {"providers": rules.providers, "addresses": rules.base_urls, "models": rules.models}
    only = [f"{name}: {', '.join(values) or 'none'}" for name, values in lists.items() if values is not None]
    budget = [] if rules.daily_budget is None else [f"${rules.daily_budget:.2f} a day"]
    kept = [] if rules.conversation_days is None else [f"conversations: {rules.conversation_days:g} days"]
    prompts = (
        []
        if rules.prompts == "on"
        else [{"hints": f"hints only, {rules.hints} steps", "off": "no prompts"}[rules.prompts]]
    )
    prompts += [] if rules.prompt_limit is None else [f"{rules.prompt_limit} prompts for each notebook"]
    prompts += ["prompts are logged"] * rules.log_prompts
    prompts += ["recordings and recipes only"] * rules.offline
    prompts += ["signed notebooks only"] * (rules.course_keys is not None)
    said = [*prompts, *([f"not allowed: {off}"] if off else []), *only, *budget, *kept]
    return "; ".join(said) or "nothing is limited"
