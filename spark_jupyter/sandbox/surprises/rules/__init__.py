"""Registry of surprise rules, one a file.

Each module here without a leading underscore has a rule as its ``RULE``.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from spark_jupyter.sandbox.surprises.surprise_rule import Rule

RULES: Final[dict[str, Rule]] = {
    rule.id: rule
    for name in sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))
    if (rule := import_module(f"{__name__}.{name}").RULE)
}
