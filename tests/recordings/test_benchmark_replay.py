"""Our own benchmark is recorded as a lesson is, and its recording gives the same cells again without the model."""

from __future__ import annotations

import pytest

from benchmarks.strong.__main__ import NOTEBOOKS, play
from spark_jupyter.recordings.fingerprint import fingerprint
from spark_jupyter.recordings.recording_file import load

pytestmark = [pytest.mark.begins_first, pytest.mark.timeout(600), pytest.mark.usefixtures("own_home")]


def test_a_notebook_of_the_benchmark_is_replayed_from_its_recording(tmp_path):
    score = play(NOTEBOOKS / "library.toml", None, [], tmp_path)
    assert score.landed == score.turns
    assert 0 < score.played == score.replayed
    exchanges = load(tmp_path / "library.spark.jsonl").exchanges
    assert len(exchanges) == score.requests
    assert all(fingerprint(one.request.ask) == one.request.fingerprint for one in exchanges)
