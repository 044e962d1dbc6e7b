"""Alternative spellings of a text: other quotes, escapes, entities, argument lists.

A :class:`Spelling` knows where each of its characters comes from, so that a find in it can be shown in the text itself.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from spark_jupyter.redaction.secret import Secret

_QUOTES = str.maketrans(
    {
        **dict.fromkeys("«»„“”‟❝❞〝〞「」『』", '"'),
        **dict.fromkeys("‹›‚‛", "'"),
        "：": ":",
        "＝": "=",
        "\xa0": " ",
        "\u202f": " ",
        "（": "(",
        "）": ")",
    }
)
_PADDED = re.compile(
    r"(?P<before>[ ])?(?P<open>[«„“「])(?P<in>[ \xa0\u202f])(?P<value>[^\s«»“”」]{1,200})[ \xa0\u202f](?P<close>[»“”」])"
)
_ESCAPE = re.compile(
    r"\\{1,7}[\"']|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[0-3][0-7]{2}"
    r"|\{(?P<hole>[\"'])(?P<in_hole>[^\"'{}\n]{1,200})(?P=hole)\}"
    r"|&(?:quot|apos|amp|lt|gt|#\d{2,5}|#x[0-9a-fA-F]{2,4});|%(?:2[0-9A-Fa-f]|3[A-Fa-f]|40|5[BbDd])"
)
_LIST = re.compile(r"[\[(][ \n\t]{0,20}(?:[rb]?(?P<q>[\"'])[\w./\-]{1,60}(?P=q)),[ \n\t]{0,40}(?=[\"'])")
_ITEM = re.compile(r"(?P<q>[\"'])(?P<value>[^\"'\n]{0,300})(?P=q)[ \n\t]{0,40},?[ \n\t]{0,40}")
_MOST_ITEMS = 60


class Spelling(Struct, frozen=True):
    """A text and where each of its characters begins in the original, with the original's end behind the last."""

    text: str
    places: list[int]

    def back(self, secret: Secret) -> Secret:
        """Map a finding in this spelling back to the original text."""
        return Secret(self.places[secret.start], self.places[secret.end], secret.kind, secret.words)


def plain_quotes(text: str) -> str:
    """``text`` with plain quotes, colons and blanks in the place of their typographic kin; as long as before."""
    if text.isascii():
        return text
    return _PADDED.sub(_inwards, text).translate(_QUOTES)


def _inwards(match: re.Match[str]) -> str:
    """``« x »`` with its quotes at the value."""
    return f'{match["before"] or ""} "{match["value"]}" '


def unescaped(text: str) -> Spelling | None:
    """``text`` without escapes of strings, HTML and URLs, and with what stands in the holes of an f-string; None where it has none."""
    return _spelled(text, _ESCAPE, _character) if _ESCAPE.search(text) else None


def _character(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == "{":
        return str(match["in_hole"])
    if found[0] == "&":
        return html.unescape(found)
    if found[0] == "%":
        return chr(int(found[1:], 16))
    if found[-1] in "\"'":
        return found[-1]
    return chr(int(found[2:], 16)) if found[1] in "xu" else chr(int(found[1:], 8))


def _spelled(text: str, pattern: re.Pattern[str], to: Callable[[re.Match[str]], str]) -> Spelling:
    parts: list[str] = []
    places: list[int] = []
    end = 0
    for match in pattern.finditer(text):
        said = to(match)
        parts += [text[end : match.start()], said]
        inside = match["in_hole"] is not None
        places += [
            *range(end, match.start()),
            *(range(*match.span("in_hole")) if inside else [match.start()] * len(said)),
        ]
        end = match.end()
    return Spelling("".join([*parts, text[end:]]), [*places, *range(end, len(text) + 1)])


def command_lines(text: str) -> Iterator[Spelling]:
    """``["curl", "-u", "me:x"]`` as the line ``curl -u me:x``."""
    done = 0
    for opened in _LIST.finditer(text):
        if opened.start() < done:
            continue
        at = text.index(opened["q"], opened.start())
        parts: list[str] = []
        places: list[int] = []
        for _ in range(_MOST_ITEMS):
            item = _ITEM.match(text, at)
            if item is None:
                break
            parts.append(item["value"])
            places += [*range(*item.span("value")), item.end("value")]
            at = item.end()
        done = at
        if len(parts) > 1:
            yield Spelling(" ".join(parts) + " ", [*places, at])
