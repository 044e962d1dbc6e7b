"""Seccomp filter for the system calls of a copy. Linux only.

It holds whoever makes the call: Python, native code, a thread, a sub-interpreter.
"""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from spark_jupyter.protocol.values import Permission
from spark_jupyter.sandbox.walls.syscall_policy import Rule, own_rules, rules

if TYPE_CHECKING:
    from seccompy import Filter


def available() -> bool:
    """True if filters are available: on Linux for x86_64 and aarch64, unless the system was built without them."""
    try:
        from seccompy import SeccompError, audit_arch, supported
    except ImportError:  # a dependency on Linux only
        return False
    try:
        return audit_arch() > 0 and supported()
    except SeccompError:  # another processor
        return False


def prepare(allowed: Collection[Permission]) -> Filter:
    """The filter for a copy with these permissions. Made before the fork, since it takes milliseconds and is the same each time."""
    return _prepared(frozenset(allowed))


def confine(prepared: Filter, allowed: Collection[Permission]) -> None:
    """Confine this thread and all that it starts, for good. Raises :class:`seccompy.SeccompError`."""
    from seccompy import Action

    _filter(own_rules(os.getpid(), allowed), default=int(Action.ALLOW)).load()
    prepared.load()


@functools.cache
def _prepared(allowed: frozenset[Permission]) -> Filter:
    from seccompy import Action

    made = _filter(rules(allowed), default=int(Action.ERRNO) | errno.ENOSYS)
    _ = made.program  # compiles it
    return made


def _filter(wanted: Iterable[Rule], *, default: int) -> Filter:
    from seccompy import ArgCmp, CmpOp, Filter
    from seccompy.syscalls import syscall_nr

    made = Filter(default)
    for rule in wanted:
        try:
            number = syscall_nr(rule.call)
        except ValueError:  # another processor's
            continue
        args = [ArgCmp(each.index, CmpOp.MASKED_EQ, each.value, each.mask) for each in rule.when]
        if rule.error or rule.pretended:
            made.errno(number, rule.error, args=args)  # an error of 0 is a success
        else:
            made.allow(number, args=args)
    return made
