"""What only the user's own configuration may say: how severe the guardrail's rules are.

``spark_jupyter/guardrail.toml`` in a Jupyter config directory::

    [severities]
    weak-hash = "warn"     # this rule may no longer block; "all" stands for every rule

Nothing can be switched off, and a notebook has no say: it is not read from ``%config``, which code in a notebook could set.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.wire.values import Severity

FILE_NAME = "guardrail.toml"


def severities(config_directories: Iterable[str | Path]) -> dict[str, Severity]:
    """The severities that the user chose; the first directory (the user's own) counts most.

    Raises :class:`~spark_jupyter.exceptions.ConfigurationError` for a file that can't be read or says something else.
    """
    chosen: dict[str, Severity] = {}
    for directory in reversed([Path(each) for each in config_directories]):
        chosen.update(_read(directory / "spark_jupyter" / FILE_NAME))
    return chosen


def _read(file: Path) -> dict[str, Severity]:
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
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
    return dict.fromkeys(rules, "warn")
