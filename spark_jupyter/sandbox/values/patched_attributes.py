"""Attributes of libraries that cells set, as they were before.

``pd.DataFrame.show = f`` changes what no variable holds by value. The text of a cell names such a target before it runs, so its value can
be kept. Where a name means nothing yet, as the cell itself binds it, the value before is gone, and the attribute is named instead.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from spark_jupyter.class_identity import class_module
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import parse_python

_MAY_SET = re.compile(r"\.\s*\w+[\s)\]]*(?:[-+*/%@&|^<>:]*=(?!=)|,|:)|\b(?:setattr|delattr|del)\b")
"""Quick: most cells set no attribute of anything."""
_MOST = 200
_OF_IPYTHON = ("sys.excepthook", "sys.displayhook")
"""What IPython sets before each cell, and back after it, whatever the cell did."""
_ABSENT, _UNKNOWN = object(), object()
_BY_VALUE = (bool, int, float, complex, str, bytes, tuple)


class _Target(NamedTuple):
    """``path`` in names; ``origin`` is what the first one is imported from by the same cell: a module and maybe a name in it."""

    path: tuple[str, ...]
    origin: tuple[str, str] = ("", "")


class _Attribute(NamedTuple):
    owner: Any
    name: str
    first: Any
    """Its value before it was set."""


class PatchedAttributes:
    """Patched attributes of one kernel."""

    def __init__(self) -> None:
        self._known: dict[str, _Attribute] = {}
        self._open: list[_Target] = []
        """Targets of the last cell whose first name meant nothing before it ran."""

    def note(self, source: str, namespace: Mapping[str, Any]) -> None:
        """A cell with this source is about to run."""
        if _MAY_SET.search(source):
            self._open = [one for one in _targets(source) if not self._know(one, namespace, has_run=False)]

    def settle(self, namespace: Mapping[str, Any]) -> None:
        """The last cell has run: what its names mean is known."""
        for one in self._open:
            self._know(one, namespace, has_run=True)
        self._open = []

    def held(self) -> dict[str, Any]:
        """What those that are known are now."""
        return {label: _value(one.owner, one.name) for label, one in self._known.items()}

    def changed(self, then: Mapping[str, Any]) -> tuple[str, ...]:
        """Those that were others ``then``, and can be so again."""
        return tuple(label for label, was in self._others(then).items() if was is not _UNKNOWN)

    def lost(self, then: Mapping[str, Any]) -> tuple[str, ...]:
        """Those that were set since ``then``, and nobody knows to what they were before."""
        return tuple(label for label, was in self._others(then).items() if was is _UNKNOWN)

    def restore(self, then: Mapping[str, Any]) -> tuple[str, ...]:
        """Set them to what they were; those that can't be."""
        failed = []
        for label in self.changed(then):
            one, was = self._known[label], self._others(then)[label]
            try:
                delattr(one.owner, one.name) if was is _ABSENT else setattr(one.owner, one.name, was)
            except Exception as error:  # whatever a library thinks of it
                failed.append(f"{label} ({error})")
        return tuple(failed)

    def _others(self, then: Mapping[str, Any]) -> dict[str, Any]:
        was = {label: then.get(label, one.first) for label, one in self._known.items()}
        now = self.held()
        return {label: value for label, value in was.items() if not _is_same(value, now[label])}

    def _know(self, target: _Target, namespace: Mapping[str, Any], *, has_run: bool) -> bool:
        """False where its first name means nothing yet."""
        root, *between, name = target.path
        owner = namespace.get(root, _imported(target.origin))
        if owner is None:
            return False
        label = ".".join(target.path)
        if _is_of_library(owner) and label not in (*self._known, *_OF_IPYTHON) and len(self._known) < _MOST:
            for part in between:
                owner = _attribute(owner, part)
            if not (owner is None or owner is _ABSENT or owner is _UNKNOWN or _is_of_cells(owner)):
                self._known[label] = _Attribute(owner, name, _UNKNOWN if has_run else _value(owner, name))
        return True


def _is_same(one: object, other: object) -> bool:
    return one is other or (type(one) is type(other) and isinstance(one, _BY_VALUE) and one == other)


def _attribute(owner: Any, name: str) -> Any:
    try:
        return getattr(owner, name, _ABSENT)
    except Exception:  # a library may load it only now, and fail with what it likes
        return _UNKNOWN


def _value(owner: Any, name: str) -> Any:
    """The value of an attribute as far as its owner itself has it."""
    if isinstance(owner, type):
        return type.__getattribute__(owner, "__dict__").get(name, _ABSENT)
    own = getattr(owner, "__dict__", {})
    if name in own:
        return own[name]
    of_class = inspect.getattr_static(type(owner), name, None)
    return _ABSENT if of_class is not None and not hasattr(of_class, "__set__") else _attribute(owner, name)


def _imported(origin: tuple[str, str]) -> Any:
    module, name = origin
    found = sys.modules.get(module)
    return getattr(found, name, None) if name and found is not None else found


def _is_of_library(value: object) -> bool:
    return isinstance(value, types.ModuleType | type) and not _is_of_cells(value)


def _is_of_cells(value: object) -> bool:
    if isinstance(value, types.ModuleType):
        return vars(value).get("__name__") == "__main__"
    return class_module(value if isinstance(value, type) else type(value)) == "__main__"


def _targets(source: str) -> Iterator[_Target]:
    """The attributes that a cell sets or deletes, also in its functions."""
    try:
        nodes = list(ast.walk(parse_python(python_only(source), top_level_await=True)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    origins: dict[str, tuple[str, str]] = {}
    for node in nodes:
        match node:
            case ast.Import(names=names):
                origins |= {
                    one.asname or one.name.partition(".")[0]: (
                        one.name if one.asname else one.name.partition(".")[0],
                        "",
                    )
                    for one in names
                }
            case ast.ImportFrom(module=str(module), names=names):
                origins |= {one.asname or one.name: (module, one.name) for one in names}
    for node in nodes:
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                path = _path(node)
            case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[owner, ast.Constant(value=str(name)), *_]):
                path = (*_path(owner), name)
            case _:
                continue
        if len(path) > 1 and path[0]:
            yield _Target(path, origins.get(path[0], ("", "")))


def _path(node: ast.expr) -> tuple[str, ...]:
    """The names of a dotted expression; the first is empty where it begins with none."""
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=value, attr=name):
            return (*_path(value), name)
    return ("",)
