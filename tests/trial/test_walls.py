"""What holds a copy, whoever attacks: native code, a thread between statements, a sub-interpreter, Python that patched our hook.

Each is run as who we are and, where that is root, as an ordinary user too.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import pty
import socket
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from spark_jupyter.trial import Limits
from spark_jupyter.trial.copying import Copy, Now
from spark_jupyter.trial.protocol import Execute, Said
from spark_jupyter.trial.walls import enforced
from spark_jupyter.trial.walls.policy import rules
from spark_jupyter.wire.tries import TrialResult
from tests.trial import attacks
from tests.trial.leavings import until

pytestmark = pytest.mark.skipif(bool(enforced().missing), reason=enforced().missing)

NOBODY = 65534
ANSWERS = (
    *("through", "Operation not permitted", "Permission denied", "Function not implemented", "Operation not supported"),
    *("Invalid argument", "Inappropriate ioctl for device", "Invalid cross-device link"),
)
"""What the system may say to an attack; anything else (a wrong address, no such process) would be the attack's own fault."""
Attempt = Callable[..., TrialResult]


@pytest.fixture(params=["as we are", "as an ordinary user"])
def attempt(request, bench, tmp_path, monkeypatch) -> Attempt:
    """Try a source that begins with the attacks' prelude, in a folder that is not the test's own."""
    folder = tmp_path / "working"
    folder.mkdir()
    for path in (
        folder,
        *folder.parents,
    ):  # of pytest's own folders there is one more where it runs in several processes
        if path != Path(tempfile.gettempdir()) and path.is_relative_to(tempfile.gettempdir()):
            path.chmod(0o755)
    monkeypatch.chdir(folder)
    ordinary = request.param != "as we are"
    if ordinary and os.getuid():
        pytest.skip("that is who we are")
    bench.attempt("1")
    for name in ("encodings.idna", "getpass", "resource"):  # an ordinary user may not be able to read root's Python
        importlib.import_module(name)

    def run(source: str, **options: object) -> TrialResult:
        whole = attacks.prelude() + source
        options.setdefault("seconds", 60)
        return _as_nobody(lambda: bench.attempt(whole, **options)) if ordinary else bench.attempt(whole, **options)

    return run


def _as_nobody(work: Callable[[], TrialResult]) -> TrialResult:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(msgspec.msgpack.encode(work()))
            for thread in threading.enumerate():
                if thread.name == "spark-try":
                    thread.join()  # takes away what the copy leaves
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(pid, 0)
    return msgspec.msgpack.decode(data, type=TrialResult)


def said(result: TrialResult) -> dict[str, str]:
    """What became of each part of an attack."""
    assert not result.problem, result.problem
    assert not result.error, result.error
    lines = "".join(output.text for output in result.outputs if output.kind == "stdout").splitlines()
    refusals = (
        "through",
        "Operation not permitted",
        "Permission denied",
        "Function not implemented",
        "Operation not supported",
    )
    parts = {}
    for line in lines:
        how = next(
            text
            for text in (*refusals, "Invalid argument", "Inappropriate ioctl for device", "Invalid cross-device link")
            if line.endswith(text)
        )
        parts[line.removesuffix(how).strip()] = how
    return parts


def held(result: TrialResult, *, parts: int) -> dict[str, str]:
    """All of an attack, of which nothing came through."""
    came = said(result)
    assert len(came) >= parts, came
    assert [name for name, how in came.items() if how == "through"] == []
    return came


def test_no_socket_of_any_family_is_had(attempt):
    held(attempt(attacks.NETWORK), parts=11)


def test_an_event_loop_still_wakes_itself(attempt):
    result = attempt("import asyncio\nprint(asyncio.run(asyncio.sleep(0, 'awake')))")
    assert "awake" in result.outputs[0].text


def test_no_program_is_started_by_any_call(attempt):
    held(attempt(attacks.PROGRAMS), parts=7)


def test_no_other_process_is_signalled_limited_or_slowed(attempt):
    held(attempt(attacks.OTHERS), parts=14)


def test_hard_limits_can_not_be_raised_again(attempt):
    held(attempt(attacks.LIMITS), parts=4)


def test_no_memory_is_shared_with_another_process(attempt):
    number = attacks.number_of_segment()
    there = Path("/dev/shm/spark-walls-there")
    there.write_bytes(b"kept")
    there.chmod(0o666)
    try:
        held(attempt(attacks.SHARED.format(shm=number)), parts=7)
        assert there.read_bytes() == b"kept"
        assert not Path("/dev/shm/spark-walls-new").exists()
    finally:
        there.unlink()
        attacks.remove_segment(number)


