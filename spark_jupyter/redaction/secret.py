"""Place and kind of a credential in a text."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct


class Secret(Struct, frozen=True):
    """From ``start`` to ``end`` of a text. ``kind`` goes into the placeholder, ``words`` to the user."""

    start: int
    end: int
    kind: str
    words: str


def without_overlaps(secrets: Iterable[Secret]) -> list[Secret]:
    """Sort, and of two that overlap keep the one that begins earlier, or else the longer one."""
    kept: list[Secret] = []
    for secret in sorted(secrets, key=lambda s: (s.start, -(s.end - s.start))):
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
    return kept
