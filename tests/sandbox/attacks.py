"""Attacks on a copy, each a source that says ``through`` where it came through and why not where it did not.

They use the system's own calls by number, as native code would, so that nothing of Python stands between them and the walls.
"""

from __future__ import annotations

import ctypes
import os

PRELUDE = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
numbers = {numbers}
def call(name, *args):
    ctypes.set_errno(0)
    def fitting(one):
        return ctypes.c_char_p(one) if isinstance(one, bytes) else one if hasattr(one, '_obj') else ctypes.c_long(one)
    given = [fitting(one) for one in args]
    return libc.syscall(ctypes.c_long(numbers[name]), *given)
def tell(done, name=''):
    print(name, 'through' if done >= 0 else os.strerror(ctypes.get_errno()))
kernel = os.getppid()
"""


def prelude() -> str:
    """What an attack begins with: ``call(name, …)``, ``tell(result)``, ``kernel`` (its process)."""
    from seccompy.syscalls import _native

    return PRELUDE.format(numbers=dict(_native()[2]))


NETWORK = """
tcp, udp, mptcp, six, stream, datagram = (2, 1, 0), (2, 2, 0), (2, 1, 262), (10, 2, 0), (1, 1, 0), (1, 2, 0)
for family, kind, protocol in (tcp, udp, mptcp, six, stream, datagram, (16, 3, 0), (40, 1, 0), (38, 5, 0)):
    tell(call('socket', family, kind, protocol), f'{family} {kind} {protocol}')
pair = (ctypes.c_int * 2)()
tell(call('socketpair', 1, 2, 0, ctypes.byref(pair)), 'datagrams')
tell(call('io_uring_setup', 8, ctypes.byref(ctypes.create_string_buffer(120))), 'io_uring')
"""

PROGRAMS = """
tell(call('execve', b'/bin/true', 0, 0), 'execve')
tell(call('execveat', -100, b'/bin/true', 0, 0, 0), 'execveat')
tell(call('memfd_create', b'x', 0), 'memfd')
tell(call('clone', 17, 0, 0, 0, 0), 'clone')
tell(call('clone3', ctypes.byref(ctypes.create_string_buffer(88)), 88), 'clone3')
for name in ('fork', 'vfork'):
    if name in numbers:
        tell(call(name), name)
tell(call('setsid'), 'setsid')
tell(call('unshare', 0x10000000), 'unshare')
"""

OTHERS = """
limits = (ctypes.c_ulong * 2)(0, 0)
for which in (7, 9, 1):
    tell(call('prlimit64', kernel, which, ctypes.byref(limits), 0), f'limit {which}')
tell(call('setpriority', 0, kernel, 19), 'priority')
mask = (ctypes.c_ulong * 16)(1)
tell(call('sched_setaffinity', kernel, 128, ctypes.byref(mask)), 'affinity')
tell(call('ioprio_set', 1, kernel, 24576), 'ioprio')
tell(call('tkill', kernel, 0), 'tkill')
tell(call('tgkill', kernel, kernel, 0), 'tgkill')
for whom in (kernel, 0, -1):
    tell(call('kill', whom, 0), f'kill {whom}')
tell(call('setpgid', 0, kernel), 'setpgid')
tell(call('ptrace', 16, kernel, 0, 0), 'ptrace')
tell(call('pidfd_open', kernel, 0), 'pidfd')
tell(call('fcntl', 1, 8, kernel), 'signals by fcntl')
tell(call('prctl', 1, 0, 0, 0, 0), 'outliving the kernel')
"""

HIDDEN_FILES = """
import array, socket, threading
one, other = socket.socketpair()
file = os.open(os.environ['TMPDIR'] + '/x', os.O_RDWR | os.O_CREAT)
try:
    one.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [file]))])
    print('on its way through')
except OSError as error:
    print('on its way', os.strerror(error.errno))
