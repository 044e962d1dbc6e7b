"""Severity of each rule.

It comes from the user's own configuration, never from a notebook.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from spark_jupyter.protocol.values import Severity


class Policy(Struct, frozen=True):
    """``severities`` maps a rule's id (or ``"all"``) to the severity that it has at most: nothing can be switched off."""

    severities: dict[str, Severity] = {}

    def severity(self, rule: str, own: Severity) -> Severity:
        """Severity of a finding with the rule's ``own`` severity."""
        if own != "block" or not self.severities:
            return own
        return self.severities.get(rule, self.severities.get("all", own))


DEFAULT: Final = Policy()
