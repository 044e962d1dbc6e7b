"""The table of all verbs of ``%spark``, and its use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from spark_jupyter.exceptions import SparkError
from spark_jupyter.ui.magics import (
    deep_verbs,
    proposal_verbs,
    refactoring_verbs,
    session_verbs,
    suggestion_verbs,
    turn_verbs,
)
from spark_jupyter.ui.magics.verb_table import verbs_of
from spark_jupyter.ui.text.magic_line import help_text, parse, verb_help

if TYPE_CHECKING:
    from spark_jupyter.ui.pair import Pair

VERBS = verbs_of(turn_verbs, proposal_verbs, session_verbs, suggestion_verbs, refactoring_verbs, deep_verbs)
HELP = help_text(VERBS)


def run_line(pair: Pair, line: str, cell: str | None = None) -> None:
    """Do what the words behind ``%spark`` say; ``cell`` is the text below ``%%spark``.

    Raises IPython's UsageError, which shows a sentence and no traceback, for what can't be done.
    """
    try:
        parsed = parse(line, VERBS, cell=cell)
        if parsed.verb == "help":
            print(verb_help(parsed.text, VERBS))
        elif parsed.verb == "prompt":
            turn_verbs.prompt(pair, parsed)
        elif (do := VERBS[parsed.verb].do) is not None:
            do(pair, parsed)
    except SparkError as error:
        raise UsageError(str(error)) from None
