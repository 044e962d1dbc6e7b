"""Right cells without a finding and faulty ones with one: polars and DuckDB. Ibis, Dask, Spark and Ray: tests/interop/test_frames.py."""

from __future__ import annotations

import pytest

from tests.frames.cells import LIBRARIES
from tests.frames.judgement import judge_in_new_folder


@pytest.mark.parametrize("library", ["polars", "duckdb"])
def test_right_cells_pass_and_faults_are_found(library):
    judged = judge_in_new_folder(library)
    assert judged["disputed"] == []
    assert judged["alarms"] == {}
    assert judged["missed"] == []


@pytest.mark.parametrize("library", LIBRARIES)
def test_there_are_fifteen_cells_of_each_kind_at_least(library):
    cells = LIBRARIES[library]
    assert min(len(text.strip().splitlines()) for text in (cells.right, cells.faulty)) >= 15
