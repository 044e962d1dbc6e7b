"""Repairs of a failing cell, one file for each error family."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from spark_jupyter.server.engines.repairs import attributes, lookups, modules, names, syntax, type_errors, value_errors
from spark_jupyter.server.engines.repairs.base import Failure, Repair, read_failure
from spark_jupyter.source.python_parser import tree_of

__all__ = ["REPAIRS", "Failure", "Repair", "read_failure", "repair"]

REPAIRS: Mapping[str, Callable[[Failure], Repair | None]] = {
    "NameError": names.name_error,
    "KeyError": lookups.key_error,
    "IndexError": lookups.index_error,
    "AttributeError": attributes.attribute_error,
    "ModuleNotFoundError": modules.module_not_found,
    "TypeError": type_errors.type_error,
    "ValueError": value_errors.value_error,
    "FileNotFoundError": value_errors.file_not_found,
    **dict.fromkeys(("SyntaxError", "IndentationError", "TabError"), syntax.syntax_error),
}


def repair(failure: Failure) -> Repair | None:
    """A repair or advice for the failure, None where there is none. What it proposes parses and differs from what was."""
    repairer = REPAIRS.get(failure.type)
    found = repairer(failure) if repairer else None
    if found is None or found.source is None:
        return found
    if tree_of(re.sub(r"(?m)^(\s*)[%!]", r"\1#", found.source)) is None:
        return Repair(found.says)
    return found if found.source.strip() != failure.source.strip() else Repair(found.says)
