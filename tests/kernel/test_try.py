"""Try in a real kernel: what it shows, what it keeps away, and that nothing of it stays."""

from __future__ import annotations

import os

import pytest

from spark_jupyter.messages import Cancel, Hello, Prompt, Run, TrialResult, Try
from spark_jupyter.trial import unavailable

from .conftest import FrontEnd

pytestmark = pytest.mark.skipif(bool(unavailable()), reason=unavailable())

PLAIN = {"answer": "```python\nvalue = 1\n```\n", "repeat": True}
STATE = """
import os, sys, random, threading
def state():
    ip = get_ipython()
    names = {n: id(v) for n, v in ip.user_ns.items() if not n.startswith("_") and n not in ("In", "Out", "state")}
    return (names, os.getcwd(), dict(os.environ), list(sys.path), random.getstate(), sorted(sys.modules),
            repr(table.to_dict()), array.tolist(), items, mapping, handle.tell(), len(os.listdir(os.path.dirname(path))))
"""
SETUP = """
import tempfile, os, random
import numpy as np, pandas as pd
random.seed(3); np.random.seed(4)
path = os.path.join(tempfile.mkdtemp(), "data.txt")
with open(path, "w") as f: f.write("one\\ntwo\\nthree\\n")
handle = open(path); handle.readline()
writer = open(path + ".log", "w+"); _ = writer.write("kept"); writer.flush()
items = [1, 2, [3]]
mapping = {"a": 1}
array = np.arange(6.0)
table = pd.DataFrame({"p": [1, 2], "q": ["u", "v"]})
alias = table
"""


class Trying:
    """A kernel with a front end and one proposal whose source each Try brings along."""

    def __init__(self, kernel):
        self.kernel = kernel
        kernel.run("%load_ext spark_jupyter")
        self.front = FrontEnd(kernel)
        self.front.say(Prompt(turn_id="t1", text="a value"))
        kernel.until(lambda: self.front.view.turns.get("t1") and self.front.view.turns["t1"].outcome)

    def begin(self, source, *allow):
        before = len(self.results)
        self.front.say(Try(cell_id="t1-1", source=source, allow=allow))
        return before

    def end(self, before):
        return self.kernel.until(lambda: self.results[before:])[0]

    def __call__(self, source, *allow):
        return self.end(self.begin(source, *allow))

    @property
    def results(self):
        return [event for event in self.front.said if isinstance(event, TrialResult)]


@pytest.fixture(scope="module")
def trying(module_kernel):
    """One kernel for all the Tries of this file: that they do not disturb each other is part of the test."""
    trying = Trying(module_kernel)
    module_kernel.run(SETUP)
    module_kernel.run(STATE)
    return trying


def effects(result, kind="variable"):
    return {effect.name: effect for effect in result.effects if effect.kind == kind}


def text(result):
    return "".join(output.text for output in result.outputs if output.kind == "stdout")


def test_outputs_are_shown_in_order_and_new_variables_are_named(trying):
    result = trying("x = 21\nprint('hello')\ndisplay(x)\nx * 2")
    assert [output.kind for output in result.outputs] == ["stdout", "display_data", "execute_result"]
    assert text(result) == "hello\n"
    assert result.outputs[-1].data["text/plain"] == "42"
    assert effects(result)["x"].action == "new"
    assert "+1 variable" in result.summary
    assert not result.moving
    with pytest.raises(AssertionError, match="not defined"):
        trying.kernel.run("x")


def test_a_change_in_place_is_seen_where_the_object_stays_the_same(trying):
    result = trying("items[2].append(4)\nmapping['a'] = 2\narray[3] = 9\ntable.loc[1, 'p'] = 7\ntable['r'] = 0.5")
    changed = effects(result)
    assert set(changed) == {"items", "mapping", "array", "table", "alias"}
    assert all(effect.action == "changed" and "in place" in effect.detail for effect in changed.values())
    assert "[3]: 3.0 → 9.0" in changed["array"].detail
    assert "['a']: 1 → 2" in changed["mapping"].detail
    assert "new columns: r float64" in changed["table"].detail
    assert "p, row 1: 2 → 7" in changed["table"].detail


