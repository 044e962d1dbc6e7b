"""Helper process that imports libraries the kernel has not loaded.

The kernel must not import a library only to check a cell. So the statements go, as text, to a process of their own, which
imports well-known installed libraries (never the user's modules, and not from the working directory) and runs the same
check there. Of the kernel it is told the names, the classes and the columns of variables; no value leaves the kernel.
"""

from __future__ import annotations

import atexit
import os
import queue
import subprocess
import sys
import threading
import time
import types
from collections.abc import Mapping
from enum import StrEnum
from itertools import count

from msgspec import Struct, structs

from spark_jupyter.protocol import json_text
from spark_jupyter.protocol.values import Finding
from spark_jupyter.reality import frame_columns
from spark_jupyter.reality.static_lookup import TRUSTED, class_module, class_name, is_class, root
from spark_jupyter.source.statements import Statement
from spark_jupyter.typed_decoders import json_decoder

WELL_KNOWN = TRUSTED | frozenset(
    "altair bokeh xgboost lightgbm httpx pydantic nltk spacy transformers jax skimage numba dask xarray pyarrow duckdb openpyxl "
    "yaml tqdm joblib IPython ipywidgets patsy tabulate rich click jinja2 lxml aiohttp flask fastapi pytest hypothesis".split()
)
"""Libraries whose import is known to do nothing but define things."""
NEVER = frozenset({"antigravity", "this", "idlelib", "turtledemo", "turtle", "tkinter", "lib2to3", "test", "__main__"})
MAX_NAMES = 2000
MAX_COLUMNS = 2000


class Sort(StrEnum):
    """The kind of a kernel variable, as far as the helper is told."""

    MODULE = "module"
    CLASS = "class"
    INSTANCE = "instance"
    TABLE = "table"


class KnownName(Struct, frozen=True, omit_defaults=True):
    """A variable of the kernel, as the helper is told of it. ``where`` is a module, ``name`` a class or function in it."""

    sort: Sort
    where: str = ""
    name: str = ""
    columns: tuple[str | int, ...] | None = None
    levels: tuple[str | int | None, ...] | None = None


class Request(Struct, frozen=True, omit_defaults=True):
    """Look at a statement of a session, or say what was held back (``last``). The first one of a session tells the names. ``bound`` are
    names of the kernel's that the statements so far, of cells that were not run, would bind again."""

    session: int
    text: str = ""
    line: int = 1
    magic: str = ""
    names: dict[str, KnownName] | None = None
    silent: bool = False
    last: bool = False
    bound: tuple[str, ...] = ()
    ends: bool = False
    serial: int = 0


class Reply(Struct, frozen=True, omit_defaults=True):
    """The findings on a statement."""

    session: int
    serial: int
    findings: tuple[Finding, ...] = ()


def may_import(name: str) -> bool:
    top = root(name)
    return (top in WELL_KNOWN or top in sys.stdlib_module_names) and top not in NEVER and not name.endswith("__main__")


def describe_names(namespace: Mapping[str, object]) -> dict[str, KnownName]:
    """The kernel's variables as far as the helper can use them, without a value in them."""
    found: dict[str, KnownName] = {}
    for name, value in list(dict(namespace).items())[-MAX_NAMES:]:
        if type(name) is str and not name.startswith("_"):
            known = _describe(value)
            if known is not None:
                found[name] = known
    return found


def _describe(value: object) -> KnownName | None:
    kind = type(value)
    if kind is types.ModuleType:
        own = types.ModuleType.__getattribute__(value, "__dict__").get("__name__")
        return KnownName(Sort.MODULE, own) if type(own) is str and may_import(own) else None
    if frame_columns.is_frame(kind):
        table = frame_columns.live_table(value)
        columns = tuple(c for c in table.columns or () if type(c) in (str, int))
        known = table.columns is not None and len(columns) == len(table.columns) <= MAX_COLUMNS
        levels = tuple(n for n in table.levels or () if type(n) in (str, int, type(None)))
        return KnownName(
            Sort.TABLE,
            class_module(kind),
            "DataFrame",
            columns if known else None,  # type: ignore[arg-type]
            levels if known else None,  # type: ignore[arg-type]
        )
    home, own_name = class_module(value if is_class(value) else kind), ""
    if is_class(value):
        return KnownName(Sort.CLASS, home, class_name(value)) if may_import(home) else None
    own_name = class_name(kind)
    return KnownName(Sort.INSTANCE, home, own_name) if may_import(home) and own_name != "function" else None


