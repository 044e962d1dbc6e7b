"""Overlay for files that a copy writes during a proof.

Writes go into the copy's own folder, are read back from there, and are compared by content. It covers files that Python opens; native code
is refused as usual. A file that was there before is copied first unless it is replaced.
"""

from __future__ import annotations

import builtins
import hashlib
import io
import os
import shutil
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from typing import Any

from spark_jupyter.sandbox.proofs.proof_messages import Written

_MOST = 500


class Overlay:
    """Stands in the way of ``open`` from now on."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._places: dict[str, str] = {}
        self._open = io.open
        builtins.open = io.open = self.open
        sys.meta_path.insert(0, self)
        shell = sys.modules.get("IPython.core.interactiveshell")
        if shell is not None:
            shell.io_open = self.open  # type: ignore[attr-defined]  # IPython gives cells an ``open`` of its own

    def open(self, file: Any, mode: str = "r", *rest: Any, **options: Any) -> Any:
        """As :func:`open`, elsewhere."""
        return self._open(self._place(file, mode), mode, *rest, **options)

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """A module that was written is imported from where it is (see :class:`importlib.abc.MetaPathFinder`)."""
        for folder in path or sys.path:
            place = self._places.get(os.path.realpath(os.path.join(folder, f"{name.rpartition('.')[2]}.py")))
            if place is not None:
                return spec_from_file_location(name, place)
        return None

    def written(self) -> tuple[Written, ...]:
        told = []
        for name, place in sorted(self._places.items()):
            if os.path.exists(place):
                with self._open(place, "rb") as file:
                    mark = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=8)).digest()
                told.append(Written(name=os.path.relpath(name)[-500:], mark=mark, size=os.path.getsize(place)))
        return tuple(told)

    def _place(self, file: Any, mode: str) -> Any:
        try:
            name = os.path.realpath(os.fsdecode(file))
        except TypeError:  # a descriptor, or what open itself objects to
            return file
        if name in self._places:
            return self._places[name]
        writes = isinstance(mode, str) and not set("wax+").isdisjoint(mode)
        exists = os.path.isfile(name)
        if not writes or name.startswith(self._folder) or len(self._places) >= _MOST or not _is_there(name, exists):
            return file
        if "x" in mode and exists:
            return file
        place = os.path.join(self._folder, f"written-{len(self._places)}-{os.path.basename(name)}"[:200])
        if exists and "w" not in mode:
            shutil.copyfile(name, place)
        self._places[name] = place
        return place


def _is_there(name: str, exists: bool) -> bool:
    """True if the kernel could write there: otherwise the code gets the usual error."""
    return os.access(name if exists else os.path.dirname(name) or ".", os.W_OK)
