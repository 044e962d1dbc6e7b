"""Loading and unloading of the extension in an IPython shell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from spark_jupyter.ui.magic_completer import complete_magics
from spark_jupyter.ui.magics.magic_settings import start_pair
from spark_jupyter.ui.magics.spark_magics import VERBS, SparkMagics
from spark_jupyter.ui.prompt_questions import keep_questions

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


class _Loaded(NamedTuple):
    magics: SparkMagics
    ends: tuple[Callable[[], None], ...]


_LOADED: WeakKeyDictionary[InteractiveShell, _Loaded] = WeakKeyDictionary()


def load(shell: InteractiveShell) -> None:
    """Register the magics and begin to connect. Loading twice does nothing."""
    if shell in _LOADED:
        return
    magics = SparkMagics(shell=shell)
    magics.pair = start_pair(magics, shell)
    names = ["pair"]
    if taken := _taken(shell, magics.name):
        print(f"spark_jupyter: {taken}, so only %pair and %%pair are registered.")
    else:
        names.append(magics.name)
    for name in names:
        shell.magics_manager.register_function(magics.line_magic, magic_kind="line", magic_name=name)
        shell.magics_manager.register_function(magics.cell_magic, magic_kind="cell", magic_name=name)
    ends = (
        complete_magics(shell, names=names, verbs=VERBS),
        keep_questions(shell, names=names),
        _in_terminal(shell, magics),
    )
    _LOADED[shell] = _Loaded(magics, ends)


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
    for end in loaded.ends:
        end()
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
    """Why the name is not free, empty where it is: sparkmagic has the same magics, PySpark's users a variable ``spark``."""
    if any(name in table for table in shell.magics_manager.magics.values()):
        return f"another extension has the magic %{name}"
    if name in shell.user_ns:
        return f"there is a variable named {name}"
    return ""
