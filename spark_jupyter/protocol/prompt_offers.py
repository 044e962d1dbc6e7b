"""Prompts offered by an answer's notes, and refusals.

An offer is a line of its own, ``- Ask: “sort sales by price”``. A client shows it as a button that puts these words into the prompt and
sends nothing; a terminal shows it as it is. The notes of a refusal begin with ``No:``. The embedded server writes both; any model may.
"""

from __future__ import annotations

import re

from spark_jupyter.protocol.constants import LONGEST_OFFER, MOST_OFFERS, OFFER_PATTERN, REFUSAL

_OFFER = re.compile(OFFER_PATTERN, re.MULTILINE)


def offer(prompt: str) -> str:
    """The line that offers ``prompt``, which becomes one line without its quotation marks."""
    plain = " ".join(prompt.replace("“", '"').replace("”", '"').split())
    return f"- Ask: “{plain[:LONGEST_OFFER]}”"


def offered(notes: str) -> tuple[str, ...]:
    """The prompts that the notes offer, each once, in their order."""
    return tuple(dict.fromkeys(found[1] for found in _OFFER.finditer(notes)))[:MOST_OFFERS]


def is_refusal(notes: str) -> bool:
    return notes.lstrip().startswith(REFUSAL)
