"""Files that a copy reads, writes and locks: only those that it may, whoever attacks."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from pathlib import Path

import pytest

from spark_jupyter.sandbox.walls import enforced
from tests.sandbox import attacks
from tests.sandbox.attempts import held, said

pytestmark = pytest.mark.skipif(bool(enforced().missing), reason=enforced().missing)


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


def test_without_namespaces_no_sockets_of_others_are_listed(bench, monkeypatch):
    from spark_jupyter.sandbox.walls import namespaces

    monkeypatch.setattr(namespaces, "enter", lambda allowed: False)
    source = """
import os
for path in ('net/tcp', 'net/unix', f'task/{os.getpid()}/net/tcp', 'maps', 'status', 'fd'):
    try:
        found = os.listdir('/proc/self/fd') if path == 'fd' else open(f'/proc/self/{path}').read(1)
    except PermissionError:
        print('no', path.rpartition('/')[2])
"""
    assert bench.printed(source).split() == ["no", "tcp", "no", "unix", "no", "tcp"]
