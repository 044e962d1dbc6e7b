"""Messages for missing attributes, with the nearest name."""

from __future__ import annotations

import ast
import enum

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.protocol.values import Severity
from spark_jupyter.reality import column_accessors, edited_modules, findings, removed_names, signatures, static_lookup
from spark_jupyter.reality.abstract_values import Bound, Live, Of, Value, is_guess
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.findings import Rule
from spark_jupyter.reality.object_dicts import own_dict
from spark_jupyter.reality.source_definitions import Instance, WrittenClass
from spark_jupyter.reality.static_lookup import class_module, class_name


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
    if (refused := column_accessors.refused(run, owner, name)) is not None:
        run.say(Rule.MISSING_ATTRIBUTE, refused[0], node, remedy=refused[1], column=column)
        return
    if isinstance(owner, Instance | WrittenClass):
        _report_written(run, owner, node, column)
        return
    where = (
        thing
        if (static_lookup.is_class(thing) or static_lookup.is_module(thing))
        else type(thing)
        if thing is not None
        else None
    )
    if isinstance(owner, Of):
        where = owner.kind
    if edited_modules.binds(where, name):
        return
    names = static_lookup.names_of(where)
    table = owner.table if isinstance(owner, Of) else None
    if static_lookup.is_class(where) and not isinstance(owner, Live) and table is None:
        names += [stored for stored in static_lookup.stored_names(where) if not stored.startswith("_")]
    names += _held_names(owner)
    if table is not None:
        names += [column_name for column_name in table.columns or () if type(column_name) is str]
    close = findings.nearest(name, names)
    remedy = (
        _replacement(where, name)
        or _after_collect(where, name)
        or findings.did_you_mean(close, signature=_signature_of(where, close))
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


def _replacement(where: object, name: str) -> str:
    """The remedy for a name that the library no longer has, where this class has what stands for it now."""
    library = _library_of(where)
    now = removed_names.replacement(library, name)
    lacks = (
        static_lookup.is_class(where)
        and now.isidentifier()
        and static_lookup.in_class(where, now) is static_lookup.MISSING
    )
    return "" if lacks else removed_names.name(library, name)


def _held_names(owner: Value) -> list[str]:
    """Names that this object has of its own: members of an enumeration, keys that are attributes, attributes."""
    if isinstance(owner, Of):
        return [key for key in owner.keys or () if type(key) is str]
    thing = owner.thing if isinstance(owner, Live) else None
    if type(thing) is enum.EnumMeta:
        return list(static_lookup.members_of(thing))
    own = own_dict(thing) if isinstance(owner, Live) and not static_lookup.is_class(thing) else None
    return [key for key in list(own or ()) if type(key) is str and not key.startswith("_")]


def _after_collect(where: object, name: str) -> str:
    """The remedy for an attribute that polars' DataFrame has and its LazyFrame has not."""
    frame = loaded_class("polars", "DataFrame")
    if frame is None or where is not loaded_class("polars", "LazyFrame"):
        return ""
    has = static_lookup.in_class(frame, name) is not static_lookup.MISSING
    return "A LazyFrame has no rows yet: write `.collect()` before it." if has else ""


def _library_of(where: object) -> str:
    if static_lookup.is_module(where):
        return static_lookup.root(str(static_lookup.module_dict(where).get("__name__", "")))
    return static_lookup.root(class_module(where)) if static_lookup.is_class(where) else ""


def _report_written(run: Run, owner: Instance | WrittenClass, node: ast.Attribute, column: int) -> None:
    kind = owner.made_by if isinstance(owner, Instance) else owner
    own = owner.attributes if isinstance(owner, Instance) else ()
    names = [name for name in (*own, *kind.members) if not name.startswith("_")]
    close = findings.nearest(node.attr, names)
    message = f"`{kind.name}` has no attribute `{node.attr}`."
    remedy = findings.did_you_mean(close)
    run.say(Rule.MISSING_ATTRIBUTE, message, node, remedy=remedy, column=column, wrong=node.attr, meant=close)


def _signature_of(where: object, name: str | None) -> str:
    if name is None:
        return ""
    if static_lookup.is_module(where):
        return signatures.signature_text(static_lookup.module_dict(where).get(name), name)
    found = static_lookup.in_class(where, name) if static_lookup.is_class(where) else None
    return signatures.signature_text(found, name, skip=1) if type(found) in static_lookup.METHOD_KINDS else ""


def _words_for(owner: Value, where: object) -> str:
    if static_lookup.is_module(where):
        return f"Module `{static_lookup.module_dict(where).get('__name__', '?')}`"
    if static_lookup.is_class(where):
        kind = class_name(where)
        return f"Class `{kind}`" if isinstance(owner, Live) and owner.thing is where else f"`{kind}`"
    return "The object"
