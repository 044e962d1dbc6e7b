"""A marked prompt as tokens. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines.query.marked import Marked

if TYPE_CHECKING:
    from collections.abc import Collection

_TOKEN = re.compile(r"⟨(?P<kind>[a-z])\d+⟩|[^\W\d_][\w'-]*|>=|<=|!=|==|<>|\*\*|[=<>*/+(),;:%?.!&²-]|\d+|\S")


class Token(Struct, frozen=True):
    """``kind`` is ``c`` column, ``v`` value, ``t`` table, ``n`` number, ``d`` date, ``q`` text, ``f`` file, ``w`` word,
    ``s`` sign, ``e`` the end."""

    kind: str
    text: str
    value: str = ""
    mark: str = ""


END = Token("e", "")


def tokens(marked: Marked, tables: Collection[str]) -> list[Token]:
    """The tokens of what the prompt says. Tables but for ``tables``, and dates without a year, are of no known kind."""
    found = []
    for one in _TOKEN.finditer(marked.text):
        if one["kind"]:
            strange = (one["kind"] == "t" and marked.value(one[0]) not in tables) or marked.value(one[0]).startswith(
                "--"
            )
            found.append(
                Token(
                    "?" if strange else one["kind"],
                    marked.said.get(one[0], one[0]).lower(),
                    marked.value(one[0]),
                    one[0],
                )
            )
        else:
            kind = "w" if one[0][0].isalpha() else "s"
            found.append(Token(kind, one[0].lower(), one[0]))
    return found
