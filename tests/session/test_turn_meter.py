"""Cost of a turn, over all of its requests."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import Message, ModelRequest, Usage
from spark_jupyter.session.turn_meter import JobMeter, TurnMeter

PRICED = ModelInfo(id="m", input_price=1.0, output_price=10.0)
ASKED = ModelRequest(model="m", instructions="", input=(Message("user", "x" * 3600),))


def sent(meter: TurnMeter, at: float, info: ModelInfo | None = PRICED) -> JobMeter:
    job = JobMeter(ASKED, info)
    meter.sent(at, job)
    return job


def test_a_request_that_was_cut_stays_on_the_bill_beside_the_one_that_was_counted():
    meter = TurnMeter("t")
    sent(meter, 0.0).characters += 400
    cut = meter.value()
    assert (cut.input_tokens, cut.output_tokens, cut.estimated) == (1000, 100, True)
    second = sent(meter, 2.0)
    second.characters += 40
    second.usage = Usage(input_tokens=900, output_tokens=50, cached_tokens=800)
    both = meter.value()
    assert (both.input_tokens, both.output_tokens, both.cached_tokens) == (1900, 150, 800)
    assert both.estimated, "a part of it was never counted by the provider"
    assert both.cost == pytest.approx((1900 * 1.0 + 150 * 10.0) / 1e6)


def test_what_the_provider_counted_takes_the_place_of_the_estimate():
    meter = TurnMeter("t")
    job = sent(meter, 0.0)
    job.characters += 400
    assert meter.value().estimated
    job.usage = Usage(input_tokens=7, output_tokens=3)
    assert (meter.value().input_tokens, meter.value().output_tokens, meter.value().estimated) == (7, 3, False)


def test_a_provider_that_counts_below_nothing_gives_nothing_back():
    meter = TurnMeter("t")
    sent(meter, 0.0).usage = Usage(input_tokens=-(10**9), output_tokens=-(10**9), cached_tokens=-5)
    assert (meter.value().input_tokens, meter.value().output_tokens, meter.value().cost) == (0, 0, 0.0)


def test_what_the_cache_had_and_what_was_put_there_have_prices_of_their_own():
    info = ModelInfo(id="m", input_price=3.0, cached_price=0.3, cache_write_price=3.75, output_price=15.0)
    meter = TurnMeter("t")
    sent(meter, 0.0, info).usage = Usage(
        input_tokens=1000, cached_tokens=700, cache_written_tokens=200, output_tokens=10
    )
    assert meter.value().cost == pytest.approx((100 * 3.0 + 700 * 0.3 + 200 * 3.75 + 10 * 15.0) / 1e6)


def test_a_cached_price_that_is_not_known_is_that_of_other_input():
    meter = TurnMeter("t")
    sent(meter, 0.0).usage = Usage(input_tokens=1000, cached_tokens=700, output_tokens=10)
    assert meter.value().cost == pytest.approx((1000 * 1.0 + 10 * 10.0) / 1e6)


def test_where_one_price_is_not_known_the_cost_is_not_either():
    meter = TurnMeter("t")
    sent(meter, 0.0)
    assert meter.value().cost is not None
    sent(meter, 1.0, None)
    assert meter.value().cost is None
