"""Decoder of one streamed answer into notes, cells and findings.

An :class:`AnswerWriter` decodes the text (:mod:`spark_jupyter.prompting.answer_decoder`), updates the drafts and has every code cell
watched. At the first blocking finding it takes the offending statement off its draft and writes nothing after it. The
:class:`~spark_jupyter.session.generation.Generation` decides what follows: a correction, or nothing more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from spark_jupyter.prompting import answer_items
from spark_jupyter.prompting.alternatives import asks_for_several
from spark_jupyter.prompting.answer_decoder import AnswerDecoder
from spark_jupyter.prompting.answer_items import CellClosed, CellOpened, Change, Complaint, StreamItem
from spark_jupyter.prompting.conversation import Answer
from spark_jupyter.prompting.hint_filter import HintFilter
from spark_jupyter.protocol.messages import Event, Problem, Prompt
from spark_jupyter.protocol.proposal_messages import Findings, ProposalChanged
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import AppendSource, CellChange, DeleteCell, Finding, InsertCell, ReplaceSource
from spark_jupyter.session.actions import InspectCell
from spark_jupyter.session.answer_guard import answer_guard
from spark_jupyter.session.answer_limits import MOST_CELLS, NOT_REWRITTEN
from spark_jupyter.session.answer_replay import replay
from spark_jupyter.session.cut_place import place_of_cut
from spark_jupyter.session.draft import Draft, open_draft
from spark_jupyter.session.draft_buffer import DraftBuffer
from spark_jupyter.session.finding_groups import grouped
from spark_jupyter.session.proposal_store import ProposalStore
from spark_jupyter.session.rehearsal_feed import RehearsalAction, RehearsalFeed, Rehearse
from spark_jupyter.session.shared_state import SharedState
from spark_jupyter.session.trial_failures import cell_failure
from spark_jupyter.session.unrun_cells import can_rehearse, unrun_above
from spark_jupyter.source.cutting import split_at_statement


class Continuation(Struct, frozen=True, kw_only=True):
    """Drafts and notes that an earlier answer of the turn left. ``serial`` numbers the copies of its rehearsals."""

    drafts: tuple[Draft, ...] = ()
    notes: str = ""
    serial: int = 0


class AnswerWriter:
    """Writes the answer to one request into drafts. ``store`` gets the proposals: the session's, or an attempt's own."""

    def __init__(
        self,
        prompt: Prompt,
        shared: SharedState,
        store: ProposalStore,
        *,
        rehearse: Rehearse = "off",
        continues: Continuation | None = None,
    ) -> None:
        earlier = continues or Continuation()
        self.objection: tuple[tuple[Finding, ...], str] | None = None
        """The blocking findings for which writing has stopped, and the statement that was taken off."""
        self._prompt = prompt
        self._turn_id = prompt.turn_id
        self._shared = shared
        self._store = store
        self._buffer = DraftBuffer(self._turn_id, notes=earlier.notes, previous=earlier.drafts)
        self._cells = {cell.id: cell for cell in prompt.cells}
        self._answer_guard = answer_guard(prompt, shared.guard, shared.dialogue.cover)
        self._inspect: list[InspectCell] = []
        self._abandoned = False
        self._cut_short = False
        self._is_full = False
        self._rehearse: Rehearse = rehearse
        self.rehearsal = RehearsalFeed(
            self._turn_id,
            earlier.serial,
            mode=rehearse,
            unrun=unrun_above(prompt),
            earlier=[
                (draft.cell_id, shared.dialogue.cover(draft.source))
                for draft in earlier.drafts
                if can_rehearse(draft, prompt)
            ],
        )
        if any(draft.kind == "edit" and not can_rehearse(draft, prompt) for draft in earlier.drafts):
            self.rehearsal.stop()
        self._hint = None
        if prompt.hint:
            self._hint = HintFilter(prompt.hint, "\n".join((prompt.text, *(cell.source for cell in prompt.cells))))
        self._decoder = AnswerDecoder(
            self._turn_id,
            target=prompt.target,
            known_cells={cell.id: cell.source for cell in prompt.cells},
            cell_types={cell.id: cell.cell_type for cell in prompt.cells},
            previous=[draft.value() for draft in earlier.drafts],
            several=asks_for_several(prompt.text),
        )

    def successor(self, turn_id: str) -> AnswerWriter:
        """The writer of the answer after a steer or a correction. It takes over the drafts."""
        self.rehearsal.stop()
        drafts = tuple(self._drafts.values())
        for draft in drafts:
            draft.turn_id = turn_id
        return AnswerWriter(
            structs.replace(self._prompt, turn_id=turn_id),
            self._shared,
            self._store,
            rehearse=self._rehearse,
            continues=Continuation(
                drafts=drafts,
                notes=self._buffer.notes if turn_id == self._turn_id else "",
                serial=self.rehearsal.serial + 1,
            ),
        )

    @property
    def _drafts(self) -> dict[str, Draft]:
        return self._buffer.drafts

    @property
    def notes(self) -> str:
        return self._buffer.notes

    # --- state that the owner drains ---------------------------------------------------------------------------------

    def events_to_send(self) -> list[Event]:
        """The events since the last call."""
        return self._buffer.events_to_send()

    def actions_to_take(self) -> list[InspectCell | RehearsalAction]:
        """The actions since the last call: statements to run in a copy, code cells to inspect."""
        cells, self._inspect = self._inspect, []
        return [*self.rehearsal.actions_to_take(), *cells]

    def take_objection(self) -> tuple[tuple[Finding, ...], str]:
        """Return and clear :attr:`objection`."""
        objection, self.objection = self.objection, None
        return objection or ((), "")

    # --- text of the answer ------------------------------------------------------------------------------------------

    def write(self, text: str, *, may_cut: bool = True) -> None:
        """Decode more of the answer. After an objection nothing more is written."""
        if self._hint is not None:
            self._buffer.add_model_note(self._hint.decode(text))
            return
        self._receive(self._decoder.decode(text), may_cut)

    def finish(self, *, may_cut: bool = True, cut_short: bool = False) -> None:
        """End the answer and close its open cells. Where it was ``cut_short``, the model did not choose its end: what is missing there is
        named, and not corrected."""
        self._cut_short = cut_short
        if self._hint is not None:
            self._buffer.add_model_note(self._hint.flush())
        self._receive(self._decoder.flush(), may_cut)
        if self.objection is None:
            self._close_all()
            self.rehearsal.finish()

    def abandon(self, shown: Mapping[str, str] | None = None) -> None:
        """Stop. The text stays, also that of an earlier answer which this one had not yet contradicted. Where ``shown`` says what the user
        has on the screen (by cell), later text is taken back."""
        self._abandoned = True
        self.rehearsal.stop()
        if self._hint is not None:
            self._buffer.add_model_note(self._hint.flush())
        self._receive(self._decoder.abandon(resumable=False), may_cut=False, closing=False)  # behind what is taken back
        if shown is not None:
            self._go_back(shown)
        self._close_all()

    def hand_over(self) -> None:
        """Leave the drafts open for the successor (a steer), with the text that was held back."""
        self.rehearsal.stop()
        self._receive(self._decoder.abandon(), may_cut=False, closing=False)
        self._buffer.end_note()

    def reopen(self) -> None:
        """Continue an answer that was cut for its length: the last cell is open again, and its incomplete line is removed."""
        draft = next(reversed(self._drafts.values()), None)
        if draft is None or not self.is_unclosed:
            return
        draft.source = draft.source[: draft.source.rfind("\n") + 1]
        draft.state, draft.findings, draft.unfinished, draft.inspecting = "streaming", (), "", False
        self._buffer.add_change(ReplaceSource(cell_id=draft.cell_id, source=draft.source))
        self._send_findings(draft, ())

    @property
    def is_unclosed(self) -> bool:
        """True if the whole answer has ended inside of a block."""
        return self._decoder.unclosed

    @property
    def is_full(self) -> bool:
        """True if the answer has more cells than a turn may have; the first one too many was not opened."""
        return self._is_full

    @property
    def is_cut_hint(self) -> bool:
        """True if it is a hint that gave more than its step, and was cut there."""
        return self._hint is not None and self._hint.is_cut

    def is_open(self, cell_id: str) -> bool:
        draft = self._drafts.get(cell_id)
        return draft is not None and draft.state == "streaming"

    def add_findings(self, cell_id: str, findings: Sequence[Finding], *, may_cut: bool = True) -> None:
        """Add findings of a slower check to a draft that is still open."""
        self._found(self._drafts[cell_id], self._shared.guard.judged(findings), may_cut)

    def object_to(self, cell_id: str, finding: Finding) -> bool:
        """Cut a cell for a finding of its rehearsal, and remove the cells behind it.

        Returns False, and changes nothing, where the finding does not block or the user has decided on one of these cells."""
        judged = self._shared.guard.judged([finding])
        later = list(self._drafts)[list(self._drafts).index(cell_id) :] if cell_id in self._drafts else []
        drafts = [self._drafts[one] for one in later]
        if not drafts or not judged[0].blocks or any(one.decided for one in drafts):
            return False
        self._remove_behind(drafts[0])
        drafts[0].state, drafts[0].inspecting = "streaming", False
        self._found(drafts[0], judged, may_cut=True)
        if self.objection is None:
            return False
        next(reversed(self._drafts.values())).repairs += 1
        return True

    def begin_repair(self, failure: TrialResult) -> str:
        """Count a repair of the cell that failed in the copy. Returns what is wrong, in our own words for the model."""
        draft = self._drafts.get(failure.cell_id)
        if draft is not None:
            draft.repairs += 1
        number = list(self._drafts).index(failure.cell_id) + 1 if draft is not None else 0
        source, findings = (draft.source, draft.findings) if draft is not None else ("", ())
        return cell_failure(failure, number=number, source=source, findings=findings)

    def answer(self) -> Answer:
        return self._buffer.answer()

    def add_activity(self, text: str) -> None:
        """Append to the notes what is no part of the answer."""
        self._buffer.add_activity(text)

    def adopt(self, answer: Answer) -> None:
        """Change the drafts into those of ``answer``, cell by cell."""
        self._buffer.add_note(answer.notes)
        self._receive(replay(answer, self._drafts, self._cells), may_cut=False)
        self._close_all()
        self.rehearsal.finish()

    # --- inside ------------------------------------------------------------------------------------------------------

    def _receive(self, items: Sequence[StreamItem], may_cut: bool, closing: bool = True) -> None:
        for item in items:
            if self.objection is not None or self._is_full:
                return
            match item:
                case answer_items.Note(text=text):
                    self._buffer.add_model_note(text)
                case answer_items.NotesTakenBack():
                    self._buffer.take_back_notes()
                case CellOpened():
                    self._buffer.end_note()
                    self._open(item)
                case Change(change=change):
                    self._change(change, may_cut)
                case CellClosed(cell_id=cell_id):
                    if closing:
                        self._close(self._drafts[cell_id], may_cut)
                case Complaint(code=code, message=message):
                    self._buffer.send(Problem(code=code, message=message, turn_id=self._turn_id))

    def _open(self, item: CellOpened) -> None:
        draft = self._drafts.get(item.cell_id)
        if draft is None and len(self._drafts) >= MOST_CELLS:
            self._is_full = True
            return
        if draft is None:
            draft = open_draft(item, self._turn_id, earlier=self._store.draft(item.cell_id))
            draft.fixes = self._prompt.intent == "fix"
            draft.reused = draft.kind == "insert" and draft.cell_id in self._cells
            self._buffer.add_draft(draft)
            for event in self._store.put(draft):
                self._buffer.send(event)
        draft.state = "streaming"
        draft.inspecting = False
        self._buffer.send(ProposalChanged(proposal=draft.proposal()))
        if draft.cell_type == "code":
            had_findings = bool(draft.findings)
            self._found(draft, self._answer_guard.open(draft), may_cut=False)
            if had_findings and not draft.findings:
                self._send_findings(draft, ())
            if not can_rehearse(draft, self._prompt):
                self.rehearsal.stop()  # the cells behind it need the edit, and the kernel has what the old text left
            else:
                self.rehearsal.open(draft.cell_id, self._shared.dialogue.cover(draft.source))

    def _change(self, change: CellChange, may_cut: bool) -> None:
        self._buffer.add_change(change)
        draft = self._drafts.get(change.cell_id)
        if draft is None:
            return
        findings: list[Finding] = []
        match change:
            case AppendSource(text=text):
                draft.append(text)
                findings = self._answer_guard.feed(draft.cell_id, text)
            case ReplaceSource(source=source) | InsertCell(source=source):
                draft.source = source
                if self._answer_guard.watches(draft.cell_id):
                    findings = self._answer_guard.restart(draft)
            case DeleteCell():
                self._buffer.remove_draft(draft)
                self._store.remove(draft)
                self.rehearsal.remove(change.cell_id)
                return
        if findings:
            self._found(draft, findings, may_cut)
        if isinstance(change, AppendSource):
            self.rehearsal.write(change.cell_id, change.text)
        else:
            self.rehearsal.replace(change.cell_id, self._shared.dialogue.cover(draft.source))

    def _found(self, draft: Draft, findings: Sequence[Finding], may_cut: bool) -> None:
        fresh = draft.add_findings(findings)
        blocking = tuple(finding for finding in fresh if finding.blocks)
        cut = ""
        if blocking:
            self.rehearsal.stop()  # before a statement of it is handed over
        shown = draft.findings
        if blocking and may_cut:
            place, line, blamed = place_of_cut(list(self._drafts.values()), draft, blocking)
            kept, cut = split_at_statement(place.source, line)
            self.objection = (blamed, cut)
            if place is not draft:
                self._cut_earlier(place, draft, kept)
                return
            self._buffer.add_change(ReplaceSource(cell_id=draft.cell_id, source=kept))
            draft.source = kept
            self._buffer.truncate_after(draft)
        if not fresh:
            return
        draft.findings = tuple(finding for finding in shown if not (cut and finding in blocking))
        self._send_findings(draft, grouped(shown), cut=cut)

    def _send_findings(self, draft: Draft, findings: tuple[Finding, ...], *, cut: str = "") -> None:
        self._buffer.send(
            Findings(turn_id=self._turn_id, cell_id=draft.cell_id, findings=findings, cut=cut, may_run=draft.may_run)
        )

    def _cut_earlier(self, place: Draft, draft: Draft, kept: str) -> None:
        """Cut an earlier cell, which is open again, and remove the new cells behind it. The person is shown what failed."""
        cut = split_at_statement(draft.source, min(finding.line for finding in draft.findings if finding.blocks))[1]
        self._send_findings(draft, draft.grouped_findings, cut=cut)
        self._remove_behind(place)
        place.state, place.inspecting, place.findings = "streaming", False, ()
        self._buffer.add_change(ReplaceSource(cell_id=place.cell_id, source=kept))
        place.source = kept
        self._buffer.truncate_after(place)

    def _remove_behind(self, draft: Draft) -> None:
        """Remove the new cells behind a draft that is cut."""
        behind = list(self._drafts.values())
        for one in behind[behind.index(draft) + 1 :]:
            if one.kind == "insert":
                self._change(DeleteCell(cell_id=one.cell_id), may_cut=False)

    def _close(self, draft: Draft, may_cut: bool) -> None:
        if draft.kind == "insert" and not draft.source.strip():
            self._change(DeleteCell(cell_id=draft.cell_id), may_cut=False)  # an empty cell is no proposal
            return
        if draft.kind == "edit" and draft.cell_type == "code":
            known = self._shared.dialogue.restore_known(draft.source, draft.base)
            if known != draft.source:
                self._change(ReplaceSource(cell_id=draft.cell_id, source=known), may_cut=False)
        if self._answer_guard.watches(draft.cell_id):
            unfinished = self._abandoned and not draft.source.endswith("\n")
            self._found(draft, self._answer_guard.flush(draft.cell_id, unfinished=unfinished), may_cut)
            if unfinished or self._cut_short:
                draft.unfinished = self._shared.guard.missing(draft.source)
            elif self.objection is None:
                self._found(draft, self._shared.guard.parsed(draft.source), may_cut)
            if self.objection is not None:
                return
            draft.inspecting = True
            if draft.unfinished:
                self.rehearsal.stop()  # it is known not to run
            else:
                self.rehearsal.close(draft.cell_id, self._shared.dialogue.cover(draft.source))
            self._inspect.append(self._answer_guard.close(draft, unfinished=unfinished))
        elif draft.cell_type == "code":
            # it was cut, and the answer did not go on with it
            draft.unfinished = self._shared.guard.missing(draft.source) or NOT_REWRITTEN
        elif draft.cell_type == "markdown":
            self._found(draft, self._shared.guard.markdown(draft.source), may_cut=False)
        draft.state = draft.undecided_state
        self._buffer.send(ProposalChanged(proposal=draft.proposal()))

    def _go_back(self, shown: Mapping[str, str]) -> None:
        """Take back the text written after ``shown``. A statement cut since is not brought back."""
        undecided = [draft for draft in self._drafts.values() if not draft.decided]
        for draft in undecided:
            source = shown.get(draft.cell_id)
            if source is None and draft.kind == "insert":
                self._change(DeleteCell(cell_id=draft.cell_id), may_cut=False)
            elif source is not None and source != draft.source and draft.source.startswith(source):
                draft.state, draft.source = "streaming", source
                self._buffer.add_change(ReplaceSource(cell_id=draft.cell_id, source=source))
                if draft.cell_type == "code":
                    self._found(draft, self._answer_guard.restart(draft), may_cut=False)  # judged from its beginning

    def _close_all(self) -> None:
        self._buffer.end_note()
        for draft in list(self._drafts.values()):
            if draft.state == "streaming":
                self._close(draft, may_cut=False)
