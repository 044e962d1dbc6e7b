"""Abstract interpreter of statements, in order.

It keeps what is known of every name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial

from spark_jupyter.reality import (
    definitions,
    expressions,
    frame_columns,
    import_check,
    mentioned_labels,
    module_lookup,
    named_columns,
    polars_expressions,
    private_texts,
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
from spark_jupyter.reality.check_state import MAX_ROUNDS, MAX_STATEMENTS, Executor, Run
from spark_jupyter.reality.expressions import bind
from spark_jupyter.reality.operators import combined, element_of, few_items, is_array, truth
from spark_jupyter.reality.static_lookup import MAYBE, MISSING
from spark_jupyter.reality.syntax_dispatch import evaluate, execute_block
from spark_jupyter.reality.syntax_trees import nodes_of
from spark_jupyter.source.changed_names import last_name

_BRING_MODULES = frozenset(
    "sys.path sys.meta_path sys.modules site.addsitedir os.chdir contextlib.chdir os.system os.popen "
    "shutil.unpack_archive extractall clone_from urlretrieve".split()
)
"""Attributes with which code installs or fetches modules, or changes where they are looked for."""
_CATCHES = frozenset({"except", "suppress", "raises", "assertRaises", "assert_raises"})


def new_run(namespace: Mapping[str, object]) -> Run:
    """The state of a check at its beginning."""
    private_texts.look_again()
    return Run(
        namespace,
        evaluators=expressions.EVALUATORS | definitions.EVALUATORS,
        executors=_EXECUTORS | definitions.EXECUTORS,
    )


def check_statements(run: Run, body: list[ast.stmt], *, first_line: int = 1) -> None:
    """Look at statements whose first line is ``first_line`` in the cell."""
    run.first_line = first_line
    run.left, run.rounds = MAX_STATEMENTS, MAX_ROUNDS
    _notice(run, body)
    execute_block(run, body)


def _notice(run: Run, body: list[ast.stmt]) -> None:
    """Remember what may become a label."""
    for node in nodes_of(body):
        kind = type(node)
        if isinstance(node, ast.Call):
            run.stored.update(_registered(node))
        if isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            run.brings_modules |= owner == "subprocess" or bool({node.attr, f"{owner}.{node.attr}"} & _BRING_MODULES)
        if kind is not ast.Constant and kind is not ast.keyword and kind is not ast.JoinedStr:
            continue
        run.mentioned.update(mentioned_labels.words_in(node))
        if len(run.patterns) < mentioned_labels.MAX_PATTERNS:
            run.patterns.update(mentioned_labels.patterns_in(node))
        named = node.arg if isinstance(node, ast.keyword) else getattr(node, "value", None)
        if type(named) is str and named.isidentifier() and (kind is ast.Constant or "__" in named):
            run.options.add(named.rpartition("__")[2])
        if isinstance(node, ast.Constant) and type(node.value) is str and not node.value.isidentifier():
            run.note_path(node.value)


def _registered(node: ast.Call) -> list[str]:
    """The attribute that a decorator of pandas, polars or xarray gives their classes: ``register_dataframe_accessor("geo")``."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[ast.Constant(value=str(attribute)), *_]):
            return [attribute] if name.startswith("register_") and name.endswith(("_accessor", "_namespace")) else []
    return []


def _return(run: Run, node: ast.Return) -> bool:
    value = evaluate(run, node.value) if node.value is not None else Live(None)
    if run.returned and not isinstance(value, Recursion):
        run.returned[-1].append(value)
    return True


# --- Simple statements ---


def _assign(run: Run, node: ast.Assign) -> None:
    value = polars_expressions.named(run, node.value, evaluate(run, node.value))
    for target in node.targets:
        bind(run, target, value)


def _annotated(run: Run, node: ast.AnnAssign) -> None:
    value = evaluate(run, node.value) if node.value is not None else UNKNOWN
    with run.silence(when=run.late_annotations):
        evaluate(run, node.annotation)
    bind(run, node.target, value)


def _augmented(run: Run, node: ast.AugAssign) -> None:
    value = evaluate(run, node.value)
    target = node.target
    if isinstance(target, ast.Name):
        frame_columns.grows(run.look_up(target.id) or UNKNOWN)
        old = run.use(ast.copy_location(ast.Name(id=target.id, ctx=ast.Load()), target))
        plain = all(
            isinstance(v, Live | Of) and not frame_columns.is_frame(getattr(v, "kind", int)) for v in (old, value)
        )
        kept: Value = old if plain and isinstance(old, Of) and old.kind not in (int, float, list, tuple) else UNKNOWN
        if is_array(old):
            kept = combined(old, value, node.op)
        run.store(target.id, Of(str) if constant(old) is not NO_CONSTANT and type(constant(old)) is str else kept)
    elif isinstance(target, ast.Subscript):
        load = ast.copy_location(ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Load()), target)
        evaluate(run, load)
        for option in options_of(evaluate(run, target.value)):
            if option.table is not None:
                option.table.holds.clear()
    else:
        bind(run, target, UNKNOWN)


