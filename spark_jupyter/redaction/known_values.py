"""Search for known credentials: plain, encoded, reversed or in pieces.

Forms are looked up by their first characters, so the time does not grow with how many are known.
"""

from __future__ import annotations

import base64
import codecs
import html
import json
import re
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

from msgspec import Struct

from spark_jupyter.redaction.placeholders import looks_random
from spark_jupyter.redaction.secret import Secret
from spark_jupyter.redaction.spellings import unescaped

_HEAD = 4
SHORTEST = 4
"""Length of the shortest value that is searched."""
_LONGEST = 20_000
_SEEN_IN_ENCODINGS = 6
"""Least length of a value whose encodings are searched: shorter ones occur by accident."""
_SEEN_IN_PIECES, _LONGEST_IN_PIECES = 8, 120
_ANYWHERE = 20
"""Least length of a random value that is found inside longer words."""
_NO_WORD = re.compile(r"[\W_]+")
_LITERAL = re.compile(r"([\"'])([^\"'\n]{2,200})\1")
_RUN = re.compile(r"[A-Za-z0-9+/=_\-]")


class _Form(Struct, frozen=True):
    """Form in which a value may appear. ``whole``: not as a part of a longer word; ``run``: with what is encoded along with it."""

    text: str
    kind: str
    words: str
    whole: bool = False
    run: bool = False


class _Index:
    """Index of forms by their first characters and lengths."""

    def __init__(self) -> None:
        self._forms: dict[str, _Form] = {}
        self._lengths: dict[str, list[int]] = {}
        self._chars: list[set[str]] = [set() for _ in range(_HEAD)]
        self._candidates: re.Pattern[str] | None = None

    def put(self, form: _Form) -> None:
        if form.text in self._forms:
            return
        self._forms[form.text] = form
        head = form.text[:_HEAD]
        lengths = self._lengths.setdefault(head, [])
        if len(form.text) not in lengths:
            lengths.append(len(form.text))
            lengths.sort(reverse=True)
        for chars, char in zip(self._chars, head, strict=True):
            if char not in chars:
                chars.add(char)
                self._candidates = None

    def find(self, text: str) -> Iterator[Secret]:
        """Find every form in ``text``, from left to right; at one place the longest."""
        done = 0
        for match in self._where().finditer(text):
            at = match.start()
            for length in self._lengths.get(text[at : at + _HEAD], ()) if at >= done else ():
                form, end = self._forms.get(text[at : at + length]), min(at + length, len(text))
                if form is not None and (not form.whole or _is_whole(text, at, end)):
                    start, done = _run(text, at, end, done) if form.run else (at, end)
                    yield Secret(start, done, form.kind, form.words)
                    break

    def _where(self) -> re.Pattern[str]:
        """Places where a form may begin, by its first characters."""
        if self._candidates is None:
            first, *others = [f"[{''.join(map(re.escape, sorted(chars)))}]" for chars in self._chars]
            self._candidates = re.compile(f"{first}(?={''.join(others)})")
        return self._candidates


