"""Loading and unloading the extension in a shell: which names the magics get there, and whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spark_jupyter.fronts.magics import SparkMagics

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_LOADED: WeakKeyDictionary[InteractiveShell, SparkMagics] = WeakKeyDictionary()


def load(shell: InteractiveShell) -> None:
    """Register the magics and begin to connect. Loading twice does nothing."""
    if shell in _LOADED:
        return
    magics = _LOADED[shell] = SparkMagics(shell)
    names = ["pair"]
    if taken := _taken(shell, magics.name):
        print(f"spark_jupyter: {taken}, so only %pair and %%pair are registered.")
    else:
        names.append(magics.name)
    for name in names:
        shell.magics_manager.register_function(magics.line_magic, magic_kind="line", magic_name=name)
        shell.magics_manager.register_function(magics.cell_magic, magic_kind="cell", magic_name=name)


def unload(shell: InteractiveShell) -> None:
    """Take the magics away and end what runs."""
    magics = _LOADED.pop(shell, None)
    if magics is None:
        return
    for kind, function in (("line", magics.line_magic), ("cell", magics.cell_magic)):
        table = shell.magics_manager.magics[kind]
        for name in [name for name, registered in table.items() if registered == function]:
            del table[name]
    magics.pair.close()


def _taken(shell: InteractiveShell, name: str) -> str:
    """Why the magics can't have their name here: sparkmagic has the same, and PySpark's users a variable ``spark``."""
    if any(name in table for table in shell.magics_manager.magics.values()):
        return f"another extension has the magic %{name}"
    if name in shell.user_ns:
        return f"there is a variable named {name}"
    return ""
