"""Units of measure: what a column is measured in by its name, and a number in another unit of the same kind as one in that. Pure."""

from __future__ import annotations

import re

_SIZES = (
    {"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "h": 3600, "hr": 3600,
     "hrs": 3600, "hour": 3600, "hours": 3600, "day": 86400, "days": 86400, "week": 604800, "weeks": 604800},
    {"month": 1, "months": 1, "mth": 1, "mths": 1, "year": 12, "years": 12, "yr": 12, "yrs": 12},
    {"mm": 1, "cm": 10, "m": 1000, "meter": 1000, "meters": 1000, "metre": 1000, "metres": 1000, "km": 1_000_000},
    {"mg": 1, "g": 1000, "gram": 1000, "grams": 1000, "kg": 1_000_000, "kilo": 1_000_000, "kilos": 1_000_000, "tons": 1_000_000_000},
    {"ml": 1, "cl": 10, "l": 1000, "liter": 1000, "liters": 1000, "litre": 1000, "litres": 1000},
)  # fmt: skip
"""How large units are, of time in seconds, or in months, of length in millimetres, of weight in milligrams, of volume in millilitres."""


def unit_of(name: str) -> str:
    """The unit that a column's name ends with, or has as a word: ``wait_minutes``; empty where it has none."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    parts = [one for one in re.split(r"[\W_]+", spaced.lower()) if one]
    found = [one for one in parts[1:] or parts if any(one in sizes for sizes in _SIZES)]
    return found[-1] if found else ""


def converted(number: str, unit: str, name: str) -> str:
    """The number, which is said in the unit, in that of the column: "2 hours" of ``wait_minutes`` are 120."""
    own = unit_of(name)
    sizes = next((one for one in _SIZES if unit in one and own in one), None)
    return number if sizes is None or sizes[unit] == sizes[own] else f"{float(number) * sizes[unit] / sizes[own]:.12g}"
