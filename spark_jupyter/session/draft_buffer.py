"""What one answer has written: its notes and drafts, in the order in which they came, and what of that is still to be told. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from spark_jupyter.prompting.conversation import Answer, Note
from spark_jupyter.prompting.repeated_notes import RepeatedNotes
from spark_jupyter.protocol.messages import CellsChanged, Event, NotesAdded
from spark_jupyter.protocol.values import CellChange, TurnId
from spark_jupyter.session.draft import Draft


class DraftBuffer:
    """Begins with what stands of the answer before: its ``notes`` and the ``previous`` drafts."""

    def __init__(self, turn_id: TurnId, *, notes: str = "", previous: Sequence[Draft] = ()) -> None:
        self.notes = notes
        self.drafts: dict[str, Draft] = {draft.cell_id: draft for draft in previous}
        """By cell."""
        self._turn_id = turn_id
        self._repeats = RepeatedNotes(notes)
        self._said: list[str | Draft] = [*([notes] if notes else []), *previous]
        self._events: list[Event] = []
        self._changes: list[CellChange] = []

    def events_to_send(self) -> list[Event]:
        """The events since the last call."""
        events, self._events = [*self._events, *self._changed()], []
        return events

    def answer(self) -> Answer:
        """What stands of it."""
        return Answer(tuple(Note(said) if isinstance(said, str) else said.block() for said in self._said))

    def hear(self, text: str) -> None:
        """More of a note, as the model wrote it: what the answer before said in the same words is not said again."""
        self.note(self._repeats.feed(text))

    def end_note(self) -> None:
        """The note is whole."""
        self.note(self._repeats.flush())

    def note(self, text: str) -> None:
        """Add to the notes."""
        if not text:
            return
        self.notes += text
        if self._said and isinstance(self._said[-1], str):
            self._said[-1] += text
        else:
            self._said.append(text)
        self.tell(NotesAdded(turn_id=self._turn_id, text=text))

    def put(self, draft: Draft) -> None:
        """A draft begins."""
        self.drafts[draft.cell_id] = draft
        self._said.append(draft)

    def remove(self, draft: Draft) -> None:
        """A draft goes."""
        del self.drafts[draft.cell_id]
        self._said.remove(draft)

    def end_with(self, draft: Draft) -> None:
        """Nothing that was said after this draft stands any more."""
        del self._said[self._said.index(draft) + 1 :]

    def emit(self, change: CellChange) -> None:
        """Tell a change of a cell, together with those that follow it at once."""
        self._changes.append(change)

    def tell(self, event: Event) -> None:
        """Tell something, behind the changes that came before it."""
        self._events += self._changed()
        self._events.append(event)

    def _changed(self) -> list[Event]:
        """The changes since the last event, in one."""
        changes, self._changes = tuple(self._changes), []
        return [CellsChanged(turn_id=self._turn_id, changes=changes)] if changes else []