class Session:
    """The statements of one cell, as the helper sees them."""

    def __init__(self, helper: Helper, namespace: Mapping[str, object]) -> None:
        self._helper = helper
        self._id, self._replies = helper.open()
        self._names: dict[str, KnownName] | None = describe_names(namespace)
        self._sent = self._received = 0

    def send(self, statement: Statement, *, silent: bool = False) -> None:
        """Have a statement looked at. ``silent`` ones are only taken note of."""
        text, line, magic = statement
        self._send(Request(self._id, text, line, magic, silent=silent))

    def send_bound(self, bound: tuple[str, ...]) -> None:
        """Have these names stand for what they are in the kernel, too."""
        self._send(Request(self._id, bound=bound))

    def send_last(self) -> None:
        """Have told what was held back until the end of the cell."""
        self._send(Request(self._id, last=True))

    def _send(self, request: Request) -> None:
        self._sent += 1
        names, self._names = self._names, None
        self._helper.send(structs.replace(request, names=names, serial=self._sent))

    def receive(self, *, patience: float) -> list[Finding]:
        """The findings that have come, waiting at most ``patience`` seconds for those that are still to come."""
        until = time.monotonic() + patience
        found: list[Finding] = []
        while self._received < self._sent:
            try:
                reply = self._replies.get(timeout=max(0.0, until - time.monotonic()) or 0.000_1)
            except queue.Empty:
                break
            if reply is None:
                self._received = self._sent
                break
            self._received = reply.serial
            found += reply.findings
        return found

    def close(self) -> None:
        self._helper.close(self._id)


class Helper:
    """The process and its pipes. It is started at first use and ends with this process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._sessions: dict[int, queue.Queue[Reply | None]] = {}
        self._ids = count(1)
        self._lock = threading.Lock()
        self._starts = 0

    def available(self) -> bool:
        """True if the helper runs or can be started. Not in a fork of the process that it belongs to."""
        with self._lock:
            if self._process is not None and self._owner != os.getpid():
                return False
            if self._process is not None and self._process.poll() is None:
                return True
            return self._start()

    def _start(self) -> bool:
        if self._starts >= 3:
            return False  # the helper does not live here; the check does without
        self._starts += 1
        environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONWARNINGS": "ignore"}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "spark_jupyter.reality.helper_main"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,  # Ctrl-C in a terminal is not for it
            )
        except OSError:
            return False
        if self._owner == 0:
            atexit.register(self.stop)
        self._owner = os.getpid()
        threading.Thread(target=self._read, args=(self._process,), name="spark-reality-helper", daemon=True).start()
        return True

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        decoder = json_decoder(Reply)
        assert process.stdout is not None
        for line in process.stdout:
            reply = decoder.decode(line)
            replies = self._sessions.get(reply.session)
            if replies is not None:
                replies.put(reply)
        for replies in list(self._sessions.values()):
            replies.put(None)

    def open(self) -> tuple[int, queue.Queue[Reply | None]]:
        """A new session's id and where its replies will be."""
        session = next(self._ids)
        replies: queue.Queue[Reply | None] = queue.Queue()
        self._sessions[session] = replies
        return session, replies

    def close(self, session: int) -> None:
        if self._sessions.pop(session, None) is not None:
            self.send(Request(session, ends=True))

    def send(self, request: Request) -> None:
        """Write a request; if the process is gone, its session is told so."""
        data = json_text.encode(request) + b"\n"
        with self._lock:
            process = self._process
            try:
                if process is None or process.stdin is None or self._owner != os.getpid():
                    raise BrokenPipeError
                process.stdin.write(data)
                process.stdin.flush()
            except (OSError, ValueError):
                replies = self._sessions.get(request.session)
                if replies is not None:
                    replies.put(None)

    def stop(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            if process.stdin is not None:
                process.stdin.close()
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


HELPER = Helper()
