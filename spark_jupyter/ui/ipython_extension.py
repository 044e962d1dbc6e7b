"""Loading and unloading of the extension in an IPython shell."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from jupyter_core.paths import jupyter_config_path

from spark_jupyter.ui.magic_completer import complete_magics
from spark_jupyter.ui.magics.spark_magics import SparkMagic, SparkMagics
from spark_jupyter.ui.pair_loader import PairLoader
from spark_jupyter.ui.prompt_questions import keep_questions

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from prompt_toolkit import PromptSession

    from spark_jupyter.ui.pair import Pair


class _Loaded(NamedTuple):
    magics: SparkMagics
    magic: SparkMagic
    ends: tuple[Callable[[], None], ...]


SEVERITIES = ("spark_jupyter", "guardrail.toml")
"""The file of :mod:`spark_jupyter.user_config`, below a configuration folder of Jupyter."""

_LOADED: WeakKeyDictionary[InteractiveShell, _Loaded] = WeakKeyDictionary()


def load(shell: InteractiveShell) -> None:
    """Register the magics; the session begins in idle time, or with its first use. Loading twice does nothing."""
    if shell in _LOADED:
        return
    magics = SparkMagics(shell=shell)
    leave_terminal: list[Callable[[], None]] = []

    def make() -> Pair:
        from spark_jupyter.ui.magics.magic_settings import start_pair

        pair = start_pair(magics, shell)
        leave_terminal.extend(_in_terminal(shell, pair))
        return pair

    loader = PairLoader(shell, make)
    if _has_own_severities():
        loader.pair()  # says at once what is wrong in that file
    magic = SparkMagic(loader.pair)
    names = ["pair"]
    if taken := _taken(shell, magics.name):
        print(f"spark_jupyter: {taken}, so only %pair and %%pair are registered.")
    else:
        names.append(magics.name)
    for name in names:
        for kind in ("line", "cell"):
            shell.magics_manager.register_function(magic, magic_kind=kind, magic_name=name)

    def end() -> None:
        for leave in leave_terminal:
            leave()
        loader.close()

    _LOADED[shell] = _Loaded(
        magics, magic, (complete_magics(shell, names=names), keep_questions(shell, names=names), end)
    )


def unload(shell: InteractiveShell) -> None:
    """Take the magics away and end what runs."""
    loaded = _LOADED.pop(shell, None)
    if loaded is None:
        return
    for table in shell.magics_manager.magics.values():
        for name in [name for name, registered in table.items() if registered is loaded.magic]:
            del table[name]
    shell.configurables.remove(loaded.magics)  # type: ignore[arg-type]  # or %config would find this one, when it is loaded again
    for end in loaded.ends:
        end()


def _has_own_severities() -> bool:
    return any(os.path.exists(os.path.join(folder, *SEVERITIES)) for folder in jupyter_config_path())


def _in_terminal(shell: InteractiveShell, pair: Pair) -> list[Callable[[], None]]:
    """Ghost text, news of deep work and drafts, where this shell is a terminal's. Returns what ends them."""
    prompt = getattr(shell, "pt_app", None)
    if prompt is None:
        return []
    from spark_jupyter.ui.autosuggest import suggest_in_terminal
    from spark_jupyter.ui.prompt_notices import announce_in_terminal

    return [suggest_in_terminal(prompt, pair), announce_in_terminal(prompt, pair), _draft_in_terminal(prompt, pair)]


def _draft_in_terminal(prompt: PromptSession[str], pair: Pair) -> Callable[[], None]:
    """Show drafts below the prompt from when draft mode is on: before that nothing of it is loaded. Returns what ends that."""

    def look(_: object) -> None:
        if pair.view.hello.drafts:
            from spark_jupyter.ui.prompt_drafts import PromptDrafts

            prompt.app.after_render -= look
            PromptDrafts(prompt, pair)

    prompt.app.after_render += look
    return lambda: prompt.app.after_render.remove_handler(look)


def _taken(shell: InteractiveShell, name: str) -> str:
    """Why the name is not free, empty where it is: sparkmagic has the same magics, PySpark's users a variable ``spark``."""
    if any(name in table for table in shell.magics_manager.magics.values()):
        return f"another extension has the magic %{name}"
    if name in shell.user_ns:
        return f"there is a variable named {name}"
    return ""
