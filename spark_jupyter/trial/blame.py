"""Whether an error is the code's own fault, and what to say about it: the real error, the nearest name, the signature.

In the copy, of a statement that was just run. An error is the code's own where the same statement would raise it in the kernel, whatever
the values: a name, an attribute, a module, a keyword or a column that does not exist, a call that no signature takes. An error about
values (ValueError, IndexError, ZeroDivisionError, the key of a dict) is none: it is shown, and a person decides. Nor is one

- that a refusal, the limits or a missing person caused, or that comes after a refusal which the code coped with;
- that is raised in a function which the kernel had before;
- that a library raises about something which the statement does not name.
"""

from __future__ import annotations

import builtins
import re
import sys
import types
from collections.abc import Mapping
from typing import Any

from spark_jupyter.reality.report import did_you_mean, listing, nearest
from spark_jupyter.trial.protocol import Blame
from spark_jupyter.wire.messages import Finding

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
_COLUMN_ERRORS = frozenset({"ColumnNotFoundError", "SchemaFieldNotFoundError"})
_TABLES = frozenset({"pandas", "polars", "xarray", "geopandas", "dask"})
_OURS = ("IPython", "spark_jupyter", "ipykernel", "importlib")


def blame(error: BaseException, *, cells: Mapping[str, int], namespace: Mapping[str, Any], text: str) -> Blame | None:
    """What is wrong with a statement that raised ``error``; None where that is not its own fault.

    ``cells`` are the cells of the answer by file name, ``text`` is the statement.
    """
    frames = _frames(error)
    own = [(frame, number) for frame, number in frames if frame.f_code.co_filename in cells]
    if not own or _excused(error) or _in_older_function(frames, cells, namespace):
        return None
    frame, at = own[-1]
    said = _judge(error, frame, frames[-1][0] is frame, namespace, text)
    if said is None:
        return None
    rule, remedy = said
    message = f"Run in a copy of the kernel, it raised {type(error).__name__}: {_text(error)}"
    finding = Finding(rule=rule, severity="block", line=at, message=message, remedy=remedy, origin="rehearsal")
    return Blame(number=cells[frame.f_code.co_filename], finding=finding)


def _frames(error: BaseException) -> list[tuple[types.FrameType, int]]:
    found = []
    step = error.__traceback__
    while step is not None:
        if not step.tb_frame.f_globals.get("__name__", "").startswith(_OURS):
            found.append((step.tb_frame, step.tb_lineno))
        step = step.tb_next
    return found


def _excused(error: BaseException | None) -> bool:
    """Whether it comes of something that only a copy does: a refusal, a limit, nobody to ask."""
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
    """Whether a function that the kernel had before raised it; one that only says what an object has is none."""
    while frames and frames[-1][0].f_code.co_name in ("__getattr__", "__getattribute__"):
        frames = frames[:-1]
    return any(f.f_globals is namespace and f.f_code.co_filename not in cells for f, _ in frames)


def _judge(
    error: BaseException, frame: types.FrameType, here: bool, namespace: Mapping[str, Any], text: str
) -> tuple[str, str] | None:
    """The rule that is broken and the remedy. ``here``: it was raised in the code itself, not in a library."""
    match error:
        case NameError():
            name = getattr(error, "name", None) or _first(re.search(r"'(\w+)'", str(error)))
            if not here and name not in _words(text):
                return None
            known = [*frame.f_locals, *namespace, *vars(builtins)]
            return "undefined-name", did_you_mean(nearest(name or "", [one for one in known if one[:1] != "_"]))
        case ModuleNotFoundError():
            return _module(error) if here else None
        case ImportError():
            return _imported(error) if here else None
        case AttributeError():
            return _attribute(error, here, text, frame)
        case TypeError():
            return _call(error, here, text, frame)
        case _ if isinstance(error, KeyError) or type(error).__name__ in _COLUMN_ERRORS:
            return _column(error, text)
    return None


# --- each kind -------------------------------------------------------------------------------------------------------


def _module(error: ModuleNotFoundError) -> tuple[str, str]:
    from spark_jupyter.reality import modules

    name = error.name or ""
    top = name.partition(".")[0]
    close = nearest(top, modules.known_names()) if "." not in name else None
    install = modules.DISTRIBUTIONS.get(top, top)
    install_it = f"If it is what you want, install it first: `%pip install {install}`."
    return "missing-module", did_you_mean(close if close != top else None) or ("" if "." in name else install_it)


def _imported(error: ImportError) -> tuple[str, str] | None:
    found = re.search(r"cannot import name '(\w+)' from '([\w.]+)'", str(error))
    if found is None:
        return None
    module = sys.modules.get(found[2])
    return "missing-attribute", did_you_mean(nearest(found[1], _public(module)) if module is not None else None)


