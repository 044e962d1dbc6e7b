"""State of loaded libraries: random numbers, options and styles.

A library that is not loaded has none. What is drawn or shown depends on it, and no variable holds it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from spark_jupyter.sandbox.values.state_part import StatePart


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
