"""Undo of a run: the variables come back as they were, all or nothing, and what can't is named before anything is touched."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.sandbox.checkpoints.file_history import WRITTEN_AFTER
from spark_jupyter.sandbox.checkpoints.undo import undo, undone_lines
from spark_jupyter.sandbox.copy.isolation import copied
from spark_jupyter.sandbox.values import describer, plain_values
from spark_jupyter.sandbox.values.process_state import changed_parts, held_parts, restore_parts

from .leavings import children, until
from .test_checkpoints import Past


class Undoing(Past):
    """A shell whose runs are undone."""

    def undo(self, **options: bool) -> str:
        return "\n".join(undone_lines(undo(self.shell, self.kept, **options)))

    def __getitem__(self, name: str):
        return self.shell.user_ns[name]

    def __contains__(self, name: str) -> bool:
        return name in self.shell.user_ns


@pytest.fixture
def past(bench) -> Iterator[Undoing]:
    made = Undoing(bench.shell)
    yield made
    made.kept.close()


def test_what_the_run_changed_made_and_deleted_is_as_before(past):
    past.run("numbers, word, gone = [1, 2], 'a', {3}")
    past.run("numbers.append(3); word = 'b'; new = 1; del gone")
    assert past.undo().startswith("Undid the run of [2]: gone, numbers, word restored; new removed.")
    assert (past["numbers"], past["word"], past["gone"]) == ([1, 2], "a", {3})
    assert "new" not in past


def test_names_that_were_one_object_are_one_object_again_and_what_stays_is_the_same_object(past):
    past.run("a = [1]\nb = a\nholder = {'a': a}\nstays = [9]\nholder['stays'] = stays")
    stays = past["stays"]
    past.run("a.append(2)")
    past.undo()
    assert past["a"] == [1]
    assert past["b"] is past["a"]
    assert past["holder"]["a"] is past["a"]
    assert past["holder"]["stays"] is past["stays"] is stays


def test_an_alias_that_the_run_broke_is_one_again(past):
    past.run("a = [1]\nb = a")
    past.run("b = list(a)")
    past.undo()
    assert past["b"] is past["a"]


def test_all_aliases_that_a_run_broke_are_one_again_however_many_they_are(past):
    past.run("ones = {}\nfor n in range(9):\n    globals()[f'a{n}'] = globals()[f'b{n}'] = [n]")
    stayed = [past[f"a{n}"] for n in range(9)]
    past.run("for n in range(9):\n    globals()[f'b{n}'] = [n]")
    past.undo()
    assert [past[f"a{n}"] for n in range(9)] == stayed
    assert all(past[f"a{n}"] is past[f"b{n}"] is stayed[n] for n in range(9))


def test_an_object_that_no_variable_is_any_more_is_shared_again(past):
    past.run("a = [1]\nb = a\nholder = {'a': a}")
    past.run("a = list(a)\nb = a\nholder = {'a': [1]}")
    past.undo()
    assert past["holder"]["a"] is past["a"] is past["b"]


def test_functions_classes_and_objects_of_cells_come_back(past):
    past.run(
        "class Point:\n    pass\npoint = Point(); point.x = 1\n"
        "def f(n, by=2): return n * by\ndef make(k):\n    return lambda: k\ng = make(5)"
    )
    past.run("point.x = 2\ndef f(n): return 0\ng = None")
    past.undo()
    assert past["point"].x == 1
    assert type(past["point"]) is past["Point"]
    assert past["f"](4) == 8
    assert past["g"]() == 5


def test_one_run_after_the_other_is_undone_and_then_there_is_none_left(past):
    past.run("x = 1")
    past.run("x = 2")
    past.run("x = 3")
    past.undo()
    assert past["x"] == 2
    past.undo()
    assert past["x"] == 1
    past.undo()
    with pytest.raises(SessionError, match="no cell has run since Spark was loaded"):
        past.undo()


def test_a_run_that_failed_in_the_middle_is_undone(past):
    past.run("x = [1]")
    past.run("x.append(2)\n1 / 0")
    past.undo()
    assert past["x"] == [1]


def test_what_cannot_be_moved_is_named_and_nothing_is_touched_unless_that_is_wanted(past):
    past.run("gen = (n for n in range(3))\nx = [1]")
    past.run("gen = None\nx.append(2)")
    with pytest.raises(SessionError, match=r"gen \(a generator\).*Nothing was changed.*--yes restores the rest: x"):
        past.undo()
    assert past["x"] == [1, 2]
    said = past.undo(partly=True)
    assert past["x"] == [1]
    assert "gen (a generator) stays as it is" in said


def test_where_no_checkpoint_is_kept_it_says_so(past):
    past.kept.switch("off")
    past.run("x = 1")
    with pytest.raises(SessionError, match=r"no checkpoint from before \[1\]\. Checkpoints are off"):
        past.undo()


def test_files_that_were_written_meanwhile_are_listed_as_not_undone(past, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    past.run("x = 1")
    past.run("open('made.txt', 'w').write('x')\nx = 2")
    assert "made.txt was written and stays" in past.undo()


def test_a_file_that_was_saved_after_the_run_is_none_of_its(past, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    past.run("x = 1")
    past.run("x = 2")
    time.sleep(WRITTEN_AFTER + 0.2)
    (tmp_path / "work.ipynb").write_text("saved by Jupyter")
    assert "work.ipynb" not in past.undo()


def test_what_lives_outside_values_is_left_alone(past, tmp_path):
    past.run(
        "import asyncio, threading, time\n"
        f"file = open({str(tmp_path / 'log')!r}, 'w')\n"
        "thread = threading.Thread(target=time.sleep, args=(30,), daemon=True)\nthread.start()\n"
        "loop = asyncio.new_event_loop()\ntask = loop.create_task(asyncio.sleep(0))\nlock = threading.Lock()\nx = 1"
    )
    file, thread, task = past["file"], past["thread"], past["task"]
    past.run("x = 2")
    past.undo()
    assert (past["x"], past["file"], past["thread"], past["task"]) == (1, file, thread, task)
    past.run("task.cancel()\nloop.run_until_complete(asyncio.sleep(0))\nloop.close()\nfile.close()")


def test_arrays_come_back_with_their_views_and_can_be_written(past):
    numpy = pytest.importorskip("numpy")
    past.run("import numpy as np\na = np.zeros(3_000_000)\nv = a[5:8]\nsmall = np.arange(3)")
    past.run("a[6] = 1; small += 1")
    past.undo()
    assert not past["a"].any()
    past["a"][6] = 7
    assert past["v"][1] == 7
    assert numpy.array_equal(past["small"], [0, 1, 2])


def test_a_view_is_one_again_of_a_large_array_that_was_written_elsewhere_or_bound_anew(past):
    numpy = pytest.importorskip("numpy")
    past.run(
        "import numpy as np\nbig = np.zeros(3_000_000)\nview = big[5:8]\none, other = (lambda a: (a[1:3], a[2:4]))(np.zeros(9))"
    )
    for change in ("big[2_000_000] = 1", "big = big * 1.0; view = big[5:8]", "other = other.copy()"):
        past.run(change)
        past.undo()
        assert not past["big"].any()
        assert numpy.shares_memory(past["big"], past["view"])
        assert numpy.shares_memory(past["one"], past["other"])


def test_closures_share_their_cells_modules_come_back_and_results_of_cells_too(past):
    past.run(
        "import math\ndef make():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n        return n\n"
        "    return inc, lambda: n\ninc, get = make()\n"
        "def outer():\n    def fact(k): return 1 if k < 2 else k * fact(k - 1)\n    return fact\nfact = outer()\nrows = [1]\nrows"
    )
    past.run("made = inc(); fact = None; rows.append(2); del math; inc.called = True\nrows")
    past.undo()
    assert (past["inc"](), past["get"](), past["fact"](4), past["math"].sqrt(4)) == (1, 1, 24, 2.0)
    assert past["_"] is past["_1"] is past["Out"][1] is past["rows"]
    assert (past["rows"], "_2" in past, 2 in past["Out"]) == ([1], False, False)


def test_objects_of_a_class_that_was_defined_anew_before_the_run_come_back(past):
    past.run("class P:\n    x = 1\nold = P; points = [P()]")
    past.run("class P:\n    x = 2\ndel old")
    kind = type(past["points"][0])
    past.run("points.append(P())")
    past.undo()
    assert [type(one) for one in past["points"]] == [kind]


def test_results_go_on_to_be_kept_after_an_undo(past):
    for cell in ("7", "8"):
        past.run(cell)
    past.undo()
    assert (past["_"], past["__"]) == (7, "")
    past.run("9")
    assert (past["_"], past["__"], past["_3"], past["Out"]) == (9, 7, 9, {1: 7, 3: 9})


def test_random_numbers_options_folder_and_environment_come_back(past, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARK_TEST", "before")
    past.run("import os, random, sys\nx = 1")
    past.run(
        "first = random.random()\nos.environ['SPARK_TEST'] = 'after'\nos.mkdir('in'); os.chdir('in')\nsys.path.append('/nowhere')"
    )
    first = past["first"]
    said = past.undo()
    assert "the working folder, the environment, the module path, the state of random restored" in said
    past.run("second = random.random()\nwhere = os.getcwd(), os.environ['SPARK_TEST'], '/nowhere' in sys.path")
    assert past["second"] == first
    assert past["where"] == (str(tmp_path), "before", False)


def test_random_numbers_that_only_a_library_drew_come_back_and_are_not_told(past, tmp_path, monkeypatch):
    drawing = tmp_path / "site-packages" / "drawing.py"
    drawing.parent.mkdir()
    drawing.write_text("import random\nrandom.random()")
    monkeypatch.syspath_prepend(drawing.parent)
    past.run("x = 1")
    before = random.getstate()
    past.run("import drawing\nx = 2")
    said = past.undo()
    monkeypatch.delitem(sys.modules, "drawing", raising=False)
    assert "x" in said
    assert "random" not in said
    assert random.getstate() == before


def test_a_thread_that_the_run_began_is_named(past):
    past.run("import threading\nend = threading.Event()\ndef work(): end.wait()\nx = 1")
    past.run("threading.Thread(target=work, name='worker', daemon=True).start(); x = 2")
    try:
        assert "Not undone: the thread worker stays as it is" in past.undo()
    finally:
        past["end"].set()
    until(lambda: all(one.name != "worker" for one in threading.enumerate()))
    assert past["x"] == 1


def test_numbers_that_torch_draws_come_back(monkeypatch):
    """By a stand-in with torch's own interface: it is too large for each run of the tests."""
    numpy = pytest.importorskip("numpy")
    state = numpy.arange(4, dtype="u1")
    tensor = SimpleNamespace(tolist=state.tolist)
    torch = SimpleNamespace(get_rng_state=lambda: tensor, frombuffer=numpy.frombuffer, uint8="u1")
    torch.set_rng_state = lambda then: state.__setitem__(slice(None), then)
    monkeypatch.setitem(sys.modules, "torch", torch)
    then = held_parts()
    state[0] = 9
    assert changed_parts(then) == ("the state of torch.random",)
    assert restore_parts(then) == ()
    assert state.tolist() == [0, 1, 2, 3]


