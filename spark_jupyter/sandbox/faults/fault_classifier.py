"""Classifier for errors that the code itself causes.

Runs in the copy, on the error of a statement that was just run. An error is the code's own fault where the same statement would raise it in
the kernel, whatever the rows hold: a name, attribute, module, keyword or column that does not exist, a frequency that the version of
pandas has under another name, a call that no signature takes. An error about values (IndexError, ZeroDivisionError, a dict's key) is none:
it is shown, and a person decides. Nor is one

- that a refusal, the limits or a missing person caused, or that comes after a refusal which the code coped with;
- that is raised in a function which the kernel had before;
- that a library raises about something which the statement does not name.
"""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from typing import Any

from spark_jupyter.sandbox.copy_protocol import Fault, FaultRule

_ATTRIBUTE = re.compile(r"has no (?:attribute|property) '(\w+)'|unexpected keyword argument '?(\w+)'?|^(\w+)$")
_KEYWORD = re.compile(
    r"unexpected keyword argument '?(\w+)'?|'?(\w+)'? is an invalid keyword argument|"
    r"got an unexpected keyword '(\w+)'|[Uu]nrecognized (?:keyword )?argument'?s?:? '?(\w+)"
)
_SIGNATURE = re.compile(
    r"missing \d+ required|takes (?:no|\d+|from|at most|at least|exactly)\b.*argument|multiple values for|"
    r"takes no (?:keyword )?arguments|expected (?:at least |at most )?\d+ arguments?|required positional argument|"
    r"^(?:function|descriptor|\w+\(\)) .*missing required argument"
)
_MISUSE = re.compile(
    r"'(?:module|tuple|str|int|float|dict|list|DataFrame|Series|Index|RangeIndex|ndarray|NoneType|property)' object is not "
    r"callable|'(?:method|function|builtin_function_or_method|type|module)' object is not (?:subscriptable|iterable)"
)
_COLUMNS = re.compile(
    r"Could not interpret (?:value|input) [`'\"](.+?)[`'\"] for|is not the name of a column in .* but received: (\w+)|"
    r"expected but not found: \['([^']+)'|Referenced column \"([^\"]+)\" not found|no such column: (?:\w+\.)?(\w+)"
)
"""Messages of seaborn, plotly, pandas' readers, DuckDB and SQLite about a missing column."""
_RENAMED = re.compile(
    r"'(\w{1,8})' is no longer supported for (?:offsets|periods|timedelta)|Invalid frequency: (\w{1,8})"
)
"""pandas' message about a frequency that has another name since version 3."""
_QUOTED = re.compile(r"'([^']+)'|\"([^\"]+)\"")
_COLUMN_ERRORS = frozenset({"ColumnNotFoundError", "SchemaFieldNotFoundError"})
_TABLES = frozenset({"pandas", "polars", "xarray", "geopandas", "dask"})
_OURS = ("IPython", "spark_jupyter", "ipykernel", "importlib")


def classify(
    error: BaseException, *, cells: Mapping[str, int], namespace: Mapping[str, Any], text: str
) -> Fault | None:
    """Classify ``error`` of a statement; None if the statement is not at fault.

    ``cells`` are the cells of the answer by file name, ``text`` is the statement.
    """
    frames = _frames(error)
    own = [(frame, number) for frame, number in frames if frame.f_code.co_filename in cells]
    if not own or _excused(error) or _in_older_function(frames, cells, namespace):
        return None
    frame, at = own[-1]
    judged = _judge(error, frame, frames[-1][0] is frame, text)
    if judged is None:
        return None
    rule, name, owner = judged
    return Fault(
        number=cells[frame.f_code.co_filename],
        line=at,
        rule=rule,
        name=name[:200],
        owner=owner[:300],
        raised=f"{type(error).__name__[:90]}: {_text(error)}",
    )


def _frames(error: BaseException) -> list[tuple[types.FrameType, int]]:
    found = []
    step = error.__traceback__
    while step is not None:
        if not step.tb_frame.f_globals.get("__name__", "").startswith(_OURS):
            found.append((step.tb_frame, step.tb_lineno))
        step = step.tb_next
    return found


