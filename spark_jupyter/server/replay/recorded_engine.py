"""Engine that answers from a recording; what is in none falls to the books.

The request with the same fingerprint is answered as it was recorded, with today's names, dates and cell ids in place of the recorded ones.
Of several, the one in the most similar notebook counts, then the first; nothing depends on what was asked before, so that every replay
gives the same cells. A near request gets the nearest answer behind a sentence that says so.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import parse_qs

from msgspec import Struct

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.prompting.fences import fenced, parse_info
from spark_jupyter.providers.base import Message
from spark_jupyter.recordings import fingerprint
from spark_jupyter.recordings.recording_file import Ask, Exchange, Recording, Text, load
from spark_jupyter.server.engines.base import AnswerEngine, Counted, Fail, FunctionCall, Piece, tokens
from spark_jupyter.server.engines.recipes import RecipeEngine
from spark_jupyter.server.engines.rewrite import Change, rewrite

MODEL = "recording"
NEAR_WORDS = "The recording has no answer to exactly this."
_SLICE = 0.05
"""Seconds after which an answer that waits can be stopped."""
_CONTINUES = re.compile(r"^`{3,}[^\n`]*\bcontinue\b[^\n`]*\n", re.MULTILINE)
_CELL = re.compile(r"\bcell=([A-Za-z0-9_-]+)")
_PLACEHOLDER = re.compile(r"SPARK_SECRET_\d+_[A-Z0-9_]*")


class Found(Struct, frozen=True):
    """A recorded exchange for a request. ``is_near``: for one like it."""

    exchange: Exchange
    is_near: bool


class RecordedEngine(AnswerEngine):
    """Replays a recording. ``real`` keeps the recorded times; otherwise pieces come as fast as they are wanted. What it does not answer is
    answered from the recipe ``books``. Raises :class:`~spark_jupyter.exceptions.ConfigurationError` for a file that is no recording."""

    name = "recorded"

    def __init__(self, file: Path, *, real: bool = True, books: Sequence[Path] = ()) -> None:
        self._file = file
        self._read_at = 0
        self._real = real
        self._books = RecipeEngine(books)
        self._recording = self._read()

    def models(self) -> list[str]:
        """Any model's name will do: a notebook names the one with which it was recorded."""
        return [MODEL, "*"]

    def answer(
        self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Piece]:
        """The recorded answer to the last user message, else that of the books."""
        ask, context = fingerprint.ask_of(conversation)
        found = find(self._read(), ask, context, model=model)
        if found is None:
            return self._books.answer(conversation, instructions=instructions, model=self._books.models()[0])
        return _played(found, ask, context, real=self._real)

    def start(self) -> None:
        """Read the package's own books, which answer what the recording does not."""
        self._books.start()

    def _read(self) -> Recording:
        """The recording, read again where it has changed: a teacher records while the server of a class runs."""
        changed = self._file.stat().st_mtime_ns if self._file.exists() else 0
        if changed != self._read_at or not changed:
            self._recording, self._read_at = load(self._file), changed
        return self._recording


def parse(argument: str, books: Sequence[Path]) -> RecordedEngine:
    """The engine for ``FILE.jsonl`` or ``FILE.jsonl?real=0``.

    Raises :class:`~spark_jupyter.exceptions.ConfigurationError`."""
    name, _, query = argument.partition("?")
    options = parse_qs(query)
    if unknown := options.keys() - {"real"}:
        raise ConfigurationError(f"A recording has no option {min(unknown)!r}.", remedy="There is: real=0.")
    return RecordedEngine(Path(name).expanduser(), real=options.get("real") != ["0"], books=books)


def find(recording: Recording, ask: Ask, context: dict[str, str], *, model: str = "") -> Found | None:
    """The exchange that answers a request: the same, else a near one, else none. Answers of the ``model`` that is asked come before those
    of others, then whole ones before cut ones."""
    key = fingerprint.fingerprint(ask)
    exchanges = recording.exchanges
    completed = {one.request.fingerprint for one in exchanges if one.end.outcome == "completed"}

    def fits(exchange: Exchange) -> tuple[float, ...]:
        request = exchange.request
        whole = exchange.end.outcome not in ("cancelled", "failed") or request.fingerprint not in completed
        return (request.model == model, whole, fingerprint.shared(request.context, context))

    same = [exchange for exchange in exchanges if exchange.request.fingerprint == key]
    if same:
        best = max(same, key=fits)
        return Found(best, is_near=_has_foreign_date(best, ask))
    near = [(fingerprint.likeness(ask, exchange.request.ask), exchange) for exchange in exchanges]
    near = [one for one in near if one[0] >= fingerprint.NEAR]
    if not near:
        return None
    return Found(max(near, key=lambda one: (one[0], *fits(one[1])))[1], is_near=True)


