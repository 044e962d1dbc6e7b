"""Try on a real kernel: what a proposal would do is shown, and nothing of it is kept."""

from __future__ import annotations

import os

import psutil
import pytest

from spark_jupyter.sandbox.copy_protocol import INTERRUPTIBLE

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="Try needs fork")

STATE = """
import os, sys, random, json, signal, threading, time
def _pair():
    return get_ipython().magics_manager.magics["line"]["spark"].pair
def _state():
    while any(one.inspecting for one in _pair().engine.read(lambda session: session.store.proposals)):
        time.sleep(0.01)  # the slower checks have processes and threads of their own
    for thread in threading.enumerate():
        if thread.name in ("spark-try", "spark-rehearsal", "second-opinion"):  # they end by themselves
            thread.join(60)
    fds = {n: name for n in os.listdir("/proc/self/fd") if (name := _name(n))}
    # IPython itself stops its history thread before every fork and starts it again; SQLite opens its folder for a moment
    fds = {n: name for n, name in fds.items() if "history.sqlite" not in name and not name.endswith("profile_default")}
    threads = sorted(t.name for t in threading.enumerate() if "History" not in t.name)
    children = [p for p in os.listdir("/proc") if p.isdigit() and _parent(p) == os.getpid()]
    return json.dumps([
        sorted(k for k in globals() if not k.startswith("_")), len(In), sorted(Out), os.getcwd(), dict(os.environ),
        sys.path, fds, children, threads, repr(random.getstate()),
        get_ipython().execution_count, str(sys.stdout), str(sys.displayhook), [repr(signal.getsignal(n)) for n in (2, 15, 17)],
        sorted(p for p in os.listdir(__import__("tempfile").gettempdir()) if p.startswith("spark-try-")),
    ], default=str)
def _name(descriptor):
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:  # it is closed by now
        return ""
def _parent(pid):
    try:
        return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
    except OSError:
        return 0
"""


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path_factory, monkeypatch):
    """The kernel's: that nothing is left behind can't be seen in a folder that others write to."""
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("tmp")))


def proposing(start_kernel, *sources, setup="", **options):
    """A kernel with the extension, and an answer for each of the prompts ``0``, ``1``, …"""
    answers = [
        {"match": f"proposal-{number}-wanted", "answer": f"`````python\n{source}\n`````\n", "repeat": True}
        for number, source in reversed(list(enumerate(sources)))  # a later prompt shows the earlier ones, too
    ]
    kernel = start_kernel(answers, **options)
    kernel.run("%load_ext spark_jupyter\n%config SparkMagics.checkpoints = 'off'")  # they are processes of the kernel's
    kernel.run(limit(60.0))  # what is not about being late is not late on a busy machine either
    if setup:
        kernel.run(setup)
    return kernel


def limit(seconds):
    """What gives a Try so long."""
    trials = "get_ipython().magics_manager.magics['line']['spark'].pair.trials"
    return (
        f"import msgspec as _msgspec\n{trials}._limits = _msgspec.structs.replace({trials}._limits, seconds={seconds})"
    )


def propose(kernel, number=0):
    if number:
        kernel.run("%spark reject")
    kernel.run(f"%spark --wait proposal-{number}-wanted")


def try_it(kernel, number=0, *, options=""):
    """What a person sees after ``%spark try``."""
    propose(kernel, number)
    return kernel.run(f"%spark try {options}")


def test_a_try_shows_output_and_effects_and_keeps_nothing(start_kernel):
    source = "total = sum(numbers)\nnumbers.append(4)\nprint('so far', total)\ndel gone\ntotal * 2"
    kernel = proposing(start_kernel, source, setup="numbers, gone = [1, 2, 3], 'x'")
    shown = try_it(kernel)
    assert "ran in a copy" in shown
    assert "1 new variable, 1 changed variable, 1 deleted variable" in shown
    assert "so far 6" in shown
    assert "12" in shown
    assert "new variable total int 6" in shown
    assert "changed variable numbers list (3) → list (4): in place" in shown
    assert "deleted variable gone str 'x'" in shown
    assert "Nothing of it was kept." in shown
    assert "([1, 2, 3], 'x', False)" in kernel.run("numbers, gone, 'total' in globals()")


def test_run_is_one_step_away_and_says_whether_the_source_is_the_one_that_was_tried(start_kernel):
    kernel = proposing(start_kernel, "answer = 42\nprint(answer)")
    assert "42" in try_it(kernel)
    shown = kernel.run("%spark run")
    assert "Exactly as it was tried." in shown
    assert "42" in kernel.run("answer")


