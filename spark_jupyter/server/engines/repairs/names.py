"""Repairs of NameError."""

from __future__ import annotations

import ast
import builtins
import keyword
import re

from spark_jupyter.server.engines import rewrite, scope
from spark_jupyter.server.engines.repairs.base import KNOWN, Failure, Repair, nearest, quoted_names, with_import
from spark_jupyter.server.engines.rewrite import Change
from spark_jupyter.source.changed_names import bound_by

_OTHER_LANGUAGES: dict[str, str] = KNOWN["other_languages"]
USUAL_IMPORTS: dict[str, str] = KNOWN["imports"]
IMPORTS = {
    **{name: f"import {name}" for name in KNOWN["standard_modules"].split()},
    **{name: f"from {home} import {name}" for home, names in KNOWN["imported_from"].items() for name in names.split()},
    **USUAL_IMPORTS,
}
"""Name → the line that imports it."""


def name_error(failure: Failure) -> Repair | None:
    """An import, the near name, or what Python calls it."""
    names = quoted_names(failure.message)
    if not names:
        return None
    name = names[0]
    if name in _OTHER_LANGUAGES and not (name in IMPORTS and re.search(rf"\b{name}\.", failure.source)):
        return _translated(failure, name, f"Python writes `{_OTHER_LANGUAGES[name]}` for `{name}`.")
    here = _names_in(failure)
    if name in IMPORTS:
        missing = [name, *_other_imports(failure, name, here)]
        source = failure.source
        for one in reversed(missing):
            source = with_import(source, IMPORTS[one])
        listed = " and ".join(f"`{one}`" for one in missing)
        return Repair(f"{listed} {'was' if len(missing) == 1 else 'were'} not imported.", source)
    where = next((source for source in failure.earlier if name in _defined(source)), None)
    if where is not None:
        return Repair(
            f"`{name}` is defined in another cell, which has not run since the kernel started. Run that one first."
        )
    near = nearest(name, [*failure.namespace.names, *here, *names[1:]]) or nearest(name, dir(builtins), least=80)
    near = near or nearest(name, [other for other in IMPORTS if len(other) > 3], least=85)
    if near is None:
        says = f"`{name}` is not defined anywhere that I can see."
        return Repair(f"{says} Define it before this line, or put it in quotes if it is text.")
    repair = _renamed(failure, name, near, f"There is no `{name}`; `{near}` is near it.")
    if repair.source and near in IMPORTS and near not in here and near not in failure.namespace.names:
        return Repair(repair.says, with_import(repair.source, IMPORTS[near]))
    return repair


def _translated(failure: Failure, name: str, says: str) -> Repair:
    """The cell with this and, where it is a value such as ``true``, the other such values written in Python's way."""
    values = {"true", "false", "null", "none", "nil", "TRUE", "FALSE", "NULL"} if name.lower() in _VALUES else {name}
    changes = [Change(token=one, new=_OTHER_LANGUAGES[one]) for one in sorted(values)]
    return Repair(says, rewrite.rewrite(failure.source, changes) if failure.tree() is not None else None)


_VALUES = frozenset({"true", "false", "null", "none", "nil"})


def _other_imports(failure: Failure, name: str, here: set[str]) -> list[str]:
    """Other usual modules that the cell uses and nobody has imported: the next run would fail for them."""
    if failure.tree() is None:
        return []
    known = failure.namespace.names | here | {name}
    return sorted(
        one
        for one in scope.names(re.sub(r"(?m)^\s*[%!].*$", "", failure.source)).needed & USUAL_IMPORTS.keys()
        if one not in known
    )


def _renamed(failure: Failure, old: str, new: str, says: str) -> Repair:
    if failure.tree() is None:
        return Repair(says)
    return Repair(says, rewrite.rewrite(failure.source, [Change(token=old, new=new)]))


def _names_in(failure: Failure) -> set[str]:
    parameters = (node.arg for node in failure.walk() if isinstance(node, ast.arg))
    return {*bound_by(failure.walk()), *parameters, *keyword.kwlist[:3]}


def _defined(source: str) -> frozenset[str]:
    try:
        return scope.names(re.sub(r"(?m)^\s*[%!].*$", "pass", source)).defined
    except (SyntaxError, ValueError):
        return frozenset()
