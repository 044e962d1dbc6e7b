"""Conversation of a session: kept, opened again, renamed, deleted."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from msgspec import structs

from spark_jupyter.exceptions import SessionError
from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.conversation_messages import (
    ConversationChanged,
    ConversationCommand,
    ConversationInfo,
    Conversations,
    DeleteConversation,
    ListConversations,
    NewConversation,
    OpenConversation,
    RenameConversation,
)
from spark_jupyter.protocol.deep_messages import MOST_WORKS, DeepChanged, DeepStep, DeepWork
from spark_jupyter.protocol.messages import Event, Problem, Restore, TurnEnded, TurnStarted
from spark_jupyter.protocol.proposal_messages import CellsChanged, ProposalChanged
from spark_jupyter.protocol.provenance import prompt_line
from spark_jupyter.protocol.values import DECIDED, Proposal, Turn
from spark_jupyter.records.conversation_store import ConversationStore, Header, StoredTurn
from spark_jupyter.redaction.placeholders import OURS
from spark_jupyter.session.restored_turns import with_cut_text
from spark_jupyter.session.session import Session

KEPT_EVERY = 1_000
"""Characters after which the text of an answer is written that no page shows: what comes behind it goes with the kernel."""


class ConversationKeeper:
    """The conversation that goes on, and those that are kept; without a store none are. ``notebook`` is the notebook's path, empty where
    it is not known; ``send`` tells the clients. Only used on the engine's loop."""

    def __init__(
        self,
        session: Session,
        send: Callable[[Sequence[Event]], None],
        store: ConversationStore | None,
        *,
        notebook: str = "",
    ) -> None:
        self.on = True
        """False: nothing is written."""
        self.is_shown: Callable[[], bool] = lambda: True
        """Whether a page has the notebook open: then it has the text of an answer, also when the kernel is gone."""
        self._unwritten = 0
        self._session = session
        self._send = send
        self._store = store
        self._notebook = notebook
        self._root: str | None = None
        self._entered = False
        self._failed = False
        self._current = Header(id=new_turn_id(), notebook=notebook)
        self._headers: dict[str, Header] = {}
        self._of: dict[str, str] = {}
        """The conversation of each turn; empty: deleted."""
        self._saved: dict[str, StoredTurn] = {}

    @property
    def current(self) -> ConversationChanged:
        others = [
            turn.id for turn in self._session.turns if self._of.get(turn.id, self._current.id) != self._current.id
        ]
        return ConversationChanged(id=self._current.id, title=self._current.title, others=tuple(others))

    @property
    def known(self) -> ConversationChanged | None:
        """As :attr:`current`; None where no turn could belong to another one."""
        return self.current if self._store is not None or self.current.others else None

    def enter(self, notebook: str) -> None:
        """A client says where the server has the notebook. The first time its last conversation goes on; later it was renamed."""
        if self._store is None or not notebook or not self.on:
            return
        notebook = notebook.rpartition(":")[2]  # without the name of a drive
        if self._root is None:
            self._root = self._notebook.removesuffix(notebook) if self._notebook.endswith(notebook) else ""
        before, notebook = self._notebook, self._root + notebook
        self._notebook = notebook
        try:
            if self._entered and before != notebook and not os.path.exists(before):  # or it is a copy
                self._store.move(before, notebook)
            headers = list(self._store.headers())
        except OSError:
            return  # nothing is kept where nothing can be read
        self._headers.update((header.id, header) for header in headers if header.id in self._headers)
        self._current = self._headers.get(self._current.id, structs.replace(self._current, notebook=notebook))
        mine = [header for header in headers if header.notebook == notebook]
        if not self._entered and not self._session.turns:
            for header in mine:
                self._learn(header, self._store.turns(header.id))
            if mine:
                self._open(mine[0])
        self._entered = True

    def with_kept(self, command: Restore) -> Restore:
        """The command with the turns as they are kept: a notebook has not their words."""
        kept = (self._saved[turn.id].turn if turn.id in self._saved else turn for turn in command.turns)
        return structs.replace(command, turns=tuple(kept))

    def receive_command(self, command: ConversationCommand, *, at: float) -> None:
        """Handle a command. Raises :class:`~spark_jupyter.exceptions.SessionError` where it does not fit."""
        try:
            self._receive_command(command, at=at)
        except OSError as error:
            raise SessionError(
                f"The conversations can't be read or written: {error.strerror or type(error).__name__}.",
                remedy="See that the folder spark_jupyter/conversations in `jupyter --data-dir` is yours.",
            ) from None

    def _receive_command(self, command: ConversationCommand, *, at: float) -> None:
        match command:
            case NewConversation():
                self._session.receive_command(command, at=at)
                self._begin()
            case ListConversations(query=query):
                self._send([self.listed(query)])
            case OpenConversation(id=conversation_id):
                if self._session.streaming:
                    raise SessionError("An answer is being written.", remedy="Wait for its end, or stop it.")
                header = self._found(conversation_id)
                assert self._store is not None  # or nothing would have been found
                self._learn(header, self._store.turns(header.id))
                self._store.touch(header.id)
                self._open(header)
            case RenameConversation(id=conversation_id, title=title):
                self._rename(self._found(conversation_id), prompt_line(title))
            case DeleteConversation(id=conversation_id):
                self._delete([self._found(conversation_id).id] if conversation_id else None)

    def listed(self, query: str = "") -> Conversations:
        found = self._store.search(query) if self._store is not None else {}
        infos = [
            ConversationInfo(
                id=header.id,
                title=header.title,
                changed_at=at,
                notebook=header.notebook.replace("\\", "/").rpartition("/")[2],
                here=header.notebook == self._notebook,
            )
            for header, at in found.items()
        ]
        return Conversations(
            conversations=tuple(sorted(infos, key=lambda one: not one.here)),
            query=query,
            kept=self.on and self._store is not None,
        )

    def receive(self, events: Sequence[Event]) -> list[Event]:
        """Write the turns that begin, have ended or were decided on, and state that no page shows. Returns problems to report."""
        changed: dict[str, None] = {}
        elsewhere = False
        for event in events:
            match event:
                case TurnStarted(turn=turn):
                    elsewhere |= self._of.setdefault(turn.id, self._current.id) != self._current.id
                    changed[turn.id] = None
                case CellsChanged(turn_id=turn_id, changes=changes) if not self.is_shown():
                    self._unwritten += sum(len(getattr(one, "text", "")) for one in changes)
                    if self._unwritten >= KEPT_EVERY:
                        changed[turn_id] = None
                case TurnEnded(turn_id=turn_id) | ProposalChanged(proposal=Proposal(turn_id=turn_id)):
                    changed[turn_id] = None
                case _:
                    pass
        told: list[Event] = [self.current] if elsewhere else []
        works = [one.work for one in events if isinstance(one, DeepChanged) and self._is_to_keep(one.work)]
        if not (changed or works) or self._store is None or not self.on:
            return told
        self._unwritten = 0
        try:
            for work in works:
                plan = self._plan(work)
                self._put(self._store, StoredTurn(turn=Turn(id=plan.id, prompt=plan.prompt), work=plan))
            for turn in self._session.turns:
                if turn.id in changed:
                    self._save(self._store, turn)
        except OSError as error:
            if not self._failed:
                self._failed = True
                message = f"The conversation can't be kept: {error.strerror or type(error).__name__}."
                told.append(Problem(code="conversation_not_kept", message=message, remedy="Everything else works."))
        return told

    def _save(self, store: ConversationStore, turn: Turn) -> None:
        before = self._saved.get(turn.id)
        # by anybody, so it is not kept
        told_by_notebook = before is None and self._session.history.get(turn.id) is None
        conversation_id = self._of.get(turn.id, self._current.id)
        entry = None if told_by_notebook or not conversation_id else self._entry(turn, before)
        if entry is not None and entry != before:
            self._put(store, entry)

    def _put(self, store: ConversationStore, entry: StoredTurn) -> None:
        conversation_id = self._of.setdefault(entry.turn.id, self._current.id)
        header = self._headers.get(conversation_id, self._current)
        if not header.title:
            header = structs.replace(header, title=prompt_line(entry.turn.prompt))
        store.save(header, entry)
        self._saved[entry.turn.id] = entry
        self._headers[header.id] = header
        if header.id == self._current.id:
            self._current = header

    def _entry(self, turn: Turn, before: StoredTurn | None) -> StoredTurn:
        """The turn as it is kept: always without credentials."""
        hide = self._session.dialogue.redactor.withhold
        live = self._session.history.get(turn.id)
        if streams := live is not None and live.live:
            turn = structs.replace(turn, notes=live.generation.writer.notes)
        left_to_page = streams and self.is_shown()
        proposals = {one.cell_id: one for one in before.proposals} if before is not None and not streams else {}
        for draft in () if left_to_page else self._session.store.of_turn(turn.id):
            one = draft.proposal()
            proposals[one.cell_id] = Proposal(
                cell_id=one.cell_id,
                turn_id=one.turn_id,
                kind=one.kind,
                state=one.state,
                cell_type=one.cell_type,
                base=hide(one.base),
                source=hide(one.source),
            )
        # as another kernel, or a notebook, told it
        if before is not None and self._session.history.get(turn.id) is None:
            told = turn if before.turn.outcome is None else before.turn
            return structs.replace(before, turn=told, proposals=tuple(proposals.values()))
        kept = structs.replace(turn, prompt=hide(turn.prompt), notes=hide(turn.notes), may_go_on=False, folded=0)
        ended_before = before is not None and before.turn.outcome is not None
        provider = before.provider if before is not None and ended_before else self._session.dialogue.provider
        return StoredTurn(turn=kept, proposals=tuple(proposals.values()), provider=provider)

    @property
    def left_works(self) -> tuple[DeepWork, ...]:
        """The deep works of this conversation that another kernel has left off."""
        mine = [one.work for id_, one in self._saved.items() if self._of.get(id_) == self._current.id]
        left = [work for work in mine if work is not None and not work.over and not self._session.deep.knows(work.id)]
        return tuple(left[-MOST_WORKS:])

    def _is_to_keep(self, work: DeepWork) -> bool:
        """Whether a work stands otherwise than it is kept. One that is proposed is a turn; one that a notebook told of is anybody's."""
        before = self._saved.get(work.id)
        known = before.work if before is not None else None
        if work.state == "proposed" or (work.lost and known is None) or not self._of.get(work.id, self._current.id):
            return False
        return known is None or _standing(known) != _standing(self._plan(work))

    def _plan(self, work: DeepWork) -> DeepWork:
        """A work as it is kept: what it is to do and how far it is, always without credentials."""
        hide = self._session.dialogue.redactor.withhold
        steps = tuple(DeepStep(text=hide(step.text), state=step.state, fast=step.fast) for step in work.steps)
        checks = tuple(map(hide, work.checks))
        bare = structs.replace(work, prompt=hide(work.prompt), steps=steps, checks=checks, running=False, lost="")
        return structs.replace(bare, log=(), reason="", undone=(), compared="")

    def _begin(self) -> None:
        """Another conversation, in which there is nothing yet."""
        for turn in self._session.turns:
            self._of.setdefault(turn.id, self._current.id)
        self._current = Header(id=new_turn_id(), notebook=self._notebook)
        self._send([self.current])

    def _learn(self, header: Header, entries: Sequence[StoredTurn]) -> None:
        """Know whose the turns of a conversation are."""
        self._headers[header.id] = header
        for entry in entries:
            self._of[entry.turn.id] = header.id
            self._saved.setdefault(entry.turn.id, entry)

    def _open(self, header: Header) -> None:
        """Go on with a conversation. What waits for a decision comes from the notebook, what no page had is read in the turn's words, and
        what had a credential is not put back."""
        self._begin()
        self._current = header
        mine = [entry for turn_id, entry in self._saved.items() if self._of.get(turn_id) == header.id]
        entries = [entry for entry in mine if entry.work is None]
        proposals = [one for entry in entries for one in entry.proposals if one.state in DECIDED]
        restored = Restore(
            turns=tuple(with_cut_text(entry.turn, entry.proposals) for entry in entries),
            proposals=tuple(one for one in proposals if OURS not in one.base + one.source),
        )
        self._session.receive_command(restored, at=0.0)
        self._session.dialogue.recall([(entry.turn, entry.proposals, entry.provider) for entry in entries])
        self._send([*self._session.events_to_send(), self.current])

    def _found(self, conversation_id: str) -> Header:
        headers = self._store.headers() if self._store is not None else {}
        for header in headers:
            if header.id == conversation_id:
                return header
        raise SessionError(
            "That conversation is not there any more.", remedy="%spark conversations lists those that are."
        )

    def _rename(self, header: Header, title: str) -> None:
        if not title:
            raise SessionError("The title is empty.", remedy="Give the conversation a name.")
        assert self._store is not None  # or nothing would have been found
        renamed = self._headers[header.id] = self._store.rename(header, title)
        if header.id == self._current.id:
            self._current = renamed
        self._send([self.listed(), self.current])

    def _delete(self, ids: Sequence[str] | None) -> None:
        """Delete these conversations; None: all. What this kernel still knows of them is not written again."""
        if self._store is None:
            return
        gone = {header.id for header in self._store.headers() if ids is None or header.id in ids}
        for conversation_id in gone:
            self._store.delete(conversation_id)
        if self._current.id in gone:
            self._session.dialogue.forget()
            self._begin()
        self._of = {turn_id: "" if of in gone else of for turn_id, of in self._of.items()}
        self._send([self.listed()])


def _standing(work: DeepWork) -> tuple[object, ...]:
    return work.state, work.prompt, work.steps, work.checks