def test_a_library_that_is_broken_here_keeps_no_cell_from_its_moment(past, monkeypatch):
    def fail():
        raise RuntimeError("Numpy is not available")

    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(get_rng_state=fail))
    past.run("x = 1")
    past.run("x = 2")
    past.undo()
    assert past["x"] == 1


def test_decimals_are_as_precise_as_before(past):
    past.run("import decimal\nbefore = decimal.getcontext().prec")
    past.run("decimal.getcontext().prec = 5")
    assert "decimal's context" in past.undo()
    past.run("after = decimal.getcontext().prec")
    assert past["after"] == past["before"] == 28


def test_settings_of_libraries_come_back_and_figures_that_were_opened_are_closed(past):
    past.run("import sys, numpy as np, matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot as plt")
    past.run("np.seterr(divide='raise'); plt.rcParams['figure.dpi'] = 33; plt.figure(7); sys.setrecursionlimit(5000)")
    said = past.undo()
    for part in (
        "numpy's reaction to errors",
        "matplotlib's settings",
        "matplotlib's open figures",
        "the recursion limit",
    ):
        assert part in said
    plt = past["plt"]
    assert (past["np"].geterr()["divide"], plt.get_fignums(), past["sys"].getrecursionlimit() < 5000) == (
        "warn",
        [],
        True,
    )
    assert plt.rcParams["figure.dpi"] != 33


