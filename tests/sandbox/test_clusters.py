"""Code that runs on a cluster is not tried, and a copy leaves the kernel's connections alone."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from spark_jupyter.sandbox.copy import clusters


@pytest.fixture
def spark(monkeypatch) -> type:
    """A class of an Apache Spark that the kernel has loaded."""
    for name in ("pyspark", "pyspark.sql"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    return type("DataFrame", (), {"__module__": "pyspark.sql.dataframe", "count": lambda self: 1 / 0})


@pytest.mark.parametrize("source", ["orders.count()", "total()", "import pyspark.sql\npyspark.sql.anything"])
def test_a_cell_on_a_cluster_is_not_tried(bench, spark, source):
    bench.shell.user_ns["orders"] = spark()
    bench.given("def total():\n    return orders.count()")
    result = bench.attempt(source)
    assert (result.summary, result.problem) == ("not tried: it runs on a cluster (Spark)", "")


def test_the_rest_of_the_cell_is_tried(bench, spark):
    bench.shell.user_ns["orders"] = spark()
    result = bench.attempt("a = 1\nfound = orders.count()\nb = a + 1\nc = found + 1")
    assert result.summary.startswith("not tried: it runs on a cluster (Spark); the rest ran in a copy: 2 new variables")


def test_a_cell_without_it_is_tried(bench, spark):
    bench.shell.user_ns["orders"] = spark()
    assert bench.attempt("1 + 1").summary.startswith("ran in a copy")


def test_a_cluster_counts_only_while_the_kernel_is_connected(monkeypatch):
    ray = ModuleType("ray")
    ray.is_initialized = lambda: False
    monkeypatch.setitem(sys.modules, "ray", ray)
    dataset = type("Dataset", (), {"__module__": "ray.data.dataset"})()
    assert clusters.used_by({"dataset"}, {"dataset": dataset}) == ""
    ray.is_initialized = lambda: True
    assert clusters.used_by({"dataset"}, {"dataset": dataset}) == "Ray"


def test_a_copy_tells_no_jvm_which_objects_are_gone(monkeypatch):
    gateway = SimpleNamespace(_garbage_collect_object=len, _garbage_collect_connection=len)
    monkeypatch.setitem(sys.modules, "py4j.java_gateway", gateway)
    clusters.cut_off()
    assert gateway._garbage_collect_object is gateway._garbage_collect_connection is None


@pytest.mark.parametrize(("clients", "scheduler"), [({}, "synchronous"), ({1: object()}, None)])
def test_dask_computes_in_the_copy_only_without_a_cluster(monkeypatch, clients, scheduler):
    config = SimpleNamespace(config={})
    monkeypatch.setitem(sys.modules, "dask.config", config)
    monkeypatch.setitem(sys.modules, "distributed.client", SimpleNamespace(_global_clients=clients))
    clusters.cut_off()
    assert config.config.get("scheduler") == scheduler
