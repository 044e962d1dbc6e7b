"""Items of a decoded answer: notes, cells and their changes."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from spark_jupyter.protocol.values import CellChange, CellOperation, CellType, ProposalKind


class Note(Struct, frozen=True, tag=True):
    """Prose, to be appended to the turn's notes."""

    text: str


class NotesTakenBack(Struct, frozen=True, tag=True):
    """The turn's notes so far were thinking, and no part of the answer."""


class CellOpened(Struct, frozen=True, kw_only=True, tag=True):
    """From here on changes concern this cell. ``after`` is the cell above a new one, ``base`` the source of one that
    is edited. ``draft`` is what stands in it already: not empty only when a cell of the steered answer goes on or is
    written again. ``operation`` as in :class:`~.conversation.Block`."""

    cell_id: str
    kind: ProposalKind
    cell_type: CellType
    after: str | None = None
    base: str = ""
    draft: str = ""
    operation: CellOperation | None = None


class Change(Struct, frozen=True, tag=True):
    """A change of a cell that was opened, or of one of the steered answer's."""

    change: CellChange


class CellClosed(Struct, frozen=True, tag=True):
    """The cell is written whole."""

    cell_id: str


class Complaint(Struct, frozen=True, tag=True):
    """The answer broke the format; what was made of it is in ``message``. ``code``: ``unknown_cell``, ``cell_type``,
    ``reuse``."""

    code: Literal["unknown_cell", "cell_type", "reuse"]
    message: str


StreamItem = Note | NotesTakenBack | CellOpened | Change | CellClosed | Complaint


class DraftCell(Struct, frozen=True, omit_defaults=True):
    """A cell of the answer so far. ``whole_line``: the answer had ended its last line (or the block), so nothing of
    it is cut when the answer goes on."""

    cell_id: str
    kind: ProposalKind = "insert"
    cell_type: CellType = "code"
    source: str = ""
    base: str = ""
    whole_line: bool = False
