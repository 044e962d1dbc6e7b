"""State of a process that no variable holds: random numbers, folder, options.

It is compared in proofs, and comes back with a moment. Each part has a getter, which gives None where its library is not loaded, and a
setter. What a getter gives can be compared. Both are called on the thread that runs cells: numpy keeps its print options for each thread.
"""

from __future__ import annotations

import os
import random
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from spark_jupyter.sandbox.walls.allowed_paths import working_folder

NOT_OURS = ("TMPDIR", "MPLBACKEND", "MPLCONFIGDIR", "JOBLIB_MULTIPROCESSING")
"""Environment variables that a copy sets."""


class _Part(NamedTuple):
    get: Callable[[], Any]
    put: Callable[[Any], object]


def held_parts() -> dict[str, Any]:
    """The state of this process, by its name in words."""
    return {name: value for name, part in _PARTS.items() if (value := _held(part)) is not None}


def _held(part: _Part) -> Any:
    try:
        return part.get()
    except Exception:  # of a library that is broken here nothing can come back, and cells run all the same
        return None


def changed_parts(then: Mapping[str, Any]) -> tuple[str, ...]:
    """The parts that are not as they were ``then``."""
    now = held_parts()
    return tuple(name for name, value in then.items() if name in now and now[name] != value)


def restore_parts(then: Mapping[str, Any]) -> tuple[str, ...]:
    """Set the parts to what they were ``then``; the names of those that can't be."""
    failed = []
    for name in changed_parts(then):
        try:
            _PARTS[name].put(then[name])
        except (
            OSError,
            ValueError,
            KeyError,
            RuntimeError,
        ) as error:  # the last: a limit of recursion below the present depth
            failed.append(f"{name} ({error})")
    return tuple(failed)


def threads_of_cells() -> dict[int, str]:
    """The names of the running threads that cells began, by their numbers: none of them ends with a return."""
    return {
        one.ident: one.name
        for one in threading.enumerate()
        if one.ident and "__main__" in (type(one).__module__, getattr(getattr(one, "_target", None), "__module__", ""))
    }


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in NOT_OURS}


def _set_environment(then: Mapping[str, str]) -> None:
    for name in _environment().keys() - then.keys():
        del os.environ[name]
    os.environ.update(then)


def _module_path(then: list[str]) -> None:
    sys.path[:] = then


def _numpy_random() -> Any:
    numpy: Any = sys.modules.get("numpy")
    if numpy is None or "numpy.random" not in sys.modules:
        return None
    kind, keys, *rest = numpy.random.get_state()
    return (kind, keys.tobytes(), *rest)


def _set_numpy_random(then: Any) -> None:
    numpy: Any = sys.modules["numpy"]
    kind, keys, *rest = then
    numpy.random.set_state((kind, numpy.frombuffer(keys, "u4"), *rest))


def _torch_random() -> Any:
    torch: Any = sys.modules.get("torch")
    return (
        None if not hasattr(torch, "get_rng_state") else bytes(torch.get_rng_state().tolist())
    )  # it may not know numpy


def _set_torch_random(then: bytes) -> None:
    torch: Any = sys.modules["torch"]
    torch.set_rng_state(torch.frombuffer(bytearray(then), dtype=torch.uint8))


def _decimal_context() -> Any:
    decimal: Any = sys.modules.get("decimal")
    if decimal is None:
        return None
    context = decimal.getcontext()
    return {name: getattr(context, name) for name in ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")}


def _set_decimal_context(then: Mapping[str, Any]) -> None:
    for name, value in then.items():
        setattr(sys.modules["decimal"].getcontext(), name, value)


def _numpy_printing() -> Any:
    numpy: Any = sys.modules.get("numpy")
    return None if numpy is None else dict(numpy.get_printoptions())


def _set_numpy_printing(then: dict[str, Any]) -> None:
    sys.modules["numpy"].set_printoptions(**then)


def _numpy_errors() -> Any:
    numpy: Any = sys.modules.get("numpy")
    return None if numpy is None else numpy.geterr()


def _set_numpy_errors(then: dict[str, Any]) -> None:
    sys.modules["numpy"].seterr(**then)


def _pandas_options() -> Any:
    config: Any = sys.modules.get("pandas._config.config")
    return None if config is None else dict(_flat(config._global_config, ""))


def _flat(options: Mapping[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    for name, value in options.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield above + name, value


def _set_pandas_options(then: Mapping[str, Any]) -> None:
    config: Any = sys.modules["pandas._config.config"]
    now = _pandas_options()
    for name in [name for name in then if name in now and now[name] != then[name]]:
        config.set_option(name, then[name])


def _matplotlib_settings() -> Any:
    matplotlib: Any = sys.modules.get("matplotlib")
    settings = getattr(matplotlib, "rcParams", None)
    return (
        None
        if settings is None
        else {name: one for name, one in dict.items(settings) if not name.startswith("backend")}
    )


def _set_matplotlib_settings(then: Mapping[str, Any]) -> None:
    dict.update(sys.modules["matplotlib"].rcParams, then)


def _figures() -> Any:
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    return None if pyplot is None else pyplot.get_fignums()


def _set_figures(then: list[int]) -> None:
    now: set[int] = set(_figures())
    for number in now - {*then}:
        sys.modules["matplotlib.pyplot"].close(number)
    if {*then} - now:
        raise ValueError("what was closed stays closed")


_PARTS: dict[str, _Part] = {
    "the working folder": _Part(working_folder, os.chdir),
    "the environment": _Part(_environment, _set_environment),
    "the module path": _Part(lambda: list(sys.path), _module_path),
    "the state of random": _Part(random.getstate, random.setstate),
    "the state of numpy.random": _Part(_numpy_random, _set_numpy_random),
    "the state of torch.random": _Part(_torch_random, _set_torch_random),
    "decimal's context": _Part(_decimal_context, _set_decimal_context),
    "numpy's print options": _Part(_numpy_printing, _set_numpy_printing),
    "numpy's reaction to errors": _Part(_numpy_errors, _set_numpy_errors),
    "pandas' options": _Part(_pandas_options, _set_pandas_options),
    "matplotlib's settings": _Part(_matplotlib_settings, _set_matplotlib_settings),
    "matplotlib's open figures": _Part(_figures, _set_figures),
    "the recursion limit": _Part(sys.getrecursionlimit, sys.setrecursionlimit),
}
