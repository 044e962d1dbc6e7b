"""Two agents and a person on one notebook, in random order, with a restart.

Cells are typed in, changed, deleted and moved, run, decided on, undone and taken back: no text is lost or doubled, nothing runs that the
person has not agreed to, and all know one state.
"""

from __future__ import annotations

import random

import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.agent_messages import AnswerRun, AskRun, ProposedCell, RevokeGrants
from spark_jupyter.protocol.messages import Prompt, Restore
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import Accept, CellEdited, ProposalChanged, Reject, Revert, RunRequested
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import TAKEN_BACK, NotebookCell, Proposal
from spark_jupyter.session.agent_access import as_agent
from spark_jupyter.session.session import Session

AGENTS = ("Ada", "Bob")
STEPS = 60


class Schedule:
    """A notebook that one client writes, a session, and a view of each agent. ``theirs`` is what each cell holds by the person's will;
    ``done`` and ``undone`` are the deletions and moves that the person can undo or do again, as turn and cell; ``ran`` and ``agreed`` the
    cells that were to run, and those whose run the person agreed to."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.cells = {f"c{number}": f"x{number} = {number}" for number in range(4)}
        self.theirs = dict(self.cells)
        self.read = {agent: dict(self.cells) for agent in AGENTS}
        self.count = 0
        self.done: list[tuple[str, str]] = []
        self.undone: list[tuple[str, str]] = []
        self.begin()

    def begin(self) -> None:
        self.session = Session(model="m")
        self.views = {agent: TurnView() for agent in AGENTS}
        self.ran: list[str] = []
        self.agreed: list[str] = []

    # --- what they do ---

    def agent_reads(self, agent: str) -> None:
        self.read[agent] = dict(self.cells)

    def agent_proposes(self, agent: str) -> None:
        known = self.read[agent]
        cell = self.random.choice([*known])
        operation = self.random.choice(["delete", "move", "move", "run"])
        after = self.random.choice([None, *known])
        source = f"y{self.count} = {self.count}"
        change = self.random.choice(
            [
                ProposedCell(source=source, after=after),
                ProposedCell(source=source, edits=cell, source_hash=content_hash(known[cell])),
                ProposedCell(operation=operation, edits=cell, source_hash=content_hash(known[cell]), after=after),
            ]
        )
        self.count += 1
        cells = tuple(NotebookCell(id=key, source=text) for key, text in self.cells.items())
        prompt = Prompt(turn_id=f"{agent}-{self.count}", text="Changes", cells=cells, proposes=(change,))
        stale = change.edits is not None and self.cells.get(change.edits) != known[cell]
        before = self.session.store.proposals
        refused = self.say(as_agent(prompt, agent))
        if stale:
            assert refused
            assert self.session.store.proposals == before

    def agent_withdraws(self, agent: str) -> None:
        turn = self.random.choice([*self.views[agent].turns, "none"])
        of_turn = [one for one in self.session.store.proposals if one.turn_id == turn]
        before = dict(self.cells)
        refused = self.say(as_agent(Revert(turn_id=turn), agent))
        if not turn.startswith(agent) or any(one.state in ("accepted", "rejected", "reverted") for one in of_turn):
            assert refused
            assert self.cells == before

    def agent_decides(self, agent: str) -> None:
        """It can't."""
        pending = self.views[agent].pending()
        for command in (Accept(cell_id="c0"), Reject(cell_id="c0"), CellEdited(cell_id="c0", source="")):
            with pytest.raises(SessionError):
                as_agent(command, agent)
        if pending:
            ran = list(self.ran)
            self.say(as_agent(AskRun(request_id=f"r{self.count}", cell_id=pending[0].cell_id), agent))
            assert self.ran == ran

    def person_types(self, _: str) -> None:
        cell = self.random.choice([*self.cells])
        self.cells[cell] += f"\n# typed {self.count}"
        self.count += 1
        if cell in self.theirs:
            self.theirs[cell] = self.cells[cell]
        if any(one.cell_id == cell and one.state not in ("ready", "blocked") for one in self.session.store.current):
            self.say(CellEdited(cell_id=cell, source=self.cells[cell]))

    def person_decides(self, _: str) -> None:
        waiting = self.session.store.waiting
        if not waiting:
            return
        draft = self.random.choice(waiting)
        proposal = draft.proposal()
        stale = proposal.kind == "edit" and self.cells.get(proposal.cell_id) != proposal.base
        if stale or self.random.random() < 0.3:
            self.say(Reject(cell_id=draft.cell_id))
            return
        source = self.cells[draft.cell_id] if proposal.kind == "insert" else proposal.source
        if not self.say(
            Accept(cell_id=draft.cell_id, source=source, before=self.cells.get(draft.cell_id), confirmed=True)
        ):
            if draft.cell_id in self.cells:
                self.theirs[draft.cell_id] = self.cells[draft.cell_id]
            else:
                self.theirs.pop(draft.cell_id, None)

    def person_undoes(self, _: str) -> None:
        """Ctrl+Z in the notebook: the last deletion or move goes back."""
        if self.done:
            key = self.done.pop()
            self.undone.append(key)
            self.operate(key, back=True)

    def person_redoes(self, _: str) -> None:
        if self.undone:
            key = self.undone.pop()
            self.done.append(key)
            self.operate(key, back=False)

    def operate(self, key: tuple[str, str], *, back: bool) -> None:
        proposal = self.proposal(*key)
        cell, deletes = key[1], proposal.operation.kind == "delete"
        if deletes and back:
            assert cell not in self.cells
            self.cells[cell] = self.theirs[cell] = proposal.base
        elif deletes and self.cells.pop(cell, None) is not None:
            self.theirs.pop(cell)
        elif cell in self.cells:
            self.cells[cell] = self.cells.pop(cell)
        moved = None if deletes or cell not in self.cells else not back
        self.say(CellEdited(cell_id=cell, source=self.cells.get(cell), turn_id=key[0], moved=moved))
        if cell in self.cells or deletes:
            assert self.proposal(*key).state == ("reverted" if back else "accepted")

    def proposal(self, turn: str, cell: str) -> Proposal:
        return next(one for one in self.session.store.proposals if (one.turn_id, one.cell_id) == (turn, cell))

    def person_takes_back(self, _: str) -> None:
        """Revert of a turn, which brings back what was accepted of it."""
        turn = self.random.choice([*self.session.turns]).id if self.session.turns else "none"
        accepted = [one for one in self.session.store.proposals if (one.turn_id, one.state) == (turn, "accepted")]
        self.say(Revert(turn_id=turn))
        for one in accepted:
            if self.proposal(turn, one.cell_id).state == "reverted" and one.kind == "insert":
                self.theirs.pop(one.cell_id, None)
            elif self.proposal(turn, one.cell_id).state == "reverted" and self.changes_text(one):
                self.theirs[one.cell_id] = one.base

    @staticmethod
    def changes_text(proposal: Proposal) -> bool:
        return proposal.operation is None or proposal.operation.kind == "delete"

    def person_answers(self, _: str) -> None:
        """Yes to a run, once or for a while, or no. What the person has typed over since is refused."""
        asked = self.session.consent.value
        if asked is None or not asked.asked:
            self.say(RevokeGrants())
            return
        one = self.random.choice(asked.asked)
        draft = self.session.store.draft(one.cell_id)
        stale = draft.kind == "edit" and draft.state != "accepted" and self.cells.get(one.cell_id) != draft.base
        allowed = not stale and self.random.random() < 0.6
        minutes = self.random.choice([0, 30]) if allowed else 0
        if not self.say(AnswerRun(request_id=one.request_id, allowed=allowed, minutes=minutes)) and allowed:
            self.agreed.append(one.cell_id)
            self.theirs[one.cell_id] = self.cells[one.cell_id]

    def restart(self, _: str) -> None:
        """The kernel's life ends; the client tells the next one what it has."""
        turns, proposals = self.session.turns, self.session.store.proposals
        cells = tuple(NotebookCell(id=key, source=text) for key, text in self.cells.items())
        kept = tuple(one for one in proposals if one.cell_id in self.cells or one.operation is not None)
        before = dict(self.cells)
        self.begin()
        self.say(Restore(turns=turns, proposals=kept, cells=cells))
        assert self.cells == before

    # --- the client that writes ---

    def say(self, command: object) -> bool:
        """Send a command; whether it was refused. The client that writes and the agents follow the events."""
        before = {(one.turn_id, one.cell_id): one for one in self.session.store.proposals}
        try:
            self.session.receive_command(command, at=0.0)
            refused = False
        except SessionError:
            refused = True
        self.session.actions_to_take()
        for event in self.session.events_to_send():
            for view in self.views.values():
                view.receive(event)
            if isinstance(event, RunRequested):
                self.ran.append(event.cell_id)
            if isinstance(event, ProposalChanged) and not event.held:
                self.follow(event.proposal, before.get((event.proposal.turn_id, event.proposal.cell_id)))
        return refused

    def follow(self, proposal: Proposal, before: Proposal | None) -> None:
        cell, operation = proposal.cell_id, proposal.operation
        was = before.state if before is not None else "streaming"
        if proposal.kind == "insert" and proposal.state in ("ready", "blocked") and cell not in self.cells:
            assert before is None, "a new cell is inserted once"
            self.cells[cell] = proposal.source
        elif proposal.kind == "insert" and proposal.state in TAKEN_BACK:
            self.cells.pop(cell, None)
        elif proposal.kind == "edit" and proposal.state == "accepted" and was != "accepted":
            if operation is not None and operation.kind == "delete":
                del self.cells[cell]
            elif operation is not None and operation.kind == "move":
                self.cells[cell] = self.cells.pop(cell)
            if operation is not None and operation.kind != "run":
                self.done.append((proposal.turn_id, cell))
                self.undone.clear()
            elif operation is None:
                self.cells[cell] = proposal.source
        elif proposal.kind == "edit" and proposal.state == "reverted" and was == "accepted":
            if operation is None or operation.kind == "delete":
                self.cells[cell] = proposal.base
            self.done = [key for key in self.done if key != (proposal.turn_id, cell)]

    def check(self) -> None:
        """Nothing that the person wants is lost or doubled, agents changed nothing else, and every view is the session's state."""
        for cell, text in self.theirs.items():
            assert self.cells[cell] == text
        proposals = self.session.store.proposals
        new = {one.cell_id for one in proposals if one.kind == "insert" and one.state in ("ready", "blocked")}
        assert set(self.cells) - set(self.theirs) == new
        snapshot = self.session.snapshot()
        for view in self.views.values():
            assert tuple(view.all_proposals) == snapshot.proposals
            assert tuple(view.turns.values()) == snapshot.turns
            assert (view.consent.asked, view.consent.grants) == (
                (snapshot.consent.asked, snapshot.consent.grants) if snapshot.consent else ((), ())
            )
        assert self.ran == self.agreed


@pytest.mark.parametrize("seed", range(200))
def test_no_text_is_lost_or_doubled_and_all_know_one_state(seed):
    schedule = Schedule(seed)
    steps = (
        *[schedule.agent_reads] * 2,
        schedule.agent_proposes,
        schedule.agent_proposes,
        schedule.agent_withdraws,
        schedule.agent_decides,
        schedule.person_types,
        *[schedule.person_decides, schedule.person_undoes] * 2,
        schedule.person_redoes,
        schedule.person_takes_back,
        schedule.person_answers,
    )
    for number in range(STEPS):
        step = schedule.restart if number == STEPS // 2 else schedule.random.choice(steps)
        step(schedule.random.choice(AGENTS))
        schedule.check()
