"""Incremental decoder of an answer's text into notes and cell changes.

The answer is Markdown: prose becomes notes, each fenced block a cell. What comes out depends on the characters alone,
not on how they were cut into deltas, and is told as early as it is certain. Every outcome is defined:

====================================================  ==============================================================
the answer has                                        the outcome
====================================================  ==============================================================
a Python block; py, python3, ipython, ``{python}`` …  a code cell; other words behind the language mean nothing
a Markdown block; md                                  a Markdown cell; a fence in it that names a language is nested
a block without a language                            a code cell; notes if its first line is plainly prose or output
a block in another language (bash, sql, pycon …)      notes, with the fences: the kernel speaks Python, and shell that
                                                      belongs in it is a Python cell that begins with ``%%bash``
``cell=ID``                                           an edit of that cell
``cell=ID`` of no cell                                an edit of the cell that is to be edited, where there is one and it has
                                                      no block yet; else a new cell, and a complaint
``cell=ID`` of a cell of another type                 a new cell, and a complaint
a second block for one cell                           replaces what the first wrote
the same block of three lines or more again           no second cell: the model has repeated itself
a block that prose introduces as an alternative       a note, or, where the prose recommends it, the cell; the other one is a note
a block that prose introduces as the corrected one    the cell; the drafts whose lines it repeats go
no closing fence                                      the answer's end closes. In code, outside a string, a fence with a
                                                      language can only be an opening one: it closes and opens
other words behind a closing fence                    are notes
a closing fence at the end of a line of code          closes: backticks are not Python
part of a closing fence at the answer's end           is dropped
an opening fence at the end of a line of prose        opens, if it names Python or Markdown and the line is no quotation
a fence that is indented or behind a list marker      opens; as much indentation is taken from the block's lines
a bare fence in an open triple-quoted string          is content if the string is closed later; it ended the block if
                                                      not, or if the next fence opens a block. After one that did, every
                                                      bare fence ends its block
tildes, longer fences                                 as in CommonMark: the closing one is alike, and no shorter
no fence at all                                       judged by the first line that is not blank and does not begin
                                                      with # (its first 200 characters): plainly Python → a code cell,
                                                      up to the first line that is plainly prose; else notes. Lines
                                                      with # before it are its comments, else headings
a sentence in a block of code, outside a string       notes: before the code it alone, behind code also what follows up to
                                                      the fence. A line is a sentence if it has no indentation, begins with
                                                      a capital letter or like a list, and has two words beside each other
thinking (``<think>``, harmony channels, an end tag   is dropped, with what it had made so far
without a beginning)
``<|im_end|>`` and other tokens of chat templates     are dropped; not in a string or comment of code, or behind a backtick
a turn of the user that the model plays, behind them  is dropped, with all that follows
a line of ``###``, ``### Response:`` or ``<answer>``    is dropped; in code only if no code follows
an empty block, an empty answer                       no cell
blank lines at a cell's beginning and end             are dropped
CRLF, CR; BOM; lone surrogates and control characters LF; dropped; U+FFFD
====================================================  ==============================================================

After a Steer (``previous``): see :class:`AnswerDecoder`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spark_jupyter.prompting.alternatives import Alternatives
from spark_jupyter.prompting.answer_items import (
    CellClosed,
    CellOpened,
    Change,
    Complaint,
    DraftCell,
    Note,
    NotesTakenBack,
    StreamItem,
)
from spark_jupyter.prompting.block_events import Closed, Opened, Prose, Text
from spark_jupyter.prompting.block_reader import BlockReader
from spark_jupyter.prompting.draft_text import DraftText
from spark_jupyter.prompting.fences import Info
from spark_jupyter.prompting.thinking_filter import TakenBack, ThinkingFilter, without_thinking
from spark_jupyter.protocol.values import CellType, DeleteCell, InsertCell, ReplaceSource, Target

_SHORTEST_REPEATED = 3
"""Lines: a shorter cell may be meant twice, as ``df.head()`` before and after a step."""
ONLY_THOUGHT = "The model ended while it was thinking. Prompt again."


class AnswerDecoder:
    """One answer's text → :data:`StreamItem`.

    ``known_cells`` maps the ids of the notebook's cells, in order, to their sources; ``cell_types`` says which are
    not code. New cells are named ``{turn_id}-{n}``, n from 1, and go below each other: below ``target.after`` (None:
    the last known cell). With ``target.edit`` the first block that names no cell and is of that cell's type edits it;
    with ``target.reuse`` the first new cell of that type is written into that cell. ``several``: alternatives were asked for, and all of
    them become cells.

    ``previous`` is the answer that a Steer redirects. If the first block is labelled ``continue``, the last previous
    cell goes on from its last whole line, and the others stay. If not, the answer begins again: the n-th new cell is
    the n-th previous one (of the same type), an edit the one of the same cell. While the new text repeats the old
    nothing changes; at the first difference the rest of the old is cut. When the answer ends, previous cells that it
    has not come to go (an edit returns to its base) — unless it has no cell at all, which contradicts nothing.
    """

    def __init__(
        self,
        turn_id: str,
        *,
        target: Target,
        known_cells: Mapping[str, str],
        cell_types: Mapping[str, CellType] | None = None,
        previous: Sequence[DraftCell] = (),
        several: bool = False,
    ) -> None:
        self._turn_id = turn_id
        self._target = target
        self._known = known_cells
        self._types = cell_types or {}
        self._previous = {cell.cell_id: cell for cell in previous}
        self._inserts = [cell.cell_id for cell in previous if cell.kind == "insert"]
        self._after = target.edit or target.reuse or target.after or next(reversed(list(known_cells)), None)
        self._first_after = self._after
        self._count = 0  # ids given
        self._new = 0  # new cells written
        self._reuse = target.reuse
        self._written: dict[str, DraftText] = {}
        self._draft: DraftText | None = None
        self._continued = False
        self._several = several
        self._alternatives = Alternatives(several=several)
        self._thinking = ThinkingFilter()
        self._blocks = self._reader()

    @property
    def unclosed(self) -> bool:
        """True if the answer, now that it is whole, has ended inside of a block for a cell: perhaps it was cut there."""
        return self._blocks.unclosed

    @property
    def visited(self) -> int:
        """Characters looked at so far, in all passes: the measure of the work."""
        return self._blocks.visited

    def _reader(self) -> BlockReader:
        edit = self._target.edit
        editing = edit is not None and self._types.get(edit, "code") == "code"
        return BlockReader(editing=editing, first_line=self._known.get(edit or "", "").partition("\n")[0])

    def decode(self, text: str) -> list[StreamItem]:
        """Return the items that are certain with this much more of the answer."""
        return self._read(self._thinking.decode(text))

    def _read(self, pieces: Sequence[str | TakenBack]) -> list[StreamItem]:
        items: list[StreamItem] = []
        for piece in pieces:
            items += self._take_back() if isinstance(piece, TakenBack) else self._read_answer(piece)
        return items

    def _take_back(self) -> list[StreamItem]:
        """All that was told so far was thinking: its cells go, and what they had changed is as it was."""
        items: list[StreamItem] = [NotesTakenBack()]
        for cell_id, draft in self._written.items():
            old = self._previous.get(cell_id)
            kept = [Change(ReplaceSource(cell_id=cell_id, source=old.source))] if old is not None else None
            items += self._withdraw(draft.cell) if kept is None else kept
        self._after = self._first_after
        self._written, self._draft, self._new, self._continued = {}, None, 0, False
        self._blocks, self._alternatives = self._reader(), Alternatives(several=self._several)
        return items

    def _read_answer(self, text: str) -> list[StreamItem]:
        items: list[StreamItem] = []
        for event in self._blocks.decode(text):
            if isinstance(event, Text) and self._draft is not None:
                items += self._draft.write(event.text)
            else:
                items += self._take(event)
        return items

    def flush(self) -> list[StreamItem]:
        """The answer is whole. The rest of it, and the end of what it replaces."""
        items = self._rest()
        if self._draft is not None:
            draft, self._draft = self._draft, None
            items += self._close(draft)
        items += self._choose_other()
        if self._written and not self._continued:
            for cell in self._previous.values():
                if cell.cell_id not in self._written:
                    items += self._withdraw(cell)
        return items

    def abandon(self, *, resumable: bool = True) -> list[StreamItem]:
        """The turn was cancelled, or cut: the rest of what came. What was not contradicted yet stays.

        ``resumable``: a last line that the answer had ended gets its line feed, so that it is known to be whole if an
        answer goes on from here.
        """
        ended = self._blocks.at_line_end
        items = self._rest()
        if self._draft is not None:
            if resumable and ended:
                items += self._draft.write("\n")
            items.append(CellClosed(self._draft.cell.cell_id))
        self._draft = None
        return items

    def _rest(self) -> list[StreamItem]:
        """Return the items held back, but for the end of the block that is open."""
        held = self._read(self._thinking.flush())
        if self._thinking.thinking and not self._written:
            held.append(Note(ONLY_THOUGHT))
        return [*held, *self._rest_of_blocks()]

    def _rest_of_blocks(self) -> list[StreamItem]:
        events = self._blocks.flush()
        if events and isinstance(events[-1], Closed):
            events.pop()
        return [*(item for event in events for item in self._take(event)), *self._end_other()]

    def _take(self, event: Prose | Opened | Text | Closed) -> list[StreamItem]:
        match event:
            case Prose(text):
                self._alternatives.read_prose(text)
                return [Note(text)]
            case Opened(info):
                if info.kind != "markdown" and self._alternatives.open():
                    return [Note("\n```python\n")]
                return self._open(info)
            case Text(text):
                if self._draft is not None:
                    return self._draft.write(text)
                self._alternatives.read_other(text)
                return [Note(text)]
            case Closed():
                draft, self._draft = self._draft, None
                return self._close(draft) if draft else self._end_other()

    def _close(self, draft: DraftText) -> list[StreamItem]:
        """The cell is whole. A longer one that says the same as an earlier new one is that one's draft once more, and goes."""
        cell, text = draft.cell, draft.text.strip()
        others = [one for one in self._written.values() if one is not draft and one.cell.kind == "insert"]
        earlier = {one.cell.cell_id: one.text.strip() for one in others}
        if cell.kind == "insert" and text.count("\n") >= _SHORTEST_REPEATED - 1 and text in earlier.values():
            self._forget(cell.cell_id)
            return [Change(DeleteCell(cell_id=cell.cell_id))]
        items = draft.close()
        if cell.cell_type == "code":
            gone = self._alternatives.close(cell.cell_id, text, earlier)
            for cell_id in [one for one in gone if one not in self._previous]:
                items += self._withdraw(self._written[cell_id].cell)
                self._forget(cell_id)
            items += [Note(note) for note in gone.values() if note]
        return items

    def _end_other(self) -> list[StreamItem]:
        return [Note(end)] if (end := self._alternatives.end_other()) else []

    def _forget(self, cell_id: str) -> None:
        del self._written[cell_id]
        self._after = next(
            (one for one, kept in reversed(self._written.items()) if kept.cell.kind == "insert"), self._first_after
        )

    def _choose_other(self) -> list[StreamItem]:
        """Put the alternative into the cell where the end of the answer recommends it, and what the cell had into a note."""
        cell_id, other, note = self._alternatives.chosen_at_end()
        if cell_id not in self._written or self._written[cell_id].cell.kind != "insert":
            return []
        draft = DraftText(self._written[cell_id].cell, fresh=True)
        items: list[StreamItem] = [self._begin(draft), Change(ReplaceSource(cell_id=cell_id, source=""))]
        items += [*draft.write(other), *draft.close(), Note(note)]
        self._draft = None
        return items

    # --- which cell a block is ---------------------------------------------------------------------------------------

    def _open(self, info: Info) -> list[StreamItem]:
        cell_type: CellType = "markdown" if info.kind == "markdown" else "code"
        if info.resume and not self._written and self._previous:
            last = list(self._previous.values())[-1]
            if info.kind == "any" or last.cell_type == cell_type:
                return self._resume(last)
        if info.kind == "any" and info.cell:
            cell_type = self._type_of(info.cell) or "code"
        edit = self._target.edit
        edits = edit is not None and edit not in self._written and self._types.get(edit, "code") == cell_type
        if info.cell:
            if self._type_of(info.cell) == cell_type:
                return self._named(info.cell, cell_type)
            if edit is not None and edits and self._type_of(info.cell) is None:
                return self._named(edit, cell_type)  # only one cell can be meant
            return [self._complaint(info.cell, cell_type), *self._insert(cell_type)]
        if edit is not None and edits:
            return self._named(edit, cell_type)
        return self._insert(cell_type)

    def _type_of(self, cell_id: str) -> CellType | None:
        """The type of a cell that a block may name; None if there is no such cell."""
        if cell_id in self._written:
            return self._written[cell_id].cell.cell_type
        if cell_id in self._previous:
            return self._previous[cell_id].cell_type
        return self._types.get(cell_id, "code") if cell_id in self._known or cell_id == self._target.edit else None

    def _complaint(self, cell_id: str, cell_type: CellType) -> Complaint:
        if self._type_of(cell_id) is None:
            return Complaint(
                "unknown_cell", f"The answer names a cell {cell_id[:64]!r} that does not exist; it became a new cell."
            )
        return Complaint(
            "cell_type", f"The answer has {cell_type} for cell {cell_id!r}, which is not; it became a new cell."
        )

    def _named(self, cell_id: str, cell_type: CellType) -> list[StreamItem]:
        """A block for an existing cell: a second one (which replaces the first), the one of the steered answer, or a new edit."""
        if cell_id in self._written:
            again = self._written[cell_id].cell
            emptied = ReplaceSource(cell_id=cell_id, source="")
            return [self._begin(DraftText(again, fresh=True)), Change(emptied)]
        if cell_id in self._previous:
            return [self._begin(DraftText(self._previous[cell_id]))]
        base = self._known.get(cell_id, "")
        return [self._begin(DraftText(DraftCell(cell_id=cell_id, kind="edit", cell_type=cell_type, base=base)))]

    def _resume(self, cell: DraftCell) -> list[StreamItem]:
        """The last previous cell goes on, from its last whole line."""
        self._continued = True
        self._reuse = None
        others = [cell_id for cell_id in self._inserts if cell_id != cell.cell_id]
        self._after = others[-1] if others else self._after
        draft = DraftText(cell, fresh=True)
        items: list[StreamItem] = [self._begin(draft)]
        whole = cell.source if cell.whole_line else cell.source[: cell.source.rfind("\n") + 1]
        if whole != cell.source:
            items.append(Change(ReplaceSource(cell_id=cell.cell_id, source=whole)))
        if whole and not whole.endswith("\n"):
            items += draft.write("\n")
        return items

    def _insert(self, cell_type: CellType) -> list[StreamItem]:
        """A new cell: the one that stood at its place before the Steer, the one to be reused, or one more."""
        self._new += 1
        if self._new <= len(self._inserts) and not self._continued:
            old = self._previous[self._inserts[self._new - 1]]
            if old.cell_type == cell_type and old.cell_id not in self._written:
                return [self._begin(DraftText(old))]
        reuse, self._reuse = self._reuse, None
        if reuse is not None and reuse not in self._previous:
            empty = not self._known.get(reuse, "").strip()
            if empty and self._types.get(reuse, "code") == cell_type:
                return self._write_into(reuse, cell_type)
            if not empty:
                complaint = Complaint(
                    "reuse", f"Cell {reuse!r} is not empty; the answer went into a new cell below it."
                )
                return [complaint, *self._insert_below(cell_type)]
        return self._insert_below(cell_type)

    def _write_into(self, cell_id: str, cell_type: CellType) -> list[StreamItem]:
        opened = self._begin(DraftText(DraftCell(cell_id=cell_id, cell_type=cell_type)))
        if self._known.get(cell_id, ""):
            return [opened, Change(ReplaceSource(cell_id=cell_id, source=""))]
        return [opened]

    def _insert_below(self, cell_type: CellType) -> list[StreamItem]:
        self._count += 1
        while (cell_id := f"{self._turn_id}-{self._count}") in self._known or cell_id in self._previous:
            self._count += 1
        after = self._after
        opened = self._begin(DraftText(DraftCell(cell_id=cell_id, cell_type=cell_type)))
        return [opened, Change(InsertCell(cell_id=cell_id, cell_type=cell_type, after=after))]

    def _begin(self, draft: DraftText) -> CellOpened:
        cell = draft.cell
        after = None
        if cell.kind == "insert" and cell.cell_id not in self._written:
            after = None if self._after == cell.cell_id else self._after
            self._after = cell.cell_id
        self._draft = self._written[cell.cell_id] = draft
        return CellOpened(
            cell_id=cell.cell_id,
            kind=cell.kind,
            cell_type=cell.cell_type,
            after=after,
            base=cell.base,
            draft=cell.source,
        )

    def _withdraw(self, cell: DraftCell) -> list[StreamItem]:
        """A previous cell that the new answer has not come to."""
        if cell.kind == "edit":
            restored = cell.base
        elif cell.cell_id == self._target.reuse:
            restored = ""
        else:
            return [Change(DeleteCell(cell_id=cell.cell_id))]
        if cell.source == restored:
            return []
        return [Change(ReplaceSource(cell_id=cell.cell_id, source=restored))]


def spoken(answer: str) -> str:
    """A whole answer as the model gets it again: tokens of chat templates in it would end its turns."""
    return BlockReader().spoken(without_thinking(answer))
