"""A Try of a cell with lazy frames: on their first rows where a person chose so, and what changed by the plans."""

from __future__ import annotations

import pytest

from tests.sandbox.conftest import Bench

pytest.importorskip("duckdb")

FRAMES = """
import duckdb
numbers = duckdb.sql("select range as n, range % 3 as third from range(300)")
def total():
    return numbers.aggregate("count(*)").fetchall()[0][0]
"""


@pytest.fixture
def frames(bench: Bench) -> Bench:
    bench.given(FRAMES)
    return bench


def test_a_cell_is_tried_with_all_rows_unless_a_person_chose_fewer(frames):
    assert frames.printed("print(total())") == "300\n"
    frames.trials.sample_rows = 7
    assert frames.printed("print(total())") == "7\n"
    assert frames.printed("print(duckdb.sql('select count(*) from numbers').fetchall()[0][0])") == "7\n"


def test_the_result_says_which_frames_it_had_a_part_of(frames):
    frames.trials.sample_rows = 1000
    assert frames.attempt("a = total()").summary.startswith("with the first 1,000 rows of numbers · ran in a copy in ")
    assert frames.attempt("a = 1").summary.startswith("ran in a copy in ")


def test_what_fails_with_a_part_is_tried_with_all_rows(frames):
    frames.trials.sample_rows = 7
    assert frames.attempt("assert total() == 300").summary.startswith("ran in a copy in ")
    assert frames.attempt("assert total() == 301").error.startswith("AssertionError")


def test_a_part_is_no_change_of_the_frame(frames):
    frames.trials.sample_rows = 7
    assert frames.changes("a = total()") == {"a": "new int 7"}


def test_frames_on_a_cluster_have_no_part(frames, monkeypatch):
    monkeypatch.setattr("spark_jupyter.sandbox.frame_samples.clusters.used_by", lambda names, namespace: "Dask")
    frames.trials.sample_rows = 7
    assert frames.printed("print(total())") == "300\n"


@pytest.mark.parametrize("rows", [0, 7])
def test_columns_that_a_plan_gains_and_loses_are_told(frames, rows):
    frames.trials.sample_rows = rows
    assert frames.changes("numbers = numbers.project('n::double as n, third > 1 as big')") == {
        "numbers": "changed DuckDBPyRelation DuckDBPyRelation new columns: big BOOLEAN; columns gone: third; types: n BIGINT → DOUBLE"
    }
    assert frames.changes("few = numbers.limit(3)") == {"few": "new DuckDBPyRelation n BIGINT, third BIGINT"}


def test_polars_lazy_frames_have_a_part(bench):
    pytest.importorskip("polars")
    bench.given("import polars as pl\nnumbers = pl.LazyFrame({'n': range(300)})")
    bench.trials.sample_rows = 7
    assert bench.printed("print(numbers.collect().height)") == "7\n"
