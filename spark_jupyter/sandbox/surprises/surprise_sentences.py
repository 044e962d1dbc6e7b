"""Sentences for sightings, made in the kernel.

A copy in which anything may have run has no say in the words.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from spark_jupyter.protocol.values import Surprise
from spark_jupyter.sandbox.copy_protocol import Sighting
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import body_of

if TYPE_CHECKING:
    from spark_jupyter.sandbox.surprises.surprise_rule import Rule

MOST = 8
"""Of one cell."""
NAMED = 2
"""Names in a reason for a model."""
CHOICES = 8
"""So many names of a cell, its first ones, may stand in a reason."""
REASONS = 2
"""Reasons of all cells of an answer that ran together."""
_WORD = re.compile(r"[^\W\d]\w{0,59}")


def surprises_of(sightings: Iterable[Sighting]) -> tuple[Surprise, ...]:
    """The sightings in our words. Of what no rule would have said nothing is left."""
    return tuple(dict.fromkeys(surprise for _, _, surprise in _known(sightings)))


def reasons_for_model(sightings: Iterable[Sighting], source: str) -> tuple[str, ...]:
    """The same as the model may know it that wrote ``source``: what such a surprise is in general, and which names of its own that is
    about. Every other name or number is the user's data, or what the code in the copy would have the model read.

    Which rules and names a copy tells is a message of its own. So the names come in the order of the source, at most :data:`NAMED` of
    its first :data:`CHOICES`, and at most :data:`REASONS` in the order of the rules, each once. SECURITY.md states how much that is."""
    words = _names(source)
    said: dict[str, str] = {}
    for rule, sighting, _ in sorted(_known(sightings), key=lambda one: one[0].id):
        names = [f"`{name}`" for name in words if name in sighting.names][:NAMED]
        about = f" ({', '.join(names)})" if names else ""
        said.setdefault(rule.id, f"{rule.tells.removesuffix('.')}{about}. {rule.remedy}")
    return tuple(said.values())[:REASONS]


def _names(source: str) -> list[str]:
    """The first variables and texts of a source."""
    body = body_of(python_only(source))
    nodes = [node for one in body for node in ast.walk(one) if isinstance(node, ast.Name | ast.Constant)]
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    words = [str(node.id if isinstance(node, ast.Name) else node.value) for node in nodes]
    return list(dict.fromkeys(word for word in words if _WORD.fullmatch(word)))[:CHOICES]


def _known(sightings: Iterable[Sighting]) -> list[tuple[Rule, Sighting, Surprise]]:
    """Those that a rule would have said."""
    from spark_jupyter.sandbox.surprises.rules import RULES  # not needed before the first copy

    known = [one for one in sightings if one.rule in RULES and all(map(math.isfinite, one.numbers))]
    said = [(RULES[one.rule], one, _worded(RULES[one.rule], one)) for one in known[:MOST]]
    return [(rule, sighting, surprise) for rule, sighting, surprise in said if surprise is not None]


def _worded(rule: Rule, sighting: Sighting) -> Surprise | None:
    try:
        return Surprise(rule=rule.id, message=rule.says(sighting), remedy=rule.remedy)
    except (IndexError, ValueError, OverflowError):
        return None  # forged: a rule's own sighting has all that its sentence needs
