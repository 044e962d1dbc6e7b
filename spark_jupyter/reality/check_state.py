"""State of one check: scopes, findings, degree of caution."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from spark_jupyter.protocol.values import Finding, Severity
from spark_jupyter.reality import findings, frame_columns, named_columns
from spark_jupyter.reality.abstract_values import NO_CONSTANT, UNKNOWN, Live, Of, Table, Value, either, options_of
from spark_jupyter.reality.findings import Rule
from spark_jupyter.reality.function_bodies import Body
from spark_jupyter.reality.operators import stays
from spark_jupyter.reality.private_texts import without_private
from spark_jupyter.reality.source_definitions import Written
from spark_jupyter.reality.syntax_trees import nodes_of
from spark_jupyter.reality.visible_names import Scope

IPYTHON_NAMES = frozenset(
    "get_ipython In Out display exit quit _ __ ___ _i _ii _iii _ih _oh _dh __file__ __name__ __doc__ __builtins__ __spec__ "
    "__loader__ __package__ __annotations__ __debug__ _exit_code reveal_type __vsc_ipynb_file__ __session__".split()
)


MAX_STATEMENTS = 600
"""Statements in bodies that one top-level statement may make the check go through."""
MAX_ROUNDS = 2_000
"""Rounds of loops and comprehensions that one top-level statement may make the check go through: those within others multiply."""
MAX_FINDINGS = 200
"""After so many nothing more is said: nobody would read it, and each costs a search for the nearest name."""


Evaluator = Callable[["Run", Any], Value]
"""Evaluates expressions of one kind of node."""
Executor = Callable[["Run", Any], bool | None]
"""Executes statements of one kind of node; True where nothing behind it in its block runs."""


class Run:
    """The state of one check, which everything that evaluates or judges is given."""

    def __init__(
        self,
        namespace: Mapping[str, object],
        *,
        evaluators: Mapping[type, Evaluator],
        executors: Mapping[type, Executor],
    ) -> None:
        self.evaluators = evaluators
        """Functions that evaluate the kinds of expressions."""
        self.executors = executors
        """Functions that execute the kinds of statements."""
        self.depth = 0
        """Depth of the expression that is being evaluated."""
        self.left = MAX_STATEMENTS
        """Statements in bodies that may still be gone through for this statement of the cell."""
        self.rounds = MAX_ROUNDS
        """Rounds that may still be gone through for it."""
        self.late_annotations = False
        """Annotations are never evaluated: ``from __future__ import annotations``."""
        self.defined: dict[str, tuple[Written, Body]] = {}
        """The functions at the top level of the source."""
        self.returned: list[list[Value]] = []
        """Results so far of the bodies that are being gone through."""
        self.yielded: list[list[Value]] = []
        """Values that they have yielded."""
        self.gone_through: list[Body] = []
        """The bodies that calls have led into."""
        self.findings: list[Finding] = []
        self.quiet = 0
        """Above 0, nothing is reported: in ``try`` bodies, behind guards."""
        self.stored: set[str] = set()
        """Attributes that the source sets on anything: they may exist on anything."""
        self.labels: set[str] = set()
        """Columns and keys that the source sets on what can't be seen: any table or dict may have them, and a table's are attributes."""
        self.removed: set[str] = set()
        """Names that the source deleted."""
        self.mentioned: set[str] = set()
        """Strings and keyword names in the source, which may be labels of a Series."""
        self.patterns: set[str] = set()
        """Regular expressions of labels that the source puts together."""
        self.met: frame_columns.Tables = {}
        self.handed_on: set[int] = set()
        """Objects of the kernel, by their ids, that the source calls methods of or gives to functions: they may get attributes there."""
        self.outside_data = False
        """Data comes from where its labels can't be seen."""
        self.trusts_nothing = False
        """Attributes are set under names that can't be seen."""
        self.has_periods = False
        """There are periods, whose frequencies have names of their own."""
        self.pandas_output = False
        """scikit-learn was told to give DataFrames."""
        self.unloaded: dict[str, None] = {}
        """Modules that exist and that the kernel has not loaded."""
        self.brings_modules = False
        """Modules may come from where it can't be seen: the source installs, or changes where they are looked for."""
        self.named_modules: set[str] = set()
        """Modules, and the packages that they are in, whose files the source names."""
        self.paths: Counter[str] = Counter()
        """Number of times that the source names a file, by the file's own name."""
        self.registered: dict[str, Table] = {}
        """Tables by the names, in small letters, that DuckDB was told."""
        self.makes_files = False
        """Files may come from where it can't be seen."""
        self.options: set[str] = set()
        """Parameters that the source names in texts, ``{"fill__strategy": …}``, and may set so."""
        self.held: list[tuple[str, Finding]] = []
        """Findings that stand unless something sets these parameters before they are used."""
        self.first_line = 1
        self.journal: dict[str, Value | None] | None = None
        self.journal_scope: Scope | None = None
        self._reported: set[tuple[str, int, int]] = set()
        self.namespace = namespace
        self.module = Scope()
        self.scope = self.module
        self.open_names = False
        """Names may come from where they can't be seen: a star import, ``exec``, ``%run``."""
        self.deferred: list[tuple[str, int, int]] = []
        """Names used in functions and not defined yet: (name, line, column)."""
        self.delayed = 0
        """Depth of functions and lambdas, whose bodies run later."""

    # --- Reports ---

    def say(
        self,
        rule: Rule,
        message: str,
        node: ast.AST,
        *,
        remedy: str = "",
        severity: Severity = "block",
        column: int | None = None,
        wrong: str = "",
        meant: str | None = None,
    ) -> None:
        """Report something about a node, once. ``meant`` is the real name that is nearest to the ``wrong`` one."""
        line = getattr(node, "end_lineno" if column is not None else "lineno", 1) + self.first_line - 1
        at = max(column if column is not None else getattr(node, "col_offset", 0), 0)
        if self.quiet or (message, line, at) in self._reported or self.is_full():
            return
        self._reported.add((message, line, at))
        found = findings.finding(
            rule, message, line=line, column=at, remedy=remedy, severity=severity, wrong=wrong, meant=meant
        )
        self.findings.append(found)

    def may_go_round(self, count: int) -> bool:
        """Take so many rounds of a loop off what may be gone through; False where that is used up."""
        self.rounds -= count
        return self.rounds >= 0

    def is_full(self) -> bool:
        return len(self._reported) >= MAX_FINDINGS

    def report_name(self, name: str, known: list[str], line: int, column: int) -> None:
        """A name that is not defined."""
        place = ast.Name(id=name, lineno=line, col_offset=column)
        close = findings.nearest(name, known)
        remedy = findings.did_you_mean(close)
        self.say(Rule.UNDEFINED_NAME, f"`{name}` is not defined.", place, remedy=remedy, wrong=name, meant=close)

    def absent_columns(self, uses: Iterable[named_columns.Use], table: Table) -> None:
        """Columns that a DataFrame does not have."""
        for node, column in uses:
            if self.quiet or self.trusts_nothing or self.may_be_set(column) or len(self._reported) >= MAX_FINDINGS:
                continue
            self._say_absent(node, f"The DataFrame has no column `{column}`.", column, "columns", table.columns)

    def note_path(self, path: str) -> None:
        """The source names a file."""
        parts = path[-2000:].replace("\\", "/").split("/")
        self.paths[parts[-1]] += 1
        if parts[-1].endswith(".py"):
            self.named_modules.update([*parts[-20:-1], parts[-1].removesuffix(".py")])

    def may_write(self, module: str) -> bool:
        """True if the source names the file of a module that does not exist yet, or may bring any."""
        return self.brings_modules or module in self.named_modules

    def may_be_set(self, name: object) -> bool:
        """True if the source sets an attribute, a column or a key of this name on something unknown."""
        return name in self.stored or name in self.labels

    def absent_levels(self, uses: Iterable[named_columns.Use], table: Table) -> None:
        """Levels that the index of a DataFrame or Series does not have."""
        for node, level in uses:
            self._say_absent(node, f"The index has no level `{level}`.", level, "levels", table.levels)

    def absent_labels(self, node: ast.expr, index: Value, table: Table) -> None:
        """A label that a row of a DataFrame, or another Series, does not have."""
        for _, label in named_columns.subscript_absent(node, index, table):
            if self.quiet or self.may_be_set(label) or self.trusts_nothing or self.is_full():
                continue
            self._say_absent(node, f"The Series has no label `{label}`.", label, "labels", table.columns)

    def absent_rows(self, node: ast.expr, index: Value, table: Table) -> None:
        """Labels of rows that a DataFrame does not have."""
        rows = frame_columns.row_labels(table)
        if rows is None or self.quiet or self.trusts_nothing:
            return
        known = Table(rows)
        for place, label in named_columns.subscript_absent(node, index, known):
            if self.may_be_set(label) or self.is_full():
                continue
            self._say_absent(place, f"The DataFrame has no row `{label}`.", label, "rows", rows)

    def _say_absent(
        self, node: ast.AST, message: str, wrong: object, kind: str, there: Iterable[object] | None
    ) -> None:
        """Report a name that a table does not have, with the nearest of those that are ``there``."""
        names = [name for name in there or () if type(name) is str]
        close = findings.nearest(str(wrong), names)
        remedy = findings.with_listing(close, f"The {kind}", names)
        self.say(Rule.MISSING_COLUMN, message, node, remedy=remedy, wrong=str(wrong), meant=close)

    @contextmanager
    def silence(self, *, when: bool = True) -> Iterator[None]:
        """Nothing is reported inside."""
        self.quiet += when
        try:
            yield
        finally:
            self.quiet -= when

    @contextmanager
    def holding_back(self, parameter: str, *, when: bool) -> Iterator[None]:
        """Hold back what is reported inside until the end of the cell; it is left out where ``parameter`` may be set until then."""
        before = len(self.findings)
        yield
        if when:
            self.held += [(parameter, found) for found in self.findings[before:]]
            del self.findings[before:]

    def release(self) -> None:
        """Say what was held back and came to be true."""
        held, self.held = self.held, []
        self.findings += [found for name, found in held if name not in self.options | self.stored]

    def guarded_by(self, *tests: ast.expr) -> AbstractContextManager[None]:
        """Silence, where a test asks whether something is there."""
        return self.silence(when=any(_is_guard(test) for test in tests))

    def for_each(self, options: Iterable[Value], judge: Callable[[Value], Value], *, agreed: bool = True) -> Value:
        """Judge each option of a value. If they are ``agreed``, objections count only where all options meet one, as one of them may be
        right; else where any does."""
        values, objections = [], []
        for option in options:
            before = len(self.findings)
            values.append(judge(option))
            objections.append(self.findings[before:])
            del self.findings[before:]
            self._reported.difference_update(map(_place, objections[-1]))
        if all(objections) or not agreed:
            said = next((found for found in objections if found), [])
            self.findings += said
            self._reported.update(map(_place, said))
        elif any(objections):  # what takes it is what it is
            values = [value for value, objected in zip(values, objections, strict=True) if not objected]
        return either(values)

    # --- Names ---

    def look_up(self, name: str) -> Value | None:
        """The value of a name; None where it is not defined."""
        scope: Scope | None = self.scope
        while scope is not None:
            if name in scope.names and (scope is self.scope or not scope.is_class):
                value = without_private(name, scope.names[name])
                if scope is self.module and self.delayed and not stays(value):
                    return UNKNOWN  # the name may hold another value when the function runs
                return value
            scope = scope.parent
        if name in self.removed:
            return None
        if name in self.namespace:
            try:
                value = frame_columns.live_value(self.namespace[name], self.met, name=name)
            except KeyError:  # the kernel deleted it just now
                return UNKNOWN
            if self.delayed and not stays(value):
                return UNKNOWN
            if isinstance(value, Of):
                self.module.names[name] = value  # one value for all uses: its table may change
            return value
        found = builtins.__dict__.get(name, NO_CONSTANT)
        if found is not NO_CONSTANT:
            return Live(found)
        return UNKNOWN if name in IPYTHON_NAMES or (name[:1] == "_" and name.strip("_io").isdigit()) else None

    def use(self, node: ast.Name) -> Value:
        """The value of a name where it is read; one that nothing defines is reported, or kept for later in a function's body."""
        value = self.look_up(node.id)
        if value is not None:
            return value
        if not self.open_names and not self.quiet:
            if self.delayed:
                self.deferred.append((node.id, node.lineno + self.first_line - 1, node.col_offset))
            else:
                self.undefined(node.id, node.lineno, node.col_offset)
        return UNKNOWN

    def forget_global(self, name: str) -> None:
        """A function stores columns, whose names can't be seen, in the DataFrame that this name stands for outside of it."""
        scope: Scope | None = self.scope
        while scope is not None and scope is not self.module:
            if name in scope.names:
                return
            scope = scope.parent
        value = self.module.names.get(name)
        if value is None and name in self.namespace:
            value = self.module.names[name] = frame_columns.live_value(self.namespace[name], self.met)
        for option in options_of(value or UNKNOWN):
            if option.table is not None:
                option.table.forget()
            frame_columns.let_go(option)
            if option.kind in (list, dict):
                option.forget_items()

    def undefined(self, name: str, line: int, column: int) -> None:
        """Report a name that nothing defines."""
        if self.is_full():
            return
        known = [*self.module.names, *(n for n in list(self.namespace) if type(n) is str), *builtins.__dict__]
        self.report_name(name, [n for n in known if not n.startswith("_")], line, column)

    def store(self, name: str, value: Value) -> None:
        """``name = value``."""
        scope = self.module if name in self.scope.globals_ else self.scope
        if self.journal is not None and scope is self.journal_scope:
            self.journal.setdefault(name, scope.names.get(name))
        scope.names[name] = value
        self.removed.discard(name)


def _place(finding: Finding) -> tuple[str, int, int]:
    return finding.message, finding.line, finding.column


_ASKING = frozenset(
    "hasattr getattr isinstance type ndim dtype dtypes callable locals globals dir platform version_info "
    "TYPE_CHECKING find_spec __version__ name columns system".split()
)
"""Names in a condition that asks what there is."""


def _is_guard(test: ast.expr) -> bool:
    """True if a condition asks if something exists."""
    for node in nodes_of([test]):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            return True
        if isinstance(node, ast.Name) and node.id in _ASKING:
            return True
        if isinstance(node, ast.Attribute) and node.attr in _ASKING:
            return True
    return False
