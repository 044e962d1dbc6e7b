"""Reader of the kernel's variables and last error, for a request.

The kernel is only read. No code of the user's runs for it: no ``repr``, no property, no ``__getattr__``, no ``__len__`` of a class that is
not exactly one of Python's, NumPy's, pandas', polars' or torch's own. A value of any other class is named by its class, which is enough for
a model that also sees the cells (:mod:`spark_jupyter.prompting.variables`).
"""

from __future__ import annotations

import builtins
import os
import re
import time
import traceback
import types
from collections.abc import Callable, Mapping
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from spark_jupyter.class_identity import class_name
from spark_jupyter.prompting.column_profile import phrases
from spark_jupyter.prompting.table_profile import profile
from spark_jupyter.prompting.variables import TABLE, Variable, is_plain, table_kind, variable

MAX_VARIABLES = 2000
_PYTHONS = os.path.dirname(os.__file__) + os.sep
"""Folder of Python's own library."""
_MOST_LOCALS = 20
"""Names of a function that failed."""
_IPYTHON_NAMES = frozenset({"In", "Out", "exit", "quit", "get_ipython"})


class KernelContext(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Variables and last error of a kernel. ``complete`` is False where time ran out before every variable was looked into."""

    variables: tuple[Variable, ...] = ()
    last_error: str = ""
    complete: bool = True


def gather(
    namespace: Mapping[str, object],
    *,
    last_error: str | BaseException | None = None,
    prompt: str = "",
    time_cap: float = 0.05,
    profile_cap: float = 0.15,
    clock: Callable[[], float] = time.thread_time,
) -> KernelContext:
    """Read the kernel's variables, the youngest first.

    ``last_error`` is a traceback's text, or the exception itself, of which only the stack and plain arguments are read.
    The schema of every table is read in any case. After ``time_cap`` seconds other variables are given with the name of their type only.
    With a ``prompt`` the tables are profiled (:mod:`spark_jupyter.prompting.table_profile`), those that it names first, for at most
    ``profile_cap`` seconds. The ``clock`` is that of this thread's processor: what is told must not depend on how busy the machine is,
    or every request would tell it again. Raises nothing.
    """
    until = clock() + time_cap
    names = [(name, value) for name, value in _items(namespace) if _is_users(name, value)]
    variables = []
    complete = len(names) <= MAX_VARIABLES
    for age, (name, value) in enumerate(islice(reversed(names), MAX_VARIABLES)):
        table = table_kind(value) == "DataFrame"
        in_time = table or clock() < until
        complete = complete and in_time
        variables.append(variable(name, value, age=age, deep=in_time))
    if prompt:
        variables = _profiled(variables, dict(names), prompt, until=clock() + profile_cap, clock=clock)
    text = _error_text(last_error, namespace) if isinstance(last_error, BaseException) else last_error or ""
    return KernelContext(variables=tuple(variables), last_error=text, complete=complete)


def _profiled(
    variables: list[Variable], values: Mapping[str, object], prompt: str, *, until: float, clock: Callable[[], float]
) -> list[Variable]:
    """The variables with the profiles of the tables, as far as there is time."""
    said = phrases(prompt)
    named = frozenset(re.findall(r"\w+", prompt))
    tables = sorted(
        (one for one in variables if one.rank == TABLE and one.columns),
        key=lambda one: (one.name not in named, one.age),
    )
    profiles: dict[str, Variable] = {}
    for table in tables:
        if clock() >= until:
            break
        try:
            lines, found = profile(values[table.name], len(table.columns), said, in_time=lambda: clock() < until)
        except Exception:  # a half-built table must not cost the whole context
            continue
        profiles[table.name] = replace(table, profile=lines, found=found)
    return [profiles.get(one.name, one) for one in variables]


def format_error(error: BaseException) -> str:
    """The traceback of ``error`` as text, without calling ``str`` or ``repr`` of a class that is not Python's own.

    Of a library's frames only the last one is told, which raised it."""
    frames = list(traceback.extract_tb(error.__traceback__))
    own = [frame for frame in frames[:-1] if not _is_librarys(frame.filename)]
    lines = ["Traceback (most recent call last):\n"]
    lines += traceback.format_list([*own, *frames[-1:]][-20:])
    return "".join(lines) + f"{class_name(type(error))}: {_message(error)}"


def _is_librarys(filename: str) -> bool:
    """Return whether a file belongs to Python or to an installed package."""
    return "site-packages" in filename or "dist-packages" in filename or filename.startswith((_PYTHONS, "<frozen"))


def _error_text(error: BaseException, namespace: Mapping[str, object]) -> str:
    return format_error(error) + _values_there(error, namespace)


def _values_there(error: BaseException, namespace: Mapping[str, object]) -> str:
    """Describe the local names of the user's innermost function that failed, by their types; empty where no function was running."""
    found: types.FrameType | None = None
    step = error.__traceback__
    while step is not None:
        frame = step.tb_frame
        if frame.f_globals is namespace and frame.f_locals is not namespace:
            found = frame
        step = step.tb_next
    if found is None:
        return ""
    names = [(name, value) for name, value in found.f_locals.items() if not name.startswith((".", "_"))]
    lines = [variable(name, value, age=0, deep=True).line(columns=8) for name, value in names[:_MOST_LOCALS]]
    return "\n".join([f"\nValues in {found.f_code.co_name} there:", *lines]) if lines else ""


def _message(error: BaseException) -> str:
    """Return the message of an exception. Python's own classes are asked (an OSError names its file so) where all they hold is plain."""
    arguments = BaseException.args.__get__(error)  # type: ignore[attr-defined]
    kind = type(error)
    if vars(builtins).get(kind.__name__) is kind:
        files = (error.filename, error.filename2) if isinstance(error, OSError) else ()
        if all(is_plain(each) for each in (*arguments, *files)):
            return str(error)
    return ", ".join(str(each) for each in arguments if is_plain(each))


def _items(namespace: Mapping[str, object]) -> list[tuple[str, object]]:
    """The namespace as it stands; the kernel may write to it at the same time."""
    for _ in range(5):
        try:
            return [(name, value) for name, value in list(namespace.items()) if type(name) is str]
        except RuntimeError:  # changed size during iteration
            continue
    return []


def _is_users(name: str, value: object) -> bool:
    if name.startswith("_") or name in _IPYTHON_NAMES:
        return False
    # IPython puts its own `open` there, which says that it is io's
    return not (name == "open" and type(value) is types.FunctionType and _is_ipythons(value))


def _is_ipythons(function: types.FunctionType) -> bool:
    return str(function.__globals__.get("__name__", "")).startswith("IPython")
