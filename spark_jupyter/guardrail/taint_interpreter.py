"""Abstract interpreter of statements, in the order of the text.

It collects the findings of the rules.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from spark_jupyter.guardrail import (
    indirect_calls,
    path_choices,
    repeated_calls,
    sanitising_conditions,
    taint_assignments,
    taint_calls,
    taint_catalogue,
    untrusted_callbacks,
)
from spark_jupyter.guardrail.endless_loops import Loops
from spark_jupyter.guardrail.evaluator import EventKind
from spark_jupyter.guardrail.function_parameters import decorate
from spark_jupyter.guardrail.line_parser import Parsed, tree
from spark_jupyter.guardrail.rule import Assign, Call, Command, Hit, Rule
from spark_jupyter.guardrail.rulebook import Checks, Rulebook
from spark_jupyter.guardrail.shell_reader import ShellReader, entered
from spark_jupyter.guardrail.taint_expressions import EVALUATORS, parts
from spark_jupyter.guardrail.taint_state import Context, State, Summary, only_parameters
from spark_jupyter.guardrail.taint_statements import EXECUTORS
from spark_jupyter.guardrail.taint_values import (
    HOLE,
    UNKNOWN,
    Trust,
    Value,
    concatenate,
    whole_text,
    words,
)
from spark_jupyter.source.ipython_lines import COMMANDS
from spark_jupyter.source.lexer import logical_lines, python_only

DEPTH_LIMIT: Final = 60
"""Nesting of an expression; what is deeper is looked at by itself."""
_RUN_MAGICS: Final = frozenset(("get_ipython().run_line_magic", "get_ipython().run_cell_magic"))
_CELLS: Final = _RUN_MAGICS | {"get_ipython().run_cell", "get_ipython().ex", "get_ipython().ev"}
_RUN_TEXT: Final = _CELLS | {"exec", "eval", "builtins.exec", "builtins.eval", "timeit.timeit", "timeit.repeat"}
_EXPRESSION: Final = re.compile(r"\{([^{}]+)\}")
_SHOWN, _TWICE = 8_000, 2_000
"""Characters of a command that the rules see at once, and again with the next: their expressions may take the square."""
_VARIABLE: Final = re.compile(r"%\w+\s+(\w+)(?:\s*=\s*|\s+)(\S+)\s*$")
_MUTATORS: Final = taint_assignments.PUTS | words("extend update setdefault write")


class Interpreter:
    """Interpreter of a cell, line by line. ``hits`` are taken out by the scanner after each line."""

    def __init__(self, context: Context, rules: Rulebook) -> None:
        self.state = State(context)
        self.hits: list[tuple[Rule, Hit]] = []
        self._rules = rules
        self._depth = 0
        self._deeper: list[ast.expr] = []
        self._clause_indent = 0
        self._loops = Loops()
        self._repeated = [0, 0]
        self._shell = ShellReader()

    # --- lines ----------------------------------------------------------------------------------------------------

    def take(self, parsed: Parsed, indent: int, number: int) -> None:
        self._leave_loops(indent)
        path_choices.leave(self.state, indent, parsed.word)
        self._close_scopes(indent)
        self._enter_loops(parsed.body, indent, number)
        state = self.state
        repeated_calls.keep(parsed, indent, state)
        if state.scope.body is None:
            state.scope.body = indent
        if parsed.word in ("else", "elif", "except"):
            state.clause, self._clause_indent = parsed.word, indent
        elif indent <= self._clause_indent:
            state.clause = ""
        if parsed.word != "@":
            self.run(parsed.body, indent)
        for statement in parsed.body if parsed.word == "@" else ():
            if isinstance(statement, ast.Expr):
                decorate(statement.value, self)
        while self._deeper:
            self.evaluate(self._deeper.pop())
        repeated_calls.note(self.hits, state)

    def end(self) -> None:
        self._leave_loops(-1)
        path_choices.leave(self.state, -1)

    def give_up(self) -> None:
        """Drop a line that is nested too deeply."""
        self._depth = 0
        self._deeper.clear()
        self.hits = []

    def command(self, node: ast.AST, text: str, magic: str) -> None:
        """Show a shell command of the notebook to the rules; ``{x}`` and ``$x`` are interpolated."""
        value = self._interpolated(text)
        shell = self._shell = (
            self._shell if not magic else ShellReader(folder=self.state.folder)
        )  # the lines of a script have none
        said = shell.read(value.text or text)
        for at in range(0, max(len(text), len(said), 1), _SHOWN - _TWICE):
            self.show("command", Command(node, text[at : at + _SHOWN], value, magic, said[at : at + _SHOWN]))
        while shell.programs:
            self._another_program(node, shell.programs.pop())
        if magic in ("cd", "pushd", "popd"):
            self.state.leave_folder(entered(value.text or text))
        if magic in ("env", "set_env") and (found := _VARIABLE.match(text)) is not None:
            self.assigned(node, "os.environ", found[1], UNKNOWN, Value(const=found[2], text=found[2]))
        for found in _EXPRESSION.finditer(text) if "{" in text and "(" in text else ():
            self.calls_in(found[1].partition("!")[0])

    def _another_program(self, node: ast.AST, text: str) -> None:
        """Judge the code of another Python, which knows nothing of the notebook; of its faults only the gravest are this cell's."""
        kept = self.state, self.hits
        self.state, self.hits = State(Context()), []
        try:
            self.run(tree(text) or (), 0)
            kept[1].extend(
                (rule, hit._replace(node=node, line=None)) for rule, hit in self.hits if rule.severity == "block"
            )
        finally:
            self.state, self.hits = kept

    def calls_in(self, text: str) -> None:
        """Evaluate a text that is an expression: what IPython finds in braces, ``%config A.b = f()``, a magic of the notebook's own."""
        body = tree(text.strip()) or ()
        if len(body) == 1 and isinstance(body[0], ast.Expr | ast.Assign):
            self.evaluate(body[0].value)

    def _run_text(self, event: Call) -> None:
        """Judge constant code that a call runs: ``exec("…")``, ``get_ipython().run_cell_magic("bash", "", text)``, ``run_cell("!ls")``."""
        texts = [whole_text(arg) for arg in event.args] or [""]
        text, name = (texts[-1], texts[0]) if event.name in _RUN_MAGICS else (texts[0], "")
        known = len(self.hits)
        if name and len(texts) > 1 and name not in COMMANDS:
            self.command(event.node, f"%{name} {texts[1]}", name)
        if name in COMMANDS:
            for line in text.replace("\\\n", " ").split("\n"):
                self.command(event.node, line.strip(), name)
        elif text:
            text = text.replace("@", "") if event.name not in _RUN_TEXT else text  # pandas' own mark of a variable
            for one in logical_lines(text) if event.name in _CELLS else ():
                if one.kind == "shell":
                    self.command(event.node, one.escaped.lstrip("!").strip(), "!")
            self.run(tree(python_only(text)) or (), self.state.scopes[-1].indent + 1)
        self.hits[known:] = [(rule, hit._replace(node=event.node, line=None)) for rule, hit in self.hits[known:]]

    # --- expressions and conditions -------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr | None) -> Value:
        """Abstract value of an expression. Unknown nodes give UNKNOWN after their parts were looked at."""
        if node is None:
            return UNKNOWN
        if self._depth > DEPTH_LIMIT:
            self._deeper.append(node)
            return UNKNOWN
        self._depth += 1
        try:
            return EVALUATORS.get(type(node), parts)(node, self)
        finally:
            self._depth -= 1

    def quietly(self, node: ast.expr) -> Value:
        hits, self.hits = self.hits, []
        try:
            return self.evaluate(node)
        finally:
            self.hits = hits

    def guard(self, test: ast.expr) -> None:
        """Evaluate a condition, then clear the inputs that it checks."""
        self.evaluate(test)
        sanitising_conditions.condition(test, self)

    # --- what the rules are shown ---------------------------------------------------------------------------------

    def show(self, kind: EventKind, event: object) -> None:
        for rule, check in self._rules.by_event[kind]:
            hit = check(event, self.state)
            if hit is not None:
                self.report(rule, hit)

    def called(self, event: Call) -> None:
        """Show a call to the rules that know its name or its last part; look into functions of the notebook."""
        event = indirect_calls.of_object(event)
        if event.name not in self.state.context.functions:  # the notebook's own compile() is not Python's
            self._check(event, self._rules.by_call.get(event.name, ()))
        self._check(event, self._rules.by_method.get(event.tail, ()))
        if event.name in _RUN_TEXT or (event.tail in ("query", "eval") and "(" in (event.argument(0).known_text or "")):
            self._run_text(event)
        if event.kwargs:
            self._check(event, self._rules.any_keywords)
        target = indirect_calls.attribute_set(event)
        if target is not None:
            self.bind(target, event.args[2])
        for assigned in indirect_calls.assignments(event):
            self.show("assign", assigned)
        if any(value.is_built for value in event.args) or any(value.is_built for value in event.kwargs.values()):
            self.show("given", event)
        summary = self.state.context.functions.get(event.tail)
        if summary is not None and summary.sinks:
            self._into(event, summary)
        elif summary is None and (event.args or event.kwargs):
            self._await(event)
        self._repeat(event, repeated_calls.called(event, self.state))
        made = indirect_calls.made(event, self)
        if made is not None:
            self.called(made)
        for given in untrusted_callbacks.given_away(event, self.state):
            self._fed(event, given)
        if event.tail in _MUTATORS and event.args:
            taint_assignments.mutate(event, self.state)

    def _repeat(self, event: Call, summary: Summary | None) -> None:
        """Read a function of the notebook again with what it is given."""
        if (summary is not None and summary.reaches) or event.name.startswith(("self.", "cls.")):
            repeated_calls.reach(self.state)
        if summary is None:
            return
        deep, calls = self._repeated
        if deep >= repeated_calls.DEEP or calls >= repeated_calls.MOST:
            return
        again = repeated_calls.state_of(event, summary, self.state)
        if again is None:
            return
        kept = self.state, self.hits, self._loops, self._clause_indent
        self.state, self.hits, self._loops, self._repeated = again, [], Loops(), [deep + 1, calls + 1]
        hits: list[tuple[Rule, Hit]] = []
        try:
            for parsed, indent in [*summary.lines]:
                self.take(parsed, indent, 0)
            hits = repeated_calls.found(self.hits, event, summary)
            kept[0].made = event.node, repeated_calls.made(again, event, summary, kept[0])
        finally:  # a line may be nested too deeply
            self._repeated[0] = deep
            self.state, self.hits, self._loops, self._clause_indent = kept
        self.hits += hits

    def _check(self, event: Call, rules: Checks) -> None:
        for rule, check in rules:
            if rule.id in repeated_calls.RULES:
                repeated_calls.reach(self.state)
            hit = check(event, self.state)
            if hit is not None:
                self.report(rule, hit)

    def knows(self, name: str) -> bool:
        """True if any rule or table mentions this qualified name."""
        return name in self._rules.by_call or name in taint_catalogue.CALL_SOURCES or name in taint_catalogue.SANITISERS

    def report(self, rule: Rule, hit: Hit) -> None:
        """Note a hit. One that depends on a parameter waits in the function's summary for a call with real input."""
        if only_parameters(hit.flows):
            summary = next((scope.summary for scope in reversed(self.state.scopes) if scope.summary), None)
            for origin, _ in hit.flows:
                taker = self._taker(origin.parameter, summary)
                if taker is not None and len(taker.sinks) < 32:
                    taker.sinks.append((origin.parameter, rule, hit))
            return
        self.hits.append((rule, hit))

    def _taker(self, parameter: str, summary: Summary | None) -> Summary | None:
        """Function that owns the parameter: this one, or ``__init__`` of its class."""
        if summary is None or parameter in summary.parameters:
            return summary
        own = next((scope for scope in reversed(self.state.scopes) if scope.kind == "class"), None)
        made = self.state.context.functions.get(own.name) if own is not None else None
        return made if made is not None and parameter in made.parameters else summary

    def _into(self, event: Call, summary: Summary) -> None:
        for parameter, rule, hit in summary.sinks:
            value = taint_calls.passed(event, summary.parameters, parameter)
            if rule.spares is not None and rule.spares(value):
                continue
            bits = next((bits for origin, bits in hit.flows if origin.parameter == parameter), 0)
            built = rule.built is not None and rule.built(value)
            # a console's user may give a whole query, which is all its own
            whole = rule.built is not None and not built
            flows = self.state.dangerous(value, bits, Trust.LOCAL if rule.local and not whole else Trust.NETWORK)
            if flows and built:
                flows = tuple(flow for flow in flows if flow[0].trust != Trust.PARAMETER)
                self.report(rule, hit._replace(node=event.node, flows=flows))
            elif flows:
                message = f"{hit.message or rule.message} (It happens in {summary.name}(), called here.)"
                self.report(rule, hit._replace(node=event.node, flows=flows, message=message))

    def _fed(self, event: Call, summary: Summary) -> None:
        """Report the sinks of a function that a page calls with its visitors' input."""
        for parameter, rule, hit in summary.sinks:
            flows = self.state.still_dangerous(tuple(flow for flow in hit.flows if flow[0].parameter == parameter))
            given = tuple((self.state.origin(f"a visitor's {parameter}", Trust.REMOTE), bits) for _, bits in flows)
            if given:
                message = f"{hit.message or rule.message} (It happens in {summary.name}(), which a page calls.)"
                self.report(rule, hit._replace(node=event.node, flows=given, message=message))

    def _await(self, event: Call) -> None:
        """``self.send(x)`` above ``def send(self, x)``."""
        function = event.node.func
        if isinstance(function, ast.Attribute):
            own = isinstance(function.value, ast.Name) and function.value.id in ("self", "cls")
        else:
            own = isinstance(function, ast.Name) and event.name == function.id and not self.knows(event.name)
        if own and any(value.flows for value in (*event.args, *event.kwargs.values())):
            self.state.await_function(event)

    def assigned(self, node: ast.AST, name: str, key: str, base: Value, value: Value) -> None:
        self.show("assign", Assign(node, name, key, base, value))

    # --- statements -----------------------------------------------------------------------------------------------

    def run(self, statements: Sequence[ast.stmt], indent: int) -> None:
        """Execute statements. A header without its body opens a scope that stays open."""
        depth = len(self.state.blocks)
        for statement in statements:
            if statement is not statements[0]:
                path_choices.end(self.state, depth)
            self.state.statement = statement
            execute = EXECUTORS.get(type(statement))
            if execute is not None:
                execute(statement, self, indent)
            else:
                for part in ast.iter_child_nodes(statement):
                    if isinstance(part, ast.expr):
                        self.evaluate(part)

    def _close_scopes(self, indent: int) -> None:
        """Close the functions and classes that a line at this indent ends."""
        scopes = self.state.scopes
        while len(scopes) > 1 and indent <= scopes[-1].indent:
            scopes.pop()

    def _leave_loops(self, indent: int) -> None:
        """Close the loops that a line at this indent, or the end of the cell (-1), ends."""
        for loop in self._loops.leave(indent):
            self.show("loop", loop)

    def _enter_loops(self, body: Sequence[ast.stmt], indent: int, line: int) -> None:
        """Pass a line of a function to the loop tracker."""
        if self.state.scope.kind == "function":
            self._loops.enter(body, indent, line, self.state.scope.variables)

    def _interpolated(self, text: str) -> Value:
        pieces: list[Value] = []
        rest = text
        for _ in range(20):
            match = sanitising_conditions.INTERPOLATION.search(rest)
            if match is None:
                break
            pieces.append(Value(const=rest[: match.start()], text=rest[: match.start()]))
            found = self.state.lookup((match[1] or match[2]).strip())
            if found is None:
                pieces.append(Value(const=match[0], text=match[0]))
            else:
                pieces.append(found if found.text is not None else found.but(text=HOLE))
            rest = rest[match.end() :]
        pieces.append(Value(const=rest, text=rest))
        return concatenate(pieces)

    def bind(self, target: ast.expr, value: Value, indent: int = -1) -> None:
        taint_assignments.bind(target, value, indent, self)
