"""Following a turn: what belongs to it, over steers, among other turns; when it is over; on whatever thread."""

from __future__ import annotations

from threading import Thread

import pytest

from spark_jupyter.engine.follow import CLOSED, Chain, Follow, OneTry
from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.messages import Hello, NotesAdded, Problem, Prompt, Steer, TurnEnded, TurnStarted
from spark_jupyter.protocol.proposal_messages import CellsChanged, ProposalChanged, Reject
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import DeleteCell, Proposal, Turn

SLOW = {"match": "slow", "answer": "```python\n" + "x = 1\n" * 400 + "```\n", "repeat": True}
STEERED = {"match": "## Steer", "answer": "```python\ny = 2\n```\n", "repeat": True}
QUICK = {"answer": "```python\nz = 3\n```\n", "repeat": True}


def started(turn_id, **fields):
    return TurnStarted(turn=Turn(id=turn_id, prompt="p", **fields))


def proposed(turn_id, cell_id="c", **fields):
    return ProposalChanged(proposal=Proposal(cell_id=cell_id, turn_id=turn_id, **fields))


def chain_of(*events):
    """A chain from turn t1 on, and which of the events are about it."""
    chain = Chain("t1")
    return chain, [event for event in events if chain.receive(event)]


def test_a_chain_goes_on_over_steers_and_ends_with_the_last_of_them():
    second = TurnEnded(turn_id="t2", outcome="superseded")
    third = TurnEnded(turn_id="t3", outcome="completed")
    chain, mine = chain_of(
        started("t1"),
        TurnEnded(turn_id="t1", outcome="superseded"),
        started("t2", steers="t1"),
        second,
        started("t3", steers="t2"),
        third,
    )
    assert (chain.turn_id, chain.ended, len(mine)) == ("t3", third, 6)


def test_what_is_said_of_other_turns_is_not_about_a_chain():
    others = [
        Hello(),
        started("o1"),
        started("o2", steers="o1"),
        NotesAdded(turn_id="o1", text="x"),
        proposed("o1", "other"),
        Problem(code="c", message="m", turn_id="o1"),
        Problem(code="c", message="m"),
        TurnEnded(turn_id="o2", outcome="completed"),
    ]
    chain, mine = chain_of(started("t1"), *others)
    assert mine == [started("t1")]
    assert chain.ended is None


def test_a_prompt_that_was_refused_has_failed_and_says_why():
    refused = Problem(code="session_error", message="The prompt is empty.", turn_id="t1")
    chain, mine = chain_of(refused)
    assert mine == [refused]
    assert chain.ended == TurnEnded(turn_id="t1", outcome="failed", reason="The prompt is empty.")


def test_a_problem_of_a_turn_that_has_begun_ends_nothing():
    chain, mine = chain_of(started("t1"), Problem(code="c", message="m", turn_id="t1"))
    assert len(mine) == 2
    assert chain.ended is None


def test_a_steering_that_was_refused_is_about_the_chain_and_does_not_end_it():
    chain = Chain("t1")
    chain.receive(started("t1"))
    chain.steer("other", turn_id="t2")
    assert chain.receive(Problem(code="session_error", message="Too late.", turn_id="t2"))
    assert (chain.turn_id, chain.ended) == ("t1", None)


def test_a_chain_is_settled_when_what_is_tried_by_itself_has_a_result():
    ended = TurnEnded(turn_id="t1", outcome="completed")
    chain, _ = chain_of(started("t1"), proposed("t1", state="ready", trying=True), ended)
    assert not chain.settled
    assert chain.receive(TrialResult(turn_id="t1", cell_id="c"))
    assert chain.settled


