"""Files that refused statements name, and statements that name them too.

What a copy may not write lacks in it: code below that looks for it fails otherwise than in the kernel, in many ways (an empty list of
files, a table without rows, a library's own error).
"""

from __future__ import annotations

import os
import re
import types
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import PurePath

from spark_jupyter.sandbox.copy.bytecode_names import constants_in, names_in

_WORD = re.compile(r"[^\s'\"`(),;:=<>|]+")
_PLACE = re.compile(r"[./*]")
_LONGEST = 2_000
"""Characters of a text that are looked at."""


class MissedFiles:
    """Places of one copy that a refused statement names. A place is the parts of a path, which may be a pattern."""

    def __init__(self) -> None:
        self._places: set[tuple[str, ...]] = set()

    def __bool__(self) -> bool:
        return bool(self._places)

    def add(self, code: types.CodeType | None, namespace: Mapping[str, object], error: str) -> None:
        """This code did not run, or not to its end. Of its texts those count that look like a path or stand in the ``error``."""
        said = {word.rstrip(".") for word in _WORD.findall(error)}
        for word in _words(code, namespace):
            if _PLACE.search(word) or word in said:
                self._places.add(_parts(word))

    def are_named_by(self, code: types.CodeType | None, namespace: Mapping[str, object]) -> bool:
        """True if it names one of them, a folder of one, or what is in one."""
        named = set(map(_parts, _words(code, namespace)))
        return any(_meet(one, other) for one in named for other in self._places)


def _words(code: types.CodeType | None, namespace: Mapping[str, object]) -> Iterator[str]:
    """Texts in code and in the user's functions that it names, and those that its names stand for."""
    if code is None:
        return
    functions = (value for name in names_in(code) if type(value := namespace.get(name)) is types.FunctionType)
    for one in (code, *(function.__code__ for function in functions)):
        for value in (*constants_in(one), *(namespace.get(name) for name in names_in(one))):
            if type(value) is str:
                words = _WORD.findall(value[:_LONGEST])
                yield from (
                    word for word in words if word == value or re.search(r"\w", word)
                )  # the star of a query is no pattern
            elif isinstance(value, PurePath):
                yield str(value)


def _parts(word: str) -> tuple[str, ...]:
    path = os.path.normpath(word)
    with suppress(OSError):  # the working folder is gone
        path = os.path.relpath(path) if os.path.isabs(path) else path
    return tuple(path.split(os.sep))


def _meet(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return all(fnmatchcase(a, b) or fnmatchcase(b, a) for a, b in zip(one, other, strict=False))