def test_the_error_is_shown_with_its_line_in_the_cell(start_kernel):
    kernel = proposing(start_kernel, "values = [1, 2]\n\ndef pick(n):\n    return values[n]\n\npick(0)\npick(7)")
    shown = try_it(kernel)
    assert "failed in a copy" in shown
    assert "IndexError: list index out of range (line 4)" in shown
    assert "pick(7)" in shown


def test_what_reaches_outside_is_refused_reported_and_did_not_happen(start_kernel, tmp_path):
    old = tmp_path / "old.txt"
    old.write_text("kept")
    source = f"""
import os, shutil, socket, subprocess, urllib.request
folder = {str(tmp_path)!r}
def write(): open(os.path.join(folder, "new.txt"), "w").write("x")
def change(): open(os.path.join(folder, "old.txt"), "a").write("x")
def remove(): os.remove(os.path.join(folder, "old.txt"))
def rename(): os.rename(os.path.join(folder, "old.txt"), os.path.join(folder, "moved.txt"))
def make(): os.makedirs(os.path.join(folder, "sub"))
def connect(): socket.create_connection(("127.0.0.1", 9))
def ask(): urllib.request.urlopen("http://peer.invalid/")
def start(): subprocess.run(["touch", os.path.join(folder, "started")])
count = 0
for act in (write, change, remove, rename, make, connect, ask, start):
    try:
        act()
    except OSError as error:
        count += 1
print(count, "refused; read:", open(os.path.join(folder, "old.txt")).read())
"""
    kernel = proposing(start_kernel, source, setup=f"mine = {str(tmp_path)!r}")  # named by a person, so it may be read
    shown = try_it(kernel)
    assert "8 refused; read: kept" in shown
    for name in ("new.txt", "old.txt", "sub"):
        assert f"{tmp_path / name}" in shown
    assert f"moved file {tmp_path / 'old.txt'} {tmp_path / 'moved.txt'} (refused)" in shown
    assert "used network 127.0.0.1:9 (refused)" in shown
    assert "used network peer.invalid" in shown
    assert "used shell touch" in shown
    assert [path.name for path in tmp_path.iterdir()] == ["old.txt"]
    assert old.read_text() == "kept"


def test_a_cell_that_repeats_what_a_model_named_does_not_open_it(start_kernel, tmp_path):
    file = tmp_path / "old.txt"
    file.write_text("kept")
    kernel = proposing(start_kernel, f"print('it was', open({str(file)!r}).read())")
    assert "reads only the working folder" in try_it(kernel)
    kernel.run(f"mine = {str(file)!r}")  # whose word is it? The model's was first
    assert "reads only the working folder" in try_it(kernel)
    assert "it was kept" in kernel.run("%spark try --allow read")


def test_files_are_written_where_this_try_allows_it(start_kernel, tmp_path):
    file = tmp_path / "allowed.txt"
    kernel = proposing(start_kernel, f"open({str(file)!r}, 'w').write('there')")
    assert "1 file refused" in try_it(kernel)
    assert not file.exists()
    shown = kernel.run("%spark try --allow files")
    assert f"written file {file}" in shown
    assert "refused" not in shown
    assert "its effects outside the copy are real" in shown
    assert file.read_text() == "there"
    assert "1 file refused" in kernel.run("%spark try")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import os\nos._exit(3)", "exit status 3"),
        ("import ctypes\nctypes.string_at(0)", "SIGSEGV"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("raise SystemExit(2)", "SystemExit"),
    ],
)
def test_a_proposal_that_would_end_the_kernel_ends_its_copy_only(start_kernel, source, said):
    kernel = proposing(start_kernel, source, setup="alive = 'yes'")
    assert said in try_it(kernel)
    assert "yes" in kernel.run("alive")


def test_what_does_not_end_is_ended_and_says_where_it_stood(start_kernel):
    no_rehearsal = (
        "get_ipython().run_line_magic('config', 'SparkMagics.rehearse = \"off\"')"  # which would not end either
    )
    setup = f"{limit(8.0)}\n{no_rehearsal}"
    endless = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: time.sleep(0.01)"
    kernel = proposing(start_kernel, "import time\nn = 0\nwhile True:\n    time.sleep(0.01)", endless, setup=setup)
    kernel.run("import spark_jupyter.sandbox.forking\nusual = spark_jupyter.sandbox.forking._GRACE")
    kernel.run("spark_jupyter.sandbox.forking._GRACE = 60")  # a busy machine takes its time to say where it stood
    shown = try_it(kernel, 0)
    if INTERRUPTIBLE:
        assert "(line " in shown
    assert "not tried: it takes more than" in shown
    kernel.run("spark_jupyter.sandbox.forking._GRACE = usual")
    assert "takes more than" in try_it(kernel, 1)
    assert "False" in kernel.run("'n' in globals()")


