"""Isolation of a fresh copy: descriptors, shared memory, walls.

It is the first thing that a copy does, before any user code. A fork shares *open file descriptions*: reading a file here would move the
kernel's position in it, and a request on a socket would be the kernel's own. So each inherited descriptor is replaced: sockets, pipes and
pollers by ``/dev/null``, files open for reading by a new opening at the same position, files open for writing by a copy in the Try's
folder. Memory that is shared on purpose (``np.memmap``, ``multiprocessing.shared_memory``) becomes private.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import resource
import shutil
import signal
import stat
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from spark_jupyter.sandbox.copy_protocol import Order
from spark_jupyter.sandbox.walls import Ready, confine, resource_limits
from spark_jupyter.sandbox.walls.allowed_paths import PROC, Places

_LIBC = ctypes.CDLL(None, use_errno=True)
"""Made before the fork: in a copy it would copy the memory that it is made in."""
_LIBC.mmap.restype = ctypes.c_void_p
_LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_MOST_COPIED = 256 << 20
only_read: set[int] = set()
"""In a copy: the descriptors of files that the kernel has open for writing, and that are too large to be copied."""
_LISTING = f"{PROC}/self/fd" if os.path.isdir(f"{PROC}/self/fd") else "/dev/fd"
_MAP_FIXED = 0x10
_PROT_NONE = 0
_SHARED = re.compile(rb"^(\w+)-(\w+) (...)s (\w+) \S+ \d+ *(.*)$", re.MULTILINE)
"""A mapping that is shared, in ``/proc/PID/maps``: from, to, rights, offset, what it is of."""
_PROTECTION = {"r": mmap.PROT_READ, "w": mmap.PROT_WRITE, "x": mmap.PROT_EXEC}
_PLACELESS = frozenset(os.makedev(1, minor) for minor in (3, 5, 7, 8, 9))
"""/dev/null, zero, full, random and urandom of Linux: they have no place to be in. Any other device is none of a copy's."""


def isolate(
    order: Order, made: Ready, found: Places, *, keep: Collection[int], out: int, err: int, paused: bool = False
) -> Places:
    """Cut the ties; where the copy may read and write from now on: in the places that were ``found`` before the fork, and what Linux tells
    of the copy itself. ``keep`` are our own descriptors; ``out`` and ``err`` become the standard ones. A copy of a ``paused`` process
    shares no memory any more. Raises OSError where a wall can't be put up."""
    _detach(order.folder, keep=keep, out=out, err=err, private=found.private)
    if not paused:
        _unshare_memory()
    if order.background:
        os.nice(19)
    resource_limits.lower(order, used=memory("VmSize"))
    return confine(made, found, order.allow)


def pause(*, keep: int, parent: int) -> None:
    """Cut the ties of a process that is going to wait, and to be copied itself. It has no folder: files that are open for writing it has
    open again, where they stand. PipeEnds the process where its ``parent`` is gone already."""
    null = os.open(os.devnull, os.O_RDWR)
    _detach("", keep=(keep, null), out=null, err=null)
    _unshare_memory()
    if os.getppid() != parent:
        os._exit(0)


def _detach(folder: str, *, keep: Collection[int], out: int, err: int, private: Collection[str] = ()) -> None:
    os.setsid()  # a group of its own, and no terminal
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    if sys.platform == "linux":
        _LIBC.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        with suppress(OSError):  # where memory runs out, this one goes first and not the kernel
            Path(f"{PROC}/self/oom_score_adj").write_text("1000")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    _replace_descriptors(folder, null, {0, 1, 2, null, *keep}, private)


def _replace_descriptors(folder: str, null: int, keep: Collection[int], private: Collection[str]) -> None:
    for number in sorted(int(name) for name in os.listdir(_LISTING)):
        if number in keep:
            continue
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            continue  # the listing's own
        fresh = _fresh(number, mode, folder, private) if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else None
        if stat.S_ISCHR(mode) and os.fstat(number).st_rdev in _PLACELESS:
            continue
        os.dup2(null if fresh is None else fresh, number, inheritable=False)
        if fresh is not None:
            os.close(fresh)


