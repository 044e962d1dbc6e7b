"""Kinds of values that a notebook holds, each proven the same and told apart, brought back by undo or named before anything
is touched. Where a copy can't know what it is, it says so."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from msgspec import Struct

from spark_jupyter.exceptions import SessionError

from .alone import ran_alone
from .test_proofs import Judge
from .test_undo import Undoing


class Kind(Struct, frozen=True):
    """A value is ``made``. ``changed`` changes it, ``alike`` does the same in other words, ``other`` something else. After undo ``check``
    is true, or what is ``named`` was said and nothing touched. ``unclear`` is what a proof names instead of judging it, ``stays`` what
    undo says that it leaves."""

    library: str
    made: str
    changed: str
    alike: str
    other: str
    check: str = "False"
    named: str = ""
    unclear: str = ""
    stays: str = ""


KINDS = {
    "pandas": Kind(
        "pandas",
        "import pandas as pd\nit = pd.DataFrame({'a': [1, 2, 3]})",
        "it['b'] = it['a'] * 2",
        "it['b'] = it['a'] + it['a']",
        "it['b'] = it['a'] * 3",
        "list(it) == ['a']",
    ),
    "polars": Kind(
        "polars",
        "import polars as pl\nit = pl.DataFrame({'a': [1, 2, 3]})",
        "it = it.with_columns(b=pl.col('a') * 2)",
        "it = it.with_columns(b=pl.col('a') + pl.col('a'))",
        "it = it.with_columns(b=pl.col('a') * 3)",
        "it.columns == ['a']",
    ),
    "numpy": Kind(
        "numpy", "import numpy as np\nit = np.zeros(3)", "it += 2", "it[:] = it + 2", "it += 3", "not it.any()"
    ),
    "scikit-learn": Kind(
        "sklearn",
        "from sklearn.linear_model import LinearRegression\nit = LinearRegression().fit([[0.0], [1.0]], [0.0, 2.0])",
        "it.fit([[0.0], [1.0]], [0.0, 5.0])\nNone",
        "it = it.fit([[0.0], [1.0]], [0.0, 5.0])",
        "it.fit([[0.0], [1.0]], [0.0, 6.0])\nNone",
        "abs(it.coef_[0] - 2) < 1e-9",
    ),
    "torch": Kind(
        "torch",
        "import torch\nit = torch.zeros(3)",
        "it += 2\nNone",
        "it.add_(2)\nNone",
        "it += 3\nNone",
        "not it.any()",
    ),
    "matplotlib": Kind(
        "matplotlib",
        "from matplotlib.figure import Figure\nit = Figure(figsize=(1, 1))\naxes = it.subplots()",
        "axes.plot([1, 2])\nNone",
        "axes.plot([0, 1], [1, 2])\nNone",
        "axes.plot([2, 1])\nNone",
        "not it.axes[0].lines and it.axes[0] is axes",
    ),
    "generator": Kind(
        "",
        "it = (n for n in range(9))\nx = 0",
        "it = None\nx = 1",
        "it = None\nx = 2 - 1",
        "it = None\nx = 2",
        named="it (a generator)",
    ),
    "a generator that is read": Kind(
        "",
        "it = (n for n in range(9))",
        "x = next(it)",
        "x = next(it) + 0",
        "x = next(it) + 1",
        unclear="it (generator)",
        stays="it (generator) stays as it is",
    ),
    "open file": Kind(
        "",
        "import tempfile\nit = tempfile.TemporaryFile('w+')\nx = 0",
        "x = it.write('one')",
        "x = it.write('one') + 0",
        "x = it.write('seven')",
        named="it (",
    ),
    "thread": Kind(
        "",
        "import threading, time\nit = threading.Thread(target=time.sleep, args=(9,), daemon=True)\nit.start()\nx = 0",
        "it = None\nx = 1",
        "it = None\nx = 2 - 1",
        "it = None\nx = 2",
        named="it (",
    ),
    "asyncio task": Kind(
        "",
        "import asyncio\nloop = asyncio.new_event_loop()\nit = loop.create_task(asyncio.sleep(0))\nx = 0",
        "it, kept = None, it\nx = 1",
        "kept, it = it, None\nx = 2 - 1",
        "it, kept = None, it\nx = 2",
        named="it (",
        unclear="kept (Task)",
    ),
}


class Both(Undoing, Judge):
    """A shell whose cells are proven and undone."""


@pytest.fixture
def shell(bench) -> Iterator[Both]:
    made = Both(bench.shell)
    yield made
    made.kept.close()
    if "loop" in made:
        made["loop"].run_until_complete(asyncio.sleep(0))  # the task's turn comes first
        made["loop"].run_until_complete(asyncio.sleep(0))
        made["loop"].close()


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_value_has_its_outcome(request, shell, name, tmp_path):
    kind = KINDS[name]
    if name == "polars" and ran_alone(request, tmp_path, "polars"):
        return
    if kind.library:
        pytest.importorskip(kind.library)
    shell.run(kind.made)
    shell.run(kind.changed)
    same, other = shell.proof(kind.changed, kind.alike), shell.proof(kind.changed, kind.other)
    assert (same.verdict, other.verdict) == ("unclear" if kind.unclear else "same", "differs"), (same, other)
    assert kind.unclear in " ".join(same.unclear)
    if kind.named:
        with pytest.raises(SessionError) as refused:
            shell.undo()
        assert kind.named in str(refused.value)
        assert shell["x"] != 0
        shell.undo(partly=True)
        assert shell["x"] == 0
    elif kind.stays:
        assert kind.stays in shell.undo()
        assert "x" not in shell
    else:
        shell.undo()
        assert eval(kind.check, shell.shell.user_ns)
