"""Result of proving an edit against the text that it changes."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Verdict = Literal["same", "differs", "unclear"]


class Difference(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that comes out otherwise: of a variable, the output, a file, an error, or of what no variable holds (``state``). ``detail``
    says how, in our words with values of the user's."""

    kind: Literal["variable", "output", "file", "error", "state"]
    name: str
    detail: str


class Proof(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Old and new text have run in two copies. ``differences`` are the first, and ``more`` there are beside. Where they are
    floating numbers alone, so many of the first ``digits`` agree; 0: fewer, or something else differs. ``unclear`` names in sentences
    what can't be compared: ``same`` holds for the rest. Seconds and bytes, before and with the edit; 0: not known. ``below`` are the cells
    that ran later and read what differs. So many warnings that the old text shows are gone: ``warnings_less``."""

    verdict: Verdict
    differences: tuple[Difference, ...] = ()
    more: int = 0
    digits: int = 0
    unclear: tuple[str, ...] = ()
    seconds_before: float = 0.0
    seconds: float = 0.0
    memory_before: int = 0
    memory: int = 0
    below: tuple[str, ...] = ()
    warnings_less: int = 0
    summary: str = ""
