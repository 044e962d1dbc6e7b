"""Paths that a copy may read and write.

One answer for Landlock, which enforces it, and for the audit hook, which explains it. Readable are the working folder, Python and its
packages, the system's libraries and fonts, what the kernel has open, and what the user's own cells and prompts name. Names, sizes and times
of other files stay visible: Linux has nothing that refuses that to a single process.
"""

from __future__ import annotations

import functools
import os
import site
import stat
import sys
import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from spark_jupyter.protocol.values import Permission

PROC = "/proc"
"""Linux's folder about processes; macOS has none, and each use of it has an alternative."""

_SYSTEM = """
/usr /lib /lib32 /lib64 /libx32 /bin /sbin /nix/store /gnu/store /snap /opt/rocm /opt/nvidia
/etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/ld.so.preload /etc/localtime /etc/timezone /etc/os-release /etc/lsb-release
/etc/passwd /etc/group /etc/nsswitch.conf /etc/hosts /etc/host.conf /etc/hostname /etc/resolv.conf /etc/services /etc/protocols
/etc/gai.conf /etc/mime.types /etc/locale.alias /etc/locale.conf /etc/inputrc /etc/terminfo /etc/alternatives /etc/fonts /etc/ssl/certs
/etc/ssl/cert.pem /etc/ssl/openssl.cnf /etc/pki/tls/certs /etc/pki/ca-trust /etc/ca-certificates /etc/crypto-policies /etc/OpenCL
/etc/ImageMagick-6 /etc/ImageMagick-7 /etc/odbcinst.ini /etc/matplotlibrc /etc/gdal /etc/proj /etc/papersize /etc/magic /etc/python3
/var/cache/fontconfig /var/lib/ca-certificates
/proc/cpuinfo /proc/meminfo /proc/stat /proc/loadavg /proc/uptime /proc/version /proc/filesystems /proc/vmstat /proc/cgroups /proc/sys
/sys/devices/system /sys/devices/virtual/dmi /sys/fs/cgroup /sys/kernel/mm /sys/class/dmi
/dev/null /dev/zero /dev/full /dev/random /dev/urandom
/System /Library /opt/homebrew /opt/local /private/var/db/timezone
"""
"""The libraries, and what they ask of the system. No key, no password, no other process, no terminal."""
_OF_A_PROCESS = """
auxv cgroup cmdline comm cpuset environ fd fdinfo io limits maps mountinfo mounts numa_maps oom_score oom_score_adj sched schedstat
smaps smaps_rollup stat statm status
"""
"""What Linux tells of a process itself. Not of the network, whose sockets are the whole system's where it has no namespace of its own; not
the links ``cwd``, ``exe`` and ``root``: leave to read what one leads to would be given, the whole disk for ``root``."""
_OF_HOME = (
    ".fonts .local/share/fonts .config/fontconfig .cache/fontconfig .config/matplotlib .cache/matplotlib .matplotlib"
)
HARMLESS = ("/dev/null", "/dev/zero", "/dev/full")
"""Files that may be written, and keep nothing."""
_COMPANIONS = ("-wal", "-shm", "-journal", ".wal")
"""Companion files of an open database (SQLite, DuckDB)."""
_TOO_MUCH = frozenset(
    {"/", "/boot", "/dev", "/etc", "/home", "/media", "/mnt", "/proc", "/run", "/srv", "/sys", "/tmp", "/var"}
)
"""Folders that are never meant whole when somebody names them."""


class Places(Struct, frozen=True, kw_only=True):
    """Real paths of files, and of folders with all that is in them. Of those in ``listed`` only the names may be read; what is
    written in those of its ``own`` ends with the copy. What is ``private`` is not the copy's, although the kernel has it open."""

    own: tuple[str, ...]
    read: tuple[str, ...]
    written: tuple[str, ...]
    listed: tuple[str, ...] = ()
    private: tuple[str, ...] = ()

    def may_read(self, path: str) -> bool:
        return _within(path, self.read)

    def is_own(self, path: str) -> bool:
        """True if a file written at a real path ends with the copy."""
        return _within(path, self.own)


def prepare() -> None:
    """Look at what is the same for all copies, before the fork: the modules that are there are then known in each."""
    _system()
    _imported()
    _looked_through(*_here_and_home())