def test_what_was_written_into_the_middle_of_a_large_array_or_table_is_taken_back(past):
    pytest.importorskip("pandas")
    past.run(
        "import numpy as np, pandas as pd\na = np.zeros((2000, 2000))\nt = pd.DataFrame(np.ones((900_000, 3)), columns=[*'xyz'])"
    )
    past.run("a[1000, 1000] = 7; t.loc[450_000, 'y'] = 7")
    past.undo()
    assert not past["a"].any()
    assert past["t"]["y"].eq(1).all()


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("pd.DataFrame({'n': pd.array([1] * 700_000, dtype='Int64')})", "t.iloc[350_000, 0] = 7"),
        (
            "pd.DataFrame({'n': pd.date_range('2020', periods=700_000, freq='s', tz='UTC')})",
            "t.iloc[350_000, 0] = t.iloc[0, 0]",
        ),
        ("pd.DataFrame(np.ones((3_000, 250)))", "t.iloc[1_500, 230] = 7"),
        ("pd.Series(pd.array([1] * 700_000, dtype='Int64'))", "t.iloc[350_000] = 7"),
    ],
)
def test_a_value_in_any_kind_of_column_of_a_large_table_is_taken_back(past, table, change):
    pytest.importorskip("pandas")
    past.run(f"import numpy as np, pandas as pd\nt = {table}\nas_it_was = t.copy()")
    past.run(change)
    assert not past["t"].equals(past["as_it_was"])
    past.undo()
    assert past["t"].equals(past["as_it_was"])


