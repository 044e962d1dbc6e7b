"""Names of known packages, and the nearest one to a slip.

``package_names.txt`` was written from memory of the scientific and web ecosystems: a slip is one of these.
``package_names.bloom`` holds the names that a package index had when ``scripts/known_packages.py`` was run, in a
Bloom filter (Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970): one in a hundred that it
does not hold passes for one that it does. That a name is in there says that it was not made up just now, and nothing
about who made the package.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.resources import files
from math import ceil, log
from typing import Final, NamedTuple

KNOWN: Final = frozenset(files(__package__).joinpath("package_names.txt").read_text(encoding="ascii").split())
BLOOM: Final = "package_names.bloom"


class Bloom(NamedTuple):
    """Bloom filter: a set of names with false positives and no false negatives."""

    size: int
    hashes: int
    bits: bytes

    def holds(self, name: str) -> bool:
        """True if the name is in the set, or collides with one that is."""
        return all(self.bits[place >> 3] >> (place & 7) & 1 for place in _places(name, self.size, self.hashes))

    @classmethod
    def of(cls, names: Collection[str], *, error: float) -> Bloom:
        """Build a filter of these names with this false positive rate."""
        size = max(1, ceil(-len(names) * log(error) / log(2) ** 2))
        hashes = max(1, round(size / max(1, len(names)) * log(2)))
        bits = bytearray(size // 8 + 1)
        for name in names:
            for place in _places(name, size, hashes):
                bits[place >> 3] |= 1 << (place & 7)
        return cls(size, hashes, bytes(bits))

    def encoded(self) -> bytes:
        return f"bloom {self.size} {self.hashes}\n".encode() + self.bits

    @classmethod
    def decoded(cls, data: bytes) -> Bloom:
        head, _, bits = data.partition(b"\n")
        _, size, hashes = head.split()
        return cls(int(size), int(hashes), bits)


def _places(name: str, size: int, hashes: int) -> list[int]:
    """Bits of a name, by double hashing (Kirsch and Mitzenmacher, "Less Hashing, Same Performance", 2006)."""
    digest = blake2b(name.encode(errors="replace"), digest_size=16).digest()
    one, other = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little") | 1
    return [(one + n * other) % size for n in range(hashes)]


def exists(name: str) -> bool:
    """True if a package of this name (lower case, with hyphens) existed when the list was made."""
    return name in KNOWN or _bloom().holds(name)


@cache
def _bloom() -> Bloom:
    return Bloom.decoded(files(__package__).joinpath(BLOOM).read_bytes())


@lru_cache(maxsize=1024)
def near(name: str) -> str | None:
    """Known name of which ``name`` is most likely a misspelling: one edit away (two for long names), or the same but for separators,
    ``python-``/``py`` before it or a digit after it."""
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


@lru_cache(maxsize=1024)
def resembling(name: str) -> str:
    """Known name with the longest common beginning (``scikit-learn`` for ``scikitlearn-tools``); empty if none is similar."""
    from rapidfuzz import process
    from rapidfuzz.distance import JaroWinkler

    found = process.extractOne(name, sorted(KNOWN), scorer=JaroWinkler.normalized_similarity, score_cutoff=0.85)
    return str(found[0]) if found is not None else ""
