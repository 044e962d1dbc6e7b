"""Rehearsals in real copies: statement by statement, as IPython would run the whole cell."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterator

import pytest

from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Finding
from spark_jupyter.sandbox import Limits
from spark_jupyter.sandbox.copy_protocol import INTERRUPTIBLE
from spark_jupyter.sandbox.rehearsal import Rehearsals
from spark_jupyter.session.rehearsal_feed import (
    AwaitRehearsal,
    BeginRehearsal,
    EndRehearsal,
    FinishRehearsal,
    RehearsalFeed,
    Rehearsed,
)
from spark_jupyter.session.unrun_cells import UnrunNames

from .leavings import nothing_left

SECONDS = 20.0
"""So long a test waits for what must come; usually it takes a tenth of one."""


PATIENT = {"statement": SECONDS, "seconds": 3 * SECONDS}
"""What is not about being late is not late on a busy machine either."""


class RehearsedCells:
    """A rehearsal of cells that are written by hand."""

    def __init__(self, bench, **limits: float) -> None:
        self.bench = bench
        self.rehearsals = Rehearsals(bench.shell, bench.trials, limits=Limits(**PATIENT | limits))
        self.plan = RehearsalFeed("t", 0, mode="stream", unrun=UnrunNames(()))
        self.said: queue.Queue[Rehearsed] = queue.Queue()
        self.all: list[Rehearsed] = []

    def act(self) -> None:
        for action in self.plan.actions_to_take():
            self.rehearsals.act(action, self.said.put)

    def write(self, source: str, cell_id: str = "c1") -> None:
        self.plan.open(cell_id, "")
        self.plan.write(cell_id, source)
        self.act()

    def end(self, source: str, cell_id: str = "c1") -> None:
        self.plan.close(cell_id, source)
        self.act()

    def cell(self, source: str, cell_id: str = "c1") -> None:
        self.write(source, cell_id)
        self.end(source, cell_id)

    def until(self, condition) -> Rehearsed:
        while True:
            rehearsed = self.said.get(timeout=SECONDS)
            self.all.append(rehearsed)
            if condition(rehearsed):
                return rehearsed

    def result(self, cell_id: str = "c1") -> TrialResult:
        found = self.until(lambda one: one.result is not None and one.cell_id == cell_id).result
        assert found is not None
        return found

    def tried(self, source: str) -> TrialResult:
        """What rehearsing one cell shows."""
        self.cell(source)
        self.plan.finish()
        self.act()
        return self.result()

    def finding(self, source: str) -> Finding | None:
        """What is wrong with a cell."""
        self.tried(source)
        return next((one.finding for one in self.all if one.finding is not None), None)


@pytest.fixture
def stage(bench) -> Iterator[RehearsedCells]:
    made = RehearsedCells(bench)
    yield made
    made.rehearsals.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "spark-rehearsal"]


def text(result: TrialResult) -> str:
    return "".join(output.text or output.data.get("text/plain", "") for output in result.outputs)


def test_a_whole_cell_is_the_same_as_when_it_is_tried(bench, stage):
    bench.given("numbers, gone = [1, 2], 'x'")
    source = "total = sum(numbers)\nnumbers\nnumbers.append(4)\nprint('so far', total)\ndel gone\ntotal * 2"
    tried, rehearsed = bench.attempt(source), stage.tried(source)
    assert not rehearsed.error
    assert rehearsed.effects == tried.effects
    assert [(one.kind, one.text, one.data) for one in rehearsed.outputs] == [
        (one.kind, one.text, one.data) for one in tried.outputs
    ]
    assert rehearsed.source_hash == tried.source_hash == content_hash(source)
    assert rehearsed.rehearsed
    assert rehearsed.summary.startswith("ran in a copy in ")
    assert rehearsed.summary.endswith(": 1 new variable, 1 changed variable, 1 deleted variable")
    assert bench.shell.user_ns["numbers"] == [1, 2]


def test_only_the_last_statements_result_is_shown_and_a_semicolon_hides_it(stage):
    assert text(stage.tried("1 + 1\n2 + 2\n3 + 3")) == "6"


def test_a_semicolon_hides_the_result(stage):
    assert text(stage.tried("1 + 1\n2 + 2;")) == ""


def test_the_cells_of_an_answer_share_a_copy_and_each_has_its_own_effects(stage):
    stage.cell("first = [1]", "c1")
    stage.cell("second = first + [2]\nfirst.append(3)", "c2")
    assert [(one.action, one.name) for one in stage.result("c1").effects] == [("new", "first")]
    assert [(one.action, one.name) for one in stage.result("c2").effects] == [("new", "second"), ("changed", "first")]


def test_async_cells_magics_decorators_and_functions_of_several_lines_run(stage):
    source = (
        "import asyncio, functools\n\n@functools.cache\ndef double(x):\n    return 2 * x\n\n"
        "async def later():\n    await asyncio.sleep(0)\n    return double(21)\n\nfound = await later()\n"
        "%time found\nfor n in range(2):\n    print(n)\nelse:\n    print('end')\nimport inspect\ninspect.getsource(double)"
    )
    result = stage.tried(source)
    assert not result.error
    assert "found int 42" in str([(one.name + " " + one.after) for one in result.effects])
    assert "0\n1\nend" in text(result)
    assert "return 2 * x" in text(result)


def test_a_cell_magic_takes_the_whole_cell(stage):
    result = stage.tried("%%capture held\nprint('hidden')\n1 + 1")
    assert not result.error
    assert "held" in [effect.name for effect in result.effects]


INVENTED = [
    ("import math\nmath.squareroot(4)", "missing-attribute", 2, ""),
    ("text = 'a'\ntext.uppper()", "missing-attribute", 2, "`upper`"),
    ("number = 5\nprint(numbr)", "undefined-name", 2, "`number`"),
    ("import no_such_module_anywhere", "missing-module", 1, "pip install"),
    ("from json import dumpz", "missing-attribute", 1, "`dump"),
    ("def draw(*, colour):\n    pass\n\ndraw(color=1)", "unknown-keyword", 4, "`colour`"),
    ("def draw(a, b):\n    pass\n\ndraw(1)", "wrong-arguments", 4, "draw(a, b)"),
    ("def f():\n    return missing_one\n\nf()", "undefined-name", 2, ""),
    ("import json\njson()", "wrong-call", 2, ""),
    ("x = [\n    1,\n    nothing_here,\n]", "undefined-name", 3, ""),
]


@pytest.mark.parametrize(("source", "rule", "line", "remedy"), INVENTED)
def test_what_does_not_exist_is_found_at_its_line(stage, source, rule, line, remedy):
    found = stage.finding(source)
    assert found is not None
    assert (found.rule, found.line, found.origin, found.severity) == (rule, line, "rehearsal", "block")
    assert remedy in found.remedy
    assert "Error" in found.raised
    assert found.raised.partition(": ")[2] not in found.message


PANDAS = [
    ("frame['sale']", "missing-column", "`sales`"),
    ("frame.groupby('regio')['sales'].sum()", "missing-column", "`region`"),
    ("frame.set_index('salles')", "missing-column", "`sales`"),
    ("frame.sort_values('regin')", "missing-column", "`region`"),
    ("frame.query('nosuch > 1')", "undefined-name", ""),
    ("frame.group_by('region')", "missing-attribute", "`groupby`"),
    ("frame.sort_values('sales', ascend=True)", "unknown-keyword", "`ascending`"),
    (
        "getattr(frame, 'sort_' + 'valuez')('sales')",
        None,
        "",
    ),  # raised in the library, about what the text does not name
]


@pytest.mark.parametrize(("source", "rule", "remedy"), PANDAS)
def test_a_tables_columns_methods_and_keywords_are_named(bench, stage, source, rule, remedy):
    pytest.importorskip("pandas")
    bench.given("import pandas as pd\nframe = pd.DataFrame({'region': ['a', 'b'], 'sales': [1, 2]})")
    found = stage.finding(f"x = 1\n{source}")
    assert (found.rule if found else None) == rule
    assert found is None or (found.line == 2 and remedy in found.remedy)


HARMLESS = [
    "1 / 0",
    "int('x')",
    "[][3]",
    "{}['k']",
    "open('/no/such/file')",
    "open('written-by-a-rehearsal.txt', 'w')",
    "import socket\nsocket.create_connection(('127.0.0.1', 9))",
    "import subprocess\nsubprocess.run(['ls'])",
    "!ls",
    "input('Who? ')",
    "from urllib.request import urlopen\ntry:\n    page = urlopen('http://peer.invalid')\nexcept OSError:\n    page = 1\npage.text",
    "try:\n    open('x', 'w')\nexcept OSError:\n    found = None\nfound.name",
    "def f():\n    return 1",
    "older()",
    "assert False",
    "import sys\nsys.exit()",
    "def deep(n):\n    return deep(n + 1)\n\ndeep(0)",
]


@pytest.mark.parametrize("source", HARMLESS)
def test_what_is_not_the_codes_own_fault_is_shown_and_does_not_cut(bench, stage, source):
    bench.given("def older():\n    return not_defined_here")
    assert stage.finding(source) is None
    assert not os.path.exists("written-by-a-rehearsal.txt")


def test_behind_a_statement_that_fails_nothing_is_run_and_the_cell_says_so(stage):
    stage.cell("a = 1\n1 / 0\nb = 2", "c1")
    stage.cell("c = b", "c2")
    result = stage.result("c1")
    assert result.error.startswith("ZeroDivisionError")
    assert result.error_line == 2
    assert [effect.name for effect in result.effects] == ["a"]
    assert "1 / 0" in text(result)
    stage.rehearsals.act(AwaitRehearsal(rehearsal_id="t/0"), stage.said.put)
    assert stage.until(lambda one: one.late).result is None
    assert not [one for one in stage.all if one.cell_id == "c2"]


def test_an_error_in_a_cell_before_is_told_there(stage):
    stage.cell("def f(x):\n    return x.nothing", "c1")
    stage.cell("f(1)", "c2")
    found = stage.until(lambda one: one.finding is not None)
    assert (found.cell_id, found.finding.line) == ("c1", 2)


@pytest.mark.parametrize(
    "source",
    ["import time\ntime.sleep(1.5)\nprint('at last')", "x = 1\nif x: (\nprint('at last')", "print('at last'"],
)
def test_what_takes_its_time_or_can_not_be_read_is_left_to_the_end(bench, source):
    stage = RehearsedCells(bench, statement=0.3, seconds=20)
    try:
        result = stage.tried(source)
        assert any(one.late and one.result is None for one in stage.all), "nobody is to wait for it"
        if "sleep" in source:
            assert "at last" in text(result)
        else:
            assert result.error.startswith("SyntaxError")
    finally:
        stage.rehearsals.close()


def test_an_error_that_is_long_in_the_showing_is_shown_all_the_same(bench):
    stage = RehearsedCells(bench, statement=0.3, seconds=20)
    source = (
        "import time\nclass Slow(Exception):\n    def _render_traceback_(self):\n        time.sleep(1)\n"
        "        return ['shown at last']\n\nraise Slow"
    )
    try:
        result = stage.tried(source)
        assert result.error == "Slow"
        assert "shown at last" in text(result)
    finally:
        stage.rehearsals.close()


def test_what_never_ends_is_ended(bench):
    stage = RehearsedCells(bench, statement=0.2, seconds=4)
    try:
        result = stage.tried("n = 0\nwhile True:\n    n += 1")
        if INTERRUPTIBLE:
            assert "time was up" in result.error
            assert result.error_line in (2, 3)
        else:
            assert "takes more than" in result.problem
    finally:
        stage.rehearsals.close()


def test_a_cell_that_would_end_the_kernel_is_the_one_with_the_problem(stage):
    result = stage.tried("import os\nx = 1\nos._exit(3)")
    assert "exit status 3" in result.problem


def test_while_the_kernel_runs_a_cell_nothing_is_judged_and_it_is_said(bench, monkeypatch):
    stage = RehearsedCells(bench, statement=SECONDS)  # on a busy machine, too, the first copy is the only one
    copied = note_forks(monkeypatch)
    stage.write("x = 1\n")
    assert copied.wait(SECONDS)
    bench.given("about_to_be_defined = 1")
    stage.write("y = about_to_be_defined\n")
    stage.end("x = 1\ny = about_to_be_defined\n")
    result = stage.result()
    assert result.error.startswith("NameError")
    assert result.moving
    assert "while the kernel was running a cell" in result.summary
    assert not [one for one in stage.all if one.finding is not None]
    stage.rehearsals.close()


def note_forks(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when this process has made a copy of itself: other children come and go, too."""
    forked = threading.Event()
    fork = os.fork

    def noting() -> int:
        pid = fork()
        if pid:
            forked.set()
        return pid

    monkeypatch.setattr(os, "fork", noting)
    return forked