def is_copy(process, kernel):
    """Whether a child is a copy of the kernel that the kernel's own signals do not reach any more."""
    try:
        return process.cmdline() == kernel.cmdline() and os.getpgid(process.pid) == process.pid
    except (psutil.Error, ProcessLookupError):  # it has just ended
        return False


def test_an_interrupt_ends_a_try(start_kernel):
    kernel = proposing(start_kernel, "import time\ntime.sleep(60)")
    kernel.run("%config SparkMagics.rehearse = 'off'")
    propose(kernel)
    process = psutil.Process(int(kernel.run("import os; print(os.getpid())")))
    message_id = kernel.start("%spark try")
    kernel.until(lambda: any(is_copy(child, process) for child in process.children()))
    kernel.process.interrupt()
    kernel.until(lambda: kernel.idle(message_id))
    assert "cancelled" in kernel.text(message_id)


def test_the_kernel_is_the_same_before_and_after_whatever_the_proposal_does(start_kernel, tmp_path):
    held = tmp_path / "held.txt"
    held.write_text("first\nsecond\nthird\n")
    source = """
import os, sys, random, warnings, atexit, threading, time, logging
os.chdir('/')
os.environ['LEFT'] = 'over'
sys.path.insert(0, '/nowhere')
random.seed(1); random.random()
atexit.register(print, 'at the end')
threading.Thread(target=time.sleep, args=(60,)).start()
print(reader.readline(), end='')
writer.write('from the copy'); writer.flush()
os.close(reader.fileno())
json.JSONDecoder = None
sys.stdout.write('done')
display('shown')
get_ipython().execution_count = 99
Out[1] = 1
os.umask(0)
5
"""
    setup = (
        STATE + f"reader = open({str(held)!r}); reader.readline()\n"
        f"writer = open({str(tmp_path / 'w.txt')!r}, 'w'); writer.write('mine')"
    )
    kernel = proposing(start_kernel, source, setup=setup)
    propose(kernel)
    kernel.run("%spark try")  # the first one imports what it needs
    before = "before, after = _state(), None\nbefore = _state()"
    after = "after = _state()"
    kernel.run(before)
    shown = kernel.run("%spark try")
    kernel.run(after)
    assert "second" in shown
    assert "done" in shown
    told = kernel.run(
        "import difflib\n"
        "a, b = json.loads(before), json.loads(after)\n"
        "a[1] += 2; a[10] += 2\n"  # the two cells that ran meanwhile
        "a[6], b[6] = sorted(a[6].items()), sorted(b[6].items())\n"
        "print([(n, [c for c in x if c not in y], [c for c in y if c not in x]) for n, (x, y) in enumerate(zip(a, b)) if x != y])"
    )
    assert told == "[]\n"
    assert "second" in kernel.run("print(reader.readline(), end='')")
    kernel.run("writer.close()")
    assert (tmp_path / "w.txt").read_text() == "mine"


def test_a_try_while_a_cell_runs_works_and_warns_that_it_saw_a_moving_state(start_kernel):
    kernel = proposing(start_kernel, "seen = list(growing)", setup=STATE + "growing = []")
    propose(kernel)
    message_id = kernel.start(
        "import asyncio, time\n"
        "from spark_jupyter.protocol.messages import Try\n"
        "engine = _pair().engine\n"
        "results = []\n"
        "stop = engine.subscribe(lambda frame: results.extend(e for e in frame.msgs if type(e).__name__ == 'TrialResult'))\n"
        "engine.say(Try(cell_id=engine.read(lambda s: s.store.proposals)[-1].cell_id))\n"
        "while not results:\n"
        "    growing.append(1)\n"
        "    time.sleep(0.001)\n"
        "stop()\n"
        "print(results[0].moving, results[0].problem, results[0].summary)\n"
    )
    kernel.until(lambda: kernel.idle(message_id))
    assert kernel.text(message_id).startswith("True  ran in a copy")
    assert "while the kernel was running a cell" in kernel.text(message_id)


