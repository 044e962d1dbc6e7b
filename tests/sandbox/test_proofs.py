"""An edit runs beside the text that it changes: what is the same is called the same, and nothing else is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from msgspec import structs

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.sandbox import KernelTrials, Limits
from spark_jupyter.sandbox.copy_protocol import Wrote
from spark_jupyter.sandbox.proofs.outcome_diff import clock_in, named_in, random_calls
from spark_jupyter.sandbox.proofs.proof_runner import ProofRun
from spark_jupyter.session.actions import TryProposal
from spark_jupyter.session.answer_trials import TryAnswer
from spark_jupyter.session.job_owners import TurnOwner
from tests.translated_texts import is_translated

from .alone import ran_alone
from .leavings import nothing_left, until_ended
from .pairs import DIFFERENT, GROUND, SAME
from .test_checkpoints import Past


class Judge(Past):
    """Proves edits of a cell that has run in a shell."""

    def proof(self, old: str | list[str], new: str | list[str], **limits: float) -> Proof:
        _, kept = self.kept.last_run()
        sources = [[one] if isinstance(one, str) else one for one in (old, new)]
        proof_run = ProofRun(
            kept, *sources, limits=Limits(**limits), named=(), receive=lambda message: None, runs=self.kept.runs
        )
        proof, problem = proof_run.run()
        assert proof is not None, problem
        return proof


@pytest.fixture(scope="module")
def ground() -> Iterator[Judge]:
    pytest.importorskip("pandas")
    from .conftest import Bench

    bench = Bench()
    judge = Judge(bench.shell)
    judge.run(GROUND)
    judge.run("None")
    yield judge
    judge.kept.close()
    bench.close()


@pytest.fixture
def judge(bench) -> Iterator[Judge]:
    made = Judge(bench.shell)
    yield made
    made.kept.close()


def test_there_are_pairs_enough():
    assert len(SAME) >= 75
    assert len(DIFFERENT) >= 75


def _proved(judge: Judge, pairs: list[tuple[str, str]]) -> list[tuple[str, str, Proof]]:
    return [(old, new, judge.proof(old, new)) for old, new in pairs]


@pytest.mark.parametrize("part", range(4))
def test_what_differs_is_never_called_the_same(ground, part):
    proved = _proved(ground, DIFFERENT[part::4])
    assert [(old, new) for old, new, proof in proved if proof.verdict != "differs"] == []
    said = [part for _, _, proof in proved for one in proof.differences for part in one.detail.split("; ")]
    assert [part for part in said if " → " not in part and not is_translated(part)] == []


@pytest.mark.parametrize("part", range(4))
def test_what_means_the_same_is_called_the_same(ground, part):
    wrong = [(old, new, proof.summary) for old, new, proof in _proved(ground, SAME[part::4]) if proof.verdict != "same"]
    assert wrong == []


def test_a_warning_filter_that_a_library_sets_is_no_part_of_a_result(judge):
    judge.run(
        "import warnings\ndef first_use():\n    warnings.filterwarnings('ignore', message='size changed')\n    return 4"
    )
    judge.run("x = 2 + 2")
    assert judge.proof("x = 2 + 2", "x = first_use()").verdict == "same"


# --- what is said ------------------------------------------------------------------------------------------------------


SUMS = "x = df.groupby('day')['price'].sum()"
MONTHS = "pd.date_range('2024-01-01', periods=3, freq='MS')"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("x = df.set_index('day')['price']", "x = df.set_index('day')['price'] * 2", "x: 4 rows differ, first at 2024-01-01 (1.25 → 2.5)"),
        ("df['price'] += 1", "df['price'] += 2", "df['price']: 4 rows differ, first at 0 (2.25 → 3.25)"),
        ("a[1, 2] = 0", "a[1, 2] = 1", "a: 1 row differs, first at [1, 2] (0.0 → 1.0)"),
        ("x = {'m': {'mean': 1}}", "x = {'m': {'mean': 2}}", "x['m']['mean']: 1 → 2"),
        ("x = 1\ny = 2", "x = 1", "y: is no longer defined"),
        ("x = lookup.get('z')", "x = lookup['z']", "error: raises KeyError: 'z'"),
        ("print('one')\nprint('two')", "print('one')\nprint('three')", "output 1: line 2: two → three"),
        (f"{SUMS}\nx.index = x.index.astype(str)", f"{SUMS} * (1 + 1e-12)", "x.index: day (str) → day (datetime64[us])"),
        ("x = df.astype({'day': str}).set_index('day')", "x = df.set_index('day')", "x.index: day (str) → day (datetime64[us])"),
        ("x = df.set_index('store')['units']", "x = df.set_index('day')['units']", "x.index: store (str) → day (datetime64[us])"),
        ("x = df['units']", "x = df['units'].set_axis([1, 2, 3, 4, 5])", "x.index: 5 rows differ, first at row 0 (0 → 1)"),
        ("x = df['units']", "x = df['units'].astype(float)", "x: Series int64 (5) → Series float64 (5)"),
        ("x = df.set_index('store')", "x = df.set_index('store').rename_axis('shop')", "x.index: store (str) → shop (str)"),
        (f"x = pd.Series(1, {MONTHS})", f"x = pd.Series(1, list({MONTHS}))", "x.index: datetime64[us], MS → datetime64[us]"),
        ("x = other.set_index(['store', 'boss'])", "x = other.set_index(['boss', 'store'])", "x.index: store, boss (str, str) → boss,"),
        ("x = df['units']", "x = df['units'].rename('n')", "x: holds the same values under another name"),
        ("x = df.units.to_frame()", "x = df.units.astype(float).to_frame()", "x['units']: int64 → float64"),
        ("x = numbers", "x = numbers[:]", "x: is no longer the same object as numbers"),
        ("random.seed(1)", "random.seed(2)", "the state of random: differs afterwards"),
        ("df.to_csv('o.csv')", "df.to_csv('o.csv', index=False)", "o.csv: has different content"),
    ],
)  # fmt: skip
def test_what_differs_first_is_said(ground, old, new, said):
    assert ground.proof(old, new).summary.startswith(f"result changes: {said}")


def test_a_new_function_class_or_import_is_no_difference_but_in_the_place_of_something_else(judge):
    judge.run("values = [3, 1]\nscale = 2")
    made = "def ordered(xs):\n    return sorted(xs)\n\n\nclass Empty: ...\n\n\nimport json\nx = ordered(values)"
    judge.run("x = sorted(values)")
    assert judge.proof("x = sorted(values)", made).summary == "same result"
    assert judge.proof("x = sorted(values)", made.replace("Empty", "scale")).verdict == "differs"
    assert judge.proof("x = sorted(values)", f"{made}\ny = 1").summary == "result changes: y: is newly defined"


def test_random_numbers_that_only_an_imported_library_draws_are_no_difference(judge, tmp_path, monkeypatch):
    drawing = tmp_path / "site-packages" / "drawing.py"
    drawing.parent.mkdir()
    drawing.write_text("import random\nrandom.random()")
    monkeypatch.syspath_prepend(drawing.parent)
    judge.run("x = 1")
    assert judge.proof("x = 1", "import drawing\nx = 1").verdict == "same"
    assert judge.proof("x = 1", "import drawing, random\nrandom.seed(77)\nx = 1").verdict == "differs"
    assert judge.proof("x = 1", "def f():\n    import random\n    random.seed(77)\nf()\nx = 1").verdict == "differs"
    own = tmp_path / "own_module.py"
    own.write_text("import random\ndef draw():\n    random.random()")
    monkeypatch.syspath_prepend(tmp_path)
    judge.run("import own_module\nx = 1")
    assert judge.proof("own_module.draw()\nx = 1", "x = 1").verdict == "differs"


WARNS = "import warnings\nprint('a')\nwarnings.warn('{}', FutureWarning)\nprint('b')\nx = 1"


def test_a_warning_that_goes_is_no_difference_and_is_said_and_one_that_comes_is_one(warning, judge):
    judge.run("None")
    silent, loud, other = "print('a')\nprint('b')\nx = 1\nimport warnings", WARNS.format("old"), WARNS.format("older")
    assert judge.proof(loud, silent).summary == "same result · 1 warning less"
    assert judge.proof(silent, loud).summary.startswith("result changes: warning: FutureWarning: old is new")
    assert judge.proof(loud, other).verdict == "differs"
    assert judge.proof(loud, "\n\n" + loud).summary == "same result"


def test_what_is_printed_on_the_same_stream_as_warnings_still_counts(warning, judge):
    judge.run("None")
    said = "\nimport sys\nprint('{}', file=sys.stderr)"
    loud, silent = WARNS.format("old"), "import warnings\nprint('a\\nb')\nx = 1"
    assert judge.proof(loud + said.format(1), silent + said.format(1)).summary == "same result · 1 warning less"
    assert judge.proof(loud + said.format(1), silent + said.format(2)).verdict == "differs"


@pytest.mark.parametrize("held", ["{}", "[{}]", "{{'a': {{1: {}}}}}", "Box({})", "({}, 1)"])
@pytest.mark.parametrize(
    ("old", "new", "of"),
    [
        ("df.insert(0, 'c', 1)", "df = df.copy()\ndf.insert(0, 'c', 1)", "df"),
        ("numbers.append(5)", "numbers = [*numbers, 5]", "numbers"),
        ("a[0] = 5", "a = a.copy()\na[0] = 5", "a[:1]"),
        ("tree['x'].append(5)", "tree = {**tree, 'x': [*tree['x'], 5]}", "tree['x']"),
    ],
)
def test_what_no_text_names_and_is_changed_with_what_it_names_is_compared_too(judge, old, new, of, held):
    judge.run("import numpy as np, pandas as pd\nclass Box:\n    def __init__(self, one):\n        self.one = one")
    judge.run("df = pd.DataFrame({'a': [1, 2]})\nnumbers = [3, 1]\na = np.arange(4)\ntree = {'x': [1]}")
    judge.run(f"apart = {held.format('[3]')}\nbackup = {held.format(of)}")
    judge.run("None")
    proof = judge.proof(old, new)
    assert proof.verdict == "differs"
    assert "backup" in proof.summary


@pytest.mark.parametrize(
    ("old", "new", "agree"),
    [
        ("x = 0.1 + 0.2", "x = 0.3", 15),
        ("x = {'a': [0.1 + 0.2, None]}\nprint(x)", "x = {'a': [0.3, None]}\nprint(x)", 15),
        ("x = np.arange(4) * 0.1", "x = np.array([0, 0.1, 0.2, 0.3])", 15),
        ("df['price'] *= 1 + 1e-11\ndf", "df['price'] *= 1\ndf", 10),
        ("x = pd.Series([1.0, None]) / 3", "x = pd.Series([1.0, None]) * (1 / 3) * (1 + 1e-12)", 11),
        ("x = 1.0", "x = 1.0 + 1e-6", 0),
        ("x = 10**15", "x = 10**15 + 1", 0),
        ("x = 0.0", "x = -0.0", 0),
        ("x = 0.1 + 0.2\nprint(7)", "x = 0.3\nprint(8)", 0),
        ("x = 0.1 + 0.2\ny = 1", "x = 0.3", 0),
        ("x = [0.1 + 0.2, 'a']", "x = [0.3, 'b']", 0),
        ("x = np.float32(0.1)", "x = 0.1", 0),
        ("x = [0.1 + 0.2, float('inf')]", "x = [0.3, 1e308]", 0),
        ("x = [lambda: 0.1]", "x = [lambda: 0.10000000000000002]", 0),
        ("x = 0.1 + 0.2\nopen('f.txt', 'w').write('a')", "x = 0.3\nopen('f.txt', 'w').write('b')", 0),
    ],
)
def test_how_many_digits_agree_is_said_where_numbers_alone_differ(ground, old, new, agree):
    proof = ground.proof(old, new)
    assert (proof.verdict, proof.digits) == ("differs", agree)
    assert proof.summary.startswith(f"differs only after {agree} digits: " if agree else "result changes: ")


def test_nothing_of_it_reaches_the_kernel_or_the_folder(ground, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ground.proof("numbers.append(1)\nopen('f.txt', 'w').write('x')", "numbers.append(2)\nopen('f.txt', 'w').write('y')")
    assert ground.shell.user_ns["numbers"] == [3, 1, 2, 2, 5, 4]
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_written_is_read_back_and_appended_to(judge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    judge.run("None")
    (tmp_path / "log.txt").write_text("first\n")
    append = "with open('log.txt', 'a') as f: f.write('second\\n')\ndel f\nsaid = open('log.txt').read()"
    whole = "with open('log.txt', 'w') as f: f.write('first\\nsecond\\n')\ndel f\nsaid = open('log.txt').read()"
    assert judge.proof(append, whole).verdict == "same"
    assert (tmp_path / "log.txt").read_text() == "first\n"


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("r = np.random.default_rng().random()", "default_rng"),
        ("import uuid\nr = str(uuid.uuid4())", "uuid4"),
        ("g = (n for n in numbers)", "g (generator)"),
        ("import threading\nlock = threading.Lock()", "lock (lock)"),
        ("def f(x): return x + 1", ""),
    ],
)
def test_what_cannot_be_compared_is_named_and_not_guessed(ground, source, named):
    proof = ground.proof(source, source + "\n" if named else source.replace("x + 1", "1 + x"))
    assert proof.verdict == "unclear"
    assert named in " ".join(proof.unclear)


def test_time_that_passes_is_no_difference_but_is_named(ground):
    proof = ground.proof("import time\nnow = time.time()", "import time\nnow = time.time() + 0")
    assert proof.verdict == "unclear"
    assert "`now` gives a different result each time." in proof.unclear


def test_an_object_whose_words_hold_its_address_is_the_same(ground):
    assert ground.proof("print(object.__new__(Point))", "print(Point.__new__(Point))").verdict == "same"


def test_what_a_copy_refuses_is_named(ground):
    source = "import socket\nsocket.create_connection(('192.0.2.1', 9))"
    proof = ground.proof(source, source + "\nx = 1")
    assert proof.verdict == "unclear"
    assert "network" in proof.unclear[0]


def test_both_begin_with_the_same_random_numbers(ground):
    assert (
        ground.proof("x = random.random(), np.random.rand()", "x = (random.random(), np.random.rand())").verdict
        == "same"
    )


def test_how_long_each_took_is_told(ground):
    proof = ground.proof("import time\ntime.sleep(1.5)", "import time")
    assert proof.seconds_before >= 1.5
    assert 0 < proof.seconds < proof.seconds_before  # however busy the machine is
    assert " s →" in proof.summary


def test_cells_below_that_read_what_differs_are_listed(judge):
    judge.run("total = 1", cell_id="a")
    judge.run("print(total)", cell_id="b")
    judge.run("other = 2", cell_id="c")
    kept = judge.kept.before("a", "")
    proof, _ = ProofRun(
        kept, ["total = 1"], ["total = 2"], limits=Limits(), named=(), receive=lambda message: None, runs=judge.kept.runs
    ).run()  # fmt: skip
    assert proof.below == ("b",)
    assert "1 cell below uses `total`: %spark rerun" in proof.summary


def test_a_text_that_never_ends_is_no_proof_and_leaves_nothing(judge):
    judge.run("x = 1")
    endless = "while True: __import__('time').sleep(0.01)"
    with nothing_left():
        proof, _ = ProofRun(
            judge.kept.last_run()[1], ["x = 2"], [endless], limits=Limits(seconds=0.5), named=(), receive=lambda message: None
        ).run()  # fmt: skip
    assert proof is None or proof.verdict != "same"


def test_what_a_copy_forges_is_bounded_and_no_same_result(judge):
    judge.run("x = 1")
    forged = (
        "import os, msgspec, struct\n"
        "for fd in range(3, 64):\n"
        "    try: os.write(fd, struct.pack('>I', 1 << 30))\n"
        "    except OSError: pass\n"
    )
    proof_run = ProofRun(
        judge.kept.last_run()[1], ["x = 2"], [forged], limits=Limits(), named=(), receive=lambda message: None
    )
    proof, problem = proof_run.run()
    assert proof is None
    assert "unreadable" in problem or "ended" in problem


# --- libraries -----------------------------------------------------------------------------------------------------------


def test_a_line_of_ipython_hides_nothing_of_its_cell():
    assert random_calls("%matplotlib inline\nrng = default_rng()") == [
        "`default_rng` gives a different result each time."
    ]
    assert clock_in("!ls\nx = datetime.now()")
    assert named_in("%time y = x") >= {"y", "x"}
    assert named_in("z = (a\n     % b)") == {"z", "a", "b"}


class Once:
    """A checkpoint of which one copy can be made, and no other."""

    def __init__(self, checkpoint) -> None:
        self._checkpoint, self._used = checkpoint, False

    def begin(self, *asked):
        if self._used:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        self._used = True
        return self._checkpoint.begin(*asked)


def test_where_no_second_copy_can_be_made_that_is_said_and_the_first_one_ends(judge, monkeypatch):
    judge.run("x = 1", cell_id="c1")
    _, kept = judge.kept.last_run()
    trials = KernelTrials(judge.shell, checkpoints=judge.kept)
    once = structs.replace(kept, checkpoint=Once(kept.checkpoint))
    monkeypatch.setattr(judge.kept, "before", lambda cell_id, source: once)
    edit = TryProposal(turn_id="t1", cell_id="c1", source="x = 2", source_hash="", allow=(), base="x = 1")
    try:
        with pytest.raises(SessionError, match=r"could not be copied \(Resource temporarily unavailable\)"):
            trials.rerun(edit)
        until_ended("spark-proof")
    finally:
        trials.close()


def test_of_a_new_cell_nothing_below_can_be_run_behind_its_old_text(judge):
    judge.run("x = 1", cell_id="c1")
    trials = KernelTrials(judge.shell, checkpoints=judge.kept)
    new = TryProposal(turn_id="t1", cell_id="c9", source="y = x", source_hash="", allow=(), base="")
    try:
        with pytest.raises(SessionError, match="is a new cell, so no cell below depends on it") as caught:
            trials.rerun(new)
        assert "Run the cell again" not in caught.value.remedy
    finally:
        trials.close()


def test_an_edit_that_was_tried_is_not_proven_again_when_the_cells_below_are_run_behind_it(judge, monkeypatch):
    judge.run("x = 1", cell_id="c1")
    judge.run("y = x + 1", cell_id="c2")
    trials = KernelTrials(judge.shell, checkpoints=judge.kept)
    edit = TryProposal(turn_id="t1", cell_id="c1", source="x = 2", source_hash="", allow=(), base="x = 1")
    proven = []
    run = ProofRun.run
    monkeypatch.setattr(ProofRun, "run", lambda proof_run: proven.append(proof_run) or run(proof_run))
    try:
        assert asyncio.run(trials.try_proposal(edit)).proof.below == ("c2",)
        assert "y: 2 → 3" in [f"{one.name}: {one.detail}" for one in trials.rerun(edit).differences]
        assert len(proven) == 2
        judge.run("z = x", cell_id="c3")
        assert trials.rerun(edit).below == ("c2", "c3")
        assert len(proven) == 4
    finally:
        trials.close()


def test_an_edit_that_fits_what_ran_anew_above_is_tried_in_the_kernel_as_it_is(judge):
    judge.run("row = {'Long name': 1}", cell_id="read")
    judge.run("print(row['Long name'])", cell_id="use")
    trials = KernelTrials(judge.shell, checkpoints=judge.kept)
    edit = TryProposal(
        turn_id="t", cell_id="use", source="print(row['a'])", source_hash="", allow=(), base="print(row['Long name'])"
    )
    try:
        assert "KeyError" in asyncio.run(trials.try_proposal(edit)).error
        judge.run("other = 1", cell_id="below")
        assert "KeyError" in asyncio.run(trials.try_proposal(edit)).error
        judge.run("row = {'a': 1}", cell_id="read")
        assert asyncio.run(trials.try_proposal(edit)).error == ""
        wrong = structs.replace(edit, source="print(row['b'])")
        assert "KeyError: 'b'" in asyncio.run(trials.try_proposal(wrong)).error
        notebook = (("read", "row = {'a': 1}"), ("use", edit.base), ("below", "other = 1"))
        answer = TryAnswer(owner=TurnOwner("t"), ids=("use",), cells=(edit.source,), notebook=notebook)
        trial = asyncio.run(trials.try_answer(answer))
        assert [one.error for one in trial.results] == [""]
        assert "run again since" in trial.began
    finally:
        trials.close()


def test_polars_tables_are_compared_by_value(request, judge, tmp_path):
    if ran_alone(request, tmp_path, "polars"):
        return
    judge.run("import polars as pl\nt = pl.DataFrame({'n': [1, 2, None], 's': ['a', 'b', 'c']})")
    judge.run("None")
    same = judge.proof("u = t.with_columns(pl.col('n') * 2)", "u = t.with_columns(n=pl.col('n') + pl.col('n'))")
    assert same.verdict == "same"
    differs = judge.proof("u = t.with_columns(pl.col('n') * 2)", "u = t.with_columns(pl.col('n').fill_null(0) * 2)")
    assert differs.summary.startswith("result changes: u['n']: 1 row differs, first at row 2 (None → 0)")


def test_models_are_compared_by_what_they_learnt(judge):
    pytest.importorskip("sklearn")
    judge.run(
        "import numpy as np\nfrom sklearn.linear_model import LinearRegression\nfrom sklearn.tree import DecisionTreeRegressor\n"
        "X = np.arange(20.0).reshape(-1, 2)\ny = X.sum(axis=1) ** 2"
    )
    judge.run("None")
    assert judge.proof("m = LinearRegression().fit(X, y)", "m = LinearRegression()\nm = m.fit(X, y)").verdict == "same"
    tree = "t = DecisionTreeRegressor(random_state=0).fit(X, y)"
    assert judge.proof(tree, tree.replace(".fit", "\\\n.fit")).verdict == "same"
    assert judge.proof(tree, tree.replace("=0)", "=0, max_depth=1)")).verdict == "differs"
    assert judge.proof(tree, tree.replace("fit(X", "fit(X[::-1]")).verdict == "differs"


def test_figures_are_compared_by_what_they_show(judge):
    pytest.importorskip("matplotlib")
    judge.run("import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt")
    judge.run("None")
    line = "fig, ax = plt.subplots()\nax.plot([1, 2])"
    assert judge.proof(line + ";", "fig, ax = plt.subplots()\n_ = ax.plot([1, 2])").verdict == "same"
    assert judge.proof(line + ";", "fig, ax = plt.subplots()\n_ = ax.plot([1, 3])").verdict == "differs"


def test_a_figure_of_a_terminal_is_shown_once_however_much_the_copy_is_asked(judge):
    pytest.importorskip("matplotlib")
    judge.run(
        "import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt\nplt.close('all')"
    )  # other tests'
    judge.run("None")
    shown: list[object] = []
    _, kept = judge.kept.last_run()
    draw = ["lines = plt.plot([1, 2])"]
    proof, _ = ProofRun(kept, draw, [f"{draw[0]}\n"], limits=Limits(), named=(), receive=shown.append).run()
    assert proof.verdict == "same"
    assert len([one for one in shown if isinstance(one, Wrote) and "image/png" in one.output.data]) == 1


def test_tensors_are_compared_by_value(judge):
    pytest.importorskip("torch")
    judge.run("import torch\nt = torch.arange(4.0)")
    judge.run("None")
    assert judge.proof("u = t * 2", "u = t + t").verdict == "same"
    assert judge.proof("u = t * 2", "u = t * 2.5").verdict == "differs"


def test_what_lives_in_the_kernel_alone_disturbs_no_proof(judge, tmp_path):
    judge.run(
        "import asyncio, threading, time\n"
        f"file = open({str(tmp_path / 'log')!r}, 'w')\n"
        "thread = threading.Thread(target=time.sleep, args=(30,), daemon=True)\nthread.start()\n"
        "gen = (n for n in range(3))\n"
        "loop = asyncio.new_event_loop()\n"
        "task = loop.create_task(asyncio.sleep(0))"
    )
    judge.run("None")
    assert judge.proof("x = 1", "x = 2 - 1").verdict == "same"
    assert judge.proof("x = file.write('one')", "x = file.write('two') * 1").verdict == "same"
    assert "gen (generator)" in " ".join(judge.proof("x = next(gen)", "x = next(gen) + 0").unclear)
    judge.run("task.cancel()\nloop.run_until_complete(asyncio.sleep(0))\nloop.close()\nfile.close()")
