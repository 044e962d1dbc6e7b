"""Names: what each is worth where it stands, and those that nothing defines."""

# ruff: noqa: SIM905 (lists of words read better as words)
from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping

from spark_jupyter.reality import tables
from spark_jupyter.reality.attributes import Attributes
from spark_jupyter.reality.operators import stays
from spark_jupyter.reality.values import NO_CONSTANT, UNKNOWN, Live, Of, Scope, Value, options_of

IPYTHON_NAMES = frozenset(
    "get_ipython In Out display exit quit _ __ ___ _i _ii _iii _ih _oh _dh __file__ __name__ __doc__ __builtins__ __spec__ "
    "__loader__ __package__ __annotations__ __debug__ _exit_code reveal_type __vsc_ipynb_file__ __session__".split()
)


class Names(Attributes):
    """The scopes, and the kernel's namespace below them."""

    def __init__(self, namespace: Mapping[str, object]) -> None:
        super().__init__()
        self.namespace = namespace
        self.module = Scope()
        self.scope = self.module
        self.open_names = False
        """Names may come from where they can't be seen: a star import, ``exec``, ``%run``."""
        self.deferred: list[tuple[str, int, int]] = []
        """Names used in functions and not defined yet: (name, line, column)."""
        self.delayed = 0
        """Depth of functions and lambdas, whose bodies run later."""

    def look_up(self, name: str) -> Value | None:
        """The value of a name; None where it is not defined."""
        scope: Scope | None = self.scope
        while scope is not None:
            if name in scope.names and (scope is self.scope or not scope.is_class):
                value = scope.names[name]
                if scope is self.module and self.delayed and not stays(value):
                    return UNKNOWN  # it may be another one when the function runs
                return value
            scope = scope.parent
        if name in self.removed:
            return None
        if name in self.namespace:
            try:
                value = tables.live_value(self.namespace[name], self.met)
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

    def use(self, node: ast.expr) -> Value:
        """The value of a name where it is read; one that nothing defines is reported, or kept for later in a function's body."""
        assert isinstance(node, ast.Name)
        value = self.look_up(node.id)
        if value is not None:
            return value
        if not self.open_names and not self.quiet:
            if self.delayed:
                self.deferred.append((node.id, node.lineno, node.col_offset))
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
            value = self.module.names[name] = tables.live_value(self.namespace[name], self.met)
        for option in options_of(value or UNKNOWN):
            if option.table is not None:
                option.table.forget()
            tables.let_go(option)

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