def test_no_file_of_the_users_is_written_cut_or_touched(attempt, tmp_path):
    file = tmp_path / "working" / "kept.txt"
    file.write_text("kept")
    file.chmod(0o666)
    os.utime(file, (1, 1))
    held(attempt(attacks.FILES.format(file=os.fsencode(file))), parts=15)
    assert (file.read_text(), file.stat().st_mtime) == ("kept", 1)
    assert os.listdir(file.parent) == ["kept.txt"]


def test_what_is_outside_is_not_read(attempt, tmp_path):
    secret = tmp_path / "elsewhere" / "key"
    secret.parent.mkdir()
    secret.parent.chmod(0o755)
    secret.write_text("secret")
    secret.chmod(0o644)
    held(attempt(attacks.READS.format(paths=[os.fsencode(secret)])), parts=5)
    allowed = said(attempt(f"tell(call('openat', -100, {os.fsencode(secret)!r}, 0, 0), 'key')", allow=("read",)))
    assert allowed == {"key": "through"}


def test_a_read_that_is_refused_is_said_in_words_and_reported(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "near.txt").write_text("near")
    assert bench.printed("print(open('near.txt').read())") == "near\n"
    result = bench.attempt("open('/etc/shadow').read()")
    assert "reads only the working folder" in result.error
    assert "--allow read" in result.error
    assert result.refused
    assert [(e.kind, e.action, e.name) for e in result.effects if e.refused] == [("file", "read", "/etc/shadow")]
    assert "FileNotFoundError" in bench.attempt("open('/etc/nothing-of-this-name')").error


