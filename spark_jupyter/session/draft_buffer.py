"""Notes and drafts of one answer, with the events not yet sent."""

from __future__ import annotations

from collections.abc import Sequence

from spark_jupyter.prompting.conversation import Answer, Note
from spark_jupyter.prompting.repeated_notes import RepeatedNotes
from spark_jupyter.protocol.messages import Event, NotesAdded
from spark_jupyter.protocol.proposal_messages import CellsChanged
from spark_jupyter.protocol.values import CellChange, TurnId
from spark_jupyter.session.draft import Draft


class DraftBuffer:
    """The parts of an answer in the order in which they came.

    It begins with what an earlier answer of the turn left: its ``notes`` and its ``previous`` drafts.
    """

    def __init__(self, turn_id: TurnId, *, notes: str = "", previous: Sequence[Draft] = ()) -> None:
        self.notes = self._notes_before = notes
        self.drafts: dict[str, Draft] = {draft.cell_id: draft for draft in previous}
        """By cell."""
        self._turn_id = turn_id
        self._repeats = RepeatedNotes(notes)
        self._parts: list[str | Draft] = [*([notes] if notes else []), *previous]
        self._events: list[Event] = []
        self._changes: list[CellChange] = []

    def events_to_send(self) -> list[Event]:
        events, self._events = [*self._events, *self._pending_changes()], []
        return events

    def answer(self) -> Answer:
        return Answer(tuple(Note(part) if isinstance(part, str) else part.block() for part in self._parts))

    def add_model_note(self, text: str) -> None:
        """Add note text as the model wrote it; what an earlier answer said in the same words is left out."""
        self.add_note(self._repeats.feed(text))

    def end_note(self) -> None:
        """Add what was held back of the note, which is whole now."""
        self.add_note(self._repeats.flush())

    def add_note(self, text: str) -> None:
        if not text:
            return
        self.notes += text
        if self._parts and isinstance(self._parts[-1], str):
            self._parts[-1] += text
        else:
            self._parts.append(text)
        self.send(NotesAdded(turn_id=self._turn_id, text=text))

    def add_activity(self, text: str) -> None:
        """Append to the notes what is no part of the answer: a later request does not repeat it."""
        text = f"\n\n{text}\n\n"
        self.notes += text
        self.send(NotesAdded(turn_id=self._turn_id, text=text))

    def take_back_notes(self) -> None:
        """Drop the notes of this answer: they were thinking. Those of an earlier answer of the turn stay."""
        self.notes, self._repeats = self._notes_before, RepeatedNotes(self._notes_before)
        drafts = [part for part in self._parts if not isinstance(part, str)]
        self._parts = [*([self.notes] if self.notes else []), *drafts]
        self.send(NotesAdded(turn_id=self._turn_id, text=self.notes, replaces=True))

    def add_draft(self, draft: Draft) -> None:
        self.drafts[draft.cell_id] = draft
        self._parts.append(draft)

    def remove_draft(self, draft: Draft) -> None:
        del self.drafts[draft.cell_id]
        self._parts.remove(draft)

    def truncate_after(self, draft: Draft) -> None:
        del self._parts[self._parts.index(draft) + 1 :]

    def add_change(self, change: CellChange) -> None:
        """Send a change of a cell, in one event with the changes next to it."""
        self._changes.append(change)

    def send(self, event: Event) -> None:
        """Send an event behind the changes that came before it."""
        self._events += self._pending_changes()
        self._events.append(event)

    def _pending_changes(self) -> list[Event]:
        changes, self._changes = tuple(self._changes), []
        return [CellsChanged(turn_id=self._turn_id, changes=changes)] if changes else []
