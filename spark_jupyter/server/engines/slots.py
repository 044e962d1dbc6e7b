"""Matches of a prompt with the slots of a phrasing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import islice

from spark_jupyter.server.engines import literals, word_forms

_PIECE = re.compile(r"\{(?P<slot>\w+)\}|(?P<word>[\w+#%]+)")
_TOKEN = re.compile(r"[\w+#%./~\\-]*[\w+#%]")
_LONGEST = 5
_WORDS = 60
"""A prompt is laid beside the phrasings by so many words; a request is made in its beginning."""
_SKIPPED_PROMPT_WORD = -0.15
_STOP_WORD = 0.3
_SLOT_FILLED = 0.5
_LONGER = -0.15

Alignment = tuple[float, tuple[tuple[str, str], ...]]


def fill(prompt: str, phrasings: Iterable[str]) -> dict[str, str]:
    """The slots' texts by the phrasing that the prompt follows most closely; nothing where none has slots."""
    tokens = tokens_of(prompt)
    laid = (align(tokens, phrasing) for phrasing in phrasings if "{" in phrasing)
    score, filled = max(laid, key=lambda one: one[0], default=(0.0, ()))
    return {slot: text for slot, text in filled if text and score > 0}


def told(phrasing: str) -> str:
    """The phrasing as somebody may ask it: a slot's name is the word for what is meant."""
    return re.sub(r"\{(\w+)\}", lambda slot: slot[1].replace("_", " "), phrasing)


def tokens_of(prompt: str) -> tuple[str, ...]:
    """The words that are laid beside a phrasing."""
    return tuple(islice(_tokens(prompt), _WORDS))


def align(tokens: tuple[str, ...], phrasing: str) -> Alignment:
    """The score of the phrasing along the tokens, and the texts of its slots."""
    return _align(tokens, tuple((one["slot"], one["word"]) for one in _PIECE.finditer(phrasing)))


def _tokens(prompt: str) -> Iterable[str]:
    """Words, with files and quoted texts whole."""
    position = 0
    found = sorted([*literals.FILE.finditer(prompt), *literals.QUOTED.finditer(prompt)], key=lambda one: one.start())
    for mark in found:
        if mark.start() < position:
            continue
        yield from _TOKEN.findall(prompt[position : mark.start()])
        yield mark[0]
        position = mark.end()
    yield from _TOKEN.findall(prompt[position:])


def _align(tokens: tuple[str, ...], pieces: tuple[tuple[str | None, str | None], ...]) -> Alignment:
    """The best way to lay the pieces of a phrasing along the tokens: words on words, slots on one to five tokens."""

    @cache
    def best(at: int, piece: int) -> Alignment:
        if piece == len(pieces):
            return (len(tokens) - at) * _SKIPPED_PROMPT_WORD, ()
        slot, word = pieces[piece]
        missing = -0.4 if slot else -0.1 if word_forms.is_stop(word or "") else -0.6
        options = [_plus(best(at, piece + 1), missing)]
        if at < len(tokens):
            options.append(_plus(best(at + 1, piece), _SKIPPED_PROMPT_WORD))
            if slot is not None:
                for length in range(1, min(_LONGEST, len(tokens) - at) + 1):
                    text = _trim(tokens[at : at + length])
                    score, rest = best(at + length, piece + 1)
                    if text:
                        gain = _SLOT_FILLED + _LONGER * (length - 1)
                        options.append((score + gain, ((slot, text), *rest)))
            elif word is not None and _same(tokens[at], word):
                options.append(_plus(best(at + 1, piece + 1), _STOP_WORD if word_forms.is_stop(word) else 1.0))
        return max(options, key=lambda one: one[0])

    return best(0, 0)


def _plus(laid: Alignment, gain: float) -> Alignment:
    return laid[0] + gain, laid[1]


@lru_cache(maxsize=10_000)
def _same(token: str, word: str) -> bool:
    token, word = token.lower(), word.lower()
    if token == word or word_forms.canonical(token) == word_forms.canonical(word):
        return True
    return word_forms.corrected(token, (word,)) is not None


def _trim(tokens: tuple[str, ...]) -> str:
    """The tokens as text, without stop words at both ends."""
    said = [number for number, token in enumerate(tokens) if not word_forms.is_stop(token.lower())]
    return " ".join(tokens[said[0] : said[-1] + 1]) if said else ""
