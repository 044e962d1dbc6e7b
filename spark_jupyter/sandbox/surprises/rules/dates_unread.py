"""Rule dates-unread: dates in a second format became missing.

``errors="coerce"`` with one format loses all dates that are written in another one, without a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.rules._parsed_dates import parsed_in
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, about, percent, saw, shown

_MOST: Final = 0.05


def _looks(change: Change) -> Iterator[Sighting]:
    for raw, dates, sampled in parsed_in(change):
        written = [one for one in raw.present.tolist() if type(one) is not str or any(map(str.isdigit, one))]
        lost = len(written) - len(dates.present)
        if raw.kind == "text" and len(dates.present) and written and lost / len(written) > _MOST:
            yield saw("dates-unread", dates.name, numbers=(lost / len(written), sampled))


def _says(seen: Sighting) -> str:
    share, sampled = seen.numbers
    return f"In {shown(seen.names[0])}, {about(sampled)}{percent(share)} of the values could not be read as dates."


_BEFORE: Final = (
    'import pandas as pd\ndf = pd.DataFrame({"day": ["2024-01-05", "2024-01-06", "07.01.2024", "2024-01-08"], "n": 1})'
)
RULE: Final = Rule(
    id="dates-unread",
    looks=_looks,
    says=_says,
    tells="Dates that are written in another way than most became missing.",
    remedy='The column mixes formats: use format="mixed", or read each format by itself; look at the values that are lost.',
    bad=Case(_BEFORE, 'df["day"] = pd.to_datetime(df["day"], errors="coerce")'),
    good=Case(_BEFORE, 'df["day"] = pd.to_datetime(df["day"], format="mixed", dayfirst=True)'),
)
