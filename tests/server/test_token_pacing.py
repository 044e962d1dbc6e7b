"""Times at which tokens are due."""

from __future__ import annotations

import pytest

from spark_jupyter.server.token_pacing import BATCH, Pace


def run(rate: float, wake_ups: list[float]) -> int:
    """How many tokens have gone after waking up at these times."""
    pace = Pace(rate, 0.0)
    total = 0
    for now in wake_ups:
        due = pace.due(now)
        pace.take(due)
        total += due
    return total


def test_the_first_token_is_due_at_once_and_the_next_after_one_interval() -> None:
    pace = Pace(10, 5.0)
    assert pace.due(5.0) == 1
    pace.take(1)
    assert pace.due(5.05) == 0
    assert pace.delay(5.05) == pytest.approx(0.05)
    assert pace.due(5.1001) == 1


@pytest.mark.parametrize("rate", [7, 1_000, 5_000])
def test_late_wake_ups_do_not_add_up(rate: int) -> None:
    late = [step * 0.0137 for step in range(1, 1_000)]
    assert abs(run(rate, late) - rate * late[-1]) <= 1


def test_no_wake_up_takes_more_than_a_batch() -> None:
    assert Pace(5_000, 0.0).due(60.0) == BATCH


def test_without_a_rate_there_is_always_a_batch_and_no_delay() -> None:
    pace = Pace(None, 0.0)
    pace.take(10_000)
    assert (pace.due(0.0), pace.delay(0.0)) == (BATCH, 0.0)


def test_after_a_pause_that_was_meant_nothing_is_caught_up() -> None:
    pace = Pace(10, 0.0)
    pace.take(1)
    pace.restart(100.0)
    assert pace.due(100.0) == 1
