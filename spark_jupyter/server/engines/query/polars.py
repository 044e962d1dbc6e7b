"""A :class:`Query` of a polars table → polars' own code, for what is asked most: rows, groups, order, filled and calculated columns. Pure.

What is not known here is written for pandas, over a copy (``write.py``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.query.model import Condition, Key, Measure, Query

_SPANS = {"D": "1d", "W": "1w", "M": "1mo", "Q": "1q", "Y": "1y"}
_HOWS = {"mean", "median", "sum", "min", "max", "std", "var"}
_LINE = re.compile(r'\{t\}\[(?P<new>"[^"]+")\] = (?P<made>.+)')
_SIMPLE = re.compile(
    r'(?:pl\.col\("[^"]+"\)|\.(?:fill_null|mean|median|sum|min|max|std|round|abs)\(|"[^"]*"|\d+(?:\.\d+)?|[-+*/() ])+'
)
"""What polars writes as pandas does, once columns are expressions."""


def written(query: Query, columns: Sequence[Column], taken: Collection[str]) -> str | None:
    """The cell; None where something of the query is not known here. ``taken`` are the names that are the user's."""
    plain = not (query.other or query.file or query.across or query.each or query.having or query.share or query.scale)
    if not plain or query.plot or query.function or query.save or query.numbers or query.parameter:
        return None
    try:
        return _Writer(query, columns, taken).source()
    except _UnknownError:
        return None


class _UnknownError(Exception):
    """Something of the query has no words in polars here."""


class _Writer:
    def __init__(self, query: Query, columns: Sequence[Column], taken: Collection[str]) -> None:
        self.query, self.columns, self.taken = query, {one.name: one for one in columns}, taken
        self.lines: list[str] = []

    def source(self) -> str:
        """The cell."""
        query = self.query
        for change in query.changes:
            if change.asks or not change.lines:
                raise _UnknownError
            self.lines += [self._change(line) for line in change.lines]
        rows = self._rows()
        if query.keys:
            result = self._grouped(rows)
        elif query.count or any(one.how == "size" for one in query.measures):
            result = f"{rows}.height"
        elif query.measures:
            result = ", ".join(self._whole(rows, one) for one in query.measures)
        else:
            result = self._ordered(rows)
        body = "\n".join([*self.lines, result])
        return f"import polars as pl\n\n{body}" if re.search(r"\bpl\.", body) else body

    def _column(self, name: str | None) -> str:
        """The column as an expression; one of numbers or dates that are texts is not known."""
        made = {new for change in self.query.changes for new in change.columns}
        if name is None or (name not in made and (name not in self.columns or self.columns[name].holds)):
            raise _UnknownError
        return f"pl.col({quoted(name)})"

    def _change(self, line: str) -> str:
        found = _LINE.fullmatch(line)
        made = (
            re.sub(r'\{t\}\[("[^"]+")\]', r"pl.col(\1)", found["made"]).replace(".fillna(", ".fill_null(")
            if found
            else ""
        )
        if found is None or _SIMPLE.fullmatch(made) is None:
            raise _UnknownError
        for name in re.findall(r'pl\.col\("([^"]+)"\)', made):
            self._column(name)
        table = self.query.table
        return (
            f"{table} = {table}.with_columns({found['new'][1:-1]}={made})"
            if found["new"][1:-1].isidentifier()
            else (f"{table} = {table}.with_columns(({made}).alias({found['new']}))")
        )

    def _rows(self) -> str:
        query = self.query
        if not query.conditions:
            return query.table
        masks = [self._mask(one) for one in query.conditions]
        mask = (" | " if query.either else " & ").join(f"({one})" for one in masks) if len(masks) > 1 else masks[0]
        if "remove" in query.says:
            self.lines.append(f"{query.table} = {query.table}.filter(~({mask}).fill_null(False))")
            return query.table
        name = next(one for one in ("chosen", "chosen_rows", "chosen_2", "chosen_3") if one not in self.taken)
        self.lines.append(f"{name} = {query.table}.filter({mask})")
        return name

    def _mask(self, one: Condition) -> str:
        column, values = self._column(one.column), one.values
        dated = self.columns[one.column].kind == "date" if one.column in self.columns else False
        if any("{t}" in value for value in values) or (
            dated and one.op in ("==", "!=", "<", "<=", ">", ">=", "in", "between")
        ):
            raise _UnknownError
        made = _compared(one.op, column, values)
        return f"~({made}).fill_null(False)" if one.negated else made

    def _key(self, one: Key) -> str:
        if not one.period:
            self._column(one.column)
            return quoted(one.column)
        if one.period not in _SPANS:
            raise _UnknownError
        return f'{self._column(one.column)}.dt.truncate("{_SPANS[one.period]}")'

    def _grouped(self, rows: str) -> str:
        query = self.query
        measures = list(dict.fromkeys((one.how, one.column) for one in query.measures)) or [("size", None)]
        several = len({column for _, column in measures}) < len(measures)
        made = []
        names = []
        for how, column in measures:
            name = "number" if how == "size" else f"{column}_{how}" if several else str(column)
            expression = "pl.len()" if how == "size" else f"{self._column(column)}.{_how(how)}()"
            made.append(f"{expression}.alias({quoted(name)})" if how == "size" or several else expression)
            names.append(name)
        keys = ", ".join(self._key(one) for one in query.keys)
        source = f"{rows}.group_by({keys}).agg({', '.join(made)})"
        by = [one.column or names[0] for one in query.order] or [one.column for one in query.keys]
        falls = [one.descending for one in query.order]
        return self._head(f"{source}.sort({_listed(by)}{_falling(falls)})")

    def _whole(self, rows: str, one: Measure) -> str:
        self._column(one.column)
        return f"{rows}[{quoted(one.column or '')}].{_how(one.how)}()"

    def _ordered(self, rows: str) -> str:
        query = self.query
        if query.limit and any(one.column == "" for one in query.order):
            return f"{rows}.tail({query.limit})"
        orders = [one for one in query.order if one.column]
        by = [one.column or "" for one in orders]
        for name in by:
            self._column(name)
        source = (
            f"{rows}.sort({_listed(by)}{_falling([one.descending for one in orders])}, nulls_last=True)"
            if orders
            else rows
        )
        source += f".select({_listed(query.columns)})" if query.columns else ""
        return self._head(source)

    def _head(self, source: str) -> str:
        return f"{source}.head({self.query.limit})" if self.query.limit else source


