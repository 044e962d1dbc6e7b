"""Cells of a notebook that have not been run in this kernel."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.session.unrun_cells import not_run, unrun_above, with_true_counts

NAMES = {"pd": 1, "samples": 2, "In": ["", "raw = 1\ntidy = raw\ndel raw, tidy", "draft = 1\n", "del draft"]}


@pytest.mark.parametrize(
    ("source", "fields", "ran"),
    [
        ("import pandas as pd\nsamples = pd.DataFrame()", {"execution_count": 1}, True),
        ("import pandas as pd\nsamples = pd.DataFrame()\nmass = 1", {"execution_count": 1}, False),
        ("samples.head()", {"execution_count": 2}, True),
        ("mass = 1 / 0", {"execution_count": 3, "error": "ZeroDivisionError"}, True),
        ("samples = 3", {}, False),
        ("def mean(x):\n    return x", {"execution_count": 4}, False),
        ("raw = 1\ntidy = raw\ndel raw, tidy", {"execution_count": 1}, True),
        ("raw = 1\ntidy = raw + 1\ndel raw, tidy", {"execution_count": 1}, True),
        ("draft = 1", {"execution_count": 2}, True),
        ("draft = 1", {"execution_count": 9}, False),
    ],
)
def test_a_number_counts_only_where_the_kernel_has_what_the_cell_binds(source, fields, ran):
    (cell,) = with_true_counts((NotebookCell(id="c", source=source, **fields),), NAMES)
    assert not_run(cell) is not ran
    assert cell.source == source


def test_a_cell_whose_names_a_later_cell_deleted_has_run():
    cells = [
        NotebookCell(id="a", source="raw = load()  # changed since", execution_count=1),
        NotebookCell(id="b", source="if True:\n    del raw", execution_count=2),
    ]
    assert not any(map(not_run, with_true_counts(cells, {"pd": 1})))


def test_a_run_that_was_undone_is_needed_for_nothing_but_the_names_that_are_gone():
    names = {"orders": 1, "In": ["", "orders = orders[1:]\nbig = orders.sum()", ""]}
    sources = ["orders = orders[1:]\nbig = orders.sum()", "small = orders[:1]", ""]
    cells = [NotebookCell(id=str(number), source=source) for number, source in enumerate(sources)]
    prompt = Prompt(turn_id="t", text="", cells=with_true_counts(cells, names))
    unrun = unrun_above(prompt)
    assert [unrun.touches(text) for text in ("orders.head()", "big + 1", "small[0]")] == [False, True, True]
    assert all(map(not_run, prompt.cells))


def test_a_copy_of_a_cell_that_ran_has_not_run():
    names = {"x": 1, "In": ["", "x += 1"]}
    cells = [NotebookCell(id="a", source="x += 1", execution_count=1), NotebookCell(id="b", source="x += 1")]
    prompt = Prompt(turn_id="t", text="", cells=with_true_counts(cells, names))
    assert unrun_above(prompt).touches("print(x)")


@pytest.mark.parametrize(
    ("unrun", "waits"),
    [
        ("df.describe()", False),
        ('df.groupby("k")["x"].sum().plot(kind="bar")', False),
        ("df.dropna(inplace=True)", True),
        ('df.insert(0, "x", 1)', True),
        ("df.append(1)", True),
        ("df.x.fillna(0, inplace=True)", True),
        ("plt.plot(df.x)\nplt.show()", False),
    ],
)
def test_an_unrun_cell_that_only_shows_something_is_waited_for_by_nothing(unrun, waits):
    cells = [NotebookCell(id="a", source="import matplotlib.pyplot as plt", execution_count=1)]
    prompt = Prompt(turn_id="t", text="", cells=(*cells, NotebookCell(id="b", source=unrun)))
    assert unrun_above(prompt).touches("plt.hist(df.x)") is waits
