"""Before a cell runs the kernel is kept as it was: copies of it can be made, it costs what it may, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.sandbox import Limits
from spark_jupyter.sandbox.checkpoints.checkpoint_costs import Budget
from spark_jupyter.sandbox.checkpoints.checkpoint_process import Checkpoint
from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
from spark_jupyter.sandbox.checkpoints.checkpoint_threads import CheckpointThreads
from spark_jupyter.sandbox.checkpoints.moments import lost_lines
from spark_jupyter.sandbox.checkpoints.undo import undo
from spark_jupyter.sandbox.copy_protocol import Ended, Execute, Ran, Wrote
from spark_jupyter.sandbox.forking import Copy
from spark_jupyter.sandbox.memory_usage import free
from spark_jupyter.ui.moment_text import timeline_lines

from .leavings import until, until_ended


class Past:
    """A shell whose cells are kept."""

    def __init__(self, shell, **options) -> None:
        self.shell = shell
        self.shell.history_manager.enabled = False
        self.kept = Checkpoints(shell, **options)

    def run(self, source: str, *, cell_id: str | None = None) -> None:
        self.shell.run_cell(source, store_history=True, cell_id=cell_id)

    def told(self, checkpoint: Checkpoint, source: str, **limits: float) -> str:
        """What a source prints, run in a copy of a checkpoint."""
        limits.setdefault("seconds", 60.0)
        copy = Copy(checkpoint, [Execute(source=source)], allow=(), limits=Limits(**limits))  # type: ignore[arg-type]
        said = []
        try:
            copy.give(limits["seconds"])
            copy.listen(said.append)
        finally:
            copy.close()
        errors = [one.error for one in said if isinstance(one, Ran) and one.error]
        return "".join(one.output.text for one in said if isinstance(one, Wrote)) + copy.problem + "".join(errors)


@pytest.fixture
def past(bench) -> Iterator[Past]:
    made = Past(bench.shell)
    yield made
    made.kept.close()


def test_cells_run_where_the_system_gives_no_thread_and_no_memory(past, monkeypatch):
    start, make, refused = threading.Thread.start, Checkpoint, []

    def starts(thread: threading.Thread) -> None:
        if thread.name == "spark-checkpoints" and not refused:
            refused.append("thread")
            raise RuntimeError("can't start new thread")
        start(thread)

    def makes(*parts: object) -> Checkpoint:
        if len(refused) == 1:
            refused.append("memory")
            raise MemoryError
        return make(*parts)

    monkeypatch.setattr(threading.Thread, "start", starts)
    monkeypatch.setattr("spark_jupyter.sandbox.checkpoints.checkpoint_process.Checkpoint", makes)
    cells = threading.Thread(target=lambda: [past.run(f"x = {number}") for number in range(3)], daemon=True)
    cells.start()
    cells.join(60)
    assert not cells.is_alive(), "a cell waits for a checkpoint that nobody makes"
    assert refused == ["thread", "memory"]
    assert len(past.kept.cells) == 1, "the third has one"
    assert lost_lines(past.kept.moments) == [
        "Without variables: cell 1. No copy could be made: can't start new thread.",
        "Without variables: cell 2. No copy could be made: no memory is left.",
    ]


class SlowLock:
    """A lock for which the thread that forks waits a while."""

    def __init__(self, lock):
        self.lock = lock

    def __enter__(self):
        if threading.current_thread().name == "spark-checkpoints":
            time.sleep(0.3)
        return self.lock.__enter__()

    def __exit__(self, *said):
        return self.lock.__exit__(*said)


def test_a_checkpoint_can_be_found_when_its_cell_runs(past):
    past.kept._lock = SlowLock(past.kept._lock)
    past.run("x = 1")
    past.run("x = 2", cell_id="cell-a")
    assert past.kept.before("cell-a", "") is not None


def test_a_copy_begins_where_the_cell_began(past):
    past.run("x = [1]\nimport random\nrandom.seed(7)")
    past.run("x.append(2)\nfirst = random.random()", cell_id="cell-a")
    kept = past.kept.before("cell-a", "")
    assert kept is not None
    assert past.told(kept.checkpoint, "print(x, 'first' in globals(), random.random())") == (
        f"[1] False {past.shell.user_ns['first']!r}\n"
    )
    assert past.shell.user_ns["x"] == [1, 2]


def test_many_copies_of_one_checkpoint_know_nothing_of_each_other(past):
    past.run("x = 1")
    past.run("x = 2")
    checkpoint = past.kept.last_run()[1].checkpoint
    assert [past.told(checkpoint, "x += 1\nprint(x)") for _ in range(3)] == ["2\n"] * 3


def test_a_copy_of_a_checkpoint_is_confined_as_any_other(past, tmp_path):
    past.run("x = 1")
    past.run("x = 2")
    checkpoint = past.kept.last_run()[1].checkpoint
    outside = tmp_path / "outside"
    assert "PermissionError" in past.told(checkpoint, f"import os\nos.open({str(outside)!r}, os.O_CREAT | os.O_WRONLY)")
    assert "uses no network" in past.told(checkpoint, "import socket\nsocket.create_connection(('127.0.0.1', 9))")
    native = "import ctypes\nprint(ctypes.CDLL(None).fork())"
    assert past.told(checkpoint, native) == "-1\n"
    assert not outside.exists()


def test_a_copy_that_runs_for_ever_or_crashes_ends_and_the_checkpoint_lives(past, monkeypatch):
    monkeypatch.setattr(
        "spark_jupyter.sandbox.forking._GRACE", 60.0
    )  # a busy machine takes its time to say where it stood
    past.run("x = 1")
    past.run("x = 2")
    checkpoint = past.kept.last_run()[1].checkpoint
    assert "time was up" in past.told(checkpoint, "import time\nwhile True: time.sleep(0.01)", seconds=3.0)
    assert "SIGSEGV" in past.told(checkpoint, "import ctypes\nctypes.string_at(0)")
    assert past.told(checkpoint, "print(x)") == "1\n"


def test_the_last_twenty_are_kept_and_every_second_of_those_before(past):
    for number in range(1, 31):
        past.run(f"x = {number}", cell_id=f"c{number}")
    until(lambda: len(past.kept.kept) == 25)
    assert [kept.run.number for kept in past.kept.kept] == [2, 4, 6, 8, 10, *range(11, 31)]
    assert [run.cell_id for run in past.kept.runs] == [f"c{n}" for n in range(1, 31)]


FIVE_HUNDRED = """
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
from spark_jupyter.sandbox.memory_usage import resident
from tests.sandbox.leavings import children, descriptors, nothing_left, until

shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
kept = Checkpoints(shell)
shell.run_cell("x = 0", store_history=True)
with nothing_left():
    before, opened = children(), descriptors()
    for number in range(500):
        if number == 100:
            settled = resident()
        shell.run_cell(f"x = {number}", store_history=True)
    grown = resident() - settled
    assert grown < 8 << 20, grown
    until(lambda: len(children() - before) <= 40 and (descriptors() - opened).total() <= 40)
    kept.close()
print("nothing")
"""
"""A process of its own: to copy one that has imported all libraries takes five times as long."""


def test_five_hundred_cells_leave_no_process_no_descriptor_no_file_and_no_memory(request):
    done = subprocess.run(
        [sys.executable, "-c", FIVE_HUNDRED], cwd=request.config.rootpath, capture_output=True, text=True, timeout=240
    )
    assert done.stdout == "nothing\n", done.stderr


def test_what_holds_more_than_it_may_goes_oldest_first(bench):
    pytest.importorskip("numpy")
    past = Past(bench.shell, budget=Budget(share=0.0))
    try:
        past.run("import numpy as np\na = np.ones(2_000_000)", cell_id="a")
        past.run("a += 1", cell_id="b")
        until(lambda: past.kept.before("b", "") is None)
        assert past.shell.user_ns["a"][0] == 2
        with pytest.raises(SessionError, match=r"Checkpoints were dropped: memory is short\."):
            undo(past.shell, past.kept)
        until(lambda: not past.kept.kept)
        said = "Without variables: cell 1, cell 2. Checkpoints were dropped: memory is short."
        assert said in past.kept.status()
        assert said in timeline_lines(past.kept.moments)
    finally:
        past.kept.close()


def test_a_cell_that_writes_in_place_to_much_memory_gets_none_the_next_time_and_it_says_so(past, monkeypatch):
    pytest.importorskip("numpy")
    monkeypatch.setattr("spark_jupyter.sandbox.checkpoints.checkpoint_costs._TAX", 8 << 20)
    monkeypatch.setattr("spark_jupyter.sandbox.checkpoints.checkpoint_costs._SHARE_OF_RUN", 0.0)
    past.run("import numpy as np\na = np.ones(8_000_000)")
    past.run("a += 1")
    until(lambda: any("gets no checkpoint" in line for line in past.kept.status()))
    past.run("a += 1")
    assert past.kept.last_run()[1] is None
    assert "gets no checkpoint when it runs again" in past.kept.moments[-1].lost
    past.run("b = 1")
    assert past.kept.last_run()[1] is not None
    past.kept.switch("on")
    past.run("a += 1")
    assert past.kept.last_run()[1] is not None


def test_there_are_none_where_they_are_off_or_refused_or_the_kernel_is_large(bench):
    past = Past(bench.shell, mode="off")
    past.run("x = 1")
    assert past.kept.last_run()[1] is None
    assert past.kept.status() == ["Checkpoints are off."]
    past.kept.switch("auto")
    past.run("x = 2")
    assert past.kept.last_run()[1] is not None
    past.kept.costs.budget = Budget(size=1)
    past.run("x = 3")
    assert past.kept.last_run()[1] is None
    past.kept.switch("off")
    past.kept.close()
    refused = Past(bench.shell, refused=lambda: "Not here.")
    refused.run("x = 1")
    assert refused.kept.status() == ["No checkpoints. Not here."]
    refused.kept.close()


def test_what_spark_and_silent_cells_run_is_no_run_and_a_cell_that_runs_another_is_one(past):
    past.shell.run_cell("x = 1", store_history=False)
    past.run("%spark status")
    assert past.kept.runs == ()
    past.run("get_ipython().run_cell('y = 1', store_history=True)")
    assert [run.source[:11] for run in past.kept.runs] == ["get_ipython"]


def test_a_run_knows_that_it_failed(past):
    past.run("1 / 0")
    assert past.kept.last_run()[0].failed
    past.run("1 / 1")
    assert not past.kept.last_run()[0].failed


def test_a_checkpoint_holds_no_pipe_open_whose_reader_waits_for_its_end(past):
    past.run("import subprocess\np = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)")
    past.run("x = 1")
    past.run("out, _ = p.communicate(b'said', timeout=60)")
    assert past.shell.user_ns["out"] == b"said"


def test_a_lock_on_a_file_that_the_kernel_gives_back_is_not_kept_by_a_checkpoint(past, tmp_path):
    file = tmp_path / "lock"
    past.run(f"import fcntl\nf = open({str(file)!r}, 'w')\nfcntl.flock(f, fcntl.LOCK_EX)")
    past.run("x = 1")
    past.run("f.close()")
    import fcntl

    with file.open("w") as other:

        def free() -> bool:
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return False
            return True

        until(free)


def test_checkpoints_end_with_a_kernel_that_is_killed(tmp_path):
    source = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "from traitlets.config import Config\n"
        "from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints\n"
        "import os, sys, time\n"
        "shell = InteractiveShell(config=Config({'HistoryManager': {'enabled': False}}))\n"
        "kept = Checkpoints(shell)\n"
        "for n in range(3): shell.run_cell(f'x = {n}', store_history=True)\n"
        "print(*[one.checkpoint.pid for one in kept.kept], flush=True)\n"
        "time.sleep(60)\n"
    )
    kernel = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    assert kernel.stdout is not None
    pids = [int(word) for word in kernel.stdout.readline().split()]
    assert len(pids) == 3
    assert all(Path(f"/proc/{pid}").exists() for pid in pids)
    kernel.send_signal(signal.SIGKILL)
    kernel.wait()
    until(lambda: not any(_lives(pid) for pid in pids))


def _lives(pid: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_a_checkpoint_that_was_killed_makes_no_copy_and_the_next_cell_has_its_own(past):
    past.run("x = 1")
    past.run("x = 2", cell_id="b")
    checkpoint = past.kept.before("b", "").checkpoint
    os.kill(checkpoint.pid, signal.SIGKILL)
    with pytest.raises(OSError, match=r"checkpoint has ended|Broken pipe|reset"):
        past.told(checkpoint, "print(1)")
    past.run("x = 3", cell_id="c")
    assert past.told(past.kept.before("c", "").checkpoint, "print(x)") == "2\n"


def test_a_checkpoint_that_ended_or_does_not_answer_is_told_as_lost(past, monkeypatch):
    for number in range(3):
        past.run(f"x = {number}")
    killed, stopped, _ = (one.checkpoint for one in past.kept.kept)
    os.kill(killed.pid, signal.SIGKILL)
    until(lambda: not killed.alive)
    os.kill(stopped.pid, signal.SIGSTOP)
    stopped._socket.settimeout(0.1)
    with pytest.raises(TimeoutError):
        past.told(stopped, "print(1)")
    until(lambda: not stopped.alive)
    assert lost_lines(past.kept.moments) == ["Without variables: cell 1, cell 2. Its process has ended."]


def test_a_checkpoint_that_was_killed_leaves_no_zombie_and_no_socket(past):
    for number in range(2):
        past.run(f"x = {number}")
    killed, _ = (one.checkpoint for one in past.kept.kept)
    os.kill(killed.pid, signal.SIGKILL)
    until(lambda: not killed.alive)
    past.kept.drop("They were switched off.")
    assert killed._socket.fileno() == -1
    with pytest.raises(ProcessLookupError):
        os.kill(killed.pid, 0)


def test_a_moment_that_went_as_newer_ones_came_is_told_as_such(past, monkeypatch):
    monkeypatch.setattr("spark_jupyter.sandbox.checkpoints.moments.RECENT", 2)
    for number in range(6):
        past.run(f"x = {number}")
    past.kept.came_back(past.kept.before_run(4))
    with pytest.raises(SessionError, match=r"checkpoint from before \[3\]\. Only some of the older moments are kept"):
        undo(past.shell, past.kept)


def test_memory_is_measured_once_for_all_cells_that_ended_meanwhile():
    did = []
    threads = CheckpointThreads(weigh=lambda: did.append("weigh"), limit=lambda: did.append("limit"), is_running=bool)
    for number in range(3):
        threads.measure(lambda number=number: did.append(number))
    try:
        threads.start()
        until(lambda: "limit" in did)
    finally:
        threads.close()
    assert did == ["weigh", 0, 1, 2, "limit"]


def test_contents_of_files_that_a_container_may_forget_are_free(tmp_path, monkeypatch):
    limit, used, stat = tmp_path / "max", tmp_path / "current", tmp_path / "stat"
    for path, text in ((limit, "100000"), (used, "90000"), (stat, "anon 20000\ninactive_file 60000\n")):
        path.write_text(text)
    monkeypatch.setattr("spark_jupyter.sandbox.memory_usage._GROUP_LIMITS", [(str(limit), str(used), str(stat))])
    assert free() == 70_000


def test_the_account_of_a_copy_tells_what_changed_since_the_checkpoint(past):
    past.run("x = 1")
    past.run("x = 2")
    copy = Copy(past.kept.last_run()[1].checkpoint, [Execute(source="y = x")], allow=(), limits=Limits())
    said = []
    try:
        copy.give(10)
        copy.listen(said.append)
    finally:
        copy.close()
    ended = next(one for one in said if isinstance(one, Ended))
    assert [(effect.action, effect.name, effect.after) for effect in ended.effects] == [("new", "y", "int 1")]


def test_a_moment_before_a_turn_has_the_variables_of_then_after_an_undo_or_none(past):
    past.kept.begin_turn("early", "a prompt")
    past.kept.begin_turn("other", "a prompt")
    past.run("turned = 1")
    past.kept.add_turn("early")
    past.kept.begin_turn("late", "a prompt")
    past.kept.begin_turn("latest", "a prompt")
    past.kept.add_turn("late")
    assert [(one.turn_id, one.unchanged) for one in past.kept.moments if one.turn_id] == [
        ("early", False),
        ("late", True),
    ]
    undo(past.shell, past.kept)
    assert [(one.turn_id, one.unchanged) for one in past.kept.moments if one.turn_id] == [
        ("early", True),
        ("late", False),
    ]
    past.kept.add_turn("other")
    past.kept.add_turn("latest")  # they begin before the run is undone, and are accepted after it
    turns = {one.turn_id: one for one in past.kept.moments if one.turn_id}
    assert {name: one.unchanged for name, one in turns.items()} == {
        "early": True,
        "other": True,
        "late": False,
        "latest": False,
    }
    assert turns["latest"].why_lost == "The run before it was undone."
    past.run("None")
    assert {one.turn_id: one.alive for one in past.kept.moments if one.turn_id} == {"early": True, "other": True}


def test_a_run_has_the_number_that_its_prompt_has(past):
    numbers = []
    past.shell.events.register("post_run_cell", lambda result: numbers.append(result.execution_count))
    for source in ("x = 1", "x = 2", "1 / 0", "x = 3"):
        past.run(source)
    assert [run.number for run in past.kept.runs] == numbers
    assert past.kept.runs[-1].cell_id == f"in-{numbers[-1]}"


def test_closed_there_is_no_thread_of_it_left(past):
    past.run("x = 1")
    past.run("x = 2")
    past.kept.close()
    for name in ("spark-checkpoints", "spark-checkpoint-costs"):
        until_ended(name)


def test_a_fork_says_nothing_where_another_thread_first_needs_a_pool_of_threads_just_then():
    forking = (
        "import os, threading\n"
        "import spark_jupyter.sandbox.forking\n"
        "def other():\n"
        "    thread = threading.Thread(target=lambda: __import__('concurrent.futures.thread'))\n"
        "    thread.start()\n"
        "    thread.join()\n"
        "os.register_at_fork(before=other)\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    os._exit(0)\n"
        "os.waitpid(pid, 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", forking], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
