"""Result of proving an edit against the text that it changes."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Verdict = Literal["same", "differs", "unclear"]


class Difference(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Difference between the results: in a variable, the output, a file, an error, or other ``state``.

    ``detail`` says how, in our words with values of the user's."""

    kind: Literal["variable", "output", "file", "error", "state"]
    name: str
    detail: str


class Proof(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Comparison of the old and the new text of a cell, run in two copies.

    ``differences`` are the first ones, ``more`` is the number of others. Where only floating-point numbers differ, their first ``digits``
    agree; 0: fewer, or something else differs. ``unclear`` names in sentences what can't be compared; ``same`` holds for the rest. Times
    are in seconds, memory in bytes, before and with the edit; 0: not known. ``below`` are later cells that read what differs.
    ``warnings_less`` is the number of warnings that are gone."""

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