def _attribute(error: AttributeError, here: bool, text: str, frame: types.FrameType) -> tuple[str, str] | None:
    name = error.name or _first(_ATTRIBUTE.search(str(error)))
    if not name or (not here and name not in _words(text)):
        return None
    if "keyword argument" in str(error):
        return "unknown-keyword", _signature_of_call(frame, text, keyword=name)
    owner = error.obj if error.obj is not None else _owner(frame, text, name)
    close = nearest(name, _public(owner)) if owner is not None else None
    if close is None and (columns := _columns(owner)):
        return "missing-attribute", did_you_mean(nearest(name, columns)) or f"Its columns: {listing(columns)}."
    return "missing-attribute", did_you_mean(
        close, signature=_signature(getattr(owner, close, None), close)
    ) if close else ""


def _call(error: TypeError, here: bool, text: str, frame: types.FrameType) -> tuple[str, str] | None:
    message = str(error)
    if found := _KEYWORD.search(message):
        keyword = _first(found)
        if here or keyword in _words(text):
            return "unknown-keyword", _signature_of_call(frame, text, keyword=keyword)
        return None
    if not here:
        return None
    if _SIGNATURE.search(message):
        return "wrong-arguments", _signature_of_call(frame, text)
    return ("wrong-call", "") if _MISUSE.search(message) else None


def _column(error: BaseException, text: str) -> tuple[str, str] | None:
    """A label that a table has not. The table is in one of the frames of its library."""
    frames = _frames(error)
    if frames[-1][0].f_globals.get("__name__", "").partition(".")[0] not in _TABLES:
        if not isinstance(error, KeyError):  # polars raises in the native part, which has no frame
            return "missing-column", ""
        return None
    columns: list[str] = []
    for frame, _ in frames[1:]:
        for value in list(frame.f_locals.values()):
            columns = _columns(value) or columns
    named = [str(error.args[0])] if error.args and str(error.args[0]) in text else re.findall(r"'([^']+)'", str(error))
    close = next((one for one in (nearest(name, columns) for name in named) if one), None)
    return "missing-column", did_you_mean(close) or (f"There are: {listing(columns)}." if columns else "")


# --- what is there instead -------------------------------------------------------------------------------------------


def _public(owner: object) -> list[str]:
    try:
        return [name for name in dir(owner) if not name.startswith("_")]
    except Exception:  # an object whose __dir__ is broken
        return []


def _columns(owner: Any) -> list[str]:
    if type(owner).__module__.partition(".")[0] not in _TABLES:
        return []
    try:
        if type(owner).__name__ in ("DataFrame", "LazyFrame"):
            return [str(label) for label in list(owner.columns)[:500]]
        if type(owner).__name__ == "Index":
            return [str(label) for label in list(owner)[:500]]
    except Exception:  # half made, or lazy
        return []
    return []


def _owner(frame: types.FrameType, text: str, name: str) -> object:
    """What stands before ``.name``, where it is a plain dotted name."""
    found = re.search(rf"([A-Za-z_][\w.]*)\s*\.\s*{re.escape(name)}\b", text)
    return _resolve(frame, found[1]) if found else None


def _resolve(frame: types.FrameType, dotted: str) -> object:
    first, *rest = dotted.split(".")
    value = frame.f_locals.get(first, frame.f_globals.get(first, vars(builtins).get(first)))
    try:
        for name in rest:
            value = getattr(value, name)
    except Exception:  # a property of the user's
        return None
    return value


def _signature_of_call(frame: types.FrameType, text: str, *, keyword: str = "") -> str:
    """The signature of what is called (with that keyword), where it is a plain dotted name."""
    pattern = rf"([A-Za-z_][\w.]*)\s*\((?=[^()]*\b{re.escape(keyword)}\s*=)" if keyword else r"([A-Za-z_][\w.]*)\s*\("
    found = re.search(pattern, text)
    function = _resolve(frame, found[1]) if found else None
    shown = _signature(function, found[1].rpartition(".")[2]) if found and function is not None else ""
    close = nearest(keyword, _parameters(function)) if keyword and function is not None else None
    return did_you_mean(close, signature=shown) or (f"Its signature: `{shown}`." if shown else "")


def _signature(function: object, name: str) -> str:
    from spark_jupyter.reality.signatures import signature_text

    return signature_text(_plain(function), name, skip=int(_is_bound(function))) if callable(function) else ""


def _parameters(function: object) -> list[str]:
    from spark_jupyter.reality.signatures import signature

    found = signature(_plain(function))
    return list(found.parameters)[int(_is_bound(function)) :] if found is not None else []


def _is_bound(function: object) -> bool:
    return isinstance(function, types.MethodType)


def _plain(function: object) -> object:
    return function.__func__ if isinstance(function, types.MethodType) else function


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _first(found: re.Match[str] | None) -> str:
    return next((group for group in found.groups() if group), "") if found else ""


def _text(error: BaseException) -> str:
    try:
        return str(error)[:600]
    except Exception:  # the user's own __str__
        return ""
