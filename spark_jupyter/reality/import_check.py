"""Check of imports: modules and names in them."""

from __future__ import annotations

import ast

from spark_jupyter.reality import (
    edited_modules,
    findings,
    frame_columns,
    module_lookup,
    removed_names,
    signatures,
    static_lookup,
)
from spark_jupyter.reality.abstract_values import UNKNOWN, Live, Value
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.findings import Rule
from spark_jupyter.reality.static_lookup import MAYBE, MISSING


def find_module(run: Run, name: str, node: ast.AST) -> Value:
    """The module that an import names; reported where there is none."""
    module = module_lookup.loaded(name)
    if module is not None:
        return Live(module)
    top = name.partition(".")[0]
    if run.may_write(top) and not module_lookup.exists(top):
        return UNKNOWN
    if module_lookup.exists(name):
        run.unloaded[name] = None
        return UNKNOWN
    if not run.quiet:
        _report_module(run, name, node)
    return UNKNOWN


def _report_module(run: Run, name: str, node: ast.AST) -> None:
    top, _, rest = name.partition(".")
    known = module_lookup.known_names()
    if rest and module_lookup.exists(top):
        parent = module_lookup.loaded(name.rpartition(".")[0])
        names = static_lookup.names_of(parent) if parent is not None else []
        close = findings.nearest(name.rpartition(".")[2], names)
        remedy = findings.did_you_mean(f"{name.rpartition('.')[0]}.{close}" if close else None)
    else:
        close = findings.nearest(top, known)
        remedy = findings.did_you_mean(close if close != top else None)
        if not remedy:
            remedy = (
                f"If it is what you want, install it first: `%pip install {module_lookup.DISTRIBUTIONS.get(top, top)}`."
            )
    run.say(Rule.MISSING_MODULE, f"There is no module `{name}` here.", node, remedy=remedy, wrong=name)


def imported(run: Run, module: Value, name: str, alias: ast.alias) -> Value:
    """The value of ``from module import name``."""
    if not isinstance(module, Live) or not static_lookup.is_module(module.thing):
        return UNKNOWN
    found = module_lookup.on_module(module.thing, alias.name)
    if found is MISSING and module_lookup.exists(f"{name}.{alias.name}"):
        found = MAYBE
    if found is MAYBE or (found is MISSING and edited_modules.binds(module.thing, alias.name)):
        return UNKNOWN
    if found is not MISSING:
        return frame_columns.live_value(found)
    if alias.name not in run.stored:
        names = static_lookup.names_of(module.thing)
        instead = removed_names.name(static_lookup.root(name), alias.name)
        close = findings.nearest(alias.name, names)
        text = signatures.signature_text(static_lookup.module_dict(module.thing).get(close), close) if close else ""
        message = f"Module `{name}` has no `{alias.name}` to import."
        remedy = instead or findings.did_you_mean(close, signature=text)
        run.say(Rule.MISSING_ATTRIBUTE, message, alias, remedy=remedy, wrong=alias.name, meant=close)
    return UNKNOWN
