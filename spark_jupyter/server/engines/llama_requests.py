"""Requests to llama.cpp's HTTP server.

A chat for an answer, bare text for ghost text. What stays the same is in front, where the server's prompt cache finds it. Source of the
fields: the README of llama.cpp's server, "POST /completion" and "POST /v1/chat/completions".
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from spark_jupyter.prompting.budget import estimate_tokens
from spark_jupyter.providers.base import Decoder, Infill, Message, ModelRequest
from spark_jupyter.providers.chat_completions import ChatCompletions
from spark_jupyter.providers.llama_infill import InfillDecoder
from spark_jupyter.providers.profile import Profile
from spark_jupyter.server.engines.gguf import Marks
from spark_jupyter.typed_decoders import decode_json

MOST_FILLED = 96
"""Tokens that are written at a cursor: a block of some lines. Whoever typed has typed on long before that is there."""
_CHAT = ChatCompletions(Profile(name="llama", progress=True))


class Asked(Struct, frozen=True, kw_only=True):
    """A request: where it goes, and what reads the events that come back."""

    path: str
    body: bytes
    decoder: Decoder


def chat(
    said: tuple[Message, ...], instructions: str, *, most: int, temperature: float | None = None, grammar: str = ""
) -> Asked:
    """An answer of ``most`` tokens, held to a ``grammar`` where there is one."""
    request = ModelRequest(
        model="", instructions=instructions, input=said, temperature=temperature, max_output_tokens=most
    )
    fields = decode_json(_CHAT.encode(request), dict[str, object])
    fields["cache_prompt"] = True
    if grammar:
        fields["grammar"] = grammar
    return Asked(path="/v1/chat/completions", body=msgspec.json.encode(fields), decoder=_CHAT.decoder(request))


def fill_in(infill: Infill, marks: Marks | None, *, window: int, lane: int, temperature: float | None = None) -> Asked:
    """Request for the text between two texts. ``marks`` are those of a model that was trained to fill in; another goes on from the text
    before, and knows nothing of what comes behind. It has a ``lane`` of its own, so that no chat loses what is cached in another.

    The server's own ``/infill`` is not used: it takes no more of the text before than three quarters of a batch, and ours are small."""
    room = window - MOST_FILLED
    fields: dict[str, object] = {
        "prompt": _bare(infill, room) if marks is None else _marked(infill, marks, room),
        "n_predict": MOST_FILLED,
        "temperature": temperature or 0.0,
        "stop": ["\n\n\n", "\n```"],
        "id_slot": lane,
        "cache_prompt": True,
        "stream": True,
    }
    return Asked(path="/completion", body=msgspec.json.encode(fields), decoder=InfillDecoder())


def _bare(infill: Infill, room: int) -> str:
    """The text before. A space at its end is left to the model: it knows words that begin with one, and seldom one that follows it."""
    return _end_of(infill.before.removesuffix(" "), room)


def _marked(infill: Infill, marks: Marks, room: int) -> str:
    suffix = infill.suffix if estimate_tokens(infill.suffix) < room / 4 else ""
    before = _end_of(infill.before, room - estimate_tokens(suffix) - len(marks))
    return f"{marks.prefix}{before}{marks.suffix}{suffix}{marks.middle}"


def _end_of(text: str, room: int) -> str:
    """As many of the last lines as there is room for, in tokens; the last one in any case."""
    lines = text.split("\n")
    taken, used = 1, estimate_tokens(lines[-1])
    for line in reversed(lines[:-1]):
        used += estimate_tokens(line) + 1
        if used > room:
            break
        taken += 1
    return "\n".join(lines[-taken:])
