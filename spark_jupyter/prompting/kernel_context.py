"""Reader of the kernel's variables and last error, for a request.

The kernel is only read. No code of the user's runs for it: no ``repr``, no property, no ``__getattr__``, no ``__len__`` of a class that is
not exactly one of Python's, NumPy's, pandas', polars' or torch's own. A value of any other class is named by its class, which is enough for
a model that also sees the cells (:mod:`spark_jupyter.prompting.variables`).
"""

from __future__ import annotations

import builtins
import time
import traceback
import types
from collections.abc import Callable, Mapping
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from spark_jupyter.prompting.column_profile import phrases, told, told_numbers
from spark_jupyter.prompting.variables import TABLE, Variable, is_plain, module_name, type_name, variable

MAX_VARIABLES = 2000
MOST_TEXTS = 20
"""Columns of text of a table that are looked into, and"""
SAMPLED_ROWS = 1000
"""about how many of its rows."""
_NUMBER_DTYPES = frozenset({"float64", "float32", "int64", "int32", "int16", "int8", "uint8"})
_TEXT_DTYPES = frozenset({"str", "object", "string", "category", "String"})
_MOST_LOCALS = 20
"""Names of a function that failed."""
_IPYTHON_NAMES = frozenset({"In", "Out", "exit", "quit", "get_ipython"})


class KernelContext(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was read of the kernel. ``complete`` is False where time ran out before every variable was looked into."""

    variables: tuple[Variable, ...] = ()
    last_error: str = ""
    complete: bool = True


def gather(
    namespace: Mapping[str, object],
    *,
    last_error: str | BaseException | None = None,
    prompt: str = "",
    time_cap: float = 0.05,
    clock: Callable[[], float] = time.perf_counter,
) -> KernelContext:
    """Read the kernel's variables, the youngest first.

    ``last_error`` is a traceback's text, or the exception itself, of which only the stack and plain arguments are read.
    With a ``prompt`` the tables' columns of text are looked into (:mod:`spark_jupyter.prompting.column_profile`).
    After ``time_cap`` seconds the remaining variables are given with the name of their type only. Raises nothing.
    """
    until = clock() + time_cap
    said = phrases(prompt) if prompt else frozenset()
    names = [(name, value) for name, value in _items(namespace) if _is_users(name, value)]
    variables = []
    complete = len(names) <= MAX_VARIABLES
    for age, (name, value) in enumerate(islice(reversed(names), MAX_VARIABLES)):
        in_time = clock() < until
        complete = complete and in_time
        read = variable(name, value, age=age, deep=in_time)
        if said and read.columns and read.rank == TABLE and clock() < until:
            read = replace(read, columns=_with_texts(value, read.columns, said))
        variables.append(read)
    text = _error_text(last_error, namespace) if isinstance(last_error, BaseException) else last_error or ""
    return KernelContext(variables=tuple(variables), last_error=text, complete=complete)


def format_error(error: BaseException) -> str:
    """The traceback of ``error`` as text, without calling ``str`` or ``repr`` of a class that is not Python's own."""
    lines = ["Traceback (most recent call last):\n"]
    lines += traceback.format_list(traceback.extract_tb(error.__traceback__)[-20:])
    return "".join(lines) + f"{type_name(type(error))}: {_message(error)}"


def _error_text(error: BaseException, namespace: Mapping[str, object]) -> str:
    return format_error(error) + _values_there(error, namespace)


def _values_there(error: BaseException, namespace: Mapping[str, object]) -> str:
    """What the names of the user's innermost function held when it failed, by their types; none where no function was running."""
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
    """What an exception says. Python's own classes are asked (an OSError names its file so) where all that they hold is plain."""
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


def _with_texts(frame: object, columns: tuple[str, ...], said: frozenset[str]) -> tuple[str, ...]:
    """The columns, with what those of text and of numbers hold, as :mod:`~spark_jupyter.prompting.column_profile` tells it."""
    found = list(columns)
    dtypes = [one.rpartition(" ")[2] for one in columns]
    texts = [number for number, dtype in enumerate(dtypes) if dtype in _TEXT_DTYPES]
    numbers = [number for number, dtype in enumerate(dtypes) if dtype in _NUMBER_DTYPES]
    for number in sorted((*texts[:MOST_TEXTS], *numbers[:MOST_TEXTS])):
        try:
            note = told(_texts(frame, number), said) if number in texts else _numbers(frame, number)
        except Exception:  # a half-built table must not cost the whole context
            return columns
        found[number] += f"({note})" if note else ""
    return tuple(found)


def _numbers(frame: object, number: int) -> str:
    """What is told of a column of numbers, by some rows from all over a table of pandas; nothing of one of polars."""
    if module_name(type(frame)).startswith("polars"):
        return ""
    every = slice(None, None, max(1, frame.shape[0] // SAMPLED_ROWS))  # type: ignore[attr-defined]
    return told_numbers(frame.iloc[every, number].to_numpy())  # type: ignore[attr-defined]


def _texts(frame: object, number: int) -> list[str]:
    """Texts of a column, of some rows from all over the table. Only what is exactly a ``str`` is taken."""
    rows = frame.shape[0]  # type: ignore[attr-defined]
    every = slice(None, None, max(1, rows // SAMPLED_ROWS))
    if module_name(type(frame)).startswith("polars"):
        values = frame.to_series(number)[every].to_list()  # type: ignore[attr-defined]
    else:
        values = list(frame.iloc[every, number].array)  # type: ignore[attr-defined]
    return [value for value in values if type(value) is str]