def test_deletion_global_and_a_new_type_are_seen(trying):
    result = trying("del alias\ndef f():\n    global items\n    items = 'text'\nf()")
    assert effects(result)["alias"].action == "deleted"
    assert effects(result)["items"].before == "list (3)"
    assert effects(result)["items"].after == "str 'text'"


def test_imports_and_a_monkeypatched_module_are_seen(trying):
    result = trying("import math, sqlite3\nimport sklearn\nmath.pi = 3\npd.nothing = 1")
    assert effects(result)["sqlite3"].after == "module sqlite3"
    assert effects(result)["pd"].action == "changed"
    assert effects(result, "package")["sklearn"].action == "used"
    assert "3.14" in trying.kernel.run("import math; math.pi")


def test_random_numbers_are_those_that_run_would_give_and_the_kernels_stay(trying):
    tried = text(trying("import random\nprint(random.random(), np.random.random())"))
    assert trying.kernel.run("print(random.random(), np.random.random())") == tried


def test_a_file_that_would_be_written_removed_or_renamed_is_refused_and_reported(trying, tmp_path):
    kept = tmp_path / "kept.txt"
    kept.write_text("as it was")
    for source, action in (
        (f"open({str(tmp_path / 'new.txt')!r}, 'w')", "written"),
        (f"table.to_csv({str(tmp_path / 'new.csv')!r})", "written"),
        (f"open({str(kept)!r}, 'a')", "written"),
        (f"import os; os.remove({str(kept)!r})", "removed"),
        (f"import os; os.rename({str(kept)!r}, {str(kept) + '2'!r})", "moved"),
        (f"import shutil; shutil.rmtree({str(tmp_path)!r})", "removed"),
        (f"import pathlib; pathlib.Path({str(tmp_path / 'folder')!r}).mkdir()", "written"),
    ):
        result = trying(source)
        assert "PermissionError" in result.error, source
        assert [effect.action for effect in effects(result, "file").values()] == [action], source
        assert all(effect.refused for effect in effects(result, "file").values())
        assert "refused" in result.summary
    assert os.listdir(tmp_path) == ["kept.txt"]
    assert kept.read_text() == "as it was"


def test_a_file_that_is_allowed_is_written_and_reported(trying, tmp_path):
    result = trying(f"with open({str(tmp_path / 'new.txt')!r}, 'w') as f: print('x', file=f)", "files")
    assert not result.error
    assert not next(iter(effects(result, "file").values())).refused
    assert (tmp_path / "new.txt").read_text() == "x\n"


def test_temporary_files_may_be_written_and_are_gone(trying):
    result = trying("import tempfile\nwith tempfile.NamedTemporaryFile('w', delete=False) as f: f.write('x')\nprint(f.name)")
    assert not result.error
    assert not os.path.exists(text(result).strip())


def test_reads_are_allowed_and_open_files_of_the_kernel_keep_their_place(trying):
    result = trying("print(handle.readline(), open(path).read(), sep='')\nwriter.write('lost'); writer.flush()")
    assert text(result) == "two\none\ntwo\nthree\n"
    assert trying.kernel.run("print(handle.tell(), open(path + '.log').read())") == "4 kept\n"


def test_native_code_can_not_write_a_database_either(trying):
    trying.kernel.run("import sqlite3\nbase = sqlite3.connect(path + '.db'); _ = base.execute('create table t (n)'); base.commit()")
    result = trying("print(base.execute('select count(*) from t').fetchone())\nbase.execute('insert into t values (1)')")
    assert text(result) == "(0,)\n"
    assert "readonly" in result.error
    result = trying("sqlite3.connect(path + '.other').execute('create table t (n)')")
    assert "PermissionError" in result.error
    assert "[(0,)] False" in trying.kernel.run(
        "print(base.execute('select count(*) from t').fetchall(), os.path.exists(path + '.other'))"
    )


