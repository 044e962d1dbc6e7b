"""What is said of an attribute that is missing: of what, and which one is nearest."""

from __future__ import annotations

import ast

from spark_jupyter.protocol.values import Severity
from spark_jupyter.reality import lookup, replaced, report, signatures
from spark_jupyter.reality.lookup import class_module, class_name
from spark_jupyter.reality.report import Rule
from spark_jupyter.reality.run import Run
from spark_jupyter.reality.values import Bound, Live, Of, Value, is_guess
from spark_jupyter.reality.written import Instance, WrittenClass


def report_missing(run: Run, owner: Value, node: ast.Attribute, *, certain: bool) -> None:
    if run.quiet:
        return
    name = node.attr
    column = (node.end_col_offset or 0) - len(name.encode())
    thing = owner.thing if isinstance(owner, Live) else None
    if isinstance(owner, Bound):
        message = f"`{owner.name}` is a method; it has no attribute `{name}`. Is `()` missing?"
        run.say(Rule.MISSING_ATTRIBUTE, message, node, column=column)
        return
    if isinstance(owner, Instance | WrittenClass):
        _report_written(run, owner, node, column)
        return
    where = thing if (lookup.is_class(thing) or lookup.is_module(thing)) else type(thing) if thing is not None else None
    if isinstance(owner, Of):
        where = owner.kind
    names = lookup.names_of(where)
    if lookup.is_class(where) and not isinstance(owner, Live):
        names += [stored for stored in lookup.stored_names(where) if not stored.startswith("_")]
    table = owner.table if isinstance(owner, Of) else None
    if table is not None:
        names += [column_name for column_name in table.columns or () if type(column_name) is str]
    close = report.nearest(name, names)
    remedy = replaced.name(_library_of(where), name) or report.did_you_mean(
        close, signature=_signature_of(where, close)
    )
    message = f"{_words_for(owner, where)} has no attribute `{name}`."
    severity: Severity = "block" if (certain or isinstance(owner, Of)) and not is_guess(owner) else "warn"
    run.say(
        Rule.MISSING_ATTRIBUTE,
        message,
        node,
        remedy=remedy,
        severity=severity,
        column=column,
        wrong=name,
        meant=close,
    )


def _library_of(where: object) -> str:
    if lookup.is_module(where):
        return lookup.root(str(lookup.module_dict(where).get("__name__", "")))
    return lookup.root(class_module(where)) if lookup.is_class(where) else ""


def _report_written(run: Run, owner: Instance | WrittenClass, node: ast.Attribute, column: int) -> None:
    kind = owner.made_by if isinstance(owner, Instance) else owner
    own = owner.attributes if isinstance(owner, Instance) else ()
    names = [name for name in (*own, *kind.members) if not name.startswith("_")]
    close = report.nearest(node.attr, names)
    message = f"`{kind.name}` has no attribute `{node.attr}`."
    remedy = report.did_you_mean(close)
    run.say(Rule.MISSING_ATTRIBUTE, message, node, remedy=remedy, column=column, wrong=node.attr, meant=close)


def _signature_of(where: object, name: str | None) -> str:
    if name is None:
        return ""
    if lookup.is_module(where):
        return signatures.signature_text(lookup.module_dict(where).get(name), name)
    found = lookup.in_class(where, name) if lookup.is_class(where) else None
    return signatures.signature_text(found, name, skip=1) if type(found) in lookup.METHOD_KINDS else ""


def _words_for(owner: Value, where: object) -> str:
    if lookup.is_module(where):
        return f"Module `{lookup.module_dict(where).get('__name__', '?')}`"
    if lookup.is_class(where):
        kind = class_name(where)
        return f"Class `{kind}`" if isinstance(owner, Live) and owner.thing is where else f"`{kind}`"
    return "The object"
