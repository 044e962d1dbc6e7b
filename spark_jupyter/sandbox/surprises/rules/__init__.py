"""Registry of surprise rules, one a file.

Each module here without a leading underscore has a rule as its ``RULE``; plug-ins (:mod:`spark_jupyter.plugins`) come behind them.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from msgspec import structs

from spark_jupyter.plugins import load_plugins, report_fault
from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.sandbox.surprises.surprise_rule import Rule

_OWN: Final[dict[str, Rule]] = {
    rule.id: rule
    for name in sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))
    if (rule := import_module(f"{__name__}.{name}").RULE)
}


def _rule(name: str, found: object) -> Rule:
    if not isinstance(found, Rule) or found.id != name:
        raise TypeError("it is no spark_jupyter.sandbox.surprises.surprise_rule.Rule with the name of its entry point")
    return found


def _harmless(rule: Rule, package: str) -> Rule:
    """The rule, whose sentence is left out where making it fails; detection.py leaves out what it sees then."""

    def says(sighting: Sighting) -> str:
        try:
            return str(rule.says(sighting))
        except (IndexError, ValueError, OverflowError):
            raise
        except Exception as error:
            report_fault("surprises", rule.id, package, error)
            raise ValueError(str(error)) from error

    return structs.replace(rule, says=says)


_PLUGINS: Final = load_plugins("surprises", _rule, taken=_OWN)
RULES: Final[dict[str, Rule]] = {**_OWN, **{name: _harmless(rule, by) for name, (by, rule) in _PLUGINS.items()}}
