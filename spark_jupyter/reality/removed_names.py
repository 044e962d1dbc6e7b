"""Replacements of removed names (``removed_names.toml``).

Models that learned older versions still write them.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from functools import cache
from pathlib import Path

from spark_jupyter.reality.signatures import home_of, is_function
from spark_jupyter.reality.static_lookup import TRUSTED, root

LOOKED_AT = 1200
"""Characters of a docstring in which the directive stands, if the function itself is meant."""
SAID_AT_MOST = 200
_DEPRECATED = re.compile(
    r"(?m)^[ \t]*(?:\.\. deprecated:: *[\w.]+[ \t]*\n?|DEPRECATED:?[ \t]*\n\s*)((?:[ \t]*\S[^\n]*\n|[ \t]*\n(?=[ \t]+\S))*)"
)


@cache
def _tables() -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads((Path(__file__).parent / "removed_names.toml").read_text(encoding="utf-8"))


def name(library: str, gone: str) -> str:
    """The remedy for a name that a library no longer has, or never had and another has; "" where none is known."""
    return _remedy(_tables().get(library, {}).get("names", {}).get(gone))


def replacement(library: str, gone: str) -> str:
    """What stands for such a name now, as it is written; "" where none is known."""
    return str(_tables().get(library, {}).get("names", {}).get(gone, ""))


def value(library: str, gone: str) -> str:
    """The string that a library takes now for one that it no longer takes, as a frequency; "" where none is known."""
    return str(_tables().get(library, {}).get("values", {}).get(gone, ""))


def keyword(library: str, function: str, gone: str) -> str:
    """As :func:`name`, for a keyword of a function or class."""
    return _remedy(_tables().get(library, {}).get("keywords", {}).get(f"{function}.{gone}"))


def notice(thing: object) -> str:
    """The deprecation notice in a library's docstring; "" where there is none."""
    text = getattr(thing, "__doc__", None) if is_function(thing) and root(home_of(thing)) in TRUSTED else None
    if type(text) is not str or ("eprecated" not in text[:LOOKED_AT] and "DEPRECATED" not in text[:LOOKED_AT]):
        return ""
    match = _DEPRECATED.search(inspect.cleandoc(text)[:LOOKED_AT].partition("Parameters\n")[0])
    if match is None:
        return ""
    said = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", " ".join(match[1].split()))
    if re.search(r"argument|parameter|keyword|positional|directive|future version|^(?:Using|Passing|Calling) ", said):
        return ""  # a way of calling it, not the function
    return said if len(said) <= SAID_AT_MOST else said[:SAID_AT_MOST].rpartition(" ")[0] + " …"


def _remedy(instead: str | None) -> str:
    if not instead:
        return ""
    return f"Write `{instead}` instead." if re.fullmatch(r"[\w.]+", instead) else f"Instead, write {instead}."
