"""The user's own choice of severities for the guardrail's rules.

``spark_jupyter/guardrail.toml`` in a Jupyter config directory::

    [severities]
    weak-hash = "warn"     # this rule may no longer block; "all" stands for every rule

Nothing can be switched off, and a notebook has no say: it is not read from ``%config``, which code in a notebook could set.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Collection, Iterable
from pathlib import Path

from spark_jupyter.config_files import read_config
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.values import Severity

FILE_NAME = "guardrail.toml"


def severities(config_directories: Iterable[str | Path]) -> dict[str, Severity]:
    """The severities that the user chose; the first directory (the user's own) counts most.

    Raises :class:`~spark_jupyter.exceptions.ConfigurationError` for a file that can't be read, says something else, or names
    a rule that there is not.
    """
    chosen: dict[str, Severity] = {}
    for directory in reversed([Path(each) for each in config_directories]):
        chosen.update(_read(directory / "spark_jupyter" / FILE_NAME))
    return chosen


def _read(file: Path) -> dict[str, Severity]:
    try:
        tables = tomllib.loads(read_config(file) or "")
    except ValueError as error:
        raise ConfigurationError(f"{file} can't be read: {error}.", remedy="Correct or remove it.") from None
    rules = tables.get("severities", {})
    if set(tables) - {"severities"} or not isinstance(rules, dict):
        raise ConfigurationError(f"{file} may only have the table [severities].", remedy="Remove the rest.")
    for rule, severity in rules.items():
        if severity != "warn":
            raise ConfigurationError(
                f"{file}: {rule} can't be {severity!r}.",
                remedy='The only choice is "warn"; leave the rule out to keep it.',
            )
    if (unknown := unknown_rules(rules, said=f"what {file} says of it")) is not None:
        raise unknown
    return dict.fromkeys(rules, "warn")


def unknown_rules(names: Collection[str], *, said: str) -> ConfigurationError | None:
    """Error about unknown names of rules that may only warn, each with the nearest known one. ``said`` is who named them. Names of other
    tools' rules (``bandit:B602``) are theirs to know."""
    if not names:
        return None
    from spark_jupyter.guardrail.rules import RULES  # off the path of %load_ext
    from spark_jupyter.guardrail.syntax_check import RULE, UNREAD
    from spark_jupyter.reality.findings import Rule

    known = sorted({"all", "detect-secrets", RULE, UNREAD, *RULES.by_id, *Rule})
    unknown = [name for name in names if name not in known and ":" not in name]
    if not unknown:
        return None
    near = [found[0] for name in unknown if (found := difflib.get_close_matches(name, known, n=1))]
    meant = f"Perhaps you meant {', '.join(near)}; " if near else ""
    return ConfigurationError(
        f"The guardrail has no rule of the name {', '.join(unknown)}, so {said} changes nothing.",
        remedy=f"{meant}every finding says its rule's name, and docs/rules has all of them.",
    )
