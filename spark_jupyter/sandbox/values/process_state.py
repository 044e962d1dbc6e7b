"""State of a process that no variable holds: random numbers, folder, options.

It is compared in proofs, and comes back with a moment. It is read and set on the thread that runs cells: numpy keeps its print options for
each thread.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from spark_jupyter.sandbox.values.interpreter_state import INTERPRETER_STATE
from spark_jupyter.sandbox.values.state_part import StatePart, is_of_cells


# --- State of loaded libraries: random numbers, options and styles ---
# A library that is not loaded has none. What is drawn or shown depends on it, and no variable holds it.
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


def _options(library: str, get: str, put: str) -> StatePart:
    """Options that a function of a library gives as a dictionary, and another one takes as keywords."""

    def held() -> dict[str, Any] | None:
        loaded = sys.modules.get(library)
        return dict(getattr(loaded, get)()) if hasattr(loaded, get) else None

    return StatePart(held, lambda then: getattr(sys.modules[library], put)(**then))


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
    if settings is None:
        return None
    own = {name: one for name, one in dict.items(settings) if not name.startswith("backend")}
    colors: Any = sys.modules.get("matplotlib.colors")  # seaborn has its own shades for "b" and "g"
    return own, None if colors is None else {one: colors.get_named_colors_mapping()[one] for one in "bgrcmykw"}


def _set_matplotlib_settings(then: tuple[dict[str, Any], dict[str, Any] | None]) -> None:
    own, letters = then
    dict.update(sys.modules["matplotlib"].rcParams, own)
    for letter, color in (letters or {}).items():  # one by one: it then forgets what it has looked up
        sys.modules["matplotlib.colors"].get_named_colors_mapping()[letter] = color


def _figures() -> Any:
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    return None if pyplot is None else pyplot.get_fignums()


def _set_figures(then: list[int]) -> None:
    now: set[int] = set(_figures())
    for number in now - {*then}:
        sys.modules["matplotlib.pyplot"].close(number)
    if {*then} - now:
        raise ValueError("what was closed stays closed")


def _polars_options() -> Any:
    polars: Any = sys.modules.get("polars")
    return polars.Config.save() if hasattr(polars, "Config") else None


LIBRARY_STATE: dict[str, StatePart] = {
    "the state of numpy.random": StatePart(_numpy_random, _set_numpy_random),
    "the state of torch.random": StatePart(_torch_random, _set_torch_random),
    "numpy's print options": _options("numpy", "get_printoptions", "set_printoptions"),
    "numpy's reaction to errors": _options("numpy", "geterr", "seterr"),
    "pandas' options": StatePart(_pandas_options, _set_pandas_options),
    "polars' options": StatePart(_polars_options, lambda then: sys.modules["polars"].Config.load(then)),
    "scikit-learn's options": _options("sklearn", "get_config", "set_config"),
    "matplotlib's settings": StatePart(_matplotlib_settings, _set_matplotlib_settings),
    "matplotlib's open figures": StatePart(_figures, _set_figures),
}


# --- State of IPython: its settings, and what cells registered with it ---
_CONTAINERS = (list, dict, set)
_PLAIN = (bool, int, float, str, type(None), tuple)


def _shell() -> Any:
    find: Any = getattr(sys.modules["__main__"], "get_ipython", None)
    return find() if find is not None else None


def _configurables(shell: Any) -> Iterator[Any]:
    for one in (*shell.configurables, *shell.display_formatter.formatters.values()):
        if not type(one).__module__.startswith("spark_jupyter"):
            yield one


def _settings() -> dict[tuple[int, str], tuple[Any, Any]] | None:
    """Each with what it is a setting of. Of printers only those of cells: a library that is loaded stays, and so do its printers."""
    shell = _shell()
    if shell is None:
        return None
    found: dict[tuple[int, str], tuple[Any, Any]] = {}
    for one in _configurables(shell):
        for name in one.trait_names(config=True):
            value = getattr(one, name)
            if name.endswith("_printers"):
                value = {kind: printer for kind, printer in value.items() if is_of_cells(printer)}
            if isinstance(value, (*_CONTAINERS, *_PLAIN)):
                found[id(one), name] = one, value.copy() if isinstance(value, _CONTAINERS) else value
    return found


def _same_settings(then: dict[Any, Any], now: dict[Any, Any]) -> bool:
    return all(now.get(key, held) == held for key, held in then.items())


def _set_settings(then: dict[tuple[int, str], tuple[Any, Any]]) -> None:
    now = _settings() or {}
    for (number, name), (one, value) in then.items():
        if now.get((number, name), (one, value)) == (one, value):
            continue
        if name.endswith("_printers"):
            others = {kind: printer for kind, printer in getattr(one, name).items() if not is_of_cells(printer)}
            value = others | value
        setattr(one, name, value.copy() if isinstance(value, _CONTAINERS) else value)


def _registered() -> Any:
    """The callbacks and magics of cells, and aliases; how errors are shown."""
    shell = _shell()
    if shell is None:
        return None
    callbacks = {event: [one for one in each if is_of_cells(one)] for event, each in shell.events.callbacks.items()}
    magics = {
        kind: {name: one for name, one in each.items() if _is_made_by_cells(one)}
        for kind, each in shell.magics_manager.magics.items()
    }
    return callbacks, magics, shell.InteractiveTB.mode, shell.call_pdb


def _is_made_by_cells(magic: Any) -> bool:
    return is_of_cells(magic) or type(magic).__name__ in ("Alias", "MagicAlias")


def _set_registered(then: tuple[dict[str, list[Any]], dict[str, dict[str, Any]], str, bool]) -> None:
    shell = _shell()
    shell.InteractiveTB.set_mode(then[2])
    shell.call_pdb = then[3]
    for event, each in shell.events.callbacks.items():
        each[:] = [*(one for one in each if not is_of_cells(one)), *then[0].get(event, ())]
    for kind, known in shell.magics_manager.magics.items():
        for name in [name for name, one in known.items() if _is_made_by_cells(one)]:
            del known[name]
        known.update(then[1].get(kind, {}))


IPYTHON_STATE: dict[str, StatePart] = {
    "IPython's settings": StatePart(_settings, _set_settings, _same_settings, plain=False),
    "IPython's magics and callbacks": StatePart(_registered, _set_registered, plain=False),
}


_PARTS: dict[str, StatePart] = {**IPYTHON_STATE, **LIBRARY_STATE, **INTERPRETER_STATE}
"""In the order in which they come back: IPython's precision sets numpy's, and polars reads the environment when it is told to."""


def held_parts(*, plain: bool = False) -> dict[str, Any]:
    """The state of this process, by its name in words; ``plain``: only what two processes can compare."""
    parts = [(name, part) for name, part in _PARTS.items() if part.plain or not plain]
    return {name: value for name, part in parts if (value := _held(part)) is not None}


def _held(part: StatePart) -> Any:
    try:
        return part.get()
    except Exception:  # of a library that is broken here nothing can come back, and cells run all the same
        return None


def changed_parts(then: Mapping[str, Any]) -> tuple[str, ...]:
    """The parts that are not as they were ``then``."""
    return tuple(name for name, value in then.items() if _has_changed(name, value))


def _has_changed(name: str, then: Any) -> bool:
    now = _held(_PARTS[name])
    try:
        return now is not None and not _PARTS[name].same(then, now)
    except Exception:  # arrays, such as colors in a cycle, have no answer
        return True


def restore_parts(then: Mapping[str, Any]) -> tuple[str, ...]:
    """Set the parts to what they were ``then``; the names of those that can't be."""
    failed = []
    for name, value in then.items():
        try:
            if _has_changed(name, value):  # now: setting one may have changed another
                _PARTS[name].put(value)
        except (
            Exception
        ) as error:  # such as a limit of recursion below the present depth, or what a library thinks of a value
            failed.append(f"{name} ({error})")
    return tuple(failed)


def threads_of_cells() -> dict[int, str]:
    """The names of the running threads that cells began, by their numbers: none of them ends with a return."""
    return {
        one.ident: one.name
        for one in threading.enumerate()
        if one.ident and "__main__" in (type(one).__module__, getattr(getattr(one, "_target", None), "__module__", ""))
    }
