"""Turns that a client forgets on a long day; the browser's twin is tested in ``model.test.ts``."""

from __future__ import annotations

from spark_jupyter.protocol.messages import TurnEnded, TurnStarted
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.protocol.proposal_messages import ProposalChanged
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import Proposal, Turn


def test_a_long_day_keeps_the_youngest_turns_what_nobody_has_decided_on_and_what_streams() -> None:
    view = TurnView()
    for number in range(1_000):
        name = f"t{number}"
        state = "ready" if number == 3 else "accepted"
        proposal = Proposal(turn_id=name, cell_id=name, state=state)
        view.receive_all(
            [TurnStarted(turn=Turn(id=name, prompt="p")), Meter(turn_id=name), ProposalChanged(proposal=proposal)]
        )
        if number != 5:
            view.receive(TurnEnded(turn_id=name, outcome="completed"))
    assert len(view.turns) < 230
    assert [*view.turns][:2] == ["t3", "t5"]
    assert [*view.turns][-1] == "t999"
    assert view.forgotten + len(view.turns) == 1_000
    assert len(view.meters) == len(view.all_proposals) == len(view.turns)
    assert "t3" in view.proposals