@pytest.mark.parametrize(
    "decided",
    [
        proposed("t1", state="accepted"),
        proposed("t1", state="rejected"),
        proposed("later", state="streaming"),
        CellsChanged(turn_id="t1", changes=(DeleteCell(cell_id="c"),)),
    ],
)
def test_a_chain_is_decided_when_no_proposal_of_it_waits(decided):
    ended = TurnEnded(turn_id="t1", outcome="completed")
    chain, _ = chain_of(started("t1"), proposed("t1", state="ready"), ended)
    assert not chain.decided
    chain.receive(decided)
    assert chain.decided


def followed(engine, turn_id, prompt):
    """What a thread that is not the main one hears of a turn, and how it ended."""
    events = []
    following = engine.follow(turn_id)

    def work():
        for batch in following.through(lambda: engine.submit(prompt)):
            events.extend(batch)

    thread = Thread(target=work)
    thread.start()
    return thread, events, following.subject


def test_two_turns_at_once_are_followed_apart_on_threads_of_their_own(make_engine):
    engine = make_engine([SLOW, QUICK], rate=2_000).engine
    slow = followed(engine, "t1", Prompt(turn_id="t1", text="slow"))
    quick = followed(engine, "t2", Prompt(turn_id="t2", text="quick"))
    for thread, events, chain in (slow, quick):
        thread.join(60)
        assert chain.ended.outcome == "completed"
        assert chain.ended in events
        assert {getattr(event, "turn_id", chain.turn_id) for event in events} == {chain.turn_id}
        assert {e.proposal.turn_id for e in events if isinstance(e, ProposalChanged)} == {chain.turn_id}


def test_who_follows_a_turn_follows_who_steers_it(make_engine):
    engine = make_engine([STEERED, {**SLOW, "stall_after": 300}]).engine
    following = engine.follow("t1")
    written = []
    for events in following.through(lambda: engine.say(Prompt(turn_id="t1", text="slow"))):
        if any(isinstance(event, CellsChanged) for event in events) and not written:
            engine.submit(Steer(turn_id="t2", steers="t1", text="y instead"))
        written += [event.turn_id for event in events if isinstance(event, CellsChanged)]
    assert following.subject.ended == TurnEnded(turn_id="t2", outcome="completed")
    assert set(written) == {"t1", "t2"}


def test_what_refuses_to_begin_is_raised_and_nothing_is_followed_any_more(make_engine):
    watched = make_engine([QUICK])
    following = watched.engine.follow("t1")
    with pytest.raises(SessionError):
        following.wait(lambda: watched.engine.say(Prompt(turn_id="t1", text=" ")))


def test_an_engine_that_is_closed_ends_what_is_followed(make_engine):
    engine = make_engine([SLOW], rate=50).engine
    thread, events, chain = followed(engine, "t1", Prompt(turn_id="t1", text="slow"))
    while not events:
        thread.join(0.01)
    engine.close()
    thread.join(60)
    assert not thread.is_alive()
    assert chain.ended.reason == CLOSED
    assert events[-1] == chain.ended


def test_a_try_that_nobody_will_end_any_more_has_a_result_that_says_so():
    class Closed:
        closed = True

        def subscribe(self, subscriber):
            return lambda: None

        def submit(self, command):
            raise AssertionError

    assert Follow(Closed(), OneTry("c")).wait(lambda: None).result.problem == CLOSED


def test_a_callback_is_called_until_every_proposal_is_decided_and_no_longer(make_engine):
    watched = make_engine([QUICK])
    heard = []
    Follow(watched.engine, Chain("t1"), receive=heard.extend)
    watched.engine.submit(Prompt(turn_id="t1", text="quick"))
    watched.wait("t1", 60)
    ready = next(iter(watched.view.of_turn("t1")))

    watched.engine.say(Reject(cell_id=ready.cell_id))
    watched.engine.submit(Prompt(turn_id="t2", text="quick"))
    watched.wait("t2", 60)
    states = [event.proposal.state for event in heard if isinstance(event, ProposalChanged)]
    assert states[-1] == "rejected"
    assert {getattr(event, "turn_id", "t1") for event in heard} == {"t1"}
