"""Requests after a failed one."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import (
    AuthenticationFailed,
    ConnectionLost,
    ConnectionRefused,
    Overloaded,
    QuotaUsedUp,
    RateLimited,
    RequestRefused,
)
from spark_jupyter.protocol.messages import Cancel, Problem
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import ReasoningDelta, ResponseCompleted, TextDelta, Usage
from spark_jupyter.session.actions import DropRequest, SendRequest
from spark_jupyter.session.retry_policy import LONGEST_WAIT, MOST_WAITS, Fallback
from tests.session.play import Play

CODE = "```python\nx = 1\n```\n"
SECOND = Fallback(
    title="Second", model="m2", price=lambda model: ModelInfo(id=model, input_price=1.0, output_price=1.0)
)


@pytest.fixture
def play() -> Play:
    return Play()


@pytest.fixture
def falling(play: Play) -> Play:
    """With a second provider."""
    play.session.jobs.fallback = SECOND
    return play


def meter(play: Play) -> Meter:
    return play.of(Meter)[-1]


def test_a_rate_limit_is_waited_for_as_long_as_the_provider_says_and_is_told(play):
    play.prompt()
    play.fail(RateLimited("There limits the rate.", retry_after=7.0))
    assert (play.requests[-1].after, play.requests[-1].attempt) == (7.0, 2)
    assert (meter(play).wait, meter(play).notice) == (7.0, "There limits the rate.")
    assert play.ends == []
    play.answer(CODE)
    assert play.ends == [("t1", "completed")]
    assert meter(play).wait == 0.0
    assert [(extra.kind, extra.requests) for extra in meter(play).extra] == [("again", 1)]


def test_the_wait_counts_down_as_time_passes(play):
    play.prompt()
    play.fail(RateLimited("late", retry_after=9.0))
    since = meter(play).elapsed
    sent = 100 + 1  # the clock of the play counts up by one with each thing that happens
    play.session.receive_time(at=sent + 4.0)
    play.drain()
    assert meter(play).wait == 5.0
    assert meter(play).elapsed > since
    assert play.session.awaits


def test_a_wait_ends_with_a_cancel(play):
    play.prompt()
    play.fail(Overloaded("busy", retry_after=60.0))
    play.say(Cancel())
    assert isinstance(play.actions[-1], DropRequest)
    assert play.ends == [("t1", "cancelled")]
    assert not play.session.awaits


def test_where_the_provider_does_not_say_the_waits_grow_and_end(play):
    play.prompt()
    for _ in range(MOST_WAITS + 1):
        play.fail(Overloaded("busy"))
    assert [request.after for request in play.requests] == [0.0, 1.0, 2.0, 4.0, 8.0]
    assert play.ends == [("t1", "failed")]


def test_a_longer_wait_than_anybody_wants_ends_the_turn_and_says_so(play):
    play.prompt()
    play.fail(RateLimited("late", retry_after=LONGEST_WAIT + 1, remedy="Ask again in 121 s."))
    assert play.ends == [("t1", "failed")]
    assert play.of(Problem)[-1].remedy == "Ask again in 121 s."


def test_once_text_has_come_nothing_is_sent_again(falling):
    falling.prompt()
    falling.text("```python\nx = 1\n")
    falling.fail(RateLimited("late", retry_after=1.0))
    assert falling.ends == [("t1", "failed")]


def test_once_text_has_come_a_refusal_is_final_too(play):
    play.session.jobs.effort = "high"
    play.prompt()
    play.text("```python\nx = 1\n")
    play.fail(RequestRefused("The thinking was cut off."))
    assert len(play.requests) == 1
    assert play.ends == [("t1", "failed")]


@pytest.mark.parametrize(
    "error", [RateLimited("late", retry_after=30.0), QuotaUsedUp("spent"), ConnectionRefused("nobody")]
)
def test_the_second_provider_is_asked_and_that_is_said_before(falling, error):
    falling.prompt()
    falling.fail(error)
    request = falling.requests[-1]
    assert (request.fallback, request.after, request.request.model) == (True, 0.0, "m2")
    assert meter(falling).notice == f"{error.message} Second is asked instead, as configured."
    falling.text(CODE)
    falling.done(ResponseCompleted(response_id="r", usage=Usage(input_tokens=10, output_tokens=10)))
    assert falling.ends == [("t1", "completed")]
    falling.prompt(turn_id="t2")
    assert not falling.requests[-1].fallback, "the next turn goes to the first one again"


def test_a_short_wait_is_waited_for_before_another_provider_is_asked(falling):
    falling.prompt()
    falling.fail(RateLimited("late", retry_after=1.0))
    assert (falling.requests[-1].fallback, falling.requests[-1].after) == (False, 1.0)


def test_a_wrong_key_goes_nowhere_else(falling):
    falling.prompt()
    falling.fail(AuthenticationFailed("no"))
    assert falling.ends == [("t1", "failed")]


def test_where_the_second_one_fails_too_the_turn_does(falling):
    falling.prompt()
    falling.fail(ConnectionRefused("nobody"))
    falling.fail(ConnectionRefused("nobody there either"))
    assert falling.ends == [("t1", "failed")]


def test_a_model_that_takes_no_effort_is_asked_without_and_not_asked_so_again(play):
    play.session.jobs.effort = "high"
    play.prompt()
    assert play.requests[-1].request.effort == "high"
    play.fail(RequestRefused("Unsupported parameter: 'reasoning.effort'"))
    assert play.requests[-1].request.effort is None
    play.answer(CODE)
    play.prompt(turn_id="t2")
    assert play.requests[-1].request.effort is None
    play.say(Cancel())


def test_a_connection_that_broke_off_before_any_text_is_asked_once_more(play):
    play.prompt()
    play.fail(ConnectionLost("gone"))
    assert isinstance(play.actions[-1], SendRequest)
    play.fail(ConnectionLost("gone again"))
    assert play.ends == [("t1", "failed")]


def test_a_model_that_thinks_is_said_to_until_it_writes(play):
    play.prompt()
    request = play.requests[-1]
    play.session.receive_model_event(request.job_id, request.attempt, ReasoningDelta(""), at=101.0)
    play.session.receive_time(at=113.0)
    play.drain()
    assert meter(play).thinking == 12.0
    play.session.receive_model_event(request.job_id, request.attempt, TextDelta(CODE), at=114.0)
    play.session.receive_time(at=120.0)
    play.done(ResponseCompleted(usage=Usage(input_tokens=5, output_tokens=60, reasoning_tokens=50)))
    assert meter(play).thinking == 12.0
    assert (meter(play).output_tokens, meter(play).reasoning_tokens) == (60, 50)


def test_a_failure_that_was_waited_for_is_told_once(play):
    play.prompt()
    play.fail(RateLimited("There limits the rate.", retry_after=7.0))
    play.fail(RateLimited("There limits the rate.", retry_after=LONGEST_WAIT + 1))
    assert play.ends == [("t1", "failed")]
    assert [problem.message for problem in play.of(Problem)] == ["There limits the rate."]
    assert meter(play).notice == ""
