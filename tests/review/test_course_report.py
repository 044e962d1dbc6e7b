"""The report on a class: where each cell came from, its checks, its files."""

from __future__ import annotations

import csv
import io

from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.review.course_report import as_csv, as_html, cells_of, checks_passed, hints_taken, shares
from spark_jupyter.ui.cli.notebook_files import new_notebook, write_notebook
from tests.ui.commands import spark


def code(source, *, spark=None, tags=(), outputs=(), count=None):
    metadata = {"tags": list(tags)} | ({"spark": spark} if spark else {})
    return {
        "cell_type": "code",
        "id": content_hash(source),
        "source": source,
        "metadata": metadata,
        "outputs": list(outputs),
        "execution_count": count,
    }


def accepted(source, **more):
    return {"turn": "t", "hash": content_hash(source), "model": "m", "prompt": "draw it", "time": "2026", **more}


ERROR = {"output_type": "error", "ename": "AssertionError", "evalue": "no", "traceback": []}
CELLS = [
    {"cell_type": "markdown", "id": "title", "source": "# One", "metadata": {}},
    code("a = 1\nb = 2\n"),
    code("c = 3\nd = 4\ne = 5\nf = 6", spark={"suggested": 12, "hints": [1, 2]}),
    code("plot()", spark=accepted("plot()")),
    code("plot(1)", spark=accepted("plot()", hints=[5])),
    code("assert a == 1", tags=["check"], count=3),
    code("assert a == 2", tags=["check"], count=4, outputs=[ERROR]),
    code("assert a == 3", tags=["check"]),
    code("  \n"),
]
NOTEBOOK = {**new_notebook(), "cells": CELLS}


def test_each_cell_is_told_by_its_origin():
    cells = cells_of("ada.ipynb", NOTEBOOK)
    assert [(cell.cell, cell.origin, cell.check) for cell in cells] == [
        (2, "written", ""),
        (3, "written", ""),
        (4, "accepted", ""),
        (5, "accepted and edited", ""),
        (6, "check", "passed"),
        (7, "check", "failed"),
        (8, "check", "not run"),
    ]
    assert [(share.label, share.lines) for share in shares(cells)] == [
        ("written", 4),
        ("suggested", 2),
        ("accepted and edited", 1),
        ("accepted", 1),
    ]
    assert (hints_taken(cells), checks_passed(cells)) == (3, "1 of 3")


def test_what_metadata_say_is_text_and_nothing_else():
    evil = "<script>alert(1)</script>"
    wild = [
        code("x = 1", spark=accepted("x = 1", prompt="=HYPERLINK(1)", model=[1], author={"a": 1})),
        code("y = 1", spark={"suggested": -5, "hints": "all", "model": "m;=1+1;＝A1;x-1"}),
        code("z = 1", spark={"suggested": 10**9, "hash": 3}),
    ]
    wild.append(
        code("a = 1", spark={"hints": [10**5000, True, 2, 6], "model": "m\ud800\x1b[2J", "suggested": 10**5000})
    )
    cells = cells_of(evil, {**NOTEBOOK, "cells": wild})
    rows = list(csv.DictReader(io.StringIO(as_csv(cells, prompts=True))))
    assert rows[0]["prompt"] == "'=HYPERLINK(1)"
    assert (rows[0]["model"], rows[0]["author"]) == ("", "")
    assert [row["suggested"] for row in rows] == ["0", "0", "5", "5"]
    assert (rows[3]["hints"], rows[3]["model"]) == ("2", "m\ufffd\ufffd[2J")
    assert rows[1]["model"] == "m;'=1+1;'＝A1;x-1"
    as_csv(cells, prompts=True).encode()
    assert "prompt" not in as_csv(cells, prompts=False).splitlines()[0]
    page = as_html({evil + "\ud800": cells})
    page.encode()
    assert "<script" not in page
    assert "default-src 'none'" in page


def test_a_class_is_reported_and_what_can_t_be_read_is_named(tmp_path):
    for number in range(20):
        write_notebook(tmp_path / f"student-{number}.ipynb", NOTEBOOK)
    (tmp_path / "student-x.ipynb").write_text("no notebook")
    files = sorted(tmp_path.glob("*.ipynb"))
    done = spark("course", "report", *files, "--output", tmp_path / "out")
    assert done.returncode == 1
    assert "Left out" in done.stderr
    assert "student-x" in done.stderr
    assert done.stdout.count("checks: 1 of 3") == 20
    rows = (tmp_path / "out" / "cells.csv").read_text().splitlines()
    assert len(rows) == 1 + 20 * 7
    assert (tmp_path / "out" / "report.html").read_text().count("<svg") == 20
    assert spark("course", "report", *files[:20], "--output", tmp_path / "out").returncode == 0