def _fresh(number: int, mode: int, folder: str, private: Collection[str]) -> int | None:
    """A descriptor for the same file at the same place, which is the copy's own, and writes into a copy of it in ``folder``, where there is
    one; None where there can't be one, or is to be none."""
    import fcntl

    flags = fcntl.fcntl(number, fcntl.F_GETFL)
    try:
        path = path_of(number)
        if private and os.path.realpath(path) in private:
            return None
        if stat.S_ISDIR(mode):
            return os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        place = os.lseek(number, 0, os.SEEK_CUR)
        if _is_written(number) and not folder:
            fresh = os.open(path, flags & (os.O_WRONLY | os.O_RDWR | os.O_APPEND))
        elif _is_written(number) and _is_large(number) and flags & os.O_RDWR:
            fresh = os.open(path, os.O_RDONLY)  # to read it matters more
            only_read.add(number)
        elif _is_written(number):
            copy = os.path.join(folder, f"open-{number}")
            if not _is_large(number):
                shutil.copyfile(path, copy)
            fresh = os.open(copy, (flags & (os.O_WRONLY | os.O_RDWR | os.O_APPEND)) | os.O_CREAT, 0o600)
        else:
            fresh = os.open(path, os.O_RDONLY)
        os.lseek(fresh, place, os.SEEK_SET)
    except OSError:
        return None
    return fresh


def _is_large(number: int) -> bool:
    return os.fstat(number).st_size > _MOST_COPIED


def _is_written(number: int) -> bool:
    """True if a file is open to be written. Memory that is sealed never is: arrays that came back from a checkpoint lie in such."""
    import fcntl

    if not fcntl.fcntl(number, fcntl.F_GETFL) & (os.O_WRONLY | os.O_RDWR):
        return False
    try:
        return not fcntl.fcntl(number, fcntl.F_GET_SEALS) & fcntl.F_SEAL_WRITE
    except (AttributeError, OSError):  # another system, or another kind of file
        return True


def copied() -> int:
    """Number of bytes of this process's open files that a copy of it begins with in its folder."""
    total = 0
    for name in os.listdir(_LISTING):
        with suppress(OSError):
            found = os.fstat(int(name))
            if stat.S_ISREG(found.st_mode) and _is_written(int(name)) and found.st_size <= _MOST_COPIED:
                total += found.st_size
    return total


def path_of(number: int) -> str:
    """A path by which the file of a descriptor can be opened again. Raises OSError where there is none."""
    link = f"{PROC}/self/fd/{number}"
    if os.path.lexists(link):
        return link
    import fcntl

    get_path = getattr(fcntl, "F_GETPATH", None)  # macOS, where opening /dev/fd/N shares the place in the file
    if get_path is None:
        raise OSError(f"No path of descriptor {number} is known here.")
    return os.fsdecode(fcntl.fcntl(number, get_path, bytes(1024)).rstrip(b"\0"))


def _unshare_memory() -> None:
    """Make every shared mapping a private one with the same content at the same address (Linux). Also one that can only be read: of a file
    that was opened to be written it could be made writable."""
    try:
        with open(f"{PROC}/self/maps", "rb") as maps:
            shared = _SHARED.findall(maps.read())
    except OSError:
        return
    for begin, end, rights, offset, path in shared:
        name, start = os.fsdecode(path), int(begin, 16)
        if not _is_device(name):
            _unshare(start, int(end, 16) - start, rights.decode(), name, int(offset, 16))


def shares_too_much() -> bool:
    """True if this process shares memory that a copy of it does not have: more than is copied, of no file (Linux)."""
    try:
        with open(f"{PROC}/self/maps", "rb") as maps:
            shared = _SHARED.findall(maps.read())
    except OSError:
        return False
    large = [os.fsdecode(path) for begin, end, _, _, path in shared if int(end, 16) - int(begin, 16) > _MOST_COPIED]
    return any(not (_is_device(name) or os.path.isfile(name)) for name in large)


def _is_device(name: str) -> bool:
    """True for a device's memory, which is none."""
    return name.startswith("/dev/") and not name.startswith(("/dev/shm", "/dev/zero"))


def _unshare(start: int, size: int, rights: str, name: str, offset: int) -> None:
    protection = sum(flag for letter, flag in _PROTECTION.items() if letter in rights)
    if os.path.isfile(name):
        file = os.open(name, os.O_RDONLY)
        _LIBC.mmap(start, size, protection, mmap.MAP_PRIVATE | _MAP_FIXED, file, offset)
        os.close(file)
    elif size <= _MOST_COPIED and "r" in rights:
        content = ctypes.string_at(start, size)
        anonymous = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED
        _LIBC.mmap(start, size, mmap.PROT_READ | mmap.PROT_WRITE, anonymous, -1, 0)
        ctypes.memmove(start, content, size)
        _LIBC.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), protection)
    else:
        _LIBC.mmap(start, size, _PROT_NONE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED, -1, 0)


def memory(field: str) -> int:
    """A field of ``/proc/self/status`` in bytes (``VmSize``, ``VmRSS``, ``VmHWM``). Where there is none (macOS) the peak is told for
    both residents, and 0 for the size, which is no limit then: macOS does not hold one anyway."""
    try:
        with open(f"{PROC}/self/status") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) * 1024
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes on macOS, in kB elsewhere
        return 0 if field == "VmSize" else peak * (1 if sys.platform == "darwin" else 1024)
    return 0
