"""Messages about next edits: what should follow an edit.

An offer is for the browser that asked, unlogged, and stale when a cell that it is about holds another text: each edit says by a hash which
text it is of, and none by a place in it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from spark_jupyter.protocol.values import CellId, NotebookCell

LONGEST_BEFORE = 100_000
"""Characters of a cell whose edits are followed."""


class NextEdit(Struct, frozen=True, kw_only=True):
    """New text for one cell: ``source`` in place of the text whose hash is ``source_hash``
    (see :func:`spark_jupyter.protocol.notebook.content_hash`)."""

    cell_id: CellId
    source_hash: str
    source: str


class Edited(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A cell that a person has edited, and the text that it held ``before``. ``offered`` are next edits that were offered and are wanted
    now; without them they are looked for again."""

    cell_id: CellId
    before: Annotated[str, Meta(max_length=LONGEST_BEFORE)]
    offered: tuple[NextEdit, ...] = ()


ByModel = Literal["never", "local", "always"]
"""Models that may be asked if syntax trees give no answer: none, those served on this machine, or any."""


class FindNextEdits(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Ask what should follow an edit; answered by :class:`NextEdits`, to who asked alone. ``cells`` are the notebook's, as they are now;
    their outputs are not needed. It takes the place of what this browser asked earlier."""

    offer_id: CellId
    edited: Edited
    cells: tuple[NotebookCell, ...]
    by_model: ByModel = "never"


class NextEdits(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Edits that should follow, in the order of the notebook; without ``edits``, nothing. ``words`` say what it is ("rename `df` to
    `sales`"). ``by_model``: a model has thought of it; who takes it says what was ``offered``."""

    offer_id: CellId
    words: str = ""
    edits: tuple[NextEdit, ...] = ()
    by_model: bool = False
