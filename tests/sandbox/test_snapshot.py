"""Snapshots of values: IPython's own names, odd values, ends of large tables."""

from __future__ import annotations


def test_what_ipython_itself_changes_while_a_cell_runs_is_no_effect_of_the_cell(bench):
    bench.given("import sys, builtins, os, warnings")
    assert set(bench.changes("x = 1\nx")) == {"x"}
    assert set(bench.changes("sys.nothing = 1")) == {"sys"}


def test_a_masked_array_is_looked_at_as_any_other_is(bench):
    bench.given("import numpy as np\nheights = np.ma.masked_less(np.arange(12.0).reshape(3, 4), 2)")
    assert "new" in bench.changes("other = heights + 1")["other"]
    assert "changed" in bench.changes("heights[2, 3] = np.ma.masked")["heights"]


def test_numbers_that_python_gives_one_hash_are_told_apart(bench):
    bench.given("down, large, wave, among, held = -1, 0, -1 + 0j, [-1, 5], {'a': (1, -1)}")
    changed = bench.changes("down, large, wave, among[0], held['a'] = -2, 2**61 - 1, -2 + 0j, -2, (1, -2)")
    assert set(changed) == {"down", "large", "wave", "among", "held"}


def test_what_is_written_alike_is_told_apart_by_its_type(bench):
    bench.given("number, truth, text, inner = [1, 2], [1, 0], ['1'], [[1.0], [0.0]]")
    changed = bench.changes("number[0], truth[1], text[0], inner[1][0] = 1.0, False, 1, -0.0")
    assert set(changed) == {"number", "truth", "text", "inner"}


def test_a_list_that_holds_itself_or_a_text_beyond_bounds_is_looked_at(bench):
    bench.given("endless = [1]; endless.append(endless)\nlong = ['x' * 10**6, 1, 10**5000]")
    assert set(bench.changes("endless[0] = 2; long[1] = 3")) == {"endless", "long"}
    assert bench.changes("y = 1").keys() == {"y"}


def test_the_ends_of_a_table_of_which_the_rows_lie_together_are_looked_at(bench):
    bench.given("import numpy as np, pandas as pd\ntable = pd.DataFrame(np.zeros((1 << 17, 8)))")
    for row in (0, 3, -4, -1):
        assert "5" in bench.changes(f"table.iloc[{row}, 5] = 1.0")["table"], row
