"""Clusters that the kernel is connected to and a copy is not: Spark, Ray, Dask.

A copy has none of the kernel's sockets. Code that would need one is not run; what the libraries do unasked, such as telling a JVM which
objects are gone, is switched off.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from spark_jupyter.class_identity import package_behind

_LIBRARIES = {"pyspark": "Spark", "ray": "Ray", "dask": "Dask", "distributed": "Dask"}


def cut_off() -> None:
    """Keep the libraries from the connections that they believe to have; let Dask without a cluster compute in this thread, as the threads
    of its pool are not here."""
    py4j: Any = sys.modules.get("py4j.java_gateway")
    if py4j is not None:
        py4j._garbage_collect_object = py4j._garbage_collect_connection = None  # as at Python's end
    settings: Any = sys.modules.get("dask.config")
    if settings is not None and "Dask" not in _connected():
        settings.config["scheduler"] = "synchronous"


def are_connected() -> bool:
    """True if the kernel may be connected to a cluster."""
    return bool(_connected())


def used_by(names: Iterable[str], namespace: Mapping[str, object]) -> str:
    """The cluster that code that reaches these names runs on; empty where it runs on none."""
    connected = _connected()
    packages = (one for name in names for one in (name.partition(".")[0], package_behind(namespace.get(name))))
    return next((_LIBRARIES[one] for one in packages if _LIBRARIES.get(one) in connected), "")


def _connected() -> set[str]:
    """Spark's connection is as old as its first frame, so that its modules are enough; Dask and Ray also work without."""
    found = {"Spark"} if "pyspark.sql" in sys.modules else set()
    ray: Any = sys.modules.get("ray")
    if ray is not None and ray.is_initialized():
        found.add("Ray")
    distributed: Any = sys.modules.get("distributed.client")
    if distributed is not None and distributed._global_clients:
        found.add("Dask")
    return found
