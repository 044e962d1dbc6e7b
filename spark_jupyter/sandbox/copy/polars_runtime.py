"""Second load of polars in a copy, with its own threads.

polars hands its work to threads that a fork does not have, and its pool is made once for each load of its native library: after the kernel
has used it, a copy would wait for ever. So a copy loads the library once more, from a file in memory (the loader tells libraries apart by
their files), imports polars again with it, and moves the user's frames over by Arrow's C interface, which copies no data. Linux only.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import io
import os
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from contextlib import suppress
from typing import Any

from spark_jupyter.class_identity import class_module, package_of

_TASKS = "/proc/self/task"
_NATIVE = "polars._plr"
"""polars' own name for its native module."""
_HANDED_OVER = "__POLARS_PLR"
"""A native module under this name in builtins is what polars takes instead of its own (``polars/_plr.py``, from 1.35 on)."""
_DEPTH = 4
_MOST_ELEMENTS = 1_000


class _State:
    """Of this process: whether polars' threads ran when it, or the process that it is a fork of, was looked at; and the library's copy."""

    started = False
    library = -1


def note_threads() -> None:
    """Remember that polars' threads run here. To be called before a fork; takes less than a millisecond."""
    if _State.started or _NATIVE not in sys.modules:
        return
    with suppress(OSError):
        for task in os.listdir(_TASKS):
            with open(f"{_TASKS}/{task}/comm") as name:
                if name.read(7) == "polars-":
                    _State.started = True
                    return


def prepare() -> None:
    """Have the library's copy ready, where a copy of this process will need it: once, some tenths of a second."""
    note_threads()
    if not _State.started or _State.library >= 0:
        return
    with suppress(OSError, AttributeError):
        memory = os.memfd_create("spark-polars")
        try:
            with open(sys.modules[_NATIVE].__file__ or "", "rb") as library:
                size, sent = os.fstat(library.fileno()).st_size, 0
                while sent < size:
                    sent += os.sendfile(memory, library.fileno(), sent, size - sent)
            _State.library = os.open(f"/proc/self/fd/{memory}", os.O_RDONLY)
        finally:
            os.close(memory)


class PolarsRuntime:
    """polars in one copy: the load that came with the fork, until :meth:`reload`."""

    def __init__(self) -> None:
        self._stale = _State.started
        self.lacks_threads = False
        """True if code that uses polars waits for missing threads, because polars could not be loaded again."""

    def is_used(self, source: str, names: Iterable[str], namespace: Mapping[str, object]) -> bool:
        """True if a source that reaches these names uses polars without its threads."""
        if not self._stale:
            return False
        words = {*names, *re.findall(r"\w+", source)}
        return "polars" in words or any(_is_of_polars(namespace.get(word)) for word in words)

    def reload(self, namespace: MutableMapping[str, Any]) -> dict[str, object]:
        """Load polars again, with all that the namespace holds of it; the values that were there before, by name."""
        old = {name: module for name, module in sys.modules.items() if name == "polars" or name.startswith("polars.")}
        try:
            native = _loaded(old[_NATIVE])
        except (OSError, ImportError, KeyError):
            self.lacks_threads = True
            return {}
        for name in old:
            del sys.modules[name]
        setattr(builtins, _HANDED_OVER, native)
        import polars

        if sys.modules.get(_NATIVE) is not native:  # a polars that does not take it: as before, it waits
            self.lacks_threads = True
            sys.modules.update(old)
            return {}
        self._stale = False
        return _Move(old, polars).all_of(namespace)