def _how(how: str) -> str:
    if how == "nunique":
        return "n_unique"
    if how not in _HOWS:
        raise _UnknownError
    return how


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names))


def _falling(falls: Sequence[bool]) -> str:
    if not any(falls):
        return ""
    return ", descending=True" if len(falls) == 1 else f", descending=[{', '.join(map(str, falls))}]"


def _compared(op: str, column: str, values: Sequence[str]) -> str:
    """One comparison, with a null as pandas has it: neither equal to a value nor left out by "is not"."""
    if op in ("==", ">", ">=", "<", "<="):
        return f"{column} {op} {values[0]}"
    if op.startswith("year "):
        return f"{column}.dt.year() {op.removeprefix('year ')} {values[0]}"
    made = {
        "!=": lambda: f"{column}.ne_missing({values[0]})",
        "in": lambda: f"{column}.is_in([{', '.join(values)}])",
        "between": lambda: f"{column}.is_between({values[0]}, {values[1]})",
        "missing": lambda: f"{column}.is_null()",
        "present": lambda: f"{column}.is_not_null()",
        "contains": lambda: f"{column}.str.to_lowercase().str.contains({values[0].lower()}, literal=True)",
        "starts": lambda: f"{column}.str.starts_with({values[0]})",
        "ends": lambda: f"{column}.str.ends_with({values[0]})",
        "month": lambda: f"{column}.dt.month() == {values[0]}",
        "within": lambda: (
            f'{column}.dt.strftime("{"%Y-%m-%d" if values[0].count("-") == 2 else "%Y-%m"}") == {values[0]}'
        ),
    }.get(op)
    if made is None:
        raise _UnknownError
    return made()
