"""Goes through statements in order, and keeps what is known of every name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from spark_jupyter.reality import calls, imports, lookup, modules, tables
from spark_jupyter.reality.expressions import Expressions
from spark_jupyter.reality.lookup import MAYBE, MISSING
from spark_jupyter.reality.operators import element_of
from spark_jupyter.reality.values import NO_CONSTANT, UNKNOWN, Live, Of, Scope, Value, constant, either, options_of

_CATCHES = frozenset({"except", "suppress", "raises", "assertRaises", "assert_raises"})


class Interpreter(Expressions):
    """Executes statements abstractly: :meth:`run` for each one in order."""

    def __init__(self, namespace: Mapping[str, object]) -> None:
        super().__init__(namespace)
        self.late_annotations = False
        """Annotations are never evaluated: ``from __future__ import annotations``."""

    def run(self, body: list[ast.stmt], *, first_line: int = 1) -> None:
        """Look at statements whose first line is ``first_line`` in the cell."""
        self.first_line = first_line
        self._notice(body)
        for statement in body:
            self.execute(statement)

    def _notice(self, body: list[ast.stmt]) -> None:
        """Remember what may become a label."""
        for statement in body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Constant) and type(node.value) is str and node.value.isidentifier():
                    self.mentioned.add(node.value)
                elif isinstance(node, ast.keyword) and node.arg:
                    self.mentioned.add(node.arg)
                elif isinstance(node, ast.Constant) and type(node.value) is str and len(node.value) < 2000:
                    self.mentioned.update(word for word in node.value.replace(",", " ").split() if word.isidentifier())

    def execute(self, node: ast.stmt) -> None:
        """One statement."""
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child)

    def block(self, body: list[ast.stmt]) -> None:
        """The statements of a block."""
        for statement in body:
            self.execute(statement)

    # --- Simple statements ---

    def _assign(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Assign)
        value = self.evaluate(node.value)
        for target in node.targets:
            self.bind(target, value)

    def _annotated(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.AnnAssign)
        value = self.evaluate(node.value) if node.value is not None else UNKNOWN
        with self.silence(when=self.late_annotations):
            self.evaluate(node.annotation)
        self.bind(node.target, value)

    def _augmented(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.AugAssign)
        value = self.evaluate(node.value)
        target = node.target
        if isinstance(target, ast.Name):
            old = self.use(ast.copy_location(ast.Name(id=target.id, ctx=ast.Load()), target))
            plain = all(isinstance(v, Live | Of) and not tables.is_frame(getattr(v, "kind", int)) for v in (old, value))
            kept = old if plain and isinstance(old, Of) and old.kind not in (int, float, list, tuple) else UNKNOWN
            self.store(target.id, Of(str) if constant(old) is not NO_CONSTANT and type(constant(old)) is str else kept)
        elif isinstance(target, ast.Subscript):
            load = ast.copy_location(ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Load()), target)
            self.evaluate(load)
        else:
            self.bind(target, UNKNOWN)

    def _delete(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Delete)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.use(ast.copy_location(ast.Name(id=target.id, ctx=ast.Load()), target))
                if self.scope is self.module and self.journal is None:
                    self.scope.names.pop(target.id, None)
                    self.removed.add(target.id)
                else:
                    self.store(target.id, UNKNOWN)  # it may be there in another round
            elif isinstance(target, ast.Subscript):
                self._delete_item(target)
            else:
                self.evaluate(target)

    def _delete_item(self, target: ast.Subscript) -> None:
        owner = self.evaluate(target.value)
        index = self.evaluate(target.slice)
        for option in options_of(owner):
            if option.kind in (list, dict):
                option.items = option.keys = None
            if tables.is_frame(option.kind) and option.table is not None and option.table.columns is not None:
                self.absent_columns(tables.subscript_absent(target.slice, index, option.table), option.table)
                if self.journal is None and not self.delayed:
                    option.table.columns.pop(constant(index), None)

    def _global(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Global | ast.Nonlocal)
        self.scope.globals_.update(node.names)
        for name in node.names:
            if isinstance(node, ast.Global):
                self.scope.names.pop(name, None)
                self.module.names.setdefault(name, UNKNOWN)

    # --- Imports ---

    def _import(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Import)
        for alias in node.names:
            found = imports.find_module(self, alias.name, alias)
            if alias.asname:
                self.store(alias.asname, found)
            else:
                top = alias.name.partition(".")[0]
                module = modules.loaded(top)
                self.store(top, Live(module) if module is not None else UNKNOWN)
                if module is not None and "." in alias.name and modules.loaded(alias.name) is None:
                    self.stored.update(alias.name.split(".")[1:])

    def _import_from(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.ImportFrom)
        name = node.module or ""
        if node.level or name == "__future__":
            for alias in node.names:
                self.store(alias.asname or alias.name, UNKNOWN)
                self.open_names = self.open_names or alias.name == "*"
                self.late_annotations = self.late_annotations or (not node.level and alias.name == "annotations")
            return
        found = imports.find_module(self, name, node)
        for alias in node.names:
            if alias.name == "*":
                self._star(found)
            else:
                self.store(alias.asname or alias.name, imports.imported(self, found, name, alias))

    def _star(self, module: Value) -> None:
        names = None
        if isinstance(module, Live) and lookup.is_module(module.thing):
            names = modules.public_names(module.thing)
        if names is None:
            self.open_names = True
            return
        for name in names:
            found = modules.on_module(module.thing, name)  # type: ignore[attr-defined]
            known = found is not MISSING and found is not MAYBE
            self.store(name, tables.live_value(found) if known else UNKNOWN)

    # --- Blocks ---

    def _if(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.If)
        self.evaluate(node.test)
        with self.guarded_by(node.test):
            self._branches(node.body, node.orelse)

    def _branches(self, *bodies: list[ast.stmt]) -> None:
        """Bodies of which one runs, or none: what they store may be, and what was before may still be."""
        scope = self.scope
        outer, outer_scope = self.journal, self.journal_scope
        before: dict[str, Value | None] = {}
        after: dict[str, list[Value]] = {}
        for body in bodies:
            self.journal, self.journal_scope = {}, scope
            self.block(body)
            for name, old in self.journal.items():
                before.setdefault(name, old)
                after.setdefault(name, []).append(scope.names.get(name, UNKNOWN))
                if old is None:
                    scope.names.pop(name, None)
                else:
                    scope.names[name] = old
        self.journal, self.journal_scope = outer, outer_scope
        for name, values in after.items():
            old = before[name]
            if old is not None and len(values) < len(bodies):
                values = [*values, old]
            elif old is None and len(values) < len(bodies) and name in self.namespace and scope is self.module:
                values = [UNKNOWN]
            self.store(name, either(values))

    def _for(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.For | ast.AsyncFor)
        iterated = self.evaluate(node.iter)
        self._loop_names([*node.body, *node.orelse])
        target = element_of(iterated) if isinstance(node, ast.For) else UNKNOWN

        def body() -> None:
            self.bind(node.target, target)
            self.block(node.body)

        self._maybe(body)
        self._maybe(lambda: self.block(node.orelse))
        for name in _targets(node.target):
            if name not in self.scope.names:
                self.store(name, UNKNOWN)

    def _while(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.While)
        self._loop_names([*node.body, *node.orelse])
        self.evaluate(node.test)
        with self.guarded_by(node.test):
            self._maybe(lambda: self.block(node.body))
        self._maybe(lambda: self.block(node.orelse))

    def _maybe(self, body: Callable[[], None]) -> None:
        """A body that may run or not."""
        scope = self.scope
        outer, outer_scope = self.journal, self.journal_scope
        self.journal, self.journal_scope = {}, scope
        body()
        journal, self.journal, self.journal_scope = self.journal, outer, outer_scope
        for name, old in journal.items():
            value = scope.names.get(name, UNKNOWN)
            if self.journal is not None and scope is outer_scope:
                self.journal.setdefault(name, old)
            scope.names[name] = value if old is None else either([old, value])

    def _loop_names(self, body: list[ast.stmt]) -> None:
        """What a loop stores is not known at its beginning, where an earlier round may have stored it."""
        for statement in body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in self.scope.names:
                    self.store(node.id, UNKNOWN)
                elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
                    self.stored.update([key] if type(key) is str else [])

    def _with(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.With | ast.AsyncWith)
        catches = False
        for item in node.items:
            self.evaluate(item.context_expr)
            for part in ast.walk(item.context_expr):
                name = part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else ""
                catches = catches or name in _CATCHES
            if item.optional_vars is not None:
                self.bind(item.optional_vars, UNKNOWN)
        with self.silence(when=catches):
            self.block(node.body)

    def _try(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Try | ast.TryStar)
        with self.silence(when=bool(node.handlers)):
            self._maybe(lambda: self.block(node.body))
        for handler in node.handlers:
            if handler.type is not None:
                self.evaluate(handler.type)
            self._maybe(lambda h=handler: self._handler(h))  # type: ignore[misc]
        self._maybe(lambda: self.block(node.orelse))
        self.block(node.finalbody)

    def _handler(self, handler: ast.ExceptHandler) -> None:
        if handler.name:
            self.store(handler.name, UNKNOWN)
        self.block(handler.body)

    def _match(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Match)
        self.evaluate(node.subject)
        for case in node.cases:
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if type(name) is str:
                    self.store(name, UNKNOWN)
            if case.guard is not None:
                self.evaluate(case.guard)
            with self.silence():
                self._maybe(lambda c=case: self.block(c.body))  # type: ignore[misc]

    # --- Definitions ---

    def _function(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for decorator in node.decorator_list:
            self.evaluate(decorator)
        self.defaults(node.args)
        plain = not node.decorator_list and isinstance(node, ast.FunctionDef)
        inside_class = self.scope.is_class
        self.store(node.name, calls.written(node.name, node.args) if plain and not inside_class else UNKNOWN)
        outer, journal, journal_scope = self.scope, self.journal, self.journal_scope
        self.scope = Scope(outer, is_function=True)
        self.journal = None
        for name in [*calls.parameter_names(node.args), *_stored_in(node.body)]:
            self.scope.names[name] = UNKNOWN
        self.delayed += 1
        try:
            self.block(node.body)
        finally:
            self.delayed -= 1
            self.scope, self.journal, self.journal_scope = outer, journal, journal_scope

    def _class(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.ClassDef)
        for part in [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]:
            self.evaluate(part)
        outer, journal, journal_scope = self.scope, self.journal, self.journal_scope
        self.scope, self.journal = Scope(outer, is_class=True), None
        self.scope.names["__class__"] = UNKNOWN
        try:
            self.block(node.body)
        finally:
            self.scope, self.journal, self.journal_scope = outer, journal, journal_scope
        self.store(node.name, UNKNOWN)


def _targets(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]


def _stored_in(body: list[ast.stmt]) -> list[str]:
    """Names that a function's body makes its own. Those of functions inside it come along; they do no harm."""
    found: list[str] = []
    shared: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                found.append(node.id)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.append(node.name)
            elif isinstance(node, ast.alias):
                found.append((node.asname or node.name).partition(".")[0])
            elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
                found.append(node.name)
            elif isinstance(node, ast.Global | ast.Nonlocal):
                shared.update(node.names)
    return [name for name in found if name not in shared]


_HANDLERS: dict[type, Callable[[Interpreter, ast.stmt], None]] = {
    ast.Assign: Interpreter._assign,
    ast.AnnAssign: Interpreter._annotated,
    ast.AugAssign: Interpreter._augmented,
    ast.Delete: Interpreter._delete,
    ast.Global: Interpreter._global,
    ast.Nonlocal: Interpreter._global,
    ast.Import: Interpreter._import,
    ast.ImportFrom: Interpreter._import_from,
    ast.If: Interpreter._if,
    ast.For: Interpreter._for,
    ast.AsyncFor: Interpreter._for,
    ast.While: Interpreter._while,
    ast.With: Interpreter._with,
    ast.AsyncWith: Interpreter._with,
    ast.Try: Interpreter._try,
    ast.TryStar: Interpreter._try,
    ast.Match: Interpreter._match,
    ast.FunctionDef: Interpreter._function,
    ast.AsyncFunctionDef: Interpreter._function,
    ast.ClassDef: Interpreter._class,
}
