"""A :class:`Plan` → the code of a cell, of pandas or of polars. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.bands import conditions
from spark_jupyter.server.engines.phrases.emit import Emitter, UnknownError
from spark_jupyter.server.engines.phrases.model import Expr, Plan, col, names
from spark_jupyter.server.engines.phrases.summing import Summing
from spark_jupyter.server.engines.query.sources import number_of
from spark_jupyter.server.engines.query.write import SAVERS
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.query.tables import Source

_IMPORTS = {
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "np": "import numpy as np",
    "calendar": "import calendar",
    "pl": "import polars as pl",
}


class Writer(Summing):
    """Writes one plan about one table. ``taken`` are names that are the user's. Raises :class:`UnknownError` where it has no words."""

    def __init__(self, plan: Plan, source: Source, dates: Sequence[str], taken: Collection[str]) -> None:
        self.plan, self.asked = plan, source
        self.columns: Mapping[str, Column] = {one.name: one for one in source.columns}
        self.dates, self.taken = dates, set(taken)
        self.emit = Emitter(self.columns, polars=False)
        self.lines: list[str] = []
        self.imports: set[str] = set()
        self.table = source.name

    def free(self, name: str) -> str:
        """The name, or one like it that is nobody's."""
        number, found = 1, name
        while found in self.taken:
            number += 1
            found = f"{name}_{number}"
        self.taken.add(found)
        return found

    def source(self) -> str:
        """The cell."""
        self._joined()
        self.lines += [one.replace("{t}", self.table) for one in self.plan.steps]
        self._converted()
        for name in self.plan.exploded:
            listed = self.free("listed")
            split = f'{self.table}[{quoted(name)}].str.split(r"\\s*[;,|]\\s*")'
            self.lines.append(f"{listed} = {self.table}.assign(**{{{quoted(name)}: {split}}}).explode({quoted(name)})")
            self.table = listed
        for name, where, value in self.plan.settings:
            self.lines.append(f"{self.table}.loc[{self.of(where, self.table)}, {quoted(name)}] = {value}")
        for name, column, bands in self.plan.banded:
            self._banded(name, column, bands)
        for name, made in self.plan.derived:
            self.lines.append(f"{self.table}[{quoted(name)}] = {self.of(made, self.table)}")
        rows = self._rows()
        result = self.result(rows)
        if self.plan.save:
            result = self.saved(result)
        body = "\n".join([*self.lines, *([result] if result else [])])
        used = {name for name in _IMPORTS if re.search(rf"(?<![\w.]){name}\.", body)} | self.imports
        head = [_IMPORTS[name] for name in sorted(used, key=lambda one: _IMPORTS[one])]
        return "\n".join([*head, *([""] if head else []), body])

    def _banded(self, name: str, column: Expr, bands: list[tuple[str, str, str]]) -> None:
        """A column of labels, the first band that a number is in."""
        labels = conditions(bands, column)
        self.lines.append(f"{self.table}[{quoted(name)}] = np.select(")
        self.lines.append(f"    [{', '.join(self.of(one, self.table) for _, one in labels)}],")
        self.lines.append(f"    [{', '.join(label for label, _ in labels)}],")
        self.lines.append("    default=None,")
        self.lines.append(")")

    def of(self, one: Expr, rows: str) -> str:
        """An expression over these rows."""
        return self.emit.source(one, rows)

    # --- the rows -------------------------------------------------------------------------------------------------------

    def _joined(self) -> None:
        source = self.asked
        if source.records:
            frame = self.free("frame")
            self.lines.append(f"{frame} = pd.DataFrame({self.table})")
            self.table = frame
        if source.file:
            reader = {
                "csv": "read_csv",
                "tsv": "read_csv",
                "xlsx": "read_excel",
                "xls": "read_excel",
                "parquet": "read_parquet",
            }[source.file.rpartition(".")[2].lower()]
            self.lines.append(f"{self.table} = pd.{reader}({quoted(source.file)})")
        if not source.other or source.absent:
            return
        on = quoted(source.on[0]) if len(source.on) == 1 else f"[{', '.join(map(quoted, source.on))}]"
        way = self.plan.join or ("left" if source.brings or self.plan.derived else "")
        how = f", how={quoted(way)}" if way and way != "inner" else ""
        name = self.free("joined")
        brought = [*source.on, *self.plan.brings] if self.plan.brings else []
        self.lines.append(f"{name} = {self.table}.merge({source.other}{self._picked(brought)}, on={on}{how})")
        self.table = name

    def _used(self) -> list[str]:
        plan = self.plan
        found = [
            name
            for one in (
                *plan.where,
                *plan.keys,
                *(where for _, where, _ in plan.settings),
                *(column for _, column, _ in plan.banded),
                *(made for _, made in plan.derived),
            )
            for name in names(one)
        ]
        found += [
            name
            for one in (*(each.what for each in plan.measures), *(each.what for each in plan.order))
            if one
            for name in names(one)
        ]
        found += names(plan.step[1]) if plan.step else []
        if plan.picture is not None:
            found += [*plan.picture.y, *([plan.picture.x] if plan.picture.x else [])]
        return list(dict.fromkeys(found))

    def _converted(self) -> None:
        """Dates and numbers that are stored as text are made such first."""
        made = {name for name, _ in self.plan.derived}
        for name in self._used():
            known = self.columns.get(name)
            if known is None or name in made or any(f"{{t}}[{quoted(name)}] = " in one for one in self.plan.steps):
                continue
            column = f"{self.table}[{quoted(name)}]"
            dated = name in self.dates and known.dtype and known.kind != "date"
            if dated and name not in [str(one.args[0]) for one in self.plan.keys if one.op == "col"]:
                more = ", dayfirst=True" if known.holds == "dates, day first" else ""
                self.lines.append(f"{column} = pd.to_datetime({column}{more})")
            elif known.holds.startswith("numbers"):
                self.lines.append(f"{column} = {number_of(column, comma=known.holds == 'numbers, decimal comma')}")

    def _rows(self) -> str:
        masks = list(dict.fromkeys(self.of(one, self.table) for one in self.plan.where))
        if self.asked.absent and self.asked.other:
            key = quoted(self.asked.on[0])
            masks.append(f"~{self.table}[{key}].isin({self.asked.other}[{key}])")
        if not masks or self.plan.part:
            return self.table
        mask = masks[0] if len(masks) == 1 else " & ".join(f"({one})" for one in masks)
        name = self.free("chosen")
        self.lines.append(f"{name} = {self.table}[{mask}]{'.copy()' if self.plan.step and not self.plan.keys else ''}")
        return name

    # --- what is calculated ---------------------------------------------------------------------------------------------

    def result(self, rows: str) -> str:
        plan = self.plan
        if plan.ask:
            return self._rounded(plan.ask.replace("{r}", rows))
        if plan.part:
            return self._ordered_summary(self._part())
        if plan.step is not None:
            return self.step(rows)
        if plan.each:
            return self._each(rows)
        if plan.measures:
            return self.summary(rows)
        return self._listed(rows)

    def step(self, rows: str) -> str:
        plan = self.plan
        assert plan.step is not None
        how, what, window = plan.step
        if plan.order and plan.order[0].what is not None:
            self.lines[-1:] = [self.lines[-1]] if self.lines else []
            ordered = f"{rows}.sort_values({quoted(str(plan.order[0].what.args[0]))})"
            if rows == self.table:
                rows = self.free("ordered")
                self.lines.append(f"{rows} = {ordered}")
            else:
                self.lines.append(f"{rows} = {ordered}")
        call = f"rolling({window}).{how.split()[1]}()" if how.startswith("rolling") else f"{how}()"
        series = self.of(what, rows)
        if plan.keys:
            grouped = f"{series if what.op == 'col' else f'({series})'}.groupby({self.keys(rows, frame=False)})"
            result = (
                f"{grouped}.transform(lambda values: values.{call})"
                if how.startswith("rolling")
                else f"{grouped}.{call}"
            )
        else:
            result = f"{series if what.op == 'col' else f'({series})'}.{call}"
        if plan.picture is not None:
            return result
        if plan.measures:
            raise UnknownError
        label = re.sub(r"\W+", "_", f"{how.split()[0]}_{'_'.join(names(what))}").strip("_").lower()
        self.lines.append(f"{rows}[{quoted(label)}] = {result}")
        return rows

    def _each(self, rows: str) -> str:
        """The row of each group that has the most."""
        order = self.plan.order[0]
        if order.what is None:
            raise UnknownError
        if self.plan.limit is not None and order.what.op == "col":
            ordered = f"{rows}.sort_values({quoted(str(order.what.args[0]))}, ascending={not order.descending})"
            return f"{ordered}.groupby({self.keys(rows, frame=True)}).head({self.plan.limit}){self._picked(self.plan.columns)}"
        best = "idxmax" if order.descending else "idxmin"
        if order.what.op == "col":
            series = f"{rows}.groupby({self.keys(rows, frame=True)})[{quoted(str(order.what.args[0]))}]"
        else:
            series = f"({self.of(order.what, rows)}).groupby({self.keys(rows, frame=False)})"
        picked = (
            self._picked([*(str(one.args[0]) for one in self.plan.keys if one.op == "col"), *self.plan.columns])
            if self.plan.columns
            else ""
        )
        return f"{rows}.loc[{series}.{best}()]{picked}"

    def _picked(self, columns: Sequence[str]) -> str:
        return f"[[{', '.join(map(quoted, dict.fromkeys(columns)))}]]" if columns else ""

    def _listed(self, rows: str) -> str:
        plan = self.plan
        result = rows
        plain = [one for one in plan.order if one.what is not None and one.what.op == "col"]
        if len(plain) == 1 and len(plan.order) == 1:
            result += f".sort_values({quoted(names(plain[0].what or col(''))[0])}, ascending={not plain[0].descending})"
        elif plain and len(plain) == len(plan.order):
            by = ", ".join(quoted(str(one.what.args[0])) for one in plain if one.what)
            result += f".sort_values([{by}], ascending=[{', '.join(str(not one.descending) for one in plain)}])"
        elif plan.order:
            if len(plan.order) > 1 or plan.order[0].what is None:
                raise UnknownError
            result += f".loc[({self.of(plan.order[0].what, rows)}).sort_values(ascending={not plan.order[0].descending}).index]"
        result += self._picked(plan.columns)
        return self._rounded(f"{result}.head({plan.limit})" if plan.limit else result)

    def saved(self, result: str) -> str:
        """What writes the result to the file."""
        if self.plan.picture is not None:
            raise UnknownError
        saver = SAVERS.get(self.plan.save.rpartition(".")[2].lower(), "to_csv")
        more = ", index=False" if saver in ("to_csv", "to_excel") and not self.plan.measures else ""
        name = result
        if not re.fullmatch(r"\w+", result):
            name = self.free("result")
            self.lines.append(f"{name} = {result}")
        return f"{name}.{saver}({quoted(self.plan.save)}{more})"