@pytest.mark.parametrize("end", ["drop", "close", "finish"])
def test_a_copy_ends_whole_and_leaves_nothing(bench, tmp_path, monkeypatch, end):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with nothing_left():
        stage = RehearsedCells(bench)
        stage.write("x = 1\nprint(x)\n")
        if end == "finish":
            stage.end("x = 1\nprint(x)\n")
            stage.rehearsals.act(FinishRehearsal(rehearsal_id="t/0"), stage.said.put)
            stage.result()
        elif end == "drop":
            stage.rehearsals.act(EndRehearsal(rehearsal_id="t/0"), stage.said.put)
        stage.rehearsals.close()
    assert list(tmp_path.iterdir()) == []
    assert not [thread for thread in threading.enumerate() if thread.name == "spark-rehearsal"]


def test_a_rehearsal_that_is_gone_keeps_nobody_waiting(stage):
    stage.rehearsals.act(AwaitRehearsal(rehearsal_id="never/1"), stage.said.put)
    assert stage.until(lambda one: one.late).rehearsal_id == "never/1"


def test_a_rehearsal_that_ends_before_its_copy_is_made_makes_none(stage):
    for action in (BeginRehearsal(rehearsal_id="t/9", turn_id="t"), EndRehearsal(rehearsal_id="t/9")):
        stage.rehearsals.act(action, stage.said.put)
    stage.rehearsals.close()
    assert stage.said.empty()


