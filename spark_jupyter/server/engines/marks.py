"""What stands out in a prompt by its form: files, and texts in quotes. Pure."""

from __future__ import annotations

import re

_ENDINGS = (
    "csv|tsv|xlsx?|json|jsonl|txt|parquet|png|jpe?g|pdf|svg|db|sqlite3?|xml|ya?ml|html?|md|log|zip|gz|py|ipynb|toml|ini|"
    "feather|pkl|pickle|npy|npz|wav"
)
_IN_QUOTES = rf"(?<=[\"'`“])[^\"'`“”\n:]*[^\"'`“”\n:\s]\.(?:{_ENDINGS})(?=[\"'`”])"
"""Only there a name may have spaces and brackets."""
FILE = re.compile(rf"{_IN_QUOTES}|(?<![\w/])[\w~./\\-]*[\w-]\.(?:{_ENDINGS})\b", re.IGNORECASE)
QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|(?<!\w)'([^'\n]+)'(?!\w)|“([^”\n]+)”")


def is_file(said: str) -> bool:
    """Whether a text in quotes is the name of a file."""
    found = FILE.match(f'"{said}"', 1)
    return found is not None and found[0] == said
