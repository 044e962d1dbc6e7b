"""Helper process that imports libraries for the check."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from spark_jupyter.reality.helper_process import HELPER, Helper, KnownName, describe_names, may_import

# in a fresh process, where neither numpy nor pandas is loaded
PROGRAM = """
import sys
from spark_jupyter.reality import Checker, check
source = {source!r}
for finding in check(source, {{}}):
    print(finding.line, finding.rule, finding.message)
assert "numpy" not in sys.modules and "colorsys" not in sys.modules
checker = Checker({{}}, patience=60)
streamed = [finding for letter in source for finding in checker.feed(letter)] + checker.flush()
print(len(streamed))
"""


def run(source):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(source=source)], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_libraries_that_the_kernel_has_not_loaded_are_looked_up_elsewhere():
    *found, streamed = run(
        "import numpy as np\nimport colorsys\nx = np.arange(3)\nx.meann()\nnp.zeross(1)\n"
        "colorsys.rgb_to_hsw(1, 1, 1)\nundefined_one\nfrom pandas import DataFrame\nDataFrame({'a': [1]})['b']\n"
    )
    assert [line.split()[:2] for line in found] == [
        ["4", "missing-attribute"],
        ["5", "missing-attribute"],
        ["6", "missing-attribute"],
        ["7", "undefined-name"],
        ["9", "missing-column"],
    ]
    assert streamed == "5"


def test_the_helper_imports_libraries_and_never_the_users_modules():
    assert may_import("numpy.linalg")
    assert may_import("json")
    assert not may_import("antigravity")
    assert not may_import("my_module")
    assert not may_import("__main__")


def test_the_helper_is_told_names_and_columns_and_no_values():
    import numpy as np
    import pandas as pd

    class Own:
        pass

    frame = pd.DataFrame({"a": ["a secret value"], "b": [1]})
    told = describe_names({"df": frame, "np": np, "own": Own(), "f": run, "n": 41, "_hidden": 1})
    assert told == {
        "df": KnownName("table", "pandas", "DataFrame", ("a", "b"), (None,)),
        "np": KnownName("module", "numpy"),
    } | ({"n": told["n"]} if "n" in told else {})
    assert "secret" not in repr(told)
    assert "41" not in repr(told)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("anew", ["table = colorsys", "own = colorsys", "import colorsys as table, colorsys as own"])
def test_what_the_kernel_has_counts_for_the_helper_too(anew):
    program = f"""
import sys
import pandas
from spark_jupyter.reality import check
kernel = {{"table": pandas.DataFrame({{"n": [1]}}), "own": type("Own", (), {{"more": 1}})()}}
unrun = ["import colorsys", {anew!r}]
assert check("table.head()\\nown.more", kernel, unrun=unrun) == []
assert "colorsys" not in sys.modules
print([one.wrong for one in check("table.heat()\\ncolorsys.rgb_to_hsw", kernel, unrun=unrun)])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [str(["heat", "rgb_to_hsw"])]


def test_a_fork_does_not_use_its_parents_helper():
    assert HELPER.available()
    child = os.fork()
    if child == 0:
        os._exit(int(HELPER.available()))
    assert os.waitpid(child, 0)[1] == 0
    assert HELPER.available()


def test_a_helper_that_dies_is_missed_by_nobody():
    helper = Helper()
    assert helper.available()
    process = helper._process
    session, replies = helper.open()
    process.kill()
    process.wait()
    assert replies.get(timeout=60) is None
    helper.close(session)
    assert helper.available()
    assert helper._process is not process
    helper.stop()
