"""Landlock rules for the files of a copy. Linux only.

They hold whoever opens the file: Python, native code, a thread, a program.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from spark_jupyter.protocol.values import Permission
from spark_jupyter.sandbox.walls.allowed_paths import PROC, Places

if TYPE_CHECKING:
    from landlockpy import AccessFS, AccessNet, Ruleset


class _Rights(NamedTuple):
    """Rights that are refused without a rule, and those that a rule may grant."""

    handled: AccessFS
    net: AccessNet
    read: AccessFS
    write: AccessFS
    of_a_file: AccessFS


def interface() -> int:
    """The version of Landlock's interface here; 0 where there is none. The first is enough: what later ones add (cutting files, signals,
    sockets) the system calls' filter holds as well."""
    try:
        from landlockpy import LandlockError, abi_version
    except ImportError:  # a dependency on Linux only
        return 0
    try:
        return abi_version()
    except LandlockError:
        return 0


def prepare(allowed: Collection[Permission]) -> None:
    """Work out before the fork what is the same each time."""
    _rights(frozenset(allowed))


def confine(places: Places, allowed: Collection[Permission]) -> None:
    """Confine this thread and all that it starts, for good. Raises :class:`landlockpy.LandlockError`."""
    from landlockpy import AccessFS

    rights = _rights(frozenset(allowed))
    with _ruleset(rights) as rules:
        granted = [(path, rights.write) for path in places.written] + [(path, rights.read) for path in places.read]
        granted += [(path, AccessFS.READ_DIR) for path in places.listed]
        for path, access in granted:
            with suppress(OSError):  # gone meanwhile, or never this user's: then it is not granted
                rules.allow_path(path, access if os.path.isdir(path) else access & rights.of_a_file)
        rules.restrict()
    for path in places.read:
        if path.startswith(f"{PROC}/{os.getpid()}"):
            with suppress(OSError):  # held open, or the rule for it would end with what the system remembers of it
                os.open(path, os.O_PATH | os.O_NOFOLLOW)


def _ruleset(rights: _Rights) -> Ruleset:
    from landlockpy import Ruleset, Scope

    return Ruleset(handled_fs=rights.handled, handled_net=rights.net, scoped=Scope.ABSTRACT_UNIX_SOCKET | Scope.SIGNAL)


@functools.cache
def _rights(allowed: frozenset[Permission]) -> _Rights:
    """Also all flags that a copy puts together: Python makes each when it is first met, which takes a while."""
    from landlockpy import AccessFS, AccessNet

    read = AccessFS.READ_FILE | AccessFS.READ_DIR
    write = AccessFS.WRITE_FILE | AccessFS.TRUNCATE | AccessFS.REMOVE_FILE | AccessFS.REMOVE_DIR | AccessFS.REFER
    write |= AccessFS.MAKE_REG | AccessFS.MAKE_DIR | AccessFS.MAKE_SYM | AccessFS.MAKE_FIFO | AccessFS.MAKE_SOCK
    of_a_file = AccessFS.READ_FILE | AccessFS.WRITE_FILE | AccessFS.TRUNCATE
    # of these the last three with no permission
    handled = write | AccessFS.MAKE_CHAR | AccessFS.MAKE_BLOCK | AccessFS.IOCTL_DEV
    handled |= AccessFS.NONE if "read" in allowed else read
    handled |= AccessFS.NONE if "shell" in allowed else AccessFS.EXECUTE
    net = AccessNet.NONE if "network" in allowed else AccessNet.BIND_TCP | AccessNet.CONNECT_TCP
    rights = _Rights(handled, net, read, write, of_a_file)
    with _ruleset(rights):
        for access in (read, write):
            _ = access & handled, access & of_a_file & handled
    return rights