for call_name in ('recvmsg', 'recvmmsg'):
    tell(call(call_name, other.fileno(), ctypes.byref(ctypes.create_string_buffer(56)), 0, 0, 0), call_name)
tell(call('close_range', 4000, 4001, 2), 'descriptors of its own')
tell(call('clone', 0x00010000 | 0x00000800 | 0x00000100, 0, 0, 0, 0), 'a thread with descriptors of its own')
"""

LIMITS = """
import resource
for which in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_CPU):
    limits = (ctypes.c_ulong * 2)(*resource.getrlimit(which))
    assert limits[1] < 2**62, which
    limits[0] = limits[1] = 2**64 - 1
    tell(call('prlimit64', 0, which, ctypes.byref(limits), 0), str(which))
    limits[0] = limits[1] = resource.getrlimit(which)[1]
    tell(call('prlimit64', 0, which, ctypes.byref(limits), 0), f'{which} to the same')
"""

SHARED = """
tell(call('shmget', 4711, 4096, 0o1666), 'shmget')
tell(call('shmat', {shm}, 0, 0), 'shmat')
tell(call('semget', 4711, 1, 0o1666), 'semget')
tell(call('msgget', 4711, 0o1666), 'msgget')
tell(call('mq_open', b'spark', 0o102, 0o600, 0), 'mq')
tell(call('openat', -100, b'/dev/shm/{name}-new', 0o102, 0o600), 'new')
tell(call('openat', -100, b'/dev/shm/{name}-there', 2, 0), 'there')
"""

FILES = """
path = {file!r}
for flags, name in ((1, 'write'), (0o1000, 'cut'), (0o1003, 'cut without a right')):
    tell(call('openat', -100, path, flags, 0), name)
tell(call('truncate', path, 0), 'truncate')
tell(call('utimensat', -100, path, 0, 0), 'utimes')
tell(call('setxattr', path, b'user.a', b'b', 1, 0), 'setxattr')
tell(call('fchmodat', -100, path, 0o777, 0), 'chmod')
tell(call('fchownat', -100, path, -1, -1, 0), 'chown')
tell(call('unlinkat', -100, path, 0), 'unlink')
tell(call('linkat', -100, path, -100, os.fsencode(os.environ['TMPDIR'] + '/link'), 0), 'link')
tell(call('renameat2', -100, path, -100, os.fsencode(os.environ['TMPDIR'] + '/moved'), 0), 'move')
os.symlink(path, os.environ['TMPDIR'] + '/symbolic')
tell(call('openat', -100, os.fsencode(os.environ['TMPDIR'] + '/symbolic'), 1, 0), 'through a link')
parent = call('openat', -100, os.path.dirname(path), 0o10200000, 0)
tell(call('openat', parent, os.path.basename(path), 1, 0), 'beside a folder')
tell(call('mknodat', -100, path + b'.fifo', 0o010600, 0), 'mkfifo')
tell(call('mkdirat', -100, path + b'.new', 0o700), 'mkdir')
"""

READS = """
for path in {paths!r}:
    tell(call('openat', -100, path, 0, 0), path.decode())
tell(call('openat', -100, b'/proc/self/root' + {paths!r}[0], 0, 0), 'by the root')
tell(call('openat', -100, b'/proc/%d/environ' % kernel, 0, 0), 'the environment of the kernel')
tell(call('openat', -100, os.path.dirname({paths!r}[0]), 0o200000, 0), 'the folder')
tell(call('getxattr', {paths!r}[0], b'user.a', ctypes.byref(ctypes.create_string_buffer(9)), 9), 'attributes')
"""


def number_of_segment() -> int:
    """A SysV segment of the user's: what an attack is to overwrite. Remove it with :func:`remove_segment`."""
    libc = ctypes.CDLL(None, use_errno=True)
    made = int(libc.shmget(0, 4096, 0o1600))
    if made < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return made


def remove_segment(number: int) -> None:
    """Take it away."""
    ctypes.CDLL(None).shmctl(number, 0, None)