def test_memory_that_is_shared_with_others_is_not_written(trying):
    trying.kernel.run("from multiprocessing import shared_memory\nshared = shared_memory.SharedMemory(create=True, size=64)")
    trying.kernel.run("mapped = np.memmap(path + '.map', dtype='u1', mode='w+', shape=(4096,))")
    assert not trying("shared.buf[0] = 7\nmapped[0] = 7\nmapped.flush()").error
    assert trying.kernel.run("print(shared.buf[0], mapped[0], open(path + '.map', 'rb').read(1))") == "0 0 b'\\x00'\n"
    trying.kernel.run("shared.close(); shared.unlink()")


def test_network_and_subprocesses_are_refused_and_reported(trying):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        result = trying(f"import socket; socket.create_connection(('127.0.0.1', {port}))")
        assert effects(result, "network")[f"127.0.0.1:{port}"].refused
        allowed = trying(f"import socket; s = socket.create_connection(('127.0.0.1', {port})); print('there')", "network")
        assert text(allowed) == "there\n"
        assert not effects(allowed, "network")[f"127.0.0.1:{port}"].refused
    for source in ("import subprocess; subprocess.run(['true'])", "!true", "import os; os.system('true')", "%pip install six"):
        result = trying(source)
        assert any(effect.refused for effect in effects(result, "shell").values()), source
    assert effects(result, "package")["six"].refused
    assert text(trying("!echo out", "shell")) == "out\n"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import os; os._exit(3)", "exit status 3"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("import os\nwhile True:\n    os.fork()", "PermissionError"),
        ("import os, signal; os.kill(os.getppid(), signal.SIGKILL)", "PermissionError"),
        ("big = np.ones(10 * 2**30 // 8)", "MemoryError"),
        ("name = input('your name? ')", "ask a person"),
        ("import threading\nlock = threading.Lock()\nlock.acquire(); lock.acquire()", "waits for a lock"),
        ("raise SystemExit(4)", "SystemExit"),
        ("x = (", "SyntaxError"),
    ],
)
def test_what_would_harm_the_kernel_ends_in_the_copy_and_is_said(trying, source, said):
    result = trying(source)
    assert said in result.error + result.problem
    assert trying.kernel.run("print('alive')") == "alive\n"


def test_an_endless_loop_is_ended_and_its_line_is_named(trying):
    trying.kernel.run("get_ipython()._spark_magics.pair.trials.limit(seconds=0.5)")
    result = trying("before = 1\nwhile True:\n    pass")
    trying.kernel.run("get_ipython()._spark_magics.pair.trials.limit(seconds=10)")
    assert "still running" in result.problem
    assert result.error_line in (2, 3)
    assert "before" in effects(result)


def test_cancel_ends_a_try_and_a_newer_one_takes_its_place(trying):
    trying.begin("import time; time.sleep(60)")
    trying.kernel.until(lambda: children(trying.kernel))
    before = trying.begin("print('newer')")
    assert text(trying.end(before)) == "newer\n"
    before = trying.begin("import time; time.sleep(60)")
    trying.kernel.until(lambda: children(trying.kernel))
    trying.front.say(Cancel())
    assert "cancelled" in trying.end(before).problem
    trying.kernel.until(lambda: not children(trying.kernel))


def test_a_flood_of_output_is_cut_and_printing_natively_is_taken_in(trying):
    result = trying("for n in range(100_000): print('x' * 100)")
    assert len(text(result)) < 1_100_000
    assert "cut off" in text(result)
    assert "native" in text(trying("import os; os.write(1, b'native')"))


def test_figures_tables_and_widgets_are_shown_and_markup_is_harmless(trying):
    result = trying("%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]);")
    assert any("image/png" in output.data for output in result.outputs)
    assert "1 figure" in result.summary
    result = trying("pd.DataFrame({'<script>alert(1)</script>': ['<img src=x onerror=alert(1)>']})")
    html = result.outputs[-1].data["text/html"]
    assert "<table" in html
    assert "<img" not in html
    assert "<script" not in html
    result = trying("from IPython.display import HTML\nHTML('<b>bold</b><script>alert(1)</script><a href=javascript:x>y</a>')")
    assert result.outputs[-1].data["text/html"] == "<b>bold</b>y"
    comms = len([m for m in trying.kernel.messages if m["msg_type"] == "comm_open"])
    assert not trying("import ipywidgets\nslider = ipywidgets.IntSlider()\nslider").error
    assert len([m for m in trying.kernel.messages if m["msg_type"] == "comm_open"]) == comms