def places(
    *, folder: str, allowed: Collection[Permission] = (), named: Iterable[str] = (), private: Iterable[str] = ()
) -> Places:
    """Folders in which a copy of this process may read and write; computed before the fork. What Linux tells of the copy itself is not
    among it.

    ``folder`` is the copy's own, ``named`` are the paths that the user's own words name, ``private`` files are no part of the work.
    """
    (here, home), own = _here_and_home(), os.path.realpath(folder)
    meant = [path for path in _real(named) if path not in _TOO_MUCH and not _holds(path, home) and not _is_pipe(path)]
    # each by itself: a large folder would take from the others what is looked through
    parts = [without_pipes(each) for each in (_working_folder(here, home), meant, _imported())]
    kept = tuple(path + end for path in _real(private) for end in ("", *_COMPANIONS))
    found = [*_system(), *_installed(), *(path for path in _open_files() if path not in kept)]
    found += [path for granted, _ in parts for path in granted]
    return Places(
        own=(own, *HARMLESS),
        read=(*_outermost(found), own),
        written=(own, *HARMLESS, *(_everywhere() if "files" in allowed else ())),
        listed=(*(path for _, listed in parts for path in listed), *((home,) if here == home else ())),
        private=kept,
    )


def of_this_process(*, whole: bool) -> list[str]:
    """Paths in which Linux tells of this process: a folder, or the single files of which none is about others."""
    folder = f"{PROC}/{os.getpid()}"
    return [folder] if whole else [f"{folder}/{name}" for name in _OF_A_PROCESS.split()]


def _everywhere() -> Iterator[str]:
    """All folders but those in which no file is one: a terminal, say, is not written to with any permission."""
    with os.scandir("/") as entries:
        yield from (entry.path for entry in entries if entry.is_dir() and entry.name not in ("dev", "proc", "sys"))
    yield "/dev/shm"


@functools.cache
def _system() -> tuple[str, ...]:
    home = os.path.expanduser("~")
    wanted = [*_SYSTEM.split(), *(os.path.join(home, each) for each in _OF_HOME.split())]
    wanted += [os.environ.get(name, "") for name in ("MPLCONFIGDIR", "MATPLOTLIBRC", "FONTCONFIG_PATH", "CUDA_HOME")]
    wanted += os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    return tuple(_real(wanted))


@functools.cache
def _installed() -> tuple[str, ...]:
    """Folders of Python and its packages."""
    wanted = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    return tuple(_real([*wanted, *site.getsitepackages(), site.getusersitepackages()]))


def _imported() -> tuple[str, ...]:
    """Folders of modules outside those of Python and its packages. To look at all of them takes some milliseconds, more behind a fork,
    so it is done when others have come."""
    return _imported_of(len(sys.modules), tuple(sys.path))


