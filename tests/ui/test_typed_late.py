"""Lines typed in a terminal after their turn has ended are not lost."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from spark_jupyter.engine.follow import Chain
from spark_jupyter.protocol.agent_messages import ConsentChanged, PermissionWanted
from spark_jupyter.protocol.messages import Problem, TurnEnded
from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.ui import terminal
from spark_jupyter.ui.terminal import TerminalFront, TerminalView

ENDED = TurnEnded(turn_id="t1", outcome="completed")
TOO_LATE = Problem(code="session_error", message="That turn has ended.", turn_id="t2")


def front_of(script, monkeypatch):
    """A terminal whose keys and events come as in ``script``: each item is what has come (events), and what is typed then."""
    followed = Chain("t1")
    keys = iter([typed for _, typed in script])

    class Scripted:
        def __init__(self, engine, chain, *, others):
            pass

        def through(self, begin, *, every):
            for events, _ in script:
                for event in events:
                    followed.receive(event)
                yield list(events)

    class Keys:
        def __enter__(self):
            return lambda: [key_press(one) for one in next(keys)]

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(terminal, "Follow", Scripted)
    monkeypatch.setattr(terminal, "reading", lambda stream: Keys())
    engine = SimpleNamespace(sent=[], submit=lambda command: engine.sent.append(command))
    front = TerminalFront(engine, TerminalView(io.StringIO()), new_turn_id=lambda: "t2")
    front.follow_chain(followed, lambda: None)
    return front, engine


def key_press(character):
    return SimpleNamespace(key="c-m" if character == "\n" else character, data=character)


@pytest.mark.parametrize(
    ("script", "sent", "unsent"),
    [
        ([([], "use polars\n"), ([ENDED], "")], ["use polars"], ""),
        ([([], "use po"), ([ENDED], "lars")], [], "%spark use polars"),
        ([([], "use po"), ([ENDED], "lars\n")], [], "%spark use polars"),
        ([([ENDED], "%spark accept\ndf.he")], [], "%spark accept\ndf.he"),
        ([([], "use polars\n"), ([ENDED, TOO_LATE], "")], ["use polars"], "%spark use polars"),
        ([([ENDED], "")], [], ""),
    ],
)
def test_what_reaches_no_turn_becomes_the_next_input(script, sent, unsent, monkeypatch):
    front, engine = front_of(script, monkeypatch)
    assert [command.text for command in engine.sent] == sent
    assert front.unsent == unsent


WANTED = [
    PermissionWanted(request_id=f"p{n}", turn_id="t1", agent="Ada", what="`rm`", detail=f"rm {n}\x1b[2J")
    for n in (1, 2)
]


@pytest.mark.parametrize(
    ("typed", "answers"),
    [("%spark allow\n", {"p1": True}), ("%spark deny\n", {"p1": False, "p2": False})],
)
def test_a_permission_that_an_agent_waits_for_is_answered_while_the_terminal_waits(typed, answers, monkeypatch):
    asked = ConsentChanged(permissions=tuple(WANTED))
    front, engine = front_of([([asked], ""), ([], typed), ([ConsentChanged()], "go on\n"), ([ENDED], "")], monkeypatch)
    *said, steer = engine.sent
    assert {one.request_id: one.allowed for one in said} == answers
    assert steer.text == "go on"
    assert front.unsent == ""
    out = io.StringIO()
    view = TerminalView(out, colour=False)
    for _ in range(2):
        view.receive(asked)
    view.draw(live=False)
    assert out.getvalue().splitlines() == ["  rm 1\ufffd[2J", "  rm 2\ufffd[2J"]


def test_edits_that_were_tried_together_are_told_of_once():
    out = io.StringIO()
    view = TerminalView(out)
    proof = Proof(
        verdict="unclear",
        unclear=("1 of the 2 cells is not in this.",),
        summary="the same but: 1 of the 2 cells is not in this.",
    )
    for cell_id in ("a", "b"):
        view.receive(TrialResult(turn_id="t1", cell_id=cell_id, summary=proof.summary, proof=proof))
    view.draw(live=False)
    assert out.getvalue().count("is not in this") == 1