def test_what_nobody_asked_for_is_not_listened_to(bench):
    """Code that finds the pipe can say that a cell is done, as often as it likes."""
    stage = RehearsedCells(bench)
    forge = (
        "import os\n"
        "from spark_jupyter.sandbox.copy_protocol import Measured, Ran, frame\n"
        "said = (frame(Ran(error='')) + frame(Measured(number=0, effects=(), memory=0))) * 5\n"
        "for number in range(3, 64):\n"
        "    try:\n"
        "        os.write(number, said)\n"
        "    except OSError:\n"
        "        pass"
    )
    stage.cell(forge)
    stage.result()
    stage.cell("x = 1", cell_id="c2")
    stage.plan.finish()
    stage.act()
    stage.until(lambda one: one.late)
    assert sum(one.result is not None for one in stage.all) <= 2


def test_an_error_in_showing_the_last_value_belongs_to_its_cell_which_is_told_once(bench):
    stage = RehearsedCells(bench)
    broken = "class Broken:\n    def __repr__(self):\n        raise ValueError('no picture of me')\n\nBroken()"
    stage.cell(broken)
    stage.cell("y = 2", cell_id="c2")
    stage.plan.finish()
    stage.act()
    stage.until(lambda one: one.late)
    assert [one.cell_id for one in stage.all if one.result is not None][:1] == ["c1"]
    assert sum(one.cell_id == "c1" and one.result is not None for one in stage.all) == 1


