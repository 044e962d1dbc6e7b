"""Executes statements abstractly, in the order in which they are written, and collects what the rules say."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from spark_jupyter.guardrail import calls, guards, knowledge
from spark_jupyter.guardrail.evaluate import evaluate
from spark_jupyter.guardrail.rule import Assign, Call, Command, Hit, Return, Rule
from spark_jupyter.guardrail.rules import ANY_KEYWORDS, BY_CALL, BY_EVENT, BY_METHOD
from spark_jupyter.guardrail.state import Scope, State, Summary, only_parameters
from spark_jupyter.guardrail.values import MISSING, SAFE, UNKNOWN, Trust, Value, concatenate, join_values, merge_flows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.guardrail.state import Context

CANONICAL: Final = {
    "Cryptodome": "Crypto",
    "cPickle": "pickle",
    "_pickle": "pickle",
    "pickle5": "pickle",
    "cloudpickle": "pickle",
    "urllib2": "urllib.request",
    "ldap3.core": "ldap3",
    "flask_restful": "flask_restful",
    "xml.etree.cElementTree": "xml.etree.ElementTree",
}


class Interpreter:
    """Runs the statements of logical lines. ``hits`` are taken out by the scanner after each line."""

    def __init__(self, context: Context) -> None:
        self.state = State(context)
        self.hits: list[tuple[Rule, Hit]] = []
        self.depth = 0
        self.clause_indent = 0

    # --- what the rules are shown ---------------------------------------------------------------------------------

    def show(self, kind: str, event: object) -> None:
        """Show an event to the rules that want its kind."""
        for rule, check in BY_EVENT[kind]:
            hit = check(event, self.state)
            if hit is not None:
                self.report(rule, hit)

    def called(self, event: Call) -> None:
        """Show a call to the rules that know its name or its last part; look into functions of the notebook."""
        rules = BY_CALL.get(event.name)
        if rules is not None:
            for rule, check in rules:
                hit = check(event, self.state)
                if hit is not None:
                    self.report(rule, hit)
        methods = BY_METHOD.get(event.tail)
        if methods is not None:
            for rule, check in methods:
                hit = check(event, self.state)
                if hit is not None:
                    self.report(rule, hit)
        if event.kwargs:
            for rule, check in ANY_KEYWORDS:
                hit = check(event, self.state)
                if hit is not None:
                    self.report(rule, hit)
        summary = self.state.context.functions.get(event.tail)
        if summary is not None and summary.sinks:
            self._into(event, summary)
        if event.tail in ("append", "add", "extend", "update", "insert", "setdefault", "write") and event.args:
            self._mutated(event)

    @staticmethod
    def knows(name: str) -> bool:
        """Whether any rule or table is about this qualified name."""
        return name in BY_CALL or name in knowledge.CALL_SOURCES or name in knowledge.SANITISERS

    def report(self, rule: Rule, hit: Hit) -> None:
        """Note a hit. One that depends on a parameter waits in the function's summary for a call with real input."""
        if only_parameters(hit.flows):
            summary = next((scope.summary for scope in reversed(self.state.scopes) if scope.summary), None)
            if summary is not None and len(summary.sinks) < 32:
                summary.sinks.extend((origin.parameter, rule, hit) for origin, _ in hit.flows)
            return
        self.hits.append((rule, hit))

    def _into(self, event: Call, summary: Summary) -> None:
        for parameter, rule, hit in summary.sinks:
            value = calls.passed(event, summary.parameters, parameter)
            bits = next((bits for origin, bits in hit.flows if origin.parameter == parameter), 0)
            flows = self.state.dangerous(value, bits, Trust.LOCAL)
            if flows:
                message = f"{hit.message or rule.message} (It happens in {summary.name}(), called here.)"
                self.report(rule, hit._replace(node=event.node, flows=flows, message=message))

    def _mutated(self, event: Call) -> None:
        """``items.append(x)``: what ``items`` stands for now holds ``x`` too."""
        function = event.node.func
        if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
            return
        old = event.receiver
        flows = merge_flows(old.flows, *[arg.flows for arg in event.args])
        items = old.items
        if event.tail == "append" and isinstance(items, list):
            items = [*items, event.args[0]][:64]
        elif event.tail == "extend" and isinstance(items, list):
            items = [*items, calls.element_of(event.args[0])][:64]
        elif event.tail != "write":
            items = None
        if flows is not old.flows or items is not old.items:
            safe = old.safe and all(arg.safe or arg.is_constant for arg in event.args)
            self.state.store(function.value.id, old.but(flows=flows, items=items, safe=safe))

    def assigned(self, node: ast.AST, name: str, key: str, base: Value, value: Value) -> None:
        """Show an assignment to the rules."""
        self.show("assign", Assign(node, name, key, base, value))

    def guard(self, test: ast.expr) -> None:
        """Evaluate a condition, then let it clear what it checks."""
        evaluate(test, self)
        guards.guard(test, self)

    def in_handler_class(self) -> bool:
        """Whether the line stands in a class that handles requests."""
        return any(scope.kind == "class" and scope.handler for scope in self.state.scopes)

    # --- statements -----------------------------------------------------------------------------------------------

    def run(self, statements: Sequence[ast.stmt], indent: int) -> None:
        """Execute statements. A header without its body opens a scope that stays open."""
        for statement in statements:
            execute = getattr(self, f"_do_{type(statement).__name__}", None)
            if execute is not None:
                execute(statement, indent)
            else:
                for part in ast.iter_child_nodes(statement):
                    if isinstance(part, ast.expr):
                        evaluate(part, self)

    def close_scopes(self, indent: int) -> None:
        """A line at this indent ends the functions and classes that it is not in."""
        scopes = self.state.scopes
        while len(scopes) > 1 and indent <= scopes[-1].indent:
            scopes.pop()

    def command(self, node: ast.AST, text: str, magic: str) -> Value:
        """A shell command of the notebook; ``{x}`` and ``$x`` are put in from the variables."""
        value = self._interpolated(text)
        self.show("command", Command(node, text, value, magic))
        return value

    def _interpolated(self, text: str) -> Value:
        pieces: list[Value] = []
        rest = text
        for _ in range(20):
            match = guards.INTERPOLATION.search(rest)
            if match is None:
                break
            pieces.append(Value(const=rest[: match.start()], text=rest[: match.start()]))
            found = self.state.lookup((match[1] or match[2]).strip())
            if found is None:
                pieces.append(Value(const=match[0], text=match[0]))
            else:
                pieces.append(found if found.text is not None else found.but(text="\0"))
            rest = rest[match.end() :]
        pieces.append(Value(const=rest, text=rest))
        return concatenate(pieces)

    def _do_Expr(self, statement: ast.Expr, indent: int) -> None:
        value = statement.value
        if isinstance(value, ast.Constant):
            return
        if isinstance(value, ast.Yield | ast.YieldFrom):
            value = value.value or value
        evaluate(value, self)
        guards.statement(value, self)

    def _do_Assign(self, statement: ast.Assign, indent: int) -> None:
        value = evaluate(statement.value, self)
        for target in statement.targets:
            self.bind(target, value, indent)

    def _do_AnnAssign(self, statement: ast.AnnAssign, indent: int) -> None:
        if statement.value is not None:
            self.bind(statement.target, evaluate(statement.value, self), indent)

    def _do_AugAssign(self, statement: ast.AugAssign, indent: int) -> None:
        old = evaluate(_as_load(statement.target), self)
        new = evaluate(statement.value, self)
        if isinstance(statement.op, ast.Add) and (old.text is not None or new.text is not None):
            value = concatenate([old, new])
        elif isinstance(old.items, list) and isinstance(new.items, list):
            value = Value(items=(old.items + new.items)[:64], flows=merge_flows(old.flows, new.flows))
        else:
            safe = (old.safe or old.is_constant) and (new.safe or new.is_constant)
            value = Value(old.name, flows=merge_flows(old.flows, new.flows), safe=safe)
        self.bind(statement.target, value, indent)

    def bind(self, target: ast.expr, value: Value, indent: int = -1) -> None:
        """Assign a value to a target of any form."""
        if isinstance(target, ast.Name):
            self.assigned(target, target.id, "", UNKNOWN, value)
            self._store(target.id, value, indent)
        elif isinstance(target, ast.Attribute):
            base = evaluate(target.value, self)
            name = f"{base.name}.{target.attr}"
            self.assigned(target, name, "", base, value)
            if isinstance(target.value, ast.Name):
                self._store(f"{target.value.id}.{target.attr}", value, indent)
        elif isinstance(target, ast.Subscript):
            self._bind_item(target, value)
        elif isinstance(target, ast.Tuple | ast.List):
            items = value.items if isinstance(value.items, list) and len(value.items) == len(target.elts) else None
            for index, part in enumerate(target.elts):
                self.bind(part, items[index] if items is not None else calls.element_of(value), indent)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, value, indent)

    def _bind_item(self, target: ast.Subscript, value: Value) -> None:
        base = evaluate(target.value, self)
        index = evaluate(target.slice, self)
        key = index.const if isinstance(index.const, str) else ""
        self.assigned(target, base.name, key, base, value)
        if isinstance(target.value, ast.Name):
            items = base.items
            if isinstance(items, dict) and index.const is not MISSING and len(items) < 64:
                items = {**items, index.const: value}
            flows = merge_flows(base.flows, value.flows)
            if flows is not base.flows or items is not base.items:
                self.state.store(target.value.id, base.but(items=items, flows=flows, safe=False))

    def _store(self, name: str, value: Value, indent: int) -> None:
        """In a branch, a constant that may or may not be assigned does not make input harmless."""
        state = self.state
        if (value.is_constant or value.safe) and indent > state.scope.indent + 1 and state.clause not in ("else",):
            old = state.scope.variables.get(name)
            if old is not None and old.flows and self._conditional(indent):
                value = join_values(old, value)
        state.store(name, value)

    def _conditional(self, indent: int) -> bool:
        body = self.state.scope.body
        return body is not None and indent > body

    def _do_Import(self, statement: ast.Import, indent: int) -> None:
        for alias in statement.names:
            self.state.context.modules.add(alias.name.partition(".")[0])
            name = _canonical(alias.name)
            bound = alias.asname or alias.name.partition(".")[0]
            self.state.store(bound, Value(name if alias.asname else _canonical(bound)))
        self.show("statement", statement)

    def _do_ImportFrom(self, statement: ast.ImportFrom, indent: int) -> None:
        module = _canonical(statement.module or "")
        self.state.context.modules.add((statement.module or "").partition(".")[0])
        for alias in statement.names:
            if alias.name == "*":
                self.state.context.stars.add(module)
            else:
                self.state.store(alias.asname or alias.name, Value(_canonical(f"{module}.{alias.name}")))
        self.show("statement", statement)

    def _do_If(self, statement: ast.If, indent: int) -> None:
        self.guard(statement.test)
        self.show("statement", statement)
        self.run(statement.body, indent)
        self.run(statement.orelse, indent)

    def _do_While(self, statement: ast.While, indent: int) -> None:
        self.guard(statement.test)
        self.run(statement.body, indent)

    def _do_Assert(self, statement: ast.Assert, indent: int) -> None:
        self.guard(statement.test)

    def _do_For(self, statement: ast.For | ast.AsyncFor, indent: int) -> None:
        self.bind(statement.target, calls.element_of(evaluate(statement.iter, self)))
        self.run(statement.body, indent)

    _do_AsyncFor = _do_For

    def _do_With(self, statement: ast.With | ast.AsyncWith, indent: int) -> None:
        for item in statement.items:
            value = evaluate(item.context_expr, self)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        self.run(statement.body, indent)

    _do_AsyncWith = _do_With

    def _do_Try(self, statement: ast.Try, indent: int) -> None:
        self.run(statement.body, indent)
        for handler in statement.handlers:
            evaluate(handler.type, self)
            if handler.name:
                self.state.store(handler.name, Value("exception", text=None))
            self.run(handler.body, indent)
        self.run(statement.orelse, indent)
        self.run(statement.finalbody, indent)

    _do_TryStar = _do_Try

    def _do_Match(self, statement: ast.Match, indent: int) -> None:
        evaluate(statement.subject, self)
        for case in statement.cases:
            self.run(case.body, indent)

    def _do_Return(self, statement: ast.Return, indent: int) -> None:
        value = evaluate(statement.value, self)
        scope = next((one for one in reversed(self.state.scopes) if one.kind == "function"), None)
        if scope is not None and scope.summary is not None:
            scope.summary.returned = merge_flows(scope.summary.returned, value.flows)
        self.show("returned", Return(statement, value, scope is not None and scope.handler))

    def _do_Delete(self, statement: ast.Delete, indent: int) -> None:
        for target in statement.targets:
            if isinstance(target, ast.Name):
                self.state.scope.variables.pop(target.id, None)

    def _do_ClassDef(self, statement: ast.ClassDef, indent: int) -> None:
        bases = [evaluate(base, self) for base in statement.bases]
        for keyword in statement.keywords:
            evaluate(keyword.value, self)
        scope = Scope("class", statement.name, indent)
        scope.handler = any(knowledge.HANDLER_BASES.search(base.name) for base in bases)
        self.state.decorators.clear()
        self.state.scopes.append(scope)
        self.run(statement.body, indent + 1)
        if not _is_open(statement):
            self.state.scopes.pop()

    def _do_FunctionDef(self, statement: ast.FunctionDef | ast.AsyncFunctionDef, indent: int) -> None:
        from spark_jupyter.guardrail import functions

        for decorator in statement.decorator_list:
            functions.decorate(decorator, self)
        scope = functions.open_scope(statement, indent, self)
        self.state.scopes.append(scope)
        self.show("function", statement)
        self.run(statement.body, indent + 1)
        if not _is_open(statement):
            self.state.scopes.pop()

    _do_AsyncFunctionDef = _do_FunctionDef


def _is_open(statement: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the body is only the ``pass`` that completed a header (it stands in a line of its own, one column in)."""
    last = statement.body[-1]
    return isinstance(last, ast.Pass) and last.col_offset == 1 and len(statement.body) == 1


def _as_load(target: ast.expr) -> ast.expr:
    return target


def _canonical(name: str) -> str:
    if name in CANONICAL:
        return CANONICAL[name]
    first, dot, rest = name.partition(".")
    return f"{CANONICAL[first]}{dot}{rest}" if first in CANONICAL else name


__all__ = ["SAFE", "Interpreter"]
