"""Walls of a copy against every attacker: native code, a thread between statements, a sub-interpreter, Python that patched our hook.

Each is run as who we are and, where that is root, as an ordinary user too.
"""

from __future__ import annotations

import errno
import os
import pty
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.sandbox.walls import enforced
from spark_jupyter.sandbox.walls.syscall_policy import rules
from tests.sandbox import attacks
from tests.sandbox.attempts import held

pytestmark = pytest.mark.skipif(bool(enforced().missing), reason=enforced().missing)


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
    name = f"spark-walls-{os.getpid()}"  # other processes run the same test
    there = Path(f"/dev/shm/{name}-there")
    there.write_bytes(b"kept")
    there.chmod(0o666)
    try:
        held(attempt(attacks.SHARED.format(shm=number, name=name)), parts=7)
        assert there.read_bytes() == b"kept"
        assert not Path(f"/dev/shm/{name}-new").exists()
    finally:
        there.unlink()
        attacks.remove_segment(number)


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


@pytest.mark.parametrize(
    ("lacking", "said"),
    [("seccomp", "the network, programs, and other processes"), ("landlock", "what it reads and writes")],
)
def test_where_a_wall_is_missing_nothing_is_rehearsed_and_a_try_says_so(bench, monkeypatch, lacking, said):
    from spark_jupyter.sandbox import no_rehearsal
    from spark_jupyter.sandbox.walls import filesystem, seccomp
    from spark_jupyter.ui.text.words import kept_text

    assert no_rehearsal() == ""
    if lacking == "seccomp":
        monkeypatch.setattr(seccomp, "available", lambda: False)
    else:
        monkeypatch.setattr(filesystem, "interface", lambda: 0)
    assert said in no_rehearsal()
    result = bench.attempt("x = 1")
    assert not result.problem
    assert said in kept_text([result])


def test_a_wall_that_can_not_be_put_up_where_it_should_be_is_the_end_of_the_copy(bench, monkeypatch):
    from spark_jupyter.sandbox.walls import filesystem

    def fail(*args: object) -> None:
        raise OSError(errno.ENOSPC, "of the copy's choice")

    monkeypatch.setattr(filesystem, "confine", fail)
    result = bench.attempt("print('ran')")
    assert result.problem == "The copy itself failed with OSError: No space left on device."
    assert result.outputs == ()


def test_without_namespaces_everything_holds(attempt, monkeypatch, tmp_path):
    from spark_jupyter.sandbox.walls import namespaces

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
    from spark_jupyter.sandbox.walls import canaries, filesystem, seccomp

    if lacking == "seccomp":
        monkeypatch.setattr(seccomp, "available", lambda: False)
    elif lacking == "landlock":
        monkeypatch.setattr(filesystem, "interface", lambda: 0)
    assert set(canaries.broken_walls(bench.trials)) == down


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
