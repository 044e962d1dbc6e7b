"""Checkpoints, proofs and undo on a real kernel, in the words of %spark."""

from __future__ import annotations

import os

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a checkpoint is a fork")


def editing(start_kernel, source, cell, **options):
    """A kernel in which a cell has run, and where an edit of it is proposed."""
    kernel = start_kernel([{"match": "", "answer": f"`````python\n{source}\n`````\n", "repeat": True}], **options)
    kernel.run("%load_ext spark_jupyter")
    kernel.run(
        "import pandas as pd\nsales = pd.DataFrame({'day': ['mon', 'tue'], 'price': [1.0, 2.0]}, index=['a', 'b'])",
        cell_id="data",
    )
    message = kernel.start(cell, cell_id="edited")
    kernel.until(lambda: kernel.idle(message))
    return kernel


def test_an_edit_of_a_cell_that_has_run_says_that_the_result_is_the_same(start_kernel):
    cell = "total = 0\nfor price in sales['price']: total += price\ndel price"
    kernel = editing(start_kernel, "total = float(sum(sales['price']))", cell)
    kernel.run(f"%%spark --wait edit make it shorter\n{cell}", cell_id="edited")
    assert "same result" in kernel.run("%spark try")


def test_an_edit_that_is_wrong_says_what_differs_first(start_kernel):
    cell = "sales['price'] = sales['price'] * 2"
    kernel = editing(start_kernel, "sales['price'] = sales['price'] ** 2", cell)
    kernel.run(f"%%spark --wait edit square\n{cell}", cell_id="edited")
    shown = kernel.run("%spark try")
    assert "result changes: sales['price']: 1 row differs, first at a (2.0 → 1.0)" in shown


def test_a_fix_is_tried_from_before_the_failure(start_kernel):
    cell = "sales['price'] += 1\nsales['prize']"
    kernel = editing(start_kernel, "sales['price'] += 1\nprint(sales['price'].tolist())", cell)
    shown = kernel.run("%spark --wait fix") + kernel.run("%spark try")
    assert "[2.0, 3.0]" in shown
    assert "[3.0, 4.0]" not in shown


def test_a_run_is_undone_and_what_stays_is_said(start_kernel):
    kernel = editing(start_kernel, "None", "sales = sales.drop(columns='price')\nx = 1")
    shown = kernel.run("%spark undo")
    assert "sales restored; x removed" in shown
    assert kernel.run("print(list(sales), 'x' in globals())").strip() == "['day', 'price'] False"


def test_what_cannot_come_back_is_named_and_nothing_is_touched(start_kernel):
    kernel = editing(start_kernel, "None", "gen = iter([1])\ngen = (n for n in [1])")
    kernel.run("gen = 2\nsales = None")
    assert "gen (a generator)" in kernel.run("%spark undo")
    assert "sales restored" in kernel.run("%spark undo --yes")
    assert kernel.run("print(list(sales), gen)").strip() == "['day', 'price'] 2"


def test_what_the_cells_below_would_make_of_the_edit_is_told(start_kernel):
    cell = "rate = 2"
    kernel = editing(start_kernel, "rate = 3", cell)
    kernel.run("print(rate * 10)", cell_id="below")
    kernel.run("other = 1", cell_id="not-below")
    kernel.run(f"%%spark --wait edit three\n{cell}", cell_id="edited")
    assert "1 cell below uses `rate`: %spark rerun" in kernel.run("%spark try")
    shown = kernel.run("%spark rerun")
    assert "20 → 30" in shown
    assert "other" not in shown
    assert kernel.run("print(rate)").strip() == "2"


def test_status_says_what_is_kept_and_it_can_be_switched_off(start_kernel):
    kernel = editing(start_kernel, "None", "x = 1")
    assert "Checkpoints: before [2], [3]" in kernel.run("%spark status")
    kernel.run('%config SparkMagics.checkpoints = "off"')
    assert "\nCheckpoints are off." in kernel.run("%spark status")


def test_thirty_cells_leave_the_last_twenty_and_half_of_those_before(start_kernel):
    kernel = editing(start_kernel, "None", "x = 1")
    for number in range(30):
        kernel.run(f"x = {number}")
    forking = 'get_ipython().magics_manager.magics["line"]["spark"].pair.checkpoints._threads._forking'
    kernel.run(f"def pids(): return open(f'/proc/self/task/{{{forking}.native_id}}/children').read().split()")
    wait = "import time\nuntil = time.monotonic() + 60\nwhile len(pids()) > 28 and time.monotonic() < until: time.sleep(0.01)"
    left = int(kernel.run(f"{wait}\nprint(len(pids()))"))  # their end is taken in hand while a cell runs already
    assert 25 <= left <= 28, "and the one of the cell that looks"
