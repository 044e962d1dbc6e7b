"""Try in a process that has used threads: what it sees, what it stops, and what works."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import time
from pathlib import Path

import pytest

from spark_jupyter.session.answer_checks import doctests_in
from spark_jupyter.session.answer_trials import TryAnswer
from spark_jupyter.session.job_owners import TurnOwner

from .leavings import nothing_left, until


def test_changes_in_place_are_seen_in_every_kind_of_value(bench):
    bench.given(
        "numbers, lookup, seen, same = [1, 2], {'k': 1}, {1}, [1]\n"
        "nested = {'k': [1]}\n"
        "class Thing: pass\n"
        "thing = Thing(); thing.n = 1\n"
        "def double(x): return 2 * x\n"
        "alias = numbers"
    )
    changes = bench.changes(
        "numbers[0] = 9\nlookup['new'] = 2\nseen.add(5)\nnested['k'].append(2)\nthing.n = 2\nThing.extra = 1\n"
        "double = len\nsame[0] = 1"
    )
    assert changes["numbers"] == "changed list (2) list (2) in place; [0]: 1 → 9"
    assert changes["alias"].endswith("[0]: 1 → 9")
    assert "length 1 → 2" in changes["lookup"]
    assert "+5" in changes["seen"]
    assert changes["nested"].startswith("changed dict (1) dict (1) in place")
    assert changes["thing"].startswith("changed Thing Thing in place")
    assert changes["double"].startswith("changed function")
    assert "same" not in changes
    assert bench.shell.user_ns["nested"] == {"k": [1]}


def test_of_a_wide_table_the_new_column_is_told_first_and_how_many_more_there_are(bench):
    pytest.importorskip("pandas")
    bench.given("import pandas as pd\nwide = pd.DataFrame({f'column_{n}': [n] for n in range(14)})")
    made = bench.changes("more = wide.assign(total=1.5)")["more"]
    assert made.index("total float64") < made.index("column_0")
    assert made.endswith("and 3 more")
    assert "new columns: total float64" in bench.changes("wide['total'] = 1.5")["wide"]


@pytest.mark.parametrize(
    ("source", "decisive"),
    [
        ("print('one')\nprint('two')\nprint()", "two"),
        ("print('on the way')\n6 * 7", "42"),
        ("import sys\nprint('said')\nprint('warned', file=sys.stderr)", "said"),
        ("print('x' * 500)", "x" * 119 + "…"),
        ("print('before')\n1 / 0", "ZeroDivisionError: division by zero"),
        ("x = 1", ""),
        ("import pandas as pd\npd.Series({'north': 3.5, 'west': 2.5}, name='price')", "north 3.5 … west 2.5"),
        ("import pandas as pd\npd.Series({'a': 1, 'b': 2, 'c': 3}).rename_axis('longer name')", "a 1 … c 3"),
        ("import pandas as pd\npd.Series([2.5], index=['west'])", "west 2.5"),
        ("import pandas as pd\npd.Series({'Ada': 3}, name='count').rename_axis('customer')", "Ada 3"),
        ("import pandas as pd\npd.DataFrame({'a': range(100)})", "[100 rows x 1 columns]"),
        ("import polars as pl\npl.DataFrame({'a': [1, 2]})", "shape: (2, 1)"),
        ("print('before')\nobject()", "before"),
        ("import pandas as pd\npd.Series(range(100))", "0 0 … 99 99"),
        ("import pandas as pd\npd.Series([1.5, 2.5], ['a', 'b']), 0.25", "(a 1.5 … 0.25)"),
        ("import numpy as np\nnp.eye(2)", "array([[1., 0.], … [0., 1.]])"),
    ],
)
def test_the_line_of_the_output_that_says_most_is_told_apart(bench, source, decisive):
    assert bench.attempt(source).decisive == decisive


def test_arrays_and_tables_say_what_differs(bench):
    pytest.importorskip("pandas")
    bench.given(
        "import numpy as np, pandas as pd\n"
        "small = np.arange(6.0)\nlarge = np.zeros(3_000_000)\nuntouched = np.ones(3_000_000)\n"
        "frame = pd.DataFrame({'a': [1, 2, 3], 'b': list('xyz')})"
    )
    changes = bench.changes("small[2] = 9\nlarge[1_234_567] = 1\nframe.loc[1, 'a'] = 20\nframe['c'] = 0.5")
    assert changes["small"].endswith("in place; [2]: 2.0 → 9.0")
    assert "in place" in changes["large"]
    assert "untouched" not in changes
    assert "new columns: c float64" in changes["frame"]
    assert "a, row 1: 2 → 20" in changes["frame"]
    for place in (0, 7, 2_999_999):
        assert "large" in bench.changes(f"large[{place}] = 1"), place
    assert "rows 3 → 2" in bench.changes("frame = frame[frame.a > 1]")["frame"]
    assert bench.shell.user_ns["frame"].shape == (3, 2)


def test_globals_deletions_imports_and_patched_modules_are_effects(bench):
    bench.given("import json\nx, y = 1, 2")
    result = bench.attempt(
        "def change():\n    global x\n    x = 5\nchange()\ndel y\njson.dumps = None\nimport statistics"
    )
    told = {(e.action, e.name): e.detail for e in result.effects}
    assert ("changed", "x") in told
    assert ("deleted", "y") in told
    assert ("new", "statistics") in told
    assert told["changed", "json"] == "in place; .dumps"
    import json

    assert json.dumps({}) == "{}"


def test_a_copy_draws_the_random_numbers_that_run_will_draw(bench):
    pytest.importorskip("numpy")
    source = "print(random.random(), np.random.rand(), generator.random())"
    bench.given("import random, numpy as np\ngenerator = np.random.default_rng(1)")
    first = bench.printed(source)
    assert bench.printed(source) == first
    bench.given("drawn = f'{random.random()} {np.random.rand()} {generator.random()}\\n'")
    assert bench.shell.user_ns["drawn"] == first


def test_output_without_end_is_cut_and_the_kernel_stays_small(bench):
    result = bench.attempt("for _ in range(3000): print('x' * 1000)\nprint('end')", output=100_000)
    text = "".join(output.text for output in result.outputs)
    assert not result.problem
    assert 100_000 <= len(text) < 120_000
    assert "more output was cut off" in text
    raw = bench.attempt("import os\nfor _ in range(100): os.write(1, b'z' * 100_000)", output=100_000)
    assert sum(len(output.text) for output in raw.outputs) < 210_000


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("'\\r'.join(f'{n:3}%' for n in range(101)) + '\\ndone\\n'", "100%\ndone\n"),
        ("'abc\\rX\\r'", "Xbc"),
        ("'one\\r\\ntwo\\r\\n'", "one\ntwo\n"),
    ],
)
def test_a_progress_bar_is_shown_as_it_stands_at_last(bench, printed, shown):
    source = f"import sys\nfor part in {printed}:\n    print(part, end='')\n    sys.stdout.flush()"
    assert [output.text for output in bench.attempt(source).outputs] == [shown]


def test_what_widgets_ask_a_kernels_shell_for_is_there_in_a_copy(bench, monkeypatch):
    zmqshell = pytest.importorskip("ipykernel.zmqshell")
    monkeypatch.setattr(bench.shell, "display_pub", zmqshell.ZMQDisplayPublisher(shell=bench.shell))
    monkeypatch.setattr(bench.shell, "displayhook", zmqshell.ZMQShellDisplayHook(shell=bench.shell, cache_size=0))
    source = (
        "shell = get_ipython()\n"
        "for part in (shell.displayhook, shell.display_pub):\n"
        "    part.set_parent({'header': {}})\n"
        "    part.register_hook(print)\n"
        "    part.unregister_hook(print)\n"
        "    part.parent_header\n"
        "print('all')"
    )
    tried = bench.attempt(source)
    assert not tried.error
    assert [output.text for output in tried.outputs] == ["all\n"]


def test_memory_has_a_limit(bench):
    result = bench.attempt("kept = []\nwhile True: kept.append(bytearray(50 << 20))", memory=300 << 20)
    assert result.error.startswith("MemoryError")
    assert result.error_line == 2


def test_a_question_to_the_person_is_refused(bench):
    result = bench.attempt("name = input('Who? ')")
    assert "can't ask a person" in result.error
    assert result.error_line == 1
    assert result.refused
    assert result.summary == "not tried: it asks a person for input (line 1)"  # the code is not at fault


@pytest.mark.parametrize(
    "source",
    [
        "import os\nwhile True: os.fork()",
        "from multiprocessing import Process\nProcess(target=print).start()",
        "!sleep 30",
        "%%bash\nsleep 30",
        "import os\nos.system('sleep 30')",
    ],
)
def test_no_process_is_started(bench, source):
    result = bench.attempt(source)
    assert "starts and stops no processes" in result.error
    assert any(effect.kind == "shell" and effect.refused for effect in result.effects)
    assert (result.lacked, result.outside) == (("shell",), False)


def test_a_wait_for_a_thread_that_the_copy_has_not_is_told_before_the_time_is_up(bench):
    bench.given(
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\npool.submit(int).result()"
    )
    result = bench.attempt("pool.submit(int).result()", seconds=60)
    assert "waits for a lock or a thread" in result.problem
    bench.given("pool.shutdown()")


def test_threads_that_are_left_running_end_with_the_copy(bench):
    result = bench.attempt(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nprint('on')"
    )
    assert not result.problem
    assert not result.error


def test_temporary_files_work_and_are_gone_afterwards(bench):
    path = bench.printed(
        "import tempfile\nfile = open(tempfile.mktemp(), 'w'); file.write('x'); file.close(); print(file.name)"
    )
    assert "spark-try-" in path
    until(lambda: not os.path.exists(os.path.dirname(path.strip())))  # nobody waits for that


def test_a_syntax_error_is_told_with_its_line(bench):
    result = bench.attempt("x = 1\ndef f(:\n    pass")
    assert result.error.startswith("SyntaxError: ")
    assert "ipython" not in result.error
    assert result.error_line == 2


def test_a_syntax_error_of_an_imported_file_is_told_with_the_cells_line(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "broken_helpers.py").write_text("a = 1\nb = 2\ndef f(:\n    pass\n")
    result = bench.attempt("x = 1\nimport broken_helpers")
    assert "broken_helpers.py, line 3" in result.error
    assert result.error_line == 2


def try_answer(bench, *cells, checks=(), apart=False):
    action = TryAnswer(owner=TurnOwner("a"), cells=cells, checks=checks, apart=apart)
    return asyncio.run(bench.trials.try_answer(action))


def test_the_cells_of_an_answer_run_in_one_copy_and_their_checks_leave_no_trace(bench):
    checks = ("assert f(1) == 2", "seen = 1; print('no'); assert f(1) == 3, 'it is 2'", "raise ValueError('x')")
    trial = try_answer(bench, "def f(x): return x + 1", "y = f(1)\ny", checks=checks)
    assert trial.checks == ("", "it is 2", "ValueError: x")
    assert [output.data for result in trial.results for output in result.outputs] == [{"text/plain": "2"}]
    assert {effect.name for effect in trial.results[-1].effects} == {"f", "y"}
    assert "last cell" in trial.results[0].summary
    assert "y" not in bench.shell.user_ns


def test_what_each_cell_of_an_answer_changed_is_told_apart_where_that_is_asked(bench):
    trial = try_answer(bench, "x = 1", "import os\ny = 2", "x = 3", checks=("assert x == 3",), apart=True)
    names = [
        {(effect.name, effect.action) for effect in one.effects if effect.kind == "variable"} for one in trial.results
    ]
    assert names == [{("x", "new")}, {("y", "new"), ("os", "new")}, {("x", "changed")}]
    assert not any("last cell" in one.summary for one in trial.results)
    assert trial.checks == ("",)


def test_behind_a_cell_that_fails_nothing_of_an_answer_is_run(bench):
    trial = try_answer(bench, "x = 1", "y = 2\n1 / 0", "z = 3", checks=("assert True",))
    assert [result.error for result in trial.results] == ["", "ZeroDivisionError: division by zero"]
    assert trial.results[1].error_line == 2
    assert trial.checks == ()


def test_a_cell_that_ends_its_copy_is_the_one_with_the_problem(bench):
    trial = try_answer(bench, "x = 1", "import os; os._exit(3)", "z = 3", checks=("assert True",))
    assert len(trial.results) == 2
    assert "ended the process" in trial.results[1].problem


def test_a_doctest_is_a_check_that_says_what_came(bench):
    cell = 'def double(x):\n    """Twice.\n\n    >>> double(2)\n    4\n    """\n    return x * {}'
    for factor, said in ((2, ""), (3, "double(2) is 6, not 4"), ("undefined", "double(2) raised NameError")):
        source = cell.format(factor)
        (check,) = doctests_in(source)
        (error,) = try_answer(bench, source, checks=(check.source,)).checks
        assert error.startswith(said)
        assert bool(error) == bool(said)


def test_what_another_thread_was_importing_is_imported_anew_in_the_copy(bench, tmp_path, monkeypatch):
    import threading

    (tmp_path / "slow_to_import.py").write_text(
        "import builtins\nbuiltins.begun.set()\nbuiltins.go_on.wait(60)\nvalue = 1\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    begun, go_on = threading.Event(), threading.Event()
    monkeypatch.setattr("builtins.begun", begun, raising=False)
    monkeypatch.setattr("builtins.go_on", go_on, raising=False)
    importing = threading.Thread(target=__import__, args=("slow_to_import",))
    importing.start()
    assert begun.wait(60)
    source = "import builtins; builtins.go_on = __import__('threading').Event(); builtins.go_on.set()\n"
    assert bench.printed(source + "import slow_to_import\nprint(slow_to_import.value)") == "1\n"
    go_on.set()
    importing.join()


def test_a_copy_that_came_at_the_wrong_moment_is_made_once_more(bench):
    """A lock that another thread holds for a moment is held for ever in a copy of that moment."""
    import threading

    lock, held, forked = threading.Lock(), threading.Event(), threading.Event()
    bench.shell.user_ns["lock"] = lock

    def hold():
        with lock:
            held.set()
            forked.wait(60)

    os.register_at_fork(after_in_parent=forked.set)
    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(60)
    assert bench.printed("with lock: print('in')", seconds=60) == "in\n"
    holder.join()


def test_threads_that_are_left_running_are_told(bench):
    ended = "import threading\nthread = threading.Thread(target=print)\nthread.start()\nthread.join()"
    assert not [effect for effect in bench.attempt(ended).effects if effect.kind == "thread"]
    result = bench.attempt(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), name='lasting').start()"
    )
    assert [(e.name, e.detail) for e in result.effects if e.kind == "thread"] == [("lasting", "still running")]
    assert "1 thread" in result.summary


def test_what_was_allowed_and_done_outside_is_said_to_be_real(bench, tmp_path):
    source = f"open({str(tmp_path / 'real.txt')!r}, 'w').close()"
    refused = bench.attempt(source)
    assert (refused.lacked, refused.outside) == (("files",), False)
    allowed = bench.attempt(source, allow=("files",))
    assert (allowed.lacked, allowed.outside) == ((), True)


def test_what_the_kernel_has_open_is_a_copy_also_where_files_are_allowed_and_that_is_said(bench, tmp_path):
    database, text = tmp_path / "kept.sqlite", tmp_path / "kept.txt"
    bench.given(
        f"import sqlite3\nheld = sqlite3.connect({str(database)!r})\nheld.execute('create table t (x)')\nheld.commit()\n"
        f"log = open({str(text)!r}, 'w')\nread = open({__file__!r})"
    )
    before = database.read_bytes()
    result = bench.attempt("log.write('from the copy')\nlog.flush()\nprint(1)", allow=("files",))
    assert not result.error
    told = {effect.name: effect.detail for effect in result.effects if effect.kind == "file"}
    assert sorted(told) == [str(database), str(text)]
    assert not result.outside
    assert all("what is written to that is not kept" in detail for detail in told.values())
    assert not [effect for effect in bench.attempt("print(1)").effects if effect.kind == "file"]
    bench.given("log.close(); held.close(); read.close()")
    assert text.read_text() == ""
    assert database.read_bytes() == before


def test_ten_gigabytes_are_not_there(bench):
    result = bench.attempt("everything = bytearray(10 << 30)")
    assert result.error.startswith("MemoryError")


def test_tries_in_a_row_leave_nothing_behind(bench, tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # others on this machine try things, too
    source = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nx = [0] * 1000\nprint(x)"
    for _ in range(15):
        bench.attempt(source)
    with nothing_left():
        small = _memory()
        for _ in range(50):
            result = bench.attempt(source)
            assert not result.problem
            assert not result.error
    assert _memory() - small < 50 * (50 << 10)
    assert [name for name in os.listdir(tmp_path) if name.startswith("spark-try-")] == []


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_code_that_closes_what_is_not_its_own_is_ended_and_told(bench):
    began = time.monotonic()
    result = bench.attempt("import os, time\nos.closerange(3, 1000)\ntime.sleep(60)", seconds=50)
    assert "closes files that it did not open" in result.problem
    assert time.monotonic() - began < 50, "nobody waits for the sleep"


@pytest.mark.parametrize("package", ["tomlkit", "sklearn", "polars"])
def test_a_package_that_is_imported_for_the_first_time_is_nothing_that_happened_outside(bench, package):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    result = bench.attempt(f"import {package}", seconds=60)
    assert not result.outside
    assert result.summary.startswith("ran in a copy")
