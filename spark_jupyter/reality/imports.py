"""Imports: the modules that a cell asks for, and the names out of them."""

from __future__ import annotations

import ast

from spark_jupyter.reality import lookup, modules, replaced, report, signatures, tables
from spark_jupyter.reality.lookup import MAYBE, MISSING
from spark_jupyter.reality.report import Rule
from spark_jupyter.reality.run import Run
from spark_jupyter.reality.values import UNKNOWN, Live, Value


def find_module(run: Run, name: str, node: ast.AST) -> Value:
    """The module that an import names; reported where there is none."""
    module = modules.loaded(name)
    if module is not None:
        return Live(module)
    if run.installed_something and not modules.exists(name.partition(".")[0]):
        return UNKNOWN
    if modules.exists(name):
        run.unloaded[name] = None
        return UNKNOWN
    if not run.quiet:
        _report_module(run, name, node)
    return UNKNOWN


def _report_module(run: Run, name: str, node: ast.AST) -> None:
    top, _, rest = name.partition(".")
    known = modules.known_names()
    if rest and modules.exists(top):
        parent = modules.loaded(name.rpartition(".")[0])
        names = lookup.names_of(parent) if parent is not None else []
        close = report.nearest(name.rpartition(".")[2], names)
        remedy = report.did_you_mean(f"{name.rpartition('.')[0]}.{close}" if close else None)
    else:
        close = report.nearest(top, known)
        remedy = report.did_you_mean(close if close != top else None)
        if not remedy:
            remedy = f"If it is what you want, install it first: `%pip install {modules.DISTRIBUTIONS.get(top, top)}`."
    run.say(Rule.MISSING_MODULE, f"There is no module `{name}` here.", node, remedy=remedy, wrong=name)


def imported(run: Run, module: Value, name: str, alias: ast.alias) -> Value:
    """What ``from module import name`` brings."""
    if not isinstance(module, Live) or not lookup.is_module(module.thing):
        return UNKNOWN
    found = modules.on_module(module.thing, alias.name)
    if found is MISSING and modules.exists(f"{name}.{alias.name}"):
        found = MAYBE
    if found is MAYBE:
        return UNKNOWN
    if found is not MISSING:
        return tables.live_value(found)
    if alias.name not in run.stored:
        names = lookup.names_of(module.thing)
        instead = replaced.name(lookup.root(name), alias.name)
        close = report.nearest(alias.name, names)
        text = signatures.signature_text(lookup.module_dict(module.thing).get(close), close) if close else ""
        message = f"Module `{name}` has no `{alias.name}` to import."
        remedy = instead or report.did_you_mean(close, signature=text)
        run.say(Rule.MISSING_ATTRIBUTE, message, alias, remedy=remedy, wrong=alias.name, meant=close)
    return UNKNOWN