def _delete(run: Run, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            run.use(ast.copy_location(ast.Name(id=target.id, ctx=ast.Load()), target))
            if run.scope is run.module and run.journal is None and not run.quiet:
                run.scope.names.pop(target.id, None)
                run.removed.add(target.id)
            else:  # it may be there in another round of the loop, or before a cell above has run
                run.store(target.id, UNKNOWN)
        elif isinstance(target, ast.Subscript):
            _delete_item(run, target)
        else:
            evaluate(run, target)


def _delete_item(run: Run, target: ast.Subscript) -> None:
    owner = evaluate(run, target.value)
    index = evaluate(run, target.slice)
    for option in options_of(owner):
        if option.kind in (list, dict):
            option.forget_items()
        if frame_columns.is_frame(option.kind) and option.table is not None and option.table.columns is not None:
            run.absent_columns(named_columns.subscript_absent(target.slice, index, option.table), option.table)
            if run.journal is None and not run.delayed:
                option.table.columns.pop(constant(index), None)


def _global(run: Run, node: ast.Global | ast.Nonlocal) -> None:
    run.scope.globals_.update(node.names)
    for name in node.names:
        if isinstance(node, ast.Global):
            run.scope.names.pop(name, None)
            run.module.names.setdefault(name, UNKNOWN)


# --- Imports ---


def _import(run: Run, node: ast.Import) -> None:
    for alias in node.names:
        found = import_check.find_module(run, alias.name, alias)
        if alias.asname:
            run.store(alias.asname, found)
        else:
            top = alias.name.partition(".")[0]
            module = module_lookup.loaded(top)
            run.store(top, Live(module) if module is not None else UNKNOWN)
            if module is not None and "." in alias.name and module_lookup.loaded(alias.name) is None:
                run.stored.update(alias.name.split(".")[1:])


def _import_from(run: Run, node: ast.ImportFrom) -> None:
    name = node.module or ""
    if node.level or name == "__future__":
        for alias in node.names:
            run.store(alias.asname or alias.name, UNKNOWN)
            run.open_names = run.open_names or alias.name == "*"
            run.late_annotations = run.late_annotations or (not node.level and alias.name == "annotations")
        return
    found = import_check.find_module(run, name, node)
    for alias in node.names:
        if alias.name == "*":
            _star(run, found)
        else:
            run.store(alias.asname or alias.name, import_check.imported(run, found, name, alias))


def _star(run: Run, module: Value) -> None:
    names = None
    if isinstance(module, Live) and static_lookup.is_module(module.thing):
        names = module_lookup.public_names(module.thing)
    if names is None:
        run.open_names = True
        return
    for name in names:
        found = module_lookup.on_module(module.thing, name)  # type: ignore[attr-defined]
        known = found is not MISSING and found is not MAYBE
        run.store(name, frame_columns.live_value(found) if known else UNKNOWN)


# --- Blocks ---


def _if(run: Run, node: ast.If) -> bool:
    known = truth(evaluate(run, node.test))
    if known is not None and run.returned:
        return execute_block(run, node.body if known else node.orelse)
    if known is not None:
        _dead(run, node.orelse if known else node.body)
        return execute_block(run, node.body if known else node.orelse)
    with run.guarded_by(node.test), run.silence(when=_is_choice(run, node.test)):
        return _branches(run, node.body, node.orelse)


def _dead(run: Run, body: list[ast.stmt]) -> None:
    """Execute a block that can't run as far as is known: nothing is reported, but what it stores may be there."""
    with run.silence():
        _maybe(run, lambda: execute_block(run, body))


def _is_choice(run: Run, test: ast.expr) -> bool:
    """True if a condition asks an unknown parameter: then either branch may be for other arguments than these."""
    if not run.returned:
        return False
    names = (node.id for node in nodes_of([test]) if isinstance(node, ast.Name))
    return any(name in run.scope.parameters and isinstance(run.scope.names.get(name), Unknown) for name in names)


def _branches(run: Run, *bodies: list[ast.stmt]) -> bool:
    """Bodies of which at most one runs: names may have the values from before or from a body. Whether each body leaves the block."""
    scope = run.scope
    outer, outer_scope = run.journal, run.journal_scope
    before: dict[str, Value | None] = {}
    after: dict[str, list[Value]] = {}
    left = []
    for body in bodies:
        run.journal, run.journal_scope = {}, scope
        left.append(execute_block(run, body))
        for name, old in run.journal.items():
            before.setdefault(name, old)
            if not (left[-1] and run.returned):
                after.setdefault(name, []).append(scope.names.get(name, UNKNOWN))
            if old is None:
                scope.names.pop(name, None)
            else:
                scope.names[name] = old
    run.journal, run.journal_scope = outer, outer_scope
    for name, values in after.items():
        old = before[name]
        going_on = len(bodies) - (sum(left) if run.returned else 0)
        if old is not None and len(values) < going_on:
            values = [*values, old]
        elif old is None and len(values) < going_on and name in run.namespace and scope is run.module:
            values = [UNKNOWN]
        run.store(name, either(values))
    return all(left)


def _for(run: Run, node: ast.For | ast.AsyncFor) -> None:
    iterated = evaluate(run, node.iter)
    items = few_items(iterated)
    known = items is not None and isinstance(node, ast.For) and not _leaves_rounds(node.body)
    if items is not None and known and run.may_go_round(len(items)):
        for item in items:
            bind(run, node.target, item)
            execute_block(run, node.body)
        execute_block(run, node.orelse)
        return
    _loop_names(run, [*node.body, *node.orelse])
    target = element_of(iterated) if isinstance(node, ast.For) else UNKNOWN

    def body() -> None:
        bind(run, node.target, target)
        execute_block(run, node.body)

    with run.silence(when=isinstance(iterated, Of) and iterated.items == ()):
        _maybe(run, body)
    _maybe(run, lambda: execute_block(run, node.orelse))
    for name in nodes_of([node.target]):
        if isinstance(name, ast.Name) and name.id not in run.scope.names:
            run.store(name.id, UNKNOWN)


def _while(run: Run, node: ast.While) -> None:
    _loop_names(run, [*node.body, *node.orelse])
    never = truth(evaluate(run, node.test)) is False
    with run.guarded_by(node.test), run.silence(when=never):
        _maybe(run, lambda: execute_block(run, node.body))
    _maybe(run, lambda: execute_block(run, node.orelse))


def _maybe(run: Run, body: Callable[[], object]) -> None:
    """A body that may run or not."""
    scope = run.scope
    outer, outer_scope = run.journal, run.journal_scope
    run.journal, run.journal_scope = {}, scope
    body()
    journal, run.journal, run.journal_scope = run.journal, outer, outer_scope
    for name, old in journal.items():
        value = scope.names.get(name, UNKNOWN)
        if run.journal is not None and scope is outer_scope:
            run.journal.setdefault(name, old)
        scope.names[name] = value if old is None else either([old, value])


def _loop_names(run: Run, body: list[ast.stmt]) -> None:
    """Forget what a loop stores: at its beginning an earlier round may have stored it."""
    for node in nodes_of(body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in run.scope.names:
            run.store(node.id, UNKNOWN)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            run.labels.update([key] if type(key) is str else [])


def _with(run: Run, node: ast.With | ast.AsyncWith) -> None:
    catches = False
    for item in node.items:
        evaluate(run, item.context_expr)
        catches = catches or not _CATCHES.isdisjoint(map(last_name, nodes_of([item.context_expr])))
        if item.optional_vars is not None:
            bind(run, item.optional_vars, UNKNOWN)
    with run.silence(when=catches):
        execute_block(run, node.body)


def _try(run: Run, node: ast.Try | ast.TryStar) -> None:
    with run.silence(when=bool(node.handlers)):
        _maybe(run, lambda: execute_block(run, node.body))
    for handler in node.handlers:
        if handler.type is not None:
            evaluate(run, handler.type)
        _maybe(run, partial(_handler, run, handler))
    _maybe(run, lambda: execute_block(run, node.orelse))
    execute_block(run, node.finalbody)


def _handler(run: Run, handler: ast.ExceptHandler) -> None:
    if handler.name:
        run.store(handler.name, UNKNOWN)
    execute_block(run, handler.body)


def _match(run: Run, node: ast.Match) -> None:
    evaluate(run, node.subject)
    for case in node.cases:
        for part in ast.walk(case.pattern):
            name = getattr(part, "name", None) or getattr(part, "rest", None)
            if type(name) is str:
                run.store(name, UNKNOWN)
        if case.guard is not None:
            evaluate(run, case.guard)
        with run.silence():
            _maybe(run, partial(execute_block, run, case.body))


def _leaves_rounds(body: list[ast.stmt]) -> bool:
    """True if a round of a loop may end before its end."""
    leaving = (ast.Break, ast.Continue, ast.Return)
    return any(isinstance(node, leaving) for node in nodes_of(body))


_EXECUTORS: dict[type, Executor] = {
    ast.Return: _return,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Delete: _delete,
    ast.Global: _global,
    ast.Nonlocal: _global,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
}
