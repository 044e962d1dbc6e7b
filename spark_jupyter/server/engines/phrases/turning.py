"""What a follow-up says about the form of the answer before it: the other way round, with a comprehension instead of a loop. Pure."""

from __future__ import annotations

import re

_ROUND = re.compile(
    r"^\W*(?:and\s+|now\s+|please\s+|but\s+|do\s+it\s+|sort\s+it\s+)*(?:the\s+)?(?:other\s+way\s+(?:a?round)|in\s+reverse(?:\s+order)?|reversed?"
    r"(?:\s+(?:it|the\s+order|order))?|in\s+the\s+(?:opposite|other|reverse)\s+(?:order|direction))\W*(?:please\W*)?$",
    re.IGNORECASE,
)
_FALLING = re.compile(
    r",?\s*\b(?:from\s+high\s+to\s+low|high\s+to\s+low|in\s+descending\s+order|descending|(?:highest|largest|biggest|most|longest|newest|latest)"
    r"\s+first)\b",
    re.IGNORECASE,
)
_RISING = re.compile(
    r",?\s*\b(?:from\s+low\s+to\s+high|low\s+to\s+high|in\s+ascending\s+order|ascending|(?:lowest|smallest|fewest|least|shortest|oldest|earliest)"
    r"\s+first)\b",
    re.IGNORECASE,
)
_SORTS = re.compile(r"\b(?:sort|sorted|order|ordered|rank|ranked)\b", re.IGNORECASE)
_WAY = r"(?:with|using|in|as|by)\s+(?:an?\s+|one\s+)?(?:list\s+comprehension|comprehension|for\s+loop|loop|one\s+line)"
_SAID_WAY = re.compile(rf"\s*,?\s*\b{_WAY}\b", re.IGNORECASE)
_NEW_WAY = re.compile(
    rf"^\W*(?:and\s+|now\s+|please\s+|the\s+same\s+|same\s+|do\s+(?:it|that)\s+)*(?P<way>{_WAY})\W*(?:please|instead)?\W*$",
    re.IGNORECASE,
)


def turned(said: str, further: str) -> str | None:
    """The request ``said`` as the follow-up wants it; None where it is no such follow-up."""
    if _ROUND.match(further) and _SORTS.search(said):
        plain = _FALLING.sub("", _RISING.sub("", said)).rstrip(" .,!?")
        return f"{plain} {'ascending' if _FALLING.search(said) else 'descending'}"
    found = _NEW_WAY.match(further)
    return f"{_SAID_WAY.sub('', said).rstrip(' .,!?')} {found['way']}" if found else None
