"""Invisible and misleading characters in code.

Unicode Technical Standard 55 ("Unicode Source Code Handling") and CVE-2021-42574 ("Trojan Source") say what they do in code:
bidirectional controls show a line in another order than it runs in, zero-width characters make two names out of what looks like one,
tag characters carry text that nobody sees. What emoji and the scripts that need joiners are written with stays.
"""

from __future__ import annotations

import re

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_ZERO_WIDTH = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
)
_TAGS = "\U000e0000-\U000e007f"
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0e\U000e0100-\U000e01ef"
_EMOJI = "\u00a9\u00ae\u203c-\u3299\ufe0f\u20e3\U0001f000-\U0001faff"
_SCRIPTS = "\u0590-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18af"
"""Scripts that need joiners: Hebrew and Arabic, the scripts of India and Ceylon, Burmese, Khmer, Mongolian."""

# A flag of a part of a country (🏴 and tag letters, ended by U+E007F) is an emoji of its own.
HIDDEN = re.compile(
    rf"(?P<flag>\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{{2,6}}\U000e007f)"
    rf"|[{_BIDI}{_ZERO_WIDTH}{_TAGS}]"
    rf"|(?<![{_EMOJI}{_SCRIPTS}])[{_JOINERS}]|[{_JOINERS}](?![{_EMOJI}{_SCRIPTS}])"
    rf"|(?<![\u0023\u002a0-9\u00a9\u00ae\u200d\u203c-\u9fff\U0001f000-\U0003ffff])[{_SELECTORS}]"
)

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # a lone surrogate can't be encoded
_GAP = " " * 80
_FAR = re.compile(r"(?:(?<=\S)[ \t]{80,}|(?<![^\n])[ \t]{120,})(?=[^\s#\\])")
"""A gap within a line, or an indentation, behind which an editor shows code only to who scrolls."""
_FAR_AT_ONCE = re.compile(r"[ \t]{80,}(?=[^\s#\\])")
"""What begins in the middle of a line."""
_STRING = re.compile(r"(?<!\w)([a-zA-Z]{0,2})(\"{3}|'{3}|\"|')((?:(?!\2)[^\\]|\\.)*)\2", re.DOTALL)
_HELD = re.compile(r" {80}[^\n]*\{(?!\{)|(?<!\{)\{ {80}")
"""Code in an f-string behind a gap."""
_COMMENT = re.compile(r"#[^\n]*")


def far_code(line: str) -> bool:
    """True if code stands so far behind other code that an editor shows it only to who scrolls. Comments and strings are none."""
    spread = line.expandtabs()
    return _GAP in spread and _FAR.search(_COMMENT.sub("", _STRING.sub(_bare, spread))) is not None


def _bare(string: re.Match[str]) -> str:
    """A string without its text; with a gap and a name for one that holds code so far behind."""
    holds = {"f", "F", "t", "T"} & {*string[1]} and _HELD.search(string[3])
    return f"''{_GAP}held" if holds else "''"


def first_unseen(text: str) -> int:
    """Return the place of the first character that nobody sees, or that makes others be seen otherwise; else the end."""
    if (control := _CONTROL.search(text)) is not None:
        text = text[: control.start()]
    if (far := _FAR_AT_ONCE.match(text) or _FAR.search(text)) is not None:
        text = text[: far.start()]
    if text.isascii():
        return len(text)
    return next((found.start() for found in HIDDEN.finditer(text) if not found["flag"]), len(text))


def hidden(text: str) -> list[str]:
    """Characters of ``text`` that are invisible or change its display, in order."""
    if text.isascii():
        return []
    return [match[0] for match in HIDDEN.finditer(text) if not match["flag"]]


def visible(text: str) -> str:
    """``text`` with each of them as ``<U+202E>``."""
    if text.isascii():
        return text
    return HIDDEN.sub(lambda match: match[0] if match["flag"] else f"<U+{ord(match[0]):04X}>", text)


def printable(text: str) -> str:
    """``text`` without control characters, and with what is not seen made visible: what a model or a provider writes must neither drive
    the user's terminal nor look like something else there."""
    return visible(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))
