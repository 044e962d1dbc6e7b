"""A :class:`Query` → the code of a cell. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.query import picture
from spark_jupyter.server.engines.query.rows import Rows, parameter_name
from spark_jupyter.server.engines.rewrite import quoted

SAVERS = {
    "csv": "to_csv",
    "tsv": "to_csv",
    "xlsx": "to_excel",
    "json": "to_json",
    "parquet": "to_parquet",
    "md": "to_markdown",
    "html": "to_html",
}


class Writer(Rows):
    """Writes the code of one query."""

    def source(self) -> str:
        """The cell."""
        result = self._body()
        body = [*self.lines, *([result] if result else [])]
        if self.query.function:
            body = self._as_function(self.lines, result)
        known = {"pd": "import pandas as pd", "plt": "import matplotlib.pyplot as plt", "np": "import numpy as np"}
        imports = [known[name] for name in ("plt", "np", "pd") if name in self.imports]
        return "\n".join([*sorted(imports), *([""] if imports else []), *body])

    def _body(self) -> str:
        query = self.query
        self.read()
        self.over_pandas()
        self.convert()
        shows = self.change(self.table, asks=False)
        rows = self.rows()
        if rows != self.table and any(self.late(one) for one in query.changes if not one.asks):
            self.lines[-1] += ".copy()"
            self.change(rows, asks=False, late=True)
        shows = self.change(rows, asks=True) or shows
        asked = any(one.asks for one in query.changes)
        if query.plot is not None:
            return picture.draw(self, query.plot, rows)
        if query.keys or query.measures or query.count or (query.share and query.conditions):
            result = self.summary(rows)
        elif shows and (asked or rows == self.table):
            result = shows
        else:
            result = self.sorted_rows(rows)
        return self._saved(result) if query.save else result

    def _saved(self, result: str) -> str:
        file = self.query.save
        saver = SAVERS.get(file.rpartition(".")[2].lower(), "to_csv")
        more = (
            ", index=False" if saver in ("to_csv", "to_excel") and not (self.query.keys or self.query.measures) else ""
        )
        if not re.fullmatch(r"\w+", result):
            name = self.free("result")
            self.lines.append(f"{name} = {result}")
            result = name
        self.lines.append(f"{result}.{saver}({quoted(file)}{more})")
        return result

    def _as_function(self, lines: list[str], result: str) -> list[str]:
        query = self.query
        how = "_".join(one.how for one in query.measures) or ("chosen" if query.conditions else "result")
        about = next((one.column for one in query.measures if one.column), query.table)
        name = self.free(re.sub(r"\W+", "_", f"{how}_{about}").lower())
        parameter = parameter_name(query.parameter) if query.parameter else query.table
        body = [*lines, f"return {result}"]
        return [f"def {name}({parameter}):", *(f"    {line}" for line in "\n".join(body).split("\n"))]
