"""Messages about reviews: stale, failing and flagged cells."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from spark_jupyter.protocol.values import CellId, NotebookCell, Permission, Severity

RemarkKind = Literal["stale", "order", "gone", "fails", "untried", "finding", "surprise"]
"""``stale``: the cell is not what ran. ``order``: it ran before what it reads, or reads what only a cell below defines. ``gone``: it reads
what no cell defines. ``fails``: on Restart & Run All. ``untried``: it was stopped there by a wall, or its time was up."""
ReviewState = Literal["looking", "running", "done", "cancelled"]

MOST_REMARKS = 500
"""Remarks on one notebook."""


class Remark(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Remark on a cell. ``line`` counts from 1, None: the whole cell. ``fix`` is the cell's source with the remark resolved, where that is
    certain."""

    cell_id: str
    kind: RemarkKind
    severity: Severity
    message: str
    remedy: str = ""
    rule: str = ""
    line: int | None = None
    fix: str = ""


class Reviewed(Struct, frozen=True, kw_only=True):
    """Result of a review: ``ran`` of ``total`` cells have run from the top (None: nothing was run). See :class:`ReviewChanged`."""

    remarks: tuple[Remark, ...]
    ran: int | None = None
    total: int = 0
    problem: str = ""
    unenforced: str = ""


class BeginReview(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Review the notebook, which is ``cells``; answered by :class:`ReviewChanged`, several times. With ``run`` all of it is run, too, in a
    fresh confined process and a copy of the folder, ``allow`` as in :class:`~spark_jupyter.protocol.trial_messages.Try`. Of two the newest
    counts."""

    review_id: CellId
    cells: Annotated[tuple[NotebookCell, ...], Meta(max_length=5_000)]
    run: bool = False
    allow: tuple[Permission, ...] = ()


class CancelReview(Struct, frozen=True, kw_only=True, tag=True):
    """Stop a review. Its remarks so far stay."""

    review_id: CellId


class ReviewChanged(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """State of a review: all its remarks so far, in the order of the cells. ``done`` of ``total`` cells have run. ``problem`` says in a
    sentence what could not be done. ``unenforced`` as in :class:`~spark_jupyter.protocol.trial_messages.TrialResult`."""

    review_id: CellId
    state: ReviewState
    remarks: tuple[Remark, ...] = ()
    done: int = 0
    total: int = 0
    problem: str = ""
    unenforced: str = ""
