"""Names of packages that are widely known, and the nearest one to a slip. Written from memory of the scientific and web
ecosystems; being absent here says only that a person should look."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Final

KNOWN: Final = frozenset(files(__package__).joinpath("packages.txt").read_text(encoding="ascii").split())


@lru_cache(maxsize=1024)
def near(name: str) -> str | None:
    """The known name that ``name`` is most likely a slip of: one edit away (two for long names), or the same but for
    separators, ``python-``/``py`` before it or a digit after it."""
    from rapidfuzz.distance import DamerauLevenshtein

    squeezed = name.replace("-", "")
    best: tuple[int, str] | None = None
    for known in KNOWN:
        if abs(len(known) - len(name)) > 2 or len(known) < 4:
            continue
        if known.replace("-", "") == squeezed or known.rstrip("0123456789") == name:
            return known
        limit = 1 if len(known) < 8 else 2
        distance = DamerauLevenshtein.distance(name, known, score_cutoff=limit)
        if distance <= limit and (best is None or (distance, known) < best):
            best = (distance, known)
    return best[1] if best else None
