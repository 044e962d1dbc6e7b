"""Copies of a kernel that is connected to Spark and then to a Dask cluster: ``python -m tests.frames.connected_copies``."""

from __future__ import annotations

import json
import sys

from tests.frames.cells import LIBRARIES
from tests.sandbox.conftest import Bench

DASK = """
import pandas as pd
import dask.dataframe as dd
frame = pd.DataFrame({"a": [1, 2]})
ddf = dd.from_pandas(frame, npartitions=2)
ddf.a.sum().compute()
"""
CLUSTER = """
from distributed import Client, LocalCluster
client = Client(LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, processes=False))
"""


def summaries() -> dict[str, str]:
    """What a Try says, by the name of its case; ``spark`` is what Spark says in the kernel behind all of them."""
    bench = Bench()
    try:
        bench.given(DASK)
        said = {"dask alone": bench.attempt("ddf.a.sum().compute()").summary}
        bench.given(LIBRARIES["ibis"].before)
        bench.trials.sample_rows = 1
        said["dask, a part"] = bench.attempt("assert len(ddf.compute()) == 1\nwide = ddf.assign(b=1)").summary
        said["ibis, a part"] = bench.attempt("assert t.count().execute() == 1").summary
        said["plan"] = bench.changes("t = t.drop('item').mutate(total=t.units * t.price)")["t"]
        bench.trials.sample_rows = 0
        bench.given(LIBRARIES["pyspark"].before)
        said["pandas beside spark"] = bench.attempt("frame.a.sum()").summary
        said |= _of_spark(bench)
        bench.given(CLUSTER)
        said["dask on a cluster"] = bench.attempt("ddf.a.sum().compute()").summary
        bench.given("total = int(ddf.a.sum().compute())")
        return said | {"cluster": str(bench.shell.user_ns["total"])}
    finally:
        bench.close()


def of_spark_connect() -> dict[str, str]:
    """The same of a kernel that is a client of a Spark Connect server."""
    bench = Bench()
    try:
        bench.given(LIBRARIES["connect"].before)
        return _of_spark(bench)
    finally:
        bench.close()


def _of_spark(bench: Bench) -> dict[str, str]:
    said = {"spark": bench.attempt("df.count()").summary}
    said["function"] = bench.attempt("import pyspark.sql.functions as f\nf.col('units')").summary
    said["dropped"] = bench.attempt("narrow = df = None\nimport gc\ngc.collect()\nleft = 1").summary
    bench.given("found = df.count(), narrow.count()")
    said["kernel"] = str(bench.shell.user_ns["found"])
    return said


if __name__ == "__main__":
    print(json.dumps(of_spark_connect() if "connect" in sys.argv else summaries()))
