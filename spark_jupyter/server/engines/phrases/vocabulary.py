"""The words by which phrases are told, out of words.toml. Pure but for reading that."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from spark_jupyter.server.engines.words import NUMERALS

_DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def mapping(name: str) -> dict[str, str]:
    """What words, or runs of words, mean."""
    return {one: meaning for meaning, words in _DATA[name].items() for one in words.split(" | ")}


def listed(name: str) -> tuple[str, ...]:
    """Words, or runs of words, in order."""
    return tuple(_DATA[name].split(" | "))


def some(name: str) -> frozenset[str]:
    """Words of which any will do."""
    return frozenset(listed(name))


NOISE = some("noise")
HOWS = mapping("hows")
MOST = mapping("most")
WHICH_VERBS = some("which_verbs")
BEGINS = some("begins")
COUNTED_ON = some("counted_on")
FALLING = re.compile(r"cold|cheap|young|earl|low|small|short|light|slow|least|few|worst|min|fast|first")
DESC = listed("desc")
ASC = listed("asc")
NUMBERS = {one: number for number, one in enumerate(NUMERALS, 1)}
BY = listed("by")
