"""Dates as people write them. Pure."""

from __future__ import annotations

import re


def iso(said: str) -> str:
    """A date as it is said, as 2024-01-15: day first where there are dots, month first where there are slashes."""
    parts = re.split(r"[-./]", said)
    if len(parts[0]) == 4:
        year, month, day = parts
    elif "." in said:
        day, month, year = parts
    else:
        month, day, year = parts
    return f"{int(year):04}-{int(month):02}-{int(day):02}"
