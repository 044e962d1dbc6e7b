"""Report on a class's notebooks: what was written, suggested, hinted and accepted.

All of it is in the notebooks: provenance, and the outputs of checks. It says where a cell came from, not what a student knows; whoever
edits a notebook's metadata changes what is reported.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Literal, NamedTuple

from msgspec import Struct

from spark_jupyter.protocol.constants import METADATA_KEY, MOST_HINTS
from spark_jupyter.protocol.notebook import Cell, Json, is_check, raw_cells, source_of
from spark_jupyter.protocol.provenance import changed_since
from spark_jupyter.source.invisible_text import printable

Origin = Literal["written", "accepted", "accepted and edited", "check"]
Check = Literal["", "passed", "failed", "not run"]
_FORMULA = re.compile("(^|;)(?=[-=+@\\t\\r\uff1d\uff0b\uff0d\uff20])")
"""Where a formula begins for a spreadsheet (OWASP, CSV injection): also in full width, and behind the separator of other languages."""
_LONGEST_NAME = 200
_STEPS = range(1, MOST_HINTS + 1)


class CellReport(Struct, frozen=True, kw_only=True):
    """One code cell. ``cell`` counts the notebook's cells from 1; ``suggested`` of its ``characters`` came from grey text; ``hints`` are
    the steps that were taken, oldest first."""

    notebook: str
    cell: int
    origin: Origin
    lines: int
    characters: int
    suggested: int
    hints: str
    check: Check
    model: str
    time: str
    author: str
    prompt: str


class Share(NamedTuple):
    """Part of a notebook's lines."""

    label: str
    lines: int
    colour: str


def cells_of(name: str, notebook: Mapping[str, Json]) -> list[CellReport]:
    """The report of each code cell of a notebook that is not empty."""
    numbered = enumerate(raw_cells(notebook), 1)
    return [
        _report(name, number, cell)
        for number, cell in numbered
        if cell.get("cell_type") == "code" and source_of(cell).strip()
    ]


def _report(name: str, number: int, cell: Cell) -> CellReport:
    metadata = cell.get("metadata")
    known = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
    spark = known if isinstance(known, dict) else {}
    source, changed = source_of(cell), changed_since(cell)
    suggested, hints = spark.get("suggested"), spark.get("hints")
    origin: Origin = "written" if changed is None else "accepted and edited" if changed else "accepted"
    return CellReport(
        notebook=name,
        cell=number,
        origin="check" if is_check(cell) else origin,
        lines=sum(bool(line.strip()) for line in source.splitlines()),
        characters=len(source),
        suggested=min(len(source), suggested) if isinstance(suggested, int) and suggested > 0 else 0,
        hints=" ".join(str(step) for step in hints if type(step) is int and step in _STEPS)
        if isinstance(hints, list)
        else "",
        check=_outcome(cell) if is_check(cell) else "",
        model=_text(spark.get("model")),
        time=_text(spark.get("time")),
        author=_text(spark.get("author")),
        prompt=_text(spark.get("prompt")),
    )


def _outcome(cell: Cell) -> Check:
    """Outcome of a check that was run, by its output."""
    outputs = cell.get("outputs")
    failed = isinstance(outputs, list) and any(
        isinstance(output, dict) and output.get("output_type") == "error" for output in outputs
    )
    return "failed" if failed else "passed" if cell.get("execution_count") else "not run"


def _text(value: Json) -> str:
    return printable(value[:_LONGEST_NAME]) if isinstance(value, str) else ""


def as_csv(cells: Sequence[CellReport], *, prompts: bool) -> str:
    """One line for each cell, with the prompts where they were asked for."""
    names = [name for name in CellReport.__struct_fields__ if prompts or name != "prompt"]
    return table_as_csv(names, ([getattr(cell, name) for name in names] for cell in cells))


def table_as_csv(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of which no spreadsheet runs a formula."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(map(_harmless, row) for row in rows)
    return file.getvalue()


def _harmless(value: object) -> object:
    return _FORMULA.sub(r"\1'", value) if isinstance(value, str) else value


def shares(cells: Sequence[CellReport]) -> list[Share]:
    """The lines of a notebook that are not checks, by where they came from. A cell's lines are split by its share of grey text."""
    own = [cell for cell in cells if cell.origin == "written"]
    grey = sum(round(cell.lines * cell.suggested / cell.characters) for cell in own)
    return [
        Share("written", sum(cell.lines for cell in own) - grey, "#2c7fb8"),
        Share("suggested", grey, "#7fcdbb"),
        Share("accepted and edited", _lines(cells, "accepted and edited"), "#fdae61"),
        Share("accepted", _lines(cells, "accepted"), "#d95f0e"),
    ]


def _lines(cells: Sequence[CellReport], origin: Origin) -> int:
    return sum(cell.lines for cell in cells if cell.origin == origin)


def hints_taken(cells: Sequence[CellReport]) -> int:
    return sum(len(cell.hints.split()) for cell in cells)


def checks_passed(cells: Sequence[CellReport]) -> str:
    """Checks that passed, of how many: ``3 of 4``."""
    checks = [cell for cell in cells if cell.check]
    return f"{sum(cell.check == 'passed' for cell in checks)} of {len(checks)}"


def as_html(notebooks: Mapping[str, Sequence[CellReport]]) -> str:
    """One page with a bar for each notebook. It loads nothing, and runs nothing."""
    key = "".join(f'<span><i style="background:{share.colour}"></i>{share.label}</span>' for share in shares(()))
    rows = "".join(
        f"<tr><td>{escape(printable(name))}</td><td>{_bar(shares(cells))}</td><td>{hints_taken(cells)}</td>"
        f"<td>{checks_passed(cells)}</td></tr>"
        for name, cells in notebooks.items()
    )
    return _PAGE.format(key=key, rows=rows)


def _bar(parts: Sequence[Share]) -> str:
    total = sum(part.lines for part in parts) or 1
    said = ", ".join(f"{part.lines} {part.label}" for part in parts)
    drawn, start = [], 0.0
    for part in parts:
        width = 100 * part.lines / total
        drawn.append(f'<rect x="{start:.2f}%" width="{width:.2f}%" height="16" fill="{part.colour}"/>')
        start += width
    return f'<svg width="320" height="16" role="img"><title>Lines: {said}</title>{"".join(drawn)}</svg> {said}'


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Course report</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }}
td, th {{ text-align: left; padding: .3rem 1rem .3rem 0; vertical-align: top }}
svg {{ border-radius: 3px; display: block; margin-top: .3rem }}
i {{ display: inline-block; width: .8em; height: .8em; margin-right: .3em }}
span {{ margin-right: 1.2em }}
</style></head><body>
<h1>Course report</h1>
<p>Lines of code by where they came from. This is what the notebooks say of themselves, and not what a student knows.</p>
<p>{key}</p>
<table><tr><th>Notebook</th><th>Lines</th><th>Hints</th><th>Checks passed</th></tr>{rows}</table>
</body></html>
"""