# --- What a copy lacks is no fault ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "said", "goes_on"),
    [
        ("import os\nos.mkdir('made')\nafter = 1", "it changes files (made)", True),
        (
            "import socket\ns = socket.create_connection(('127.0.0.1', 9))\nafter = 1",
            "it uses the network (127.0.0.1:9)",
            True,
        ),
        ("import socket\ns = socket.socket(); s.bind(('127.0.0.1', 0))\nafter = 1", "", True),
        (
            "import urllib.request\nx = urllib.request.urlopen('http://localhost:9')\nafter = 1",
            "it uses the network",
            True,
        ),
        ("import subprocess\nx = subprocess.run(['ls'])\nafter = 1", "it starts or stops processes (ls)", True),
        ("import os\nx = os.fork()\nafter = 1", "it starts or stops processes", True),
        (
            "from multiprocessing import Process\np = Process(target=print)\np.start()\nafter = 1",
            "it starts or stops",
            True,
        ),
        (
            "from multiprocessing.shared_memory import SharedMemory\nm = SharedMemory(create=True, size=9)\nafter = 1",
            "it changes files",
            True,
        ),
        ("name = input('City: ')\nafter = 1", "it asks a person for input", True),
        ("import time\ntime.sleep(9)\nafter = 1", "it takes more than 1.5 s", True),
        (
            "import sqlite3\nc = sqlite3.connect('a.db')\nc.execute('create table t (x)')\nafter = 1",
            "it changes files",
            True,
        ),
        ("x = bytearray(1 << 50)\nafter = 1", "it needs more memory than a copy may use", True),
        ("!pip install nowhere_to_be_found\nimport nowhere_to_be_found\nafter = 1", "it installs packages", True),
        (
            "%pip install nowhere_to_be_found\nimport nowhere_to_be_found as n\ny = n.f()\nafter = 1",
            "it installs packages",
            True,
        ),
        ("%%bash\nls", "it starts or stops processes", False),
    ],
)
def test_a_limit_of_the_copy_is_no_fault_and_what_does_not_need_it_runs(
    bench, tmp_path, monkeypatch, source, said, goes_on
):
    monkeypatch.chdir(tmp_path)
    stage = RehearsedCells(bench, statement=1.0, seconds=1.5)
    try:
        rehearsed = stage.tried(source)
        assert not [one.finding for one in stage.all if one.finding is not None]
    finally:
        stage.rehearsals.close()
    for result in (rehearsed, bench.attempt(source, seconds=1.5)):
        if not said and not result.refused:  # nothing is refused there
            continue
        assert result.refused, result
        assert said in result.not_tried
        assert result.summary.startswith(f"not tried: {result.not_tried}")
        assert not result.surprises
        assert not [one for one in result.outputs if one.kind == "error"]
    made = {effect.name for effect in rehearsed.effects if effect.kind == "variable"}
    assert ("after" in made) == goes_on


