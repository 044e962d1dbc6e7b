"""Bounds and sanitising for all that a copy reports.

The schema of :mod:`spark_jupyter.sandbox.copy_protocol` says what a message is; this module decides how much of it, and of what kind, is
passed on. Code that a model wrote may have sent any of it.
"""

from __future__ import annotations

import base64
import math
import os
import re
from collections.abc import Sequence

from msgspec import structs

from spark_jupyter.protocol.constants import PICTURES, TEXTS
from spark_jupyter.protocol.html_sanitiser import sanitise
from spark_jupyter.protocol.values import Effect, Output
from spark_jupyter.sandbox.checkpoints.undo_messages import Listed, Packed
from spark_jupyter.sandbox.copy_protocol import MOST_EFFECTS, Did, Ended, Limits, Measured, Ran, Said, Wrote
from spark_jupyter.sandbox.proofs.proof_messages import Described, NumbersTold, RowMarks, Shown
from spark_jupyter.session.trial_failures import error_kind

MOST_OUTPUTS = 5_000
"""Most pieces of output from one copy; neighbouring pieces of a stream are joined later."""
MOST_PICTURE = 4 << 20
"""Characters of one picture in base64."""
PICTURES_SHARE = 8
"""Pictures may be so many times as long in all as texts."""
_MOST_WORDS = 500
"""Characters of a name or a value in an effect."""
_MOST_ERROR = 2_000
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_PNG = b"\x89PNG\r\n\x1a\n"
_DRAWN = {
    b"IHDR": 13,
    b"PLTE": 768,
    b"tRNS": 256,
    b"gAMA": 4,
    b"sRGB": 1,
    b"pHYs": 9,
    b"IEND": 0,
    b"IDAT": MOST_PICTURE,
}
"""Chunks of a PNG that say how it looks, and their longest content in bytes (PNG specification, section 11). Others, and what follows the
end, would reach a model with a figure, and nobody sees them."""
_NUMBERED = re.compile(r"\w+: \[Errno (\d{1,3})\]")
_SLACK = 1 << 12
"""Characters: an honest copy cuts by itself at the limit, and says so."""
_CUT = "\n… more output was cut off"


class MessageValidator:
    """Receives and validates the messages of one copy."""

    def __init__(self, limits: Limits) -> None:
        self._text = limits.output + _SLACK
        self._pictures = PICTURES_SHARE * limits.output
        self._outputs = MOST_OUTPUTS
        self._effects = MOST_EFFECTS

    def take(self, message: Said) -> Sequence[Said]:
        """Validate a message: pass on all of it, a part, or nothing."""
        match message:
            case Wrote(output=output):
                kept = self._output(output)
                return [structs.replace(message, output=kept)] if kept is not None else []
            case Did(effect=effect):
                return [Did(effect=effect) for effect in self._bounded((effect,))]
            case Ran():
                return [
                    structs.replace(
                        message,
                        error=message.error[:_MOST_ERROR],
                        name=message.name[:_MOST_WORDS],
                        line=_line(message.line),
                        seconds=_seconds(message.seconds),
                    )
                ]
            case Measured(effects=effects, memory=memory):
                return [structs.replace(message, effects=self._bounded(effects), memory=max(0, memory))]
            case Described() | RowMarks() | NumbersTold() | Shown() | Listed() | Packed():
                return [message]  # whose schema bounds it
            case Ended(effects=effects, memory=memory, problem=problem):
                effects = self._bounded(effects)
                problem = _failure(problem) if problem else ""
                return [structs.replace(message, effects=effects, memory=max(0, memory), problem=problem)]

    def _bounded(self, effects: Sequence[Effect]) -> tuple[Effect, ...]:
        kept = effects[: self._effects]
        self._effects -= len(kept)
        return tuple(
            structs.replace(
                effect,
                name=effect.name[:_MOST_WORDS],
                before=effect.before[:_MOST_WORDS],
                after=effect.after[:_MOST_WORDS],
                detail=effect.detail[:_MOST_WORDS],
            )
            for effect in kept
        )

    def _output(self, output: Output) -> Output | None:
        if self._outputs <= 0 or (self._text <= 0 and not output.data):
            return None
        self._outputs -= 1
        if output.kind in ("stdout", "stderr", "error"):
            return Output(kind=output.kind, text=self._cut(output.text))
        data = {name: self._cut(output.data[name]) for name in TEXTS if name in output.data}
        html = output.data.get("text/html", "")
        if html and len(html) <= self._text:
            self._text -= len(html)
            data |= {"text/html": clean} if (clean := sanitise(html)) else {}
        for name in PICTURES:
            picture = output.data.get(name, "")
            if picture and len(picture) <= min(MOST_PICTURE, self._pictures) and _BASE64.fullmatch(picture):
                self._pictures -= len(picture)
                data |= {name: seen} if (seen := _drawn(picture) if name == "image/png" else picture) else {}
        return Output(kind=output.kind, data=data) if data else None

    def _cut(self, text: str) -> str:
        """As much of a text as there is room for."""
        left = max(0, self._text)
        self._text -= len(text)
        return text if len(text) <= left else text[:left] + _CUT


def _drawn(picture: str) -> str:
    """What is seen of a PNG in base64 (PNG specification, section 5.3: length, kind, content, checksum); empty for what is none."""
    if len(picture) % 4 or not (data := base64.b64decode(picture)).startswith(_PNG):
        return ""
    kept, known, at = [_PNG], set[bytes](), len(_PNG)
    while at < len(data) and b"IEND" not in known:
        size, kind = int.from_bytes(data[at : at + 4]), data[at + 4 : at + 8]
        if size <= _DRAWN.get(kind, -1) and (kind == b"IDAT" or kind not in known):
            kept.append(data[at : at + 12 + size])
            known.add(kind)
        at += 12 + size
    return base64.b64encode(b"".join(kept)).decode()


def _line(line: int | None) -> int | None:
    return line if line is not None and line >= 1 else None


def _seconds(seconds: float) -> float:
    return seconds if math.isfinite(seconds) and seconds >= 0 else 0.0


def _failure(problem: str) -> str:
    """Why a copy could not go on, in our words: a model is told of it."""
    number = _NUMBERED.match(problem)
    why = f": {os.strerror(int(number[1]))}" if number else ""
    return f"The copy itself failed with {error_kind(problem)}{why}."
