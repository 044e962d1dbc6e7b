"""What a turn costs, over all of its requests."""

from __future__ import annotations

from spark_jupyter.core.meter import TurnMeter
from spark_jupyter.providers.base import Message, Usage
from spark_jupyter.wire.messages import ModelInfo

PRICED = ModelInfo(id="m", input_price=1.0, output_price=10.0)
ASKED = (Message("user", "x" * 3600),)


def test_a_request_that_was_cut_stays_on_the_bill_beside_the_one_that_was_counted():
    meter = TurnMeter("t", PRICED)
    meter.sent(0.0, ASKED)
    meter.text("y" * 400, 1.0)
    cut = meter.value()
    assert (cut.input_tokens, cut.output_tokens, cut.estimated) == (1000, 100, True)
    meter.sent(2.0, ASKED)
    meter.text("y" * 40, 3.0)
    meter.usage(Usage(input_tokens=900, output_tokens=50, cached_tokens=800))
    both = meter.value()
    assert (both.input_tokens, both.output_tokens, both.cached_tokens) == (1900, 150, 800)
    assert both.estimated, "a part of it was never counted by the provider"
    assert both.cost == (1900 * 1.0 + 150 * 10.0) / 1e6


def test_what_the_provider_counted_takes_the_place_of_the_estimate():
    meter = TurnMeter("t", None)
    meter.sent(0.0, ASKED)
    meter.text("y" * 400, 1.0)
    meter.usage(None)
    assert meter.value().estimated
    meter.usage(Usage(input_tokens=7, output_tokens=3))
    assert (meter.value().input_tokens, meter.value().output_tokens, meter.value().estimated) == (7, 3, False)