def _has_foreign_date(exchange: Exchange, ask: Ask) -> bool:
    """True if the request has another date than was recorded, and the answer has it in another spelling: it would stay the old one."""
    pairs = zip(exchange.request.ask.values, ask.values, strict=False)
    return any(old != new and fingerprint.DATE.fullmatch(old) and old not in exchange.text for old, new in pairs)


# --- Playing ---------------------------------------------------------------------------------------------------------


def _played(found: Found, ask: Ask, context: dict[str, str], *, real: bool) -> Iterator[Piece]:
    """The pieces of the answer at their times."""
    exchange = found.exchange
    now = _adapted(exchange, ask, context)
    if found.is_near:
        quoted = " ".join((exchange.request.ask.steer or exchange.request.ask.request).split())
        yield from tokens(f"{NEAR_WORDS} This is the answer to: “{quoted}”\n\n")
    clock = _Clock() if real else None
    yield from _timed(exchange, now, clock)
    if (end := exchange.end).error is not None:
        yield Fail(status=end.error.status, code=end.error.code, message=end.error.message)
    yield Counted(usage=end.usage, incomplete=end.reason or ("cancelled" if end.outcome == "cancelled" else ""))


def _timed(exchange: Exchange, now: str, clock: _Clock | None) -> Iterator[Piece]:
    """The recorded pieces; where the text is another one now, as many pieces of it at the same times."""
    length = max(1, len(exchange.text))
    end = start = 0
    for item in exchange.items:
        if not isinstance(item, Text):
            yield from clock.wait(item.after) if clock else ()
            yield FunctionCall(item.name, item.arguments)
            continue
        at = 0
        for gap, count in item.deltas:
            yield from clock.wait(gap) if clock else ()
            if item.thinking:
                continue
            at += count
            end += count
            stop = end if len(now) == length else round(end * len(now) / length)
            if stop > start:
                yield now[start:stop]
            start = stop
    yield from clock.wait(exchange.end.after) if clock else ()


class _Clock:
    """Waits for recorded times, each counted from the beginning, so that late wake-ups do not add up."""

    def __init__(self) -> None:
        self._due = time.monotonic()

    def wait(self, milliseconds: int) -> Iterator[str]:
        """Wait until so much after the last time; yields an empty text where the answer may be stopped."""
        self._due += milliseconds / 1000
        while (left := self._due - time.monotonic()) > 0:
            time.sleep(min(left, _SLICE))
            yield ""


# --- The answer of today ---------------------------------------------------------------------------------------------


def _adapted(exchange: Exchange, ask: Ask, context: dict[str, str]) -> str:
    """The recorded answer with the names, dates and cells of this request."""
    text, recorded = exchange.text, exchange.request
    if ask.so_far != recorded.ask.so_far:
        text = _begun_again(text, recorded.ask.so_far)
    renamed = {
        old: new for old, new in zip(recorded.ask.values, ask.values, strict=False) if old != new
    }  # a near request may have fewer
    dates = {old: new for old, new in renamed.items() if fingerprint.DATE.fullmatch(old)}
    names = [Change(token=old, new=new) for old, new in renamed.items() if old not in dates]
    ids = {recorded.ask.edited: ask.edited} if ask.edited else {}
    ids |= _moved(recorded.context, context)

    pieces, end = [], 0
    for block in fenced(text):
        info = _CELL.sub(lambda cell: f"cell={ids.get(cell[1], cell[1])}", block.info)
        source = _renamed(block.source, names) if parse_info(info).kind == "code" else block.source
        pieces += [text[end : block.start], f"{block.fence}{info}\n{source}{block.fence}"]
        end = block.end
    text = "".join([*pieces, text[end:]])
    if dates:
        text = fingerprint.DATE.sub(lambda at: dates.get(at[0], at[0]), text)
    sent = "\n".join((ask.request, ask.steer, ask.edit, ask.so_far))
    return _PLACEHOLDER.sub(lambda at: at[0] if at[0] in sent else "<withheld>", text)


def _renamed(source: str, names: Sequence[Change]) -> str:
    """The source with other names: where they are names; in what is no Python (a magic) wherever the word stands."""
    try:
        return rewrite(source, names) if names else source
    except SyntaxError:
        new = {name.token: name.new for name in names}
        return re.sub(r"(?<![\w.])[^\W\d]\w*", lambda word: new.get(word[0], word[0]), source)


def _moved(recorded: dict[str, str], context: dict[str, str]) -> dict[str, str]:
    """New ids of cells that have the same source and another id."""
    by_hash = {found: cell_id for cell_id, found in context.items()}
    return {
        cell_id: by_hash[found] for cell_id, found in recorded.items() if cell_id not in context and found in by_hash
    }


def _begun_again(text: str, so_far: str) -> str:
    """An answer that goes on behind ``so_far``, as one that begins with its first block: where a steer comes at another line, its place
    is another one."""
    found = _CONTINUES.search(text)
    if found is None:
        return text
    return f"{text[: found.start()]}{so_far}{'' if so_far.endswith(chr(10)) or not so_far else chr(10)}{text[found.end() :]}"
