"""Cells that do not stand for the kernel any more."""

from __future__ import annotations

import pytest

from spark_jupyter.completions.staleness import stale
from spark_jupyter.protocol.values import NotebookCell


def cells(*sources: str, counts: tuple[int | None, ...] = ()) -> list[NotebookCell]:
    numbers = counts or (None,) * len(sources)
    return [
        NotebookCell(id=f"c{place}", source=source, execution_count=number)
        for place, (source, number) in enumerate(zip(sources, numbers, strict=True))
    ]


def said(found) -> list[tuple[str, str, int | None]]:
    return [(remark.cell_id, remark.kind, remark.line) for remark in found]


def test_a_cell_that_was_changed_since_it_ran_is_stale():
    book = cells("x = 1", "print(x)", counts=(1, 2))
    assert said(stale(book, ran={1: "x = 2", 2: "print(x)\n"})) == [("c0", "stale", None)]
    assert said(stale(book, ran={2: "print(x)"})) == [("c0", "stale", None)]
    assert stale(book, ran={1: "x = 1", 2: "print(x)"}) == []


def test_an_output_without_a_number_is_of_a_run_that_was_undone():
    undone = NotebookCell(id="c0", source="x = 1", outputs="7")
    (remark,) = stale([undone], ran={1: "x = 7"})
    assert (remark.kind, "undone" in remark.message) == ("stale", True)
    assert stale([undone], ran={1: "x = 1"}) == [], "it may be running"
    assert stale([undone]) == [], "no kernel knows what ran"
    assert stale(cells("x = 1"), ran={1: "y = 1"}) == []


def test_a_cell_that_ran_before_what_it_reads_ran_again_is_out_of_order():
    book = cells("x = 1", "\ny = x + 1", counts=(3, 2))
    (remark,) = stale(book)
    assert said([remark]) == [("c1", "order", 2)]
    assert "the cell “x = 1” gave `x`" in remark.message


def test_a_name_that_only_a_cell_below_defines_fails_from_the_top():
    (remark,) = stale(cells("print(total)", "total = 3"))
    assert said([remark]) == [("c0", "order", 1)]
    assert stale(cells("def f():\n    return total", "total = 3\nf()")) == []


def test_a_name_that_only_a_deleted_cell_defined_is_said_to_be_gone():
    book = cells("a = 1", "print(a, rate)")
    (remark,) = stale(book, known={"a", "rate"})
    assert said([remark]) == [("c1", "gone", 1)]
    assert remark.message == "Only a cell that is gone defined `rate`."
    (remark,) = stale(book)
    assert remark.message == "No cell defines `rate`."


def test_a_cell_that_asks_for_something_defines_nothing_by_itself():
    assert said(stale(cells("%spark load the file", "print(rate)"))) == [("c1", "gone", 1)]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def f(a: rate = 1) -> None: pass", 1),
        ("@rate\nclass A: pass", 1),
        ("class A:\n    n = rate", 2),
        ("[n for n in\n rate]", 2),
        ("[rate\n for n in [1]]", 1),
        ("df = 1\ndf.query('a > @rate')", 2),
        ("%time print(rate)", 1),
        ("def f():\n    def g():\n        return rate", 3),
    ],
)
def test_a_name_is_found_wherever_a_cell_reads_it(source, line):
    assert said(stale(cells(source))) == [("c0", "gone", line)]


def test_a_name_that_a_function_makes_the_notebook_s_is_defined():
    assert stale(cells("def f():\n    global rate\n    rate = 1", "f()\nprint(rate)")) == []


def test_what_a_cell_changes_is_read_of_another():
    assert said(stale(cells("x = 1", "x = x + 1\nx += 1", counts=(5, 4)))) == [("c1", "order", 1)]


@pytest.mark.parametrize(
    "sources",
    [
        ("from numpy import *", "print(arange(3))"),
        ("%run helpers.py", "helper()"),
        ("x = (", "print(y)"),
        ("import os\nprint(os.name, __name__)",),
        ("[n for n in range(3)]\nprint(len('a'))",),
        ("for i in range(3):\n    pass\nprint(i)",),
        ("def f(a, *b, **c):\n    d = a\n    return d, b, c, f",),
        ("%%bash\necho $HOME",),
        ("files = !ls\nprint(files)",),
        ("Out[1], _, _i3, In",),
        ("x = 1", "x += 1\nprint(x)"),
        ("%%spark\nmake something of total",),
        ("class A:\n    n = 1\n    m = n",),
        ("with open('a') as f:\n    text = f.read()\nprint(text)",),
        ("def top(page):\n    place: int = page\n    return place\ntop(1)", "print(top)"),
        ("x = 1\nif (y := x):\n    print([z := y], z)",),
        ("match [1]:\n    case [first, *rest]:\n        print(first, rest)",),
        ("try:\n    import numpy\nexcept ImportError as error:\n    print(error)",),
    ],
)
def test_what_is_as_it_should_be_is_not_mentioned(sources):
    assert stale(cells(*sources)) == []