def test_a_lock_that_nobody_gives_is_a_limit(bench):
    result = bench.attempt("import threading\nlock = threading.Lock(); lock.acquire()\nlock.acquire()")
    assert result.refused
    assert result.not_tried == "it waits for a lock or a thread that a copy does not have"
    assert result.summary == f"not tried: {result.not_tried}"


def test_a_cell_below_runs_where_it_does_not_need_what_was_refused(stage):
    stage.cell("import socket\nrows = socket.gethostbyname('example.com')", "a")
    stage.cell("count = len(rows)", "b")
    stage.cell("other = [1, 2]", "c")
    stage.cell("count + len(other)\nthird = 1 / 0", "d")
    stage.plan.finish()
    stage.act()
    refused, needs, free, fails = (stage.result(name) for name in "abcd")
    assert "it uses the network" in refused.not_tried
    assert needs.refused
    assert "goes on without" in needs.not_tried
    assert not free.not_tried
    assert not free.error
    assert fails.error.startswith("ZeroDivisionError")
    assert not fails.refused


def test_a_failure_behind_a_limit_that_has_nothing_to_do_with_it_is_one(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = bench.attempt("import os\nos.mkdir('made')\nnumbers = [1]\nnumbers[4]")
    assert result.error.startswith("IndexError")
    assert result.error_line == 4
    assert not result.refused


# --- A finding names the cause ------------------------------------------------------------------------------------------------

_CHURN = "import pandas as pd\ndf = pd.DataFrame({'tenure': [1, 2], 'monthly_charges': [1.0, 2.0], 'churn': [0, 1]})"


def test_a_column_that_is_named_above_is_found_there(bench, stage):
    pytest.importorskip("pandas")
    bench.given(_CHURN)
    finding = stage.finding(
        "cols = ['tenure', 'MonthlyCharges']\nn = len(cols)\nsummary = df.groupby('churn')[cols].mean()"
    )
    assert finding is not None
    assert (finding.rule, finding.line, finding.cause) == ("missing-column", 3, 1)
    assert "`MonthlyCharges`" in finding.message
    assert "line 1" in finding.message
    assert "monthly_charges" in finding.remedy


def test_a_column_that_seaborn_does_not_find_is_missing(bench, stage):
    pytest.importorskip("seaborn")
    bench.given(_CHURN + "\nimport seaborn as sns")
    finding = stage.finding("cols = ['tenure', 'MonthlyCharges']\nfor col in cols:\n    sns.histplot(data=df, x=col)")
    assert finding is not None
    assert (finding.rule, finding.line, finding.cause) == ("missing-column", 3, 1)
    assert "monthly_charges" in finding.remedy


def test_the_columns_of_a_file_that_the_cell_reads_are_told(bench, stage, tmp_path, monkeypatch):
    pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sensors.csv").write_text("ts,sensor,temp\n2024-01-01,s0,1.5\n")
    bench.given("import polars as pl")
    finding = stage.finding(
        "sensors = (\n    pl.read_csv('sensors.csv')\n    .with_columns(pl.col('timestamp').str.to_datetime())\n)"
    )
    assert finding is not None
    assert finding.rule == "missing-column"
    assert "`timestamp`" in finding.message
    for column in ("ts", "sensor", "temp"):
        assert column in finding.remedy


def test_a_column_in_the_text_of_a_query_is_told(bench, stage):
    pytest.importorskip("duckdb")
    bench.given(_CHURN + "\nimport duckdb")
    finding = stage.finding("duckdb.sql('select MonthlyCharges from df').fetchall()")
    assert finding is not None
    assert "`MonthlyCharges`" in finding.message
    assert "monthly_charges" in finding.remedy


def test_a_frequency_that_has_another_name_now_is_told_by_its_new_name(bench, stage):
    pandas = pytest.importorskip("pandas", minversion="3")
    bench.given("import pandas as pd\ns = pd.Series([1.0, 2.0], index=pd.to_datetime(['2024-01-01', '2024-02-01']))")
    finding = stage.finding("monthly = s.resample('M').sum()")
    assert finding is not None
    assert finding.rule == "unknown-value"
    assert finding.remedy == f"pandas {pandas.__version__} says `ME` for `M`."


# --- Errors behind a refusal that the code coped with ------------------------------------------------------------------------

_COPED = (
    "import urllib.request\ntry:\n    text = urllib.request.urlopen('http://example.com', timeout=1).read().decode()\n"
    "except Exception:\n    text = ''\nrows = text.split()"
)


@pytest.mark.parametrize(
    ("below", "explained"),
    [
        ("1 / 0", False),
        ("undefined_name", False),
        ("numbers = [1]\nnumbers[4]", False),
        ("rows[0]", True),
        ("first = rows\nfirst[0]", True),
        ("def head():\n    return rows[0]\nhead()", True),
        ("open('made-by-the-download.txt')", True),
        ("rows = ['a']\nrows[7]", False),
    ],
)
def test_only_what_follows_from_a_refusal_is_excused_by_it(bench, below, explained):
    stage = RehearsedCells(bench, statement=5.0, seconds=20)
    try:
        stage.cell(_COPED, "a")
        stage.cell(below, "b")
        stage.plan.finish()
        stage.act()
        assert not stage.result("a").error
        rehearsed = stage.result("b")
    finally:
        stage.rehearsals.close()
    for result in (rehearsed, bench.attempt(f"{_COPED}\n{below}")):
        assert bool(result.not_tried) == explained, result
        assert result.error
        assert result.refused == explained


def test_a_library_that_copes_by_itself_explains_its_own_errors_later(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fetcher.py").write_text(
        "import urllib.request\n_data = {}\n\ndef download():\n    try:\n"
        "        _data['x'] = urllib.request.urlopen('http://example.com', timeout=1)\n    except OSError:\n        return False\n\n"
        "def load(name):\n    return _data[name]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    bench.given("import fetcher\nfrom fetcher import load")
    assert bench.attempt("fetcher.download()\nload('x')").not_tried
    assert bench.attempt("fetcher.download()\n{}['x']").error.startswith("KeyError")
