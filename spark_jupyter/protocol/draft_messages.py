"""Messages about drafts: code for words that are still being typed.

A draft is for the browser in which somebody types, unlogged, and no part of the notebook. Who wants it sends a
:class:`~spark_jupyter.protocol.messages.Prompt` that ``takes`` it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from spark_jupyter.protocol.constants import LONGEST_AROUND
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import CellId, NotebookCell, Person, Target

DraftKind = Literal["markdown", "comment", "function", "cell", "prompt"]
"""What is typed: the last paragraph of a Markdown cell, a comment at the end of a code cell, the head of a function there, a code cell
that ends in the middle of a statement, or a prompt that is not sent yet."""


class SwitchDrafts(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Switch draft mode on or off for this kernel. ``budget`` is in US dollars a day; None: as it is."""

    on: bool
    budget: Annotated[float, Meta(ge=0)] | None = None


class BeginDraft(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Draft the code for ``words``, the last ``lines`` lines of a cell, or a prompt's that would go to ``target``. It takes the place of
    this browser's draft before. ``cells`` is the notebook as it is now, in order; ``by`` is who types."""

    draft_id: CellId
    cell_id: CellId
    kind: DraftKind
    words: Annotated[str, Meta(max_length=LONGEST_AROUND)]
    lines: Annotated[int, Meta(ge=0)] = 0
    cells: tuple[NotebookCell, ...] = ()
    target: Target = Target()
    by: Person | None = None


class DropDraft(Struct, frozen=True, kw_only=True, tag=True):
    """Drop a draft: the words say something else now, or it is not wanted."""

    draft_id: CellId


class DraftedCell(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A cell of a draft as it stands. ``blocked`` are the lines (from 1) that a finding blocks, ``reason`` says why. ``trial`` is what its
    copy showed, ``surprise`` the first effect that a person is told, ``repairs`` counts the repairs of one that failed."""

    source: str
    blocked: tuple[int, ...] = ()
    reason: str = ""
    trial: TrialResult | None = None
    surprise: str = ""
    repairs: int = 0


DraftState = Literal["writing", "trying", "done"]


class Drafted(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """A draft as it stands, all of it. ``done`` without cells: there is nothing to draft. ``notes`` are the words of its answer, a question
    back for instance. ``problem`` says in a sentence what kept it from being written."""

    draft_id: CellId
    state: DraftState = "writing"
    cells: tuple[DraftedCell, ...] = ()
    notes: str = ""
    problem: str = ""


class DraftMode(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whether this kernel writes drafts, and for how many US dollars a day at a provider that costs; what the ``requests`` of today have
    ``spent``."""

    on: bool = False
    budget: float = 0.0
    spent: float = 0.0
    requests: int = 0
