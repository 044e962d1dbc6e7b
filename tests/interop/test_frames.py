"""Ibis, Dask, Apache Spark and Ray as they are: schemas in a request, right cells, faulty cells, and copies of a connected kernel."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from tests.interop.conftest import ROOT, _needs

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]
PYTHON = ROOT / ".interop" / "frames-venv" / "bin" / "python"


def outcome_of(module: str, *arguments: str) -> dict:
    """What a module of the tests prints as JSON in the environment that has the libraries."""
    _needs(PYTHON)
    ran = subprocess.run(
        [PYTHON, "-m", module, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=500, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.parametrize("library", ["ibis", "dask", "pyspark", "connect", "ray"])
def test_right_cells_pass_and_faults_are_found(library):
    if library in ("pyspark", "connect") and shutil.which("java") is None:
        pytest.skip("Apache Spark needs Java")
    judged = outcome_of("tests.frames.judgement", library)
    assert judged["disputed"] == []
    assert judged["alarms"] == {}
    assert judged["unwarned"] == []
    assert judged["missed"] == []
    assert len(judged["told"]) >= (1 if library == "ray" else 2)


def test_a_copy_leaves_a_jvm_and_a_scheduler_alone():
    if shutil.which("java") is None:
        pytest.skip("Apache Spark needs Java")
    said = outcome_of("tests.frames.connected_copies")
    assert (said["kernel"], said["cluster"]) == ("(3, 3)", "3")
    assert said["dask alone"].startswith("ran in a copy")
    assert said["dask, a part"].startswith("with the first 1 rows of ddf · ran in a copy")
    assert said["ibis, a part"].startswith("with the first 1 rows of t · ran in a copy")
    assert "new columns: total float64; columns gone: item" in said["plan"]
    assert said["pandas beside spark"].startswith("ran in a copy")
    assert said["spark"] == said["function"] == "not tried: it runs on a cluster (Spark)"
    assert said["dask on a cluster"] == "not tried: it runs on a cluster (Dask)"
    assert said["dropped"].startswith("not tried: it runs on a cluster (Spark); the rest ran in a copy")


def test_a_copy_leaves_a_spark_connect_server_alone():
    if shutil.which("java") is None:
        pytest.skip("Apache Spark needs Java")
    said = outcome_of("tests.frames.connected_copies", "connect")
    assert said["kernel"] == "(3, 3)"
    assert said["spark"] == "not tried: it runs on a cluster (Spark)"
    assert said["dropped"].startswith("not tried: it runs on a cluster (Spark)")
