"""Decision whether a refusal or a limit explains an error in a copy.

Code that copes with a refusal goes on, and what follows may be other than in the kernel. So the names that it reached are followed: an
error of a statement that reads none of them is the code's own, and so are the files that it names (``missed_files.py``). Errors about files
and modules are always explained, since what was refused may have been there to make them.
"""

from __future__ import annotations

import re
import types
from collections.abc import Sequence
from typing import Any

from spark_jupyter.class_identity import package_behind
from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.copy.audit_hook import Audit
from spark_jupyter.sandbox.copy.error_report import line_of
from spark_jupyter.sandbox.copy.inspector import code_of, reachable
from spark_jupyter.sandbox.copy.limit_detection import limit_of
from spark_jupyter.sandbox.copy.missed_files import MissedFiles
from spark_jupyter.sandbox.copy.unknown_names import UnknownNames
from spark_jupyter.sandbox.copy_protocol import Order
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
