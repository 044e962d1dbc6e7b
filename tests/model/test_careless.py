"""Sixty varied prompts to a real, careless model: whatever it writes, no prose is in a code cell, the notebook stays valid, and no turn is
over its bound."""

from __future__ import annotations

import itertools

import pytest
from msgspec import structs

from spark_jupyter.prompting.fences import is_sentence
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.notebook_changes import apply
from spark_jupyter.protocol.notebook_validation import check
from spark_jupyter.protocol.proposal_messages import CellsChanged
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import NotebookCell, Target
from spark_jupyter.providers.base import Message, ResponseCompleted, ResponseIncomplete, TextDelta
from spark_jupyter.server.engines.base import Counted, Fail
from spark_jupyter.server.engines.llama import LlamaEngine, _Answer, chat
from spark_jupyter.session.session import Session
from spark_jupyter.source.strings import read

THINGS = (
    "primes",
    "the weather",
    "a haiku",
    "sales by region",
    "my llama",
    "two dice",
    "a CSV file",
    "the moon",
    "a class",
    "noise",
)
ASKED = (
    "plot {}",
    "explain {} in words",
    "count {}",
    "write {} three times",
    "a function for {}, then explain it",
    "### {} ###",
)
PROMPTS = [how.format(what) for how, what in itertools.product(ASKED, THINGS)]
MOST = 64
"""Tokens of an answer: enough for a model to go astray, few enough for sixty of them."""
SEED = 20_261_122
"""What is written varies from prompt to prompt, and not from run to run: one that fails can be had again."""
SAID = "Answer with ```python blocks, and a sentence about each."
BOOK = {
    "cells": [
        {"cell_type": "code", "id": "c", "metadata": {}, "execution_count": None, "outputs": [], "source": "x = 1"}
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def played(engine: LlamaEngine, text: str, *, edit: bool) -> tuple[TurnView, list[CellsChanged], int]:
    """A turn, answered without the grammar that small models are held to, up to its end or its first correction; and its tokens."""
    session, view, tokens = Session(model="m"), TurnView(), 0
    cell = NotebookCell(id="c", source="x = 1")
    target = Target(edit="c") if edit else Target(after="c")
    session.receive_command(Prompt(turn_id="t", text=text, cells=(cell,), target=target), at=0.0)
    (sent,) = session.actions_to_take()
    asked = chat((Message("user", text),), SAID, most=MOST, temperature=0.8)
    answer = _Answer(engine, structs.replace(asked, body=asked.body.replace(b"{", b'{"seed":%d,' % SEED, 1)), "")
    changed = []
    for at, piece in enumerate(answer):
        assert not isinstance(piece, Fail), piece
        if isinstance(piece, str):
            tokens += 1
            session.receive_model_event(sent.job_id, sent.attempt, TextDelta(piece), at=float(at))
        elif isinstance(piece, Counted):
            end = ResponseIncomplete(reason=piece.incomplete) if piece.incomplete else ResponseCompleted()
            session.receive_model_event(sent.job_id, sent.attempt, end, at=float(at))
        events = session.events_to_send()
        view.receive_all(events)
        changed += [event for event in events if isinstance(event, CellsChanged)]
        if any(getattr(action, "job_id", sent.job_id) != sent.job_id for action in session.actions_to_take()):
            break  # it was cut and is corrected: that is another answer
    answer.stop()
    return view, changed, tokens


def sentences(source: str) -> list[str]:
    """The lines of a code cell that are plainly prose, outside of strings."""
    found, string = [], ""
    for line in source.split("\n"):
        if not string and is_sentence(line):
            found.append(line)
        string = read(line, string).carried
    return found


@pytest.mark.parametrize("group", range(len(ASKED)))
def test_whatever_it_writes_is_kept_apart_and_within_its_bound(engine: LlamaEngine, group: int) -> None:
    for text in PROMPTS[group * len(THINGS) : (group + 1) * len(THINGS)]:
        edit = group == len(ASKED) - 1
        view, changed, tokens = played(engine, text, edit=edit)
        assert tokens <= MOST
        for proposal in view.proposals.values():
            assert proposal.cell_type != "code" or not sentences(proposal.source), proposal.source
            assert "<|im_" not in proposal.source
        if not edit:
            check(apply(BOOK, [change for event in changed for change in event.changes]))
