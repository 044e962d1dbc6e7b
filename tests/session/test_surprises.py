"""Surprises of a Try in the session: kept with the text that was tried, and no longer."""

from __future__ import annotations

from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import Reject
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Output, Surprise
from spark_jupyter.session import proposal_store


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


def tried(cell_id: str, output: str) -> TrialResult:
    outputs = (Output(kind="stdout", text=output),)
    return TrialResult(turn_id="t1", cell_id=cell_id, summary="ran in a copy", outputs=outputs)


def test_what_a_copy_showed_is_kept_for_who_comes_later_until_somebody_decides(trying, monkeypatch):
    monkeypatch.setattr(proposal_store, "MOST_CHARACTERS", 10)
    trying.prompt()
    trying.answer("```python\nx = 1\n```\n\n```python\ny = 2\n```\n\n```python\nz = 3\n```\n")
    cells = [proposal.cell_id for proposal in trying.view.of_turn("t1")]
    for cell_id, output in zip(cells, ("old", "young", "newest"), strict=True):
        trying.session.receive_trial(tried(cell_id, output))
    trying.drain()
    kept = [
        (one.cell_id, [output.text for output in one.outputs], one.summary)
        for one in trying.session.store.trial_results
    ]
    first, second, third = cells
    assert kept == [
        (first, [], "ran in a copy"),
        (second, [], "ran in a copy"),
        (third, ["newest"], "ran in a copy"),
    ], "of older ones the first line stays"
    trying.say(Reject(cell_id=third))
    trying.session.receive_trial(tried(second, "again"))
    assert [one.cell_id for one in trying.session.store.trial_results] == [first, second]
    assert trying.session.store.draft(third).trial is None
