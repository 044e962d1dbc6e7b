"""The decorator ``@verb`` and the table of verbs that it makes.

A verb calls ``pair.say(command)``, which waits until the session has handled the command, and then ``pair.engine.read(...)`` for the
result. Its test is in ``tests/kernel/test_magics.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

from spark_jupyter.ui.text.magic_line import MagicLine, Takes, Verb

if TYPE_CHECKING:
    from spark_jupyter.ui.pair import Pair

Do = Callable[["Pair", MagicLine], None]


def verb(what: str, takes: Takes = "text") -> Callable[[Do], Do]:
    """Mark a function as ``%spark NAME``; its name is the verb's, without a trailing underscore and with hyphens.

    Args:
        what: its line in the help.
        takes: what may stand behind it.
    """

    def mark(do: Do) -> Do:
        do.verb = Verb(what, takes, do)  # type: ignore[attr-defined]  # read by verbs_of
        return do

    return mark


def verbs_of(*modules: ModuleType) -> dict[str, Verb]:
    """The verbs in these modules, by name and in their order."""
    return {
        name.rstrip("_").replace("_", "-"): function.verb
        for module in modules
        for name, function in vars(module).items()
        if hasattr(function, "verb") and function.__module__ == module.__name__
    }
