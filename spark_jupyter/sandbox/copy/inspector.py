"""Answers to questions about a copy after its cells ran.

Which variables may have changed, their values as marks, rows and text. Runs in the copy only.
"""

from __future__ import annotations

import mmap
import re
import sys
import types
from collections.abc import Mapping
from typing import Any

from msgspec import structs

from spark_jupyter.class_identity import class_name
from spark_jupyter.sandbox.checkpoints.undo_messages import AskedForUndo, Listed, ListNames, Pack, Seen
from spark_jupyter.sandbox.checkpoints.variable_transfer import pack
from spark_jupyter.sandbox.copy.bytecode_names import imported, names_in
from spark_jupyter.sandbox.copy.overlay import Overlay
from spark_jupyter.sandbox.proofs.proof_messages import (
    MOST_ROWS,
    Answer,
    Asked,
    Describe,
    Described,
    Numbers,
    NumbersTold,
    RowMarks,
    Rows,
    Show,
    Shown,
    TellNumbers,
)
from spark_jupyter.sandbox.values.array_memory import arrays_of, root_of
from spark_jupyter.sandbox.values.describer import Describer
from spark_jupyter.sandbox.values.float_extraction import MOST_FLOATS
from spark_jupyter.sandbox.values.interpreter_state import RANDOM, holds_random
from spark_jupyter.sandbox.values.memory_pages import written
from spark_jupyter.sandbox.values.namespace_diff import is_of_the_user
from spark_jupyter.sandbox.values.shared_objects import names_sharing
from spark_jupyter.sandbox.values.snapshot import LARGE, dtype_text, short_words
from spark_jupyter.sandbox.values.table_digests import digest

_TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_NOTHING = object()
OUTPUT = re.compile(r"_{1,3}|_[1-9][0-9]*")
"""The names of IPython for the results of cells."""
_INDIRECT = frozenset(
    ("globals", "locals", "vars", "exec", "eval", "get_ipython", "setattr", "__import__", "run_line_magic")
)


class Inspector:
    """Made before the first cell runs."""

    def __init__(self, shell: Any, overlay: Overlay, *, data: int) -> None:
        self._data = data
        self._shell = shell
        self._overlay = overlay
        self._before = self._names()
        self._seen = {name: seen(name, value) for name, value in self._before.items() if is_large(value)}
        self._chance = "numpy.random" in sys.modules
        self._codes: list[types.CodeType] = []
        self._describer = Describer()

    def ran(self, code: types.CodeType) -> None:
        self._codes.append(code)

    def replace(self, replaced: Mapping[str, object]) -> None:
        """The variables that held these values hold the same ones as other objects now; nothing of the user's did that."""
        now = self._names()
        self._before.update({name: now[name] for name, value in replaced.items() if self._before.get(name) is value})

    def answer(self, asked: Asked | AskedForUndo, *, memory: int) -> Answer:
        """Answer a question. ``memory`` is what the copy has grown by."""
        match asked:
            case Describe():
                return structs.replace(self._described(asked), memory=memory)
            case Rows(path=path):
                return RowMarks(path=path, marks=self._describer.rows(path, MOST_ROWS))
            case TellNumbers(names=names):
                return self._measured(names)
            case Show(path=path, row=row):
                place, words = self._describer.shown(path, row)
                return Shown(path=path, place=place, words=words)
            case ListNames():
                listed = names_of(self._shell, outputs=True).items()
                return Listed(
                    names=tuple(structs.replace(seen(name, value), words=_words(value)) for name, value in listed)
                )
            case Pack(names=names, living=living):
                return pack(self._shell.user_ns, names, living, self._data)

    def _described(self, asked: Describe) -> Described:
        beside = (code_of(self._shell, source) for source in asked.beside)
        codes = [*self._codes, *(code for code in beside if code is not None)]
        there = names_of(self._shell, outputs=asked.names is not None)
        touched = self._touched(codes, there) if asked.names is None else set(asked.names)
        untold = set() if self._chance or "seed" in reachable(codes, there) else {"the state of numpy.random"}
        if not (
            holds_random([*there.values(), *self._before.values()]) or any("random" in imported(one) for one in codes)
        ):
            untold.add(RANDOM)
        self._describer = Describer(untold=untold)  # knows the libraries that are there by now, and tells all again
        told = self._describer.describe(there, touched, column=asked.column, parts=asked.parts)
        return structs.replace(told, files=self._overlay.written(), touched=tuple(sorted(touched)))

    def _measured(self, names: tuple[str, ...]) -> NumbersTold:
        there, told, left = self._names(), list[Numbers](), 8 * MOST_FLOATS
        for name in names:
            one = Describer().numbers(there, name) if name in there else None
            left -= len(one.floats or b"") if one is not None else 0
            if one is None or left < 0:
                break
            told.append(one)
        return NumbersTold(values=tuple(told))

    def _names(self) -> dict[str, object]:
        return names_of(self._shell)

    def _touched(self, codes: list[types.CodeType], now: dict[str, object]) -> set[str]:
        """Names that are new, gone or bound again, that the code reaches or that share objects with those, and names whose memory
        was written."""
        anew = {
            name for name in {*now, *self._before} if self._before.get(name, _NOTHING) is not now.get(name, _NOTHING)
        }
        reached = reachable(codes, now)
        large = [name for name, value in now.items() if name not in anew and is_large(value)]
        wrote = written(now, large) | {name for name in large if seen(name, now[name]) != self._seen.get(name)}
        untouched = {name for name in large if name not in wrote}
        touched = anew | wrote | ((reached & now.keys()) - untouched)
        held = (there[name] for there in (self._before, now) for name in touched & there.keys())
        return touched | names_sharing(now, now.keys() - touched - untouched, held)