def test_async_cells_and_magics_run_and_threads_that_are_left_end_with_the_copy(trying):
    assert text(trying("import asyncio\nawait asyncio.sleep(0.01)\nprint('awaited')")) == "awaited\n"
    assert "per loop" in text(trying("%timeit -n1 -r1 1"))
    assert text(trying("%%capture caught\nprint('hidden')")) == ""
    assert not trying("import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()").error
    trying.kernel.until(lambda: not children(trying.kernel))


def test_an_error_names_the_line_of_the_cell_and_shows_the_traceback(trying):
    result = trying("def f(n):\n    return n / 0\n\nprint('so far')\nf(1)")
    assert result.error == "ZeroDivisionError: division by zero"
    assert result.error_line == 2
    assert text(result) == "so far\n"
    assert "----> 5 f(1)" in result.outputs[-1].text
    assert "\x1b" not in result.outputs[-1].text


def test_a_try_works_while_the_kernel_runs_a_cell_and_says_that_it_moved(trying):
    busy = trying.kernel.start("import time\nwhile True:\n    counter = time.time()\n    time.sleep(0.001)")
    trying.kernel.until(lambda: trying.kernel.of(busy, "execute_input"))
    result = trying("print('beside')")
    assert text(result) == "beside\n"
    assert result.moving
    assert not trying.kernel.idle(busy)
    trying.kernel.manager.interrupt_kernel()
    trying.kernel.until(lambda: trying.kernel.idle(busy))


def test_nothing_of_the_kernel_is_different_afterwards(trying):
    kernel = trying.kernel
    kernel.run("before = state()\nhistory = len(In)")
    trying(
        "import os, sys, random\nos.chdir('/')\nos.environ['NEW'] = '1'\nsys.path.append('x')\nrandom.random()\n"
        "items.clear()\nmapping.clear()\narray[:] = 0\ntable.drop(columns='p', inplace=True)\nhandle.read()\n1 + 1\n_\nimport json.tool"
    )
    kernel.run("after = state()")
    assert kernel.run("print(before[1:] == after[1:], before[0].items() <= after[0].items(), len(In) - history)") == "True True 3\n"


def test_many_tries_leave_no_process_descriptor_thread_or_memory(trying):
    measure = "print(len(os.listdir('/proc/self/fd')), threading.active_count(), len(os.listdir(tempfile.gettempdir())))"
    trying("1")
    before = trying.kernel.run(measure)
    memory = int(trying.kernel.run("import psutil; print(psutil.Process().memory_info().rss)"))
    for number in range(100):
        assert not trying(f"filled = [{number}] * 1000\nfilled").problem
    assert trying.kernel.run(measure) == before
    assert not children(trying.kernel)
    assert int(trying.kernel.run("print(psutil.Process().memory_info().rss)")) - memory < 40_000_000


def test_after_a_try_run_says_whether_the_source_changed(trying):
    trying.front.say(Try(cell_id="t1-1"))
    trying.kernel.until(lambda: trying.results[-1].source_hash == trying.front.view.trials["t1-1"].source_hash)
    trying.front.say(Run(cell_id="t1-1"))
    trying.kernel.until(lambda: trying.front.view.proposals["t1-1"].state == "accepted")


def test_the_greeting_says_that_try_works_here(trying):
    assert any(isinstance(event, Hello) and not event.try_unavailable for event in trying.front.said)


def test_the_magic_waits_and_shows_what_would_happen(start_kernel):
    kernel = start_kernel([{"answer": "```python\nvalue = 6 * 7\nprint(value)\n```\n", "repeat": True}])
    kernel.run("%load_ext spark_jupyter")
    kernel.run("%spark --wait a value")
    shown = kernel.run("%spark try")
    assert "ran in a copy" in shown
    assert "42" in shown
    assert "new variable value int 42" in shown
    assert "rehearsal" in shown
    assert "Unchanged since it was tried." in kernel.run("%spark run")


def children(kernel):
    import psutil

    return psutil.Process(kernel.manager.provisioner.pid).children(recursive=True)