class Known:
    def __init__(self) -> None:
        self._values: dict[str, tuple[str, str]] = {}
        self._forms = _Index()
        self._squeezed = _Index()
        self._beginnings: dict[str, list[str]] = {}

    def __len__(self) -> int:
        return len(self._values)

    def add(self, value: str, kind: str, words: str) -> None:
        """Add a value to the search, unless it is too short to tell from a word. What is too short to be told from a word is not."""
        if value in self._values or not SHORTEST <= len(value) <= _LONGEST or not value.strip():
            return
        self._values[value] = (kind, words)
        for form in _forms(value, kind, words):
            self._forms.put(form)
        if len(_NO_WORD.sub("", value)) >= _SEEN_IN_PIECES and len(value) <= _LONGEST_IN_PIECES:
            for size in range(max(2, len(value) // 5), len(value)):
                self._beginnings.setdefault(value[:size], []).append(value)
            raw = _bytes(value)
            for spelled in (value, raw.hex(), ",".join(map(str, raw)), base64.b64encode(raw).decode()):
                self._squeezed.put(_Form(_NO_WORD.sub("", spelled), kind, words))

    def find(self, text: str) -> Iterator[Secret]:
        """Find every occurrence of a known value in ``text``; they may overlap."""
        if not self._values:
            return
        yield from self._forms.find(text)
        spelling = unescaped(text)
        if spelling is not None:
            yield from map(spelling.back, self._forms.find(spelling.text))
        if self._beginnings:
            yield from self._in_pieces(text)
            yield from self._in_literals(text)

    def _in_pieces(self, text: str) -> Iterator[Secret]:
        """``"ab" + "cd"``, ``a b c d``, ``61:62:63:64``: the value with other characters in between."""
        squeezed = _NO_WORD.sub("", text)
        found = list(self._squeezed.find(squeezed))
        if found:
            places = [at for at, char in enumerate(text) if char.isalnum()]
            for secret in found:
                yield Secret(places[secret.start], places[secret.end - 1] + 1, secret.kind, secret.words)

    def _in_literals(self, text: str) -> Iterator[Secret]:
        """``a = "ab"`` and later ``b = "cd"``: literals, one of which begins and another ends the value."""
        literals = [(match.span(2), match[2]) for match in _LITERAL.finditer(text)]
        if len(literals) < 2:
            return
        texts = {literal for _, literal in literals}
        for value, head in {
            value: len(text) for text in texts for value in self._beginnings.get(text, ())[:20]
        }.items():
            tail = max(
                (size for size in range(max(2, len(value) // 5), len(value)) if value[-size:] in texts), default=0
            )
            if tail and head + tail >= len(value) // 2:
                for (start, end), literal in literals:
                    if literal in value:
                        yield Secret(start, end, *self._values[value])


def _is_whole(text: str, start: int, end: int) -> bool:
    """True if no longer word goes on before or behind."""
    return not (start and _is_wordy(text[start - 1]) and _is_wordy(text[start])) and not (
        end < len(text) and _is_wordy(text[end - 1]) and _is_wordy(text[end])
    )


def _is_wordy(char: str) -> bool:
    return char.isalnum() or char == "_"


def _run(text: str, start: int, end: int, floor: int) -> tuple[int, int]:
    """Extend a range to its run of base64 or hex, by at most 200 characters on each side: a longer run is a file."""
    low, high = max(floor, start - 200), min(len(text), end + 200)
    while start > low and _RUN.match(text[start - 1]):
        start -= 1
    while end < high and _RUN.match(text[end]):
        end += 1
    return start, end


def _bytes(value: str) -> bytes:
    """Encode the value in UTF-8; the environment may hold invalid bytes, as surrogates."""
    return value.encode("utf-8", "surrogatepass")


def _forms(value: str, kind: str, words: str) -> Iterator[_Form]:
    anywhere = len(value) >= _ANYWHERE and looks_random(value)
    yield _Form(value, kind, words, whole=not anywhere)
    if len(value) < _SEEN_IN_ENCODINGS:
        return
    raw = _bytes(value)
    escaped = (json.dumps(value)[1:-1], repr(value)[1:-1], html.escape(value), raw.decode("latin-1"))
    quoted = (
        quote(raw, safe=""),
        quote(raw),
        quote_plus(raw),
        re.sub("%..", lambda match: match[0].lower(), quote(raw, safe="")),
    )
    turned = (value[::-1], codecs.encode(value, "rot13"))
    for text in {*escaped, *quoted, *turned} - {value}:
        if len(text) >= _SEEN_IN_ENCODINGS:
            yield _Form(text, kind, words, whole=True)
    for text in {
        raw.hex(),
        raw.hex().upper(),
        "".join(f"\\x{byte:02x}" for byte in raw),
        *_in_base64(raw),
        base64.b32encode(raw).decode().rstrip("="),
    }:
        yield _Form(text, kind, words, run="\\" not in text)


def _in_base64(raw: bytes) -> Iterator[str]:
    """Base64 of the value at each of its three possible alignments, without the characters that depend on its neighbours."""
    for lead in range(3):
        whole = base64.b64encode(b"\0" * lead + raw).decode().rstrip("=")
        text = whole[-(-lead * 8 // 6) : len(whole) if (lead + len(raw)) % 3 == 0 else -1]
        if len(text) >= _SEEN_IN_ENCODINGS:
            yield text
            yield text.translate(str.maketrans("+/", "-_"))
