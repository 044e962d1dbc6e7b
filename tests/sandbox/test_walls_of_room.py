"""Limits of a copy, and its end: memory, its folder, its messages, its processes, its remains."""

from __future__ import annotations

import os
import resource
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from spark_jupyter.sandbox import Limits, scratch_folder
from spark_jupyter.sandbox.copy_protocol import Execute, Said
from spark_jupyter.sandbox.forking import Copy, LiveKernel
from spark_jupyter.sandbox.walls import enforced
from tests.sandbox import attacks
from tests.sandbox.attempts import held
from tests.sandbox.leavings import until

pytestmark = pytest.mark.skipif(bool(enforced().missing), reason=enforced().missing)


def test_a_folder_that_grows_without_end_ends_the_copy(bench):
    many = "import os\nfor n in range(10_000):\n    open(f\"{os.environ['TMPDIR']}/{n}\", 'wb').write(bytes(1 << 20))"
    assert "MB of temporary files" in bench.attempt(many, folder=40 << 20, seconds=60).problem
    hidden = (
        "import os, time\nkept = []\nfor n in range(10_000):\n    file = open(f\"{os.environ['TMPDIR']}/x\", 'wb')\n"
        "    os.unlink(file.name); file.write(bytes(1 << 20)); kept.append(file)\n    time.sleep(0.002)"
    )
    assert "MB of temporary files" in bench.attempt(hidden, folder=40 << 20, seconds=60).problem


IN_BUFFERS = """
import os, socket
block, total, kept = bytes(1 << 16), 0, []
try:
    while total < 1 << 30:
        one, other = {pair}
        kept.append((one, other))
        os.set_blocking(other if type(other) is int else other.fileno(), False)
        try:
            while True:
                total += os.write(other, block) if type(other) is int else other.send(block)
        except BlockingIOError:
            pass
except OSError:
    pass
print(total)
"""


@pytest.mark.parametrize(("pair", "most"), [("os.pipe()", 96 << 20), ("wide()", 512 << 20)])
def test_what_waits_in_pipes_and_sockets_is_little_memory(bench, pair, most):
    """Without the limits it is as much as the system lets one ask for: of sockets gigabytes."""
    bench.given(
        "import socket\ndef wide():\n    one, other = socket.socketpair()\n"
        "    other.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 << 20)\n    return one, other"
    )
    assert 0 < int(bench.printed(IN_BUFFERS.format(pair=pair))) < most


def test_to_open_more_files_than_a_copy_may_is_no_fault_of_the_code(bench):
    result = bench.attempt("kept = [open('/dev/null') for _ in range(5_000)]")
    assert result.not_tried == "it opens more files than a copy may"
    assert bench.printed("print(len([open('/dev/null') for _ in range(900)]))") == "900\n"


UNSEEN = """
os.chdir(os.environ['TMPDIR'])
for depth in range({depth}):
    call('mkdirat', -100, {name!r}, {mode}), call('chdir', {name!r})
for n in range(1000):
    file = call('openat', -100, b'%d' % n, 0o102, 0o600)
    os.write(file, bytes(1 << 20)), os.close(file)
"""


@pytest.mark.parametrize(
    ("depth", "name", "mode"),
    [(1, b"closed", 0o300), (25, b"x" * 200, 0o700), (3_000, b"x", 0o700)],
    ids=["closed", "too long a path", "too deep"],
)
def test_what_can_not_be_measured_in_its_folder_ends_the_copy_and_is_taken_away(
    attempt, tmp_path, monkeypatch, depth, name, mode
):
    folders = tmp_path / "folders"
    folders.mkdir()
    folders.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(folders))
    result = attempt(UNSEEN.format(depth=depth, name=name, mode=mode), folder=20 << 20)
    assert "MB of temporary files" in result.problem
    until(lambda: not list(folders.iterdir()))


def test_a_copy_that_is_quicker_than_the_next_look_at_its_folder_is_measured_all_the_same(bench, monkeypatch):
    from spark_jupyter.sandbox import forking

    monkeypatch.setattr(forking, "_EVERY", float("inf"))
    source = "import os\nopen(os.environ['TMPDIR'] + '/x', 'wb').write(bytes({size} << 20))"
    assert bench.printed(source.format(size=1) + "; print('done')", folder=2 << 20) == "done\n"
    assert "more than 2 MB of temporary files" in bench.attempt(source.format(size=4), folder=2 << 20).problem


MAPPED = """
import ctypes, time
libc = ctypes.CDLL(None)
for n in range(100):
    path = f"{os.environ['TMPDIR']}/{n}"
    with open(path, 'w+b') as file:
        os.posix_fallocate(file.fileno(), 0, 8 << 20)
        libc.mmap(None, 4096, 3, 1, file.fileno(), ctypes.c_long(0))
        os.unlink(path)
    time.sleep(0.02)
"""


def test_a_deleted_file_of_which_a_page_is_mapped_counts_whole(bench):
    result = bench.attempt(f"import os{MAPPED}", folder=40 << 20, seconds=60)
    assert "MB of temporary files" in result.problem


def test_no_file_without_a_name_is_kept_where_nobody_measures_it(attempt):
    held(attempt(attacks.HIDDEN_FILES), parts=4)


def test_where_memory_runs_out_a_copy_is_ended_and_not_the_kernel(bench):
    assert bench.printed("print(open('/proc/self/oom_score_adj').read())") == "1000\n\n"


