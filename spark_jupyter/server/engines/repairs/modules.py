"""Repairs of ModuleNotFoundError."""

from __future__ import annotations

import re
import sys

from spark_jupyter.server.engines.repairs.base import KNOWN, Failure, Repair, nearest, quoted_names

_PACKAGE_OF: dict[str, str] = KNOWN["package_of"]
_PACKAGES: list[str] = KNOWN["packages"].split()
_STANDARD: list[str] = KNOWN["standard_modules"].split()
_SUBMODULES: dict[str, str] = KNOWN["submodules"]


def module_not_found(failure: Failure) -> Repair | None:
    """``%pip install`` with the package's own name; a slip in the module's name is corrected instead."""
    names = quoted_names(failure.message)
    if not names:
        return None
    module = names[0]
    top = module.partition(".")[0]
    package = _PACKAGE_OF.get(module) or _PACKAGE_OF.get(top) or (top if top in _PACKAGES else None)
    if new := KNOWN["renamed_modules"].get(module):
        return _in_source(failure, module, new, f"`{module}` is `{new}` now.")
    if "." in module and module not in _PACKAGE_OF:
        return _no_submodule(failure, module)
    if package:
        says = f"`{top}` is not installed here. Its package is called `{package}`; restart the kernel if the import still fails."
        return Repair(says, f"%pip install {package}\n{failure.source}".rstrip("\n"))
    if top in sys.stdlib_module_names:
        return Repair(f"`{module}` is no module of this Python: `{top}` is, without what follows it.")
    near = nearest(top, [*_STANDARD, *_PACKAGES, *_PACKAGE_OF], least=75)
    if near:
        return _in_source(failure, top, near, f"There is no module `{top}`; `{near}` is near it.")
    return Repair(
        f"`{module}` is not installed, and I do not know which package it comes from. Look it up before you install anything: "
        "a package of the same name need not be the one that is meant. If it is a file of your own, check the folder."
    )


def _no_submodule(failure: Failure, module: str) -> Repair:
    """The package is there, or it would be named without what follows it: nothing is to be installed."""
    package, _, name = module.rpartition(".")
    near = nearest(name, _SUBMODULES.get(package, "").split(), least=75)
    if near is None:
        return Repair(
            f"`{package}` is there, but it has no module `{name}`: see its documentation for where that is now."
        )
    says = f"`{package}` has no module `{name}`; `{near}` is near it."
    return _in_source(failure, module, f"{package}.{near}", says)


def _in_source(failure: Failure, old: str, new: str, says: str) -> Repair:
    pattern = rf"(?m)^(\s*(?:import|from)\s+(?:[\w., ]+,\s*)?){re.escape(old)}\b"
    changed = re.sub(pattern, rf"\g<1>{new}", failure.source)
    return Repair(says, changed if changed != failure.source else None)
