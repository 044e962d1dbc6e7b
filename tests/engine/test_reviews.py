"""Reviews as a front end sees them: begun, told cell by cell, cancelled."""

from __future__ import annotations

import pytest

from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Checks, Kernel
from spark_jupyter.protocol.messages import Snapshot
from spark_jupyter.protocol.review_messages import BeginReview, CancelReview, ReviewChanged
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.sandbox import unavailable
from tests.engine.long_answer import until


@pytest.fixture
def told():
    if reason := unavailable():
        pytest.skip(reason)
    engine = Engine(unlinked)
    seen = []

    def listen(frame):
        seen.extend(event for event in frame.msgs if isinstance(event, ReviewChanged))

    engine.subscribe(listen)

    def say(command, *, until_one):
        engine.submit(command)
        until(lambda: any(until_one(event) for event in seen))
        return seen

    yield say
    engine.close()


def test_a_fault_of_ours_is_told_and_nobody_waits_for_ever():
    def broken(cells):
        raise ZeroDivisionError("division by zero")

    engine, seen = Engine(unlinked, kernel=Kernel(checks=Checks(review=broken))), []
    engine.subscribe(lambda frame: seen.extend(one for one in frame.msgs if isinstance(one, ReviewChanged)))
    try:
        engine.submit(BeginReview(review_id="r1", cells=CELLS))
        until(lambda: any(event.state == "done" for event in seen))
    finally:
        engine.close()
    assert seen[-1].problem == "The review failed by a fault in spark_jupyter (ZeroDivisionError: division by zero)."


async def unlinked():
    raise AssertionError("A review asks no model.")


CELLS = (
    NotebookCell(id="a", source="x = 1"),
    NotebookCell(id="b", source="x.missing"),
    NotebookCell(id="n", cell_type="markdown"),
)


def test_without_a_run_it_is_done_at_once(told):
    events = told(BeginReview(review_id="r1", cells=CELLS), until_one=lambda event: event.state == "done")
    assert [event.state for event in events] == ["looking", "done"]


def test_a_cell_that_may_fail_is_no_fault_and_what_comes_below_runs(told):
    cells = (NotebookCell(id="a", source="1 / 0", raises=True), NotebookCell(id="b", source="x.missing"))
    events = told(BeginReview(review_id="r1", cells=cells, run=True), until_one=lambda event: event.state == "done")
    assert events[-1].done == 1
    assert [(remark.cell_id, remark.kind) for remark in events[-1].remarks if remark.kind == "fails"] == [
        ("b", "fails")
    ]


def test_who_comes_later_is_told_of_the_last_review_until_it_is_closed():
    engine = Engine(unlinked)
    reviews = []

    def who_comes_later():
        seen = []
        engine.subscribe(lambda frame: seen.extend(frame.msgs), last_seq=0)
        until(lambda: any(isinstance(one, Snapshot) for one in seen))
        return next(one for one in seen if isinstance(one, Snapshot)).review

    try:
        engine.subscribe(lambda frame: reviews.extend(one for one in frame.msgs if isinstance(one, ReviewChanged)))
        assert who_comes_later() is None
        engine.submit(BeginReview(review_id="r1", cells=CELLS))
        until(lambda: any(event.state == "done" for event in reviews))
        assert who_comes_later() == reviews[-1]
        engine.submit(CancelReview(review_id="r1"))
        assert who_comes_later() is None
    finally:
        engine.close()


def test_a_run_tells_how_far_it_is_and_what_fails(told):
    events = told(BeginReview(review_id="r1", cells=CELLS, run=True), until_one=lambda event: event.state == "done")
    assert [event.state for event in events[:2]] == ["looking", "running"]
    assert events[-1].done == 1
    assert events[-1].total == 2
    assert [(remark.cell_id, remark.kind) for remark in events[-1].remarks] == [("b", "fails")]


def test_one_that_is_cancelled_says_so_and_is_silent_then(told):
    slow = (NotebookCell(id="a", source="x = 1"), NotebookCell(id="b", source="import time\ntime.sleep(600)"))
    told(BeginReview(review_id="r1", cells=slow, run=True), until_one=lambda event: event.done == 1)
    events = told(CancelReview(review_id="r1"), until_one=lambda event: event.state == "cancelled")
    assert events[-1].state == "cancelled"