FLOOD = """
import gc, os
from spark_jupyter.sandbox.copy_protocol import Ran, frame
report = next(one for one in gc.get_objects() if type(one).__name__ == '_Copy')._report
data = frame(Ran(error='x' * 2_000)) * 30
while True:
    os.write(report, data)
"""


def test_a_copy_that_never_stops_saying_things_is_ended(bench, monkeypatch):
    from spark_jupyter.sandbox import forking

    monkeypatch.setattr(forking, "MOST_SAID", 4 << 20)
    assert "shows more than a copy may" in bench.attempt(FLOOD).problem


PRETENDS = """
import gc, os, time
from spark_jupyter.sandbox.copy_protocol import Ran, frame
report = next(one for one in gc.get_objects() if type(one).__name__ == '_Copy')._report
while True:
    try:
        os.write(report, frame(Ran(error='it says that it has ended')))
        time.sleep(0.05)
    except BaseException:
        pass
"""


def test_a_copy_that_says_it_has_ended_and_lives_on_is_ended(bench):
    copy = Copy(LiveKernel(bench.shell), [Execute(source=PRETENDS)], allow=(), limits=Limits(seconds=0.5), stays=True)
    heard = []

    def hear(message: Said) -> None:
        heard.append(message)
        copy.give(None)  # it has nothing to do, as far as one knows
        copy.finish()

    try:
        copy.give(60)
        copy.listen(hear)
    finally:
        copy.close()
    assert heard
    assert "it takes more than" in copy.problem


def test_locks_of_processes_and_temporary_files_leave_nothing_behind(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    source = """
import multiprocessing, tempfile
lock, gate = multiprocessing.Lock(), multiprocessing.Semaphore(3)
with lock, gate:
    open(tempfile.mkstemp()[1], "w").write("x")
print("held", lock._semlock.name, gate._semlock.name)
"""
    assert "held None None" in bench.printed(source)  # what has a name is a file in /dev/shm
    until(lambda: not list(tmp_path.iterdir()))


def test_a_file_has_a_limit(bench):
    result = bench.attempt("import os\nopen(os.environ['TMPDIR'] + '/x', 'wb').write(bytes(3 << 20))", file=1 << 20)
    assert "File too large" in result.error


def test_what_dead_copies_left_behind_is_cleared_and_what_lives_is_not(tmp_path, monkeypatch):
    from spark_jupyter.sandbox import scratch_folder

    monkeypatch.setattr(scratch_folder.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch_folder, "_YOUNG", 0.0)
    alive = scratch_folder.Folder()
    left = tmp_path / "spark-try-left"
    left.mkdir()
    (left / "file").write_text("x")
    (tmp_path / "spark-try-link").symlink_to(tmp_path)
    (tmp_path / "other").mkdir()
    pid = os.fork()
    if pid == 0:  # another kernel; in this one the folder's own lock would be had twice
        scratch_folder.clear_leftovers()
        os._exit(0)
    os.waitpid(pid, 0)
    assert sorted(os.listdir(tmp_path)) == sorted([Path(alive.path).name, "spark-try-link", "other"])
    alive.remove()
    assert sorted(os.listdir(tmp_path)) == ["other", "spark-try-link"]


def test_what_was_forked_where_that_was_allowed_ends_with_the_copy(attempt):
    source = """
import sys, time
reading, writing = os.pipe()
for _ in range(3):
    if libc.fork() == 0:
        refused = libc.setsid() < 0 and libc.setpgid(0, 0) < 0
        if libc.fork():
            os._exit(0)
        os.write(writing, f'{os.getpid()} {refused}\\n'.encode())
        time.sleep(600)
        os._exit(0)
told = b''
while told.count(b'\\n') < 3:
    told += os.read(reading, 100)
print(told.decode())
"""
    for ending in ("", "os._exit(3)"):
        result = attempt(source + "sys.stdout.flush(); " + (ending or "pass"), allow=("shell",))
        words = "".join(output.text for output in result.outputs).split()
        assert words[1::2] == ["True"] * 3, result
        until(lambda words=words: not any(map(_runs, words[::2])))  # a killed process takes a moment to be gone


def test_a_copy_that_leaves_while_a_child_of_it_lives_has_ended(bench):
    source = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\n    os._exit(0)\nos._exit(3)"
    result = bench.attempt(source, allow=("shell",))
    assert "exit status 3" in result.problem


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("left", range(9))
def test_where_descriptors_run_out_a_copy_is_refused_and_nothing_is_left(bench, tmp_path, monkeypatch, left):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = len(os.listdir("/proc/self/fd"))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    fillers = [os.dup(0) for _ in range(20)]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(fillers) + 1 + left, hard))
        with suppress(OSError):
            Copy(LiveKernel(bench.shell), [], allow=(), limits=Limits()).close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for filler in fillers:
            os.close(filler)
    until(lambda: len(os.listdir("/proc/self/fd")) <= before)
    assert not list(tmp_path.iterdir())


def test_a_folder_of_a_kernel_that_died_a_moment_ago_goes_at_the_next_start(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch_folder, "_YOUNG", 0.2)
    (tmp_path / "spark-try-dead").mkdir()
    scratch_folder.clear_leftovers()
    assert not list(tmp_path.iterdir())
