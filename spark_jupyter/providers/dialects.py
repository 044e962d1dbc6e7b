"""Registry of dialects by name.

A new dialect is its own file and a line here; other packages have theirs as plug-ins (:mod:`spark_jupyter.plugins`), over HTTP.
"""

from __future__ import annotations

from collections.abc import Mapping

from spark_jupyter.plugins import load_plugins
from spark_jupyter.providers.anthropic import AnthropicMessages
from spark_jupyter.providers.base import Dialect, Provider, SocketProvider
from spark_jupyter.providers.chat_completions import ChatCompletions
from spark_jupyter.providers.fim import Completions, FillInMiddle
from spark_jupyter.providers.gemini import Gemini
from spark_jupyter.providers.llama_infill import LlamaInfill
from spark_jupyter.providers.ollama_generate import OllamaGenerate
from spark_jupyter.providers.profile import ACP
from spark_jupyter.providers.responses import ResponsesOverHTTP, ResponsesOverWebSocket

OVER_WEBSOCKET: Mapping[str, type[SocketProvider]] = {"responses-websocket": ResponsesOverWebSocket}

_OVER_HTTP: Mapping[str, type[Provider]] = {
    "responses-sse": ResponsesOverHTTP,
    "chat": ChatCompletions,
    "anthropic": AnthropicMessages,
    "gemini": Gemini,
    "fim": FillInMiddle,
    "completions": Completions,
    "infill": LlamaInfill,
    "generate": OllamaGenerate,
}

AUTO = "auto"
"""Asks in the first dialect of :data:`GUESSED` and goes on with the next where that endpoint does not exist; over a WebSocket there is
only one to guess."""


def _dialect(name: str, found: type[Provider]) -> type[Provider]:
    for attribute in ("path", "base_path", "headers", "models", "endpoint", "encode", "decoder"):
        if not (isinstance(found, type) and hasattr(found, attribute)):
            raise TypeError(f"it is no class with {attribute}, so it is no dialect")
    return found


_PLUGINS = load_plugins("dialects", _dialect, taken=(*OVER_WEBSOCKET, *_OVER_HTTP, AUTO))
OVER_HTTP: Mapping[str, type[Provider]] = {**_OVER_HTTP, **{name: found for name, (_, found) in _PLUGINS.items()}}

GUESSED = ("responses-sse", "chat")
GUESSED_OVER_WEBSOCKET = "responses-websocket"


def names() -> tuple[str, ...]:
    return (*OVER_WEBSOCKET, *OVER_HTTP, AUTO, ACP)


def dialect(name: str) -> type[Dialect]:
    """The dialect of that name; the first guess for :data:`AUTO`, and for what names an address in place of an agent."""
    name = GUESSED[0] if name in (AUTO, ACP) else name
    return OVER_WEBSOCKET[name] if name in OVER_WEBSOCKET else OVER_HTTP[name]


def endpoints() -> tuple[str, ...]:
    """The paths below a base URL that some dialect has."""
    every: tuple[type[Dialect], ...] = (*OVER_WEBSOCKET.values(), *OVER_HTTP.values())
    return tuple({each.path: None for each in every})
