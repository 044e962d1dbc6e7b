"""Rule dates-mixed: day and month in both orders in a column.

``13/02/2024`` can only be the 13th of February, so ``02/03/2024`` beside it is hardly the 3rd of February; a parser that looks at each
value by itself reads it so. Dates with dots are written day first wherever dots are used (Unicode's CLDR); of ``02/03/2024`` alone
nobody can say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.rules._parsed_dates import parsed_in
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown

_WRITTEN: Final = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2\d{4}\b")


def _looks(change: Change) -> Iterator[Sighting]:
    for raw, dates, _sampled in parsed_in(change):
        if raw.kind != "text" or len(raw.values) != len(dates.values):
            continue
        first: dict[tuple[str, bool], str] = {}  # by mark, and whether the day was read first: a value
        is_plain = "%m.%d" not in change.source  # nothing says that the month comes first
        for text, moment, missing in zip(
            raw.values.tolist(), dates.values.tolist(), dates.missing.tolist(), strict=True
        ):
            found = _WRITTEN.match(text) if isinstance(text, str) and not missing else None
            if found is None or found[1] == found[3]:
                continue
            written, read = (int(found[1]), int(found[3])), (moment.day, moment.month)
            if read not in (written, written[::-1]):
                first.clear()  # moved, or of another row: nothing tells how it was read
                break
            first.setdefault((found[2], written == read), text)
            is_plain = is_plain and written[1] <= 12
        for mark in "./-":
            if (mark, True) in first and (mark, False) in first:
                yield saw("dates-mixed", dates.name, first[mark, True], first[mark, False])
        if (".", False) in first and (".", True) not in first and is_plain:
            yield saw("dates-mixed", dates.name, first[".", False])


def _says(seen: Sighting) -> str:
    name, day, *months = map(shown, seen.names)
    if not months:
        return f"In {name} the month was read first ({day}), but dates with dots have the day first."
    (month,) = months
    return f"In {name} the day comes first in some dates ({day}) and the month in others ({month})."


_BEFORE: Final = (
    'import pandas as pd\ndf = pd.DataFrame({"day": ["13/02/2024", "02/03/2024", "25/03/2024", "04/05/2024"], "n": 1})'
)
RULE: Final = Rule(
    id="dates-mixed",
    looks=_looks,
    says=_says,
    tells="Day and month were read in both orders in one column, or the month first where dots stand between.",
    remedy="Say which comes first: dayfirst=True, or read each format by itself.",
    bad=Case(_BEFORE, 'df["day"] = pd.to_datetime(df["day"], format="mixed")'),
    good=Case(_BEFORE, 'df["day"] = pd.to_datetime(df["day"], format="%d/%m/%Y")'),
)