@functools.lru_cache(maxsize=2)
def _imported_of(modules: int, path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(place for path in _modules() if (place := _outside_of_python(path)))


def _modules() -> Iterator[str]:
    """Other folders of the import path, and of modules found elsewhere (an editable install)."""
    yield from (path for path in sys.path if path and not _is_home_or_hidden_there(path))
    for name, module in sys.modules.copy().items():
        if "." not in name:
            parts = getattr(module, "__dict__", {})
            paths = parts.get("__path__") or [parts.get("__file__")]
            yield from (path for path in paths if isinstance(path, str)) if isinstance(paths, list) else ()


@functools.cache
def _outside_of_python(path: str) -> str:
    """The real path of what is there and does not lie where Python and its packages are; else empty."""
    place = next(_real([path]), "")
    return "" if _within(place, _installed()) else place


@functools.cache
def _is_home_or_hidden_there(path: str) -> bool:
    """True for the home folder or one above it, and for a folder of settings in it (``~/.ipython``, which is searched for modules,
    has a history)."""
    home, place = os.path.realpath(os.path.expanduser("~")), os.path.realpath(path)
    return _holds(place, home) or (os.path.dirname(place) == home and os.path.basename(place).startswith("."))


def _here_and_home() -> tuple[str, str]:
    return working_folder(), os.path.realpath(os.path.expanduser("~"))


@functools.cache
def _looked_through(here: str, home: str) -> None:
    """Then each copy has to look only at what has changed since."""
    without_pipes(_working_folder(here, home))


def working_folder() -> str:
    """The working folder's path, also where it is gone: then nothing lies there."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return "/nonexistent"


def _working_folder(here: str, home: str) -> Iterator[str]:
    """The working folder. In the home, which has keys in hidden places, what is not hidden; above the home its files alone."""
    if not _holds(here, home):
        yield here
        return
    with suppress(OSError), os.scandir(here) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and not entry.is_symlink() and (here == home or entry.is_file()):
                yield entry.path


def _is_pipe(path: str) -> bool:
    with suppress(OSError):
        return stat.S_ISFIFO(os.stat(path).st_mode)
    return False


def _open_files() -> Iterator[str]:
    """The files that the kernel has open, with what belongs to them."""
    for number in os.listdir(f"{PROC}/self/fd") if os.path.isdir(f"{PROC}/self/fd") else ():
        with suppress(OSError):
            path = os.readlink(f"{PROC}/self/fd/{number}")
            if os.path.isfile(path) and os.path.samestat(os.stat(path), os.fstat(int(number))):
                yield from (each for each in (path, *(path + end for end in _COMPANIONS)) if os.path.exists(each))


def _real(paths: Iterable[str]) -> Iterator[str]:
    """The real paths of those that there are."""
    for path in paths:
        with suppress(OSError, ValueError):  # a name that is none
            if path and os.path.exists(path):
                yield os.path.realpath(path)


def _outermost(places: Iterable[str]) -> list[str]:
    """Without those that lie in another one."""
    kept: list[str] = []
    for place in sorted(set(places)):
        if not kept or not _within(place, kept[-1:]):
            kept.append(place)
    return kept


def _within(path: str, places: Iterable[str]) -> bool:
    return any(path == place or path.startswith(place + os.sep) for place in places)


def _holds(path: str, home: str) -> bool:
    """True if a folder is the home or above it."""
    return _within(home, [path.rstrip(os.sep)])


# --- Named pipes, sockets and devices in the working folder ---
# Reading a pipe takes from another program what it waits for, so no copy is granted one. They are looked for before each fork; a folder in
# which nothing has changed since is not read again.
_MOST_ENTRIES = 2_000
_SETTLED = 3_000_000_000
"""Nanoseconds after its last change from which on a folder counts as unchanged while it says the same: two changes within one tick of a
file system's clock look like one."""
_FOLDERS = 4_096


class _Seen(NamedTuple):
    """Content of a folder, as far as it was read: the number of entries, the paths of files and folders, of these the folders; if it has
    anything else but links."""

    entries: int
    plain: tuple[str, ...]
    folders: tuple[str, ...]
    other: bool


def without_pipes(paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """The same places without what is neither a file nor a folder in them, and the folders whose entries then stand for the whole. Looked
    for in ``_MOST_ENTRIES`` entries, from the top down."""
    roots = list(paths)
    inside: dict[str, _Seen] = {}
    around: set[str] = set()
    ahead = deque(roots)
    left = _MOST_ENTRIES
    while ahead and left > 0:
        folder = ahead.popleft()
        seen = inside[folder] = _look(folder, left)
        are_all = seen.entries < left
        left -= seen.entries
        ahead += seen.folders
        if are_all and seen.other:
            around |= {folder, *(above for above in inside if folder.startswith(above + os.sep))}
    granted, listed = [], []
    for path in roots:  # grows
        if path in around:
            listed.append(path)
            roots += inside[path].plain
        else:
            granted.append(path)
    return granted, listed


def _look(folder: str, most: int) -> _Seen:
    """At the first ``most`` entries of a folder; nothing where it is none."""
    try:
        found = os.stat(folder)
    except OSError:
        return _Seen(0, (), (), False)
    changed = found.st_ctime_ns  # which nobody can set back
    if time.time_ns() - changed < _SETTLED:
        return _read(folder, most)
    return _unchanged(folder, most, found.st_dev, found.st_ino, changed)


@functools.lru_cache(maxsize=_FOLDERS)
def _unchanged(folder: str, most: int, device: int, inode: int, changed: int) -> _Seen:
    return _read(folder, most)


def _read(folder: str, most: int) -> _Seen:
    plain, folders, count, other = [], [], 0, False
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in islice(entries, most):
            count += 1
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif not entry.is_file(follow_symlinks=False):
                other = other or not entry.is_symlink()
                continue  # a link is neither: to grant it would be to grant what it leads to, wherever that is
            plain.append(entry.path)
    return _Seen(count, tuple(plain), tuple(folders), other)
