"""Deep work for which nobody waits: the window of its requests, and the same key for the same question in another kernel."""

from __future__ import annotations

from spark_jupyter.protocol.deep_messages import RestoreDeep, SteerDeep
from spark_jupyter.session.deep.budget_use import next_window, overnight_budget
from tests.session.deep.playing import PLAN, DeepPlay, code

HOUR = 3600.0


def key_of(play: DeepPlay, step: int) -> str:
    overnight = play.request_of(step).request.overnight
    assert overnight is not None
    return overnight.key


def begun(play: DeepPlay) -> None:
    play.begin(within="8h", budget=overnight_budget(play.session.deep.gear.budget))


def test_each_request_may_take_as_long_as_was_said_and_asks_for_no_tier(play):
    play.session.jobs.deep_tier = "fast"
    begun(play)
    asked = play.request_of(0).request
    assert (asked.overnight.window, asked.overnight.work_id, asked.tier) == ("8h", "w1", None)
    play.says(0, PLAN)
    assert play.request_of(1).request.overnight.window == "8h"
    assert play.work.within == "8h"


def test_without_a_word_nothing_is_put_off(play):
    play.begin()
    assert play.request_of(0).request.overnight is None


def test_a_night_is_no_time_that_is_up_and_what_is_left_of_it_is_shorter(play):
    begun(play)
    play.wake(after=9 * HOUR)
    assert play.work.state == "planning"
    play.says(0, PLAN)
    assert play.request_of(1).request.overnight is None  # the morning has come


def test_the_window_shrinks_with_what_is_left():
    passed = (0, 3.9, 4.1, 6.9, 7.1, 24)
    assert [next_window("8h", hours * HOUR) for hours in passed] == ["8h", "8h", "2h", "2h", "", ""]
    assert [next_window("2h", hours * HOUR) for hours in (0, 0.9, 1.1)] == ["2h", "2h", ""]


def test_the_same_question_has_the_same_key_after_a_pause_and_in_another_kernel(play):
    begun(play)
    first = key_of(play, 0)
    play.says(0, PLAN)
    step = key_of(play, 1)
    play.direct("pause")
    play.direct("go-on")
    assert key_of(play, 1) == step != first
    other = DeepPlay()
    other.say(RestoreDeep(works=(play.work,)))
    assert (other.work.state, other.work.within) == ("paused", "8h")
    assert "by then are used" in other.work.lost
    other.direct("go-on")
    assert key_of(other, 1) == step
    assert other.work.budget.seconds == 86_400


def test_another_question_has_another_key(play):
    begun(play)
    play.says(0, PLAN)
    keys = {key_of(play, 1)}
    play.says(1, code("data = open('none')"))
    play.ran("FileNotFoundError: none")
    keys.add(key_of(play, 1))  # with the reason
    play.say(SteerDeep(work_id="w1", text="use none"))
    keys.add(key_of(play, 1))
    assert len(keys) == 3
