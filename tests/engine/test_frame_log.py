"""The numbered frames that are kept for who missed some."""

from __future__ import annotations

from spark_jupyter.engine.broadcast import FrameLog
from spark_jupyter.protocol.messages import NotesAdded
from spark_jupyter.protocol.proposal_messages import CellsChanged, ProposalChanged
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import InsertCell, Output, Proposal

LONG = "x" * 600
LARGE = [
    NotesAdded(turn_id="t", text=LONG),
    CellsChanged(turn_id="t", changes=(InsertCell(cell_id="c", source=LONG),)),
    ProposalChanged(proposal=Proposal(cell_id="c", turn_id="t", kind="edit", state="ready", base=LONG, source="")),
    TrialResult(turn_id="t", cell_id="c", outputs=(Output(kind="display_data", data={"image/png": LONG}),)),
]


def test_the_youngest_frames_are_kept_and_given_again():
    log = FrameLog(kept=3)
    for number in range(5):
        log.add([NotesAdded(turn_id="t", text=str(number))])
    assert [frame.seq for frame in log.since(2) or []] == [3, 4, 5]
    assert log.since(1) is None  # a snapshot says it


def test_of_large_frames_fewer_are_kept_and_the_last_one_always():
    for event in LARGE:
        log = FrameLog(characters=2_000)
        for _ in range(5):
            log.add([event])
        assert [frame.seq for frame in log.since(2) or []] == [3, 4, 5], type(event)
        assert log.since(1) is None
    log = FrameLog(characters=100)
    log.add(LARGE[:1])
    assert [frame.seq for frame in log.since(0) or []] == [1]
