"""Decision whether a refusal or a limit explains an error in a copy.

Code that copes with a refusal goes on, and what follows may be other than in the kernel. So the names that it reached are followed: an
error of a statement that reads none of them is the code's own, and so are the files that it names. Errors about files
and modules are always explained, since what was refused may have been there to make them.
"""

from __future__ import annotations

import ast
import os
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import Any

from spark_jupyter.class_identity import package_behind
from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.copy.audit_hook import Audit
from spark_jupyter.sandbox.copy.bytecode_names import constants_in, names_in
from spark_jupyter.sandbox.copy.error_report import line_of
from spark_jupyter.sandbox.copy.inspector import code_of, reachable
from spark_jupyter.sandbox.copy.limit_detection import limit_of
from spark_jupyter.sandbox.copy_protocol import Order
from spark_jupyter.source.changed_names import bound_or_changed
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import tree_of
from spark_jupyter.source.statements import statements_of

_COPES = re.compile(r"\b(?:except|suppress)\b")


class Refusals:
    """Refused actions of the code in one copy, and their consequences. ``seconds`` is the present source's time."""

    def __init__(self, shell: Any, order: Order, audit: Audit) -> None:
        self.unknown = UnknownNames()
        self.seconds = order.limits.seconds
        self._shell, self._order, self._audit = shell, order, audit
        self._source = ""
        self._before = 0
        self._astray = False
        self._missed = MissedFiles()
        self._doubtful = UnknownNames()
        self._packages: set[str] = set()

    def begin(self, source: str) -> None:
        self._source, self._before = source, len(self._audit.refused)
        if self._misses_files(source):
            self._astray = True
            self._doubtful.add(source)
        elif self._astray and self._reads_doubtful(source):
            self._doubtful.add(source)

    def end(self, error: BaseException | None) -> None:
        """It has run, to its end or to ``error``. A refusal that it ended by makes names unknown instead."""
        refused = self._audit.refused[self._before :]
        if not refused or (error is not None and self.own_limit_of(error)):
            return
        for text in self._statements_until(error):
            copes = _COPES.search(text) is not None
            if copes or ("network" in refused and "(" in text):
                self._note(text, library=not copes)
            elif self._astray and self._reads_doubtful(text):
                self._doubtful.add(text)

    def skip(self, text: str, error: BaseException | None = None) -> None:
        """This did not run, or not to its end. What it would have given a name or written is unknown."""
        self.unknown.add(text)
        self._missed.add(code_of(self._shell, text), self._shell.user_ns, str(error))

    @property
    def new(self) -> bool:
        """True if the present source was refused something."""
        return len(self._audit.refused) > self._before

    def limit_of(self, error: BaseException) -> str:
        """The limit that caused an error of the present source, by itself or by a refusal before; empty where it is the code's own."""
        if limit := self.own_limit_of(error):
            return limit
        if isinstance(error, ModuleNotFoundError) and self._audit.installs:
            return str(limit_sentences.not_installed(error.name or ""))
        unknown = isinstance(error, NameError) and error.name in self.unknown
        return str(limit_sentences.BEHIND_REFUSAL) if unknown or self._explains(error) else ""

    def own_limit_of(self, error: BaseException) -> str:
        """The limit that caused an error by itself; empty where none did."""
        return str(limit_of(error, allow=self._order.allow, seconds=self.seconds, refused=self._audit.limits))

    # --- inside ------------------------------------------------------------------------------------------------------

    def _note(self, text: str, *, library: bool) -> None:
        """A statement coped with a refusal. Where a ``library`` did so by itself, it may be left without what it wanted."""
        self._astray = True
        namespace = self._shell.user_ns
        self._doubtful.add(text)
        for name in self._reached(text):
            value = namespace.get(name)
            if not isinstance(value, types.ModuleType | type):
                self._doubtful.add_name(name)
            if library and (package := package_behind(value)):
                self._packages.add(package)

    def _explains(self, error: BaseException) -> bool:
        if self._audit.refused and isinstance(error, OSError | ImportError | EOFError):
            return True
        text = self._statements_until(error)[-1]
        return self._misses_files(text) or (self._astray and self._reads_doubtful(text))

    def _misses_files(self, text: str) -> bool:
        return bool(self._missed) and self._missed.are_named_by(code_of(self._shell, text), self._shell.user_ns)

    def _reads_doubtful(self, text: str) -> bool:
        if self._doubtful.are_used_by(text):
            return True
        namespace = self._shell.user_ns
        return any(
            name in self._doubtful or package_behind(namespace.get(name)) in self._packages
            for name in self._reached(text)
        )

    def _statements_until(self, error: BaseException | None) -> Sequence[str]:
        """The statements of the present source, up to the one that raised an error."""
        line = line_of(error, self._shell.user_ns) if error is not None else None
        return [one.text for one in statements_of(self._source) if line is None or one.line <= line] or [self._source]

    def _reached(self, text: str) -> set[str]:
        code = code_of(self._shell, text)
        return reachable([code], self._shell.user_ns) if code is not None else set()


# --- Names whose value is unknown after a refused statement ---
# Statements that use none of them can run all the same; one that does is skipped, and what it binds is unknown, too.
_WRITES = re.compile(
    r"(?:to|save|write|dump|export|print|show|log|close|flush|plot|send)(?:_\w*)?|savefig|savez|savetxt"
)
"""Methods that hand out what an object holds, and leave it as it is."""


class UnknownNames:
    """Unknown names in one copy, as far as its statements have come."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def add(self, text: str) -> None:
        """This statement did not run, or not to its end."""
        self._names |= _bound_or_changed(text)

    def add_name(self, name: str) -> None:
        self._names.add(name)

    def are_used_by(self, text: str) -> bool:
        """True if a statement reads one of them. Those that it binds again without reading any are known again."""
        if not self._names:
            return False
        tree = tree_of(python_only(text))
        if tree is None:
            return any(word in self._names for word in re.findall(r"\w+", text))
        read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        if read & self._names:
            return True
        self._names -= _bound_at_top(tree)
        return False


def _bound_at_top(tree: ast.Module) -> set[str]:
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _bound_or_changed(text: str) -> set[str]:
    """The names that a statement binds, and those whose values it may change. Of what does not parse all words are taken."""
    tree = tree_of(python_only(text))
    if tree is None:
        return set(re.findall(r"[A-Za-z_]\w*", text))
    return bound_or_changed(
        tree,
        only_reads=lambda call: isinstance(call.func, ast.Attribute) and _WRITES.fullmatch(call.func.attr) is not None,
    )


# --- Files that refused statements name, and statements that name them too ---
# What a copy may not write lacks in it: code below that looks for it fails otherwise than in the kernel, in many ways (an empty list of
# files, a table without rows, a library's own error).
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
