"""Limits of a copy are no faults: rehearsals in real copies."""

from __future__ import annotations

import pytest

from tests.sandbox.rehearsed import RehearsedCells

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
    limits = {"statement": 1.0, "seconds": 1.5} if "sleep" in source else {}  # nothing else is about being late
    stage = RehearsedCells(bench, **limits)
    try:
        rehearsed = stage.tried(source)
        assert not [one.finding for one in stage.all if one.finding is not None]
    finally:
        stage.rehearsals.close()
    for result in (rehearsed, bench.attempt(source, seconds=limits.get("seconds", 60.0))):
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
    assert "it continues after" in needs.not_tried
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


@pytest.mark.parametrize(
    "source",
    ["open('made.txt', 'w').write('x')\nopen('made.txt').read()", "import os\nos.mkdir('made')\nos.listdir('made')"],
)
def test_a_file_that_a_copy_may_not_write_is_not_missed_by_the_code_below(stage, source):
    stage.cell(source, "a")
    stage.plan.finish()
    stage.act()
    result = stage.result("a")
    assert result.refused
    assert result.summary.startswith("not tried: it changes files (made")


@pytest.mark.parametrize(
    ("source", "explained"),
    [
        ("import os, glob\nos.mkdir('made')\nfiles = glob.glob('made/*')\nfiles[0]", True),
        ("from pathlib import Path\nfolder = Path('made')\nfolder.mkdir()\nassert folder.exists()", True),
        (
            "def save(name):\n    open(f'out/{name}.txt', 'w')\nsave('a')\n[*__import__('pathlib').Path('out').iterdir()][0]",
            True,
        ),
        (
            "from pyarrow import dataset as ds, table\nds.write_dataset(table({'a': [1]}), 'x', format='csv')\nds.dataset('x')",
            True,
        ),
        (
            "import duckdb\nduckdb.sql(\"COPY (SELECT 1) TO 'made1.csv'\")\nduckdb.sql(\"FROM 'made*.csv'\").fetchall()",
            True,
        ),
        (
            "import subprocess\nsubprocess.run(['touch', 'made.csv'])\nimport duckdb\nduckdb.sql(\"FROM 'made.csv'\")",
            True,
        ),
        ("open('out/made.txt', 'w').write('x')\nrow = {'a': 1}\nrow['w']", False),
        ("import os\nos.mkdir('made')\nfrom glob import glob\nglob('other/*')[0]", False),
        (
            "from duckdb import sql\nsql(\"COPY (SELECT * FROM (SELECT 1)) TO 'made.csv'\")\nsql('SELECT *, x FROM (SELECT 1)')",
            False,
        ),
    ],
)
def test_what_fails_for_want_of_a_file_that_a_copy_may_not_write_is_no_fault(
    bench, tmp_path, monkeypatch, source, explained
):
    monkeypatch.chdir(tmp_path)
    stage = RehearsedCells(bench)
    try:
        rehearsed = stage.tried(source)
    finally:
        stage.rehearsals.close()
    for result in (rehearsed, bench.attempt(source)):
        assert result.refused == explained, result


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
    stage = RehearsedCells(bench)
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
