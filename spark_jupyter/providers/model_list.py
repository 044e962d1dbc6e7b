"""Reader of a provider's list of models."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from spark_jupyter.providers.tolerant_json import Tolerant, loads

LLAMA_CPP = "llamacpp"
"""The owner of the models in llama.cpp's list."""
RUN_HERE = frozenset({LLAMA_CPP, "vllm", "library", "organization_owner", "spark-jupyter"})
"""The owners that llama.cpp, vLLM, Ollama, LM Studio and the embedded server name."""
HOSTED = frozenset(
    {"openai", "system", "openai-internal", "anthropic", "google", "xai", "mistralai", "deepseek", "azure"}
)
"""The owners that providers name, and proxies to them."""


class Listed(Struct, frozen=True):
    """A model as the provider lists it. ``window`` is in tokens, None where the list does not say, or says what can't be. ``infill``:
    whether it takes what is to be filled in, which only the embedded server says. ``retires`` is the day of its end (ISO 8601), empty where
    none is announced."""

    id: str
    owner: str = ""
    window: int | None = None
    infill: bool = False
    retires: str = ""


class _Meta(Struct, frozen=True):
    n_ctx: object = None


class _Model(Struct, frozen=True):
    """A model in a list. Of its window llama.cpp tells as ``meta.n_ctx``, vLLM as ``max_model_len``, Groq as ``context_window``, Anthropic
    as ``max_input_tokens``, others as ``context_length``; of its end OpenAI as ``shutdown_date``, Anthropic as ``retires_at``, Mistral as
    ``deprecation``, OpenRouter as ``expiration_date``."""

    id: str = ""
    name: str = ""
    owned_by: object = None
    meta: _Meta | None = None
    max_model_len: object = None
    context_window: object = None
    max_input_tokens: object = None
    context_length: object = None
    infill: object = None
    shutdown_date: str | None = None
    retires_at: str | None = None
    deprecation: str | None = None
    expiration_date: str | None = None

    @property
    def listed(self) -> Listed:
        meta = self.meta and self.meta.n_ctx
        told = (meta, self.max_model_len, self.context_window, self.max_input_tokens, self.context_length)
        owner = self.owned_by if isinstance(self.owned_by, str) else ""
        ends = self.shutdown_date or self.retires_at or self.deprecation or self.expiration_date or ""
        return Listed(self.id or self.name, owner, sound(*told), infill=self.infill is True, retires=ends[:10])


_model = Tolerant(_Model)


def read_models(body: bytes) -> list[Listed]:
    """The models in the form that OpenAI has made usual (``{"data": [{"id": …}]}``), or in a bare list. Raises what
    :data:`~spark_jupyter.providers.refusals.UNREADABLE` names."""
    fields = loads(body)
    if isinstance(fields, dict):
        fields = fields.get("data", fields.get("models"))
    if not isinstance(fields, list):
        raise msgspec.DecodeError("no list of models")
    models = [_model.fit({"id": each} if isinstance(each, str) else each) for each in fields]
    return [model.listed for model in models if model.id or model.name]


def sound(*told: object) -> int | None:
    """The first of these that can be a number of tokens: they come from afar."""
    return next((each for each in told if type(each) is int and 0 < each < 2**31), None)