def code_of(shell: Any, source: str) -> types.CodeType | None:
    """A cell as it would run; None where it is none."""
    try:
        made: types.CodeType = compile(shell.transform_cell(source), "<try>", "exec", flags=_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError):
        return None
    return made


def names_of(shell: Any, *, outputs: bool = False) -> dict[str, object]:
    """The user's variables; ``outputs``: also those that IPython gives to the results of cells (``_``, ``_3``)."""
    hidden = shell.user_ns_hidden
    return {
        name: value
        for name, value in list(shell.user_ns.items())
        if isinstance(name, str)
        and ((name not in hidden and is_of_the_user(name)) or (outputs and OUTPUT.fullmatch(name)))
    }


def seen(name: str, value: Any) -> Seen:
    """Summary of a variable for two forks to compare without inspecting it."""
    root = root_of(value)
    memory = 0 if root is None else id(root)
    if not is_large(value):
        return Seen(name=name, identity=id(value), memory=memory)
    labels = repr([str(one) for one in getattr(value, "columns", ())])
    kinds = repr([dtype_text(one) for one in value.dtypes]) if hasattr(value, "columns") else str(value.dtype)
    edges = b"".join(_edges(array) for array in arrays_of(value) or ())
    signature = digest(type(value).__name__, str(value.shape), labels, kinds, edges)
    return Seen(name=name, identity=id(value), signature=signature, memory=memory)


def _words(value: object) -> str:
    try:
        return short_words(value)
    except BaseException:  # a metaclass of the user's that objects to being looked at
        return class_name(type(value))


def _edges(array: Any) -> bytes:
    """The ends of an array: pages say only of what is wholly its own whether it was written."""
    if not array.size:
        return b""
    count = min(array.size, mmap.PAGESIZE // array.itemsize + 1)
    flat = array.ravel(order="K") if array.flags.forc else array.flat
    return bytes(flat[:count].tobytes()) + bytes(flat[array.size - count :].tobytes())


def is_large(value: object) -> bool:
    """True if the value is so large that its memory pages show if it was written."""
    try:
        return _size(value) > LARGE
    except BaseException:  # a metaclass of the user's that objects to being looked at
        return False


def reachable(codes: list[types.CodeType], namespace: Mapping[str, object]) -> set[str]:
    """The names that code can reach: its own, those of the user's functions and classes among them, and so on."""
    waiting = set().union(*(names_in(code) for code in codes)) if codes else set()
    if waiting & _INDIRECT:
        return set(namespace)
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for code in _codes_of(namespace.get(name)):
            waiting |= names_in(code) - found
    return found


def _codes_of(value: object) -> list[types.CodeType]:
    if type(value) is types.FunctionType:
        return [value.__code__]
    kind = value if issubclass(type(value), type) else type(value)
    if kind.__module__ != "__main__":
        return []
    parts = [getattr(one, "__func__", getattr(one, "fget", one)) for one in vars(kind).values()]
    return [one.__code__ for one in parts if isinstance(one, types.FunctionType)]


def _size(value: Any) -> int:
    """Bytes of an array or a table of numbers whose pages tell whether it was written; else 0."""
    if not re.match(r"(numpy|pandas)\b", type(value).__module__):
        return 0
    arrays = arrays_of(value) or ()
    return 0 if any(array.dtype.kind not in "biufcmM" for array in arrays) else sum(array.nbytes for array in arrays)
