"""What a Try surprised with, as the session keeps it: with the text that was tried, and no longer."""

from __future__ import annotations

from spark_jupyter.wire.messages import TrialResult
from spark_jupyter.wire.notebook import content_hash
from spark_jupyter.wire.surprising import Surprise


def test_what_surprises_in_a_try_is_asked_for_and_not_taken_with_all_others_until_its_text_is_another_one(trying):
    trying.prompt()
    trying.answer("```python\nx = 1\n```\n")
    cell = trying.view.of_turn("t1")[0]
    surprise = Surprise(rule="rows-dropped", message="`df` lost 90 % of its rows.")
    for tried, may_run, kept in ((cell.source, "when-asked", (surprise,)), ("x = 2", "freely", ())):
        result = TrialResult(turn_id="t1", cell_id=cell.cell_id, source_hash=content_hash(tried), surprises=(surprise,))
        trying.session.receive_trial(result)
        trying.drain()
        proposal = trying.view.proposals[cell.cell_id]
        assert (proposal.may_run, proposal.surprises) == (may_run, kept)
