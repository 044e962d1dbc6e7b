"""Prompts that an answer's notes offer, and refusals."""

import re

import pytest

from spark_jupyter.protocol.constants import LONGEST_OFFER, MOST_OFFERS, OFFER_PATTERN
from spark_jupyter.protocol.prompt_offers import is_refusal, offer, offered


def test_what_is_offered_is_read_back():
    notes = f"I took `orders`.\n\n{offer('total of orders')}\n{offer('total of visits')}\n"
    assert offered(notes) == ("total of orders", "total of visits")


@pytest.mark.parametrize("prompt", ["a\nb", 'say "x"', "“quoted”", "x" * 500, "`code` [link](http://a)"])
def test_any_prompt_becomes_one_line_that_is_an_offer(prompt):
    line = offer(prompt)
    assert re.fullmatch(OFFER_PATTERN, line)
    assert len(offered(line)[0]) <= LONGEST_OFFER


def test_a_hostile_answer_offers_only_so_much():
    assert len(offered("\n".join(offer(f"prompt {number}") for number in range(50)))) == MOST_OFFERS
    assert offered("I say - Ask: “this” in a sentence") == ()
    assert offered(f"- Ask: “{'x' * 301}”") == ()


@pytest.mark.parametrize("unseen", ["\U000e0041", "\u200b", "\u202e", "\ufeff", "\x07", "\u2029"])
def test_words_of_which_a_person_would_not_see_all_are_no_offer(unseen):
    assert offered(f"- Ask: “sort{unseen} sales”") == ()
    assert offered("- Ask: “sort 😀 by größe”") == ("sort 😀 by größe",)


def test_a_refusal_is_told_by_its_beginning():
    assert is_refusal("No: I have no answer.")
    assert not is_refusal("No problem, here it is.")