def test_a_column_that_was_dropped_is_there_again_in_each_way_to_drop_it(past):
    pandas = pytest.importorskip("pandas")
    past.run("import pandas as pd\ndf = pd.DataFrame({'a': range(600_000), 'b': 1.5, 'c': 'x'})\nsame = df")
    whole = past["df"].copy()
    for drop in (
        "df = df.drop(columns='b')",
        "df.drop(columns='b', inplace=True)",
        "del df['b']",
        "df.loc[3, 'b'] = 9",
    ):
        past.run(drop)
        past.undo()
        pandas.testing.assert_frame_equal(past["df"], whole)
        assert past["same"] is past["df"]


def test_polars_and_models_come_back(past):
    pytest.importorskip("polars")
    pytest.importorskip("sklearn")
    past.run(
        "import numpy as np, polars as pl\nfrom sklearn.linear_model import LinearRegression\n"
        "t = pl.DataFrame({'n': [1, 2]})\nm = LinearRegression().fit(np.array([[0.0], [1.0]]), np.array([0.0, 2.0]))"
    )
    past.run("t = t.drop('n')\nm.fit(np.array([[0.0], [1.0]]), np.array([0.0, 5.0]))\nNone")
    past.undo()
    assert past["t"].columns == ["n"]
    assert past["m"].coef_.tolist() == pytest.approx([2.0])


def test_it_leaves_no_process_and_changes_nothing_twice(past):
    past.run("x = 1")
    past.run("x = 2")
    kept = children()
    past.undo()
    until(lambda: children() < kept)


@pytest.mark.parametrize("made", ["rows = list(np.zeros((3_000, 4)))", "rows = dict(enumerate(np.zeros((3_000, 4))))"])
def test_one_of_many_arrays_that_was_changed_is_as_before(past, made):
    pytest.importorskip("numpy")
    past.run(f"import numpy as np\n{made}\nsame = list(np.ones((2_000, 2)))")
    same = past["same"]
    past.run("rows[2_500][1] = 7.0; rows[1] = rows[1].reshape(2, 2)")
    assert "rows restored" in past.undo()
    assert past["rows"][2_500].tolist() == [0.0] * 4
    assert past["rows"][1].shape == (4,)
    assert past["same"] is same


def test_what_takes_its_time_is_said(past, monkeypatch):
    monkeypatch.setattr("spark_jupyter.sandbox.checkpoints.restoration._SOON", 0.0)
    past.run("z = 1")
    past.run("z = 2")
    said: list[str] = []
    undo(past.shell, past.kept, report=said.append)
    assert said == ["Comparing the variables with the checkpoint before [2]; large ones take a while."]
    assert past["z"] == 1


def test_an_interrupt_ends_the_undo_and_nothing_was_undone(past, monkeypatch):
    monkeypatch.setattr("spark_jupyter.sandbox.checkpoints.restoration._SOON", 0.0)
    past.run("numbers = [1]")
    past.run("numbers.append(2)")
    before = children()

    def interrupt(sentence: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(SessionError, match="Cancelled: nothing was changed"):
        undo(past.shell, past.kept, report=interrupt)
    assert past["numbers"] == [1, 2]
    until(lambda: children() <= before)
    assert past.undo().startswith("Undid the run of [2]: numbers restored")


def test_where_no_thread_can_be_started_the_undo_is_refused_and_no_copy_is_left(past, monkeypatch):
    past.run("numbers = [1]")
    past.run("numbers.append(2)")
    before, start = children(), threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "spark-proof":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(SessionError, match=r"no more processes or threads.*Nothing was changed\. End some"):
        undo(past.shell, past.kept)
    until(lambda: children() <= before)


def test_an_array_that_came_back_is_no_file_that_each_copy_begins_with(past):
    pytest.importorskip("numpy")
    before = copied()
    past.run("import numpy as np\na = np.ones(2_000_000)")
    past.run("a[0] = 2")
    past.undo()
    assert past["a"].sum() == 2_000_000
    past["a"][1] = 5
    assert abs(copied() - before) < 1_000_000, "pytest writes into a file of its own"
    past.run("a[0] = 3")
    past.undo()
    assert (past["a"][0], past["a"][1]) == (1, 5)


@pytest.mark.parametrize("one", ["{'i': i, 'n': str(i)}", "Point(i)"])
def test_many_small_objects_that_nobody_touched_stay_the_same(past, one, monkeypatch):
    monkeypatch.setattr(describer, "MOST_PARTS", 1_000)
    monkeypatch.setattr(plain_values, "_MOST", 1_000)
    past.run("class Point:\n    def __init__(self, i): self.i = i")
    past.run(f"rows = [{one} for i in range(2_000)]\nz = 1")
    rows = past["rows"]
    past.run("z = 2")
    assert "Undid the run of [3]: z restored." in past.undo()
    assert past["rows"] is rows
