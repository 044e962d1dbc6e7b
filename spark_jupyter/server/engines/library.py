"""Index of all recipes, made at build time.

``scripts/index_recipes.py`` writes the index, with the words of each phrasing, so that nothing is parsed or stemmed before the first
answer. The user's own books, and one of the package that has changed since (its digest no longer fits), are read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from spark_jupyter.server.engines.book import Book
from spark_jupyter.server.engines.matching import IndexedEntry, Matcher, indexed
from spark_jupyter.typed_decoders import decode_json

OWN_BOOKS = Path(__file__).parents[1] / "recipes"
INDEX = OWN_BOOKS / "index.json"
_WORDS = Path(__file__).with_name("word_forms.toml")


class IndexedBook(Struct, frozen=True):
    """A book's entries with their words. ``digest`` is of its file and of the words' data."""

    digest: str
    entries: tuple[IndexedEntry, ...]


def users_books(places: Iterable[Path | str]) -> list[Book]:
    """The books that a user names. Raises :class:`~spark_jupyter.exceptions.ConfigurationError` for one that is wrong."""
    places = list(places)
    if not places:
        return []
    from spark_jupyter.server.engines import book

    return [book.load(path) for path in book.find(places)]


def matcher(users: Sequence[Book] = (), *, own_books: bool = True) -> Matcher:
    """Ranks the entries of the user's books and the package's. Of two with the same title the user's is kept."""
    entries = [indexed(entry) for one in users for entry in one.entries]
    entries += own_entries() if own_books else ()
    unique: dict[str, IndexedEntry] = {}
    for one in entries:
        unique.setdefault(one.entry.title.lower(), one)
    return Matcher(list(unique.values()))


def own_entries() -> list[IndexedEntry]:
    """The entries of the package's books, in the order of the books."""
    try:
        known = decode_json(INDEX.read_bytes(), dict[str, IndexedBook])
    except (OSError, msgspec.DecodeError):
        known = {}
    base = _WORDS.read_bytes()
    entries: list[IndexedEntry] = []
    for path in sorted(OWN_BOOKS.glob("*.ipynb")):
        found = known.get(path.name)
        fresh = found is not None and found.digest == _digest(path.read_bytes(), base)
        entries += found.entries if found is not None and fresh else _read(path)
    return entries


def index() -> bytes:
    """The index of the package's books, as its file holds it: one book a line."""
    base = _WORDS.read_bytes()
    lines = []
    for path in sorted(OWN_BOOKS.glob("*.ipynb")):
        book = IndexedBook(_digest(path.read_bytes(), base), tuple(_read(path)))
        lines.append(msgspec.json.encode(path.name) + b":" + msgspec.json.encode(book))
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def _read(path: Path) -> list[IndexedEntry]:
    from spark_jupyter.server.engines import book

    return [indexed(entry) for entry in book.load(path, check=False).entries]


def _digest(*parts: bytes) -> str:
    return blake2b(b"\0".join(parts), digest_size=12).hexdigest()
