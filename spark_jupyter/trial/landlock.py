"""Linux's Landlock: what native code may not do either. The audit hook explains and reports; this holds where it can't see.

The numbers are those of ``include/uapi/linux/landlock.h``; where the system has no Landlock (Linux before 5.13, macOS) nothing
happens, and a Try relies on the audit hook and the limits.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same on every architecture
_NO_NEW_PRIVILEGES = 38  # PR_SET_NO_NEW_PRIVS
_EXECUTE = 1 << 0
_WRITE_FILE = 1 << 1
_CHANGE = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))  # remove and make files, folders, links, sockets, devices
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_TCP = 0b11  # bind and connect
_SCOPES = 0b11  # abstract sockets, signals to processes outside


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def version() -> int:
    """The version of Landlock's interface here; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))))


def confine(*, writable: Sequence[str] | None, network: bool, execute: bool) -> bool:
    """Confine this thread and all that it starts, for good: it writes only beneath ``writable`` (None: anywhere).

    ``network`` and ``execute`` allow TCP and programs. Returns whether Landlock holds now.
    """
    interface = version()
    if not interface:
        return False
    changes = _CHANGE | (_REFER if interface >= 2 else 0) | (_TRUNCATE if interface >= 3 else 0)
    files = (changes if writable is not None else 0) | (0 if execute else _EXECUTE)
    peers = _TCP if interface >= 4 and not network else 0
    scopes = _SCOPES if interface >= 6 else 0
    if not files | peers | scopes:
        return True
    libc = ctypes.CDLL(None, use_errno=True)
    size = 24 if interface >= 6 else 16 if interface >= 4 else 8
    rules = libc.syscall(
        _CREATE, ctypes.byref(_Ruleset(files, peers, scopes)), ctypes.c_size_t(size), ctypes.c_uint32(0)
    )
    if rules < 0:
        return False
    try:
        for path in writable or ():
            _allow(libc, rules, path, changes if os.path.isdir(path) else changes & (_WRITE_FILE | _TRUNCATE))
        if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            return False
        return bool(libc.syscall(_RESTRICT, rules, ctypes.c_uint32(0)) == 0)
    finally:
        os.close(rules)


def _allow(libc: ctypes.CDLL, rules: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        libc.syscall(_ADD_RULE, rules, ctypes.c_int(1), ctypes.byref(_Beneath(access, place)), ctypes.c_uint32(0))
    finally:
        os.close(place)
