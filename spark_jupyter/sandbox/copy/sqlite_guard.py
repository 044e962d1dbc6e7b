"""SQLite in a copy: inherited connections readable, files not written.

SQLite opens and writes files in native code, so no audit event tells of a write. A connection's descriptor is the copy's own by then (see
:mod:`spark_jupyter.sandbox.copy.isolation`), so neither its position nor its locks are the kernel's.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any


def protect(folder: str) -> None:
    """Connections made from now on do not write files outside ``folder``."""
    original = sqlite3.connect

    def connect(*args: Any, **options: Any) -> Any:
        connection = original(*args, **options)
        _make_read_only(connection, folder)
        return connection

    sqlite3.connect = sqlite3.dbapi2.connect = connect  # in the copy only


def adopt(namespace: Mapping[str, object], *, owner: int, read_only: bool, folder: str) -> None:
    """The user's connections belong to the kernel's main thread ``owner``, which is not here: they become this thread's."""
    for value in list(namespace.values()):
        if issubclass(type(value), sqlite3.Connection):
            _give_to_this_thread(value, owner)
            if read_only:
                with suppress(sqlite3.Error):  # closed, or still another thread's: then nobody can use it here
                    _make_read_only(value, folder)


def _give_to_this_thread(connection: Any, owner: int) -> None:
    """``check_same_thread`` compares a number in the object, which nothing in Python can set."""
    size = ctypes.sizeof(ctypes.c_ulong)
    count = type(connection).__basicsize__ // size
    fields = (ctypes.c_ulong * count).from_address(id(connection))
    places = [place for place in range(count) if fields[place] == owner]
    if len(places) == 1:
        fields[places[0]] = threading.get_ident()


def _make_read_only(connection: Any, folder: str) -> None:
    files = [row[2] for row in connection.execute("pragma database_list") if row[2]]
    if any(not os.path.realpath(name).startswith(folder + os.sep) for name in files):
        connection.execute("pragma query_only = 1")
