"""The table of all verbs of ``%spark``, and its use."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from spark_jupyter.ui.magics import (
    agent_verbs,
    conversation_verbs,
    deep_verbs,
    image_verbs,
    moment_verbs,
    proposal_verbs,
    refactoring_verbs,
    session_verbs,
    suggestion_verbs,
    turn_verbs,
)
from spark_jupyter.ui.magics.verb_table import verbs_of
from spark_jupyter.ui.plugin_commands import plugin_verbs
from spark_jupyter.ui.text.magic_line import MagicLine, help_text, parse, verb_help

if TYPE_CHECKING:
    from spark_jupyter.ui.magics.verb_table import Do
    from spark_jupyter.ui.pair import Pair

VERBS = verbs_of(
    turn_verbs,
    conversation_verbs,
    proposal_verbs,
    moment_verbs,
    session_verbs,
    suggestion_verbs,
    refactoring_verbs,
    deep_verbs,
    image_verbs,
    agent_verbs,
)
VERBS |= plugin_verbs(taken=tuple(VERBS))


def full_help() -> str:
    """The text of ``%spark?``. Where Apache Spark is installed, it calls the magic ``%pair``: the other name means that one there."""
    text = help_text(VERBS)
    return text.replace("%spark", "%pair") if find_spec("pyspark") is not None else text


def find(line: str, cell: str | None = None) -> tuple[Do, MagicLine]:
    """The function behind the words after ``%spark``, and the parsed line that it takes; ``cell`` is the text below ``%%spark``.

    Raises a :class:`~spark_jupyter.exceptions.SparkError` for a line that is none.
    """
    parsed = parse(line, VERBS, cell=cell)
    if parsed.verb == "prompt":
        return turn_verbs.prompt, parsed
    if parsed.verb == "help":
        return _help, parsed
    return VERBS[parsed.verb].do or _nothing, parsed


def _help(pair: Pair, line: MagicLine) -> None:
    print(verb_help(line.text, VERBS))


def _nothing(pair: Pair, line: MagicLine) -> None:
    """A verb that only means something in the middle of another command."""
