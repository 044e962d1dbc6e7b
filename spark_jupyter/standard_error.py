"""Sentences for a person, on standard error."""

from __future__ import annotations

import os
import sys


def tell(sentence: object) -> None:
    """Print a sentence on standard error. Whoever has closed that reads nothing, and what is under way goes on."""
    try:
        print(sentence, file=sys.stderr, flush=True)
    except BrokenPipeError:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # for as long as the program runs
