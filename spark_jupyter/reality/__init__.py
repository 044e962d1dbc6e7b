"""Reality check: names, attributes, keywords and columns against the live kernel.

For each completed top-level statement it reports names that are not defined, modules that can't be imported, attributes
that a module, class or value does not have, keywords that a signature refuses, columns that a DataFrame lacks, strings
that stand for nothing, and files that are not there, each with the nearest real name. A function's body is judged with
what its calls give it. It runs none of the code, imports nothing into the kernel, and is silent where it can't know.

``interpreter.py`` executes statements, ``expressions.py`` evaluates their expressions, ``definitions.py`` goes into bodies;
``frame_results.py`` and its neighbours know what columns results have, ``stubs.py`` what libraries say of themselves,
``literal_arguments.py`` what a string may be.

Its figures on code that it had not seen: docs/reality-check.md.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from spark_jupyter.protocol.values import Finding
from spark_jupyter.reality import interpreter
from spark_jupyter.reality.abstract_values import UNKNOWN, Value, either
from spark_jupyter.reality.definitions import judge_by_last_use
from spark_jupyter.reality.helper_process import HELPER, Session, may_import
from spark_jupyter.reality.tentative_check import tentatively
from spark_jupyter.source.ipython_lines import AUTOMAGICS, brings_modules, cell_magic, gives_names
from spark_jupyter.source.python_parser import tree_of
from spark_jupyter.source.statements import Splitter, Statement

__all__ = ["Checker", "check"]

MAX_STATEMENT = 400_000
"""A longer statement (an inlined data set) is not looked at, only taken note of."""


PATIENCE = 0.03
"""Seconds that :meth:`Checker.feed` waits for the helper; what it finds later comes with a later call."""
PATIENCE_AT_END = 3.0
PATIENCE_OF_CHECK = 30.0


def check(
    source: str, namespace: Mapping[str, object], *, earlier: Sequence[str] = (), unrun: Sequence[str] = ()
) -> list[Finding]:
    """Find the names in ``source`` that do not exist.

    ``namespace`` is the kernel's; ``earlier`` are sources that will have run before, whose own findings are not reported; ``unrun`` are
    sources that may have run before, or not: what the kernel has, and what they would give a name, both count.
    Libraries that the kernel has not loaded are looked up by a helper process; the first time this takes as long as
    importing them. Raises nothing, runs nothing.
    """
    checker = Checker(namespace, earlier=earlier, unrun=unrun, patience=PATIENCE_OF_CHECK)
    return sorted([*checker.feed(source), *checker.flush()], key=lambda finding: (finding.line, finding.column))


class Checker:
    """:func:`check` for a text that comes in pieces. ``patience`` is how long a :meth:`feed` may wait for the helper, in
    seconds, ``patience_at_end`` how long :meth:`flush` may. Without ``helper`` nothing is said of libraries that are not loaded."""

    def __init__(
        self,
        namespace: Mapping[str, object],
        *,
        earlier: Sequence[str] = (),
        unrun: Sequence[str] = (),
        patience: float = PATIENCE,
        patience_at_end: float = PATIENCE_AT_END,
        known: Mapping[str, Value] | None = None,
        helper: bool = True,
    ) -> None:
        self._run = interpreter.new_run(namespace)
        self._namespace = namespace
        self._patience = patience
        self._patience_at_end = patience_at_end
        self._session: Session | None = None
        self._is_alone = known is not None or not helper
        self.failures = 0
        """Statements that could not be looked at because the check itself failed; a test holds it at 0."""
        self._seen: list[Callable[[Session], None]] = []
        self._known = known or {}
        if known is not None:
            self._run.module.names.update(known)
            self._run.open_names = True
        for source in unrun:
            self.pass_over(source)
        if unrun:
            self.allow_for_the_kernels(self._namespace.keys() & self._run.module.names.keys())
        for source in earlier:
            self.pass_over(source)
        self._splitter = Splitter()

    def feed(self, text: str) -> list[Finding]:
        """The findings on the statements that ``text`` completes."""
        for statement in self._splitter.feed(text.replace("\r\n", "\n")):
            self._look_at(statement)
        return self._take(self._patience)

    def flush(self) -> list[Finding]:
        """The findings on what was left, and on names used in functions that nothing defined until now."""
        for statement in self._splitter.flush():
            self._look_at(statement)
        self._look_up_deferred()
        self._look_at_last_uses()
        self._run.release()
        if self._session is not None:
            self._session.send_last()
        found = self._take(max(self._patience, self._patience_at_end))
        if self._session is not None:
            self._session.close()
        return found

    def _look_at_last_uses(self) -> None:
        try:
            judge_by_last_use(self._run)
        except Exception:  # as in _judge
            self.failures += 1

    def suppose(self, text: str) -> list[Finding]:
        """The findings on text that may be written next, or never: nothing of it is remembered."""
        run = self._run
        with tentatively(run):
            splitter = Splitter()
            for statement in [*splitter.feed(text), *splitter.flush()]:
                self._judge(statement)
            self._look_up_deferred()
            run.release()
            return run.findings

    def _look_up_deferred(self) -> None:
        """Judge the names that functions use and nothing had defined until now."""
        run = self._run
        run.first_line, run.delayed = 1, 0
        deferred, run.deferred = run.deferred, []
        for name, line, column in deferred:
            if not run.open_names and run.look_up(name) is None:
                run.undefined(name, line, column)

    def look(self, statement: Statement, *, silent: bool = False) -> list[Finding]:
        """The findings on a statement that is cut out already."""
        with self._run.silence(when=silent):
            self._look_at(statement)
        return self._take(0.0)

    def last(self) -> list[Finding]:
        """The findings that were held back until the end of the cell."""
        self._run.release()
        return self._take(0.0)

    def _take(self, patience: float) -> list[Finding]:
        found, self._run.findings = self._run.findings, []
        if self._session is not None:
            places = {(finding.rule, finding.line, finding.column) for finding in found}
            theirs = self._session.receive(patience=patience)
            found += [finding for finding in theirs if (finding.rule, finding.line, finding.column) not in places]
        return found

    def _ask_helper(self, statement: Statement) -> None:
        """Once something is imported that the kernel has not loaded, the helper sees all statements too."""
        silent = bool(self._run.quiet)
        self._tell_helper(lambda session: session.send(statement, silent=silent))
        if self._session is not None or self._is_alone:
            return
        if any(may_import(name) for name in self._run.unloaded) and HELPER.available():
            self._session = Session(HELPER, self._namespace)
            for tell in self._seen:
                tell(self._session)
            self._seen.clear()

    def _tell_helper(self, tell: Callable[[Session], None]) -> None:
        """Tell the helper, now or when it is first asked."""
        if self._session is not None:
            tell(self._session)
        elif not self._is_alone:
            self._seen.append(tell)

    def pass_over(self, source: str) -> None:
        """Take note of code that comes before; what is wrong in it is not reported."""
        splitter = Splitter()
        with self._run.silence():
            for statement in [*splitter.feed(source.replace("\r\n", "\n")), *splitter.flush()]:
                self._look_at(statement)

    def allow_for_the_kernels(self, bound: Iterable[str]) -> None:
        """Let each of these names of the kernel's stand for what it is there, too, beside what cells that were not run would make it."""
        live, names = interpreter.new_run(self._namespace), self._run.module.names
        live.module.names.update(self._known)
        bound = tuple(bound)
        for name in bound:
            names[name] = either([live.look_up(name) or UNKNOWN, names.get(name, UNKNOWN)])
        self._tell_helper(lambda session: session.send_bound(bound))

    def _look_at(self, statement: Statement) -> None:
        self._judge(statement)
        self._ask_helper(statement)

    def _judge(self, statement: Statement) -> None:
        if statement.magic:
            self._magic(statement)
            return
        body = _parse(statement.text)
        if body is None:
            self._unparsed(statement.text)
            return
        if len(body) == 1 and _is_automagic(body[0]):
            return
        try:
            interpreter.check_statements(self._run, body, first_line=statement.line)
        except Exception:  # an object in the kernel may be stranger than all that is foreseen; then nothing is said
            self.failures += 1
            self._run.open_names = True

    def _magic(self, statement: Statement) -> None:
        run = self._run
        run.makes_files = True
        if statement.magic not in ("line", "cell"):
            for name in re.findall(r"\w+", statement.magic):
                run.store(name, UNKNOWN)
        cell = cell_magic(statement.text)
        if cell is not None and cell.name in ("writefile", "file"):
            run.note_path(cell.rest.rpartition(" ")[2])
        run.brings_modules |= brings_modules(statement.text)
        run.open_names |= gives_names(statement.text)

    def _unparsed(self, text: str) -> None:
        """Names that a text that is not Python (yet) may define are taken as defined."""
        for name in set(re.findall(r"[^\W\d]\w*", text[:MAX_STATEMENT])):
            if name not in self._run.module.names:
                self._run.store(name, UNKNOWN)


def _parse(text: str) -> list[ast.stmt] | None:
    tree = tree_of(text, top_level_await=True) if len(text) <= MAX_STATEMENT else None
    return tree.body if tree is not None else None


def _is_automagic(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name) and statement.value.id in AUTOMAGICS
    )
