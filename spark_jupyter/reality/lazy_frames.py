"""Columns of lazy and distributed frames, and of their methods.

The tables of :mod:`spark_jupyter.frames` say what a method reads and gives. As elsewhere a table holds what a frame may have, or more.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from spark_jupyter.frames import frame_kinds
from spark_jupyter.frames.frame_methods import DIALECTS, Dialect, Method
from spark_jupyter.reality import findings, frame_results, named_columns, query_strings
from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    UNKNOWN,
    Bound,
    Invocation,
    Live,
    Of,
    Table,
    Value,
    constant,
    constants,
    options_of,
)
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.class_names import frame_class, pandas_class
from spark_jupyter.reality.column_expressions import ColumnExpressions
from spark_jupyter.reality.findings import Rule
from spark_jupyter.reality.frame_columns import is_lazy
from spark_jupyter.reality.named_columns import Use
from spark_jupyter.reality.static_lookup import MISSING, class_module, class_name, in_class, root, stored_names
from spark_jupyter.reality.syntax_trees import placed

PACKAGES = frozenset(DIALECTS)
"""Packages whose functions and methods do not change the frames that they are given."""


def is_groups(kind: type) -> bool:
    """True for the groups of such a frame."""
    dialect = DIALECTS.get(root(class_module(kind)))
    return dialect is not None and bool(dialect.groups) and kind is frame_kinds.loaded_class(*dialect.groups.split(":"))


def is_column(kind: type) -> bool:
    """True for a column of Ibis', whose attributes are those of its class."""
    return class_module(kind).startswith("ibis.expr.types.") and class_name(kind).endswith("Column")


def attribute(value: Of, name: str) -> Value | None:
    """``frame.name`` that is no member of the class: a column, where attributes stand for those; None where it is missing."""
    kinds = (value.kind, *type.__subclasses__(value.kind))  # Spark's own class is that of classic and of Connect
    if name.startswith("_") or any(name in stored_names(one) or in_class(one, name) is not MISSING for one in kinds):
        return UNKNOWN
    if in_class(value.kind, "__getattr__") is MISSING:
        return None
    column = frame_kinds.ibis_column((value.table.types or {}).get(name, "")) if value.table is not None else None
    if column is not None and root(class_module(value.kind)) == "ibis":
        return Of(column, exact=True)
    return UNKNOWN if value.table is None or value.table.has(name) else None


def item(run: Run, frame: Of, index: Value, node: ast.Subscript) -> Value:
    """``frame["name"]``, ``frame[["name"]]``, ``frame[mask]``."""
    dialect = DIALECTS[root(class_module(frame.kind))]
    table = frame.table
    if table is None or table.columns is None:
        return UNKNOWN
    names = constants(index)
    if names is not None and all(type(name) is str for name in names):
        _report(run, dialect, table, placed(node.slice, names))
        is_chosen = isinstance(index, Of) and not is_groups(frame.kind)
        return Of(frame.kind, table=Table(names, levels=None)) if is_chosen else UNKNOWN
    is_mask = isinstance(node.slice, ast.Compare | ast.BinOp | ast.UnaryOp | ast.Slice) and not is_groups(frame.kind)
    return Of(frame.kind, table=table.copy()) if is_mask else UNKNOWN


def value_of(run: Run, bound: Bound, call: Invocation) -> Value | None:
    """Check what a call of a frame's method names, and say what it gives; None where that is not known better here."""
    receiver = bound.receiver
    if bound.name == "sql" and root(class_module(_kind_of(receiver))) == "pyspark":
        from spark_jupyter.reality import sql_queries  # sqlglot is loaded where there is SQL

        return sql_queries.of_spark_session(run, receiver, call)
    frame = next(options_of(receiver), None)
    if frame is None or not (is_lazy(frame.kind) or is_groups(frame.kind)):
        return None
    dialect = DIALECTS[root(class_module(frame.kind))]
    table = frame.table
    method = (dialect.of_groups if is_groups(frame.kind) else dialect.methods).get(bound.name)
    view = call.constant("name", 0) if bound.name in {"createOrReplaceTempView", "createTempView"} else None
    if type(view) is str:
        run.registered[view.lower()] = table or Table(None)
    if table is None or table.columns is None or method is None:
        return None
    return _Call(run, dialect, frame, table, bound.name, call).value(method)


