"""Profile of one provider, as in ``profiles.toml``."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.deep_messages import DeepLimits, Effort

GGUF = ".gguf"
"""File name ending of models that run on this machine."""
RECORDING = ".spark.jsonl"
"""File name ending of recordings, which are answered from like a model."""
ACP = "acp"
"""Dialect of agents: programs on this machine, spoken to over their standard input and output."""
OWN = "gguf"
"""Name of a model file's profile."""
_OTHER_FILES = (".json", ".jsonl", ".ipynb", ".py", ".csv", ".txt", ".toml", ".yaml", ".yml")
EMBEDDED = "embedded"
"""Name of the embedded server's profile."""


def is_file_name(model: str) -> bool:
    """True if a model's name is that of a file from which it is served on this machine."""
    return model.endswith((GGUF, RECORDING))


def refuse_other_file(model: str) -> None:
    """Raise ConfigurationError for a model's name that can only be meant as a file or folder, and is none that is served here."""
    if model and (model.lower().endswith(_OTHER_FILES) or not model.strip("./~\\")):
        raise ConfigurationError(
            f"{model} is no model file.", remedy=f"Give a file that ends with {GGUF} or {RECORDING}, or a model's name."
        )


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars per million tokens, as seen on a day. ``cached_input`` is for what the provider read from its cache, ``cache_write`` for
    what it put there; None: as any other input."""

    input: float
    output: float
    as_of: datetime.date
    cached_input: float | None = None
    cache_write: float | None = None


class Retirement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The day from which a model is not served, and the model that its provider recommends instead."""

    on: datetime.date
    successor: str = ""


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One place where models are served. The fields are explained at the top of ``profiles.toml``."""

    name: str
    title: str = ""
    base_url: str = ""
    url_env: str = ""
    dialect: str = "auto"
    key_env: str = ""
    key_url: str = ""
    model: str = ""
    families: tuple[str, ...] = ()
    retired: dict[str, Retirement] = {}
    images: tuple[str, ...] | None = None
    only_named: bool = False
    headers: dict[str, str] = {}
    auth: Literal["", "aws", "azure", "google"] = ""
    token_command: tuple[str, ...] = ()
    token_minutes: Annotated[float, Meta(gt=0)] = 30.0
    ca_file: str = ""
    client_cert: str = ""
    client_key: str = ""
    proxy: str = ""
    deep_model: str = ""
    deep_effort: Effort = ""
    deep_tier: str = ""
    deep_profile: str = ""
    deep_minutes: Annotated[float, Meta(gt=0, le=1440)] | None = None
    deep_tokens: Annotated[int, Meta(gt=0)] | None = None
    deep_dollars: Annotated[float, Meta(gt=0)] | None = None
    context_window: int | None = None
    max_output_tokens: int | None = None
    effort: str = ""
    tier: str = ""
    tiers: tuple[str, ...] = ()
    cache_key: bool = False
    cache_ttl: str = ""
    attempts: Annotated[int, Meta(ge=1, le=8)] = 1
    fallback: str = ""
    lanes: bool = False
    warm_up: bool = False
    interrupt: bool = False
    deflate: bool = False
    prediction: bool = False
    progress: bool = False
    background: bool = False
    windows: tuple[str, ...] = ()
    infill: bool = False
    stream_options: bool = False
    only_suggests: bool = False
    suggest_model: str = ""
    max_tokens_field: str = "max_tokens"
    lifetime: float = 3600.0
    prices: dict[str, Price] = {}
    command: tuple[str, ...] = ()
    install: str = ""
    pass_env: tuple[str, ...] = ()

    @property
    def elsewhere(self) -> Profile:
        """The same at another address than the profile's own: without its credentials."""
        return structs.replace(self, headers={}, auth="", token_command=(), client_cert="", client_key="")

    def price(self, model: str) -> Price | None:
        """Price of ``model`` here, None if not known; ``MODEL@TIER`` is a model at a tier."""
        return self.prices.get(model) or self.prices.get("*")

    @property
    def deep_limits(self) -> DeepLimits:
        """Limits of a deep work here, as far as the profile says."""
        seconds = None if self.deep_minutes is None else self.deep_minutes * 60
        return DeepLimits(seconds=seconds, tokens=self.deep_tokens, dollars=self.deep_dollars)
