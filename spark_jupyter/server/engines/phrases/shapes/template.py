"""Templates: a sentence as a regular expression over the words of a marked prompt. Pure.

A template is words, with ``(a|b)`` one of these, ``[a|b]`` one of these or nothing, and places: ``{c:x}`` a column, ``{cs:x}`` some
columns, ``{v:x}`` a value that the table has, ``{n:x}`` a number, ``{t:x}`` a table or variable, ``{q:x}`` a text in quotes, ``{f:x}`` a
file, ``{w:x}`` a word, ``{name:x}`` a word or a name, ``{called:x}`` the
name of what is made and ``{rest:x}`` any words at all, which the maker has to understand itself;
``{by:x}`` is what rows are grouped by ("per ticker", "of each team"), ``{sup:x}`` a superlative, ``{add:x}`` and ``{new:x}`` say before
and behind what is made that it becomes a column, maybe its name; ``(a|b:X)`` is remembered as ``x``. Articles, commas and politeness are
not written: they are taken out of the prompt. As every word has to have its place, nothing that is asked is dropped.
"""

from __future__ import annotations

import re
from functools import lru_cache

from spark_jupyter.server.engines import words

SUPERLATIVES = {
    **dict.fromkeys(("highest", "largest", "biggest", "greatest", "most", "maximum", "max", "best", "longest", "top", "latest", "newest",
                     "heaviest", "tallest"), "max"),
    **dict.fromkeys(("lowest", "smallest", "fewest", "least", "minimum", "min", "worst", "shortest", "earliest", "oldest", "lightest"),
                    "min"),
}  # fmt: skip
"""Words for the one that comes first, and by what it does."""
_ONE = r"(?:⟨[qcwtv]\d+⟩|[^\W\d_⟨][\w'’-]*) "
_FRESH = r"(?:(?:new|extra|another|separate|own|additional|one|derived) )*"
_ADD = (
    rf"(?:(?:add|create|make|insert|append|build|derive) {_FRESH}(?:columns? |field )?(?:(?:called |named )?(?P<NAME>(?:{_ONE}){{1,3}}?))??"
    r"(?:(?:with|for|of|showing|holding|containing|that (?:has|contains|shows|holds|is|says|gives)|which is|=|as|from|to|giving) )?)"
)
_NEW = (
    rf"(?:(?:and (?:put|store|save|write|add|call) (?:it|that|them|result) )?(?:as|in|into|to|with|and) {_FRESH}"
    rf"(?:(?:column|field) (?:called |named )?(?P<NAME>(?:{_ONE}){{1,3}}?)??|(?:called |named )(?P<NAME>(?:{_ONE}){{1,3}}?))"
    rf"|as (?P<NAME>{_ONE})|(?:and )?(?:called|named|call (?:it|that|column)|name it) (?P<NAME>(?:{_ONE}){{1,3}}?))"
)
_PLACES = {
    "c": r"⟨c\d+⟩ ", "d": r"⟨d\d+⟩ ", "cs": r"⟨c\d+⟩ (?:(?:and |& )*⟨c\d+⟩ )*", "v": r"⟨v\d+⟩ ",
    "n": r"⟨n\d+⟩ ", "t": r"⟨t\d+⟩ ", "q": r"⟨q\d+⟩ ",
    "f": r"⟨f\d+⟩ ", "w": r"[^\W\d_⟨][\w'’-]* ", "called": rf"(?:(?:called|named) )?(?:{_ONE}){{1,3}}?",
    "rest": r"(?:\S+ )*?", "any": r"(?:⟨[vqnd]\d+⟩ |[^\W\d_⟨][\w'’-]* )",
    "name": r"(?:⟨[tc]\d+⟩ |[^\W\d_⟨][\w'’-]* )", "ts": r"⟨t\d+⟩ (?:(?:and |& )*⟨t\d+⟩ )*",
    "num": rf"(?:⟨n\d+⟩ |{' |'.join(words.NUMERALS)} )", "unit": r"(?:km |kilometers |kilometres |miles )",
    "by": r"(?:(?:(?:per|by|for|in|of|within|across|inside|grouped by|group by|and|over) )?(?:each |every )|"
          r"(?:per|by|for|within|inside|grouped by|group by|separately per|of|in) (?:all |single |individual |same |different )*)"
          r"⟨c\d+⟩ (?:(?:and |& )*⟨c\d+⟩ )*(?:separately |group )?",
    "span": r"(?:day|days|week|weeks|month|months|row|rows|periods?|points?|games?|match|matches|year|years|date|dates|⟨c\d+⟩) ",
    "sup": rf"(?:{'|'.join(SUPERLATIVES)}) ", "add": _ADD, "new": _NEW,
}  # fmt: skip
_PLACE = re.compile(r"\{(\w+):(\w+)\}")
_NAMED = re.compile(r":([A-Z]+)$")


def _parts(text: str, sign: str) -> list[str]:
    """The text cut at a sign that stands in no bracket."""
    found, depth, start = [], 0, 0
    for place, one in enumerate(text):
        depth += (one in "([") - (one in ")]")
        if one == sign and depth == 0:
            found.append(text[start:place])
            start = place + 1
    return [*found, text[start:]]


def _source(template: str) -> str:
    """A template as a regular expression over words that each have a space behind."""
    made = ""
    for one in filter(None, _parts(template, " ")):
        place = _PLACE.fullmatch(one)
        if place is not None:
            first, *parts = _PLACES[place[1]].split("(?P<NAME>")
            inner = "".join(f"(?P<{place[2]}_{number}>{part}" for number, part in enumerate(parts))
            made += f"(?P<{place[2]}>{first}{inner})"
        elif one[0] in "([":
            named = _NAMED.search(one[1:-1])
            inside = one[1 : -1 - len(named[0])] if named else one[1:-1]
            several = "|".join(_source(choice) for choice in _parts(inside, "|"))
            made += f"({'?P<' + named[1].lower() + '>' if named else '?:'}{several}){'?' if one[0] == '[' else ''}"
        else:
            made += f"{re.escape(one)} "
    return made


def _once_each(pattern: str) -> str:
    """The expression where a place that a template has twice is ``x`` and ``x__2``."""
    seen: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        seen[found[1]] = seen.get(found[1], 0) + 1
        return found[0] if seen[found[1]] == 1 else f"(?P<{found[1]}__{seen[found[1]]}>"

    return re.sub(r"\(\?P<(\w+)>", numbered, pattern)


@lru_cache(maxsize=2048)
def compiled(template: str) -> re.Pattern[str]:
    """What the words of a whole prompt have to match."""
    return re.compile(_once_each(_source(template)), re.IGNORECASE)
