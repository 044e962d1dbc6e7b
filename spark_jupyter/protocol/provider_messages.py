"""Messages about providers, models and settings."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from spark_jupyter.protocol.deep_messages import ChooseDeep
from spark_jupyter.protocol.values import ModelInfo, Person, Serving


class SelectModel(Struct, frozen=True, kw_only=True, tag=True):
    """Use this model from the next turn on, at this ``tier``; None: as its profile says. An agent then works in this ``mode``; None: in
    the same as before."""

    model: str
    tier: str | None = None
    mode: str | None = None


class ListModels(Struct, frozen=True, kw_only=True, tag=True):
    """Ask for the provider's own list of models; answered by :class:`Models`."""


class ListMentions(Struct, frozen=True, kw_only=True, tag=True):
    """Ask what may follow an ``@`` in a prompt after ``prefix``; answered by :class:`Mentions`, to this client only."""

    prefix: Annotated[str, Meta(max_length=300)]


class ListIdeas(Struct, frozen=True, kw_only=True, tag=True):
    """Ask for suggested prompts; answered by :class:`Ideas`."""


class ListProviders(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Ask which providers can be chosen; answered by :class:`Providers`. ``model_folder`` is where the user's settings say that model
    files are; empty: where the kernel's own configuration says."""

    model_folder: Annotated[str, Meta(max_length=1000)] = ""


class DownloadModel(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Download a model of the catalogue to where the kernel is, or ``stop`` that; answered by :class:`ModelDownload`. ``model_folder`` is
    as in :class:`ListProviders`."""

    name: Annotated[str, Meta(max_length=100)]
    stop: bool = False
    model_folder: Annotated[str, Meta(max_length=1000)] = ""


class UseProvider(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Let another provider answer from now on, or with ``only_test`` find out whether it would; answered by :class:`ProviderAnswered`.

    ``profile`` names a place, or ``base_url`` does. The key is what the environment variable ``key_env`` holds, or ``key``, which is kept
    for that place and stands in no answer. Without both it is the profile's own, or the kept one. ``own``: none of this, but who the
    kernel's own configuration names. ``saved``: settings for all notebooks say so, which gives way to the environment."""

    profile: Annotated[str, Meta(max_length=100)] = ""
    base_url: Annotated[str, Meta(max_length=1000)] = ""
    model: Annotated[str, Meta(max_length=300)] = ""
    key_env: Annotated[str, Meta(pattern=r"^([A-Za-z_][A-Za-z0-9_]{0,99})?$")] = ""
    key: Annotated[str, Meta(max_length=4000)] = ""
    only_test: bool = False
    own: bool = False
    saved: bool = False


class SetOwnKey(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Have the person's own prompts use their own ``key`` at the provider in use; empty: the kernel's again; None: only ask. Answered by
    :class:`OwnKeyChanged`, to this client only. The kernel writes ``by``."""

    key: Annotated[str, Meta(max_length=4000)] | None = None
    by: Person | None = None


class OwnKeyChanged(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Whether a key of the person's own is ``kept`` for the provider in use, and a sentence about that."""

    kept: bool
    message: str


class Configure(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """The user's settings, from the next turn on. ``rehearse``: when new cells run in a copy. ``repair``: whether new cells that failed
    there are repaired unasked. ``withhold``: whether credentials are kept from a model on this machine, too. ``warn_only``: rules of the
    guardrail that may no longer block; "all" stands for every rule. ``checkpoints``: whether a copy of the kernel is kept from before
    each cell, from the next cell on. ``suggest``: which provider, or which model, makes suggestions; an empty one: that of the prompts.
    ``deep``: who does deep work, and what it may use. ``fallback``: the profile that is asked where the provider can't answer; empty:
    none. ``warn_cost`` and ``stop_cost``: US dollars of a day from which on that is said, and nothing more is asked that costs; 0: no
    limit; ``person_cost``: the same as ``stop_cost`` for each person whom the server knows. ``refine``: whether better texts of slow
    cells are looked for in idle time; ``refine_budget``: US dollars of a day that a model may cost for it, 0: only one that costs nothing
    is asked. ``conversations``: whether they are kept. ``rules``: whether the project's rules go along with prompts.
    None: the settings do not speak of it, so the kernel's own configuration counts."""

    rehearse: Literal["stream", "ready", "off"] | None = None
    repair: Literal["on", "off"] | None = None
    withhold: Literal["always", "remote"] | None = None
    warn_only: tuple[str, ...] | None = None
    checkpoints: Literal["auto", "on", "off"] | None = None
    suggest: UseProvider | None = None
    deep: ChooseDeep | None = None
    fallback: Annotated[str, Meta(max_length=100)] | None = None
    warn_cost: Annotated[float, Meta(ge=0)] | None = None
    stop_cost: Annotated[float, Meta(ge=0)] | None = None
    person_cost: Annotated[float, Meta(ge=0)] | None = None
    refine: Literal["on", "off"] | None = None
    refine_budget: Annotated[float, Meta(ge=0)] | None = None
    conversations: Literal["on", "off"] | None = None
    rules: Literal["on", "off"] | None = None


class PolicyInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Limits that administrators or a teacher have set. ``off`` has a sentence for each of ``prompts``, ``agents``, ``auto_run``,
    ``rehearsal``, ``images``, ``attempts``, ``deep`` and ``suggestions`` that is switched off; ``lines`` describe all limits.
    ``prompts_left`` of ``prompt_limit`` are what the client's person may still send; None: any number. ``logged_by`` names who reads the
    log of prompts; empty where none is kept."""

    off: dict[str, str] = {}
    lines: tuple[str, ...] = ()
    prompt_limit: int | None = None
    prompts_left: int | None = None
    logged_by: str = ""


class CheckImages(Struct, frozen=True, tag=True):
    """Ask whether images can go along with a prompt."""


class AllowImages(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """A person's word on whether images may go to the provider in use; it is kept."""

    allowed: bool = True


class ImageSupport(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Whether the model in use ``reads`` images, and whether a person ``agreed`` that its provider gets them. ``input_price`` is in US
    dollars per million tokens, None where not known. ``refused`` says in a sentence why no image may go to any provider."""

    provider: str
    model: str
    reads: Literal["yes", "no", "untested"]
    agreed: bool = False
    input_price: float | None = None
    refused: str = ""


class Mentions(Struct, frozen=True, kw_only=True, tag=True):
    """Completions after an ``@`` and ``prefix``, the likeliest first."""

    prefix: str
    items: tuple[str, ...]


class Ideas(Struct, frozen=True, kw_only=True, tag=True):
    """Suggested prompts that fit the kernel's variables and the files beside the notebook."""

    prompts: tuple[str, ...]


class ProviderInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Provider that can be chosen. ``has_key``: its environment variable ``key_env`` is set; ``keeps_key``: a pasted key is kept;
    ``signs_in``: without a key the user's login at its cloud counts.
    ``key_url``: the page where a key is created."""

    name: str
    title: str = ""
    base_url: str = ""
    model: str = ""
    key_env: str = ""
    key_url: str = ""
    has_key: bool = False
    keeps_key: bool = False
    signs_in: bool = False


class ModelOffer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Model that can be downloaded. ``gigabytes`` on the disk, ``memory`` in gigabytes, ``context`` in tokens; about all three. ``path`` is
    its file, once it is there. ``fits``: the largest one for which there is memory."""

    name: str
    title: str
    gigabytes: float
    memory: float
    context: int
    licence: str
    good_for: str
    fills_in: bool = False
    path: str = ""
    fits: bool = False


class ModelDownload(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Progress of a download, in ``gigabytes``. It has ended where it is ``done``, stopped, or there is a ``problem``."""

    name: str
    gigabytes: float = 0.0
    done: bool = False
    stopped: bool = False
    problem: str = ""


class Providers(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """The providers that can be chosen, the paths of the model files that can run here, and ``offers``: models to download."""

    providers: tuple[ProviderInfo, ...]
    files: tuple[str, ...] = ()
    offers: tuple[ModelOffer, ...] = ()


class ProviderAnswered(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Result of a test of a provider, in a sentence; ``models`` are the first that it lists."""

    ok: bool
    message: str
    only_test: bool = False
    models: tuple[str, ...] = ()


class Models(Struct, frozen=True, kw_only=True, tag=True):
    """The provider's own list of models, and the one in use with its tier."""

    models: tuple[ModelInfo, ...]
    selected: str
    serving: Serving = Serving()
