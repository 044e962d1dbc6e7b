"""Report of one run source: error text, line, refusal, time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from IPython.core.error import StdinNotImplementedError

from spark_jupyter.sandbox.copy.audit_hook import Refused
from spark_jupyter.sandbox.copy.limit_detection import missing_permissions
from spark_jupyter.sandbox.copy.time_limit import TimeUp
from spark_jupyter.sandbox.copy_protocol import Ran


def ran_report(
    number: int,
    error: BaseException | None,
    namespace: dict[str, Any],
    seconds: float,
    *,
    allow: Sequence[str],
    limit: str = "",
) -> Ran:
    """The report of source ``number``, which ran for so many seconds and raised ``error``, by a ``limit`` where that says which."""
    if error is None:
        return Ran(number=number, seconds=seconds, limit=limit)
    line, own_text = line_of(error, namespace), None
    if line is None and isinstance(error, SyntaxError):  # of the cell itself, not of a file that it imports
        line, own_text = error.lineno, error.msg
    message = "its time was up" if isinstance(error, TimeUp) else _message(error, own_text)
    if not isinstance(error, Refused):
        message += _explanation(message, allow)
    return Ran(
        number=number,
        error=message,
        name=_name(error),
        line=line,
        seconds=seconds,
        late=isinstance(error, TimeUp),
        refused=isinstance(error, (Refused, StdinNotImplementedError)),
        limit=limit,
    )


def _explanation(message: str, allow: Sequence[str]) -> str:
    """Words for what only the system refused: native code passes them on in an error of its own."""
    missing = missing_permissions(message, allow)
    if not missing:
        return ""
    return f" (Perhaps because of what a Try refuses, unless it is allowed: %spark try --allow {','.join(missing)})"


def _name(error: BaseException) -> str:
    """The name of its class; of a class that is Python's own secret (3.13's ``_IncompleteInputError``), that of the one it is a kind of."""
    if isinstance(error, Refused):
        return "PermissionError"
    return next(kind.__name__ for kind in type(error).__mro__ if not kind.__name__.startswith("_"))


def _message(error: BaseException, own_text: str | None) -> str:
    try:
        text = str(error) if own_text is None else str(own_text)
    except Exception as fault:  # the user's own __str__
        text = f"(its text can't be had: {type(fault).__name__})"
    return f"{_name(error)}: {text}"[:2_000] if text else _name(error)


def line_of(error: BaseException, namespace: dict[str, Any]) -> int | None:
    """The innermost line of the cell itself that was running."""
    cell = line = None
    step = error.__traceback__
    while step is not None:
        frame_ = step.tb_frame
        if cell is None and frame_.f_globals is namespace:
            cell = frame_.f_code.co_filename
        if cell is not None and frame_.f_code.co_filename == cell:
            line = step.tb_lineno
        step = step.tb_next
    if line is None and error.__context__ is not None:
        return line_of(error.__context__, namespace)
    return line
