"""Delays between attempts to connect."""

from __future__ import annotations

import random
from itertools import islice

from spark_jupyter.connection.backoff import delays


def test_the_first_attempt_is_at_once_and_the_next_ones_wait_twice_as_long_each() -> None:
    assert list(islice(delays(lambda: 0.0, first=1.0, longest=8.0), 7)) == [0.0, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


def test_chance_cuts_a_delay_by_up_to_half() -> None:
    assert list(islice(delays(lambda: 1.0, first=1.0, longest=4.0), 4)) == [0.0, 0.5, 1.0, 2.0]


def test_it_leaves_the_numbers_alone_that_a_seed_of_the_user_gives():
    before = random.getstate()
    assert len(set(islice(delays(), 9))) == 9
    assert random.getstate() == before
