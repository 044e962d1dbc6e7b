"""What is told of names that IPython itself moves while a cell runs."""

from __future__ import annotations


def test_what_ipython_itself_changes_while_a_cell_runs_is_no_effect_of_the_cell(bench):
    bench.given("import sys, builtins, os, warnings")
    assert set(bench.changes("x = 1\nx")) == {"x"}
    assert set(bench.changes("sys.nothing = 1")) == {"sys"}
