"""What stands out in a prompt by its form: files, and texts in quotes. Pure."""

from __future__ import annotations

import re

_ENDINGS = (
    "csv|tsv|xlsx?|json|jsonl|txt|parquet|png|jpe?g|pdf|svg|db|sqlite3?|xml|ya?ml|html?|md|log|zip|gz|py|ipynb|toml|ini|"
    "feather|pkl|pickle|npy|npz|wav"
)
FILE = re.compile(rf"(?<![\w/])[\w~./\\-]*[\w-]\.(?:{_ENDINGS})\b", re.IGNORECASE)
QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|(?<!\w)'([^'\n]+)'(?!\w)|“([^”\n]+)”")
