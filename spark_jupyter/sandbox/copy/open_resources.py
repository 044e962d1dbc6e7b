"""Threads still running and files still open after a cell."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Collection, Mapping

from spark_jupyter.protocol.values import Effect


def left_running(before: Collection[threading.Thread]) -> list[Effect]:
    """The threads that were started and still run: in the kernel they would go on."""
    threads = [one for one in threading.enumerate() if one not in before]
    return [Effect(kind="thread", action="new", name=one.name, detail="still running") for one in threads]


def open_copies(namespace: Mapping[str, object]) -> list[Effect]:
    """The files that the user has open for writing. In a copy they are copies, also where files are allowed: two processes that write
    through one open file, or one SQLite connection, would spoil it."""
    paths = [path for value in list(namespace.values()) for path in _written_through(value)]
    detail = "the kernel has it open, so here it is a copy: what is written to that is not kept"
    return [Effect(kind="file", action="used", name=path, detail=detail) for path in dict.fromkeys(paths)]


def _written_through(value: object) -> list[str]:
    sqlite3 = sys.modules.get("sqlite3")
    if sqlite3 is not None and isinstance(value, sqlite3.Connection):
        try:
            return [row[2] for row in value.execute("pragma database_list") if row[2]]
        except sqlite3.Error:  # closed, or another thread's
            return []
    if type(value) in (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom, io.FileIO):
        name = None if value.closed or not value.writable() else value.name  # type: ignore[attr-defined]  # all four have them
        return [name] if isinstance(name, str) and not name.startswith("<") else []
    return []
