"""Walls that confine a copy, whatever runs in it.

They hold native code, threads, sub-interpreters and Python that has patched our own. The system enforces them (Linux): a filter of system
calls (``seccomp``, from the tables of ``syscall_policy``), Landlock for files (``filesystem``, with the ``allowed_paths``), hard
``resource_limits``, and ``namespaces`` as a second wall where they are granted. The audit hook (``spark_jupyter.sandbox.copy.audit_hook``)
is no wall: it only says in words what was refused. ``canaries`` try each wall.

A process that is to be confined is forked first and has one thread: ``ready(allowed)`` before the fork, ``confine`` in it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from spark_jupyter.protocol.values import Permission
from spark_jupyter.sandbox.walls import filesystem, namespaces, seccomp
from spark_jupyter.sandbox.walls.allowed_paths import Places, of_this_process, prepare

if TYPE_CHECKING:
    from seccompy import Filter


class Walls(Struct, frozen=True, kw_only=True):
    """Enforcement that this system offers. ``landlock`` is the version of its interface, 0 without it."""

    seccomp: bool
    landlock: int

    @property
    def missing(self) -> str:
        """Missing enforcement, in one sentence; empty if nothing is missing."""
        files, calls = "what it reads and writes", "the network, programs, and other processes"
        if self.seccomp and self.landlock:
            return ""
        what = f"{files}, {calls}" if not (self.seccomp or self.landlock) else files if self.seccomp else calls
        lacking = [name for name, there in (("seccomp", self.seccomp), ("Landlock", self.landlock)) if not there]
        return (
            f"Not enforced here against code that means harm: {what} (this system has no {' and no '.join(lacking)})."
        )


class Ready(Struct, frozen=True, kw_only=True):
    """Preparation before the fork. ``calls`` is the filter of system calls, None without seccomp."""

    walls: Walls
    calls: Filter | None = None


def enforced() -> Walls:
    """Enforcement of a copy's walls here. Asks the system each time; a few milliseconds the first time."""
    return Walls(seccomp=seccomp.available(), landlock=filesystem.interface())


def ready(allowed: Collection[Permission]) -> Ready:
    """Make what takes its time."""
    walls = enforced()
    prepare()
    if walls.landlock:
        filesystem.prepare(allowed)
    return Ready(walls=walls, calls=seccomp.prepare(allowed) if walls.seccomp else None)


def confine(made: Ready, places: Places, allowed: Collection[Permission]) -> Places:
    """Confine this process, which has one thread, for good. Returns the places that it has. Raises OSError where a wall that this system
    has can't be put up: then nothing of the user's may run here."""
    # The filter of system calls holds the privileges that come with a namespace.
    alone = made.calls is not None and namespaces.enter(allowed)
    places = structs.replace(places, read=(*places.read, *of_this_process(whole=alone or "network" in allowed)))
    if made.walls.landlock:
        filesystem.confine(places, allowed)
    if made.calls is not None:
        seccomp.confine(made.calls, allowed)
    return places
