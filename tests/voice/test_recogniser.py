"""Spoken prompts over a table, in quiet and with noise."""

from __future__ import annotations

import pytest

pytest.importorskip("pocketsphinx")

from spark_jupyter.voice.recogniser import Heard, Recogniser
from tests.voice.speech import SILENCE, needs_flite, speak

COLUMNS = ("order_date", "Customer ID", "region", "Product Name", "quantity", "unit_price", "discount")
SAID = {
    "plot the total revenue per month as a line": "plot the total revenue per month as a line",
    "how many orders came from each customer": "how many orders came from each customer",
    "sort orders by quantity from highest to lowest": "sort orders by quantity from highest to lowest",
    "rename unit price to price": "rename unit_price to price",
    "only two thousand twenty four": "only 2024",
    "no horizontal": "no horizontal",
    "undo that": "undo that",
    "stop": "stop",
    "draw a histogram of the quantity": "draw a histogram of the quantity",
    "join orders with customers on customer id": "join orders with customers on Customer ID",
    "remove the rows where the discount is missing": "remove the rows where the discount is missing",
    "group by product name and sum the quantity": "group by Product Name and sum the quantity",
}


@pytest.fixture
def recogniser() -> Recogniser:
    """A new one: it adapts itself to the voice that it has heard."""
    return Recogniser([*COLUMNS, "revenue"], ["orders", "customers"])


def heard(recogniser: Recogniser, sound: bytes) -> list[Heard]:
    """What is heard of sound that comes in pieces of a tenth of a second, and then ends."""
    found = [one for start in range(0, len(sound), 3200) for one in recogniser.hear(sound[start : start + 3200])]
    return [*found, *recogniser.end()]


def prompt(recogniser: Recogniser, sound: bytes) -> str:
    return " ".join(one.text for one in heard(recogniser, sound) if one.final)


@needs_flite
@pytest.mark.parametrize(("noise", "least"), [(0.0, 10), (0.1, 8)])
def test_spoken_prompts_become_the_prompts_that_were_meant(recogniser, noise, least):
    got = {text: prompt(recogniser, speak(said, noise=noise)) for said, text in SAID.items()}
    assert sum(text == found for text, found in got.items()) >= least, got


@needs_flite
def test_words_appear_while_one_speaks(recogniser):
    found = heard(recogniser, speak("plot the total revenue per month as a line"))
    assert [one.final for one in found].count(True) == 1
    partial = [one.text for one in found if not one.final]
    assert len(partial) > 2
    assert partial[0] in partial[-1] or len(partial[0]) < len(partial[-1])


@needs_flite
def test_a_pause_makes_an_utterance_whole(recogniser):
    sound = speak("undo that") + 3 * SILENCE + speak("run it")
    whole = [one.text for one in heard(recogniser, sound) if one.final]
    assert len(whole) == 2
    assert whole[0] == "undo that"


def test_silence_says_nothing(recogniser):
    assert heard(recogniser, 6 * SILENCE) == []


def test_odd_pieces_of_sound_are_taken(recogniser):
    assert list(recogniser.hear(b"\0")) == []
    assert list(recogniser.hear(b"\0" * 4001)) == []
    assert list(recogniser.end()) == []