def _kind_of(value: Value) -> type:
    return type(value.thing) if isinstance(value, Live) else next((one.kind for one in options_of(value)), object)


class _Call:
    """One call of a method of a frame or of groups."""

    def __init__(self, run: Run, dialect: Dialect, frame: Of, table: Table, name: str, call: Invocation) -> None:
        self._run, self._dialect, self._call = run, dialect, call
        self._frame, self._table, self._name = frame, table, name
        self._expressions = ColumnExpressions(run, dialect, frame.kind)

    def value(self, method: Method) -> Value | None:
        """Report the columns that are missing; what the call gives."""
        made = self._read(method)
        if self._name in self._dialect.by_position:
            self._judge_order()
        if method.gives == "groups":
            return self._groups()
        if method.gives == "pandas":
            kind = pandas_class("DataFrame")
            return Of(kind, table=Table(self._table.columns)) if kind is not None else None
        if method.gives in {"grouped", "pivoted"}:
            owner = self._frame.element if method.gives == "grouped" else None
            return Of(self._frame.kind, table=self._table.copy(), element=owner)
        owner = self._frame.element if is_groups(self._frame.kind) else self._frame
        if method.gives == "unknown" or not isinstance(owner, Of):
            return None
        return Of(owner.kind, table=made if method == ("sql", "chosen") else self._given(method.gives))

    # --- reads -----------------------------------------------------------------------------------------------------------

    def _read(self, method: Method) -> Table | None:
        reads, call, table = method.reads, self._call, self._table
        if reads == "sql":
            return self._read_sql()
        if method.gives == "joined" or reads == "joins":
            self._read_join()
        elif reads == "pandas":
            self._report(named_columns.columns_named(self._name, call, table))
            if self._name == "query":
                query_strings.check(self._run, self._frame, call)
        elif reads != "nothing":
            self._report(self._uses(reads))
        return None

    def _report(self, uses: Iterable[Use], table: Table | None = None) -> None:
        seen = self._seen() if self._name in self._dialect.sees_hidden else self._table
        _report(self._run, self._dialect, table or seen, uses)

    def _uses(self, reads: str) -> Iterator[Use]:
        """The columns that the arguments name."""
        call, texts = self._call, reads in {"columns", "first", "subset", "values"}
        given = list(call.positional)
        if reads in {"first", "subset"}:
            keyword = next((call.keywords[name] for name in _FIRST if name in call.keywords), None)
            given = [keyword] if keyword is not None else given[:1] if reads == "first" else []
        for node, value in given:
            names = constants(value) if texts else None
            if names is not None and all(type(name) is str for name in names):
                yield from placed(node, names)
            else:
                yield from self._expressions.reads(node, texts=texts)
            if reads in {"keys", "values"} or self._name in {"agg", "aggregate"}:
                yield from _of_dict(node, value, keys=reads != "values")
        for name, (node, _) in list(call.keywords.items()) if reads not in {"first", "subset"} else []:
            if name not in {"ascending", "how", "descending"}:
                texts = reads == "values" or (reads == "named" and name in {"id_cols", "names_from", "values_from"})
                yield from self._expressions.reads(node, texts=texts)

    def _seen(self) -> Table:
        """What filters and sorts may name: the columns, and those that a projection before left out."""
        hidden = self._table.levels
        return Table(None) if hidden is None else Table([*(self._table.columns or ()), *hidden])

    def _read_sql(self) -> Table | None:
        """The result of the texts as what is selected; None where it can't be told."""
        columns: list[object] = []
        table = self._seen() if self._name in self._dialect.sees_hidden else self._table
        for node, text in [pair for argument in self._call.positional for pair in _texts(*argument)]:
            if text is NO_CONSTANT:
                self._report(self._expressions.reads(node))
                return None
            from spark_jupyter.reality import sql_queries

            template = _CLAUSES.get(self._name, "select {} from frame_")
            part = sql_queries.check_text(
                self._run, node, template.format(text), {"frame_": table}, dialect=self._dialect.sql
            )
            if part is None or part.columns is None:
                return None
            columns += part.columns
        return Table(columns, levels=self._hidden())

    def _read_join(self) -> None:
        """The columns that both sides of a join have, or one."""
        other, call = self._other(), self._call
        left = call.argument("left_on")
        if left is not None:
            self._report(placed(left[0], constants(left[1]) or ()))
        on = call.argument("on", 1) or call.argument("predicates", 1)
        right = on or call.argument("right_on")
        names = constants(on[1]) if on is not None else ()
        if on is not None and (names is None or any(type(name) is not str for name in names)):
            if other is not None and other.columns is not None:
                both = Table([*(self._table.columns or ()), *other.columns])
                self._report(self._expressions.reads(on[0]), both)
            return
        self._report(placed(on[0], names or ()) if on is not None else ())
        if right is not None:
            theirs = constants(right[1]) or ()
            self._judge_keys(right[0], names or (constants(left[1]) if left is not None else None) or (), theirs, other)
        if right is not None and other is not None and other.columns is not None:
            self._report(placed(right[0], constants(right[1]) or ()), other)

    def _judge_order(self) -> None:
        """Warn where both frames have the same columns in another order, and are put together by position."""
        mine, theirs = list(self._table.types or ()), list(getattr(self._other(), "types", None) or ())
        if mine != theirs and set(mine) == set(theirs) and len(mine) == len(theirs):
            self._run.say(
                Rule.UNION_BY_POSITION,
                f"`{self._name}` goes by position, and the columns have another order: "
                f"{findings.listing(mine)}; {findings.listing(theirs)}.",
                self._call.node,
                remedy="Select the columns in one order first; Spark has `unionByName`, too.",
                severity="warn",
            )

    def _judge_keys(
        self, node: ast.expr, mine: Sequence[object], theirs: Sequence[object], other: Table | None
    ) -> None:
        """Warn of keys that are text on one side and numbers on the other."""
        here, there = self._table.types or {}, (other.types if other is not None else None) or {}
        for one, two in zip(mine, theirs, strict=False):
            if {_family(here.get(one, "")), _family(there.get(two, ""))} == {"text", "number"}:
                self._run.say(
                    Rule.JOIN_KEY_TYPES,
                    f"The key `{one}` is {here[one]} on the left and {there[two]} on the right of this join.",
                    node,
                    remedy="Cast one of them to the type of the other first.",
                    severity="warn",
                )

    def _other(self) -> Table | None:
        given = self._call.argument("other", 0) or self._call.argument("right", 0)
        one = next(options_of(given[1]), None) if given is not None else None
        return one.table if one is not None else None

    # --- gives -----------------------------------------------------------------------------------------------------------

    def _given(self, gives: str) -> Table | None:
        table, call = self._table, self._call
        columns = list(table.columns or ())
        if self._dialect is DIALECTS["dask"] and gives not in {"same", "joined"}:
            if gives == "aggregated":
                return None if call.positional or call.stars else Table([*columns, *call.keywords])
            return frame_results.result_table(self._name, Table(columns), call, frame_class(), frame_class())
        if gives == "same":
            same = table.copy()
            if self._dialect is DIALECTS["dask"]:
                same.types = None  # astype, replace and others change them
            return same
        if gives == "dropped":
            dropped = self._named() or []
            return Table([name for name in columns if name not in dropped], levels=self._hidden())
        if gives in {"renamed", "joined"}:
            return self._renamed() if gives == "renamed" else self._joined()
        names = self._named(first=gives == "more" and self._dialect is not DIALECTS["ibis"])
        if names is None:
            return None
        if gives == "more":
            return Table([*columns, *names], levels=table.levels)
        if gives == "aggregated":
            return Table([*(table.keys or ()), *self._dialect.made, *names], levels=self._hidden())
        chosen = Table([*names, *(columns if "*" in names else ())], levels=self._hidden())
        texts = [name for _, value in call.positional for name in constants(value) or (NO_CONSTANT,)]
        if table.types is not None and texts == names and not call.keywords and table.types.keys() >= set(names):
            chosen.types = {name: table.types[name] for name in names}
        return chosen

    def _joined(self) -> Table | None:
        mine, other = self._table, self._other()
        if other is None or other.columns is None or {"lname", "rname", "suffixes"} & self._call.keywords.keys():
            return None
        both = [*(mine.columns or ()), *other.columns]
        hidden = None if None in (mine.levels, other.levels) else [*(mine.levels or ()), *(other.levels or ())]
        return Table([*both, *(f"{name}{end}" for end in self._dialect.suffixes for name in both)], levels=hidden)

    def _hidden(self) -> Iterable[object] | None:
        return None if self._table.levels is None else [*self._table.levels, *(self._table.columns or ())]

    def _named(self, *, first: bool = False) -> list[object] | None:
        """The names that the arguments make; those of the ``first`` one, or of the keys of a dict there."""
        call = self._call
        if call.stars:
            return None
        found: list[object] = list(call.keywords) if self._dialect is DIALECTS["ibis"] else []
        pairs = call.positional[:1] if first else call.positional
        for node, value in pairs or [call.keywords[name] for name in _FIRST if name in call.keywords]:
            if isinstance(value, Of) and value.kind is dict and value.keys is not None:
                more: list[object] | None = list(value.keys)
            else:
                more = self._expressions.names(node)
            if more is None or NO_CONSTANT in more:
                return None
            found += more
        return found

    def _renamed(self) -> Table | None:
        """The old names stay in the table, as it may hold more than there is; a renaming of Ibis is written from new to old."""
        call = self._call
        first = call.positional[0][1] if call.positional else UNKNOWN
        made: list[object] = list(call.keywords)
        old: tuple[object, ...] = ()
        if isinstance(first, Of) and first.kind is dict and first.keys is not None:
            values = tuple(constant(one) for one in first.items or ())
            old, new = (values, first.keys) if self._dialect is DIALECTS["ibis"] else (first.keys, values)
            made += new
        elif len(call.positional) == 2:
            old, made = (constant(first),), [constant(call.positional[1][1])]
        elif call.positional or self._dialect is not DIALECTS["ibis"]:
            return None
        if NO_CONSTANT in (*made, *old):
            return None
        old += tuple(constant(value) for _, value in call.keywords.values())
        return Table([*(name for name in self._table.columns or () if name not in old), *made], levels=self._hidden())

    def _groups(self) -> Value | None:
        kind = frame_kinds.loaded_class(*self._dialect.groups.split(":"))
        if self._dialect is DIALECTS["dask"]:
            keys = list(self._table.columns or ())
        else:
            named = self._named()
            keys = named if named is not None else list(self._table.columns or ())
        if kind is None:
            return None
        table = Table([*(self._table.columns or ()), *keys], levels=self._hidden())
        table.keys = tuple(keys)
        return Of(kind, table=table, element=Of(self._frame.kind))


