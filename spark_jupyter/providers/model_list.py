"""Reader of a provider's list of models."""

from __future__ import annotations

import itertools

import msgspec
from msgspec import Struct

from spark_jupyter.providers.tolerant_json import Tolerant, loads

LLAMA_CPP = "llamacpp"
"""The owner of the models in llama.cpp's list."""
EMBEDDED = "spark-jupyter"
"""The owner of the models in the embedded server's list, which read no images."""
RUN_HERE = frozenset({LLAMA_CPP, "vllm", "library", "organization_owner", EMBEDDED})
"""The owners that llama.cpp, vLLM, Ollama, LM Studio and the embedded server name."""
HOSTED = frozenset(
    {"openai", "system", "openai-internal", "anthropic", "google", "xai", "mistralai", "deepseek", "azure"}
)
"""The owners that providers name, and proxies to them."""

_VISION = frozenset({"vision", "multimodal", "image"})


class Listed(Struct, frozen=True):
    """A model as the provider lists it. ``window`` is in tokens, None where the list does not say, or says what can't be. ``infill``:
    whether it takes what is to be filled in, which only the embedded server says. ``retires`` is the day of its end (ISO 8601), empty where
    none is announced. ``images``: whether it reads images, None where the list does not say."""

    id: str
    owner: str = ""
    window: int | None = None
    infill: bool = False
    retires: str = ""
    images: bool | None = None


class _Meta(Struct, frozen=True):
    n_ctx: object = None


class _Architecture(Struct, frozen=True):
    input_modalities: object = None


class _Model(Struct, frozen=True):
    """A model in a list. Of its window llama.cpp tells as ``meta.n_ctx``, vLLM as ``max_model_len``, Groq as ``context_window``,
    Anthropic as ``max_input_tokens``, others as ``context_length``; of its end OpenAI as ``shutdown_date``, Anthropic as
    ``retires_at``, Mistral as ``deprecation``, OpenRouter as ``expiration_date``. Of images OpenRouter tells as
    ``architecture.input_modalities``, Vercel in ``tags``, Mistral as ``capabilities.vision``, Anthropic as
    ``capabilities.image_input``, llama.cpp and Ollama in a list of ``capabilities``."""

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
    architecture: _Architecture | None = None
    input_modalities: object = None
    tags: object = None
    capabilities: object = None

    @property
    def listed(self) -> Listed:
        meta = self.meta and self.meta.n_ctx
        told = (meta, self.max_model_len, self.context_window, self.max_input_tokens, self.context_length)
        owner = self.owned_by if isinstance(self.owned_by, str) else ""
        ends = self.shutdown_date or self.retires_at or self.deprecation or self.expiration_date or ""
        images = False if owner == EMBEDDED else self._images
        return Listed(self.id or self.name, owner, sound(*told), self.infill is True, ends[:10], images)

    @property
    def _images(self) -> bool | None:
        """True if it reads images, as far as the list says."""
        for told in (self.architecture and self.architecture.input_modalities, self.input_modalities):
            if isinstance(told, list):
                return "image" in told
        told = self.capabilities
        if isinstance(told, dict):
            told = told.get("vision", told.get("image_input"))
            told = told.get("supported") if isinstance(told, dict) else told
            return told if isinstance(told, bool) else None
        named = [each for each in (told, self.tags) if isinstance(each, list)]
        return bool(_VISION.intersection(map(str, [*itertools.chain(*named)]))) if named else None


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
