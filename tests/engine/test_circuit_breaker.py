"""Time for which a failing provider is left alone."""

from __future__ import annotations

from spark_jupyter.engine.completer import LONGEST_PAUSE, CircuitBreaker
from spark_jupyter.exceptions import ConnectionRefused, RateLimited


class Clock:
    """Seconds, as they are set."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def rest_after(*errors: Exception, who: str = "a") -> tuple[CircuitBreaker, Clock]:
    clock = Clock()
    rests = CircuitBreaker(clock)
    for error in errors:
        rests.failed(who, error)
    return rests, clock


def length(rests: CircuitBreaker, clock: Clock, who: str = "a") -> float:
    """Seconds for which it rests."""
    begin = clock.now
    while rests.is_open(who):
        clock.now += 0.25
    return clock.now - begin


def test_the_rest_grows_with_failures_in_a_row_up_to_a_bound():
    assert length(*rest_after()) == 0
    assert length(*rest_after(ConnectionRefused("no"))) == 1
    assert length(*rest_after(*[ConnectionRefused("no")] * 3)) == 4
    assert length(*rest_after(*[ConnectionRefused("no")] * 50)) == LONGEST_PAUSE


def test_what_the_provider_says_counts_within_the_bound():
    assert length(*rest_after(RateLimited("later", retry_after=7))) == 7
    assert length(*rest_after(RateLimited("later", retry_after=3600))) == LONGEST_PAUSE


def test_an_answer_ends_it_and_another_provider_is_not_meant():
    rests, _ = rest_after(ConnectionRefused("no"))
    assert not rests.is_open("b")
    rests.answered()
    assert not rests.is_open("a")
