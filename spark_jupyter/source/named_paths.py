"""Paths named in a text.

Strings of Python, and words of a prompt that look like one. Whether they exist is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_QUOTED = re.compile(r"'([^'\n]{1,1000})'|\"([^\"\n]{1,1000})\"|`([^`\n]{1,1000})`")
_BETWEEN = re.compile(r"[\s,;()\[\]{}=<>|]+")
_PATTERN = re.compile(r"[*?\[]")


def named_in(text: str) -> Iterator[str]:
    """Paths in a text, each once; for a pattern (``data/*.csv``) its folder."""
    seen = set()
    found = [next(filter(None, match.groups())) for match in _QUOTED.finditer(text)]
    words = _BETWEEN.split(_QUOTED.sub(" ", text))
    found += [word.rstrip(".:!?") for word in words if "/" in word.strip("/") or word.startswith("~")]
    for path in found:
        if _PATTERN.search(path):
            path = _PATTERN.split(path, maxsplit=1)[0].rpartition("/")[0]
        if path and path not in seen:
            seen.add(path)
            yield path