def _excused(error: BaseException | None) -> bool:
    """True if the error comes from a limit of the copy: a refusal, a limit, nobody to ask."""
    while error is not None:
        if isinstance(error, (OSError, MemoryError, RecursionError, EOFError)) or not isinstance(error, Exception):
            return True
        if type(error).__name__ == "StdinNotImplementedError":
            return True
        error = error.__cause__ or error.__context__
    return False


def _in_older_function(
    frames: list[tuple[types.FrameType, int]], cells: Mapping[str, int], namespace: Mapping[str, Any]
) -> bool:
    """True if an older function of the kernel raised it, except one that only implements attributes."""
    while frames and frames[-1][0].f_code.co_name in ("__getattr__", "__getattribute__"):
        frames = frames[:-1]
    return any(f.f_globals is namespace and f.f_code.co_filename not in cells for f, _ in frames)


def _judge(error: BaseException, frame: types.FrameType, here: bool, text: str) -> tuple[FaultRule, str, str] | None:
    """The rule that is broken, the name that does not exist, the class that lacks it. ``here``: it was raised in the code itself, not
    in a library."""
    match error:
        case NameError():
            name = getattr(error, "name", None) or _first(re.search(r"'(\w+)'", str(error)))
            return ("undefined-name", name or "", "") if here or name in _words(text) else None
        case ModuleNotFoundError():
            return ("missing-module", error.name or "", "") if here else None
        case ImportError():
            found = re.search(r"cannot import name '(\w+)' from '([\w.]+)'", str(error))
            return ("missing-attribute", found[1], found[2]) if here and found is not None else None
        case AttributeError():
            return _attribute(error, here, text)
        case TypeError():
            return _call(error, here, text)
        case _ if isinstance(error, KeyError) or type(error).__name__ in _COLUMN_ERRORS:
            return _column(error, text)
    if found := _COLUMNS.search(str(error)):
        return "missing-column", _first(found), ""
    if isinstance(error, ValueError) and (found := _RENAMED.search(str(error))):
        return "unknown-value", _first(found), ""
    return None


def _attribute(error: AttributeError, here: bool, text: str) -> tuple[FaultRule, str, str] | None:
    name = error.name or _first(_ATTRIBUTE.search(str(error)))
    if not name or (not here and name not in _words(text)):
        return None
    if "keyword argument" in str(error):
        return "unknown-keyword", name, ""
    return "missing-attribute", name, _class_of(error.obj) if error.obj is not None else ""


def _call(error: TypeError, here: bool, text: str) -> tuple[FaultRule, str, str] | None:
    message = str(error)
    if found := _KEYWORD.search(message):
        keyword = _first(found)
        return ("unknown-keyword", keyword, "") if here or keyword in _words(text) else None
    if not here:
        return None
    if _SIGNATURE.search(message):
        return "wrong-arguments", "", ""
    return ("wrong-call", "", "") if _MISUSE.search(message) else None


def _column(error: BaseException, text: str) -> tuple[FaultRule, str, str] | None:
    """A label that a table has not. The table is in one of the frames of its library."""
    frames = _frames(error)
    in_table = frames[-1][0].f_globals.get("__name__", "").partition(".")[0] in _TABLES
    if not in_table and isinstance(error, KeyError):  # polars raises in the native part, which has no frame
        return None
    label = str(error.args[0]) if error.args else ""
    named = [label] if label and label in text else [one or other for one, other in _QUOTED.findall(label)]
    return "missing-column", next(iter(named), ""), ""


def _class_of(thing: object) -> str:
    """The class whose names count: a module's own name for a module."""
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    kind = thing if isinstance(thing, type) else type(thing)
    return f"{kind.__module__}.{kind.__qualname__}"


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _first(found: re.Match[str] | None) -> str:
    return next((group for group in found.groups() if group), "") if found else ""


def _text(error: BaseException) -> str:
    try:
        return str(error)[:600]
    except Exception:  # the user's own __str__
        return ""
