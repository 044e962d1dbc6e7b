"""The switch interval while something streams."""

from __future__ import annotations

import sys

import pytest

from spark_jupyter.engine.loop_thread import SHORT_INTERVAL, SwitchInterval
from spark_jupyter.protocol.completion_messages import Complete, Completed
from spark_jupyter.protocol.messages import Cancel, Prompt
from tests.engine.test_engine import until

DEFAULT = 0.005


@pytest.fixture(autouse=True)
def interval():
    before = sys.getswitchinterval()
    sys.setswitchinterval(DEFAULT)
    yield
    sys.setswitchinterval(before)


def test_it_is_short_while_something_streams_and_then_as_before():
    interval = SwitchInterval()
    interval.hold("turn", on=True)
    interval.hold("turn", on=True)
    assert sys.getswitchinterval() == pytest.approx(SHORT_INTERVAL)
    interval.hold("turn", on=False)
    interval.hold("turn", on=False)
    assert sys.getswitchinterval() == pytest.approx(DEFAULT)


def test_it_is_short_until_nobody_waits_any_more():
    interval = SwitchInterval()
    interval.hold("turn", on=True)
    interval.hold("typing", on=True)
    interval.hold("turn", on=False)
    assert sys.getswitchinterval() == pytest.approx(SHORT_INTERVAL), "somebody types still"
    interval.release()
    assert sys.getswitchinterval() == pytest.approx(DEFAULT)


def test_what_somebody_set_meanwhile_stays():
    interval = SwitchInterval()
    interval.hold("turn", on=True)
    sys.setswitchinterval(0.02)
    interval.hold("turn", on=False)
    assert sys.getswitchinterval() == pytest.approx(0.02)


def test_a_shorter_one_is_left_alone():
    sys.setswitchinterval(0.0002)
    interval = SwitchInterval()
    interval.hold("turn", on=True)
    assert sys.getswitchinterval() == pytest.approx(0.0002)
    interval.hold("turn", on=False)
    assert sys.getswitchinterval() == pytest.approx(0.0002)


def test_the_interval_is_short_from_a_prompt_to_the_end_of_its_turn(make_engine):
    watched = make_engine([{"answer": "```python\n" + "x = 1\n" * 300 + "```\n"}], rate=100)
    seen = []
    watched.engine.subscribe(lambda frame: seen.append(sys.getswitchinterval()))
    watched.engine.submit(Prompt(turn_id="t1", text="values"))
    assert watched.wait("t1", 0.1) is None, "it streams for fifteen seconds"
    watched.engine.submit(Cancel())
    assert watched.wait("t1", 60) is not None
    assert seen[-1] == pytest.approx(SHORT_INTERVAL)
    assert sys.getswitchinterval() == pytest.approx(DEFAULT)


def test_the_interval_is_short_while_somebody_types_also_between_two_keys(make_engine):
    watched = make_engine([{"answer": "range(10):", "repeat": True}])
    told = []

    def receive(frame):
        told.extend(frame.msgs)

    watched.engine.subscribe(receive)
    watched.engine.answer_alone(receive, Complete(completion_id="c1", cell_id="cell", before="for i in "))
    until(lambda: any(isinstance(event, Completed) and event.done for event in told))
    assert sys.getswitchinterval() == pytest.approx(SHORT_INTERVAL), "the next key may come"
    until(lambda: sys.getswitchinterval() == pytest.approx(DEFAULT))
