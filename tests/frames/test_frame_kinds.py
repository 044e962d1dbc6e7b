"""Schemas of lazy frames, as a request tells them. Those of Ibis, Dask, Spark and Ray: tests/interop/test_frames.py."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import duckdb
import polars as pl
import pytest

from spark_jupyter.frames import frame_kinds
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.prompting.variables import TABLE, variable
from spark_jupyter.reality import check


def test_a_lazy_frame_tells_its_columns_and_how_it_is_used(tmp_path):
    (tmp_path / "sales.csv").write_text("shop,price\na,1.5\n")
    lazy = pl.scan_csv(tmp_path / "sales.csv").with_columns(double=pl.col("price") * 2)
    told = variable("lazy", lazy)
    assert told.line() == (
        "lazy: polars LazyFrame (lazy: pl.col expressions, collect() at the end): shop String, price Float64, double Float64"
    )
    assert told.rank == TABLE


def test_a_relation_of_duckdb_tells_its_columns():
    relation = duckdb.sql("select 1 as n, 'x' as word")
    assert variable("found", relation).line().endswith(": n INTEGER, word VARCHAR")


def test_a_lazy_frame_that_can_not_be_resolved_costs_nothing_but_its_columns(tmp_path):
    broken = pl.scan_csv(tmp_path / "gone.csv")
    (told,) = gather({"broken": broken}, prompt="sum it").variables
    assert (told.summary, told.columns) == ("LazyFrame", ())


@pytest.mark.parametrize("method", ["map_batches", "map_elements"])
def test_no_function_of_the_users_is_called_for_a_schema(method):
    called = []
    column = getattr(pl.col("a"), method)(lambda value: called.append(value))
    told = variable("lazy", pl.LazyFrame({"a": [1]}).with_columns(column))
    assert (told.columns, called) == ((), [])
    assert check("lazy.collect()", {"lazy": pl.LazyFrame({"a": [1]}).with_columns(column)}) == []
    assert (called, sys.getprofile()) == ([], None)


def test_a_subclass_of_the_users_is_not_asked():
    class Mine(pl.LazyFrame):
        def collect_schema(self):
            pytest.fail("code of the user's ran")

    assert frame_kinds.kind_of(Mine) is None
    assert variable("mine", Mine({"a": [1]})).summary == "Mine"


def test_a_server_is_not_asked_for_a_schema(monkeypatch):
    class DataFrame:
        _cached_schema = None

        @property
        def schema(self):
            pytest.fail("the server was asked")

    module = ModuleType("pyspark.sql.connect.dataframe")
    module.DataFrame = DataFrame
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert "columns not known" in variable("remote", DataFrame()).summary


@pytest.mark.parametrize("mock", [object(), SimpleNamespace(DataFrame=int), int])
def test_what_stands_in_for_a_library_has_no_classes_of_it(monkeypatch, mock):
    monkeypatch.setitem(sys.modules, "polars", mock)
    assert frame_kinds.loaded_class("polars", "DataFrame") is None
