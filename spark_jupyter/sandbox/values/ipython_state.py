"""State of IPython: its settings, and what cells registered with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from spark_jupyter.sandbox.values.state_part import StatePart, is_of_cells

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
