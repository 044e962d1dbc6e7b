"""The code that finds the rows which a query is about, and sums them up. Pure."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query import moments
from spark_jupyter.server.engines.query.sources import number_of
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Collection

    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.query.model import Change, Condition, Key, Query

_STEPS = re.compile(r"\.(?:diff|cumsum|rolling|shift|pct_change|rank|cumcount)\(")
_OF_DATES = frozenset(["within", "month", "months", "hours", "hour", "md", "weekend", "weekday", "weekdays", "quarter"])
_PARTS = {"weekday": ".dt.day_name()", "hour": ".dt.hour"}
_READERS = {"csv": "csv", "tsv": "csv", "xls": "excel", "xlsx": "excel", "parquet": "parquet", "feather": "feather"}


class Rows:
    """Adds lines of code for one query. ``taken`` are the names that are the user's."""

    def __init__(
        self, query: Query, columns: tuple[Column, ...], taken: Collection[str], dates: Collection[str]
    ) -> None:
        self.query, self.taken, self.dates = query, set(taken), dates
        self.kinds = {one.name: one.kind for one in columns}
        self.holds = {one.name: one.holds for one in columns}
        self.imports: set[str] = set()
        self.lines: list[str] = []
        self.table = query.table

    def free(self, name: str) -> str:
        """A name that is not the user's."""
        number, chosen = 1, name
        while chosen in self.taken or keyword.iskeyword(chosen):
            number += 1
            chosen = f"{name}_{number}"
        self.taken.add(chosen)
        return chosen

    # --- before anything is calculated ----------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the file, or join the tables."""
        query = self.query
        if query.file:
            self.imports.add("pd")
            kind = _READERS[query.file.rpartition(".")[2].lower()]
            more = ', sep=None, engine="python"' if kind == "csv" else ""
            self.lines.append(f"{self.table} = pd.read_{kind}({quoted(query.file)}{more})")
        elif query.other and not any(one.op == "absent" for one in query.conditions):
            joined = self.free("joined")
            on = quoted(query.on[0]) if len(query.on) == 1 else f"[{', '.join(map(quoted, query.on))}]"
            how = f", how={quoted(query.join)}" if query.join != "inner" else ""
            self.lines.append(f"{joined} = {self.table}.merge({query.other}, on={on}{how})")
            self.table = joined

    def over_pandas(self) -> None:
        """A list of records, or a polars table, as one of pandas. Its own ``to_pandas`` needs pyarrow, which may not be there."""
        if self.query.indexed:
            frame = self.free("frame")
            self.lines.append(f"{frame} = {self.table}.reset_index()")
            self.table = frame
        if self.query.polars or self.query.records:
            self.imports.add("pd")
            frame = self.free("frame")
            of = ".to_dict(as_series=False)" if self.query.polars else ""
            self.lines.append(f"{frame} = pd.DataFrame({self.table}{of})")
            self.table = frame

    def _used(self) -> list[str]:
        """The columns that something is calculated with, compared, sorted or drawn."""
        query, plot = self.query, self.query.plot
        used = [
            *(one.column for one in query.conditions),
            *(one.column for one in query.measures),
            *(one.column for one in query.order),
        ]
        used += [plot.x, plot.colour, *plot.y] if plot is not None else []
        lines = "\n".join("\n".join((*change.lines, change.shows)) for change in query.changes)
        made = {name for change in query.changes for name in change.columns}
        used += [name for name in self.holds if f"[{quoted(name)}]" in lines]
        return [name for name in dict.fromkeys(used) if name and name not in made]

    def convert(self) -> None:
        """Columns of dates and numbers that are stored as text are made such first."""
        query, plot = self.query, self.query.plot
        used: list[str | None] = [
            one.column
            for one in query.conditions
            if one.column and (one.op.split()[0] in _OF_DATES or one.op.startswith("year") or one.column in self.dates)
        ]
        used += [key.column for key in (*query.keys, *([query.across] if query.across else [])) if key.period]
        used += [one.column for one in query.order if one.column in self.dates]
        used += [plot.x] if plot is not None and plot.x in self.dates else []
        made = {name for change in query.changes for name in change.columns}
        for name in dict.fromkeys(used):
            if (
                name
                and name not in made
                and (self.kinds.get(name) == "text" or (self.query.polars and self.kinds.get(name) == "date"))
            ):
                self.imports.add("pd")
                more = ", dayfirst=True" if self.holds.get(name) == "dates, day first" else ""
                self.lines.append(f"{self.table}[{quoted(name)}] = pd.to_datetime({self.table}[{quoted(name)}]{more})")
        told = [name for name in self._used() if self.holds.get(name, "").startswith("numbers")]
        for name in dict.fromkeys((*query.numbers, *told)):
            self.imports.add("pd")
            comma = self.holds.get(name) == "numbers, decimal comma"
            self.lines.append(
                f"{self.table}[{quoted(name)}] = {number_of(f'{self.table}[{quoted(name)}]', comma=comma)}"
            )

    def late(self, one: Change) -> bool:
        """Whether a change goes from row to row: of the rows that conditions leave, not of all."""
        return bool(self.query.conditions) and any(_STEPS.search(line) for line in one.lines)

    def change(self, table: str, *, asks: bool, late: bool = False) -> str:
        """The changes of a table, or what is asked of it; what shows the last of them."""
        shows = ""
        for change in self.query.changes:
            if change.asks is not asks or (not asks and self.late(change) is not late):
                continue
            self.imports.update(change.imports)
            self.lines += [line.replace("{t}", table).replace("{{", "{").replace("}}", "}") for line in change.lines]
            shows = change.shows.replace("{t}", table)
        return shows

    def rows(self) -> str:
        """The name of the rows that the conditions leave."""
        query = self.query
        if not query.conditions and not query.parameter:
            return self.table
        masks = [self.mask(one) for one in query.conditions]
        if query.parameter:
            masks.append(f"{self.table}[{quoted(query.parameter)}] == {parameter_name(query.parameter)}")
        joined = (" | " if query.either else " & ").join(f"({mask})" for mask in masks) if len(masks) > 1 else masks[0]
        if "remove" in query.says:
            joined = f"~({joined})"
            self.lines.append(f"{self.table} = {self.table}[{joined}]")
            return self.table
        chosen = self.free("chosen")
        self.lines.append(f"{chosen} = {self.table}[{joined}]")
        return chosen

    def mask(self, one: Condition) -> str:
        """The condition as an expression of pandas."""
        table = self.table
        if one.column is None:
            texts = [name for name, kind in self.kinds.items() if kind == "text" and name not in self.dates]
            return f"{table}[[{', '.join(map(quoted, texts))}]].isin([{', '.join(one.values)}]).any(axis=1)"
        column = f"{table}[{quoted(one.column)}]"
        values = [value.replace("{t}", table) for value in one.values]
        made = self._compared(one, column, values)
        if one.negated and one.op not in ("!=",):
            return f"~{made}" if made.endswith(")") and made.startswith(column) else f"~({made})"
        return made

    def _compared(self, one: Condition, column: str, values: list[str]) -> str:
        if one.op == "absent":
            return f"~{column}.isin({values[0]}[{quoted(one.column or '')}])"
        simple = {"missing": f"{column}.isna()", "present": f"{column}.notna()"}
        if one.op in simple:
            return simple[one.op]
        if one.op == "blank":
            return f'{column}.fillna("").astype(str).str.strip().eq("")'
        if one.op == "between":
            return f"{column}.between({values[0]}, {values[1]})"
        if one.op == "in":
            return f"{column}.isin([{', '.join(values)}])"
        if one.op == "contains":
            return f"{column}.str.contains({values[0]}, case=False, regex=False, na=False)"
        if one.op in ("starts", "ends"):
            return f"{column}.str.{one.op}with({values[0]}, na=False)"
        accessor = f"{column}.dt"
        return (
            _dated(one.op, accessor, values)
            or moments.expression(one.op, accessor, values)
            or f"{column} {one.op} {values[0]}"
        )

    # --- what is calculated -----------------------------------------------------------------------------------------------

    def key(self, one: Key, rows: str) -> str:
        """What ``groupby`` is told for a key."""
        if not one.period:
            return quoted(one.column)
        column = f"{rows}[{quoted(one.column)}]"
        if one.period == "decade":
            return f"{column}{'' if self.kinds.get(one.column) == 'number' else '.dt.year'} // 10 * 10"
        return f"{column}{_PARTS[one.period]}" if one.period in _PARTS else f'{column}.dt.to_period("{one.period}")'

    def summary(self, rows: str) -> str:
        """What the rows of each group, or all of them, are summed up to."""
        query = self.query
        if query.across is not None:
            return self.pivoted(rows)
        if not query.keys:
            return self._whole(rows)
        keys = [self.key(one, rows) for one in query.keys]
        grouped = f"{rows}.groupby({keys[0] if len(keys) == 1 else '[' + ', '.join(keys) + ']'})"
        if query.each:
            best = "idxmax" if query.order[0].descending else "idxmin"
            return f"{rows}.loc[{grouped}[{quoted(query.order[0].column or '')}].{best}()]"
        if query.share and query.conditions and not any(one.column for one in query.measures):
            return self._rate(keys)
        if query.having:
            large = self.free("large")
            self.lines.append(f"{large} = {grouped}.filter(lambda group: len(group) {query.having})")
            grouped = grouped.replace(rows, large, 1) if not any(key.period for key in query.keys) else grouped
        result = f"{self._measured(grouped, rows)}{query.scale}"
        if any(one.how == "repeated" for one in query.measures):
            return result
        if query.share:
            shares = self.free("amounts")
            self.lines.append(f"{shares} = {result}")
            result = f"100 * {shares} / {shares}.sum()"
            if query.order or query.limit:
                result = f"({result})"
        return self._sorted_summary(f"({result})" if query.scale and (query.order or query.limit) else result)

    def _rate(self, keys: list[str]) -> str:
        """How much of each group meets the conditions: the rows are not taken out before."""
        query = self.query
        self.lines.pop()
        masks = [f"({self.mask(one)})" for one in query.conditions]
        meets = self.free("meets")
        self.lines.append(f"{meets} = {(' | ' if query.either else ' & ').join(masks)}")
        columns = [
            f"{self.table}[{key}]" if key.startswith('"') else key.replace("chosen[", f"{self.table}[") for key in keys
        ]
        rate = f"100 * {meets}.groupby({columns[0] if len(columns) == 1 else '[' + ', '.join(columns) + ']'}).mean()"
        return self._sorted_summary(f"({rate})") if query.order or query.limit else rate

    def _measured(self, grouped: str, rows: str) -> str:
        query = self.query
        if not query.measures or all(one.how == "size" for one in query.measures):
            return f"{grouped}.size()"
        if query.measures[0].how == "repeated":
            counts = self.free("counts")
            self.lines.append(f"{counts} = {grouped}.size()")
            return f"{counts}[{counts} > 1].sort_values(ascending=False)"
        if len({(one.how, one.column) for one in query.measures}) > 1 and self._mixed():
            return f"{grouped}.agg({self._named_measures()})"
        columns = list(dict.fromkeys(one.column for one in query.measures if one.column))
        hows = list(dict.fromkeys(one.how for one in query.measures))
        picked = quoted(columns[0]) if len(columns) == 1 else f"[{', '.join(map(quoted, columns))}]"
        if query.plot is not None and query.plot.errors and len(hows) == 1:
            hows = [*hows, "std"]
        if len(hows) == 1:
            return f"{grouped}[{picked}].{hows[0]}()"
        return f"{grouped}[{picked}].agg([{', '.join(map(quoted, hows))}])"

    def _mixed(self) -> bool:
        """Whether the measures are others for other columns."""
        by_how: dict[str, set[str | None]] = {}
        for one in self.query.measures:
            by_how.setdefault(one.how, set()).add(one.column)
        return len({frozenset(columns) for columns in by_how.values()}) > 1

    def _named_measures(self) -> str:
        first = next(name for name in self.kinds)
        parts = []
        for one in dict.fromkeys((each.how, each.column) for each in self.query.measures):
            how, column = one
            named = re.sub(r"\W+", "_", f"{how}_{column}" if column else "rows").lower()
            parts.append(f"{named}=({quoted(column or first)}, {quoted(how)})")
        return ", ".join(parts)

    def _whole(self, rows: str) -> str:
        """Summaries of all rows."""
        if self.query.share and self.query.conditions and all(one.how == "size" for one in self.query.measures):
            self.lines.pop()
            masks = " & ".join(f"({self.mask(one)})" for one in self.query.conditions)
            return f"100 * ({masks}).mean()"
        if all(one.how == "size" for one in self.query.measures):
            return f"len({rows})"
        parts = [
            f"{rows}[{quoted(one.column)}].{one.how}()"
            for one in self.query.measures
            if one.column and one.how != "size"
        ]
        return ", ".join(parts)

    def pivoted(self, rows: str) -> str:
        """A table of two keys, one along each side."""
        query = self.query
        measure = next(iter(query.measures), None)
        if query.across is None:
            return rows
        sides = []
        for name, key in (("index", query.keys[0]), ("columns", query.across)):
            sides.append(f"{name}={self.key(key, rows)}")
        if measure is None or measure.column is None:
            index, columns = (
                self.key(one, rows) if one.period else f"{rows}[{quoted(one.column)}]"
                for one in (query.keys[0], query.across)
            )
            self.imports.add("pd")
            return (
                f'100 * pd.crosstab({index}, {columns}, normalize="index")'
                if query.share
                else f"pd.crosstab({index}, {columns})"
            )
        return f"{rows}.pivot_table({', '.join(sides)}, values={quoted(measure.column)}, aggfunc={quoted(measure.how)})"

    def _sorted_summary(self, result: str) -> str:
        query = self.query
        several = ".agg([" in result or len({one.column for one in query.measures}) > 1
        for one in query.order:
            by = (
                f"{quoted(query.measures[0].how if '.agg([' in result else query.measures[0].column or '')}, "
                if several
                else ""
            )
            named = one.column is not None and one.column in [key.column for key in query.keys]
            result += (
                f".sort_index(ascending={not one.descending})"
                if named
                else f".sort_values({by}ascending={not one.descending})"
            )
        return f"{result}.head({query.limit})" if query.limit else result

    def sorted_rows(self, rows: str) -> str:
        """The rows in their order, as far as they are wanted."""
        query = self.query
        result = rows
        orders = [one for one in query.order if one.column]
        if query.limit and any(one.column == "" for one in query.order):
            return f"{result}.tail({query.limit})"
        if len(orders) == 1:
            result += f".sort_values({quoted(orders[0].column or '')}, ascending={not orders[0].descending})"
        elif orders:
            names = ", ".join(quoted(one.column or "") for one in orders)
            result += f".sort_values([{names}], ascending=[{', '.join(str(not one.descending) for one in orders)}])"
        if query.columns:
            result += f"[[{', '.join(map(quoted, query.columns))}]]"
        return f"{result}.head({query.limit})" if query.limit else result


def parameter_name(column: str) -> str:
    """The name of a function's parameter for a value of the column."""
    name = re.sub(r"\W+", "_", column).strip("_").lower()
    return name if name.isidentifier() and not keyword.iskeyword(name) else "value"


def _dated(op: str, dates: str, values: list[str]) -> str:
    """A condition on dates; empty where ``op`` is none. ``dates`` is the accessor."""
    if op == "hours":
        return f"{dates}.hour.between({values[0]}, {values[1]})"
    if op == "weekend":
        return f"{dates}.day_of_week >= 5"
    if op == "weekday":
        return f"{dates}.day_name() == {values[0]}"
    if op == "quarter":
        quarter = f"{dates}.quarter == {values[0]}"
        return f"({quarter}) & ({dates}.year == {values[1]})" if len(values) > 1 else quarter
    if op == "month":
        return f"{dates}.month == {values[0]}"
    if op.startswith("year"):
        return f"{dates}.year {op.partition(' ')[2]} {values[0]}"
    if op == "within":
        return f'{dates}.strftime("{"%Y-%m-%d" if values[0].count("-") == 2 else "%Y-%m"}") == {values[0]}'
    return ""
