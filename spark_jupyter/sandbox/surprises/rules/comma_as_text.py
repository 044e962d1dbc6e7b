"""Rule comma-as-text: numbers with a decimal comma were read as text.

Text sorts and joins as text, and a mean of it fails or is left out; a table from a German or French program looks right all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.cell_change import Change
from spark_jupyter.sandbox.surprises.surprise_rule import Case, Rule, saw, shown

_FEWEST: Final = 4
_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?(?: ?[€%])?")
_COMMA: Final = re.compile(r"\d,\d{1,2}(?!\d)")
"""``1,234`` may be a thousand."""


def _looks(change: Change) -> Iterator[Sighting]:
    made_of_another = {pair.name for pair in change.pairs}
    known = {column for table in change.before.tables.values() for column in table.columns}
    for name, table in change.made.items():
        for column in table.columns.values():
            if name in made_of_another or column.kind != "text" or column.name in known:
                continue
            texts = [text.strip() for text in column.present.tolist()]
            comma = next((text for text in texts if _COMMA.search(text)), None)
            if comma is None or comma in change.source:  # what the code writes as text is meant
                continue
            if len(texts) >= _FEWEST and all(map(_NUMBER.fullmatch, texts)):
                yield saw("comma-as-text", column.name, comma)


def _says(seen: Sighting) -> str:
    name, text = map(shown, seen.names)
    return f"{name} is text: its numbers have a decimal comma, such as {text}."


_BEFORE: Final = """import io
import pandas as pd
german = "shop;total;sizes\\nA;1.234,50;1,2,3\\nB;7,25;2\\nC;12,00;1,3\\nD;99,5;3\\n\""""
RULE: Final = Rule(
    id="comma-as-text",
    looks=_looks,
    says=_says,
    tells="A column of numbers with a decimal comma was read as text.",
    remedy="Make them numbers before you calculate: take the points out, put a point for the comma, and use pd.to_numeric.",
    bad=Case(_BEFORE, 'df = pd.read_csv(io.StringIO(german), sep=";")'),
    good=Case(_BEFORE, 'df = pd.read_csv(io.StringIO(german), sep=";", decimal=",", thousands=".")'),
)
