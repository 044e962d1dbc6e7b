"""Libraries in a copy, behind the walls: their threads, files, memory and databases."""

from __future__ import annotations

import os
import sys

import pytest

from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.copy import isolation


def test_numpy_and_scikit_learn_work_after_the_kernel_used_their_threads(bench):
    pytest.importorskip("sklearn")
    bench.given(
        "import numpy as np\n"
        "from sklearn.cluster import KMeans\n"
        "from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier\n"
        "rng = np.random.default_rng(0); X = rng.random((2000, 5)); y = X[:, 0] > 0.5\n"
        "square = rng.random((600, 600)); square @ square\n"
        "KMeans(3).fit(X); HistGradientBoostingClassifier(max_iter=5).fit(X, y)\n"
        "RandomForestClassifier(4, n_jobs=2).fit(X, y)"
    )
    assert bench.printed("print((square @ square).shape)") == "(600, 600)\n"
    assert bench.printed("print(KMeans(3).fit(X).n_iter_ > 0)") == "True\n"
    boosted = "print(HistGradientBoostingClassifier(max_iter=5).fit(X, y).score(X, y) > 0.9)"
    assert bench.printed(boosted) == "True\n"
    assert bench.printed("print(RandomForestClassifier(4, n_jobs=2).fit(X, y).score(X, y) > 0.9)") == "True\n"


@pytest.mark.parametrize("used", ["used before", "imported here"])
@pytest.mark.parametrize(
    ("library", "source", "said"),
    [
        ("pandas", "pandas.DataFrame({'a': [1, 2, 2]}).groupby('a').size().sum()", "3"),
        ("duckdb", "duckdb.sql('select sum(x) from range(1000) t(x)').fetchall()", "[(499500,)]"),
        ("polars", "polars.DataFrame({'a': [1, 2, 2]}).shape", "(3, 1)"),
        ("matplotlib.pyplot", "len(matplotlib.pyplot.plot([1, 2]))", "1"),
        ("joblib", "joblib.Parallel(2, prefer='threads')(joblib.delayed(abs)(n) for n in range(3))", "[0, 1, 2]"),
        ("sqlite3", "sqlite3.connect(':memory:').execute('select 5').fetchall()", "[(5,)]"),
    ],
)
def test_libraries_work_behind_the_walls(bench, library, source, said, used):
    pytest.importorskip(library)
    if used == "used before":
        bench.given(f"import {library}\n_ = {source}")
    assert bench.printed(f"import {library}\nprint({source})", seconds=60) == f"{said}\n"


def test_databases_can_be_read_but_not_written(bench, tmp_path):
    file = tmp_path / "kept.sqlite"
    bench.given(
        f"import sqlite3\nheld = sqlite3.connect({str(file)!r})\nheld.execute('create table t (x)')\n"
        "held.execute('insert into t values (1)')\nheld.commit()\n"
        "inside = sqlite3.connect(':memory:')\ninside.execute('create table t (x)')"
    )
    before = file.read_bytes()
    assert bench.printed("print(held.execute('select * from t').fetchall())") == "[(1,)]\n"
    assert (
        bench.printed("inside.execute('insert into t values (2)'); print(inside.execute('select * from t').fetchall())")
        == "[(2,)]\n"
    )
    assert bench.printed("print(sqlite3.connect(':memory:').execute('select 5').fetchall())") == "[(5,)]\n"
    for connection in ("held", f"sqlite3.connect({str(file)!r})"):
        result = bench.attempt(f"other = {connection}\nother.execute('insert into t values (2)')\nother.commit()")
        assert "readonly" in result.error
    assert "changes no files" in bench.attempt(f"sqlite3.connect({str(tmp_path / 'new.sqlite')!r})").error
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["kept.sqlite"]
    bench.given("held.execute('insert into t values (3)'); held.commit(); held.close(); inside.close()")


def test_shared_memory_and_mapped_files_are_private_in_a_copy(bench, tmp_path):
    pytest.importorskip("numpy")
    file = tmp_path / "mapped.bin"
    file.write_bytes(bytes(8192))
    bench.given(
        "import numpy as np\nfrom multiprocessing.shared_memory import SharedMemory\n"
        f"mapped = np.memmap({str(file)!r}, dtype='u1', mode='r+')\nshared = SharedMemory(create=True, size=100)\nshared.buf[0] = 1"
    )
    assert bench.printed("mapped[:] = 7\nshared.buf[0] = 9\nprint(mapped[0], shared.buf[0])") == "7 9\n"
    assert bench.shell.user_ns["shared"].buf[0] == 1
    assert file.read_bytes() == bytes(8192)
    assert "changes no files" in bench.attempt("SharedMemory(create=True, size=10)").error
    bench.given("shared.close(); shared.unlink()")


