"""Security rules, one a file, each named after its id.

Every module of this folder has a :class:`~spark_jupyter.guardrail.rule.Rule` as its ``RULE``; names that begin with an underscore hold what
several rules share. Plug-ins (:mod:`spark_jupyter.plugins`) come behind them; a check of theirs that raises is silent from then on.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from spark_jupyter.guardrail.plugin_rules import harmless, own_rule
from spark_jupyter.guardrail.rulebook import Rulebook
from spark_jupyter.plugins import load_plugins

MODULES: Final = [
    import_module(f"{__name__}.{name}")
    for name in sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))
]
_OWN: Final = [module.RULE for module in MODULES]
_PLUGINS: Final = load_plugins("rules", own_rule, taken={rule.id for rule in _OWN})
RULES: Final = Rulebook([*_OWN, *(harmless(rule, package) for package, rule in _PLUGINS.values())])


def why(rule_id: str) -> str:
    """Docstring of a rule's module."""
    return next((module.__doc__ or "" for module in MODULES if rule_id == module.RULE.id), "")