def _loaded(native: types.ModuleType) -> types.ModuleType:
    """The native module once more, from its copy."""
    if _State.library < 0:
        raise ImportError("There is no copy of polars' library.")
    place = f"/proc/self/fd/{_State.library}"
    loader = importlib.machinery.ExtensionFileLoader(native.__name__, place)
    spec = importlib.util.spec_from_file_location(native.__name__, place, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _root(value: Any) -> str:
    return value.__name__.partition(".")[0] if issubclass(type(value), types.ModuleType) else package_of(value)


def _is_of_polars(value: Any, depth: int = 1) -> bool:
    """True for a value, class or module of polars, or a container with one."""
    if _root(value) == "polars" or (
        issubclass(type(value), type) and class_module(value).partition(".")[0] == "polars"
    ):
        return True
    return depth > 0 and any(_is_of_polars(one, depth - 1) for one in _elements(value))


def _elements(value: object) -> Iterator[object]:
    """The first elements of Python's own containers, and the attributes of the user's own objects."""
    kind = type(value)
    if kind is dict:
        inside: Iterable[object] = dict.values(value)  # type: ignore[arg-type]  # it is one
    elif kind is list or kind is tuple or kind is set:
        inside = value  # type: ignore[assignment]  # one of the three
    elif class_module(kind) == "__main__":
        inside = _attributes(value).values()
    else:
        return
    for place, one in enumerate(inside):
        if place == _MOST_ELEMENTS:
            return
        yield one


def _attributes(value: object) -> dict[str, object]:
    """Attributes of a user's object, read without its class."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if type(found) is dict else {}


class _Move:
    """Moves values from the ``old`` modules of polars to the new one."""

    def __init__(self, old: Mapping[str, types.ModuleType], polars: Any) -> None:
        self._old, self._new = old, polars
        self._exported = {id(value): name for name, value in vars(old["polars"]).items() if not name.startswith("__")}
        self._modules = frozenset(id(module) for module in old.values())
        self._moved: dict[int, object] = {}
        self._changes = 0
        self._alive: list[object] = []

    def all_of(self, namespace: MutableMapping[str, Any]) -> dict[str, object]:
        """Move all that a namespace and modules hold; what the namespace held before, by name, where that or something in it was moved."""
        self._add_extensions()
        replaced: dict[str, object] = {}
        for name, value in list(namespace.items()):
            changes = self._changes
            moved = self.moved(value, _DEPTH)
            if self._changes > changes:
                replaced[name] = value
                namespace[name] = moved
        for module in list(sys.modules.values()):
            held = vars(module) if isinstance(module, types.ModuleType) else {}
            if any(id(value) in self._modules for value in list(held.values())):
                held.update({name: self.moved(value, 0) for name, value in list(held.items())})
        return replaced

    def _add_extensions(self) -> None:
        """Methods and namespaces that were registered on polars' classes."""
        for name in ("DataFrame", "LazyFrame", "Series", "Expr"):
            old, new = getattr(self._old["polars"], name), getattr(self._new, name)
            for attribute, value in vars(old).items():
                if not attribute.startswith("__") and attribute not in vars(new):
                    setattr(new, attribute, value)
            new._accessors = set(getattr(new, "_accessors", ())) | set(getattr(old, "_accessors", ()))

    def moved(self, value: Any, depth: int) -> Any:
        """The same value of the new polars; itself where there is nothing to move, or no way."""
        if id(value) in self._moved:
            self._changes += 1
            return self._moved[id(value)]
        moved = value
        if _root(value) == "polars" or issubclass(type(value), type):
            with suppress(Exception):  # what has no way over is left as it is: code that uses it may wait
                moved = self._of_polars(value)
        elif depth > 0:
            moved = self._container(value, depth - 1)
        if moved is not value:
            self._alive.append(value)
            self._moved[id(value)] = moved
            self._changes += 1
        return moved

    def _of_polars(self, value: Any) -> Any:
        old = self._old["polars"]
        if isinstance(value, types.ModuleType):
            return importlib.import_module(value.__name__) if value is self._old.get(value.__name__) else value
        if id(value) in self._exported:
            return getattr(self._new, self._exported[id(value)])
        if issubclass(type(value), type):
            return value
        if type(value) is old.DataFrame:
            return self._new.DataFrame([self.moved(series, 0) for series in value.get_columns()])
        if type(value) is old.Series:
            return self._series(value)
        if type(value) is old.LazyFrame:
            return self._new.LazyFrame.deserialize(io.BytesIO(value.serialize()))
        if isinstance(value, old.Expr):
            return self._new.Expr.deserialize(io.BytesIO(value.meta.serialize()))
        if isinstance(value, old.Schema):
            return self._new.Schema({name: self.moved(kind, 0) for name, kind in value.items()})
        if isinstance(value, old.DataType):
            kind = getattr(self._new, type(value).__name__)
            made = kind.__new__(kind)
            vars(made).update({name: self._inside(one) for name, one in vars(value).items()})
            return made
        return value

    def _series(self, value: Any) -> Any:
        old = self._old["polars"]
        if value.dtype == old.Object:
            return self._new.Series(value.name, value.to_list(), dtype=self._new.Object)
        made = self._new.Series(value.name, self._new.Series(value))
        return made if str(made.dtype) == str(value.dtype) else made.cast(self.moved(value.dtype, 0))

    def _inside(self, value: Any) -> Any:
        return [self._inside(one) for one in value] if type(value) is list else self.moved(value, 1)

    def _container(self, value: Any, depth: int) -> Any:
        """Containers and objects of the user's keep their identity: what is in them is replaced."""
        kind = type(value)
        if kind is dict and len(value) <= _MOST_ELEMENTS:
            value.update({key: new for key, one in value.items() if (new := self.moved(one, depth)) is not one})
        elif kind is list and len(value) <= _MOST_ELEMENTS:
            value[:] = [self.moved(one, depth) for one in value]
        elif kind is tuple and len(value) <= _MOST_ELEMENTS:
            parts = tuple(self.moved(one, depth) for one in value)
            return parts if any(new is not one for new, one in zip(parts, value, strict=True)) else value
        elif kind is types.FunctionType and value.__module__ == "__main__":
            for cell in value.__closure__ or ():
                with suppress(ValueError):  # it has no value
                    cell.cell_contents = self.moved(cell.cell_contents, depth)
            value.__defaults__ = value.__defaults__ and tuple(self.moved(one, depth) for one in value.__defaults__)
        elif class_module(kind) == "__main__":
            self._container(_attributes(value), depth)
        return value
