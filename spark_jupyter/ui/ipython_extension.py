"""Loading and unloading the extension in a shell: which names the magics get there, and whose they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from spark_jupyter.ui.magics import SparkMagics
from spark_jupyter.ui.mention_completer import complete_mentions

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


class _Loaded(NamedTuple):
    magics: SparkMagics
    end_completion: Callable[[], None]
    leave_terminal: Callable[[], None]


_LOADED: WeakKeyDictionary[InteractiveShell, _Loaded] = WeakKeyDictionary()


def load(shell: InteractiveShell) -> None:
    """Register the magics and begin to connect. Loading twice does nothing."""
    if shell in _LOADED:
        return
    magics = SparkMagics(shell)
    names = ["pair"]
    if taken := _taken(shell, magics.name):
        print(f"spark_jupyter: {taken}, so only %pair and %%pair are registered.")
    else:
        names.append(magics.name)
    for name in names:
        shell.magics_manager.register_function(magics.line_magic, magic_kind="line", magic_name=name)
        shell.magics_manager.register_function(magics.cell_magic, magic_kind="cell", magic_name=name)
    _LOADED[shell] = _Loaded(magics, complete_mentions(shell, names=names), _in_terminal(shell, magics))


def unload(shell: InteractiveShell) -> None:
    """Take the magics away and end what runs."""
    loaded = _LOADED.pop(shell, None)
    if loaded is None:
        return
    magics = loaded.magics
    for kind, function in (("line", magics.line_magic), ("cell", magics.cell_magic)):
        table = shell.magics_manager.magics[kind]
        for name in [name for name, registered in table.items() if registered == function]:
            del table[name]
    shell.configurables.remove(magics)  # type: ignore[arg-type]  # or %config would find this one, when it is loaded again
    loaded.end_completion()
    loaded.leave_terminal()
    magics.pair.close()


def _in_terminal(shell: InteractiveShell, magics: SparkMagics) -> Callable[[], None]:
    """Ghost text and news of deep work, where this shell is a terminal's; prompt_toolkit is loaded there. Returns what ends that."""
    prompt = getattr(shell, "pt_app", None)
    if prompt is None:
        return lambda: None
    from spark_jupyter.ui.autosuggest import suggest_in_terminal
    from spark_jupyter.ui.deep_notices import announce_in_terminal

    ends = [suggest_in_terminal(prompt, magics.pair), announce_in_terminal(prompt, magics.pair)]

    def leave() -> None:
        for end in ends:
            end()

    return leave


def _taken(shell: InteractiveShell, name: str) -> str:
    """Why the magics can't have their name here: sparkmagic has the same, and PySpark's users a variable ``spark``."""
    if any(name in table for table in shell.magics_manager.magics.values()):
        return f"another extension has the magic %{name}"
    if name in shell.user_ns:
        return f"there is a variable named {name}"
    return ""
