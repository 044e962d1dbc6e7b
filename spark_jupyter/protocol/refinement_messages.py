"""Messages about refinements: proven, faster texts of cells that ran.

One is an offer: shown quietly, written by nobody until a person asks for it ("refine this", as a turn) and accepts.
"""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.protocol.values import CellId


class Refined(Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """There is a better text for the cell whose text has this hash (see :func:`spark_jupyter.protocol.notebook.content_hash`). ``words``
    say
    what it does and what it gains: "sum the columns at once: 2.1 s → 0.1 s, 21×". ``digits``: what comes out is the same to so many digits,
    since sums are rounded otherwise; 0: the same."""

    cell_id: CellId
    source_hash: str
    words: str
    digits: int = 0
