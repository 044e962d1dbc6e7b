"""Methods of lazy and distributed frames: columns read and columns given.

Sources: the API references of Spark 4, Ibis 12, Dask 2026, Ray 2 and DuckDB 2. A method that is not listed is not looked into.

What a method reads: ``columns``, its texts are columns; ``first``, those of its first argument; ``keys``, those of a dict; ``values``, what
the dict or the keywords stand for; ``named``, those of keywords of columns; ``expressions``, only expressions in it name columns;
``sql``, its texts are expressions of SQL;
``pandas``, as pandas' method of that name; ``joins``, as what gives ``joined`` columns; ``nothing``.

What it gives: ``same`` columns, those ``chosen``, ``more``, fewer (``dropped``), ``renamed`` ones, ``groups``, those that were there
(``grouped``, or ``pivoted``: then it is not known of what columns the result is), what is ``aggregated``,
``joined`` ones, a frame of ``pandas``, or ``unknown``. A row that begins with ``groups`` is of the methods of groups.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Method(NamedTuple):
    """One method's part: what it ``reads`` and ``gives``."""

    reads: str
    gives: str


class Dialect(NamedTuple):
    """The methods of one library's frames and groups. ``functions`` is the package whose functions make expressions. ``row`` is the
    class whose attributes stand for columns, ``groups`` that of groups (``module:name``); ``any_case`` where capitals do not matter;
    ``made`` are names that functions give to columns by themselves; ``suffixes`` are added to columns that both sides of a join have;
    ``sees_hidden`` are methods that may name columns that a projection before left out, ``by_position`` those that put the columns of two
    frames together by their places, ``sql`` the name of its SQL in sqlglot."""

    methods: dict[str, Method]
    of_groups: dict[str, Method]
    groups: str = ""
    functions: str = ""
    row: str = ""
    any_case: bool = False
    made: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    sees_hidden: frozenset[str] = frozenset()
    by_position: frozenset[str] = frozenset()
    sql: str = "duckdb"


def _dialect(text: str, **options: Any) -> Dialect:
    """The dialect of lines such as ``columns same: sort limit``, with the rest of its fields."""
    methods: dict[str, Method] = {}
    of_groups: dict[str, Method] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        head, _, names = line.partition(": ")
        *of, reads, gives = head.split()
        (of_groups if of else methods).update(dict.fromkeys(names.split(), Method(reads, gives)))
    return Dialect(methods, of_groups, **options)


_SPARK = _dialect(
    """
    columns chosen: select
    sql chosen: selectExpr
    sql same: filter where
    columns same: orderBy sort sortWithinPartitions repartitionByRange
    first same: dropDuplicates drop_duplicates
    subset same: dropna fillna
    columns groups: groupBy groupby
    expressions more: withColumn withColumns
    expressions aggregated: agg
    nothing dropped: drop
    nothing renamed: withColumnRenamed withColumnsRenamed
    nothing same: limit distinct cache persist unpersist coalesce repartition sample alias hint checkpoint localCheckpoint offset union
    nothing same: unionAll unionByName intersect intersectAll subtract exceptAll withWatermark
    nothing joined: join crossJoin
    nothing pandas: toPandas
    groups expressions aggregated: agg
    groups columns aggregated: sum avg mean min max count
    groups first pivoted: pivot
    """,
    groups="pyspark.sql.group:GroupedData",
    functions="pyspark.sql",
    any_case=True,
    made=tuple("col key value pos window count".split()),
    sees_hidden=frozenset("filter where orderBy sort sortWithinPartitions".split()),
    by_position=frozenset("union unionAll intersect intersectAll subtract exceptAll".split()),
    sql="spark",
)
_IBIS = _dialect(
    """
    columns chosen: select projection
    columns same: order_by relocate
    expressions same: filter
    expressions more: mutate
    columns groups: group_by
    expressions aggregated: agg aggregate
    columns dropped: drop
    values renamed: rename
    first same: drop_null dropna
    first unknown: unnest pivot_longer
    named unknown: pivot_wider
    nothing same: limit head sample cache view alias distinct union intersect difference
    nothing joined: join inner_join left_join right_join outer_join any_inner_join any_left_join semi_join anti_join cross_join
    nothing pandas: to_pandas execute
    groups expressions aggregated: agg aggregate
    groups expressions more: mutate
    groups columns grouped: order_by
    groups expressions grouped: having
    groups nothing unknown: count nunique over
    """,
    groups="ibis.expr.types.groupby:GroupedTable",
    functions="ibis",
    row="ibis.common.deferred:Deferred",
    suffixes=("_right",),
)
_DASK = _dialect(
    """
    pandas same: sort_values drop_duplicates dropna explode query fillna astype nlargest nsmallest head tail
    nothing same: persist repartition sample copy replace clip round isna ffill bfill
    pandas groups: groupby
    pandas dropped: drop
    pandas renamed: rename
    pandas more: assign
    pandas joined: merge
    pandas unknown: set_index pivot_table melt pop
    nothing pandas: compute
    groups pandas aggregated: agg aggregate
    """,
    groups="dask.dataframe.dask_expr._groupby:GroupBy",
    suffixes=("_x", "_y"),
)
_RAY = _dialect(
    """
    first chosen: select_columns
    first dropped: drop_columns
    first same: sort
    first groups: groupby
    keys renamed: rename_columns
    expressions more: with_column add_column
    expressions same: filter
    nothing same: limit materialize repartition random_shuffle random_sample randomize_block_order union
    first unknown: sum min max mean std unique
    nothing pandas: to_pandas
    groups first aggregated: sum min max mean std
    groups nothing aggregated: count
    """,
    groups="ray.data.grouped_data:GroupedData",
    functions="ray.data",
)
_DUCKDB = _dialect(
    """
    sql same: filter order sort
    sql chosen: project select aggregate
    nothing same: limit distinct union intersect except_
    joins unknown: join
    sql unknown: sum mean avg min max count median stddev_samp
    """,
    any_case=True,
    by_position=frozenset({"union", "intersect", "except_"}),
)
DIALECTS = {"pyspark": _SPARK, "ibis": _IBIS, "dask": _DASK, "ray": _RAY, "duckdb": _DUCKDB, "_duckdb": _DUCKDB}
"""By the top package of a frame's class."""