def test_torch_works_on_the_processor_and_a_model_that_is_trained_is_changed_in_place(bench):
    pytest.importorskip("torch")
    bench.given(
        "import torch\nfrom torch import nn\n_ = torch.randn(500, 500) @ torch.randn(500, 500)  # its threads run\n"
        "block = nn.Sequential(nn.Sequential(nn.Sequential(nn.Linear(3, 4), nn.ReLU()), nn.Linear(4, 1)))\n"
        "same = nn.Linear(2, 2)\nx, y = torch.ones(8, 3), torch.zeros(8, 1)\nsmall = torch.zeros(3)\nweights = same.weight\n"
        "optimizer = torch.optim.SGD(block.parameters(), lr=0.1)"
    )
    train = "loss = ((block(x) - y) ** 2).mean(); optimizer.zero_grad(); loss.backward(); optimizer.step(); del loss"
    changes = bench.changes(f"{train}\nsmall[1] = 5\n_ = torch.randn(500, 500) @ torch.randn(500, 500)")
    assert changes["block"] == "changed Sequential Sequential in place"
    assert changes["small"] == "changed Tensor float32 (3) Tensor float32 (3) in place; [1]: 0.0 → 5.0"
    assert not {"same", "weights", "x", "y"} & changes.keys()
    assert "in place" in bench.changes("weights.data += 1")["same"]
    assert bench.shell.user_ns["small"].sum() == 0


def test_what_would_be_installed_is_named(bench):
    effects = bench.attempt("%pip install requests").effects
    assert [(effect.name, effect.refused) for effect in effects if effect.kind == "package"] == [("requests", True)]


def test_what_the_system_refused_to_native_code_is_explained(bench):
    denied = "import os; raise RuntimeError(os.strerror(13))"  # as torch.save and pyarrow say it
    assert bench.attempt(denied).error.endswith("unless it is allowed: %spark try --allow files,read)")
    assert bench.attempt(denied, allow=("files",)).error.endswith("unless it is allowed: %spark try --allow read)")
    assert bench.attempt(denied, allow=("files", "read")).error == "RuntimeError: Permission denied"
    not_permitted = bench.attempt("import os; os.utime(os.environ['TMPDIR'])").error
    assert not_permitted.endswith("unless it is allowed: %spark try --allow files,network,shell)")


_POLARS = """
import polars as pl
from polars import col
from datetime import datetime
df = pl.DataFrame({
    "k": list("aabb"), "x": [1, 2, 3, 4], "c": pl.Series(list("abab"), dtype=pl.Categorical),
    "e": pl.Series(list("abab"), dtype=pl.Enum(["a", "b"])), "t": [datetime(2024, 1, 1)] * 4, "l": [[1], [2], [], None],
})
class Store: pass
store = Store(); store.frame = df
frames = {"one": df, "many": [df, df.clone()]}
lazy = df.lazy().filter(pl.col("x") > 1)
total = pl.col("x").sum()
def summed(frame): return frame.group_by("k", maintain_order=True).agg(total)
_ = df.group_by("k").agg(pl.len())  # its threads run
"""


def test_polars_works_after_the_kernel_used_its_threads(bench):
    pytest.importorskip("polars")
    bench.given(_POLARS)
    assert bench.printed("print(summed(df)['x'].to_list())") == "[3, 7]\n"
    assert bench.printed("print(lazy.collect().height, frames['many'][1].join(df, on='k').height)") == "3 8\n"
    assert bench.printed("print(store.frame.filter(col('x') > 2).height, store.frame is df)") == "2 True\n"
    kept = bench.printed("print(df.schema == frames['one'].schema, *df.dtypes)")
    assert (
        kept
        == "True String Int64 Categorical Enum(categories=['a', 'b']) Datetime(time_unit='us', time_zone=None) List(Int64)\n"
    )
    assert bench.changes("n = df.group_by('k').len()").keys() == {"n"}
    assert bench.shell.user_ns["df"].height == 4


