"""Fingerprints of requests: what counts, and how near two are.

What the user asks counts, with the steer, the cell to be edited and the kind of an error. Outputs, variables, versions and files do not:
they differ on every machine. Names of variables and dates count as places only, so that a renamed variable or another day is the same
request; who replays puts the new ones in. Names of secrets' placeholders count without their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256

from spark_jupyter.prompting.mentions import without_marks
from spark_jupyter.prompting.request_parser import asked_last
from spark_jupyter.prompting.variable_entries import entries
from spark_jupyter.providers.base import Message
from spark_jupyter.recordings.recording_file import Ask

NEAR = 70.0
"""Least likeness, in percent, of a request that is answered by another one's recording."""
DATE = re.compile(r"\b(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4})\b")
_WORD = re.compile(r"[^\W\d]\w*")
_PLACEHOLDER = re.compile(r"SPARK_SECRET_\d+_")
_ERROR = re.compile(r"^(?:[\w.]+\.)?(\w+(?:Error|Exception|Warning|Interrupt|Exit))\b", re.MULTILINE)


def ask_of(conversation: Sequence[Message]) -> tuple[Ask, dict[str, str]]:
    """What counts of the last request of a conversation, and its context: the ids and hashes of the cells that go along."""
    parts = asked_last(conversation)
    names = {name for entry in entries(parts.variables) for name in entry.split(", ")}
    request, steer = without_marks(parts.request.strip()), without_marks(parts.steer.strip())
    edit = parts.edit.source if parts.edit is not None else ""
    errors = _ERROR.findall(parts.last_error or (parts.edit.error if parts.edit is not None else ""))
    ask = Ask(
        request=request,
        intent=parts.intent,
        steer=steer,
        edit=edit,
        edited=parts.edit.id if parts.edit is not None else "",
        error=errors[-1] if errors and parts.intent in ("fix", "explain") else "",
        so_far=parts.answer,
        values=_values("\n".join((request, steer, edit)), names),
    )
    return ask, {cell.id: _hash(_spaced(cell.source)) for cell in parts.cells if cell.source.strip()}


def fingerprint(ask: Ask) -> str:
    """The same for requests that are the same but for spaces, capitals, what ends the last sentence, names and dates."""
    fields = (
        _plain(ask.request, ask),
        ask.intent,
        _plain(ask.steer, ask),
        _canonical(_spaced(ask.edit), ask),
        ask.error,
    )
    return _hash("\0".join(fields))


def likeness(ask: Ask, other: Ask) -> float:
    """How near a request is to another one, in percent; 0 where they want different things."""
    if (ask.intent, bool(ask.steer), bool(ask.edit)) != (other.intent, bool(other.steer), bool(other.edit)):
        return 0.0
    from rapidfuzz import fuzz

    words = fuzz.token_sort_ratio(_plain(ask.request, ask), _plain(other.request, other))
    if not ask.steer:
        return words
    return min(words, fuzz.token_sort_ratio(_plain(ask.steer, ask), _plain(other.steer, other)))


def shared(context: Mapping[str, str], other: Mapping[str, str]) -> float:
    """The share of cells that two contexts have in common, from 0 to 1."""
    ours, theirs = set(context.values()), set(other.values())
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 1.0


def _values(text: str, names: set[str]) -> tuple[str, ...]:
    found = [(at.start(), at[0]) for at in _WORD.finditer(text) if at[0] in names]
    found += [(at.start(), at[0]) for at in DATE.finditer(text)]
    return tuple(dict.fromkeys(value for _, value in sorted(found)))


def _canonical(text: str, ask: Ask) -> str:
    """The text with a number in place of each of the request's values."""
    numbers = {value: f"\1{number}" for number, value in enumerate(ask.values)}
    text = DATE.sub(lambda at: numbers.get(at[0], at[0]), _PLACEHOLDER.sub("SPARK_SECRET_", text))
    return _WORD.sub(lambda at: numbers.get(at[0], at[0]), text)


def _plain(text: str, ask: Ask) -> str:
    return " ".join(_canonical(text, ask).casefold().split()).rstrip(" .!?")


def _spaced(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