_FIRST = ("subset", "cols", "key", "column", "on", "colName", "column_name", "col")
"""Names of the parameters of methods that take columns in their first one."""
_CLAUSES = dict.fromkeys(("filter", "where"), "select * from frame_ where {}") | dict.fromkeys(
    ("order", "sort"), "select * from frame_ order by {}"
)
"""Statements in which the texts of a method stand; those of others are selected."""


def _texts(node: ast.expr, value: Value) -> Iterator[tuple[ast.expr, object]]:
    """The texts of an argument, each at its place; :data:`NO_CONSTANT` for what is none."""
    for place, text in placed(node, constants(value) or (NO_CONSTANT,)):
        yield place, text if type(text) is str else NO_CONSTANT


_TEXT_TYPE = re.compile(r"(?:string|str|varchar|char|text|utf8)\b", re.IGNORECASE)
_NUMBER_TYPE = re.compile(
    r"u?(?:int\d*|integer|bigint|smallint|tinyint|hugeint|long|short|float\d*|double|decimal|real)\b", re.IGNORECASE
)


def _family(type_name: str) -> str:
    """``text`` or ``number``; empty for another type."""
    name = type_name.lstrip("!")  # Ibis' mark of a column without missing values
    return "text" if _TEXT_TYPE.match(name) else "number" if _NUMBER_TYPE.match(name) else ""


def _of_dict(node: ast.expr, value: Value, *, keys: bool) -> Iterator[Use]:
    if isinstance(value, Of) and value.kind is dict and value.keys is not None:
        named = value.keys if keys else tuple(constant(one) for one in value.items or ())
        yield from (use for use in placed(node, named, values=not keys) if type(use[1]) is str)


def _report(run: Run, dialect: Dialect, table: Table, uses: Iterable[Use]) -> None:
    """Report the columns that a frame certainly lacks. Names of other signs than letters are fields, patterns or made by the library."""
    known = {str(name).lower() for name in table.columns or ()} if dialect.any_case else set(table.columns or ())
    run.absent_columns(
        (
            (node, name)
            for node, name in uses
            if table.columns is not None
            and type(name) is str
            and name.isidentifier()
            and (name.lower() if dialect.any_case else name) not in known
        ),
        table,
    )
