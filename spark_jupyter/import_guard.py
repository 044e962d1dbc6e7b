"""Import guard that keeps files of the working folder out of our imports.

IPython looks for modules in the working folder first. A file there with the name of a module that this package, or a library on its behalf,
imports later would run unasked. The stack says who imports: the nearest frame of this package, of a cell, or of a module of the user's.
What the user's own code imports is found as usual.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from types import FrameType

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_OWN = _PACKAGE + os.sep
_CHECKS_CELLS = "spark_jupyter.reality."
"""It looks for what a cell would find."""


class _Guard:
    """Finds top-level modules that a file of the working folder would shadow (see :class:`importlib.abc.MetaPathFinder`)."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        if path is not None or name in sys.builtin_module_names:
            return None
        near = [entry for entry in sys.path if _is_working_folder(entry)]
        if not near or PathFinder.find_spec(name, near) is None:
            return None
        frame = sys._getframe(1)
        asker = _asker(frame)
        if asker.startswith(_CHECKS_CELLS) or not _is_ours(frame, near):
            return None
        found = PathFinder.find_spec(name, [entry for entry in sys.path if entry not in near])
        if found is None and not asker:
            raise ModuleNotFoundError(f"No module named {name!r} outside the working folder", name=name)
        return found


_GUARD = _Guard()
_real = lru_cache(64)(os.path.realpath)


def guard_imports() -> None:
    """Guard the imports of this process from now on. Once is enough."""
    if _GUARD not in sys.meta_path:
        sys.meta_path.insert(0, _GUARD)
        import encodings.idna  # noqa: F401  # asyncio looks host names up in threads of its own, which import it


def end_guard() -> None:
    """Let all imports be found as usual."""
    if _GUARD in sys.meta_path:
        sys.meta_path.remove(_GUARD)


def _is_working_folder(entry: object) -> bool:
    if not isinstance(entry, str) or entry == os.path.dirname(_PACKAGE):
        return False
    try:
        return not os.path.isabs(entry) or _real(entry) == os.getcwd()
    except OSError:  # it is gone
        return False


def _asker(frame: FrameType) -> str:
    """The module that only looks whether there is such a module, by :func:`importlib.util.find_spec`; empty for an import."""
    caller = frame.f_back
    if caller is None or caller.f_code.co_name != "find_spec" or caller.f_globals.get("__name__") != "importlib.util":
        return ""
    return str(caller.f_back.f_globals.get("__name__")) if caller.f_back else ""


def _is_ours(frame: FrameType | None, near: Sequence[str]) -> bool:
    """True if this package looks for the module, or a library on its behalf."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(_OWN):
            return True
        if _is_users(frame.f_globals.get("__name__"), near):
            return False
        frame = frame.f_back
    return False


def _is_users(name: object, near: Sequence[str]) -> bool:
    """True of cells, and of modules that the user imported from the working folder."""
    if not isinstance(name, str) or name == "__main__":
        return name == "__main__"
    file = getattr(sys.modules.get(name.partition(".")[0]), "__file__", None)
    if not isinstance(file, str):
        return False
    folder, base = os.path.split(file)
    return (os.path.dirname(folder) if base.startswith("__init__.") else folder) in {
        os.path.abspath(one) for one in near
    }