@pytest.mark.parametrize("imported", ["before", "in the copy"])
def test_all_processors_may_be_asked_for(bench, imported):
    pytest.importorskip("sklearn")
    given = "import numpy as np\nX = np.arange(80.0).reshape(40, 2); y = np.arange(40) % 2\n"
    libraries = "from sklearn.ensemble import RandomForestClassifier\nimport joblib\n"
    libraries += "from sklearn.model_selection import GridSearchCV, cross_val_score\nfrom sklearn.tree import DecisionTreeClassifier\n"
    bench.given(given + (libraries if imported == "before" else ""))
    source = libraries + (
        "scores = cross_val_score(DecisionTreeClassifier(), X, y, n_jobs=-1)\n"
        "search = GridSearchCV(DecisionTreeClassifier(), {'max_depth': [1, 2]}, n_jobs=-1).fit(X, y)\n"
        "forest = RandomForestClassifier(5, n_jobs=-1).fit(X, y)\n"
        "squares = joblib.Parallel(n_jobs=-1, backend='loky')(joblib.delayed(pow)(n, 2) for n in range(3))\n"
        "print(len(scores), squares)"
    )
    assert bench.printed(source) == "5 [0, 1, 4]\n"


def test_numba_is_named_where_its_threads_are_not_and_works_where_it_needs_none(bench):
    pytest.importorskip("numba")
    bench.given(
        "import numpy as np\nfrom numba import njit, prange\nx = np.arange(1000.0)\n"
        "@njit\ndef plain(x):\n    return x.sum()\n"
        "@njit(parallel=True)\ndef parallel(x):\n    s = 0.0\n    for i in prange(len(x)):\n        s += x[i]\n    return s\n"
        "plain(x), parallel(x)"
    )
    assert bench.printed("print(plain(x))") == "499500.0\n"
    result = bench.attempt("parallel(x)")
    assert result.refused
    assert result.not_tried == "numba has started threads that a copy does not have"


def test_the_first_figure_changes_no_variable(bench):
    pytest.importorskip("matplotlib")
    bench.given("import matplotlib.pyplot as plt\nx = [1, 2]")
    assert bench.changes("plt.bar(x, x)\nplt.show()") == {}


@pytest.fixture
def copies_little(monkeypatch) -> None:
    """As if what is open and shared here were larger than what is copied."""
    monkeypatch.setattr(isolation, "_MOST_COPIED", 4_000)


def test_a_file_that_is_too_large_to_be_copied_is_read_where_it_is(bench, tmp_path, copies_little):
    path = tmp_path / "large.bin"
    bench.given(
        f"large = open({str(path)!r}, 'w+b'); large.write(b'begin' + bytes(9_000)); large.seek(0); large.flush()"
    )
    assert bench.printed("print(large.read(5), large.seek(0, 2))") == "b'begin' 9005\n"
    result = bench.attempt("large.write(b'x')\nlarge.flush()")
    assert result.not_tried == limit_sentences.OPEN_FILE
    assert path.read_bytes()[:5] == b"begin"


def test_a_large_database_of_sqlite_is_read_where_it_is(bench, tmp_path, copies_little):
    path = str(tmp_path / "large.db")
    bench.given(f"import sqlite3\ncon = sqlite3.connect({path!r})\ncon.execute('create table t(a)')")
    bench.given("con.executemany('insert into t values (?)', [('x' * 99,)] * 200)\ncon.commit()")
    assert bench.printed("print(con.execute('select count(*) from t').fetchall())") == "[(200,)]\n"
    assert bench.attempt("con.execute('delete from t')").not_tried == limit_sentences.READ_ONLY_DATABASE


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere shared memory stays shared")
def test_shared_memory_that_is_too_large_to_be_copied_is_no_fault_of_the_code(bench, copies_little):
    bench.given("import mmap\nshared = mmap.mmap(-1, 64_000)\nshared[:5] = b'hello'")
    result = bench.attempt("shared[:5]")
    assert (result.not_tried, result.error) == (limit_sentences.SHARED_MEMORY, "")


@pytest.mark.parametrize(
    "source",
    [
        "client.sendall(b'x')",
        "try:\n    client.recv(1)\nexcept OSError as error:\n    raise RuntimeError(f'no data from server: {error.strerror}')",
    ],
)
def test_a_connection_of_the_kernels_that_is_not_there_is_no_fault_of_the_code(bench, source):
    bench.given("import socket\nserver = socket.create_server(('127.0.0.1', 0))")
    bench.given("client = socket.create_connection(server.getsockname())\nthere, _ = server.accept()")
    try:
        assert bench.attempt(source).not_tried == limit_sentences.CONNECTION
        bench.given(
            "there.setblocking(False)\ntry:\n    there.recv(1)\nexcept BlockingIOError:\n    pass\nelse:\n    raise AssertionError"
        )
    finally:
        bench.given("for one in (there, client, server): one.close()")
