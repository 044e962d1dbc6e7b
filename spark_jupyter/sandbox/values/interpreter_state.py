"""State of the Python interpreter and its process: filters, handlers, limits."""

from __future__ import annotations

import gc
import locale
import logging
import os
import random
import re
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any

from spark_jupyter.sandbox.values.state_part import StatePart
from spark_jupyter.sandbox.walls.allowed_paths import working_folder
from spark_jupyter.source.warning_filters import put_filters, users_filters

NOT_OURS = ("TMPDIR", "MPLBACKEND", "MPLCONFIGDIR", "JOBLIB_MULTIPROCESSING")
"""Environment variables that a copy sets."""


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in NOT_OURS}


def _set_environment(then: Mapping[str, str]) -> None:
    for name in _environment().keys() - then.keys():
        del os.environ[name]
    os.environ.update(then)


def _module_path(then: list[str]) -> None:
    sys.path[:] = then


def _decimal_context() -> Any:
    decimal: Any = sys.modules.get("decimal")
    if decimal is None:
        return None
    context = decimal.getcontext()
    return {name: getattr(context, name) for name in ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")} | {
        "traps": dict(context.traps)
    }


def _set_decimal_context(then: Mapping[str, Any]) -> None:
    for name, value in then.items():
        setattr(sys.modules["decimal"].getcontext(), name, value)


# --- logging --------------------------------------------------------------------------------------------------------------

_Logger = tuple[int, bool, bool, tuple[tuple[logging.Handler, int, Any], ...]]
_UNSET: _Logger = (logging.NOTSET, True, False, ())


def _loggers() -> dict[str, logging.Logger]:
    known = logging.root.manager.loggerDict.copy().items()
    return {"": logging.root} | {name: one for name, one in known if isinstance(one, logging.Logger)}


def _logging() -> tuple[int, dict[str, _Logger]]:
    def held(one: logging.Logger) -> _Logger:
        handlers = [each for each in one.handlers if not isinstance(each, logging.NullHandler)]
        return one.level, one.propagate, one.disabled, tuple((each, each.level, each.formatter) for each in handlers)

    return logging.root.manager.disable, {name: held(one) for name, one in _loggers().items()}


def _to_set(then: Mapping[str, _Logger], now: Mapping[str, _Logger]) -> dict[str, _Logger]:
    """The loggers that are not as they were. One that a library has made since stays: the library does, too."""
    wanted = {name: then.get(name, _UNSET) for name in now if name in then or name.partition(".")[0] not in sys.modules}
    return {name: one for name, one in wanted.items() if now[name] != one}


def _same_logging(then: Any, now: Any) -> bool:
    return bool(then[0] == now[0] and not _to_set(then[1], now[1]))


def _set_logging(then: tuple[int, dict[str, _Logger]]) -> None:
    logging.disable(then[0])
    loggers = _loggers()
    for name, (level, propagate, disabled, handlers) in _to_set(then[1], _logging()[1]).items():
        one = loggers[name]
        one.setLevel(level)
        one.propagate, one.disabled = propagate, disabled
        silent = [handler for handler in one.handlers if isinstance(handler, logging.NullHandler)]
        one.handlers[:] = [*silent, *(handler for handler, _, _ in handlers)]
        for handler, its_level, formatter in handlers:
            handler.setLevel(its_level)
            handler.setFormatter(formatter)


# --- signals and limits ---------------------------------------------------------------------------------------------------


def _signal_handlers() -> dict[int, Any]:
    """All but that of Ctrl-C, which the kernel changes around each cell."""
    held = {int(one): signal.getsignal(one) for one in signal.valid_signals() - {signal.SIGINT}}
    return {number: one for number, one in held.items() if one is not None}


def _set_signal_handlers(then: Mapping[int, Any]) -> None:
    for number, handler in _signal_handlers().items():
        if then.get(number, signal.SIG_DFL) != handler:
            signal.signal(number, then.get(number, signal.SIG_DFL))


def _umask() -> int | None:
    """To read it by setting it would lend other threads a wrong one for a moment."""
    with suppress(OSError):
        if match := re.search(r"^Umask:\s*(\d+)", Path("/proc/self/status").read_text(), re.MULTILINE):
            return int(match[1], 8)
    return None


def _resource_limits() -> dict[int, tuple[int, int]] | None:
    if sys.platform == "win32":
        return None
    import resource

    return {one: resource.getrlimit(one) for name, one in vars(resource).items() if name.startswith("RLIMIT_")}


def _set_resource_limits(then: Mapping[int, tuple[int, int]]) -> None:
    import resource

    for which, limits in then.items():
        if resource.getrlimit(which) != limits:
            resource.setrlimit(which, limits)


def _collect(then: tuple[bool, tuple[int, int, int]]) -> None:
    (gc.enable if then[0] else gc.disable)()
    gc.set_threshold(*then[1])


def _arguments(then: list[str]) -> None:
    sys.argv[:] = then


_SETTINGS: tuple[tuple[Callable[[], Any], Callable[[Any], object]], ...] = (
    (lambda: (gc.isenabled(), gc.get_threshold()), _collect),
    (lambda: list(sys.argv), _arguments),
    (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    (socket.getdefaulttimeout, socket.setdefaulttimeout),
    (_umask, os.umask),
    (_resource_limits, _set_resource_limits),
)


def _settings() -> list[Any]:
    return [get() for get, _ in _SETTINGS]


def _set_settings(then: list[Any]) -> None:
    for (get, put), value in zip(_SETTINGS, then, strict=True):
        if value != get():
            put(value)


RANDOM = "the state of random"


def holds_random(values: Iterable[object]) -> bool:
    """True if one of these values, or one in a module of the user's among them, is Python's ``random`` or draws from its state. Where none
    does, only libraries have drawn: rich does so when it is imported."""
    told = list(values)
    told += [one for module in told if _is_own(module) for one in vars(module).copy().values()]
    return any(_draws(value) for value in told)


def _draws(value: Any) -> bool:
    kind = type(value)  # isinstance would ask the value, and == its metaclass, which may raise
    if kind is FunctionType:
        return "random" in value.__code__.co_names
    return value is random or ((kind is MethodType or kind is BuiltinMethodType) and value.__self__ is _STATE)


def _is_own(value: Any) -> bool:
    if type(value) is not ModuleType:
        return False
    file, name = (vars(value).get(one) for one in ("__file__", "__name__"))
    if type(file) is not str or type(name) is not str:
        return False
    return "-packages" not in file and name.partition(".")[0] not in sys.stdlib_module_names


_STATE = getattr(random.random, "__self__", None)
"""The numbers that all of ``random`` draws from."""

INTERPRETER_STATE: dict[str, StatePart] = {
    "the working folder": StatePart(working_folder, os.chdir),
    "the environment": StatePart(_environment, _set_environment),
    "the module path": StatePart(lambda: list(sys.path), _module_path),
    RANDOM: StatePart(random.getstate, random.setstate),
    "decimal's context": StatePart(_decimal_context, _set_decimal_context),
    "the recursion limit": StatePart(sys.getrecursionlimit, sys.setrecursionlimit),
    "Python's warning filters": StatePart(users_filters, put_filters, plain=False),
    "the settings of logging": StatePart(_logging, _set_logging, _same_logging, plain=False),
    "the locale": StatePart(
        lambda: locale.setlocale(locale.LC_ALL), lambda then: locale.setlocale(locale.LC_ALL, then)
    ),
    "signal handlers": StatePart(_signal_handlers, _set_signal_handlers, plain=False),
    "settings of the process": StatePart(_settings, _set_settings, plain=False),
}