def test_the_first_plot_on_a_machine_shows_a_figure_and_nothing_of_the_folders_that_matplotlib_would_make(
    start_kernel, tmp_path
):
    pytest.importorskip("matplotlib")
    fresh = "\n".join(
        f"os.environ[{name!r}] = {str(tmp_path / name)!r}" for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME")
    )
    source = "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3]);"
    kernel = proposing(start_kernel, source, setup=f"import os\nos.environ.pop('MPLCONFIGDIR', None)\n{fresh}")
    propose(kernel)
    message_id = kernel.start("%spark try")
    kernel.until(lambda: kernel.idle(message_id))
    said = kernel.text(message_id)
    assert "1 figure" in said
    assert "refused" not in said
    assert "mkdir" not in said


def test_figures_tables_and_widgets_are_shown_as_what_can_only_be_looked_at(start_kernel):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    source = """
import pandas as pd
import matplotlib.pyplot as plt
from IPython.display import HTML, Javascript, display
frame = pd.DataFrame({'a': [1, 2], 'b': ['<script>alert(1)</script>', 'y']})
display(frame)
display(HTML("<b onclick='x()'>bold</b><script>alert(2)</script><img src=x onerror=alert(3)>"))
display(Javascript("alert(4)"))
import ipywidgets
display(ipywidgets.IntSlider(value=7))
plt.plot([1, 2, 3]);
"""
    kernel = proposing(start_kernel, source, setup="%matplotlib inline")
    propose(kernel)
    message_id = kernel.start("%spark try")
    kernel.until(lambda: kernel.idle(message_id))
    data = [content["data"] for content in kernel.of(message_id, "display_data")]
    assert any(one.get("image/png", "").startswith("iVBOR") for one in data)
    html = "".join(one.get("text/html", "") for one in data)
    assert "<td>1</td>" in html
    assert "&lt;script&gt;" in html
    assert "<b>bold</b>" in html
    assert not [bad for bad in ("<script", "onclick", "<img", "alert(2)") if bad in html]
    assert not any("application/javascript" in one for one in data)
    assert "1 figure" in kernel.text(message_id)
    assert "IntSlider(value=7)" in kernel.text(message_id)
    assert not [message for message in kernel.messages if message["msg_type"] == "comm_open"]
    assert "new variable frame DataFrame (2 × 2)" in kernel.text(message_id)
    assert "False" in kernel.run("'frame' in globals()")


def test_async_cells_magics_and_cell_magics_work_in_a_copy(start_kernel):
    kernel = proposing(
        start_kernel,
        "import asyncio\nawait asyncio.sleep(0.01)\nprint('awaited')\n%time x = 1\nasyncio.get_running_loop().time() > 0",
        "%%capture got\nprint('captured')",
    )
    shown = try_it(kernel, 0)
    assert "awaited" in shown
    assert "Wall time" in shown
    assert "new variable x int 1" in shown
    assert "new variable got" in try_it(kernel, 1)


def test_tries_in_a_row_leak_nothing(start_kernel):
    source = """
import threading, time, tempfile
threading.Thread(target=time.sleep, args=(60,)).start()
open(tempfile.mktemp(), 'w').write('x' * 1000)
x = [0] * 1000
"""
    kernel = proposing(start_kernel, source, setup=STATE)
    propose(kernel)
    kernel.run("%spark try")
    told = kernel.run(
        "a = json.loads(_state())\n"
        "for _ in range(20):\n"
        "    get_ipython().run_line_magic('spark', 'try')\n"
        "b = json.loads(_state())\n"
        "print('DIFFERENCES', [(n, x, y) for n, (x, y) in enumerate(zip(a, b)) if x != y and n != 0])"
    )
    assert "DIFFERENCES []" in told, told[told.find("DIFF") :]
    assert told.count("ran in a copy") == 20


def test_settings_of_decimal_and_numpy_count_in_a_copy_as_in_the_kernel(start_kernel):
    """Both libraries keep them in context variables."""
    settings = "import decimal, numpy as np\ndecimal.getcontext().prec = 4\nnp.seterr(all='raise')\nnp.set_printoptions(precision=3)"
    third = "decimal.getcontext().prec = 6\nprint(np.array([1.123456]), decimal.Decimal(1) / decimal.Decimal(3))"
    kernel = proposing(start_kernel, third, "np.array([1.0]) / np.array([0.0])", setup=settings)
    kernel.run("%spark --wait proposal-0-wanted")
    tried, ran = kernel.run("%spark try"), kernel.run("%spark run")
    assert "[1.123] 0.333333" in tried
    assert "[1.123] 0.333333" in ran
    kernel.run("%spark --wait proposal-1-wanted")
    assert "FloatingPointError" in kernel.run("%spark try")