def test_the_home_as_working_folder_keeps_what_is_hidden(bench, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id").write_text("key")
    (tmp_path / "data.csv").write_text("a\n1\n")
    assert bench.printed("import os\nprint(sorted(os.listdir()), open('data.csv').read())").startswith(
        "['.ssh', 'data.csv'] a"
    )
    assert "reads only" in bench.attempt("open('.ssh/id').read()").error


def test_what_the_kernel_has_open_can_be_read(bench, tmp_path, monkeypatch):
    (tmp_path / "working").mkdir()
    monkeypatch.chdir(tmp_path / "working")
    outside = tmp_path / "outside.txt"
    outside.write_text("open")
    bench.shell.user_ns["held"] = outside.open()  # no cell names it
    assert bench.printed(f"print(held.read(), open({str(outside)!r}).read())") == "open open\n"
    bench.given("held.close()")
    assert "reads only" in bench.attempt(f"open({str(outside)!r}).read()").error


THREAD = """
import threading, time, socket
def later():
    time.sleep(0.2)
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {port}))
    except OSError as error:
        print('refused', error.errno)
thread = threading.Thread(target=later)
thread.start()
thread.join()
"""

PATCHED = """
import gc, socket
for one in gc.get_objects():
    if type(one).__name__ == 'Audit':
        type(one)._effect = lambda *args, **options: None
        one._handlers.clear()
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {port}))
except OSError as error:
    print('refused', error.errno)
try:
    open({file!r}, 'w')
except OSError as error:
    print('refused', error.errno)
"""

INTERPRETER = """
import _xxsubinterpreters as interpreters
code = '''
import socket
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", {port}))
except OSError as error:
    import os; os.write(1, b"refused %d" % error.errno)
'''
interpreters.run_string(interpreters.create(), code)
"""


@pytest.fixture
def receiver() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.bind(("127.0.0.1", 0))
        made.settimeout(0.2)
        yield made


@pytest.mark.parametrize("source", [THREAD, PATCHED, INTERPRETER], ids=["thread", "patched", "interpreter"])
def test_what_the_hook_can_not_see_is_held_all_the_same(attempt, request, receiver, tmp_path, source):
    if source is INTERPRETER and sys.version_info >= (3, 12):
        pytest.skip("sub-interpreters have another name here")
    if source is INTERPRETER and "ordinary" in request.node.name and sys.base_prefix.startswith("/root"):
        pytest.skip("a new interpreter has to read Python's files, which are root's own here")
    file = tmp_path / "working" / "new.txt"
    source = source.replace("{port}", str(receiver.getsockname()[1])).replace("{file!r}", repr(str(file)))
    result = attempt(source)
    assert "refused" in "".join(output.text for output in result.outputs), result
    with pytest.raises(TimeoutError):
        receiver.recv(1)
    assert not file.exists()


def test_a_name_is_not_looked_up_and_that_is_said(bench):
    for source in ("gethostbyaddr('192.0.2.1')", "getnameinfo(('192.0.2.1', 80), 0)", "gethostbyname('x.example')"):
        result = bench.attempt(f"import socket\nsocket.{source}")
        assert "uses no network" in result.error
        assert any(effect.kind == "network" and effect.refused for effect in result.effects)


def test_there_is_no_terminal_to_write_or_to_type_into(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = attacks.prelude() + (
        "tell(call('openat', -100, b'/dev/tty', 2, 0), 'tty')\n"
        "tell(call('openat', -100, os.fsencode({name!r}), 1, 0), 'its device')\n"
        "for fd in range(20): assert call('ioctl', fd, 0x5412, b'x') < 0\n"
    )
    bench.attempt("1")
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            result = bench.attempt(source.replace("{name!r}", repr(os.ttyname(0))), seconds=60)
            (tmp_path / "said").write_bytes(msgspec.msgpack.encode(result))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(terminal)
    held(msgspec.msgpack.decode((tmp_path / "said").read_bytes(), type=TrialResult), parts=2)


def test_a_file_that_is_mapped_to_be_read_can_not_be_made_writable(bench, tmp_path):
    file = tmp_path / "mapped.bin"
    file.write_bytes(bytes(4096))
    bench.given(
        f"import mmap, ctypes\nopened = open({str(file)!r}, 'r+b')\n"
        "mapped = mmap.mmap(opened.fileno(), 4096, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)\n"
    )
    source = (
        "with open('/proc/self/maps') as maps:\n"
        f"    start = int(next(line for line in maps if {str(file)!r} in line).split('-')[0], 16)\n"
        "libc = ctypes.CDLL(None)\n"
        "print(libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(4096), 3))\n"
        "ctypes.memset(start, 7, 10)\nprint(mapped[0])"
    )
    assert bench.printed(source) == "0\n7\n"
    assert file.read_bytes() == bytes(4096)
    bench.given("mapped.close(); opened.close()")


def test_other_number_ranges_of_the_processor_end_the_copy_or_do_not_exist(bench):
    if os.uname().machine != "x86_64":
        pytest.skip("aarch64 has one")
    source = attacks.prelude() + "numbers['x32'] = 0x40000000 | numbers['socket']\ntell(call('x32', 2, 1, 0), 'x32')\n"
    assert held(bench.attempt(source), parts=1) == {"x32": "Function not implemented"}
    code = "b8660100006a005b31c931d2cd80c3"  # mov eax, 359 (socket of i386); … int 0x80; ret
    native = (
        "import ctypes, mmap\n"
        "page = mmap.mmap(-1, 4096, prot=7)\n"
        f"page.write(bytes.fromhex({code!r}))\n"
        "print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())"
    )
    assert "SIGSYS" in bench.attempt(native).problem


@pytest.fixture
def outside(tmp_path, monkeypatch) -> Path:
    """A file beside the working folder."""
    (tmp_path / "working").mkdir()
    monkeypatch.chdir(tmp_path / "working")
    file = tmp_path / "elsewhere" / "data.csv"
    file.parent.mkdir()
    file.write_text("a\n1\n")
    return file


def test_what_a_persons_cells_and_prompts_name_can_be_read_and_nothing_beside_it(bench, outside):
    reading = f"print(open({str(outside)!r}).read())"
    assert bench.attempt(reading).refused
    bench.given(f"path = {str(outside)!r}")
    assert bench.printed(reading) == "a\n1\n\n"
    (outside.parent / "other.csv").write_text("b")
    assert bench.attempt(f"open({str(outside.parent / 'other.csv')!r})").refused
    bench.trials.named.say(f"plot all of {outside.parent}/, please")
    assert bench.printed(f"print(open({str(outside.parent / 'other.csv')!r}).read())") == "b\n"


def test_what_the_model_wrote_names_nothing_also_where_a_person_ran_it(bench, outside):
    source = f"path = {str(outside)!r}"
    bench.trials.named.propose(source)
    bench.given(source + "  # a person changed a word of it")
    assert bench.attempt("open(path)").refused
    bench.trials.named.say(f"load {outside}", prompt=True)
    assert not bench.attempt("open(path)").refused


@pytest.mark.parametrize("path", ["/", "/etc", "~", "/proc", "/tmp", "/home"])
def test_a_name_of_everything_is_no_leave_to_read_it(bench, path):
    bench.trials.named.say(f"what = {path!r}")
    assert bench.attempt("import os\nopen('/etc/shadow')\n").refused
    assert bench.attempt(f"import os\nos.listdir(os.path.expanduser({path!r}))").refused


def test_a_folder_that_grows_without_end_ends_the_copy(bench):
    many = "import os\nfor n in range(10_000):\n    open(f\"{os.environ['TMPDIR']}/{n}\", 'wb').write(bytes(1 << 20))"
    assert "temporary folder" in bench.attempt(many, folder=40 << 20, seconds=60).problem
    hidden = (
        "import os, time\nkept = []\nfor n in range(10_000):\n    file = open(f\"{os.environ['TMPDIR']}/x\", 'wb')\n"
        "    os.unlink(file.name); file.write(bytes(1 << 20)); kept.append(file)\n    time.sleep(0.002)"
    )
    assert "temporary folder" in bench.attempt(hidden, folder=40 << 20, seconds=60).problem


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
    assert "temporary folder" in result.problem
    until(lambda: not list(folders.iterdir()))


def test_no_file_without_a_name_is_kept_where_nobody_measures_it(attempt):
    held(attempt(attacks.HIDDEN_FILES), parts=4)


def test_what_was_typed_in_other_notebooks_is_not_read(tmp_path, monkeypatch, attempt, bench):
    folder = tmp_path / "profile"
    folder.mkdir()
    folder.chmod(0o777)
    history = folder / "history.sqlite"
    with sqlite3.connect(history) as connection:
        connection.execute("create table history as select 'typed elsewhere' as source")
    history.chmod(0o666)
    connection.close()
    monkeypatch.setattr(bench.shell.history_manager, "hist_file", str(history))
    source = f"""
tell(call('openat', -100, {os.fsencode(history)!r}, 0, 0), 'its file')
for name in os.listdir('/proc/self/fd'):
    if 'history' in os.path.realpath('/proc/self/fd/' + name): tell(0, name)
for name in os.listdir(os.environ['TMPDIR']):
    assert b'typed elsewhere' not in open(os.environ['TMPDIR'] + '/' + name, 'rb').read(), name
"""
    with history.open("r+b"):  # as IPython has
        held(attempt(source), parts=1)


def test_where_memory_runs_out_a_copy_is_ended_and_not_the_kernel(bench):
    assert bench.printed("print(open('/proc/self/oom_score_adj').read())") == "1000\n\n"


FLOOD = """
import gc, os
from spark_jupyter.trial.protocol import Ran, frame
report = next(one for one in gc.get_objects() if type(one).__name__ == '_Copy')._report
data = frame(Ran(error='x' * 2_000)) * 30
while True:
    os.write(report, data)
"""


def test_a_copy_that_never_stops_saying_things_is_ended(bench, monkeypatch):
    from spark_jupyter.trial import copying

    monkeypatch.setattr(copying, "MOST_SAID", 4 << 20)
    assert "said more than" in bench.attempt(FLOOD).problem


PRETENDS = """
import gc, os, time
from spark_jupyter.trial.protocol import Ran, frame
report = next(one for one in gc.get_objects() if type(one).__name__ == '_Copy')._report
while True:
    try:
        os.write(report, frame(Ran(error='it says that it has ended')))
        time.sleep(0.05)
    except BaseException:
        pass
"""


def test_a_copy_that_says_it_has_ended_and_lives_on_is_ended(bench):
    copy = Copy(Now(bench.shell), [Execute(source=PRETENDS)], allow=(), limits=Limits(seconds=0.5), stays=True)
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
    assert "still running" in copy.problem


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
    from spark_jupyter.trial import folders

    monkeypatch.setattr(folders.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(folders, "_YOUNG", 0.0)
    alive = folders.Folder()
    left = tmp_path / "spark-try-left"
    left.mkdir()
    (left / "file").write_text("x")
    (tmp_path / "spark-try-link").symlink_to(tmp_path)
    (tmp_path / "other").mkdir()
    pid = os.fork()
    if pid == 0:  # another kernel; in this one the folder's own lock would be had twice
        folders.clear_leftovers()
        os._exit(0)
    os.waitpid(pid, 0)
    assert sorted(os.listdir(tmp_path)) == sorted([Path(alive.path).name, "spark-try-link", "other"])
    alive.remove()
    assert sorted(os.listdir(tmp_path)) == ["other", "spark-try-link"]


@pytest.mark.parametrize(
    ("lacking", "said"),
    [("seccomp", "the network, programs, and other processes"), ("landlock", "what it reads and writes")],
)
def test_where_a_wall_is_missing_nothing_is_rehearsed_and_a_try_says_so(bench, monkeypatch, lacking, said):
    from spark_jupyter.fronts.text.words import what_was_kept
    from spark_jupyter.trial import no_rehearsal
    from spark_jupyter.trial.walls import filesystem, seccomp

    assert no_rehearsal() == ""
    if lacking == "seccomp":
        monkeypatch.setattr(seccomp, "available", lambda: False)
    else:
        monkeypatch.setattr(filesystem, "interface", lambda: 0)
    assert said in no_rehearsal()
    result = bench.attempt("x = 1")
    assert not result.problem
    assert said in what_was_kept([result])


def test_a_wall_that_can_not_be_put_up_where_it_should_be_is_the_end_of_the_copy(bench, monkeypatch):
    from spark_jupyter.trial.walls import filesystem

    def fail(*args: object) -> None:
        raise OSError("no wall")

    monkeypatch.setattr(filesystem, "confine", fail)
    result = bench.attempt("print('ran')")
    assert "no wall" in result.problem
    assert result.outputs == ()


def test_without_namespaces_everything_holds(attempt, monkeypatch, tmp_path):
    from spark_jupyter.trial.walls import namespaces

    monkeypatch.setattr(namespaces, "enter", lambda allowed: False)
    for attack, parts in ((attacks.NETWORK, 11), (attacks.PROGRAMS, 7), (attacks.OTHERS, 14), (attacks.LIMITS, 8)):
        held(attempt(attack), parts=parts)


@pytest.mark.parametrize(
    ("lacking", "down"),
    [
        (None, set()),
        ("seccomp", {"network", "programs", "other processes", "shared memory", "writes", "limits"}),
        ("landlock", {"writes", "reads"}),
    ],
)
def test_each_wall_has_a_canary_that_dies_without_it(bench, monkeypatch, lacking, down):
    from spark_jupyter.trial.walls import canaries, filesystem, seccomp

    if lacking == "seccomp":
        monkeypatch.setattr(seccomp, "available", lambda: False)
    elif lacking == "landlock":
        monkeypatch.setattr(filesystem, "interface", lambda: 0)
    assert set(canaries.fallen(bench.trials)) == down


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
        result = attempt(source + "sys.stdout.flush(); " + (ending or "pass"), allow=("shell",), seconds=8)
        words = "".join(output.text for output in result.outputs).split()
        assert words[1::2] == ["True"] * 3, result
        deadline = time.monotonic() + 10  # a killed process takes a moment to be gone
        while (left := [pid for pid in words[::2] if _runs(pid)]) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not left


def test_a_copy_that_leaves_while_a_child_of_it_lives_has_ended(bench):
    source = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\n    os._exit(0)\nos._exit(3)"
    result = bench.attempt(source, allow=("shell",), seconds=30)
    assert "exit status 3" in result.problem


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


LOCKS = """
import fcntl, sqlite3
for how in (fcntl.LOCK_SH, fcntl.LOCK_EX, fcntl.LOCK_EX | fcntl.LOCK_NB):
    with open('kept.db', 'rb') as file:
        fcntl.flock(file, how)
file = open('kept.db', 'rb')
fcntl.flock(file, fcntl.LOCK_SH)
other = open('kept.db', 'rb')
fcntl.lockf(other, fcntl.LOCK_SH)
ranges = __import__('struct').pack('hhqqi', fcntl.F_RDLCK, 0, 0, 0, 0)
for command in (fcntl.F_SETLK, fcntl.F_SETLKW, 37, 38):
    fcntl.fcntl(other, command, ranges)
connection = sqlite3.connect('kept.db')
rows = connection.execute('begin'), connection.execute('select * from t').fetchall()
print('locked', rows[1], flush=True)
import time
time.sleep(1.5)
"""


def test_a_copy_locks_no_file_of_the_users_and_reads_a_database_all_the_same(attempt, tmp_path):
    file = tmp_path / "working" / "kept.db"
    with sqlite3.connect(file) as connection:
        connection.execute("create table t as select 7 as n")
    connection.close()
    file.chmod(0o666)
    results = []
    trying = threading.Thread(target=lambda: results.append(attempt(LOCKS)))
    trying.start()
    with file.open("r+b") as opened:
        while trying.is_alive():  # the copy holds what it has locked for longer than this waits
            for lock in (fcntl.flock, fcntl.lockf):
                lock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                lock(opened, fcntl.LOCK_UN)
            trying.join(0.05)
    assert "locked [(7,)]" in "".join(output.text for output in results[0].outputs), results


def test_a_named_pipe_in_the_working_folder_is_not_read_and_what_lies_beside_it_is(attempt, tmp_path):
    working = tmp_path / "working"
    (working / "deep" / "er").mkdir(parents=True)
    for place in (working, working / "deep" / "er"):
        os.mkfifo(place / "pipe", 0o666)
        (place / "data.csv").write_text("a")
    with (
        open(os.open(working / "pipe", os.O_RDWR), "wb", 0) as top,
        open(os.open(working / "deep/er/pipe", os.O_RDWR), "wb", 0) as deep,
    ):
        top.write(b"for another program")
        deep.write(b"for another program")
        result = attempt(
            "for path in (b'pipe', b'deep/er/pipe'): tell(call('openat', -100, path, 0o4000, 0), path.decode())\n"
            "assert open('data.csv').read() == open('deep/er/data.csv').read() == 'a'\n"
            "assert sorted(os.listdir()) == ['data.csv', 'deep', 'pipe'], os.listdir()\n"
        )
        held(result, parts=2)


def test_beside_a_named_pipe_a_link_leads_nowhere_outside(attempt, tmp_path):
    working, outside = tmp_path / "working", tmp_path / "outside"
    outside.mkdir()
    outside.chmod(0o755)
    (outside / "key").write_text("secret")
    os.mkfifo(working / "pipe", 0o666)
    (working / "link").symlink_to(outside / "key")
    (working / "folder").symlink_to(outside)
    (working / "data.csv").write_text("a")
    (working / "near").symlink_to(working / "data.csv")
    source = "for path in (b'link', b'folder/key'): tell(call('openat', -100, path, 0, 0), path.decode())\n"
    held(attempt(source + "assert open('near').read() == 'a'"), parts=2)


def test_with_leave_for_the_network_programs_on_this_machine_are_not_reached(attempt, tmp_path):
    path = tmp_path / "working" / "docker.sock"
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams:
        listening.bind(os.fsencode(path))
        listening.listen()
        datagrams.bind("\0spark-" + str(os.getpid()))
        path.chmod(0o777)
        source = """
for kind in (1, 2, 5):
    tell(call('socket', 1, kind, 0), f'unix {kind}')
pair = (ctypes.c_int * 2)()
for kind in (2, 5):
    tell(call('socketpair', 1, kind, 0, ctypes.byref(pair)), f'pair {kind}')
for family, kind, protocol in ((40, 1, 0), (16, 3, 15), (17, 3, 0), (38, 5, 0), (31, 3, 1)):
    tell(call('socket', family, kind, protocol), f'{family}')
"""
        held(attempt(source, allow=("network",)), parts=10)


def test_with_leave_for_the_network_what_is_on_the_network_is_reached(attempt):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        source = f"import socket\nprint(socket.create_connection(('localhost', {listening.getsockname()[1]})).recv(2))"
        threading.Thread(target=lambda: listening.accept()[0].send(b"hi"), daemon=True).start()
        result = attempt(source, allow=("network",))
        assert "b'hi'" in "".join(output.text for output in result.outputs), result


@pytest.mark.parametrize("allowed", [(), ("files", "network", "read", "shell")])
@pytest.mark.parametrize(
    ("call", "index", "value"),
    [
        *(("ioctl", 1, number) for number in (0x5412, 0x541C, 0x540E, 0x8901, 0x8902)),
        *(("fcntl", 1, number) for number in (8, 10, 15, 1024, 1026, 1031)),
        *(("prctl", 0, number) for number in (1, 4, 8, 22, 24, 35, 38, 0x59616D61)),
    ],
)
def test_no_leave_opens_a_call_that_reaches_a_terminal_or_another_process(call, index, value, allowed):
    """Types into a terminal, sends signals to another one, waits for files of others, outlives the kernel, lets itself be traced: that a
    copy has no terminal is another wall, which a test of what comes through does not tell from this one."""
    of_it = [rule for rule in rules(allowed) if rule.call == call]
    decides = next(
        rule for rule in of_it if all(one.index == index and value & one.mask == one.value for one in rule.when)
    )
    assert decides.error
