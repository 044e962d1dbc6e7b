"""What is told of names that IPython itself moves while a cell runs."""

from __future__ import annotations


def test_what_ipython_itself_changes_while_a_cell_runs_is_no_effect_of_the_cell(bench):
    bench.given("import sys, builtins, os, warnings")
    assert set(bench.changes("x = 1\nx")) == {"x"}
    assert set(bench.changes("sys.nothing = 1")) == {"sys"}


def test_a_masked_array_is_looked_at_as_any_other_is(bench):
    bench.given("import numpy as np\nheights = np.ma.masked_less(np.arange(12.0).reshape(3, 4), 2)")
    assert "new" in bench.changes("other = heights + 1")["other"]
    assert "changed" in bench.changes("heights[2, 3] = np.ma.masked")["heights"]
