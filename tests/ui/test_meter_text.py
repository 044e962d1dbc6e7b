"""Text of a meter."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.meter_messages import Extra, Meter, Spent
from spark_jupyter.ui.text.meter_text import meter_text, spent_text


@pytest.mark.parametrize(
    ("meter", "said"),
    [
        (Meter(turn_id="t"), ""),
        (Meter(turn_id="t", elapsed=1.0), ""),
        (Meter(turn_id="t", elapsed=12.4), "waiting, 12 s"),
        (Meter(turn_id="t", elapsed=13.0, thinking=12.2), "thinking, 12 s"),
        (Meter(turn_id="t", reading_tokens=200, read_tokens=50), "reading 200 tokens, 25 %"),
        (Meter(turn_id="t", waiting=1), "waiting, 1 request comes first"),
        (Meter(turn_id="t", waiting=3), "waiting, 3 requests come first"),
        (Meter(turn_id="t", wait=6.2, notice="There limits the rate."), "There limits the rate. Retrying in 7 s …"),
        (Meter(turn_id="t", notice="B is asked instead.", elapsed=3.0), "B is asked instead. waiting, 3 s"),
    ],
)
def test_what_is_waited_for_is_said_until_there_is_text(meter: Meter, said: str) -> None:
    assert meter_text(meter) == said


def test_what_reasoning_prediction_and_more_requests_took_is_said() -> None:
    meter = Meter(
        turn_id="t",
        first_token=0.25,
        thinking=3.0,
        output_tokens=80,
        reasoning_tokens=30,
        accepted_tokens=40,
        rejected_tokens=10,
        tokens_per_second=1200.0,
        input_tokens=100,
        cached_tokens=60,
        provider_seconds=0.5,
        extra=(Extra(kind="correction", requests=2, input_tokens=50, output_tokens=10, cost=0.002),),
        cost=0.0042,
        estimated=False,
    )
    assert meter_text(meter) == (
        "first after 250 ms, thought for 3 s, 80 tokens, 30 of them thinking, 1,200 tok/s, 0.50 s by the provider's clock, "
        "60 of 100 input tokens cached, 40 of 50 predicted tokens taken, 2 corrections +60 tokens +$0.0020, $0.0042"
    )


def test_a_price_that_is_not_known_is_not_guessed_and_one_of_nothing_not_said() -> None:
    assert meter_text(Meter(turn_id="t", output_tokens=5, estimated=False)) == "5 tokens, cost unknown"
    assert meter_text(Meter(turn_id="t", output_tokens=5, estimated=False, cost=0.0)) == "5 tokens"


def test_words_of_a_provider_drive_no_terminal() -> None:
    assert "\x1b" not in meter_text(Meter(turn_id="t", wait=1.0, notice="\x1b[2Jgone"))


def test_what_was_spent_counts_turns_without_a_known_price():
    assert "and 1 turn without a known price" in spent_text(Spent(today=0.0, notebook=0.0, unknown=1))
    assert "and 2 turns without a known price" in spent_text(Spent(today=0.0, notebook=0.0, unknown=2))
    assert "not known" not in spent_text(Spent(today=0.0, notebook=0.0))
