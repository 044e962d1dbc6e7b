"""Kinds of lazy and distributed frames: class, schema, use.

A schema is read from the plan that the frame holds. Nothing here starts a job, asks a server, reads rows or runs code of the user's.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from spark_jupyter.class_identity import class_name

Column = tuple[object, object]
"""A column's name and its type."""


class FrameKind(NamedTuple):
    """A kind of frame. ``classes`` are written ``module:name``; ``schema`` gives the columns, None where only a job or a server knows
    them; ``partitions`` their number, None where it is not known without work; ``hidden`` are columns that filters and sorts may name
    although the frame does not show them, None: any. ``first`` is an expression for the first ``{rows}`` of a ``{frame}``, where that
    costs little; ``holds_schema``: the plan has its schema, for which no thread, socket or file is asked."""

    title: str
    classes: tuple[str, ...]
    schema: Callable[[Any], Iterable[Column] | None]
    use: str
    first: str = ""
    holds_schema: bool = False
    partitions: Callable[[Any], int | None] = lambda frame: None
    hidden: Callable[[Any], Iterable[str] | None] = lambda frame: ()


def _polars_schema(frame: Any) -> Iterable[Column]:
    """The columns of a LazyFrame. Raises where polars would call a function of the user's to learn what it gives (``map_elements``
    without ``return_dtype``)."""
    before = sys.getprofile()
    sys.setprofile(_refuse_users)
    try:
        return list(frame.collect_schema().items())
    finally:
        sys.setprofile(before)


def _refuse_users(frame: types.FrameType, event: str, argument: object) -> None:
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    if event == "call" and package not in sys.stdlib_module_names and package not in ("polars", "spark_jupyter"):
        raise RuntimeError("The schema depends on a function of the user's.")


def _dask_partitions(frame: Any) -> int | None:
    """The number of partitions; None behind a shuffle, where Dask would compute it, and for Parquet, whose footers it would read."""
    steps = [type(step) for step in frame.expr.walk()]
    costly = any(kind.__module__.endswith("_shuffle") or "Parquet" in kind.__name__ for kind in steps)
    return None if costly else int(frame.npartitions)


def _spark_hidden(frame: Any) -> Iterable[str] | None:
    """All columns in the analyzed plan: Spark resolves those of a filter or sort below a projection, too."""
    plan = frame._jdf.queryExecution().analyzed()
    while not plan.children().isEmpty():
        if plan.children().size() > 1:
            return None
        plan = plan.children().head()
    return [plan.output().apply(place).name() for place in range(plan.output().size())]


def spark_view(session: Any, name: str) -> list[str]:
    """The columns of a temporary view in Spark's classic session, found without asking a server or a metastore."""
    is_classic = type(session) is loaded_class("pyspark.sql.session", "SparkSession")
    try:
        if not is_classic:
            return []
        found = session._jsparkSession.sessionState().catalog().getTempView(name)
        output = found.get().output() if found.isDefined() else None
        return [] if output is None else [output.apply(place).name() for place in range(output.size())]
    except Exception:  # a session that was stopped
        return []


def ibis_column(type_name: str) -> type | None:
    """The class of an Ibis table's columns of a type; None for those whose attributes are fields, and where it is not known."""
    parse = getattr(sys.modules.get("ibis.expr.datatypes"), "dtype", None)
    try:
        found = loaded_class("ibis.expr.types", parse(type_name).column) if parse is not None and type_name else None
    except Exception:  # a type that Ibis does not read
        return None
    return None if hasattr(found, "__getattr__") else found


def _ray_schema(dataset: Any) -> Iterable[Column] | None:
    known = dataset.schema(fetch_if_missing=False)
    return None if known is None else zip(known.names, known.types, strict=False)


KINDS = (
    FrameKind(
        "polars LazyFrame",
        ("polars:LazyFrame",),
        _polars_schema,
        "lazy: pl.col expressions, collect() at the end",
        first="{frame}.head({rows})",
    ),
    FrameKind(
        "DuckDB relation",
        ("duckdb:DuckDBPyRelation",),
        lambda relation: zip(relation.columns, relation.types, strict=True),
        "lazy: SQL may name it as a table, df() or pl() at the end",
        first="{frame}.limit({rows})",
        holds_schema=True,
    ),
    FrameKind(
        "Ibis table",
        ("ibis.expr.types:Table",),
        lambda table: table.schema().items(),
        "lazy: ibis._ expressions, to_pandas() at the end",
        first="{frame}.limit({rows})",
        holds_schema=True,
    ),
    FrameKind(
        "Dask DataFrame",
        ("dask.dataframe:DataFrame",),
        lambda frame: frame._meta.dtypes.items(),
        "lazy: pandas' methods, compute() at the end on what is small",
        first="{frame}.head({rows}, compute=False)",
        holds_schema=True,
        partitions=_dask_partitions,
        hidden=lambda frame: [frame._meta.index.name],
    ),
    FrameKind(
        "Spark DataFrame",
        ("pyspark.sql.classic.dataframe:DataFrame", "pyspark.sql.dataframe:DataFrame"),
        lambda frame: ((field.name, field.dataType.simpleString()) for field in frame.schema.fields),
        "lazy, on Spark: F.col expressions, show() or limit(n).toPandas() to look",
        hidden=_spark_hidden,
    ),
    FrameKind(
        "Spark Connect DataFrame",
        ("pyspark.sql.connect.dataframe:DataFrame",),
        lambda frame: (
            None
            if frame._cached_schema is None  # else the server would be asked
            else ((field.name, field.dataType.simpleString()) for field in frame._cached_schema.fields)
        ),
        "lazy, on a Spark server: F.col expressions, show() or limit(n).toPandas() to look",
        hidden=lambda frame: None,
    ),
    FrameKind(
        "Ray dataset",
        ("ray.data.dataset:Dataset", "ray.data.dataset:MaterializedDataset"),
        _ray_schema,
        "lazy, on Ray: map_batches and groupby, take(n) to look",
    ),
)


_PLACES = tuple(
    (kind, module, name) for kind in KINDS for module, _, name in (place.partition(":") for place in kind.classes)
)
NAMES = frozenset(name for _, _, name in _PLACES)
"""The names of all classes in the table."""


def kind_of(kind: type) -> FrameKind | None:
    """The row of a class; None for a class that only has such a name, and for subclasses of the user's."""
    name = class_name(kind)
    if name not in NAMES:
        return None
    for row, module, known in _PLACES:
        if known == name and loaded_class(module, name) is kind:
            return row
    return None


def loaded_class(module: str, name: str) -> type | None:
    """A class of a loaded module; None where the module is not loaded or has none of that name."""
    loaded = sys.modules.get(module)
    is_module = issubclass(type(loaded), types.ModuleType)  # a mock of the user's may stand there
    found = types.ModuleType.__getattribute__(loaded, "__dict__").get(name) if is_module else None
    return found if issubclass(type(found), type) else None
