"""Abstract interpreter of statements, in order.

It keeps what is known of every name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial

from spark_jupyter.reality import (
    frame_columns,
    import_check,
    mentioned_labels,
    module_lookup,
    named_columns,
    polars_expressions,
    static_lookup,
)
from spark_jupyter.reality.abstract_values import (
    NO_CONSTANT,
    UNKNOWN,
    Live,
    Of,
    Recursion,
    Unknown,
    Value,
    constant,
    either,
    options_of,
)
from spark_jupyter.reality.definitions import MAX_STATEMENTS, Definitions
from spark_jupyter.reality.operators import combined, element_of, few_items, is_array, truth
from spark_jupyter.reality.static_lookup import MAYBE, MISSING
from spark_jupyter.reality.syntax_trees import nodes_of

_CATCHES = frozenset({"except", "suppress", "raises", "assertRaises", "assert_raises"})


class Interpreter(Definitions):
    """Executes statements abstractly: :meth:`run` for each one in order."""

    def __init__(self, namespace: Mapping[str, object]) -> None:
        super().__init__(namespace)

    def run(self, body: list[ast.stmt], *, first_line: int = 1) -> None:
        """Look at statements whose first line is ``first_line`` in the cell."""
        self.first_line = first_line
        self.left = MAX_STATEMENTS
        self._notice(body)
        self.block(body)

    def _notice(self, body: list[ast.stmt]) -> None:
        """Remember what may become a label."""
        for node in nodes_of(body):
            kind = type(node)
            if kind is not ast.Constant and kind is not ast.keyword and kind is not ast.JoinedStr:
                continue
            self.mentioned.update(mentioned_labels.words_in(node))
            if len(self.patterns) < mentioned_labels.MAX_PATTERNS:
                self.patterns.update(mentioned_labels.patterns_in(node))
            named = node.arg if isinstance(node, ast.keyword) else getattr(node, "value", None)
            if type(named) is str and named.isidentifier() and (kind is ast.Constant or "__" in named):
                self.options.add(named.rpartition("__")[2])
            if isinstance(node, ast.Constant) and type(node.value) is str and not node.value.isidentifier():
                self.paths[node.value[-2000:].replace("\\", "/").rpartition("/")[2]] += 1

    def execute(self, node: ast.stmt) -> bool:
        """One statement; whether nothing behind it in its block runs."""
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            return bool(handler(self, node))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child)
        return isinstance(node, ast.Raise | ast.Continue | ast.Break)

    def block(self, body: list[ast.stmt]) -> bool:
        ended = False
        for statement in body:
            if ended and self.returned:
                break
            ended = self.execute(statement) or ended
        return ended

    def _return(self, node: ast.stmt) -> bool:
        assert isinstance(node, ast.Return)
        value = self.evaluate(node.value) if node.value is not None else Live(None)
        if self.returned and not isinstance(value, Recursion):
            self.returned[-1].append(value)
        return True

    # --- Simple statements ---

    def _assign(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Assign)
        value = polars_expressions.named(self, node.value, self.evaluate(node.value))
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
            frame_columns.grows(self.look_up(target.id) or UNKNOWN)
            old = self.use(ast.copy_location(ast.Name(id=target.id, ctx=ast.Load()), target))
            plain = all(
                isinstance(v, Live | Of) and not frame_columns.is_frame(getattr(v, "kind", int)) for v in (old, value)
            )
            kept: Value = (
                old if plain and isinstance(old, Of) and old.kind not in (int, float, list, tuple) else UNKNOWN
            )
            if is_array(old):
                kept = combined(old, value, node.op)
            self.store(target.id, Of(str) if constant(old) is not NO_CONSTANT and type(constant(old)) is str else kept)
        elif isinstance(target, ast.Subscript):
            load = ast.copy_location(ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Load()), target)
            self.evaluate(load)
            for option in options_of(self.evaluate(target.value)):
                if option.table is not None:
                    option.table.holds.clear()
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
                    self.store(target.id, UNKNOWN)  # the name may be there in another round of the loop
            elif isinstance(target, ast.Subscript):
                self._delete_item(target)
            else:
                self.evaluate(target)

    def _delete_item(self, target: ast.Subscript) -> None:
        owner = self.evaluate(target.value)
        index = self.evaluate(target.slice)
        for option in options_of(owner):
            if option.kind in (list, dict):
                option.forget_items()
            if frame_columns.is_frame(option.kind) and option.table is not None and option.table.columns is not None:
                self.absent_columns(named_columns.subscript_absent(target.slice, index, option.table), option.table)
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
            found = import_check.find_module(self, alias.name, alias)
            if alias.asname:
                self.store(alias.asname, found)
            else:
                top = alias.name.partition(".")[0]
                module = module_lookup.loaded(top)
                self.store(top, Live(module) if module is not None else UNKNOWN)
                if module is not None and "." in alias.name and module_lookup.loaded(alias.name) is None:
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
        found = import_check.find_module(self, name, node)
        for alias in node.names:
            if alias.name == "*":
                self._star(found)
            else:
                self.store(alias.asname or alias.name, import_check.imported(self, found, name, alias))

    def _star(self, module: Value) -> None:
        names = None
        if isinstance(module, Live) and static_lookup.is_module(module.thing):
            names = module_lookup.public_names(module.thing)
        if names is None:
            self.open_names = True
            return
        for name in names:
            found = module_lookup.on_module(module.thing, name)  # type: ignore[attr-defined]
            known = found is not MISSING and found is not MAYBE
            self.store(name, frame_columns.live_value(found) if known else UNKNOWN)

    # --- Blocks ---

    def _if(self, node: ast.stmt) -> bool:
        assert isinstance(node, ast.If)
        known = truth(self.evaluate(node.test))
        if known is not None and self.returned:
            return self.block(node.body if known else node.orelse)
        if known is not None:
            self._dead(node.orelse if known else node.body)
            return self.block(node.body if known else node.orelse)
        with self.guarded_by(node.test), self.silence(when=self._is_choice(node.test)):
            return self._branches(node.body, node.orelse)

    def _dead(self, body: list[ast.stmt]) -> None:
        """What can't run with what is known now: nothing is said of it, and what it stores may be there none the less."""
        with self.silence():
            self._maybe(lambda: self.block(body))

    def _is_choice(self, test: ast.expr) -> bool:
        """Whether a condition asks a parameter of which nothing is known: then either branch may be for other arguments than these."""
        if not self.returned:
            return False
        names = (node.id for node in nodes_of([test]) if isinstance(node, ast.Name))
        return any(name in self.scope.parameters and isinstance(self.scope.names.get(name), Unknown) for name in names)

    def _branches(self, *bodies: list[ast.stmt]) -> bool:
        """Bodies of which one runs, or none: what they store may be, and what was before may still be. Whether each leaves the block."""
        scope = self.scope
        outer, outer_scope = self.journal, self.journal_scope
        before: dict[str, Value | None] = {}
        after: dict[str, list[Value]] = {}
        left = []
        for body in bodies:
            self.journal, self.journal_scope = {}, scope
            left.append(self.block(body))
            for name, old in self.journal.items():
                before.setdefault(name, old)
                if not (left[-1] and self.returned):
                    after.setdefault(name, []).append(scope.names.get(name, UNKNOWN))
                if old is None:
                    scope.names.pop(name, None)
                else:
                    scope.names[name] = old
        self.journal, self.journal_scope = outer, outer_scope
        for name, values in after.items():
            old = before[name]
            going_on = len(bodies) - (sum(left) if self.returned else 0)
            if old is not None and len(values) < going_on:
                values = [*values, old]
            elif old is None and len(values) < going_on and name in self.namespace and scope is self.module:
                values = [UNKNOWN]
            self.store(name, either(values))
        return all(left)

    def _for(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.For | ast.AsyncFor)
        iterated = self.evaluate(node.iter)
        items = few_items(iterated)
        if items is not None and isinstance(node, ast.For) and not _leaves_rounds(node.body):
            for item in items:
                self.bind(node.target, item)
                self.block(node.body)
            self.block(node.orelse)
            return
        self._loop_names([*node.body, *node.orelse])
        target = element_of(iterated) if isinstance(node, ast.For) else UNKNOWN

        def body() -> None:
            self.bind(node.target, target)
            self.block(node.body)

        with self.silence(when=isinstance(iterated, Of) and iterated.items == ()):
            self._maybe(body)
        self._maybe(lambda: self.block(node.orelse))
        for name in _targets(node.target):
            if name not in self.scope.names:
                self.store(name, UNKNOWN)

    def _while(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.While)
        self._loop_names([*node.body, *node.orelse])
        never = truth(self.evaluate(node.test)) is False
        with self.guarded_by(node.test), self.silence(when=never):
            self._maybe(lambda: self.block(node.body))
        self._maybe(lambda: self.block(node.orelse))

    def _maybe(self, body: Callable[[], object]) -> None:
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
        for node in nodes_of(body):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in self.scope.names:
                self.store(node.id, UNKNOWN)
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                key = node.slice.value if isinstance(node.slice, ast.Constant) else None
                self.labels.update([key] if type(key) is str else [])

    def _with(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.With | ast.AsyncWith)
        catches = False
        for item in node.items:
            self.evaluate(item.context_expr)
            for part in nodes_of([item.context_expr]):
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
            self._maybe(partial(self._handler, handler))
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
                self._maybe(partial(self.block, case.body))


def _leaves_rounds(body: list[ast.stmt]) -> bool:
    """Whether a round of a loop may end before its end."""
    leaving = (ast.Break, ast.Continue, ast.Return)
    return any(isinstance(node, leaving) for node in nodes_of(body))


def _targets(target: ast.expr) -> list[str]:
    return [node.id for node in nodes_of([target]) if isinstance(node, ast.Name)]


_HANDLERS: dict[type, Callable[[Interpreter, ast.stmt], bool | None]] = {
    ast.Return: Interpreter._return,
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
    ast.FunctionDef: Interpreter.function,
    ast.AsyncFunctionDef: Interpreter.function,
    ast.ClassDef: Interpreter.class_,
}
