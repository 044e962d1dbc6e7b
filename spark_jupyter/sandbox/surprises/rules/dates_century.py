"""Rule dates-century: dates parsed into the wrong century.

Two digits of a birth year read as 2062, or numbers read as nanoseconds since 1970.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.rules._parsed_dates import Parsed, parsed_in
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, about, percent, saw, shown

_MOST: Final = 0.05
_FAR: Final = 2049
"""A year from which on a date of two digits is more likely of the century before: Python and POSIX read 00–68 as 20xx."""


def _looks(change: Change) -> Iterator[Sighting]:
    for parsed in parsed_in(change):
        years = parsed.dates.present.astype("datetime64[Y]").astype(int) + 1970
        if not len(years):
            continue
        epoch, far = float((years == 1970).mean()), float((years > _FAR).mean())
        if parsed.raw.kind == "number" and epoch > 0.9 and float(abs(parsed.raw.present).max()) > 1_000:
            yield saw("dates-century", parsed.dates.name, numbers=(epoch, 1970, parsed.sampled))
        elif far > _MOST and not _written(parsed):
            yield saw("dates-century", parsed.dates.name, numbers=(far, int(years.max()), parsed.sampled))


def _written(parsed: Parsed) -> bool:
    """True if the years have four digits in the text: then they are meant."""
    texts = [one for one in parsed.raw.present.tolist()[:1_000] if type(one) is str]
    return not texts or sum(any(str(year) in one for year in range(_FAR, 2100)) for one in texts) > 0


def _says(seen: Sighting) -> str:
    share, year, sampled = seen.numbers
    where = "in 1970" if year == 1970 else f"after {_FAR}, up to {year:.0f}"
    return f"In {shown(seen.names[0])}, {about(sampled)}{percent(share)} of dates are {where}."


_BORN: Final = """import pandas as pd
df = pd.DataFrame({"born": ["03.05.52", "04.11.61", "17.01.88", "30.08.57"], "day": range(20240105, 20240109)})"""
RULE: Final = Rule(
    id="dates-century",
    looks=_looks,
    says=_says,
    tells="Dates are in the wrong century.",
    remedy="Give the format (and unit=…) of the values; subtract 100 years from dates in the future.",
    bad=Case(_BORN, 'df["born"] = pd.to_datetime(df["born"], format="%d.%m.%y")'),
    good=Case(_BORN, 'df["date"] = pd.to_datetime(df["day"], format="%Y%m%d")'),
)
