"""Tool calls that nobody offered, read as code.

Some models write their code so.

Models that were trained to run Python themselves (gpt-oss and its like) call a tool ``python`` with the code, or with JSON that has it
in one field. Any other call asks for what is not here, and is no answer.
"""

from __future__ import annotations

import json
import re

import msgspec

from spark_jupyter.providers.base import ModelEvent, TextDelta

CALLED = "tool_call"
"""The reason for which an answer is incomplete that asks for a tool."""

_MOST = 2**20
"""Characters of arguments that are kept: far more than a cell has."""
_FIELDS = ("code", "source", "script", "python", "cell")
_JSON = json.JSONDecoder(strict=False)
_JSON_LIKE = re.compile(r"\s*\{\s*[\"}]")
_MOST_TRIES = 100
"""Places of a call's arguments that are read as the beginning of JSON."""
_RUNS_PYTHON = re.compile(r"python|ipython|jupyter|notebook|code", re.I)


class ToolCalls:
    """The calls of one answer, by whatever names each of them in the stream."""

    def __init__(self) -> None:
        self._names: dict[int | str, str] = {}
        self._arguments: dict[int | str, list[str]] = {}
        self._ids: dict[int | str, str] = {}
        self._last: int | str = 0
        self._size = 0

    def key(self, index: int | None, call_id: str | None, *, is_new: bool) -> int | str:
        """Key of the call that a piece belongs to. Servers leave the index out, or give the same one to all calls; another id with a
        name (``is_new``) is another call."""
        known = self._last if index is None else index
        other = is_new and call_id and self._ids.get(known, call_id) != call_id
        if call_id and (other or (index is None and call_id in self._names)):
            known = call_id
        if call_id:
            self._ids.setdefault(known, call_id)
        self._last = known
        return known

    def receive(self, key: int | str, name: str | None, arguments: str | None) -> None:
        """Some more of a call: its name, or more of its arguments."""
        self._names[key] = self._names.get(key) or name or ""
        pieces = self._arguments.setdefault(key, [])
        if arguments and self._size + len(arguments) <= _MOST:
            self._size += len(arguments)
            pieces.append(arguments)

    def end(self) -> tuple[list[ModelEvent], bool]:
        """Result of the calls: the code in them, and if there was one without code."""
        codes: list[str] = []
        begun = ""
        for key, name in self._names.items():
            said = begun + "".join(self._arguments[key])
            found = codes_of(name, said)
            # Some servers give each piece of a call another id.
            begun = (
                said if not found and key != self._last and _JSON_LIKE.match(said) and _json_in(said) is None else ""
            )
            codes += found or ([] if begun else [""])
        self._names.clear()
        events: list[ModelEvent] = [TextDelta(_block(code)) for code in codes if code]
        return events, not all(codes)


def argument_text(arguments: object) -> str:
    """Arguments as the text that they should be: some servers send the object itself."""
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return msgspec.json.encode(arguments).decode()


def codes_of(name: str, arguments: str, depth: int = 2) -> list[str]:
    """The Python that a call of the tool ``name`` brings; empty where it brings none. Servers send the JSON twice, beside other text,
    as JSON in JSON, and with line feeds in its texts."""
    runs = _RUNS_PYTHON.search(name)
    whole = _json_in(arguments)
    if isinstance(whole, str) and depth:
        return codes_of(name, whole, depth - 1)
    if not _JSON_LIKE.match(arguments):
        return [arguments] if runs and arguments.strip() and whole is None else []
    found: list[str] = []
    at, left = 0, _MOST_TRIES
    while left and (at := arguments.find("{", at)) >= 0:
        left -= 1
        try:
            value, at = _JSON.raw_decode(arguments, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        found += [value[each] for each in _FIELDS if isinstance(value.get(each), str)][:1]
    return list(dict.fromkeys(found))


def _json_in(text: str) -> object:
    """The value of JSON; None where it is none, or null."""
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError):
        return None


def _block(code: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    if code.lstrip().startswith("```"):
        return f"\n\n{code.strip()}\n"
    fence = "`" * max(3, longest + 1)
    return f"\n\n{fence}python\n{code.rstrip()}\n{fence}\n"
