"""Turns that an agent answers: its cells are proposals, and a person answers what it asks."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from spark_jupyter.agents.acp_connection import AgentConnection
from spark_jupyter.engine.engine import Engine
from spark_jupyter.protocol.agent_messages import AnswerRun, ConsentChanged
from spark_jupyter.protocol.messages import Cancel, Prompt, Steer
from spark_jupyter.providers.profile import Profile
from spark_jupyter.routing.link import Link
from tests.conftest import Watched
from tests.engine.long_answer import until
from tests.nursery import agents

SCRIPT = Path(__file__).parents[1] / "agents/scripted_agent.py"


@pytest.fixture
def watched(tmp_path):
    profile = Profile(
        name="scripted", title="Scripted", dialect="acp", command=tuple(agents().script(SCRIPT, tmp_path / "log"))
    )

    async def connect():
        return Link(connection=AgentConnection(profile, tmp_path), model="", provider="Scripted", is_agent=True)

    engine = Engine(connect)
    yield Watched(engine)
    engine.close()


def wait_for(watched, found):
    """The first event, past or to come, for which ``found`` is true."""
    happened = threading.Event()

    def look(_):
        if any(map(found, watched.events)):
            happened.set()

    stop = watched.engine.subscribe(look)
    look(None)
    try:
        assert happened.wait(60)
    finally:
        stop()
    return next(filter(found, watched.events))


def asks(event):
    return isinstance(event, ConsentChanged) and event.permissions


def proposals(watched):
    return watched.engine.read(lambda session: [(one.source, one.state) for one in session.store.proposals])


def turn(watched, turn_id):
    return watched.engine.read(lambda session: next(one for one in session.turns if one.id == turn_id))


def test_its_code_is_proposed_and_what_it_does_stands_in_the_notes_alone(watched):
    watched.engine.say(Prompt(turn_id="t1", text="plot it"))
    assert watched.wait("t1").outcome == "completed"
    assert proposals(watched) == [("x = 1", "ready")]
    notes = turn(watched, "t1").notes
    assert "1. `Look at the 'data'`" in notes
    assert "· `Read sales.csv" in notes
    assert "\x1b" not in notes
    answer = watched.engine.read(lambda session: session.dialogue.history())[-1].text
    assert "sales.csv" not in answer
    assert "x = 1" in answer


def test_a_permission_is_asked_for_and_answered_once(watched):
    watched.engine.say(Prompt(turn_id="t1", text="permission please"))
    (wanted,) = wait_for(watched, asks).permissions
    assert (wanted.turn_id, wanted.agent, wanted.what) == ("t1", "Scripted", "`rm -rf 'build'`")
    assert watched.engine.read(lambda session: session.snapshot()).consent.permissions == (wanted,)
    watched.engine.say(AnswerRun(request_id=wanted.request_id, allowed=False))
    assert watched.wait("t1").outcome == "completed"
    assert "Answer: no." in turn(watched, "t1").notes
    assert "Asks for your permission: `rm -rf 'build'`" in turn(watched, "t1").notes
    assert watched.engine.read(lambda session: session.consent.value) is None


def test_a_permission_goes_with_the_turn_that_is_stopped(watched):
    watched.engine.say(Prompt(turn_id="t1", text="permission please"))
    wait_for(watched, asks)
    watched.engine.say(Cancel())
    assert watched.wait("t1").outcome == "cancelled"
    wait_for(watched, lambda event: isinstance(event, ConsentChanged) and not event.permissions)


def test_a_steer_redirects_it_and_a_cancel_keeps_what_was_written(watched):
    watched.engine.say(Prompt(turn_id="t1", text="slow work"))
    wait_for(watched, lambda event: type(event).__name__ == "CellsChanged")
    watched.engine.say(Steer(turn_id="t2", steers="t1", text="plot it"))
    assert watched.wait("t2").outcome == "completed"
    watched.engine.say(Prompt(turn_id="t3", text="slow work"))

    def written():
        return watched.engine.read(lambda session: "".join(one.source for one in session.store.of_turn("t3")))

    until(lambda: "value_0 = 0\n" in written())
    watched.engine.say(Cancel())
    assert watched.wait("t3").outcome == "cancelled"
    assert "value_0 = 0" in written()
